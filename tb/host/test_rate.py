"""The driver with a program that fills its ring at full speed: no row is missing, repeated or torn."""

from __future__ import annotations

import pytest

from tb.host.rate import measure


@pytest.mark.parametrize("slots", [2, 64, 1 << 14])
def test_rows_of_a_producer(slots):
    found = measure(min(slots << 10, 1 << 20), slots)
    assert found.rows > 0 and found.share > 0
