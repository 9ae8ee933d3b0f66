"""The tree of a random query, and its SQL text.

A relation is a `Source`, `Select` or `Union`; it contains `Expr` and `Window`. Where SQL has several forms of one
meaning, such as a name with or without AS, the text has one chosen by a number in it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from wirestream.schema.streams import Stream
from wirestream.schema.units import NANOSECONDS, plural

INTEGERS = {"int": (-(2**31), 2**31 - 1), "uint": (0, 2**32 - 1), "long": (-(2**63), 2**63 - 1), "flags": (0, 255)}
TIMES = {"timestamp(s)": 10**0, "timestamp(ms)": 10**3, "date": 0}  # the ticks of a second
COMMENTS = ("/* it's; FROM 'x' -- */", "/***/", "-- ; 'x $k\n")
KEYWORDS = ("group",)  # names of columns that need quotes
COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
COMPARE |= {"<>": operator.ne, "=": operator.eq}
APPLY = {"or": operator.or_, "and": operator.and_, **COMPARE}
APPLY |= {"+": operator.add, "-": operator.sub, "*": operator.mul}
CALLS = ("coalesce", "nullif", "abs", "sign", "least", "greatest")  # of numbers
WORDED = ("is null", "distinct", "in", "between")  # conditions
ALONE = (*COMPARE, *WORDED, "like", "not like")
TIGHTER = (("or",), ("and",), ("not",), ALONE, ("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "div", "%"),
           ("neg", "~"))  # fmt: skip
LEVELS = {op: level for level, ops in enumerate(TIGHTER, 1) for op in ops}
TEXTS = ("upper", "lower", "trim", "left", "right", "substring", "concat")  # of a string, and of others
BITS = ("&", "|", "^", "<<", ">>")
MEASURES = ("count", "sum", "min", "max", "avg", "bit_or", "bit_xor", "bit_and", "bool_and", "bool_or", "var_pop",
            "var_samp", "max_by", "min_by", "first", "last", "wsum")  # fmt: skip
DISTINCT = ("count distinct", "sum distinct", "avg distinct")  # of values without digits after the point
ESTIMATE = "approx_count_distinct"
APPROXIMATE = (ESTIMATE, "approx_percentile")
PERCENTILES = ("percentile_cont", "percentile_disc", "percentile", "median")


@dataclass(frozen=True)
class Expr:
    """`op` of `args`: literal, column, constant (name, value), an operator, a measure, `if` (a condition, the value
    where it is true, the value elsewhere; without that, null), one of `CALLS`, `WORDED` and `DISTINCT`, `filter` (a
    measure, and the condition of the tuples that it takes), `thousandths` (of a variance, as an integer), `key` (an
    expression of GROUP BY), `cast` (a number, and its new type) or `shift` (a time, and the milliseconds that it is
    moved by); or one of PERCENTILES, with its share and whether the greatest value comes first; or one of APPROXIMATE,
    with its share and accuracy, or its deviation.

    kind: number, text, truth, or one of `TIMES`, whose values are its ticks since 1970. scale: of a number, which is an
    integer divided by 10**scale. type, data: the least and greatest such integer of the type, and of the stream's data;
    for text, its length.
    """

    op: str
    args: tuple = ()
    kind: str = "truth"
    type: tuple[int, int] = (0, 0)
    data: tuple[int, int] = (0, 0)
    null: bool = False
    scale: int = 0

    def measures(self) -> Iterator[Expr]:
        if self.op in (*MEASURES, *DISTINCT, *PERCENTILES, *APPROXIMATE, "filter"):
            yield self
        elif self.op != "key":
            for arg in self.args:
                if isinstance(arg, Expr):
                    yield from arg.measures()


@dataclass(frozen=True)
class Window:
    """unit: time or tuples. attribute: of time windows. start: None derives it from the data."""

    unit: str
    size: int
    advance: int
    attribute: str = ""
    slack: int = 0
    start: int | None = None
    max_ahead: int = 0
    resync: int = 16
    emit_empty: bool = False


@dataclass(frozen=True)
class Source:
    stream: Stream

    @property
    def scope(self) -> list[Expr]:
        """The columns that a query over it can read."""
        columns = []
        for f in self.stream.schema.fields:
            kind, scale = {"string": "text", "bool": "truth"}.get(f.kind, f.type if f.type in TIMES else "number"), 0
            reach = data = (0, *f.arguments) if kind == "text" else INTEGERS.get(f.type, of_bits(f.bits))
            if f.kind == "decimal":
                digits, scale = f.arguments
                data = 1 - 10**digits, 10**digits - 1
            columns.append(Expr("column", (f.name,), kind, reach, data, f.nullable, scale))
        return columns


@dataclass(frozen=True)
class Order:
    """An expression of ORDER BY."""

    key: Expr
    descending: bool
    nulls_last: bool


@dataclass(frozen=True)
class Limit:
    """count: None for all."""

    count: int | None
    offset: int


@dataclass(frozen=True)
class Select:
    """items: names and their expressions; empty is `*`. keys: of GROUP BY, which is written as `group`. order, limit:
    of the groups of each window, or without measures of its tuples."""

    source: Relation
    items: tuple[tuple[str, Expr], ...]
    where: Expr | None = None
    window: Window | None = None
    keys: tuple[Expr, ...] = ()
    group: tuple[str, ...] = ()
    having: Expr | None = None
    order: tuple[Order, ...] = ()
    limit: Limit | None = None

    @property
    def of_tuples(self) -> bool:
        """Whether its rows are the tuples of a window."""
        values = [value for _, value in self.items]
        return bool(self.limit) and not self.keys and not any(True for value in values for _ in value.measures())

    @property
    def scope(self) -> list[Expr]:
        shown = [replace(value, op="column", args=(name,)) for name, value in self.items]
        return shown or self.source.scope


@dataclass(frozen=True)
class Union:
    parts: tuple[Select, Select]

    @property
    def scope(self) -> list[Expr]:
        pairs = zip(*(part.scope for part in self.parts), strict=True)
        return [
            replace(a, type=hull(a.type + b.type), data=hull(a.data + b.data), null=a.null or b.null) for a, b in pairs
        ]


Relation = Source | Select | Union
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def of_bits(width: int) -> tuple[int, int]:
    """The numbers of a field with a sign."""
    return -(2 ** (width - 1)), 2 ** (width - 1) - 1


def hull(values: tuple[int, ...] | list[int]) -> tuple[int, int]:
    return min(values), max(values)


# ---- In SQL


def statement(relation: Relation, name: str, generator: Random) -> str:
    """A query whose result has the name: with its sub-queries in place or named by WITH, and sometimes a comment."""
    named: list[str] | None = [] if generator.random() < 0.4 else None
    body = sql(relation, named)
    body = f"WITH {', '.join(named)} {body}" if named else body
    written = f"INSERT INTO {name} {body}" if generator.random() < 0.3 else f"{body} INTO {name}"
    if generator.random() < 0.3:
        place = generator.choice([at.start() for at in re.finditer(" FROM ", written)])
        written = f"{written[:place]} {generator.choice(COMMENTS)} {written[place:]}"
    return written


def sql(relation: Relation, named: list[str] | None = None) -> str:
    """named: gets the sub-queries, each with a name that stands for it; None: they stay in place."""
    match relation:
        case Source(stream):
            return stream.schema.name
        case Union(parts):
            return " UNION ALL ".join(sql(part, named) for part in parts)
        case Select(source, items, where, window, _, group, having, order, limit):
            below = sql(source, named)
            if named is not None and not isinstance(source, Source):
                named.append(f"w{len(named)} AS ({below})")
                below = f"w{len(named) - 1}"
            elif not isinstance(source, Source):
                below = f"({below})"
            words = [f"SELECT {', '.join(_item(*item) for item in items) or '*'} FROM {below}"]
            words += [f"[{_window_text(window, source_of(source).stream)}]"] if window else []
            words += [f"WHERE {text(where)}"] if where else []
            words += [f"GROUP BY {', '.join(group)}"] if group else []
            words += [f"HAVING {text(having)}"] if having else []
            words += [f"ORDER BY {', '.join(map(_order, order))}"] if order else []
            words += [f"LIMIT {limit.count}"] if limit and limit.count is not None else []
            words += [f"OFFSET {limit.offset}"] if limit and limit.offset else []
            return " ".join(words)


def _order(order: Order) -> str:
    written = text(order.key)
    direction = " DESC" if order.descending else " ASC" * (len(written) % 2)
    usual = order.nulls_last == order.descending
    return written + direction + (f" NULLS {'LAST' if order.nulls_last else 'FIRST'}" if not usual else "")


def _item(name: str, value: Expr) -> str:
    """A column with its name, with or without AS."""
    written = text(value)
    if written == quoted(name):
        return written
    return f"{written}{' AS' * (len(written) % 3 > 0)} {quoted(name)}"


def quoted(name: str) -> str:
    """A name, in backquotes if it needs them, and if its last digit is 3 or 8."""
    return f"`{name}`" if name.lower() in KEYWORDS or name[-1] in "38" else name


def source_of(relation: Relation) -> Source:
    """The stream that is read; in a union that of its first part."""
    if isinstance(relation, Source):
        return relation
    return source_of(relation.parts[0] if isinstance(relation, Union) else relation.source)


def _window_text(w: Window, stream: Stream) -> str:
    if w.unit == "tuples":
        return f"SIZE {w.size} ADVANCE {w.advance} TUPLES"
    unit = stream.unit_of(stream.time)
    words = [f"RANGE {_span(w.size, unit)} SLIDE {_span(w.advance, unit)} WATTR {w.attribute}"]
    words += [f"SLACK {_span(w.slack, unit)}"] if w.slack else []
    words += [f"START {_span(w.start, unit)}"] if w.start is not None else []
    words += [f"MAX_AHEAD {_span(w.max_ahead, unit)} RESYNC {w.resync}"] if w.max_ahead else []
    return " ".join(words + ["EMIT_EMPTY"] * w.emit_empty)


def _span(number: int, unit: str) -> str:
    """A time in one of its forms, chosen by its value."""
    forms = f"{number}", f"{number} {plural(unit)}", f"INTERVAL '{number}' {unit}", f"{number * NANOSECONDS[unit]} ns"
    return forms[number % len(forms)]


def text(expr: Expr, level: int = 0) -> str:
    """An expression, in parentheses if it binds less than `level`."""
    own = LEVELS.get(expr.op, len(TIGHTER) + 1)
    match expr.op, expr.args:
        case "literal", (value,):
            written = _literal(expr, value)
        case "column", (name,):
            written = quoted(name)
        case "key", (a,):
            return text(a, level)
        case "cast", (a, kind):
            written = f"CAST({text(a)} AS {kind})"
        case "shift", (a, milliseconds):
            sign, own = ("-", "+")[milliseconds > 0], LEVELS["+"]
            written = f"{text(a, own)} {sign} INTERVAL '{abs(milliseconds)}' MILLISECOND"
        case "constant", (name, _):
            written = f"${name}"
        case "not", (Expr(op="is null" | "distinct" | "in" | "between") as a,) if len(text(a)) % 2:
            own = LEVELS[a.op]
            written = _worded(a.op, text(a.args[0], own + 1), [text(b, own + 1) for b in a.args[1:]], "NOT ")
        case "not", (a,):
            written = f"NOT {text(a, own)}"
        case "neg", (a,):
            written = f"-{text(a, own + 1)}"
        case "~", (a,):
            written = f"~{text(a, own)}"
        case "if", (condition, *values):
            written = _choice(condition, *values)
        case "filter", (measure, condition):
            written = f"{text(measure)} FILTER (WHERE {text(condition)})"
        case "thousandths", (a,):
            written = f"CAST({text(a)} * 1000 AS bigint)"
        case op, args if op in (*CALLS, *TEXTS, "char_length"):
            written = f"{op}({', '.join(map(text, args))})"
        case op, (a, *others) if op in WORDED:
            written = _worded(op, text(a, own + 1), [text(other, own + 1) for other in others])
        case op, (a, b) if op in LEVELS:
            written = f"{text(a, own + (LEVELS[op] == LEVELS['=']))} {op.upper()} {text(b, own + 1)}"
        case op, (a,) if op in DISTINCT:
            written = f"{op.split()[0]}(DISTINCT {text(a)})"
        case op, (a, deviation) if op == ESTIMATE:
            written = f"{op}({text(a)}, {deviation})"
        case "median", (a, *_):
            written = f"median({text(a)})"
        case "percentile", (a, share, _):
            written = f"percentile({text(a)}, {share})"
        case "approx_percentile", (a, share, accuracy):
            written = f"approx_percentile({text(a)}, {share}, {accuracy})"
        case op, (a, share, descending) if op in PERCENTILES:
            written = f"{op}({share}) WITHIN GROUP (ORDER BY {text(a)}{' DESC' * descending})"
        case "wsum", (a, weights):
            written = f"wsum({text(a)}, [{', '.join(weights)}])"
        case op, args:
            written = f"{op}({', '.join(map(text, args)) or '*'})"
    return f"({written})" if own < level else written


def _literal(expr: Expr, value: int | str | bool) -> str:
    """A string, number or truth value, or a time in ISO 8601."""
    if expr.kind == "date":
        return f"DATE '{EPOCH.date() + timedelta(days=value)}'"
    if expr.kind in TIMES:
        time = EPOCH + timedelta(seconds=value // TIMES[expr.kind], milliseconds=value % TIMES[expr.kind])
        return f"TIMESTAMP '{time.isoformat(sep=' ', timespec='milliseconds').removesuffix('+00:00')}'"
    if expr.scale:
        return f"{Decimal(value).scaleb(-expr.scale):f}"
    return f"'{value}'" if isinstance(value, str) else str(value).upper()


def _worded(op: str, a: str, others: list[str], negated: str = "") -> str:
    match op:
        case "is null":
            return f"{a} IS {negated}NULL"
        case "distinct":
            return f"{a} IS {negated}DISTINCT FROM {others[0]}"
        case "in":
            return f"{a} {negated}IN ({', '.join(others)})"
    return f"{a} {negated}BETWEEN {' AND '.join(others)}"


def _choice(condition: Expr, value: Expr, *others: Expr) -> str:
    """CASE of a value without a choice where the condition is an equality, IF of other comparisons, else CASE of
    conditions."""
    if condition.op == "=" and not re.search(r"CASE |IF\(", text(condition.args[0])):
        a, b = condition.args
        begin = f"{text(a)} WHEN {text(b)}"
    elif condition.op in COMPARE and others:
        return f"IF({text(condition)}, {text(value)}, {text(*others)})"
    else:
        begin = f"WHEN {text(condition)}"
    return " ".join([f"CASE {begin} THEN {text(value)}", *(f"ELSE {text(other)}" for other in others), "END"])


def whole(weights: tuple[str, ...]) -> list[int]:
    """Weights times the least power of two that makes them integers."""
    scale = next(2**n for n in range(25) if all(Decimal(w) * 2**n % 1 == 0 for w in weights))
    return [int(Decimal(w) * scale) for w in weights]
