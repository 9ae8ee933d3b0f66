"""The query of a stream. Separate from the rest, so that it can be used without loading Spark."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

AGGREGATES = ("COUNT", "SUM", "MIN", "MAX")


@dataclass(frozen=True)
class Query:
    """SELECT aggregate(Price) FROM … [RANGE SLIDE SLACK WATTR Time] WHERE Symbol = symbol, and its time rules.

    range, slide, slack: units of Time. aggregate: one of `AGGREGATES`. symbol: None selects every tuple. start: None
    takes it from the first item. max_ahead: 0 sets no limit. resync: tuples. Raises ValueError for invalid values.
    """

    range: int
    slide: int
    slack: int
    aggregate: str = "COUNT"
    symbol: bytes | None = None
    start: int | None = None
    max_ahead: int = 0
    resync: int = 16

    def __post_init__(self) -> None:
        if self.range < 1 or self.slide < 1 or self.slack < 0 or (self.start or 0) < 0 or self.resync < 1:
            raise ValueError(f"RANGE, SLIDE, RESYNC must be at least 1, SLACK and START at least 0: {self}")
        if self.max_ahead and self.max_ahead < self.slack + self.slide:
            raise ValueError(f"MAX_AHEAD must be at least SLACK + SLIDE: {self}")
        if self.aggregate not in AGGREGATES:
            raise ValueError(f"unknown aggregate '{self.aggregate}'; known: {', '.join(AGGREGATES)}")

    @property
    def pane(self) -> int:
        """The longest pane: every window is a union of panes of this length."""
        return gcd(self.range, self.slide)
