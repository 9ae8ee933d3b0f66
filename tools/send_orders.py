#!/usr/bin/env python3
"""Stream orders as FIX or ITCH messages to a host and port, or write a pcap. See `send_orders.py --help`."""

import sys

from wirestream.host.orders import main

sys.exit(main())
