"""Errors in a query, with their position in its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

SEPARATOR = "\n;\n"  # joins the texts of files that are compiled together


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


class QueryFileError(ValueError):
    """An error in a file with queries; the message has the file, the position, the reason and the line."""


@contextmanager
def locate_errors(files: Sequence[tuple[Path, str]]) -> Iterator[None]:
    """Raise `QueryFileError` for a `QueryError` in the files' texts, which are joined by SEPARATOR."""
    try:
        yield
    except QueryError as error:
        raise QueryFileError(_located(error, files)) from error


def _located(error: QueryError, files: Sequence[tuple[Path, str]]) -> str:
    if error.position is None:
        return f"{', '.join(str(path) for path, _ in files)}: {error}"
    line = error.position.line
    for path, text in files:
        lines = text.count("\n") + 2  # with that of the separator
        if line <= lines:
            return f"{path}: {QueryError(error.message, replace(error.position, line=line)).shown(text)}"
        line -= lines
    raise AssertionError(error)
