#!/usr/bin/env python3
"""Receive the rows of a query and report losses; see `recv_results.py --help`."""

import sys

from wirestream.host.recv import main

sys.exit(main())
