"""Parse a text of the dialect (docs/dialect.md) into clauses for the oracle; expressions remain tokens.

The parser knows parentheses, brackets, quotes, comments and the order of clauses; Spark defines the meaning of
expressions (see `expressions`). Syntax errors raise ValueError with one line. Deliberately separate from the compiler's
grammar, so that one misreading cannot pass on both sides.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass

from spark_golden.declaration import NANOSECONDS, Stream


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


@dataclass(frozen=True)
class Duration:
    """A time with a unit. word: the unit as in the text, in lower case."""

    number: int
    word: str

    def units(self, nanoseconds: int) -> int:
        """The time in units of that many nanoseconds; raises ValueError if it is not a multiple of them."""
        length = self.number * NANOSECONDS[self.word]
        if length % nanoseconds:
            raise ValueError(f"{self.number} {self.word} is not a multiple of the unit of the times")
        return length // nanoseconds


@dataclass(frozen=True)
class Window:
    """A window clause. attribute: None for the stream's own time. in_time: False for a tuple window. session: `size` is
    the GAP. Times without a unit are in units of the attribute.
    """

    in_time: bool
    size: int | Duration
    advance: int | Duration
    attribute: str | None = None
    slack: int | Duration = 0
    start: int | Duration | None = None
    max_ahead: int | Duration = 0
    resync: int = 16
    emit_empty: bool = False
    session: bool = False

    def __str__(self) -> str:
        if not self.in_time:
            return f"[SIZE {self.size} ADVANCE {self.advance} TUPLES]"
        if self.session:
            return f"[SESSION GAP {self.size} WATTR {self.attribute} SLACK {self.slack}]"
        return f"[RANGE {self.size} SLIDE {self.advance} WATTR {self.attribute} SLACK {self.slack}]"


@dataclass(frozen=True)
class JoinWindow:
    """The window of a side of a JOIN: the last `rows` tuples or, with an attribute, the tuples at most `near` apart;
    `rows` then only sizes the hardware's memory."""

    rows: int
    attribute: str | None = None
    near: int | Duration = 0
    slack: int | Duration = 0

    def __str__(self) -> str:
        if self.attribute is None:
            return f"[ROWS {self.rows}]"
        return f"[RANGE {self.near} WATTR {self.attribute} SLACK {self.slack} ROWS {self.rows}]"


@dataclass(frozen=True)
class Item:
    """A column of SELECT. expression: None for `*`."""

    name: str
    expression: list[Token] | None

    @property
    def bare(self) -> str | None:
        """The column that the item passes on unchanged, or None."""
        passed = self.expression is not None and len(self.expression) == 1 and self.expression[0].kind == "name"
        return self.expression[0].text if passed else None


@dataclass(frozen=True)
class Side:
    """An operand of FROM or JOIN. source: a stream's name, or the arms of a UNION in parentheses."""

    source: str | list[Select]
    window: Window | JoinWindow | None
    alias: str | None


@dataclass(frozen=True)
class Select:
    """other, on: the second side of a JOIN and its condition."""

    items: list[Item]
    side: Side
    other: Side | None
    on: list[Token]
    where: list[Token]
    group: list[list[Token]]
    having: list[Token]

    @property
    def source(self) -> str | list[Select]:
        return self.side.source

    @property
    def window(self) -> Window | JoinWindow | None:
        return self.side.window


_LEXEMES = re.compile(
    r"(?P<space>\s+|--[^\n]*|/\*(.|\n)*?\*/)|`(?P<quoted>[A-Za-z_]\w*)`"
    r"|(?P<name>[A-Za-z_]\w*(\.[A-Za-z_]\w*)?)|(?P<number>\d+(\.\d*)?|\.\d+)"
    r"|(?P<string>'[^'\n]*'|\"[^\"\n]*\")|\$(?P<constant>[A-Za-z_]\w*)"
    r"|(?P<symbol><=>|<>|!=|<=|>=|<<|>>|\|\||[-+*/%=<>&|^~(),;\[\]])"
)
CLAUSES = ("SELECT", "FROM", "WHERE", "GROUP", "HAVING")
VALUES = ("END", "NULL", "TRUE", "FALSE")  # words that end an expression, and are not aliases
OPERATORS = ("AND", "OR", "NOT", "DIV", "IN", "IS", "BETWEEN", "LIKE", "CASE", "WHEN", "THEN", "ELSE", "DISTINCT",
             "FROM")  # fmt: skip
AGGREGATES = {"every": "bool_and", "some": "bool_or", "any": "bool_or"}  # by their names in a text
AGGREGATES |= {name: name for name in ("count", "sum", "min", "max", "avg", "first", "last", "bit_or", "bit_xor")}
AGGREGATES |= {name: name for name in ("bit_and", "bool_and", "bool_or", "var_pop", "var_samp", "stddev_pop")}
AGGREGATES |= {"variance": "var_samp"} | dict.fromkeys(("stddev_samp", "stddev", "std"), "stddev_samp")
Named = dict[str, list["Select"]]  # the queries that WITH names


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


def _at_top(tokens: list[Token]) -> list[tuple[int, Token]]:
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
    for k, token in _at_top(tokens):
        if token.keyword in separators:
            parts.append(tokens[begin:k])
            begin = k + 1
    return [*parts, tokens[begin:]]


def conjuncts(tokens: list[Token]) -> list[list[Token]]:
    """The conditions that AND joins; the AND of BETWEEN does not."""
    found: list[list[Token]] = []
    for part in split(tokens, "AND"):
        if found and _open_between(found[-1]):
            found[-1] = [*found[-1], Token("name", "AND", part[0].line), *part]
        else:
            found.append(part)
    return found


def _open_between(tokens: list[Token]) -> bool:
    """Whether the last BETWEEN still lacks its AND."""
    words = [token.keyword for _, token in _at_top(tokens)]
    return words.count("BETWEEN") > words.count("AND")


def _name(tokens: list[Token], what: str) -> str:
    if len(tokens) != 1 or tokens[0].kind != "name":
        raise ValueError(f"expected {what}, found '{written(tokens)}'")
    return tokens[0].text


def created(tokens: list[Token]) -> Stream:
    """CREATE INPUT STREAM Name (field type, …) [TIME field [IN unit]]; its time is by default the field named Time."""
    closing = [k for k, token in enumerate(tokens) if token.keyword == ")"]
    tokens, after = (tokens[: closing[-1] + 1], tokens[closing[-1] + 1 :]) if closing else (tokens, [])
    words = [t.keyword for t in tokens[:3]]
    if words != ["CREATE", "INPUT", "STREAM"] or [t.keyword for t in tokens[4:5] + tokens[-1:]] != ["(", ")"]:
        raise ValueError(f"line {tokens[0].line}: expected CREATE INPUT STREAM Name (field type, …)")
    parts = split(tokens[5:-1], ",")
    fields: dict[str, str] = {}
    for part in parts:
        name = _name(part[:1], "the name of a field")
        if name in fields:
            raise ValueError(f"two fields named {name}")
        fields[name] = written(part[1:]).lower()
    name, time, unit = _name(tokens[3:4], "the name of a stream"), "Time" if "Time" in fields else None, None
    if after:
        if [t.keyword for t in after[::2]] not in (["TIME"], ["TIME", "IN"]) or len(after) % 2:
            raise ValueError(f"line {after[0].line}: expected TIME field IN unit, found '{written(after)}'")
        time, *units = (_name([token], "a name") for token in after[1::2])
        unit = units[0].lower() if units else None
    return Stream(name, fields, time, unit)


def query(tokens: list[Token]) -> tuple[list[Select], str | None]:
    first = []
    if [token.keyword for token in tokens[:2]] == ["INSERT", "INTO"]:
        first, tokens = [tokens[2:3]], tokens[3:]
    body, *into = split(tokens, "INTO")
    named, body = _with(body)
    if len(into := first + into) > 1:
        raise ValueError("a query has only one INTO")
    return _body(body, named), _name(into[0], "a name after INTO") if into else None


def _with(tokens: list[Token]) -> tuple[Named, list[Token]]:
    """The queries that WITH names, each of which can read those before it, and the tokens that follow."""
    named: Named = {}
    while tokens and tokens[0].keyword == ("," if named else "WITH"):
        name = _name(tokens[1:2], "a name after WITH")
        if [token.keyword for token in tokens[2:4]] != ["AS", "("]:
            raise ValueError(f"line {tokens[0].line}: expected WITH Name AS (SELECT …)")
        end = next((k for k, _ in _at_top(tokens) if k > 3), len(tokens))
        named = named | {name: _body(tokens[4 : end - 1], named)}
        tokens = tokens[end:]
    return named, tokens


def _body(tokens: list[Token], named: Named) -> list[Select]:
    arms = split(tokens, "UNION")
    if any(not arm or arm[0].keyword != "ALL" for arm in arms[1:]):
        raise ValueError("UNION without ALL is not in the dialect")
    return [_select(arm[k > 0 :], named) for k, arm in enumerate(arms)]


def _select(tokens: list[Token], named: Named) -> Select:
    distinct = {k + 1 for k, token in enumerate(tokens) if token.keyword == "DISTINCT"}  # IS DISTINCT FROM
    heads = [(k, token) for k, token in _at_top(tokens) if token.keyword in CLAUSES and k not in distinct]
    order = [CLAUSES.index(token.keyword) for _, token in heads]
    if order[:2] != [0, 1] or heads[0][0] != 0 or order != sorted(set(order)):
        raise ValueError(f"expected SELECT … FROM … WHERE … GROUP BY … HAVING in this order, found '{written(tokens)}'")
    ends = [k for k, _ in heads[1:]] + [len(tokens)]
    clause = {token.keyword: tokens[k + 1 : end] for (k, token), end in zip(heads, ends, strict=True)}
    if empty := [name for name, given in clause.items() if not given]:
        raise ValueError(f"nothing after {empty[0]}")
    group = clause.get("GROUP", [])
    if group and group[0].keyword != "BY":
        raise ValueError("GROUP without BY")
    first, *joined = split(clause["FROM"], "JOIN")
    other, *on = split(joined[0], "ON") if joined else ([], [])
    if len(joined) > 1 or len(on) != 1:
        raise ValueError(f"expected FROM … JOIN … ON … with two sides, found '{written(clause['FROM'])}'")
    return Select(
        [_item(item, place) for place, item in enumerate(split(clause["SELECT"], ","), 1)],
        _side(first, named),
        _side(other, named) if joined else None,
        on[0],
        clause.get("WHERE", []),
        split(group[1:], ",") if group else [],
        clause.get("HAVING", []),
    )


def _item(tokens: list[Token], place: int) -> Item:
    """place: in SELECT, from 1."""
    if [t.keyword for t in tokens] == ["*"]:
        return Item("*", None)
    tokens, alias = _alias(tokens)
    return Item(alias or _default(tokens, place), tokens)


def _alias(tokens: list[Token]) -> tuple[list[Token], str | None]:
    """The tokens without a name after AS, or without one that follows a value; and that name."""
    if len(tokens) > 2 and tokens[-2].keyword == "AS":
        return tokens[:-2], _name(tokens[-1:], "a name after AS")
    if len(tokens) < 2 or tokens[-1].kind != "name" or tokens[-1].keyword in VALUES:
        return tokens, None
    return (tokens[:-1], tokens[-1].text) if ends_value(tokens[-2]) else (tokens, None)


def ends_value(token: Token) -> bool:
    """Whether it can be the last token of a value."""
    return token.keyword in (")", "]") if token.kind == "symbol" else token.keyword not in OPERATORS


def _default(tokens: list[Token], place: int) -> str:
    """The name of a column that has none: its own, that of an aggregate and its column, or that of its place."""
    words = [token.text for token in tokens]
    if len(tokens) == 1 and tokens[0].kind == "name":
        return words[0].rpartition(".")[2]
    if words[0].lower() in AGGREGATES and words[1:2] == ["("] and words[-1] == ")":
        if words[2:-1] in ([], ["*"]):
            return AGGREGATES[words[0].lower()]
        if len(words) == 4 and tokens[2].kind == "name":
            return f"{AGGREGATES[words[0].lower()]}_{words[2].rpartition('.')[2]}"
    return f"column{place}"


def _side(tokens: list[Token], named: Named) -> Side:
    tokens, alias = _alias(tokens)
    top = [k for k, token in _at_top(tokens) if token.keyword == "["]
    of, window = (tokens[: top[0]], _window(tokens[top[0] :])) if top else (tokens, None)
    if of and of[0].keyword == "(" and of[-1].keyword == ")":
        return Side(_body(of[1:-1], named), window, alias)
    name = _name(of, "a stream after FROM")
    alike = [one for one in named if one.lower() == name.lower() and not isinstance(name, Quoted)]
    known = name if name in named or not alike else alike[0]
    return Side(named[known], window, alias or known) if known in named else Side(name, window, alias)


def _window(tokens: list[Token]) -> Window | JoinWindow:
    wrong = ValueError(f"line {tokens[0].line}: invalid window '{written(tokens)}'")
    if tokens[-1].keyword != "]":
        raise wrong
    words, given = deque(tokens[1:-1]), {}
    try:
        while words:
            key = words.popleft().keyword
            if key in given or not key:
                raise wrong
            if key in ("TIME", "TUPLES", "SESSION", "EMIT_EMPTY"):
                given[key] = True
            elif key == "WATTR":
                given[key] = _name([words.popleft()], "a column after WATTR")
            else:
                interval = words[0].keyword == "INTERVAL"
                if interval:
                    words.popleft()
                number = words.popleft()
                given[key] = int(number.text[1:-1] if interval and number.kind == "string" else number.text)
                if words and (unit := words[0].text.lower()) in NANOSECONDS:
                    given[key] = Duration(given[key], unit)
                    words.popleft()
                elif interval:
                    raise wrong
    except (IndexError, ValueError):
        raise wrong from None
    if given.keys() == {"ROWS"} or {"RANGE", "WATTR", "ROWS"} <= given.keys() <= {"RANGE", "WATTR", "SLACK", "ROWS"}:
        return JoinWindow(given["ROWS"], given.get("WATTR"), given.get("RANGE", 0), given.get("SLACK", 0))
    options = {"START", "MAX_AHEAD", "RESYNC", "EMIT_EMPTY"}
    for size, advance, needed, allowed in (
        ("RANGE", "SLIDE", {"WATTR"}, {"SLACK", *options}),
        ("SIZE", "ADVANCE", {"TIME"}, options),
        ("SIZE", "ADVANCE", {"TUPLES"}, set()),
        ("GAP", "GAP", {"SESSION", "WATTR"}, {"SLACK", *options} - {"EMIT_EMPTY"}),
    ):
        needed = {size, advance, *needed}
        if needed <= given.keys() <= needed | allowed:
            lengths = [n.number if isinstance(n, Duration) else n for n in (given[size], given[advance])]
            if min(lengths) < 1 or ("TUPLES" in given and any(isinstance(n, Duration) for n in given.values())):
                raise wrong
            names = ("SLACK", "START", "MAX_AHEAD", "RESYNC", "EMIT_EMPTY")
            more = {name.lower(): given[name] for name in names if name in given}
            if "SESSION" in given:  # may begin at any time
                return Window(True, given[size], 1, given["WATTR"], session=True, **more)
            return Window("TUPLES" not in given, given[size], given[advance], given.get("WATTR"), **more)
    raise wrong
