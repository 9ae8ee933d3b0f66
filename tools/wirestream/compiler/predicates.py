"""The predicates of joins: what each is in ON, to the cores, and in docs/joins.md.

This is the compiler's only list of them. A function of an address that has some of its bits is a line here, one in
Spark's part of a divided query (`wirestream.split.evaluate`) and one in the oracle (`spark_golden/expressions.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

HEAD = "| PREDICATE | in ON | match | cycles |\n|---|---|---|---|\n"


@dataclass(frozen=True)
class Predicate:
    """A value of PREDICATE of ws_predicate.

    on: the condition. match: what matches, in terms of the core. cycles: its latency. signed: keys may be two's
    complement. lut, ff: cells of a bit that is compared, more than those of EQ. lowest: of a function, such as prefix,
    its lowest bit in a number, from the widths of the number and of the function.
    """

    on: str
    match: str
    cycles: int = 1
    signed: bool = False
    lut: float = 0.0
    ff: float = 0.0
    lowest: Callable[[int, int], int] | None = None

    @property
    def function(self) -> str:
        """Its name in the dialect, "" for other predicates."""
        return self.on.partition("(")[0] if self.lowest else ""


PREDICATES = {
    "EQ": Predicate("a.x = b.y", "window = probe"),
    "BAND": Predicate("abs(a.x - b.y) <= 5", "\\|window - probe\\| ≤ limit", 2, True, 3.2, 4.1),
    "L1": Predicate(
        "abs(a.x - b.x) + abs(a.y - b.y) < 5",
        "\\|x - x'\\| + \\|y - y'\\| < limit, the key is {x, y}: Manhattan distance",
        3,
        True,
        3.9,
        2.2,
    ),
    "PFX": Predicate(
        "prefix(a.x, 24) = prefix(b.x, 24)",
        "the first `limit` bits are equal: IP prefix",
        lowest=lambda width, bits: width - bits,
    ),
    "SFX": Predicate(
        "suffix(a.x, 8) = suffix(b.x, 8)", "the last `limit` bits are equal", lowest=lambda width, bits: 0
    ),
}
FUNCTIONS = {p.function: name for name, p in PREDICATES.items() if p.function}  # to the predicate


def markdown() -> str:
    """The table of the predicates, for docs/joins.md."""
    return HEAD + "".join(f"| {name} | `{p.on}` | {p.match} | {p.cycles} |\n" for name, p in PREDICATES.items())
