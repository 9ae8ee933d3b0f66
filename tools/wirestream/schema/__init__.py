"""Descriptions of the data in datagrams: streams, formats, FIX messages, and names of registers and counters."""
