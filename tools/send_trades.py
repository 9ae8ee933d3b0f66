#!/usr/bin/env python3
"""Stream trades as tuple datagrams to a host and port, or write a pcap. `send_trades.py --help` shows how."""

import sys

from wirestream.host.send import main

sys.exit(main())
