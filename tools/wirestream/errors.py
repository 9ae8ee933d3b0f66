"""Errors in a query, with their position in its text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Position:
    """A position in the text of a query; line and column count from 1."""

    line: int
    column: int


class QueryError(ValueError):
    """A query cannot be parsed or built.

    message: the reason, in one line. position: where in the text, if known. `shown` adds that line with a caret.
    """

    def __init__(self, message: str, position: Position | None = None):
        where = f"line {position.line}, column {position.column}: " if position else ""
        super().__init__(where + message)
        self.message, self.position = message, position

    def shown(self, text: str) -> str:
        lines = text.splitlines()
        if self.position is None or not 1 <= self.position.line <= len(lines):
            return str(self)
        line = lines[self.position.line - 1].replace("\t", " ")
        return f"{self}\n    {line}\n    {' ' * (self.position.column - 1)}^"
