"""Tests of the query machine's tools."""
