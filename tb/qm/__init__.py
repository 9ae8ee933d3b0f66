"""Benches of the query machine's core."""
