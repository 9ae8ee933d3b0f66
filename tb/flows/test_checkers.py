"""The checkers of the benches reject wrong behaviour."""

import pytest

from tb.top.board import woken


def held(phy: int, design: int, last: int = 500) -> list[tuple[int, int]]:
    return [(0, 0)] * phy + [(1, 0)] * (design - phy) + [(1, 1)] * (last - design)


def test_a_board_that_wakes_in_time():
    woken(held(200, 210), 10)


@pytest.mark.parametrize(("phy", "design"), [(180, 190), (220, 230), (200, 200), (200, 211)])
def test_a_board_that_wakes_early_or_late(phy, design):
    with pytest.raises((AssertionError, ValueError)):
        woken(held(phy, design), 10)
