"""Parses the text of queries to a syntax tree, by the grammar in dialect.lark."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import cache
from importlib.resources import files

from lark import Lark, Token, Transformer, Tree, UnexpectedCharacters, UnexpectedToken, v_args
from lark.exceptions import VisitError

from wirestream.compiler.aggregates import NAMES
from wirestream.compiler.names import Named, expanded, named, unqualified
from wirestream.compiler.scalars import CALLS
from wirestream.compiler.syntax import (
    Call,
    Cast,
    Expression,
    Item,
    JoinWindow,
    Literal,
    Name,
    Operation,
    Query,
    Quoted,
    Select,
    Source,
    Span,
    Window,
)
from wirestream.compiler.unexpected import unexpected
from wirestream.compiler.window_forms import Windowed, check_emit, in_brackets, of_clause, of_table
from wirestream.errors import Position, QueryError
from wirestream.schema.declaration import Create, FieldName, Framing, TimeField
from wirestream.schema.fields import MOST_DIGITS, Field, canonical, encoded
from wirestream.schema.units import unit_of

MOST_ROWS = 2**16  # in a window of a JOIN
MOST_DEPTH = 100  # of the parse tree


@cache
def _grammar() -> Lark:
    return Lark(files(__package__).joinpath("dialect.lark").read_text(), parser="lalr", propagate_positions=True)


def parse(text: str) -> list[Create | Query]:
    """The statements of `text`; raises `QueryError` at the first unexpected word."""
    try:
        tree = _grammar().parse(text)
        _check_depth(tree)
        return _Build().transform(tree)
    except UnexpectedToken as error:
        lines = text.splitlines() or [""]
        ends = error.token.type == "$END"
        position = Position(len(lines), len(lines[-1]) + 1) if ends else Position(error.line, error.column)
        at = len(text) if ends else error.pos_in_stream
        raise QueryError(unexpected(text, at, error.accepts or error.expected), position) from error
    except UnexpectedCharacters as error:
        raise QueryError(unexpected(text, error.pos_in_stream), Position(error.line, error.column)) from error
    except VisitError as error:
        raise error.orig_exc from None


def parse_window(text: str) -> Window | JoinWindow:
    """A window, given with its brackets, before the pass `units`; raises `QueryError`."""
    (query,) = parse(f"SELECT count(*) AS n FROM s {text}")
    return query.body[0].source.window


def _check_depth(tree: Tree) -> None:
    """Raise `QueryError` if the tree is too deep for the passes, which are recursive."""
    level = [tree]
    for _ in range(MOST_DEPTH):
        level = [part for parent in level for part in parent.children if isinstance(part, Tree)]
    if level:
        position = _at(level[0].meta)
        raise QueryError(f"nested, or chained, deeper than {MOST_DEPTH}; only AND and OR have no limit", position)


@v_args(meta=True)
class _Build(Transformer):
    """One method for each rule of the grammar."""

    def start(self, meta, parts):
        return [part for part in parts if part is not None]

    # ---- declarations

    def create(self, meta, parts):
        name, *fields, time = parts
        return Create(_at(meta), str(name), tuple(fields), time=time)

    def time_field(self, meta, parts):
        name, unit = parts
        return TimeField(str(name), unit and unit_of(unit), _at(meta))

    def create_messages(self, meta, parts):
        name, kind, of, message, *fields, framing = parts
        names = tuple(FieldName(str(f), _at(f)) for f in fields)
        return Create(_at(of), str(name), names, (kind.upper(), str(of), str(message)), framing)

    def framing(self, meta, parts):
        given = zip(("reorder", "gap_ms"), parts, strict=True)
        return Framing(**{name: int(number) for name, number in given if number is not None}, position=_at(meta))

    def field(self, meta, parts):
        name, kind, nullable = parts
        try:
            return Field(str(name), kind, bool(nullable))
        except ValueError as error:
            scaled = "; decimal(18, 4) holds fractions exactly" if kind in ("float", "double", "real") else ""
            raise QueryError(f"{error}{scaled}", _at(meta)) from error

    def type(self, meta, parts):
        name, *arguments = (str(part) for part in parts if part is not None)
        return f"{name}({', '.join(arguments)})" if arguments else name

    def nullable(self, meta, parts):
        return True

    def not_nullable(self, meta, parts):
        return False

    # ---- queries

    def NAME(self, token):
        """Without backquotes; of another type if it had them."""
        quoted = token.startswith("`")
        return token.update(type="QUOTED" if quoted else None, value=token.strip("`"))

    ALIAS = NAME

    def query(self, meta, parts):
        first, *named, body, emit, into = parts
        if first and into:
            raise QueryError(f"the result has two names, {first} and {into}", _at(first))
        if emit:
            check_emit(emit, body, _at(emit))
        return Query(expanded([n for n in named if n], body), str(into or first or "Result"))

    def named(self, meta, parts):
        name, body = parts
        return Named(_at(name), str(name), body)

    def body(self, meta, parts):
        return tuple(parts)

    def select(self, meta, parts):
        items, source, other, on, where, group, having = parts
        return in_brackets(unqualified(Select(_at(meta), items, source, other, on, where, group or (), having)))

    def items(self, meta, parts):
        return tuple(named(item, place) for place, item in enumerate(parts, 1))

    def everything(self, meta, parts):
        return Item(_at(meta), None)

    def item(self, meta, parts):
        return Item(_at(meta), *parts)

    def alias(self, meta, parts):
        return str(parts[0])

    def where(self, meta, parts):
        return parts[0]

    def having(self, meta, parts):
        return parts[0]

    def group(self, meta, parts):
        return tuple(parts)

    def source(self, meta, parts):
        relation, window, alias, clause = parts
        relation, windowing = relation if isinstance(relation, Windowed) else (relation, None)
        windows = [given for given in (windowing, window, clause) if given is not None]
        if len(windows) > 1:
            raise QueryError("two windows over one source", windows[1].position)
        named = isinstance(relation, str)
        source = relation if named else None, None if named else relation
        return Source(_at(meta), *source, windows[0] if windows else None, alias)

    def stream(self, meta, parts):
        return _name(parts[0])

    def subquery(self, meta, parts):
        return parts[0]

    def windowed_stream(self, meta, parts):
        function, stream, *others = parts
        return self._windowed(meta, _name(stream), function, *others)

    def windowed_subquery(self, meta, parts):
        function, body, *others = parts
        return self._windowed(meta, body, function, *others)

    def _windowed(self, meta, of, function, descriptor, attribute, *lengths):
        return Windowed(of, of_table(_at(meta), function, descriptor, _name(attribute), *lengths))

    # ---- windows

    def clause(self, meta, parts):
        kind, *lengths = parts
        return of_clause(_at(meta), kind, dict(lengths))

    def size(self, meta, parts):
        return "SIZE", parts[0]

    def advance(self, meta, parts):
        return "ADVANCE", parts[0]

    def grace(self, meta, parts):
        return "GRACE", parts[0]

    def gap(self, meta, parts):
        return "GAP", parts[0]

    def range_window(self, meta, parts):
        size, advance, attribute, slack, *options = parts
        return self._window(meta, "time", size, advance, options, attribute=_name(attribute), slack=slack or 0)

    def time_window(self, meta, parts):
        size, advance, *options = parts
        return self._window(meta, "time", size, advance, options)

    def tuple_window(self, meta, parts):
        size, advance = parts
        if isinstance(size, Span) or isinstance(advance, Span):
            raise QueryError("SIZE and ADVANCE of TUPLES have no unit; a window in time ends in TIME", _at(meta))
        return self._window(meta, "tuples", size, advance, [])

    def session_window(self, meta, parts):
        gap, attribute, slack, *options = parts
        return self._window(meta, "session", gap, 1, options, attribute=_name(attribute), slack=slack or 0)

    def rows_window(self, meta, parts):
        return self._join_window(meta, int(parts[0]))

    def near_window(self, meta, parts):
        near, attribute, slack, rows = parts
        return self._join_window(meta, int(rows), _name(attribute), near, slack or 0)

    def _join_window(self, meta, rows, *more):
        if not 1 <= rows <= MOST_ROWS:
            raise QueryError(f"ROWS {rows}: must be 1 to {MOST_ROWS}", _at(meta))
        return JoinWindow(_at(meta), rows, *more)

    def _window(self, meta, unit, size, advance, options, **more):
        return Window(_at(meta), unit, size, advance, **more, **dict(options))

    def span(self, meta, parts):
        number, unit = parts
        return Span(int(number), unit_of(unit)) if unit else int(number)

    def interval(self, meta, parts):
        text, unit = parts
        if not text[1:-1].isdecimal() or not text.isascii():
            raise QueryError("an interval is a whole number of one unit: INTERVAL '10' SECOND", _at(meta))
        return Span(int(text[1:-1]), unit_of(unit))

    def starts(self, meta, parts):
        return "start", parts[0]

    def max_ahead(self, meta, parts):
        return "max_ahead", parts[0]

    def resync(self, meta, parts):
        return "resync", int(parts[0])

    def emit_empty(self, meta, parts):
        return "emit_empty", True

    # ---- expressions

    def or_(self, meta, parts):
        return _balanced("or", parts)

    def and_(self, meta, parts):
        return _balanced("and", parts)

    def not_(self, meta, parts):
        return Operation(_at(meta), "not", tuple(parts))

    def compare(self, meta, parts):
        left, sign, right = parts
        if sign == "<=>":
            return self.not_distinct(sign, (left, right))
        return Operation(_at(sign), "<>" if sign == "!=" else str(sign), (left, right))

    def is_null(self, meta, parts):
        return Operation(_at(meta), "is null", tuple(parts))

    def is_not_null(self, meta, parts):
        return _not(self.is_null(meta, parts))

    def distinct(self, meta, parts):
        return Operation(_at(meta), "is distinct from", tuple(parts))

    def not_distinct(self, meta, parts):
        return _not(self.distinct(meta, parts))

    def in_(self, meta, parts):
        return Operation(_at(meta), "in", tuple(parts))

    def not_in(self, meta, parts):
        return _not(self.in_(meta, parts))

    def between(self, meta, parts):
        return Operation(_at(meta), "between", tuple(parts))

    def not_between(self, meta, parts):
        return _not(self.between(meta, parts))

    def like(self, meta, parts):
        return Operation(_at(meta), "like", tuple(parts))

    def not_like(self, meta, parts):
        return Operation(_at(meta), "not", (self.like(meta, parts),))

    def rlike(self, meta, parts):
        text, _, pattern = parts
        return Operation(_at(meta), "regexp_like", (text, pattern))

    def not_rlike(self, meta, parts):
        return _not(self.rlike(meta, parts))

    def concat(self, meta, parts):
        left, _, right = parts
        return Operation(_at(meta), "concat", (left, right))

    def bit_or(self, meta, parts):
        return Operation(_at(meta), "|", tuple(parts))

    def bit_xor(self, meta, parts):
        return Operation(_at(meta), "^", tuple(parts))

    def bit_and(self, meta, parts):
        return Operation(_at(meta), "&", tuple(parts))

    def bit_not(self, meta, parts):
        return Operation(_at(meta), "~", tuple(parts))

    def arithmetic(self, meta, parts):
        left, sign, right = parts
        return Operation(_at(sign), sign.lower(), (left, right))

    def negative(self, meta, parts):
        (operand,) = parts
        if isinstance(operand, Literal) and type(operand.value) in (int, Decimal):
            return Literal(_at(meta), -operand.value)
        return Operation(_at(meta), "-", (Literal(_at(meta), 0), operand))

    def number(self, meta, parts):
        return Literal(_at(meta), int(parts[0]))

    def decimal(self, meta, parts):
        number = Decimal(str(parts[0]))
        if max(len(number.as_tuple().digits), -number.as_tuple().exponent) > MOST_DIGITS:
            raise QueryError(f"a decimal has at most {MOST_DIGITS} digits", _at(meta))
        return Literal(_at(meta), number)

    def string(self, meta, parts):
        try:
            return Literal(_at(meta), encoded(parts[0][1:-1]))
        except ValueError as error:
            raise QueryError(str(error), _at(meta)) from None

    def true(self, meta, parts):
        return Literal(_at(meta), True)

    def false(self, meta, parts):
        return Literal(_at(meta), False)

    def null(self, meta, parts):
        return Literal(_at(meta), None)

    def constant(self, meta, parts):
        return Name(_at(meta), str(parts[0]), runtime=True)

    def column(self, meta, parts):
        side, name = parts
        if name is None:
            return Name(_at(meta), _name(side))
        quoted = isinstance(_name(side), Quoted) or isinstance(_name(name), Quoted)
        return Name(_at(meta), (Quoted if quoted else str)(f"{side}.{name}"))

    def call(self, meta, parts):
        name, *arguments = parts
        arguments = [a for a in arguments if a is not None and not isinstance(a, Token)]
        weights = [a for a in arguments if isinstance(a, tuple)]
        if len(weights) > 1:
            raise QueryError("more than one list of weights", _at(meta))
        plain = tuple(a for a in arguments if not isinstance(a, tuple))
        if name.lower() == "if":
            if len(plain) != 3 or weights:
                raise QueryError("IF takes a condition and two values: IF(Price > 9, 1, 0)", _at(meta))
            return Operation(_at(meta), "if", plain)
        if name.lower() == "position" and len(plain) == 1 and _is_in(plain[0]):  # the string is in parentheses
            return self.position(meta, [name, *plain[0].operands])
        if scalar := CALLS.get(name.lower()):
            if weights or not scalar.accepts(len(plain)):
                raise QueryError(f"{name} takes {scalar.takes}: {scalar.example}", _at(meta))
            return Operation(_at(meta), scalar.name, plain)
        function = NAMES.get(name.lower(), name.lower())
        return Call(_at(meta), function, plain, weights[0] if weights else ())

    def cast(self, meta, parts):
        name, operand, kind = parts
        if name.lower() != "cast":
            raise QueryError(f"{name}(… AS …); only CAST has a type", _at(name))
        try:
            return Cast(_at(meta), operand, canonical(kind))
        except ValueError as error:
            raise QueryError(str(error), _at(meta)) from error

    def extract(self, meta, parts):
        function, part, operand = parts
        scalar = CALLS.get(part.lower())
        if function.lower() != "extract" or scalar is None or not scalar.accepts(1):
            raise QueryError(f"{function}({part} FROM …); write EXTRACT(HOUR FROM Time)", _at(meta))
        return Operation(_at(meta), scalar.name, (operand,))

    def position(self, meta, parts):
        function, word, text = parts
        if function.lower() != "position":
            raise QueryError(f"{function}(… IN …); write position('A' IN Symbol)", _at(meta))
        return Operation(_at(meta), "locate", (word, text))

    def time(self, meta, parts):
        """TIMESTAMP '…', DATE '…' or INTERVAL '…' of a unit."""
        name, text, unit = parts
        if unit is not None and name.lower() == "interval":
            return Literal(_at(meta), self.interval(meta, [text, unit]))
        kinds = {"timestamp": "timestamp(us)", "date": "date"}
        if name.lower() not in kinds or unit is not None:
            forms = "TIMESTAMP '2026-01-31 12:00:00', DATE '2026-01-31' or INTERVAL '10' SECOND"
            raise QueryError(f"{name} in front of a string; write {forms}", _at(meta))
        return Cast(_at(meta), self.string(meta, [text]), kinds[name.lower()])

    def filtered(self, meta, parts):
        call, where = parts
        if not isinstance(call, Call):
            raise QueryError("FILTER is for aggregates; of other values choose with CASE", _at(meta))
        return replace(call, where=where)

    def case(self, meta, parts):
        """As nested choices; with an operand the conditions are comparisons, each of which repeats the operand."""
        operand, (branches, chosen), _ = parts
        if operand is not None and _chooses(operand):
            raise QueryError("CASE or IF as the operand of CASE: compute it in a sub-query", operand.position)
        for condition, value in reversed(branches):
            if operand is not None:
                condition = Operation(condition.position, "=", (operand, condition))
            chosen = Operation(value.position, "if", (condition, value, *([chosen] if chosen else [])))
        return replace(chosen, position=_at(meta))

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


def _name(token: Token) -> str:
    return Quoted(token) if token.type == "QUOTED" else str(token)


def _at(where) -> Position:
    """The position of a token, or of a rule's `meta`."""
    return Position(where.line, where.column)
