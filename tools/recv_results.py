#!/usr/bin/env python3
"""Receive the rows of a query and report what was lost. `recv_results.py --help` shows how."""

import sys

from wirestream.host.recv import main

sys.exit(main())
