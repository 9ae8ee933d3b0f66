"""Divides text into statements, which end with ``;``, and commands, which are lines that begin with a backslash."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirestream.errors import Position, QueryError

COMMENT = r"--[^\n]*|/\*.*?\*/"
PART = re.compile(rf"{COMMENT}|'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|/\*|;", re.DOTALL)


@dataclass(frozen=True)
class Statement:
    """A statement or a command of a text, without the character that ends it. line, column: where it begins."""

    text: str
    line: int = 1
    column: int = 1

    @property
    def is_command(self) -> bool:
        return self.text.startswith("\\")

    def located(self, error: QueryError) -> QueryError:
        """An error of this statement, with its position in the whole text."""
        if not (at := error.position):
            return error
        column = at.column + (self.column - 1 if at.line == 1 else 0)
        return QueryError(error.message, Position(at.line + self.line - 1, column))


def divided(text: str, whole: bool = False) -> tuple[list[Statement], str]:
    """The statements of a text, and the beginning of another one at its end; if `whole`, that is a statement too."""
    found, at = [], 0
    while at < len(text):
        at = _start(text, at)
        end, after = _end(text, at)
        if after is None:
            if not whole or not text[at:].strip():
                return found, text[at:]
            end = after = len(text)
        if content := text[at:end].rstrip():
            line_start = text.rfind("\n", 0, at) + 1
            found.append(Statement(content, text.count("\n", 0, at) + 1, at - line_start + 1))
        at = after
    return found, ""


def _start(text: str, at: int) -> int:
    """Where a statement begins: after white space and comments."""
    return re.compile(rf"(?:\s|{COMMENT})*", re.DOTALL).match(text, at).end()


def _end(text: str, at: int) -> tuple[int, int | None]:
    """The end of the statement that begins at an offset, and where the next one may begin; None if it has no end."""
    if text[at : at + 1] == "\\":
        line = text.find("\n", at)
        end = len(text) if line < 0 else line
        return at + len(text[at:end].rstrip("; \t")), end
    for part in PART.finditer(text, at):
        if part[0] == ";":
            return part.start(), part.end()
        if part[0] == "/*":
            break
    return len(text), None
