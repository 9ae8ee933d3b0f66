"""Lowers the expressions of a query to columns of a plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal as Number
from itertools import product

from wirestream.compiler import casts, decimals, syntax, times
from wirestream.compiler.aggregates import FUNCTIONS, HINTS
from wirestream.compiler.composed import COMPOSED
from wirestream.compiler.plan import (
    APPLY,
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
    is_null,
    label,
    not_null,
    padded,
    plain,
    shown,
    walk,
    widest,
)
from wirestream.compiler.scalars import CALLS, SCALARS
from wirestream.compiler.types import (
    BOOLEAN,
    LONG,
    Boolean,
    Decimal,
    Integer,
    Text,
    Type,
    fits,
    of_bits,
    of_field,
    row_range,
)
from wirestream.errors import Position, QueryError

MOST_VALUES = 256  # computed by a query: each is a node of its plan, and every pass recurses through the nodes


def check_known(call: syntax.Call) -> None:
    if call.function not in FUNCTIONS:
        known = HINTS.get(call.function) or f"known: {', '.join(FUNCTIONS)}, {', '.join(CALLS)}"
        split = "`wirestream split` runs Spark's other functions on Spark"
        raise QueryError(f"unknown function {call.function}; {known}; {split}", call.position)


@dataclass
class Scope:
    """Lowers expressions: each operation becomes a Compute on top of `plan`; equal operations share one.

    results: the measures of each call of an aggregate, in the scope after a window; avg has two, its sum and its count.
    keys: the columns of the expressions of GROUP BY.
    """

    plan: Plan
    results: dict[syntax.Call, tuple[Measure, ...]] | None = None
    keys: dict[syntax.Expression, Column] = field(default_factory=dict)
    made: dict[str, Column] = field(default_factory=dict)
    flags: dict[str, tuple[Value, ...]] = field(default_factory=dict)  # of the operands of what is in `made`

    def __post_init__(self) -> None:
        self._below = sum(isinstance(node, Compute) for node in walk(self.plan))

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

    def project(self, items: tuple[syntax.Item, ...]) -> Plan:
        outputs: dict[str, tuple[Column, Value]] = {}
        for item in items:
            if item.expression is None:
                if self.results is not None:
                    raise QueryError("* with a window; name the columns", item.position)
                named = [(_bare(c.name), c) for c in shown(self.plan) if c.name not in self.made]
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
        return Project(self.plan, tuple(outputs.values()))

    def _in_a_row(self, value: Value) -> Value:
        """A value as in a row, with an overflow flag if its field may not hold it."""
        if not isinstance(value, Column) or not isinstance(value.type, Integer):
            return value
        beyond = [flag_of(value, "overflow"), *self.beyond(plain(value), row_range(value.type))]
        overflow = self.either(beyond)
        return replace(value, overflow=overflow and overflow.name)

    def resized(self, value: Value, kind: Type, text: str) -> Column:
        """The value as one of another type with the same kind of bits."""
        return self.compute("cast", value, kind=kind, text=text)

    def beyond(self, value: Column, held: Integer) -> list[Column]:
        """Whether the value is not one of `held`, in one flag or two."""
        bounds = [(">", held.high)] * (value.type.high > held.high) + [("<", held.low)] * (value.type.low < held.low)
        if bounds and held == LONG:
            return [self.compute("beyond", value, hidden=True)]
        return [self.compute(o, value, Constant(n, replace(value.type, low=n, high=n)), hidden=True) for o, n in bounds]

    def flagged(self, measure: Measure, beyond: Measure | None) -> Measure:
        """The measure, with `beyond` added to its overflow flag."""
        if beyond is None:
            return measure
        output = measure.output
        flags = [Column(flag, BOOLEAN) for flag in (output.overflow, beyond.output.name) if flag]
        return replace(measure, output=replace(output, overflow=self.either(flags).name))

    # ---- expressions

    def column(self, name: syntax.Name, other: Type | None = None) -> Column:
        if name.name in self.plan.columns:
            return self.plan.columns[name.name]
        known = ", ".join(c.name for c in shown(self.plan) if c.name not in self.made and not set(c.name) & set("( "))
        if self.results is not None:
            raise QueryError(
                f"{name.name} is neither aggregated nor a key nor the windowing attribute ({known}); "
                f"write last({name.name}) or max({name.name}), or name it in GROUP BY",
                name.position,
            )
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
            case syntax.Name():
                return self.column(expression, other)
            case syntax.Call() if self.results is None:
                check_known(expression)
                raise QueryError(
                    f"{expression.function} is only allowed in SELECT or HAVING of a query with a window",
                    expression.position,
                )
            case syntax.Call():
                measures = self.results[expression]
                if composed := COMPOSED.get(expression.function):
                    return composed.result(self, measures, expression.position)
                return measures[0].output
            case _ if self._below + len(self.made) >= MOST_VALUES:
                why = "each operator counts, and each flag for null or overflow"
                raise QueryError(f"the query computes more than {MOST_VALUES} values; {why}", expression.position)
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

    def arithmetic(self, operator: str, a: Value, b: Value, position: Position) -> Value:
        if not a.type.kind == b.type.kind == "number":
            raise QueryError(f"{operator} takes numbers, not {a.type} and {b.type}", position)
        if isinstance(a.type, Decimal) or isinstance(b.type, Decimal):
            if is_null(a) or is_null(b):
                return Constant(None, widest([a, b]))
            return decimals.arithmetic(self, operator, a, b, position)
        if operator == "/":
            why = "/ of integers would give a fraction; div truncates toward zero, CAST(… AS decimal(18, 2)) keeps it"
            raise QueryError(why, position)
        null = operator in ("div", "%") and b.type.low <= 0 <= b.type.high
        return self.compute(operator, a, b, kind=fits(self.reach(operator, a, b), position), may_be_null=null)

    @staticmethod
    def reach(operator: str, a: Value, b: Value) -> Integer:
        """The range of an operation's results."""
        a, b = a.type, b.type
        most = max(abs(a.low), abs(a.high))
        if operator == "div":
            return Integer(-most if a.signed or b.signed else 0, most)
        if operator == "%":
            most = max(min(most, max(abs(b.low), abs(b.high)) - 1), 0)
            return Integer(-most if a.signed else 0, most)
        corners = [APPLY[operator](x, y) for x, y in product((a.low, a.high), (b.low, b.high))]
        return Integer(min(corners), max(corners))

    def compare(self, operator: str, a: Value, b: Value, position: Position) -> Value:
        a, b = times.of_literals([a, b], position)
        if a.type.kind != b.type.kind:
            quotes = "; a string needs quotes: '5'" if {a.type.kind, b.type.kind} == {"number", "string"} else ""
            raise QueryError(f"cannot compare {a.type} with {b.type} by {operator}{quotes}", position)
        if isinstance(a.type, Boolean) and operator not in ("=", "<>"):
            raise QueryError(f"cannot compare conditions by {operator}, only by = and <>", position)
        if isinstance(a.type, Text):
            for one, other in ((a, b), (b, a)):
                if isinstance(one, Constant) and one.type.length > other.type.length:
                    raise QueryError(
                        f"{one} has {one.type.length} characters, {other} at most {other.type.length}", position
                    )
            length = max(a.type.length, b.type.length)
            a, b = (padded(value, length) for value in (a, b))
            if a.type.length != b.type.length:
                raise QueryError(f"cannot compare {a.type} with {b.type}; strings must have equal lengths", position)
        if is_null(a) or is_null(b):
            return Constant(None, BOOLEAN)
        text = _written(operator, (a, b))
        if a.type.kind == "number":
            operator, a, b = decimals.comparable(self, operator, a, b, position)
        elif a.type.kind == "timestamp":
            a, b = times.aligned(self, [a, b], position)
        found = self.compute(operator, a, b, text=text)
        return self.zero_if_null(found)

    def truth(self, operator: str, *operands: Value) -> Value:
        """A condition that an operation computes."""
        return self.zero_if_null(self.compute(operator, *operands))

    def invert(self, a: Value) -> Value:
        found = self.compute("not", a)
        return self.zero_if_null(found)

    def logic(self, operator: str, a: Value, b: Value) -> Value:
        """AND and OR with nulls: null unless the other operand decides."""
        known = [not_null(v) for v in (a, b)]
        value = self.compute(operator, *known)
        nulls = [flag_of(v, "null") for v in (a, b)]
        if not any(nulls):
            return value
        if operator == "or":  # null if one is null and the result is not true
            either = self.either(nulls)
            null = self.compute("and", either, self.compute("not", value, hidden=True), hidden=True)
        else:  # null if one is null and the other is null or true
            unknown = [self.either([p, n]) if n else p for p, n in zip(known, nulls, strict=True)]
            null = self.compute("and", self.either(nulls), self.compute("and", *unknown, hidden=True), hidden=True)
        return replace(value, null=null.name)

    def _choice(self, condition: syntax.Expression, branches: list[syntax.Expression]) -> Column:
        """The first branch where the condition is true, elsewhere the second; without a second one, null."""
        chooser = self.value(condition, BOOLEAN)
        if not isinstance(chooser.type, Boolean):
            raise QueryError(f"IF and CASE take a condition, not {chooser.type}", condition.position)
        return self.choose(chooser, *self.values(branches), position=branches[-1].position)

    def choose(self, chooser: Value, *values: Value, position: Position, kind: Type | None = None) -> Value:
        """The first value where `chooser` is true, elsewhere the second; without a second one, null. kind: where it is
        known to be narrower than the values are."""
        values = self.of_one_type(values, "IF and CASE", position)
        kind = kind or widest(values)
        if isinstance(kind, Integer):
            fits(kind, position)
        values = [*values, *[Constant(None, kind)] * (2 - len(values))]
        nulls = [flag_of(value, "null") for value in values]
        overflows = [flag_of(value, "overflow") for value in values]
        if isinstance(kind, Text):
            values = [padded(value, kind.length) for value in values]
        if all(map(is_null, values)):
            return Constant(None, kind)
        found = self.compute("if", *map(plain, (chooser, *values)), kind=kind)
        null = self._chosen(chooser, nulls)
        overflow = self.either([flag_of(chooser, "overflow"), self._chosen(chooser, overflows)])
        return replace(found, null=null and null.name, overflow=overflow and overflow.name)

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

    def of_one_type(self, values: Iterable[Value], who: str, position: Position) -> list[Value]:
        """The values, if they are of one kind; numbers with equally many digits after the point. who: takes them."""
        values = times.of_literals(list(values), position)
        if len({value.type.kind for value in values}) > 1:
            kinds = " and ".join(str(value.type) for value in values)
            raise QueryError(f"the values of {who} must be of one kind, not {kinds}", position)
        match values[0].type.kind:
            case "number":
                return decimals.aligned(self, values, position)
            case "timestamp":
                return times.aligned(self, values, position)
        return values

    def _chosen(self, chooser: Value, flags: list[Value | None]) -> Value | None:
        """The flag of the branch that is chosen."""
        if not any(flags) or flags[0] == flags[1]:
            return flags[0]
        flags = [flag or Constant(False, BOOLEAN) for flag in flags]
        return self.compute("if", plain(chooser), *flags, hidden=True)

    def zero_if_null(self, column: Value) -> Value:
        """A condition with the value forced to 0 when it is null."""
        if not flag_of(column, "null") or is_null(column):
            return column
        known = self.compute("not", Column(column.null, BOOLEAN), hidden=True)
        return replace(self.compute("and", replace(column, null=None), known), null=column.null)

    def compute(
        self,
        operator: str,
        *operands: Value,
        kind: Type = BOOLEAN,
        may_be_null: bool = False,
        hidden: bool = False,
        text: str = "",
    ) -> Value:
        """The column of an operation, with companions if an operand has them; added only if it is new. With NULL as an
        operand it is NULL.

        hidden: the column is internal, for nulls or overflow. text: what the column is to the user; default: the
        operation.
        """
        if operator != "if" and any(map(is_null, operands)):
            return Constant(None, kind)
        columns = [v for v in operands if isinstance(v, Column)]
        nulls = [Column(v.null, BOOLEAN) for v in columns if v.null]
        overflows = [Column(v.overflow, BOOLEAN) for v in columns if v.overflow]
        text = text or "." * hidden + _written(operator, operands)
        flags = (*nulls, *overflows)
        while self.flags.setdefault(text, flags) != flags:  # of the same columns, but one is known not to be null
            text += "'"
        if text in self.made:
            return self.made[text]
        own = f"{text}.null" if may_be_null else None
        column = Column(text, kind, own)
        self.plan = Compute(self.plan, column, operator, tuple(map(plain, operands)), may_be_null)
        null = self.either([own and Column(own, BOOLEAN), *nulls])
        overflow = self.either(overflows)
        self.made[text] = replace(column, null=null and null.name, overflow=overflow and overflow.name)
        return self.made[text]

    def none(self, flags: list[Value | None]) -> Value:
        """Whether no flag is set."""
        return self.compute("not", self.either(flags), hidden=True)

    @staticmethod
    def with_null(value: Value, null: Value | None) -> Value:
        """The value with this flag as its null companion."""
        return replace(value, null=null and null.name) if isinstance(value, Column) else value

    def either(self, flags: list[Value | None]) -> Value | None:
        """The OR of the flags that are not None, duplicates removed."""
        found: Value | None = None
        for flag in {str(f): f for f in flags if f}.values():
            found = flag if found is None else self.compute("or", found, flag, hidden=True)
        return found


def _untyped(expression: syntax.Expression) -> bool:
    """Whether it takes on the type of another value."""
    runtime = isinstance(expression, syntax.Name) and expression.runtime
    return runtime or (isinstance(expression, syntax.Literal) and expression.value is None)


def _bare(name: str) -> str:
    """A column's name without the qualifying side of a JOIN."""
    return name.rpartition(".")[2]


def _written(operator: str, operands: tuple[Value, ...]) -> str:
    """The name of an operation's column."""
    match operands:
        case (a,):
            return f"({operator} {a})"
        case (a, b):
            return f"({a} {operator} {b})"
        case (condition, a, b):
            return f"IF({label(condition)}, {label(a)}, {label(b)})"
    raise AssertionError(operator)
