"""What is in a datagram: streams, formats, FIX descriptions, names of registers and counters."""
