"""A second model of window joins, tuple by tuple and as small as possible: the three steps of Kang et al. (ICDE 2003).

test_join_golden.py compares PySpark with it; benches whose arrival order is known only after the simulation compare the
hardware with it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

R, S = 0, 1


class Tuple(NamedTuple):
    """One tuple, of stream `side`."""

    side: int
    x: int
    y: int = 0
    time: int = 0


def match(predicate: str, a: Tuple, b: Tuple, limit: int) -> bool:
    """The join predicates; PFX and SFX on keys of 32 bits."""
    match predicate:
        case "EQ":
            return a.x == b.x
        case "BAND":
            return abs(a.x - b.x) <= limit
        case "L1":
            return abs(a.x - b.x) + abs(a.y - b.y) < limit
        case "PFX":
            return f"{a.x:032b}"[:limit] == f"{b.x:032b}"[:limit]
        case "SFX":
            return f"{a.x:032b}"[32 - limit :] == f"{b.x:032b}"[32 - limit :]
    raise ValueError(predicate)


def tuple_windows(tuples: Iterable[Tuple], predicate: str, limit: int, window: int) -> list[tuple[int, int]]:
    """(number of the R tuple, of the S tuple) in order of arrival, of every pair."""
    windows: tuple[deque, deque] = (deque(maxlen=window), deque(maxlen=window))
    found = []
    for number, new in enumerate(tuples):
        for other, old in windows[1 - new.side]:
            if match(predicate, old, new, limit):
                found.append((number, other) if new.side == R else (other, number))
        windows[new.side].append((number, new))  # the oldest expires
    return found


def late(tuples: Iterable[Tuple], slack: int) -> set[int]:
    """The numbers of the tuples whose time is more than `slack` below the largest earlier one of their stream."""
    newest: dict[int, int] = {}
    found = set()
    for number, new in enumerate(tuples):
        if new.time < newest.get(new.side, new.time) - slack:
            found.add(number)
        newest[new.side] = max(new.time, newest.get(new.side, new.time))
    return found


def overflow(tuples: Iterable[Tuple], window: int, slack: int, rows: int) -> set[int]:
    """The numbers of the tuples for which a memory of `rows` tuples per stream has no place: not late, and the one
    `rows` before, of those stored, is near enough to a tuple of the other stream that may still come in time."""
    tuples = list(tuples)
    too_late, held, found = late(tuples, slack), ([], []), set()
    newest = [0, 0]
    for number, new in enumerate(tuples):
        newest[new.side] = max(newest[new.side], new.time)
        if number in too_late:
            continue
        mine = held[new.side]
        if len(mine) >= rows and mine[-rows] + window >= newest[1 - new.side] - slack:
            found.add(number)
        else:
            mine.append(new.time)
    return found


def time_windows(tuples: Iterable[Tuple], predicate: str, limit: int, window: int, slack: int) -> list[tuple[int, int]]:
    """The same for time windows: every pair of tuples that are not late, at most `window` apart."""
    tuples = list(tuples)
    too_late = late(tuples, slack)
    timely = [(number, new) for number, new in enumerate(tuples) if number not in too_late]
    return [
        (i, j)
        for i, r in timely
        for j, s in timely
        if (r.side, s.side) == (R, S) and abs(r.time - s.time) <= window and match(predicate, r, s, limit)
    ]
