"""The logical plan: the streaming algebra of the dissertation's Table 7.1, with types.

======================== ====================== ==================================================
node                     in the dissertation    what it does
======================== ====================== ==================================================
`Input`                  a stream's name        the stream's tuples
`Compute`                ⊛ a:(b1,b2)            adds the column a = b1 ★ b2
`Filter`                 σ a                    keeps tuples whose column a is true
`Project`                π a1,…,an              keeps and renames columns
`Union`                  ∪                      the tuples of several inputs
`Join`                   ⋈                      the pairs of two inputs that pass a predicate
`Aggregate`              ⊞ with grp and agg     aggregates over the groups of each window
`Stacked`                (ours)                 the rows of several aggregates for each window
`Windowed`               ⊞                      the tuples of each window
`Sort`                   (ours)                 the first rows of each window in an order
`ranked.Ranked`          (ours)                 the rows of each window in order, with the ranks of their values
`Numbered`               (ours)                 the first rows of each partition of each window, with their numbers
======================== ====================== ==================================================

A column that may be null, or may have overflowed, has a companion that flags it. A companion is a Boolean column like
any other, so that later passes need no special treatment of nulls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal as Number
from operator import add, and_, eq, ge, gt, le, lshift, lt, mul, ne, or_, rshift, sub, xor

import numpy as np

from wirestream.compiler.aggregates import FUNCTIONS, Kind, Share
from wirestream.compiler.predicates import PREDICATES
from wirestream.compiler.syntax import JoinWindow, Window
from wirestream.compiler.types import BOOLEAN, Boolean, Date, Decimal, Integer, Text, Timestamp, Type, Uint64, of_field
from wirestream.schema.fields import ENCODING
from wirestream.schema.streams import Stream

ORDER = ".order"  # of the rows of a window that may leave as several sorted runs
FLIPPED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}  # a < b is b > a
APPLY = {"+": add, "-": sub, "*": mul, "=": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
APPLY |= {"&": and_, "|": or_, "^": xor, "<<": lshift, ">>": rshift}


# ---- Values: operands of an operator


@dataclass(frozen=True)
class Constant:
    """A value known to the compiler; text as bytes. None is null, of which the bits are 0."""

    value: int | bytes | bool | None
    type: Type

    def __str__(self) -> str:
        if self.value is None:
            return "null"
        match self.type:
            case Decimal(scale=scale):
                return str(Number(self.value).scaleb(-scale))
            case Timestamp(unit=unit):
                return f"'{np.datetime64(self.value, unit)}'"
            case Date():
                return f"'{np.datetime64(self.value, 'D')}'"
        return f"'{self.value.rstrip(bytes(1)).decode(ENCODING)}'" if isinstance(self.value, bytes) else str(self.value)


@dataclass(frozen=True)
class Runtime:
    """A constant that is a register of the circuit."""

    name: str
    type: Type

    def __str__(self) -> str:
        return f"${self.name}"


@dataclass(frozen=True)
class Column:
    """A column. null, overflow: the names of its companions, if it has any."""

    name: str
    type: Type
    null: str | None = None
    overflow: str | None = None

    def __str__(self) -> str:
        return self.name


Value = Constant | Runtime | Column


def widest(values: Iterable[Value]) -> Type:
    """The smallest type that holds the values of all, which are of one kind, and if decimals of one scale."""
    kinds = [value.type for value in values]
    match kinds[0]:
        case Text():
            return Text(max(kind.length for kind in kinds))
        case Boolean():
            return BOOLEAN
    return hull(kinds)


def hull(kinds: list[Integer]) -> Integer:
    """The smallest type with the values of all."""
    first, low, high = kinds[0], min(kind.low for kind in kinds), max(kind.high for kind in kinds)
    if isinstance(first, Decimal):
        digits = max(kind.precision for kind in kinds)
        return replace(first, low=low, high=high, precision=digits)
    if len(set(kinds)) == 1 or not isinstance(first, Uint64):
        return replace(first, low=low, high=high)
    return Integer(low, high)


def padded(value: Value, length: int) -> Value:
    """A constant string as long as that; other values as they are."""
    if isinstance(value, Constant) and value.value is not None:
        return Constant(value.value.ljust(length, b"\0"), Text(length))
    return value


def flag_of(value: Value, which: str) -> Value | None:
    """A value's companion, if it has one; null itself is null. which: `null` or `overflow`."""
    if which == "null" and is_null(value):
        return Constant(True, BOOLEAN)
    name = getattr(value, which, None)
    return name and Column(name, BOOLEAN)


def is_null(value: Value) -> bool:
    """Whether it is the constant NULL."""
    return isinstance(value, Constant) and value.value is None


def not_null(value: Value) -> Value:
    """A value without its null companion; a condition that is null is false."""
    if is_null(value) and value.type == BOOLEAN:
        return Constant(False, BOOLEAN)
    return replace(value, null=None) if isinstance(value, Column) else value


def plain(value: Value) -> Value:
    """A value without its companions."""
    return replace(value, null=None, overflow=None) if isinstance(value, Column) else value


def common(values: Iterable[Value]) -> Integer:
    """The narrowest type that holds all values."""
    return hull([value.type for value in values])


# ---- The plan's nodes


@dataclass(frozen=True)
class Plan:
    @property
    def inputs(self) -> tuple[Plan, ...]:
        child = getattr(self, "child", None)
        return (child,) if child else ()

    @property
    def columns(self) -> dict[str, Column]:
        return self.child.columns


@dataclass(frozen=True)
class Input(Plan):
    stream: Stream

    @property
    def columns(self) -> dict[str, Column]:
        """The fields; a nullable one has both companions, whose values are its flags in the record."""
        columns = {}
        for f in self.stream.schema.fields:
            null, overflow = (f"{f.name}.{flag}" if f.nullable else None for flag in ("null", "overflow"))
            columns[f.name] = Column(f.name, of_field(f.type), null, overflow)
            columns |= {name: Column(name, BOOLEAN) for name in (null, overflow) if name}
        return columns

    def __str__(self) -> str:
        return self.stream.schema.name


@dataclass(frozen=True)
class Compute(Plan):
    """output = operator of the operands. operator: ``+ - * div % = <> < <= > >= and or not beyond cast if``, or one of
    ``& | ^ ~ << >> like root lookup``; `not`, `beyond`, `cast`, `root`, `~` have one operand, `if` has a condition, the
    value where it is true, and the value elsewhere.

    `div` and `%` also compute the column `null`, which flags division by zero. `beyond`: whether it exceeds a `long`.
    `cast`: the same value with the output's type, or its lower bits. `like`: whether a string matches the constant
    pattern. `root`: the integer part of a square root. `lookup`: the word with this number of a constant table, whose
    words are as wide as the output, the first in the lowest bits.

    Of a string: `part` is some bytes, by how many come before and how many they are; `length` the number of bytes after
    the first so many, `spaces` of leading spaces, `find` the place of a constant, by default its first one; `cut` is
    without so many bytes at the end, `until` ends before a constant byte, and `bytes left` and `bytes right` shift;
    `crc32` is the CRC-32 of its bytes, `extract` what a group of a constant pattern matches, by the group's number.
    """

    child: Plan
    output: Column
    operator: str
    operands: tuple[Value, ...]
    makes_null: bool = False

    @property
    def columns(self) -> dict[str, Column]:
        made = {self.output.name: self.output}
        if self.makes_null:
            made[self.output.null] = Column(self.output.null, BOOLEAN)
        return self.child.columns | made

    def __str__(self) -> str:
        return label(self.output)


@dataclass(frozen=True)
class Filter(Plan):
    child: Plan
    condition: Column

    def __str__(self) -> str:
        return f"σ {label(self.condition)}"


@dataclass(frozen=True)
class Project(Plan):
    """outputs: the new columns, each with its value."""

    child: Plan
    outputs: tuple[tuple[Column, Value], ...]

    @property
    def columns(self) -> dict[str, Column]:
        return {column.name: column for column, _ in self.outputs}

    def __str__(self) -> str:
        kept = [(c, v) for c, v in self.outputs if not hidden(c.name)]
        sides = {c.name.removesuffix(f".{v}") for c, v in kept}
        if len(sides) == 1 and all(c.name.endswith(f".{v}") for c, v in kept):
            return f"AS {sides.pop()}"
        return "π " + ", ".join(c.name if str(v) == c.name else f"{label(v)} AS {c}" for c, v in kept)


@dataclass(frozen=True)
class Union(Plan):
    parts: tuple[Plan, ...]

    @property
    def inputs(self) -> tuple[Plan, ...]:
        return self.parts

    @property
    def columns(self) -> dict[str, Column]:
        """Each as wide as in the widest part, with a companion if any part has one."""
        columns: dict[str, Column] = {}
        for column in shown(self.parts[0]):
            of_parts = [part.columns[column.name] for part in self.parts]
            kind = column.type
            if isinstance(kind, Integer):
                kind = hull([c.type for c in of_parts])
            null = f"{column}.null" if any(c.null for c in of_parts) else None
            overflow = f"{column}.overflow" if any(c.overflow for c in of_parts) else None
            columns[column.name] = Column(column.name, kind, null, overflow)
            columns |= {n: Column(n, BOOLEAN) for n in (null, overflow) if n}
        return columns

    def __str__(self) -> str:
        return "∪"


@dataclass(frozen=True)
class Key:
    """The columns that a JOIN compares. bits: the number of bits that the function of predicate `of` has; None: all."""

    left: Column
    right: Column
    bits: int | Value | None = None
    of: str = ""

    def __str__(self) -> str:
        if self.bits is not None:
            function = PREDICATES[self.of].function
            return f"{function}({self.left}, {self.bits}) = {function}({self.right}, {self.bits})"
        return f"{self.left} = {self.right}"


@dataclass(frozen=True)
class Join(Plan):
    """Pairs that satisfy a predicate, and whose earlier tuple is in its window when the later one arrives.

    predicate, limit: of ws_predicate; L1 has two keys, EQ any number, others one. times: the windowing attributes
    of both sides, with windows in time. Names of columns are qualified: side, dot, column.
    """

    left: Plan
    right: Plan
    window: JoinWindow
    predicate: str
    keys: tuple[Key, ...]
    limit: Value | None = None
    times: tuple[Column, Column] | None = None

    @property
    def inputs(self) -> tuple[Plan, ...]:
        return self.left, self.right

    @property
    def columns(self) -> dict[str, Column]:
        return self.left.columns | self.right.columns

    def __str__(self) -> str:
        return f"⋈ {_join_window_text(self.window)} {_predicate_text(self)}"


@dataclass(frozen=True)
class Measure:
    """One aggregate. function: of `FUNCTIONS`, any but avg. value: None for a count of tuples.

    weights: of wsum, integers, newest first; the result is 2**scale times the weighted sum. distinct: of each value
    once, see `distinct`. register: of the value, see `approximate`. rank: of a percentile, the number of values of the
    window before this one in ascending order. share: of a percentile among values of which the number is not known, see
    `value_counts`. lacks: why no core computes it.
    """

    output: Column
    function: str
    value: Column | None = None
    weights: tuple[int, ...] = ()
    scale: int = 0
    distinct: bool = False
    register: Column | None = None
    rank: int | None = None
    share: Share | None = None
    lacks: str = ""

    @property
    def kind(self) -> Kind | None:
        """Of a core with several aggregates; None: it has a core of its own."""
        return FUNCTIONS[self.function].kind

    def __str__(self) -> str:
        return str(self.output).removeprefix(".")


@dataclass(frozen=True)
class Aggregate(Plan):
    """The measures of each window of `child` and each value of `keys`. end: the column for the end of a time window.

    short: the column for whether the table of keys had no entry for a tuple of the window. every: each value of the
    only key has an entry, whose number it is. of_rows: `child` has the rows of such a window, of which each is in that
    window alone; with `short` also what closes the window has this column.
    """

    child: Plan
    window: Window
    end: Column | None
    keys: tuple[Column, ...]
    measures: tuple[Measure, ...]
    short: Column | None = None
    every: bool = False
    of_rows: bool = False

    @property
    def columns(self) -> dict[str, Column]:
        columns = {c.name: c for c in (self.end, *self.keys, self.short) if c}
        for output in (m.output for m in self.measures):
            made = [n for n in (output.null, output.overflow) if n]
            columns |= {output.name: output, **{n: Column(n, BOOLEAN) for n in made}}
        return columns

    def __str__(self) -> str:
        keys = " by " + ", ".join(map(str, self.keys)) if self.keys else ""
        return f"⊞ {window_text(self.window)}{keys}: {', '.join(map(str, self.measures))}"


@dataclass(frozen=True)
class Stacked(Plan):
    """The rows that several plans have for each window, those of the first one, then those of the second, and so on. A
    column that a row lacks is 0. marks: the columns for which of the plans a row is of."""

    parts: tuple[Plan, ...]
    marks: tuple[Column, ...]

    @property
    def inputs(self) -> tuple[Plan, ...]:
        return self.parts

    @property
    def columns(self) -> dict[str, Column]:
        found = {mark.name: mark for mark in self.marks}
        for part in self.parts:
            for name, column in part.columns.items():
                assert found.setdefault(name, column).type == column.type, column
        return found

    def __str__(self) -> str:
        return f"rows of {len(self.parts)} in turn"


@dataclass(frozen=True)
class Windowed(Plan):
    """Each tuple of `child` once for each window that contains it. end: the column for the end of a time window, which
    is there when the window ends."""

    child: Plan
    window: Window
    end: Column | None

    @property
    def columns(self) -> dict[str, Column]:
        return self.child.columns | ({self.end.name: self.end} if self.end else {})

    def __str__(self) -> str:
        return f"⊞ {window_text(self.window)}"


# ---- Columns and nodes of a plan


def walk(plan: Plan) -> Iterator[Plan]:
    """The nodes of a plan, in postorder: inputs first."""
    left = [(plan, False)]
    while left:
        node, after = left.pop()
        if after or not node.inputs:
            yield node
        else:
            left += [(node, True), *((child, False) for child in reversed(node.inputs))]


def without_steps(plan: Plan) -> Plan:
    """The node before the trailing computations, selections and projections."""
    while isinstance(plan, Compute | Filter | Project):
        plan = plan.child
    return plan


def of_input(plan: Plan) -> bool:
    """Whether its tuples are those of the input, which keep the distances that the entry gives them."""
    return isinstance(without_steps(plan), Input)


def shown(plan: Plan) -> list[Column]:
    """The columns that the user sees: no companions."""
    return [column for column in plan.columns.values() if not hidden(column.name)]


def hidden(name: str) -> bool:
    """Whether a column is internal, for nulls or overflow, and not in the query."""
    return name.startswith(".") or name.endswith((".null", ".overflow"))


# ---- Text for the user


def label(value: Value) -> str:
    """A value as text: an expression without its outer parentheses."""
    text = str(value)
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def window_text(window: Window) -> str:
    if window.unit == "tuples":
        return f"[SIZE {window.size} ADVANCE {window.advance} TUPLES]"
    if window.session:
        return f"[SESSION GAP {window.size} WATTR {window.attribute} SLACK {window.slack}]"
    return f"[RANGE {window.size} SLIDE {window.advance} WATTR {window.attribute} SLACK {window.slack}]"


def _join_window_text(window: JoinWindow) -> str:
    if window.attribute is None:
        return f"[ROWS {window.rows}]"
    return f"[RANGE {window.near} WATTR {window.attribute} SLACK {window.slack} ROWS {window.rows}]"


def _predicate_text(join: Join) -> str:
    match join.predicate:
        case "BAND":
            return f"abs({join.keys[0].left} - {join.keys[0].right}) <= {join.limit}"
        case "L1":
            return " + ".join(f"abs({key.left} - {key.right})" for key in join.keys) + f" < {join.limit}"
        case predicate if PREDICATES[predicate].function:
            return str(replace(join.keys[0], bits=join.limit, of=predicate))
    return " AND ".join(map(str, join.keys))
