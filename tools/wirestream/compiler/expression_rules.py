"""The rules of the grammar in dialect.lark for expressions."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from lark import Token, Transformer, v_args

from wirestream.compiler.aggregates import NAMES
from wirestream.compiler.scalars import CALLS
from wirestream.compiler.syntax import Call, Cast, Expression, Literal, Name, Operation, Quoted, RowNumber, Span
from wirestream.compiler.unexpected import OVER
from wirestream.errors import Position, QueryError
from wirestream.schema.fields import MOST_DIGITS, canonical, encoded
from wirestream.schema.units import unit_of

RANKS = ("rank", "dense_rank", "percent_rank", "cume_dist", "ntile")


@v_args(meta=True)
class Expressions(Transformer):
    """One method for each rule."""

    def or_(self, meta, parts):
        return _balanced("or", parts)

    def and_(self, meta, parts):
        return _balanced("and", parts)

    def not_(self, meta, parts):
        return Operation(at(meta), "not", tuple(parts))

    def compare(self, meta, parts):
        left, sign, right = parts
        if sign == "<=>":
            return self.not_distinct(sign, (left, right))
        return Operation(at(sign), "<>" if sign == "!=" else str(sign), (left, right))

    def is_null(self, meta, parts):
        return Operation(at(meta), "is null", tuple(parts))

    def is_not_null(self, meta, parts):
        return _not(self.is_null(meta, parts))

    def distinct(self, meta, parts):
        return Operation(at(meta), "is distinct from", tuple(parts))

    def not_distinct(self, meta, parts):
        return _not(self.distinct(meta, parts))

    def in_(self, meta, parts):
        return Operation(at(meta), "in", tuple(parts))

    def not_in(self, meta, parts):
        return _not(self.in_(meta, parts))

    def between(self, meta, parts):
        return Operation(at(meta), "between", tuple(parts))

    def not_between(self, meta, parts):
        return _not(self.between(meta, parts))

    def like(self, meta, parts):
        return Operation(at(meta), "like", tuple(parts))

    def not_like(self, meta, parts):
        return Operation(at(meta), "not", (self.like(meta, parts),))

    def rlike(self, meta, parts):
        text, _, pattern = parts
        return Operation(at(meta), "regexp_like", (text, pattern))

    def not_rlike(self, meta, parts):
        return _not(self.rlike(meta, parts))

    def concat(self, meta, parts):
        left, _, right = parts
        return Operation(at(meta), "concat", (left, right))

    def bit_or(self, meta, parts):
        return Operation(at(meta), "|", tuple(parts))

    def bit_xor(self, meta, parts):
        return Operation(at(meta), "^", tuple(parts))

    def bit_and(self, meta, parts):
        return Operation(at(meta), "&", tuple(parts))

    def bit_not(self, meta, parts):
        return Operation(at(meta), "~", tuple(parts))

    def arithmetic(self, meta, parts):
        left, sign, right = parts
        return Operation(at(sign), sign.lower(), (left, right))

    def negative(self, meta, parts):
        (operand,) = parts
        if isinstance(operand, Literal) and type(operand.value) in (int, Decimal):
            return Literal(at(meta), -operand.value)
        return Operation(at(meta), "-", (Literal(at(meta), 0), operand))

    def number(self, meta, parts):
        return Literal(at(meta), int(parts[0]))

    def decimal(self, meta, parts):
        number = Decimal(str(parts[0]))
        if max(len(number.as_tuple().digits), -number.as_tuple().exponent) > MOST_DIGITS:
            raise QueryError(f"a decimal has at most {MOST_DIGITS} digits", at(meta))
        return Literal(at(meta), number)

    def string(self, meta, parts):
        try:
            return Literal(at(meta), encoded(parts[0][1:-1]))
        except ValueError as error:
            raise QueryError(str(error), at(meta)) from None

    def true(self, meta, parts):
        return Literal(at(meta), True)

    def false(self, meta, parts):
        return Literal(at(meta), False)

    def null(self, meta, parts):
        return Literal(at(meta), None)

    def constant(self, meta, parts):
        return Name(at(meta), str(parts[0]), runtime=True)

    def column(self, meta, parts):
        side, name = parts
        if name is None:
            return Name(at(meta), name_of(side))
        quoted = isinstance(name_of(side), Quoted) or isinstance(name_of(name), Quoted)
        return Name(at(meta), (Quoted if quoted else str)(f"{side}.{name}"))

    def call(self, meta, parts):
        name, *arguments = parts
        unique = any(a is True for a in arguments)
        arguments = [a for a in arguments if isinstance(a, Expression | tuple)]
        weights = [a for a in arguments if isinstance(a, tuple)]
        if len(weights) > 1:
            raise QueryError("more than one list of weights", at(meta))
        plain = tuple(a for a in arguments if not isinstance(a, tuple))
        if name.lower() == "if":
            if len(plain) != 3 or weights:
                raise QueryError("IF takes a condition and two values: IF(Price > 9, 1, 0)", at(meta))
            return Operation(at(meta), "if", plain)
        if name.lower() == "position" and len(plain) == 1 and _is_in(plain[0]):  # the string is in parentheses
            return self.position(meta, [name, *plain[0].operands])
        scalar = CALLS.get(name.lower())
        if unique and (scalar or name.lower() == "if"):
            raise QueryError(f"{name}(DISTINCT …); DISTINCT is for aggregates", at(meta))
        if scalar:
            if weights or not scalar.accepts(len(plain)):
                raise QueryError(f"{name} takes {scalar.takes}: {scalar.example}", at(meta))
            return Operation(at(meta), scalar.name, plain)
        function = NAMES.get(name.lower(), name.lower())
        return Call(at(meta), function, plain, weights[0] if weights else (), unique=unique)

    def cast(self, meta, parts):
        name, operand, kind = parts
        if name.lower() != "cast":
            raise QueryError(f"{name}(… AS …); only CAST has a type", at(name))
        try:
            return Cast(at(meta), operand, canonical(kind))
        except ValueError as error:
            raise QueryError(str(error), at(meta)) from error

    def extract(self, meta, parts):
        function, part, operand = parts
        scalar = CALLS.get(part.lower())
        if function.lower() != "extract" or scalar is None or not scalar.accepts(1):
            raise QueryError(f"{function}({part} FROM …); write EXTRACT(HOUR FROM Time)", at(meta))
        return Operation(at(meta), scalar.name, (operand,))

    def position(self, meta, parts):
        function, word, text = parts
        if function.lower() != "position":
            raise QueryError(f"{function}(… IN …); write position('A' IN Symbol)", at(meta))
        return Operation(at(meta), "locate", (word, text))

    def interval(self, meta, parts):
        text, unit = parts
        if not text[1:-1].isdecimal() or not text.isascii():
            raise QueryError("an interval is a whole number of one unit: INTERVAL '10' SECOND", at(meta))
        return Span(int(text[1:-1]), unit_of(unit))

    def time(self, meta, parts):
        """TIMESTAMP '…', DATE '…' or INTERVAL '…' of a unit."""
        name, text, unit = parts
        if unit is not None and name.lower() == "interval":
            return Literal(at(meta), self.interval(meta, [text, unit]))
        kinds = {"timestamp": "timestamp(us)", "date": "date"}
        if name.lower() not in kinds or unit is not None:
            forms = "TIMESTAMP '2026-01-31 12:00:00', DATE '2026-01-31' or INTERVAL '10' SECOND"
            raise QueryError(f"{name} in front of a string; write {forms}", at(meta))
        return Cast(at(meta), self.string(meta, [text]), kinds[name.lower()])

    def within(self, meta, parts):
        call, order = parts
        if not isinstance(call, Call):
            raise QueryError("WITHIN GROUP is for aggregates, such as percentile_cont(0.5)", at(meta))
        arguments = (order.expression, *call.arguments)
        return replace(call, arguments=arguments, ordered=True, descending=order.descending)

    def filtered(self, meta, parts):
        call, where = parts
        if not isinstance(call, Call):
            raise QueryError("FILTER is for aggregates; of other values choose with CASE", at(meta))
        return replace(call, where=where)

    def over(self, meta, parts):
        call, partition, order = parts
        function = call.function if isinstance(call, Call) else call.operator
        if function in RANKS:
            why = "the only number of a row is ROW_NUMBER() OVER (…), which counts equal rows one by one"
            raise QueryError(f"{function.upper()}() OVER (…); {why}", at(meta))
        if function != "row_number":
            raise QueryError(f"{function}(…) OVER (…); {OVER}", at(meta))
        if call.arguments:
            raise QueryError("ROW_NUMBER() takes no column; OVER has them", at(meta))
        order = order or ()
        directions = tuple((one.descending, one.nulls_last) for one in order)
        return RowNumber(at(meta), partition or (), tuple(one.expression for one in order), directions)

    def partition(self, meta, parts):
        return tuple(parts)

    def case(self, meta, parts):
        """As nested choices; with an operand the conditions are comparisons, each of which repeats the operand."""
        operand, (branches, chosen), _ = parts
        if operand is not None and _chooses(operand):
            raise QueryError("CASE or IF as the operand of CASE: compute it in a sub-query", operand.position)
        for condition, value in reversed(branches):
            if operand is not None:
                condition = Operation(condition.position, "=", (operand, condition))
            chosen = Operation(value.position, "if", (condition, value, *([chosen] if chosen else [])))
        return replace(chosen, position=at(meta))

    def branches(self, meta, parts):
        """Conditions with their values, and what follows ELSE."""
        condition, value, others = parts
        more, otherwise = others if isinstance(others, tuple) else ((), others)
        return ((condition, value), *more), otherwise

    def weights(self, meta, parts):
        return tuple(Decimal(str(part)) for part in parts)


def _chooses(expression: Expression) -> bool:
    """Whether it contains IF or CASE."""
    if isinstance(expression, Operation):
        return expression.operator == "if" or any(map(_chooses, expression.operands))
    return isinstance(expression, Call) and any(map(_chooses, expression.arguments))


def _is_in(expression: Expression) -> bool:
    """Whether it is IN with one value."""
    return isinstance(expression, Operation) and expression.operator == "in" and len(expression.operands) == 2


def _not(condition: Operation) -> Operation:
    return Operation(condition.position, "not", (condition,))


def _balanced(operator: str, parts: list[Expression]) -> Expression:
    """AND or OR of any number of conditions as a balanced tree, which the circuit computes in few cycles."""
    if len(parts) == 1:
        return parts[0]
    half = 1 << (len(parts) - 1).bit_length() - 1  # a full tree on the left, so that queries share a common prefix
    sides = _balanced(operator, parts[:half]), _balanced(operator, parts[half:])
    return Operation(sides[0].position, operator, sides)


def name_of(token: Token) -> str:
    return Quoted(token) if token.type == "QUOTED" else str(token)


def at(where) -> Position:
    """The position of a token, or of a rule's `meta`."""
    return Position(where.line, where.column)
