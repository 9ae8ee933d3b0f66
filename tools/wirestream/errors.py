"""What is wrong with a query, and where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A place in the text of a query, both from 1."""

    line: int
    column: int


class QueryError(ValueError):
    """A query that is not understood or cannot be built.

    message: one line that says why. place: where, if it is one place. `shown` adds the line of the text and points.
    """

    def __init__(self, message: str, place: Place | None = None):
        where = f"line {place.line}, column {place.column}: " if place else ""
        super().__init__(where + message)
        self.message, self.place = message, place

    def shown(self, text: str) -> str:
        lines = text.splitlines()
        if self.place is None or not 1 <= self.place.line <= len(lines):
            return str(self)
        line = lines[self.place.line - 1].replace("\t", " ")
        return f"{self}\n    {line}\n    {' ' * (self.place.column - 1)}^"
