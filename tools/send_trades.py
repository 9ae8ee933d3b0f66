#!/usr/bin/env python3
"""Stream trades as tuple datagrams to a host and port, or write a pcap. See `send_trades.py --help`."""

import sys

from wirestream.host.send_trades import main

sys.exit(main())
