"""Lowers the expressions of a query to columns of a plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal as Number

from wirestream.compiler import approximate, bounds, casts, decimals, percentiles, syntax, times
from wirestream.compiler.aggregates import FUNCTIONS
from wirestream.compiler.composed import COMPOSED
from wirestream.compiler.operations import Operations
from wirestream.compiler.ordered import Sort, SortKey
from wirestream.compiler.plan import (
    ORDER,
    Column,
    Compute,
    Constant,
    Filter,
    Measure,
    Plan,
    Project,
    Runtime,
    Value,
    flag_of,
    not_null,
    plain,
    shown,
    walk,
)
from wirestream.compiler.scalars import CALLS, SCALARS
from wirestream.compiler.types import (
    BOOLEAN,
    Boolean,
    Integer,
    Text,
    Type,
    fits,
    of_bits,
    of_field,
    row_range,
)
from wirestream.errors import Position, QueryError

MOST_VALUES = 1024  # computed by a query: each is a node of its plan, and every pass recurses through the nodes


def check_known(call: syntax.Call) -> None:
    if call.function not in FUNCTIONS:
        known = f"known: {', '.join(FUNCTIONS)}, {', '.join(CALLS)}"
        split = "`wirestream split` runs Spark's other functions on Spark"
        raise QueryError(f"unknown function {call.function}; {known}; {split}", call.position)


@dataclass
class Scope(Operations):
    """Lowers expressions.

    results: the measures of each call of an aggregate, in the scope after a window; avg has two, its sum and its count.
    keys: the columns of the expressions of GROUP BY. window: the end of a window in time, and the window. number: that
    of a row, which ROW_NUMBER() is. position: of the latest expression.
    """

    results: dict[syntax.Call, tuple[Measure, ...]] | None = None
    keys: dict[syntax.Expression, Column] = field(default_factory=dict)
    window: tuple[Column, syntax.Window] | None = None
    number: Column | None = None
    position: Position | None = None

    def __post_init__(self) -> None:
        self._below = len({id(node) for node in walk(self.plan) if isinstance(node, Compute)})

    def compute(self, *operation, **properties) -> Value:
        found = super().compute(*operation, **properties)
        if self._below + len(self.made) > MOST_VALUES:
            why = "each operator counts, and each flag for null or overflow; write several queries"
            raise QueryError(f"the query computes more than {MOST_VALUES:,} values: {why}", self.position)
        return found

    def keep(self, condition: syntax.Expression) -> None:
        kept = self.condition(condition)  # on top of the plan
        self.plan = Filter(self.plan, kept)

    def condition(self, expression: syntax.Expression) -> Column:
        """Whether a condition is true."""
        value = self.value(expression, BOOLEAN)
        if not isinstance(value.type, Boolean):
            raise QueryError(f"expected a condition, not {value.type}", expression.position)
        value = not_null(value)  # null is not true: the value of a null condition is 0
        return value if isinstance(value, Column) else self.compute("or", value, value)

    def selected(self, value: Column | None, condition: Column) -> Column:
        """The value where a condition is true, elsewhere null; of no value one that is never null."""
        null = self.compute("not", plain(condition), hidden=True)
        if value is None:
            return replace(condition, null=null.name)
        null = self.either([null, flag_of(value, "null")])
        overflow = flag_of(value, "overflow")
        overflow = overflow and self.compute("and", overflow, plain(condition), hidden=True)
        overflow = self.either([flag_of(condition, "overflow"), overflow])
        return replace(value, null=null.name, overflow=overflow and overflow.name)

    def keys_of(self, expressions: list[syntax.Expression], orders: tuple[syntax.Order, ...]) -> list[SortKey]:
        """The keys of ORDER BY. expressions: those of `orders`. A value that overflowed is a null."""
        keys: dict[Column, SortKey] = {}
        for expression, order in zip(expressions, orders, strict=True):
            column = self.value(expression)
            if isinstance(column, Column):  # else all rows are equal
                null = self.either([flag_of(column, "null"), flag_of(column, "overflow")])
                column = replace(plain(column), null=null and null.name)
                keys.setdefault(column, SortKey(column, order.descending, order.nulls_last))
        return list(keys.values())

    def sort(self, keys: list[SortKey], limit: syntax.Limit | None, end: Column | None = None) -> None:
        """Put the rows of each window in order. end: of their windows in time, if they may leave as several runs."""
        count, offset = (limit.count, limit.offset) if limit else (None, 0)
        order = None
        if end and count is None:
            bits = end.type.width + sum(key.width for key in keys)
            order = Column(ORDER, Text(-(-bits // 8)))
        if keys or limit:
            self.plan = Sort(self.plan, tuple(keys), count, offset, order)

    def project(self, items: tuple[syntax.Item, ...]) -> Plan:
        outputs: dict[str, tuple[Column, Value]] = {}
        for item in items:
            if item.expression is None:
                if self.results is not None:
                    raise QueryError("* with a window; name the columns", item.position)
                given = (c for c in shown(self.plan) if c.name not in self.made and c != self.number)
                named = [(_bare(c.name), c) for c in given]
            else:
                own = _bare(item.expression.name) if isinstance(item.expression, syntax.Name) else None
                alias = item.alias or own
                if alias is None:
                    raise QueryError("an expression needs a name: … AS Name", item.position)
                named = [(alias, self.value(item.expression))]
            for name, value in [(name, self._in_a_row(value)) for name, value in named]:
                if name in outputs:
                    raise QueryError(f"two columns are named {name}; rename one with AS", item.position)
                null, overflow = flag_of(value, "null"), flag_of(value, "overflow")
                column = Column(name, value.type, null and f"{name}.null", overflow and f"{name}.overflow")
                outputs[name] = column, value
                for companion, origin in ((column.null, null), (column.overflow, overflow)):
                    if companion:
                        outputs[companion] = Column(companion, BOOLEAN), origin
        if order := self.plan.columns.get(ORDER):
            outputs[ORDER] = order, order
        return Project(self.plan, tuple(outputs.values()))

    def _in_a_row(self, value: Value) -> Value:
        """A value as in a row, with an overflow flag if its field may not hold it."""
        if not isinstance(value, Column) or not isinstance(value.type, Integer):
            return value
        beyond = [flag_of(value, "overflow"), *self.beyond(plain(value), row_range(value.type))]
        overflow = self.either(beyond)
        return replace(value, overflow=overflow and overflow.name)

    def flagged(self, measure: Measure, *flags: Column | None) -> Measure:
        """The measure, with these flags added to that of its overflow."""
        output = measure.output
        overflow = self.either([flag_of(output, "overflow"), *flags])
        return replace(measure, output=replace(output, overflow=overflow and overflow.name))

    # ---- expressions

    def column(self, name: syntax.Name, other: Type | None = None) -> Column:
        if name.name in self.plan.columns:
            return self.plan.columns[name.name]
        known = ", ".join(c.name for c in shown(self.plan) if c.name not in self.made and not set(c.name) & set("( "))
        if self.results is not None:
            what = f"nor a key{' nor the windowing attribute' if self.window else ''}{f' ({known})' if known else ''}"
            ways = f"write last({name.name}) or max({name.name}), or name it in GROUP BY"
            raise QueryError(f"{name.name} is neither aggregated {what}; {ways}", name.position)
        quoted = f"; a string needs quotes: '{name.name}'" if isinstance(other, Text) else ""
        near = next((c for c in self.plan.columns if c.casefold() == name.name.casefold()), None)
        quoted = f"; {near} is written as here" if near else quoted
        raise QueryError(f"unknown column {name.name}; known: {known}{quoted}", name.position)

    def as_column(self, expression: syntax.Expression) -> Column:
        value = self.value(expression)
        if not isinstance(value, Column):
            raise QueryError("an aggregate takes a column, not a constant", expression.position)
        return value

    def value(self, expression: syntax.Expression, other: Type | None = None) -> Value:
        """The value of an expression. other: the type of the other operand, which a $name or NULL takes on."""
        self.position = expression.position
        if self.keys and (key := self.keys.get(syntax.placeless(expression))):
            return key
        match expression:
            case syntax.Literal(value=None) if other is None:
                why = "NULL needs another value that gives it a type, as in ELSE or coalesce"
                raise QueryError(why, expression.position)
            case syntax.Literal(value=None):
                return Constant(None, other)
            case syntax.Literal(value=bool(value)):
                return Constant(value, BOOLEAN)
            case syntax.Literal(value=syntax.Span()):
                raise QueryError("an INTERVAL is added to a time: Time + INTERVAL '10' SECOND", expression.position)
            case syntax.Literal(value=Number() as value):
                return decimals.literal(value)
            case syntax.Literal(value=int(value)):
                return Constant(value, fits(Integer(value, value), expression.position))
            case syntax.Literal(value=value):
                return Constant(value, Text(len(value)))
            case syntax.Name(name=name, runtime=True):
                return Runtime(name, other or of_bits(32, True))
            case syntax.Name(name=name) if (
                self.window and name not in self.plan.columns and bounds.bound_of(expression)
            ):
                return bounds.value(self, bounds.bound_of(expression), *self.window, expression.position)
            case syntax.Name():
                return self.column(expression, other)
            case syntax.Call() if self.results is None:
                check_known(expression)
                raise QueryError(
                    f"{expression.function} is only allowed in SELECT or HAVING of a query with a window",
                    expression.position,
                )
            case syntax.RowNumber() if self.number is not None:
                return self.number
            case syntax.Call():
                measures = self.results[expression]
                if expression.function in percentiles.PERCENTILES:
                    return percentiles.value(self, expression, measures)
                if expression.function == approximate.NAME:
                    return approximate.value(self, expression, measures)
                if composed := COMPOSED.get(expression.function):
                    return composed.result(self, measures, expression.position)
                return measures[0].output
            case syntax.Operation(operator="not", operands=(operand,)):
                return self.invert(self._boolean(operand))
            case syntax.Operation(operator="and" | "or" as operator, operands=(left, right)):
                return self.logic(operator, self._boolean(left), self._boolean(right))
            case syntax.Operation(operator="if", operands=(condition, *branches)):
                return self._choice(condition, branches)
            case syntax.Cast(operand=operand, kind=kind):
                return casts.cast(self, self.value(operand, of_field(kind)), kind, expression.position)
            case syntax.Operation(operator=operator, operands=operands) if operator in SCALARS:
                return SCALARS[operator].lower(self, self.values(operands), expression.position)
            case syntax.Operation(operator=sign, operands=(time, syntax.Literal(value=syntax.Span() as span))):
                return times.shifted(self, sign, self.value(time), span, expression.position)
            case syntax.Operation(operator=operator, operands=(left, right)):
                if _untyped(left):
                    second = self.value(right)
                    first = self.value(left, second.type)
                else:
                    first = self.value(left)
                    second = self.value(right, first.type)
                if operator in ("+", "-", "*", "/", "div", "%"):
                    return self.arithmetic(operator, first, second, expression.position)
                return self.compare(operator, first, second, expression.position)
        raise AssertionError(expression)

    def _boolean(self, expression: syntax.Expression) -> Value:
        value = self.value(expression, BOOLEAN)
        if not isinstance(value.type, Boolean):
            raise QueryError(f"AND, OR and NOT take conditions, not {value.type}", expression.position)
        return value

    def _choice(self, condition: syntax.Expression, branches: list[syntax.Expression]) -> Column:
        """The first branch where the condition is true, elsewhere the second; without a second one, null."""
        chooser = self.value(condition, BOOLEAN)
        if not isinstance(chooser.type, Boolean):
            raise QueryError(f"IF and CASE take a condition, not {chooser.type}", condition.position)
        return self.choose(chooser, *self.values(branches), position=branches[-1].position)

    def values(self, expressions: Iterable[syntax.Expression]) -> list[Value]:
        """The values of expressions of one kind. A $name has the type of the others, but a number at least 32 bits, and
        NULL the type of any other."""
        expressions = list(expressions)
        found = {n: self.value(e) for n, e in enumerate(expressions) if not _untyped(e)}
        kinds = [value.type for value in found.values()]
        beside = next((kind for kind in kinds if not (isinstance(kind, Integer) and kind.width < 32)), None)
        runtime = [isinstance(e, syntax.Name) and n not in found for n, e in enumerate(expressions)]
        any_kind = beside or next(iter(kinds), of_bits(32, True) if any(runtime) else None)
        for n, expression in enumerate(expressions):
            if n not in found:
                found[n] = self.value(expression, beside if runtime[n] else any_kind)
        return [found[n] for n in range(len(expressions))]


def _untyped(expression: syntax.Expression) -> bool:
    """Whether it takes on the type of another value."""
    runtime = isinstance(expression, syntax.Name) and expression.runtime
    return runtime or (isinstance(expression, syntax.Literal) and expression.value is None)


def _bare(name: str) -> str:
    """A column's name without the qualifying side of a JOIN."""
    return name.rpartition(".")[2]
