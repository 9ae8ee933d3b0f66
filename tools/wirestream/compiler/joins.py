"""From a SELECT with a JOIN to its plan: which conditions select tuples, which the join compares, which select pairs.

Conditions are split at AND. A condition on one side selects that side's tuples before its window, as everywhere in the
dialect: a window of tuples holds those that WHERE selects. With windows in time it selects pairs instead, because every
tuple of a stream has to advance the watermark. Of the conditions in ON that read both sides, the join compares all
equalities as one key, or else the first of another predicate; the others select pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from wirestream.compiler import syntax
from wirestream.compiler.analysis import check_time, origin
from wirestream.compiler.plan import (
    FLIPPED,
    Column,
    Compute,
    Constant,
    Filter,
    Input,
    Join,
    Key,
    Plan,
    Project,
    Runtime,
    Value,
    common,
    label,
    shown,
    walk,
)
from wirestream.compiler.predicates import FUNCTIONS, PREDICATES
from wirestream.compiler.scope import Scope
from wirestream.compiler.types import Decimal, Integer, Text, of_bits, same_kind
from wirestream.errors import Position, QueryError

AGGREGATED = "no aggregate over a JOIN, as its rows leave in no promised order; aggregate the pairs downstream"
*_OTHERS, _LAST = (predicate.on for predicate in PREDICATES.values())
WANTED = f"ON must compare the sides, as in {', '.join(_OTHERS)}, or {_LAST}"
ADDRESS_BITS = 32

PlanOf = Callable[[syntax.Source], Plan]


# ---- The sides, and which expressions read them


@dataclass
class Side:
    """alias: the side's name in the query. window: over its tuples. scope: lowers expressions of this side alone."""

    alias: str
    position: Position
    window: syntax.JoinWindow
    scope: Scope
    names: tuple[str, ...]


def alias_of(source: syntax.Source) -> str:
    """The name of a side in the query."""
    alias = source.alias or source.stream
    if alias is None:
        raise QueryError("a sub-query in a JOIN needs a name: (…) AS a", source.position)
    return alias


def window_of(source: syntax.Source) -> syntax.JoinWindow:
    """The window of a side; a window of the last tuples with ADVANCE 1 is the same as ROWS."""
    window = source.window
    if isinstance(window, syntax.Window) and window.unit == "tuples" and window.advance == 1:
        return syntax.JoinWindow(window.position, window.size)
    if not isinstance(window, syntax.JoinWindow):
        position = window.position if window else source.position
        which = f"{alias_of(source)} needs a window for JOIN"
        raise QueryError(f"{which}: [ROWS 64] or [RANGE 60 WATTR Time ROWS 256]", position)
    return window


def _side(source: syntax.Source, plan_of: PlanOf) -> Side:
    alias = alias_of(source)
    plan = plan_of(source)
    for node in walk(plan):
        if not isinstance(node, Input | Compute | Filter | Project):
            raise QueryError(
                "a side of a JOIN can only select and compute tuples of a stream: no window, UNION or JOIN in it",
                source.position,
            )
    window = window_of(source)
    names = tuple(column.name for column in shown(plan))

    def named(column: Column) -> Column:
        null, overflow = (name and f"{alias}.{name}" for name in (column.null, column.overflow))
        return Column(f"{alias}.{column.name}", column.type, null, overflow)

    plan = Project(plan, tuple((named(column), column) for column in plan.columns.values()))
    return Side(alias, source.position, window, Scope(plan), names)


def _qualified(expression: syntax.Expression, sides: list[Side]) -> tuple[syntax.Expression, set[int]]:
    """The expression with columns qualified by their side, and the sides that it reads."""
    match expression:
        case syntax.Name(name=name, runtime=False):
            alias, _, column = name.rpartition(".")
            of = [n for n, side in enumerate(sides) if column in side.names and alias in ("", side.alias)]
            if len(of) != 1:
                known = ", ".join(f"{side.alias}.{column}" for side in sides for column in side.names)
                why = f"{column} is a column of both sides" if of else f"unknown column {name}; known: {known}"
                raise QueryError(why, expression.position)
            return replace(expression, name=f"{sides[of[0]].alias}.{column}"), set(of)
        case syntax.Operation(operands=parts):
            found = [_qualified(part, sides) for part in parts]
            return replace(expression, operands=tuple(e for e, _ in found)), set().union(*(read for _, read in found))
        case syntax.Call(arguments=parts):
            found = [_qualified(part, sides) for part in parts]
            return replace(expression, arguments=tuple(e for e, _ in found)), set().union(*(read for _, read in found))
    return expression, set()


def conjuncts(expression: syntax.Expression | None) -> list[syntax.Expression]:
    if expression is None:
        return []
    if isinstance(expression, syntax.Operation) and expression.operator == "and":
        return [part for operand in expression.operands for part in conjuncts(operand)]
    return [expression]


# ---- The query


def select(query: syntax.Select, plan_of: PlanOf) -> Plan:
    """The plan of a SELECT with a JOIN. plan_of: returns the plan of a side."""
    sides = [_side(source, plan_of) for source in (query.source, query.other)]
    left, right = sides
    if left.alias == right.alias:
        raise QueryError(f"both sides are named {left.alias}; rename one: … AS a JOIN … AS b", right.position)
    one, other = (replace(side.window, attribute=None) for side in sides)
    if one != other or (left.window.attribute is None) != (right.window.attribute is None):
        raise QueryError("both sides of a JOIN must have the same window", right.window.position)
    expressions = [item.expression for item in query.items if item.expression]
    for expression in syntax.called([*expressions, query.having]):
        raise QueryError(AGGREGATED, expression.position)
    if query.group:
        raise QueryError(AGGREGATED, query.group[0].position)
    if query.having is not None:
        raise QueryError("HAVING needs an aggregate; select pairs with WHERE", query.having.position)

    of_both: list[tuple[syntax.Expression, bool]] = []  # and whether in ON
    for condition, in_on in [(c, True) for c in conjuncts(query.on)] + [(c, False) for c in conjuncts(query.where)]:
        condition, read = _qualified(condition, sides)
        if len(read) == 1 and left.window.attribute is None:
            sides[read.pop()].scope.keep(_plain(condition))
        else:
            of_both.append((condition, in_on and len(read) == 2))
    times = _times(sides)
    compared = _compared([c for c, in_on in of_both if in_on], sides, query.on.position)
    plans = [side.scope.plan for side in sides]
    scope = Scope(Join(*plans, left.window, compared.predicate, compared.keys, compared.limit, times))
    for condition, _ in of_both:
        if condition not in compared.conditions:
            scope.keep(_plain(condition))
    items = [replace(i, expression=i.expression and _qualified(i.expression, sides)[0]) for i in query.items]
    return scope.project(tuple(items))


def _times(sides: list[Side]) -> tuple[Column, Column] | None:
    """With windows in time, the windowing attributes of both sides."""
    if sides[0].window.attribute is None:
        return None
    found = []
    for side in sides:
        window = side.window
        name, _ = _qualified(syntax.Name(window.position, f"{side.alias}.{window.attribute}"), [side])
        column = side.scope.column(name)
        check_time(name.name, column, window.position)
        if origin(side.scope.plan, column.name) is None:
            raise QueryError(f"the windowing attribute {name.name} is computed; it must be a field", window.position)
        found.append(column)
    width = common(found).width
    if sides[0].window.near + sides[0].window.slack >= 2**width:
        raise QueryError(f"RANGE + SLACK must be less than 2**{width}", sides[0].window.position)
    return found[0], found[1]


# ---- The comparison of the join


@dataclass(frozen=True)
class Compared:
    """What the join compares. conditions: those of ON that it implements."""

    predicate: str
    keys: tuple[Key, ...]
    limit: Value | None
    conditions: tuple[syntax.Expression, ...]


def _compared(conditions: list[syntax.Expression], sides: list[Side], position: Position) -> Compared:
    equal = [(c, key) for c in conditions if (key := _equality(c, sides))]
    if equal:
        return Compared("EQ", tuple(key for _, key in equal), None, tuple(c for c, _ in equal))
    for condition in conditions:
        if found := _equal_bits(condition, sides) or _near(condition, sides):
            return found
    raise QueryError(WANTED, position)


def _pair(one: syntax.Expression, other: syntax.Expression, sides: list[Side]) -> tuple | None:
    """Two expressions ordered as left side and right side, if each reads a different one."""
    read = [_qualified(expression, sides)[1] for expression in (one, other)]
    return {(0, 1): (one, other), (1, 0): (other, one)}.get(tuple(r.pop() if len(r) == 1 else -1 for r in read))


def _key(pair: tuple, sides: list[Side]) -> Key:
    columns = []
    for side, expression in zip(sides, pair, strict=True):
        column = side.scope.value(expression)
        if column.null:
            raise QueryError(
                f"{label(column)} may be null, and null equals nothing; filter out nulls in a sub-query",
                expression.position,
            )
        columns.append(column)
    left, right = columns
    texts = isinstance(left.type, Text) and isinstance(right.type, Text)
    if not texts and not same_kind([left.type, right.type]):
        why = f"cannot compare {left.type} with {right.type} in a JOIN; CAST one in a sub-query"
        raise QueryError(why, pair[1].position)
    return Key(left, right)


def _equality(condition: syntax.Expression, sides: list[Side]) -> Key | None:
    """The key of a = b, or of prefix(a, 24) = prefix(b, 24)."""
    if not (isinstance(condition, syntax.Operation) and condition.operator == "="):
        return None
    if bits := _bits(condition, sides):
        length = bits.length
        if isinstance(length, syntax.Name):
            return None
        if not 1 <= length.value <= ADDRESS_BITS:
            raise QueryError(f"a {bits.function} must have 1 to {ADDRESS_BITS} bits", length.position)
        return replace(_address(bits, sides), bits=length.value, of=bits.predicate)
    pair = _pair(*condition.operands, sides)
    return _key(pair, sides) if pair and not syntax.called([condition]) else None


@dataclass(frozen=True)
class Bits:
    """The condition prefix(a, n) = prefix(b, n), or one with another of `FUNCTIONS`. pair: a and b; length: n."""

    predicate: str
    pair: tuple
    length: syntax.Expression
    position: Position

    @property
    def function(self) -> str:
        return PREDICATES[self.predicate].function


def _bits(condition: syntax.Expression, sides: list[Side]) -> Bits | None:
    calls = condition.operands if isinstance(condition, syntax.Operation) else ()
    if not all(isinstance(call, syntax.Call) and call.function in FUNCTIONS for call in calls) or len(calls) != 2:
        return None
    function = calls[0].function
    if function != calls[1].function:
        return None
    if any(len(call.arguments) != 2 for call in calls):
        raise QueryError(f"{function} takes an address and a number of bits: {function}(a.x, 24)", condition.position)
    (one, length), (other, again) = (call.arguments for call in calls)
    plain = isinstance(length, syntax.Name) and length.runtime
    plain = plain or (isinstance(length, syntax.Literal) and type(length.value) is int)
    if not plain or replace(length, position=again.position) != again:
        which = f"{function} must have the same number of bits on both sides"
        raise QueryError(f"{which}, a number or a $name", again.position)
    pair = _pair(one, other, sides)
    return Bits(FUNCTIONS[function], pair, length, condition.position) if pair else None


def _address(bits: Bits, sides: list[Side]) -> Key:
    key = _key(bits.pair, sides)
    for column in (key.left, key.right):
        if column.type != Integer(0, 2**ADDRESS_BITS - 1):
            raise QueryError(f"{bits.function} takes a uint, not {column.type}", bits.position)
    return key


def _equal_bits(condition: syntax.Expression, sides: list[Side]) -> Compared | None:
    """prefix(a, $n) = prefix(b, $n)"""
    if not (isinstance(condition, syntax.Operation) and condition.operator == "="):
        return None
    if not (bits := _bits(condition, sides)):
        return None
    limit = Runtime(bits.length.name, of_bits(6, False))
    return Compared(bits.predicate, (_address(bits, sides),), limit, (condition,))


def _distance(condition: syntax.Expression) -> tuple[str, tuple[syntax.Expression, ...], syntax.Expression] | None:
    """The operator, the differences and c of abs(d) <= c or abs(d) + abs(e) < c, in either order."""
    if not isinstance(condition, syntax.Operation) or condition.operator not in FLIPPED:
        return None
    for operator, (one, other) in (
        (condition.operator, condition.operands),
        (FLIPPED[condition.operator], condition.operands[::-1]),
    ):
        parts = one.operands if isinstance(one, syntax.Operation) and one.operator == "+" else (one,)
        if all(isinstance(part, syntax.Operation) and part.operator == "abs" for part in parts):
            return operator, tuple(part.operands[0] for part in parts), other
    return None


def _near(condition: syntax.Expression, sides: list[Side]) -> Compared | None:
    """A band or a Manhattan distance."""
    if not (found := _distance(condition)) or found[0] not in ("<", "<="):
        return None
    operator, differences, limit = found
    subtracted = [d.operands for d in differences if isinstance(d, syntax.Operation) and d.operator == "-"]
    pairs = [_pair(*operands, sides) for operands in subtracted]
    if len(pairs) != len(differences) or not all(pairs):
        return None
    predicate, wanted = ("BAND", "<=") if len(pairs) == 1 else ("L1", "<")
    keys = tuple(_key(pair, sides) for pair in pairs)
    if not all(isinstance(key.left.type, Integer) for key in keys):
        raise QueryError("abs takes a difference of numbers", condition.position)
    if any(isinstance(key.left.type, Decimal) for key in keys):
        why = "a distance of decimals; CAST them in sub-queries to the integers that they are times a power of ten"
        raise QueryError(why, condition.position)
    if isinstance(limit, syntax.Name) and limit.runtime:
        if operator != wanted:
            raise QueryError(f"compare the distance with ${limit.name} by {wanted}, not {operator}", condition.position)
        return Compared(predicate, keys, Runtime(limit.name, of_bits(32, False)), (condition,))
    if not (isinstance(limit, syntax.Literal) and type(limit.value) is int):
        return None
    value = limit.value + (operator != wanted) * (1 if wanted == "<" else -1)
    if value < (wanted == "<"):
        raise QueryError("the condition is never true: no distance is that small", condition.position)
    return Compared(predicate, keys, Constant(value, Integer(value, value)), (condition,))


def _plain(condition: syntax.Expression) -> syntax.Expression:
    """A condition in which a distance is compared without abs: the sums of the differences, with either sign, are
    compared with the limit and its negative."""
    match condition:
        case syntax.Operation(operator="and" | "or" | "not", operands=parts):
            return replace(condition, operands=tuple(map(_plain, parts)))
    for call in syntax.called([condition]):
        hint = f"; ON can compare it with {call.function} of the other side" if call.function in FUNCTIONS else ""
        raise QueryError(f"{call.function} is not allowed here{hint}", call.position)
    found = _distance(condition)
    if not found or found[0] in ("=", "<>") or any(map(_absolute, (*found[1], found[2]))):
        return condition
    operator, differences, limit = found
    position = condition.position
    sums = [differences[0]]
    for difference in differences[1:]:
        sums = [syntax.Operation(position, sign, (total, difference)) for total in sums for sign in "+-"]
    negative = syntax.Operation(position, "-", (syntax.Literal(position, 0), limit))
    bounds = ((operator, limit), (FLIPPED[operator], negative))
    first, *others = (syntax.Operation(position, sign, (total, bound)) for total in sums for sign, bound in bounds)
    for other in others:
        first = syntax.Operation(position, "and" if operator in ("<", "<=") else "or", (first, other))
    return first


def _absolute(expression: syntax.Expression) -> bool:
    """Whether it contains abs."""
    operands = expression.operands if isinstance(expression, syntax.Operation) else ()
    return bool(operands) and (expression.operator == "abs" or any(map(_absolute, operands)))
