"""Units of time: of the times of a stream, and of the spans in a query."""

from __future__ import annotations

NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "minute": 60 * 10**9,
    "hour": 3600 * 10**9,
    "day": 86_400 * 10**9,
}
SHORT = {"nanosecond": "ns", "microsecond": "us", "millisecond": "ms", "second": "s"}
DEFAULT = "s"


def unit_of(word: str) -> str | None:
    """The key of `NANOSECONDS` that a word names, or None: ``ms``, ``Millisecond``, ``milliseconds``."""
    word = word.lower()
    found = word if word in NANOSECONDS else SHORT.get(word.removesuffix("s"), word.removesuffix("s"))
    return found if found in NANOSECONDS else None


def plural(unit: str) -> str:
    return next((f"{long}s" for long, short in SHORT.items() if short == unit), f"{unit}s")
