"""The loops of a section, and the turns of each, for the verifier.

A loop is the code from the target of a jump backwards to that jump; loops that overlap without one containing the other
are taken as one. A `Turn` is an address with the turn of each loop around it. Turns have the order of their execution:
every path through the section visits them in ascending order.
"""

from __future__ import annotations

from wirestream.machine.program import Code

Turn = tuple[int, ...]  # the begin and the number of the turn of each loop, outermost first, and the address


class Loops:
    """codes: of a section. end: the address after them."""

    def __init__(self, codes: dict[int, Code], end: int):
        found: list[tuple[int, int]] = []
        for code in codes.values():
            if code.instruction.is_jump and code.target <= code.address:
                found = _with((code.target, code.address), found)
        found.sort()
        self._around = {at: tuple(low for low, high in found if low <= at <= high) for at in (*codes, end)}

    def first(self) -> Turn:
        """The begin of the section."""
        return self._of(0, ())

    def after(self, turn: Turn, target: int) -> Turn:
        """The turn that an instruction leads to."""
        address, around, then = turn[-1], self._around[turn[-1]], self._around[target]
        kept = [turn[2 * k + 1] for k, (one, other) in enumerate(zip(around, then, strict=False)) if one == other]
        if target <= address:
            kept[-1] += 1
        return self._of(target, kept)

    def _of(self, address: int, numbers: list[int] | tuple[int, ...]) -> Turn:
        around = self._around[address]
        filled = [*numbers, *[0] * (len(around) - len(numbers))]
        return (*(part for pair in zip(around, filled, strict=True) for part in pair), address)


def begins(turn: Turn, before: Turn) -> Turn | None:
    """If `turn` follows `before` by a jump backwards: what all turns of this loop have in common; else None."""
    if turn[-1] > before[-1]:
        return None
    k = next(k for k, (one, other) in enumerate(zip(turn, before, strict=False)) if one != other)
    return (*turn[:k], -1, *turn[k + 1 :])


def _with(new: tuple[int, int], loops: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The loops and a new one, none of which overlap without one containing the other, or begin at one address."""
    for one in loops:
        (low, high), (first, last) = sorted([one, new])
        contained = last <= high
        if first <= high and (low == first or not contained):
            return _with((low, max(high, last)), [other for other in loops if other != one])
    return [*loops, new]
