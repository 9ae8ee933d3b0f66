"""The logical plan: the streaming algebra of the dissertation's Table 7.1, with types, and how a query becomes one.

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
======================== ====================== ==================================================

A column that may be null has a companion that says so, and so has one that may have overflowed. A companion is a
Boolean column like any other, so that nulls need nothing of their own further down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import product
from operator import add, eq, ge, gt, le, lt, mul, ne, sub

from wirestream.compiler import joins, syntax
from wirestream.errors import Place, QueryError
from wirestream.schema.streams import Stream

MAX_BITS = 128  # of an intermediate value
MOST_VALUES = 256  # that a query computes: each is a node of its plan, through which every pass goes by recursion
APPLY = {"+": add, "-": sub, "*": mul, "=": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
AGGREGATES = ("count", "sum", "min", "max", "avg", "wsum", "first", "last")


# ---- Types


@dataclass(frozen=True)
class Integer:
    """Every integer from `low` to `high`."""

    low: int
    high: int

    @property
    def signed(self) -> bool:
        return self.low < 0

    @property
    def width(self) -> int:
        return max(1, self.high.bit_length() + self.signed, (~self.low).bit_length() + 1 if self.signed else 0)

    def __str__(self) -> str:
        return f"{'int' if self.signed else 'uint'}{self.width}"


@dataclass(frozen=True)
class Text:
    """`length` bytes; a shorter string is followed by zeros."""

    length: int
    signed = False

    @property
    def width(self) -> int:
        return 8 * self.length

    def __str__(self) -> str:
        return f"string({self.length})"


@dataclass(frozen=True)
class Boolean:
    signed = False
    width = 1

    def __str__(self) -> str:
        return "bool"


Type = Integer | Text | Boolean
LONG = Integer(-(2**63), 2**63 - 1)
COUNT = Integer(0, 2**63 - 1)
BOOLEAN = Boolean()


def of_bits(width: int, signed: bool) -> Integer:
    return Integer(-(2 ** (width - 1)), 2 ** (width - 1) - 1) if signed else Integer(0, 2**width - 1)


def of_field(declared: str) -> Type:
    """The type of a field of a stream's schema."""
    known = {"int": of_bits(32, True), "uint": of_bits(32, False), "long": LONG, "flags": of_bits(8, False)}
    return known[declared] if declared in known else Text(int(declared[7:-1]))


# ---- Values: what an operator reads


@dataclass(frozen=True)
class Constant:
    """A value known to the compiler; text as bytes."""

    value: int | bytes | bool
    type: Type

    def __str__(self) -> str:
        return f"'{self.value.rstrip(bytes(1)).decode()}'" if isinstance(self.value, bytes) else str(self.value)


@dataclass(frozen=True)
class Runtime:
    """A constant that is a register of the circuit."""

    name: str
    type: Type

    def __str__(self) -> str:
        return f"${self.name}"


@dataclass(frozen=True)
class Column:
    """A column. null, overflow: the name of its companion, if it has one."""

    name: str
    type: Type
    null: str | None = None
    overflow: str | None = None

    def __str__(self) -> str:
        return self.name


Value = Constant | Runtime | Column


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
        return {f.name: Column(f.name, of_field(f.type)) for f in self.stream.schema.fields}

    def __str__(self) -> str:
        return self.stream.schema.name


@dataclass(frozen=True)
class Compute(Plan):
    """output = a operator b. operator: ``+ - * div % = <> < <= > >= and or not beyond``; the last two have no b.

    `div` and `%` also make the column `null` of a division by zero. `beyond`: whether a does not fit a `long`.
    """

    child: Plan
    output: Column
    operator: str
    a: Value
    b: Value | None = None
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
    """outputs: the new columns, each with the value that it takes."""

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
        """As wide as the widest part, with a companion where any part has one."""
        columns: dict[str, Column] = {}
        for column in shown(self.parts[0]):
            of_parts = [part.columns[column.name] for part in self.parts]
            kind = column.type
            if isinstance(kind, Integer):
                kind = Integer(min(c.type.low for c in of_parts), max(c.type.high for c in of_parts))
            null = f"{column}.null" if any(c.null for c in of_parts) else None
            overflow = f"{column}.overflow" if any(c.overflow for c in of_parts) else None
            columns[column.name] = Column(column.name, kind, null, overflow)
            columns |= {n: Column(n, BOOLEAN) for n in (null, overflow) if n}
        return columns

    def __str__(self) -> str:
        return "∪"


@dataclass(frozen=True)
class Key:
    """What a JOIN compares of both sides. bits: only so many, the first ones; None: all."""

    left: Column
    right: Column
    bits: int | None = None

    def __str__(self) -> str:
        if self.bits is not None:
            return f"prefix({self.left}, {self.bits}) = prefix({self.right}, {self.bits})"
        return f"{self.left} = {self.right}"


@dataclass(frozen=True)
class Join(Plan):
    """Pairs that pass a predicate, and of which the earlier tuple is in its window when the later one comes.

    predicate, limit: of ws_predicate; L1 has two keys, EQ any number, BAND and PFX one. times: with a window in time.
    The names of columns begin with those of their side, and a dot.
    """

    left: Plan
    right: Plan
    window: syntax.JoinWindow
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
        return f"⋈ {joins.window_text(self.window)} {joins.predicate_text(self)}"


@dataclass(frozen=True)
class Measure:
    """One aggregate. function: ``count sum min max first last wsum``. value: None counts tuples.

    weights: of wsum, integers, newest first; the result is 2**scale times the weighted sum.
    """

    output: Column
    function: str
    value: Column | None = None
    weights: tuple[int, ...] = ()
    scale: int = 0

    def __str__(self) -> str:
        return str(self.output)


@dataclass(frozen=True)
class Aggregate(Plan):
    """The measures of each window of `child` and each value of `keys`. end: the column with a time window's end."""

    child: Plan
    window: syntax.Window
    end: Column | None
    keys: tuple[Column, ...]
    measures: tuple[Measure, ...]

    @property
    def columns(self) -> dict[str, Column]:
        columns = {c.name: c for c in (*([self.end] if self.end else []), *self.keys)}
        for output in (m.output for m in self.measures):
            made = [n for n in (output.null, output.overflow) if n]
            columns |= {output.name: output, **{n: Column(n, BOOLEAN) for n in made}}
        return columns

    def __str__(self) -> str:
        keys = " by " + ", ".join(map(str, self.keys)) if self.keys else ""
        return f"⊞ {window_text(self.window)}{keys}: {', '.join(map(str, self.measures))}"


def window_text(window: syntax.Window) -> str:
    if window.unit == "tuples":
        return f"[SIZE {window.size} ADVANCE {window.advance} TUPLES]"
    if window.session:
        return f"[SESSION GAP {window.size} WATTR {window.attribute} SLACK {window.slack}]"
    return f"[RANGE {window.size} SLIDE {window.advance} WATTR {window.attribute} SLACK {window.slack}]"


def label(value: Value) -> str:
    """A value as a person reads it: an expression without the parentheses around it."""
    text = str(value)
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def walk(plan: Plan):
    """The nodes of a plan, inputs first."""
    for child in plan.inputs:
        yield from walk(child)
    yield plan


def constant_answers(plan: Plan) -> list[str]:
    """A line for each comparison whose answer does not depend on the tuple, because of what its column can hold."""
    found = {}
    for node in walk(plan):
        if isinstance(node, Compute) and isinstance(node.a.type, Integer) and node.operator in ANSWERS:
            a, b = node.a.type, node.b.type
            always, never = ANSWERS[node.operator]
            column = node.b if isinstance(node.a, Constant) else node.a
            if isinstance(column, Column) and (always(a, b) or never(a, b)):
                known = f"{label(column)} is {column.type.low} to {column.type.high}"
                found[f"{label(node.output)} is always {str(always(a, b)).lower()}: {known}"] = None
    return list(found)


# Whether a comparison is true, and whether it is false, of any values of two ranges.
ANSWERS: dict[str, tuple[Callable[[Integer, Integer], bool], Callable[[Integer, Integer], bool]]] = {
    "=": (lambda a, b: a.low == a.high == b.low == b.high, lambda a, b: a.high < b.low or b.high < a.low),
    "<": (lambda a, b: a.high < b.low, lambda a, b: a.low >= b.high),
    "<=": (lambda a, b: a.high <= b.low, lambda a, b: a.low > b.high),
}
ANSWERS |= {"<>": ANSWERS["="][::-1], ">": ANSWERS["<="][::-1], ">=": ANSWERS["<"][::-1]}


def timing(plan: Plan) -> syntax.Window | None:
    """The window in time of a plan, over the stream's own attribute, if it has one."""
    for node in walk(plan):
        if isinstance(node, Aggregate) and node.window.in_time:
            return replace(node.window, attribute=origin(node.child, node.window.attribute))
    return None


def origin(plan: Plan, column: str) -> str | None:
    """The field of the stream that a column is, unaltered; None if it is computed."""
    match plan:
        case Input():
            return column
        case Union(parts=parts):
            origins = {origin(part, column) for part in parts}
            return origins.pop() if len(origins) == 1 else None
        case Project(outputs=outputs):
            value = next(v for c, v in outputs if c.name == column)
            return origin(plan.child, value.name) if isinstance(value, Column) else None
        case Compute(output=output):
            return None if column in (output.name, output.null) else origin(plan.child, column)
        case Filter():
            return origin(plan.child, column)
    return None


def condition(plan: Plan) -> Plan | None:
    """The part of a plan, made of one stream, that decides which tuples go on; None if all do."""

    def kept(node: Plan, needed: set[str]) -> Plan:
        match node:
            case Filter(child=child, condition=column):
                return Filter(kept(child, needed | {column.name}), column)
            case Project(child=child, outputs=outputs):
                outputs = tuple((column, value) for column, value in outputs if column.name in needed)
                below = kept(child, {value.name for _, value in outputs if isinstance(value, Column)})
                return Project(below, outputs) if outputs else below
            case Compute(child=child, output=output):
                made = {output.name, *([output.null] if node.makes_null else [])}
                if not made & needed:
                    return kept(child, needed)
                operands = {value.name for value in (node.a, node.b) if isinstance(value, Column)}
                return replace(node, child=kept(child, needed - made | operands))
        return node

    return kept(plan, set()) if any(isinstance(node, Filter) for node in walk(plan)) else None


def unconditional(plan: Plan) -> Plan:
    """The plan of the same columns of all tuples."""
    if isinstance(plan, Input):
        return plan
    child = unconditional(plan.child)
    return child if isinstance(plan, Filter) else replace(plan, child=child)


def behind_entry(plan: Plan) -> Plan:
    """What is left of a plan for the circuit, whose entry lets in only the tuples of sessions: no condition in front of
    those."""
    match plan:
        case Union(parts=parts):
            return Union(tuple(map(behind_entry, parts)))
        case Aggregate(window=window) if window.session:
            return replace(plan, child=unconditional(plan.child))
        case Input() | Join():
            return plan
    return replace(plan, child=behind_entry(plan.child))


# ---- From the syntax tree


def build(query: syntax.Query, streams: dict[str, Stream]) -> Plan:
    """The plan of a query over the declared streams; raises `QueryError` for what has no meaning or needs no bound."""
    place = query.body[0].place
    plan = _union([_select(select, streams) for select in query.body], place)
    read = sorted({str(node) for node in walk(plan) if isinstance(node, Input)})
    if len(read) > 1 and not any(isinstance(node, Join) for node in walk(plan)):
        raise QueryError(f"a query reads one stream, not {len(read)} ({', '.join(read)}); JOIN reads two", place)
    timed = [node for node in walk(plan) if isinstance(node, Aggregate) and node.window.in_time]
    if (several := len({node.window for node in timed})) > 1:
        raise QueryError(f"a query has one window in time, not {several}; write two queries", place)
    if timed and timed[0].window.session:
        kept = {condition(node.child) for node in timed}
        others = sum(isinstance(node, Input) for node in walk(plan)) > len(timed)
        if len(kept) > 1 or (others and kept != {None}):
            raise QueryError("a UNION with sessions of other tuples, which end apart; write two queries", place)
    return plan


def _union(parts: list[Plan], place: Place) -> Plan:
    first, *others = parts
    if not others:
        return first
    if any(isinstance(node, Join) for part in parts for node in walk(part)):
        raise QueryError("a UNION with a JOIN, whose rows may all come at once; write two queries", place)
    for other in others:
        if [c.name for c in shown(other)] != [c.name for c in shown(first)]:
            raise QueryError("the parts of a UNION have the same columns, in the same order", place)
    for column in shown(first):
        kinds = [part.columns[column.name].type for part in parts]
        if len(set(kinds)) > 1 and not all(isinstance(kind, Integer) for kind in kinds):
            raise QueryError(f"the parts of a UNION disagree about {column}: {', '.join(map(str, kinds))}", place)
    return Union(tuple(parts))


def shown(plan: Plan) -> list[Column]:
    """The columns that a person sees: no companions."""
    return [column for column in plan.columns.values() if not hidden(column.name)]


def _bare(name: str) -> str:
    """A column's name without that of its side of a JOIN."""
    return name.rpartition(".")[2]


def hidden(name: str) -> bool:
    """Whether a column serves nulls or overflow, and is not in the query."""
    return name.startswith(".") or name.endswith((".null", ".overflow"))


def _select(select: syntax.Select, streams: dict[str, Stream]) -> Plan:
    if select.other is not None:
        return joins.select(select, streams)
    source = select.source
    if isinstance(source.window, syntax.JoinWindow):
        raise QueryError(
            "a window of a JOIN, and here is none; else [RANGE 600 SLIDE 60 WATTR Time] or [SIZE 4 ADVANCE 1 TUPLES]",
            source.window.place,
        )
    if source.alias:
        raise QueryError(f"AS {source.alias} names a side of a JOIN, and here is none", source.place)
    before = Scope(read(source, streams))
    if select.where is not None:
        before.keep(select.where)
    calls = called([item.expression for item in select.items if item.expression] + [select.having])
    for call in calls:
        _check_known(call)
    if source.window is None:
        if calls:
            raise QueryError(
                f"{calls[0].function} without a window would never end; add one behind FROM", calls[0].place
            )
        if select.group:
            raise QueryError("GROUP BY without a window would never end; add one behind FROM", select.group[0].place)
        if select.having is not None:
            raise QueryError("HAVING is for aggregates; WHERE selects tuples", select.having.place)
        return before.project(select.items)
    if not calls:
        raise QueryError("a window without an aggregate in SELECT", source.window.place)
    after = _aggregate(before, source.window, select, calls)
    if select.having is not None:
        after.keep(select.having)
    return after.project(select.items)


def read(source: syntax.Source, streams: dict[str, Stream]) -> Plan:
    """The plan of what stands behind FROM."""
    if source.stream is not None:
        if source.stream not in streams:
            known = ", ".join(streams) or "no stream"
            raise QueryError(f"unknown stream {source.stream}; known: {known}", source.place)
        return Input(streams[source.stream])
    return _union([_select(part, streams) for part in source.subquery], source.place)


def called(expressions: list[syntax.Expression | None]) -> list[syntax.Call]:
    found: list[syntax.Call] = []
    for expression in expressions:
        if isinstance(expression, syntax.Call):
            found.append(expression)
        elif isinstance(expression, syntax.Operation):
            found += called(list(expression.operands))
    return found


def _aggregate(before: Scope, window: syntax.Window, select: syntax.Select, calls: list[syntax.Call]) -> Scope:
    """The scope behind the window: its columns are the keys, the end and what the calls stand for."""
    keys = tuple(before.column(name) for name in select.group)
    for key, name in zip(keys, select.group, strict=True):
        if key.null:
            raise QueryError(
                f"{key} may be null, and a group has a value; leave the nulls out in a sub-query", name.place
            )
        if keys.count(key) > 1:
            raise QueryError(f"{key} is named twice in GROUP BY", name.place)
    if keys and window.emit_empty:
        raise QueryError("EMIT_EMPTY with GROUP BY: an empty window has no groups", window.place)
    if any(isinstance(node, Join) for node in walk(before.plan)):
        raise QueryError(joins.AGGREGATED, window.place)
    if any(isinstance(node, Union) for node in walk(before.plan)):
        raise QueryError("a window over a UNION, whose order is not promised; put one into each part", window.place)
    if keys and window.session:
        raise QueryError(
            "GROUP BY with SESSION: each key would have sessions of its own, which end apart; select one key by WHERE",
            select.group[0].place,
        )
    end = None
    if window.in_time:
        inputs = [node for node in walk(before.plan) if isinstance(node, Input)]
        attribute = window.attribute or inputs[0].stream.time
        if attribute is None:
            raise QueryError(f"stream {inputs[0]} has no time attribute; name one with WATTR", window.place)
        window = replace(window, attribute=attribute)
        found = before.column(syntax.Name(window.place, attribute))
        if not isinstance(found.type, Integer):
            raise QueryError(f"the windowing attribute {attribute} is a {found.type}, not a number", window.place)
        _check_times(window, found)
        if any(isinstance(node, Aggregate) for node in walk(before.plan)):
            raise QueryError("a window in time over the rows of another window; take one of TUPLES", window.place)
        field = origin(before.plan, attribute)
        if field is None:
            raise QueryError(
                f"the windowing attribute {attribute} is computed; it is a field of the stream", window.place
            )
        for key, name in zip(keys, select.group, strict=True):
            if origin(before.plan, key.name) == field:
                raise QueryError(f"GROUP BY {key}, the windowing attribute; a row has its window's end", name.place)
        end = Column(attribute, found.type)
    measures: dict[str, Measure] = {}
    results: dict[syntax.Call, tuple[Measure, ...]] = {}
    for call in calls:
        functions = ("sum", "count") if call.function == "avg" else (call.function,)
        results[call] = tuple(_measure(before, call, function, window) for function in functions)
        measures |= {measure.output.name: measure for measure in results[call]}
    flags = {m.value.overflow: _any_overflow(m.value) for m in measures.values() if m.value and m.value.overflow}
    measures |= {flag.output.name: flag for flag in flags.values()}
    after = Scope(Aggregate(before.plan, window, end, keys, tuple(measures.values())), results)
    for call, parts in results.items():  # what is aggregated from an overflown value has overflown
        results[call] = tuple(after.flagged(m, flags.get(m.value and m.value.overflow)) for m in parts)
    return after


def _check_times(window: syntax.Window, attribute: Column) -> None:
    """Whether the punctuator can count the window's times."""
    most = 2 ** (min(attribute.type.width, 32) - 1) - 1
    spans = ("GAP and SLACK", 0) if window.session else ("length, distance and SLACK of the window", window.advance)
    times = {spans[0]: window.size + spans[1] + window.slack, "MAX_AHEAD": window.max_ahead, "START": window.start or 0}
    for name, value in times.items():
        if value > most:
            raise QueryError(f"{name}: {value}; over {attribute} it can be {most} at most", window.place)


def _any_overflow(value: Column) -> Measure:
    """Whether a value of the window has overflown: the greatest of its flags."""
    flag = Column(value.overflow, Integer(0, 1))
    return Measure(Column(f".max({flag})", Integer(0, 1)), "max", flag)


def _check_known(call: syntax.Call) -> None:
    if call.function not in AGGREGATES:
        raise QueryError(f"unknown function {call.function}; known: {', '.join(AGGREGATES)}", call.place)


def _measure(before: Scope, call: syntax.Call, function: str, window: syntax.Window) -> Measure:
    if bool(call.weights) != (function == "wsum"):
        raise QueryError("wsum, and only wsum, has weights: wsum(Price, [.5, .25, .25])", call.place)
    if len(call.arguments) != 1 and (call.arguments or call.function != "count"):
        raise QueryError(f"{call.function} is of one column", call.place)
    value = before.as_column(call.arguments[0]) if call.arguments else None
    name = f"{function}({value or '*'})" if not call.weights else f"wsum({value}, {[float(w) for w in call.weights]})"
    if function == "count":
        return Measure(Column(name, COUNT, None, f"{name}.overflow"), "count", value)
    if isinstance(value.type, Boolean) or (not isinstance(value.type, Integer) and function not in ("first", "last")):
        raise QueryError(f"{call.function} of a {value.type}; it takes numbers", call.place)
    null = f"{name}.null" if value.null or window.emit_empty else None
    if function in ("min", "max", "first", "last"):
        return Measure(Column(name, value.type, null), function, value)
    if function == "sum":
        # as wide as the tuples of the window need, or 2**32 of them; a row takes 64 bits of it
        tuples = min(window.size, 2**32) if window.unit == "tuples" else 2**32
        kind = of_bits(max(64, Integer(tuples * value.type.low, tuples * value.type.high).width), value.type.signed)
        return Measure(Column(name, _fits(kind, call.place), null, f"{name}.overflow"), "sum", value)
    weights, scale = _scaled(call.weights, call.place)
    low = sum(min(w * value.type.low, w * value.type.high, 0) for w in weights)
    high = sum(max(w * value.type.low, w * value.type.high, 0) for w in weights)
    return Measure(Column(name, _fits(Integer(low, high), call.place), null), "wsum", value, weights, scale)


def _scaled(weights: tuple[Decimal, ...], place: Place) -> tuple[tuple[int, ...], int]:
    """Weights as integers, and the power of two that they are multiplied by."""
    for scale in range(25):
        whole = [w * 2**scale for w in weights]
        if all(w == int(w) for w in whole):
            return tuple(map(int, whole)), scale
    raise QueryError("a weight is not a multiple of 2**-24, so its product would not be exact", place)


def _fits(kind: Integer, place: Place) -> Integer:
    if kind.width > MAX_BITS:
        raise QueryError(f"a value of {kind.width} bits; at most {MAX_BITS} can be computed", place)
    return kind


@dataclass
class Scope:
    """Where expressions are lowered: each operation becomes a Compute on top of `plan`, equal ones only once.

    results: what an aggregate's call stands for, behind a window; a pair is the sum and the count of an avg.
    """

    plan: Plan
    results: dict[syntax.Call, tuple[Measure, ...]] | None = None
    made: dict[str, Column] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._below = sum(isinstance(node, Compute) for node in walk(self.plan))

    def keep(self, condition: syntax.Expression) -> None:
        value = self.value(condition)
        if not isinstance(value.type, Boolean):
            raise QueryError(f"a condition, but this is {value.type}", condition.place)
        if isinstance(value, Column) and value.null:  # a null is not true; the value beside it is then 0
            value = replace(value, null=None)
        if not isinstance(value, Column):
            value = self._compute("or", value, value)
        self.plan = Filter(self.plan, value)

    def project(self, items: tuple[syntax.Item, ...]) -> Plan:
        outputs: dict[str, tuple[Column, Value]] = {}
        for item in items:
            if item.expression is None:
                if self.results is not None:
                    raise QueryError("* beside a window; name the columns", item.place)
                named = [(_bare(c.name), c) for c in shown(self.plan) if c.name not in self.made]
            else:
                own = _bare(item.expression.name) if isinstance(item.expression, syntax.Name) else None
                alias = item.alias or own
                if alias is None:
                    raise QueryError("an expression needs a name: … AS Name", item.place)
                named = [(alias, self.value(item.expression))]
            for name, value in [(name, self._in_a_row(value)) for name, value in named]:
                if name in outputs:
                    raise QueryError(f"two columns are called {name}", item.place)
                null = getattr(value, "null", None)
                overflow = getattr(value, "overflow", None)
                column = Column(name, value.type, null and f"{name}.null", overflow and f"{name}.overflow")
                outputs[name] = column, value
                for companion, origin in ((column.null, null), (column.overflow, overflow)):
                    if companion:
                        outputs[companion] = Column(companion, BOOLEAN), Column(origin, BOOLEAN)
        return Project(self.plan, tuple(outputs.values()))

    def _in_a_row(self, value: Value) -> Value:
        """A value as a row shows it: in 64 bits, with the overflow flag where they are too few."""
        if not isinstance(value, Column) or not isinstance(value.type, Integer):
            return value
        beyond = [Column(value.overflow, BOOLEAN)] if value.overflow else []
        if value.type.low < LONG.low or value.type.high > LONG.high:
            plain = replace(value, null=None, overflow=None)
            beyond.append(self._compute("beyond", plain, None, hidden=True))
        overflow = self._either(beyond)
        return replace(value, overflow=overflow and overflow.name)

    def flagged(self, measure: Measure, beyond: Measure | None) -> Measure:
        """The measure, overflown too where `beyond` says so."""
        if beyond is None:
            return measure
        output = measure.output
        flags = [Column(flag, BOOLEAN) for flag in (output.overflow, beyond.output.name) if flag]
        return replace(measure, output=replace(output, overflow=self._either(flags).name))

    # ---- expressions

    def column(self, name: syntax.Name, beside: Type | None = None) -> Column:
        if name.name in self.plan.columns:
            return self.plan.columns[name.name]
        known = ", ".join(c.name for c in shown(self.plan) if c.name not in self.made and not set(c.name) & set("( "))
        if self.results is not None:
            raise QueryError(
                f"{name.name} is neither aggregated nor a key nor the windowing attribute ({known})", name.place
            )
        quoted = f"; a string stands in quotes, '{name.name}'" if isinstance(beside, Text) else ""
        raise QueryError(f"unknown column {name.name}; known: {known}{quoted}", name.place)

    def as_column(self, expression: syntax.Expression) -> Column:
        value = self.value(expression)
        if not isinstance(value, Column):
            raise QueryError("an aggregate of a constant", expression.place)
        return value

    def value(self, expression: syntax.Expression, beside: Type | None = None) -> Value:
        """What an expression stands for. beside: the type of the value that it is compared or combined with."""
        match expression:
            case syntax.Literal(value=bool(value)):
                return Constant(value, BOOLEAN)
            case syntax.Literal(value=int(value)):
                return Constant(value, _fits(Integer(value, value), expression.place))
            case syntax.Literal(value=value):
                return Constant(value, Text(len(value)))
            case syntax.Name(name=name, runtime=True):
                return Runtime(name, beside or of_bits(32, True))
            case syntax.Name():
                return self.column(expression, beside)
            case syntax.Call() if self.results is None:
                _check_known(expression)
                raise QueryError(
                    f"{expression.function} belongs into SELECT or HAVING of a query with a window", expression.place
                )
            case syntax.Call():
                found = self.results[expression]
                return found[0].output if len(found) == 1 else self._average(*found)
            case _ if self._below + len(self.made) >= MOST_VALUES:
                why = "each operator is one, and each flag of a null or an overflow"
                raise QueryError(f"a query computes at most {MOST_VALUES} values: {why}", expression.place)
            case syntax.Operation(operator="not", operands=(operand,)):
                return self._not(self._boolean(operand))
            case syntax.Operation(operator="and" | "or" as operator, operands=(left, right)):
                return self._logic(operator, self._boolean(left), self._boolean(right))
            case syntax.Operation(operator=operator, operands=(left, right)):
                if isinstance(left, syntax.Name) and left.runtime:
                    second = self.value(right)
                    first = self.value(left, second.type)
                else:
                    first = self.value(left)
                    second = self.value(right, first.type)
                if operator in ("+", "-", "*", "div", "%"):
                    return self._arithmetic(operator, first, second, expression.place)
                return self._comparison(operator, first, second, expression.place)
        raise AssertionError(expression)

    def _boolean(self, expression: syntax.Expression) -> Value:
        value = self.value(expression, BOOLEAN)
        if not isinstance(value.type, Boolean):
            raise QueryError(f"AND, OR and NOT are of conditions, but this is {value.type}", expression.place)
        return value

    def _arithmetic(self, operator: str, a: Value, b: Value, place: Place) -> Value:
        if not (isinstance(a.type, Integer) and isinstance(b.type, Integer)):
            raise QueryError(f"{operator} of {a.type} and {b.type}; both are numbers", place)
        if operator in ("div", "%"):
            return self._divided(operator, a, b, place)
        corners = [APPLY[operator](x, y) for x, y in product((a.type.low, a.type.high), (b.type.low, b.type.high))]
        return self._compute(operator, a, b, _fits(Integer(min(corners), max(corners)), place))

    def _divided(self, operator: str, a: Value, b: Value, place: Place) -> Value:
        most = max(abs(a.type.low), abs(a.type.high))
        if operator == "div":
            kind = Integer(-most if a.type.signed or b.type.signed else 0, most)
        else:
            most = max(min(most, max(abs(b.type.low), abs(b.type.high)) - 1), 0)
            kind = Integer(-most if a.type.signed else 0, most)
        return self._compute(operator, a, b, _fits(kind, place), may_be_null=b.type.low <= 0 <= b.type.high)

    def _average(self, total: Measure, count: Measure) -> Column:
        """sum div count, which is between the least and the greatest value; without values it is null."""
        number = replace(count.output, overflow=None)
        return self._compute("div", total.output, number, total.value.type, may_be_null=True)

    def _comparison(self, operator: str, a: Value, b: Value, place: Place) -> Value:
        if type(a.type) is not type(b.type):
            raise QueryError(f"{operator} of {a.type} and {b.type}; both are of the same kind", place)
        if isinstance(a.type, Boolean) and operator not in ("=", "<>"):
            raise QueryError(f"{operator} of conditions; only = and <> are known", place)
        if isinstance(a.type, Text):
            for one, other in ((a, b), (b, a)):
                if isinstance(one, Constant) and one.type.length > other.type.length:
                    raise QueryError(
                        f"{one} has {one.type.length} characters, {other} at most {other.type.length}", place
                    )
            length = max(a.type.length, b.type.length)
            a, b = (_padded(value, length) for value in (a, b))
            if a.type.length != b.type.length:
                raise QueryError(f"{operator} of {a.type} and {b.type}; strings are compared at equal lengths", place)
        found = self._compute(operator, a, b, BOOLEAN)
        return self._zero_if_null(found)

    def _not(self, a: Value) -> Value:
        found = self._compute("not", a, None, BOOLEAN)
        return self._zero_if_null(found)

    def _logic(self, operator: str, a: Value, b: Value) -> Value:
        """AND and OR with nulls: null unless the other side decides."""
        plain = [replace(v, null=None) if isinstance(v, Column) else v for v in (a, b)]
        value = self._compute(operator, *plain, BOOLEAN)
        nulls = [Column(v.null, BOOLEAN) if isinstance(v, Column) and v.null else None for v in (a, b)]
        if not any(nulls):
            return value
        if operator == "or":  # null if one is null and the result is not true
            either = self._either(nulls)
            null = self._compute("and", either, self._compute("not", value, None, hidden=True), hidden=True)
        else:  # null if one is null and the other is null or true
            unknown = [self._either([p, n]) if n else p for p, n in zip(plain, nulls, strict=True)]
            null = self._compute("and", self._either(nulls), self._compute("and", *unknown, hidden=True), hidden=True)
        return replace(value, null=null.name)

    def _zero_if_null(self, column: Column) -> Column:
        """A condition whose value is 0 where it is null."""
        if not column.null:
            return column
        known = self._compute("not", Column(column.null, BOOLEAN), None, hidden=True)
        return replace(self._compute("and", replace(column, null=None), known, BOOLEAN), null=column.null)

    def _compute(
        self,
        operator: str,
        a: Value,
        b: Value | None,
        kind: Type = BOOLEAN,
        *,
        may_be_null: bool = False,
        hidden: bool = False,
    ) -> Column:
        """The column `a operator b`, with companions where an operand has one; made only if it is new.

        hidden: it is not in the query, but serves nulls or overflow.
        """
        operands = [v for v in (a, b) if isinstance(v, Column)]
        nulls = [Column(v.null, BOOLEAN) for v in operands if v.null]
        overflows = [Column(v.overflow, BOOLEAN) for v in operands if v.overflow]
        text = "." * hidden + (f"({a} {operator} {b})" if b is not None else f"({operator} {a})")
        if text in self.made:
            return self.made[text]
        own = f"{text}.null" if may_be_null else None
        column = Column(text, kind, own)
        plain = [replace(v, null=None, overflow=None) if isinstance(v, Column) else v for v in (a, b)]
        self.plan = Compute(self.plan, column, operator, *plain, makes_null=may_be_null)
        null = self._either([own and Column(own, BOOLEAN), *nulls])
        overflow = self._either(overflows)
        self.made[text] = replace(column, null=null and null.name, overflow=overflow and overflow.name)
        return self.made[text]

    def _either(self, flags: list[Value | None]) -> Value | None:
        """One flag for those that there are, each once."""
        found: Value | None = None
        for flag in {str(f): f for f in flags if f}.values():
            found = flag if found is None else self._compute("or", found, flag, hidden=True)
        return found


def _padded(value: Value, length: int) -> Value:
    if isinstance(value, Constant):
        return Constant(value.value.ljust(length, b"\0"), Text(length))
    return value
