"""The syntax tree of queries; `parse` makes it of their text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal

from wirestream.errors import Position


class Quoted(str):
    """A name in backquotes, which means only what is spelled like it."""


@dataclass(frozen=True)
class Expression:
    position: Position


@dataclass(frozen=True)
class Literal(Expression):
    """An integer, a decimal, a string (bytes), a truth value, a length of time, or None for NULL."""

    value: int | Decimal | bytes | bool | Span | None


@dataclass(frozen=True)
class Name(Expression):
    """A column, or with `runtime` the constant $name, which can change while the circuit runs."""

    name: str
    runtime: bool = False


@dataclass(frozen=True)
class Operation(Expression):
    """operator: ``or and not = <> < <= > >= + - * div % if``; a unary minus is 0 - x; `if` has a condition, the value
    where it is true, and the value elsewhere, or without this one null. Or the name of a function in
    `scalars`, with its operands."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True)
class Call(Expression):
    """A call of an aggregate. ``count()`` and ``count(*)`` are the same. weights: of wsum, newest first. where: the
    condition of FILTER, which selects the tuples that it takes. unique: with DISTINCT, of each value once. ordered: it
    has WITHIN GROUP, whose expression is the first argument; descending: in this order."""

    function: str
    arguments: tuple[Expression, ...]
    weights: tuple[Decimal, ...] = ()
    where: Expression | None = None
    unique: bool = False
    ordered: bool = False
    descending: bool = False


@dataclass(frozen=True)
class RowNumber(Expression):
    """ROW_NUMBER() OVER (PARTITION BY partition ORDER BY keys). directions: of each key, as in `Order`."""

    partition: tuple[Expression, ...]
    keys: tuple[Expression, ...]
    directions: tuple[tuple[bool, bool], ...]

    @property
    def order(self) -> tuple[Order, ...]:
        return tuple(Order(key, *direction) for key, direction in zip(self.keys, self.directions, strict=True))


@dataclass(frozen=True)
class Cast(Expression):
    """CAST(operand AS kind). kind: the type of a field."""

    operand: Expression
    kind: str


@dataclass(frozen=True)
class Span:
    """A length of time as the text has it. unit: a key of `schema.units.NANOSECONDS`."""

    number: int
    unit: str


@dataclass(frozen=True)
class Window:
    """A sliding window. unit: ``time``, ``tuples`` or ``session``; a session's `size` is its GAP, and its `advance` is
    1, since it may begin anywhere. attribute: None for the stream's time attribute. Times are in units of the
    attribute; the parser leaves those that have a unit as `Span`, and the pass `units` computes them."""

    position: Position = field(compare=False)
    unit: str
    size: int | Span
    advance: int | Span
    attribute: str | None = None
    slack: int | Span = 0
    start: int | Span | None = None
    max_ahead: int | Span = 0
    resync: int = 16
    emit_empty: bool = False

    @property
    def in_time(self) -> bool:
        """Whether the watermark closes it."""
        return self.unit != "tuples"

    @property
    def session(self) -> bool:
        return self.unit == "session"


@dataclass(frozen=True)
class JoinWindow:
    """The window of a side of a JOIN: the last `rows` tuples; or with an attribute the tuples within `near` of a tuple
    of the other side, at most `slack` late, with memory for `rows` of them. Times are as in `Window`."""

    position: Position = field(compare=False)
    rows: int
    attribute: str | None = None
    near: int | Span = 0
    slack: int | Span = 0


@dataclass(frozen=True)
class Item:
    """One item of a SELECT list; expression None is ``*``."""

    position: Position
    expression: Expression | None
    alias: str | None = None


@dataclass(frozen=True)
class Source:
    """A stream's name or a sub-query (the SELECTs of its union), the window over it, and its name after AS."""

    position: Position
    stream: str | None
    subquery: tuple[Select, ...] | None
    window: Window | JoinWindow | None
    alias: str | None = None

    @property
    def first_stream(self) -> str:
        """The innermost stream; in a union that of its first SELECT."""
        return self.stream if self.subquery is None else self.subquery[0].source.first_stream


@dataclass(frozen=True)
class Order:
    """One expression of ORDER BY."""

    expression: Expression
    descending: bool
    nulls_last: bool


@dataclass(frozen=True)
class Limit:
    """LIMIT count OFFSET offset; count: None without LIMIT."""

    position: Position
    count: int | None
    offset: int


@dataclass(frozen=True)
class First:
    """The first `most` tuples of each partition of a window by `number`."""

    number: RowNumber
    most: int


@dataclass(frozen=True)
class Select:
    """other, on: the second side of a JOIN and its condition. unique: with DISTINCT. The pass `numbering` computes
    `first`, and leaves the other conditions in `qualify`."""

    position: Position
    items: tuple[Item, ...]
    source: Source
    other: Source | None
    on: Expression | None
    where: Expression | None
    group: tuple[Expression, ...]
    having: Expression | None
    unique: bool = False
    order: tuple[Order, ...] = ()
    limit: Limit | None = None
    qualify: Expression | None = None
    first: First | None = None

    @property
    def sorted(self) -> bool:
        """Whether it has ORDER BY, LIMIT or OFFSET."""
        return bool(self.order or self.limit)

    @property
    def in_order(self) -> bool:
        """Whether its rows leave in an order that it, or the query below, states."""
        below = self.source.subquery or ()
        states = self.sorted or self.first is not None or (len(below) == 1 and below[0].in_order)
        return self.other is None and states

    @property
    def calls(self) -> list[Call]:
        """The outermost calls in it."""
        items = [item.expression for item in self.items if item.expression]
        return called([*items, self.having, *(order.expression for order in self.order)])

    @property
    def of_tuples(self) -> bool:
        """Whether its rows are the tuples of a window in order, not groups."""
        return self.sorted and not (self.calls or self.group or self.having)


@dataclass(frozen=True)
class Query:
    """A union of one or more SELECTs, and the name of its result."""

    body: tuple[Select, ...]
    into: str


def with_parts(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with each of its operands and arguments changed."""
    parts = {}
    for field_ in fields(expression):
        match getattr(expression, field_.name):
            case Expression() as part:
                parts[field_.name] = change(part)
            case tuple() as several:
                parts[field_.name] = tuple(change(p) if isinstance(p, Expression) else p for p in several)
    return replace(expression, **parts) if parts else expression


def rebuilt(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with each part changed, the innermost first, and then itself."""
    return change(with_parts(expression, lambda part: rebuilt(part, change)))


def placeless(expression: Expression) -> Expression:
    """The expression without its positions in the text, for comparison."""
    return rebuilt(expression, lambda part: replace(part, position=Position(0, 0)))


def parts(expression: Expression) -> list[Expression]:
    """The expression and all that it contains."""
    found: list[Expression] = []
    rebuilt(expression, lambda part: found.append(part) or part)
    return found


def renamed(expression: Expression, change: Callable[[Name], Expression]) -> Expression:
    """The expression with another one in place of each column."""
    return rebuilt(expression, lambda part: change(part) if isinstance(part, Name) and not part.runtime else part)


def renamed_outside(expression: Expression, change: Callable[[Name], Expression]) -> Expression:
    """The expression with another one in place of each column outside aggregates and ROW_NUMBER()."""
    match expression:
        case Call() | RowNumber():
            return expression
        case Name(runtime=False):
            return change(expression)
    return with_parts(expression, lambda part: renamed_outside(part, change))


def called(expressions: list[Expression | None]) -> list[Call]:
    """The outermost calls in expressions."""
    found: list[Call] = []
    for expression in expressions:
        if isinstance(expression, Call):
            found.append(expression)
        elif isinstance(expression, Operation):
            found += called(list(expression.operands))
        elif isinstance(expression, Cast):
            found += called([expression.operand])
    return found
