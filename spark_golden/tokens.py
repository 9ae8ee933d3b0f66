"""The words of a text of the dialect: tokens, and how to cut a list of them outside parentheses and brackets."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LEXEMES = re.compile(
    r"(?P<space>\s+|--[^\n]*|/\*(.|\n)*?\*/)|`(?P<quoted>[A-Za-z_]\w*)`"
    r"|(?P<name>[A-Za-z_]\w*(\.[A-Za-z_]\w*)?)|(?P<number>\d+(\.\d*)?|\.\d+)"
    r"|(?P<string>'[^'\n]*'|\"[^\"\n]*\")|\$(?P<constant>[A-Za-z_]\w*)"
    r"|(?P<symbol><=>|<>|!=|<=|>=|<<|>>|\|\||[-+*/%=<>&|^~(),;\[\]])"
)


class Quoted(str):
    """A name in backquotes, never a keyword."""


@dataclass(frozen=True)
class Token:
    """kind: ``name``, ``number``, ``string``, ``constant`` or ``symbol``."""

    kind: str
    text: str
    line: int

    @property
    def keyword(self) -> str:
        """A name in capitals, for comparison with keywords; a symbol unchanged."""
        if self.kind == "name":
            return "" if isinstance(self.text, Quoted) else self.text.upper()
        return self.text if self.kind == "symbol" else ""


def lexed(sql: str) -> list[Token]:
    found, at = [], 0
    while at < len(sql):
        line = sql.count("\n", 0, at) + 1
        match = _LEXEMES.match(sql, at)
        if not match:
            raise ValueError(f"line {line}: unexpected character {sql[at]!r}")
        if match.lastgroup == "quoted":
            found.append(Token("name", Quoted(match["quoted"]), line))
        elif match.lastgroup != "space":
            found.append(Token(match.lastgroup, match[match.lastgroup], line))
        at = match.end()
    return found


def written(tokens: list[Token]) -> str:
    """The tokens as readable text."""
    words = " ".join("$" * (t.kind == "constant") + t.text for t in tokens)
    return re.sub(r"(?<=[(\[]) | (?=[),\]])|(?<=\w) (?=\()", "", words)


def at_top(tokens: list[Token]) -> list[tuple[int, Token]]:
    """The tokens outside parentheses and brackets, with their indices; an opening one counts as outside."""
    found, open_ones = [], []
    for k, token in enumerate(tokens):
        if token.keyword in (")", "]"):
            if not open_ones or open_ones.pop() != {")": "(", "]": "["}[token.keyword]:
                raise ValueError(f"line {token.line}: unmatched {token.text}")
        elif not open_ones:
            found.append((k, token))
        if token.keyword in ("(", "["):
            open_ones.append(token.keyword)
    if open_ones:
        raise ValueError(f"{open_ones[-1]} is not closed")
    return found


def split(tokens: list[Token], *separators: str) -> list[list[Token]]:
    parts, begin = [], 0
    for k, token in at_top(tokens):
        if token.keyword in separators:
            parts.append(tokens[begin:k])
            begin = k + 1
    return [*parts, tokens[begin:]]


def name_of(tokens: list[Token], what: str) -> str:
    """The text of a single name; raises ValueError. what: words for it."""
    if len(tokens) != 1 or tokens[0].kind != "name":
        raise ValueError(f"expected {what}, found '{written(tokens)}'")
    return tokens[0].text
