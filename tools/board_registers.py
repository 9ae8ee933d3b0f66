#!/usr/bin/env python3
"""Show or change the registers of a running board. `board_registers.py --help` shows how."""

import sys

from wirestream.host.remote import main

sys.exit(main())
