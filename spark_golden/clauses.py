"""Parse a text of the dialect (docs/dialect.md) into clauses for the oracle; expressions remain tokens.

The parser knows parentheses, brackets, quotes, comments and the order of clauses; Spark defines the meaning of
expressions (see `expressions`). Syntax errors raise ValueError with one line. Deliberately separate from the compiler's
grammar, so that one misreading cannot pass on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from spark_golden import window_words
from spark_golden.declaration import Stream
from spark_golden.tokens import Quoted, Token, at_top, name_of, split, written
from spark_golden.window_clause import JoinWindow, Window, bracketed


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
class Order:
    """An expression of ORDER BY. nulls_last: where nulls are; by default first if ascending."""

    expression: list[Token]
    descending: bool
    nulls_last: bool


@dataclass(frozen=True)
class Over:
    """PARTITION BY and ORDER BY of ROW_NUMBER() OVER (…)."""

    partition: list[list[Token]]
    order: list[Order]


@dataclass(frozen=True)
class Side:
    """An operand of FROM or JOIN. source: a stream's name, or the arms of a UNION in parentheses."""

    source: str | list[Select]
    window: Window | JoinWindow | None
    alias: str | None


@dataclass(frozen=True)
class Select:
    """other, on: the second side of a JOIN and its condition. unique: with DISTINCT. limit: None without LIMIT. over:
    that of ROW_NUMBER(), which is the column NUMBER in `items` and `qualify`; None if there is none."""

    items: list[Item]
    side: Side
    other: Side | None
    on: list[Token]
    where: list[Token]
    group: list[list[Token]]
    having: list[Token]
    unique: bool
    order: list[Order]
    limit: int | None
    offset: int
    qualify: list[Token]
    over: Over | None = None

    @property
    def source(self) -> str | list[Select]:
        return self.side.source

    @property
    def window(self) -> Window | JoinWindow | None:
        return self.side.window

    @property
    def sorted(self) -> bool:
        """Whether it has ORDER BY, LIMIT or OFFSET."""
        return bool(self.order or self.limit is not None or self.offset)

    @property
    def in_order(self) -> bool:
        """Whether the order of its rows follows from it, or from the query that it reads."""
        below = self.source if isinstance(self.source, list) else []
        return not self.other and bool(self.sorted or self.over or (len(below) == 1 and below[0].in_order))


NUMBER = "#number"
CLAUSES = ("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "QUALIFY", "ORDER", "LIMIT", "OFFSET")
INSIDE = ("DISTINCT", "WITHIN")  # IS DISTINCT FROM, WITHIN GROUP: before words that begin a clause elsewhere
VALUES = ("END", "NULL", "TRUE", "FALSE")  # words that end an expression, and are not aliases
OPERATORS = ("AND", "OR", "NOT", "DIV", "IN", "IS", "BETWEEN", "LIKE", "CASE", "WHEN", "THEN", "ELSE", "DISTINCT",
             "FROM")  # fmt: skip
AGGREGATES = {"every": "bool_and", "some": "bool_or", "any": "bool_or"}  # by their names in a text
AGGREGATES |= {name: name for name in ("count", "sum", "min", "max", "avg", "first", "last", "bit_or", "bit_xor")}
AGGREGATES |= {name: name for name in ("max_by", "min_by", "approx_count_distinct")}
AGGREGATES |= {name: name for name in ("bit_and", "bool_and", "bool_or", "var_pop", "var_samp", "stddev_pop")}
AGGREGATES |= {"median": "median", "variance": "var_samp"} | dict.fromkeys(
    ("stddev_samp", "stddev", "std"), "stddev_samp"
)
Named = dict[str, list["Select"]]  # the queries that WITH names


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
    words = [token.keyword for _, token in at_top(tokens)]
    return words.count("BETWEEN") > words.count("AND")


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
        name = name_of(part[:1], "the name of a field")
        if name in fields:
            raise ValueError(f"two fields named {name}")
        fields[name] = written(part[1:]).lower()
    name, time, unit = name_of(tokens[3:4], "the name of a stream"), "Time" if "Time" in fields else None, None
    if after:
        if [t.keyword for t in after[::2]] not in (["TIME"], ["TIME", "IN"]) or len(after) % 2:
            raise ValueError(f"line {after[0].line}: expected TIME field IN unit, found '{written(after)}'")
        time, *units = (name_of([token], "a name") for token in after[1::2])
        unit = units[0].lower() if units else None
    return Stream(name, fields, time, unit)


def query(tokens: list[Token]) -> tuple[list[Select], str | None]:
    first = []
    if [token.keyword for token in tokens[:2]] == ["INSERT", "INTO"]:
        first, tokens = [tokens[2:3]], tokens[3:]
    body, *into = split(tokens, "INTO")
    if len(into := first + into) > 1:
        raise ValueError("a query has only one INTO")
    body, *emit = split(body, "EMIT")
    named, body = _with(body)
    arms = _body(body, named)
    final = ["FINAL"] if any(isinstance(arm.window, Window) for arm in arms) else ["FINAL", "CHANGES"]
    if any([token.keyword for token in words] not in [[word] for word in final] for words in emit):
        raise ValueError(f"EMIT '{written(emit[0])}' of a window, whose rows are final")
    return arms, name_of(into[0], "a name after INTO") if into else None


def _with(tokens: list[Token]) -> tuple[Named, list[Token]]:
    """The queries that WITH names, each of which can read those before it, and the tokens that follow."""
    named: Named = {}
    while tokens and tokens[0].keyword == ("," if named else "WITH"):
        name = name_of(tokens[1:2], "a name after WITH")
        if [token.keyword for token in tokens[2:4]] != ["AS", "("]:
            raise ValueError(f"line {tokens[0].line}: expected WITH Name AS (SELECT …)")
        end = next((k for k, _ in at_top(tokens) if k > 3), len(tokens))
        named = named | {name: _body(tokens[4 : end - 1], named)}
        tokens = tokens[end:]
    return named, tokens


def _body(tokens: list[Token], named: Named) -> list[Select]:
    arms = split(tokens, "UNION")
    if any(not arm or arm[0].keyword != "ALL" for arm in arms[1:]):
        raise ValueError("UNION without ALL is not in the dialect")
    selects = [_select(arm[k > 0 :], named) for k, arm in enumerate(arms)]
    if len(selects) > 1 and any(select.sorted for select in selects):
        raise ValueError("ORDER BY or LIMIT of a UNION")
    return selects


def _select(tokens: list[Token], named: Named) -> Select:
    inside = {k + 1 for k, token in enumerate(tokens) if token.keyword in INSIDE}
    heads = [(k, token) for k, token in at_top(tokens) if token.keyword in CLAUSES and k not in inside]
    order = [CLAUSES.index(token.keyword) for _, token in heads]
    if order[:2] != [0, 1] or heads[0][0] != 0 or order != sorted(set(order)):
        expected = "SELECT … FROM … WHERE … GROUP BY … HAVING … QUALIFY … ORDER BY … LIMIT … OFFSET"
        raise ValueError(f"expected {expected} in this order, found '{written(tokens)}'")
    ends = [k for k, _ in heads[1:]] + [len(tokens)]
    clause = {token.keyword: tokens[k + 1 : end] for (k, token), end in zip(heads, ends, strict=True)}
    if empty := [name for name, given in clause.items() if not given]:
        raise ValueError(f"nothing after {empty[0]}")
    unique = clause["SELECT"][0].keyword == "DISTINCT"
    clause["SELECT"] = clause["SELECT"][unique:]
    first, *joined = split(clause["FROM"], "JOIN")
    other, *on = split(joined[0], "ON") if joined else ([], [])
    if len(joined) > 1 or len(on) != 1:
        raise ValueError(f"expected FROM … JOIN … ON … with two sides, found '{written(clause['FROM'])}'")
    side = _side(first, named)
    if not joined:
        clause = {word: _without_side(given, side) for word, given in clause.items()}
    group, order = clause.get("GROUP", []), clause.get("ORDER", [])
    if any(words and words[0].keyword != "BY" for words in (group, order)):
        raise ValueError("GROUP or ORDER without BY")
    return _numbered(
        Select(
            [_item(item, place) for place, item in enumerate(split(clause["SELECT"], ","), 1)],
            side,
            _side(other, named) if joined else None,
            on[0],
            clause.get("WHERE", []),
            split(group[1:], ",") if group else [],
            clause.get("HAVING", []),
            unique,
            [_order(tokens) for tokens in split(order[1:], ",")] if order else [],
            _count(clause["LIMIT"]) if "LIMIT" in clause else None,
            _count(clause["OFFSET"]) if "OFFSET" in clause else 0,
            clause.get("QUALIFY", []),
        )
    )


def _numbered(select: Select) -> Select:
    """The SELECT with the column NUMBER in place of ROW_NUMBER() OVER (…), or with its window in brackets."""
    parts = [item.expression or [] for item in select.items] + [select.qualify]
    found = [_without_over(tokens) for tokens in parts]
    overs = [over for _, several in found for over in several]
    if not overs:
        if select.qualify:
            raise ValueError("QUALIFY without ROW_NUMBER()")
        return _in_group_by(select)
    if any(over != overs[0] for over in overs):
        raise ValueError("two different ROW_NUMBER() in a SELECT")
    *columns, qualify = [tokens for tokens, _ in found]
    items = [
        replace(item, expression=item.expression and tokens) for item, tokens in zip(select.items, columns, strict=True)
    ]
    return replace(select, items=items, qualify=qualify, over=_over(overs[0]))


def _without_over(tokens: list[Token]) -> tuple[list[Token], list[list[Token]]]:
    """The tokens with NUMBER for each ROW_NUMBER() OVER (…), and what these parentheses contain."""
    words, found, overs, k = [token.keyword for token in tokens], [], [], 0
    while k < len(tokens):
        if words[k : k + 5] == ["ROW_NUMBER", "(", ")", "OVER", "("]:
            end = next((n for n, _ in at_top(tokens[k + 4 :]) if n > 0), len(tokens[k + 4 :])) + k + 4
            overs.append([replace(token, line=0) for token in tokens[k + 5 : end - 1]])
            found.append(Token("name", NUMBER, tokens[k].line))
            k = end
        else:
            found.append(tokens[k])
            k += 1
    return found, overs


def _over(tokens: list[Token]) -> Over:
    """[PARTITION BY a, b] [ORDER BY c DESC, d]."""
    before, *after = split(tokens, "ORDER")
    words = [[token.keyword for token in part[:2]] for part in (before, *after)]
    if len(after) > 1 or (before and words[0] != ["PARTITION", "BY"]) or any(word[:1] != ["BY"] for word in words[1:]):
        raise ValueError(f"expected PARTITION BY … ORDER BY … after OVER, found '{written(tokens)}'")
    order = [_order(one) for one in split(after[0][1:], ",")] if after else []
    return Over(split(before[2:], ",") if before else [], order)


def _order(tokens: list[Token]) -> Order:
    words = [token.keyword for token in tokens]
    last = None
    if words[-2:-1] == ["NULLS"] and words[-1] in ("FIRST", "LAST"):
        last, tokens, words = words[-1] == "LAST", tokens[:-2], words[:-2]
    descending = words[-1:] == ["DESC"]
    if words[-1:] in (["ASC"], ["DESC"]):
        tokens = tokens[:-1]
    if not tokens:
        raise ValueError("ORDER BY without an expression")
    return Order(tokens, descending, descending if last is None else last)


def _count(tokens: list[Token]) -> int:
    if len(tokens) != 1 or tokens[0].kind != "number" or not tokens[0].text.isdigit():
        raise ValueError(f"expected a number of rows, found '{written(tokens)}'")
    return int(tokens[0].text)


def _without_side(tokens: list[Token], side: Side) -> list[Token]:
    """The columns of the only side, such as t.Price, by their own names."""
    name = side.alias or (side.source if isinstance(side.source, str) else "")
    prefix = f"{name.lower()}."
    return [
        replace(token, text=token.text[len(prefix) :])
        if token.kind == "name" and token.text.lower().startswith(prefix)
        else token
        for token in tokens
    ]


def _in_group_by(select: Select) -> Select:
    """The SELECT with a window that GROUP BY has as a function over its tuples."""
    calls = [key for key in select.group if window_words.is_function(key)]
    if not calls or select.other or select.window:
        return select
    items = [replace(i, expression=i.expression and window_words.bounds(i.expression)) for i in select.items]
    side = replace(select.side, window=window_words.of_group(calls[0]))
    group = [key for key in select.group if key is not calls[0]]
    order = [replace(order, expression=window_words.bounds(order.expression)) for order in select.order]
    having = window_words.bounds(select.having)
    return replace(select, items=items, side=side, group=group, having=having, order=order)


def _item(tokens: list[Token], place: int) -> Item:
    """place: in SELECT, from 1."""
    if [t.keyword for t in tokens] == ["*"]:
        return Item("*", None)
    tokens, alias = _alias(tokens)
    return Item(alias or _default(tokens, place), tokens)


def _alias(tokens: list[Token]) -> tuple[list[Token], str | None]:
    """The tokens without a name after AS, or without one that follows a value; and that name."""
    if len(tokens) > 2 and tokens[-2].keyword == "AS":
        return tokens[:-2], name_of(tokens[-1:], "a name after AS")
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
        distinct = tokens[2].keyword == "DISTINCT"
        if len(words) == 4 + distinct and tokens[-2].kind == "name":
            return f"{AGGREGATES[words[0].lower()]}_{'distinct_' * distinct}{words[-2].rpartition('.')[2]}"
    return f"column{place}"


def _side(tokens: list[Token], named: Named) -> Side:
    tokens, *clause = split(tokens, "WINDOW")
    tokens, alias = _alias(tokens)
    top = [k for k, token in at_top(tokens) if token.keyword == "["]
    of, window = (tokens[: top[0]], bracketed(tokens[top[0] :])) if top else (tokens, None)
    if clause:
        window = window_words.of_clause(clause[0])
    elif window_words.is_table(of):
        of, window = window_words.of_table(of)
    if of and of[0].keyword == "(" and of[-1].keyword == ")":
        return Side(_body(of[1:-1], named), window, alias)
    name = name_of(of, "a stream after FROM")
    alike = [one for one in named if one.lower() == name.lower() and not isinstance(name, Quoted)]
    known = name if name in named or not alike else alike[0]
    return Side(named[known], window, alias or known) if known in named else Side(name, window, alias)
