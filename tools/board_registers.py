#!/usr/bin/env python3
"""Show or change the registers of a running board; see `board_registers.py --help`."""

import sys

from wirestream.host.remote import main

sys.exit(main())
