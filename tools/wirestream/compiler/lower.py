"""From the syntax tree of a query to its plan, in which every name is a column and every value has a type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal as Number

from wirestream.compiler import (
    approximate,
    bounds,
    counted,
    decimals,
    distinct,
    joins,
    names,
    numbering,
    percentiles,
    spelling,
    syntax,
    units,
)
from wirestream.compiler.aggregates import FUNCTIONS
from wirestream.compiler.analysis import check_time, condition, origin
from wirestream.compiler.composed import COMPOSED, Part, most_tuples
from wirestream.compiler.ordered import Numbered, SortKey
from wirestream.compiler.plan import Aggregate, Column, Input, Join, Measure, Plan, Union, Windowed, label, shown, walk
from wirestream.compiler.scope import Scope, check_known
from wirestream.compiler.types import BOOLEAN, COUNT, Decimal, Integer, fits, of_bits, same_kind
from wirestream.errors import Position, QueryError
from wirestream.schema.streams import Stream

END = ".end"  # of a window in time, next to its tuples
NUMBER = "ROW_NUMBER()"  # of a row in its partition


def build(query: syntax.Query, streams: dict[str, Stream]) -> Plan:
    """The plan of a query over the declared streams; raises `QueryError` if the query is invalid or unbounded."""
    columns = {name: [field.name for field in stream.schema.fields] for name, stream in streams.items()}
    query = units.resolve(numbering.resolve(spelling.resolve(query, columns)), streams)
    position = query.body[0].position
    plan = _union([_select(select, streams, outermost=True) for select in query.body], position)
    read = sorted({str(node) for node in walk(plan) if isinstance(node, Input)})
    if len(read) > 1 and not any(isinstance(node, Join) for node in walk(plan)):
        raise QueryError(f"the query reads {len(read)} streams ({', '.join(read)}); only a JOIN reads two", position)
    timed = [node for node in walk(plan) if isinstance(node, Aggregate | Windowed) and node.window.in_time]
    if (several := len({node.window for node in timed})) > 1:
        raise QueryError(f"the query has {several} windows in time, not one; write two queries", position)
    if timed and timed[0].window.session:
        kept = {condition(node.child) for node in timed}
        others = sum(isinstance(node, Input) for node in walk(plan)) > len(timed)
        if len(kept) > 1 or (others and kept != {None}):
            raise QueryError("a UNION of sessions over different tuples, which end apart; write two queries", position)
    return plan


def _union(parts: list[Plan], position: Position) -> Plan:
    first, *others = parts
    if not others:
        return first
    if any(isinstance(node, Join) for part in parts for node in walk(part)):
        raise QueryError("a UNION with a JOIN, whose rows may leave in one burst; write two queries", position)
    for other in others:
        if [c.name for c in shown(other)] != [c.name for c in shown(first)]:
            raise QueryError("the parts of a UNION must have the same columns in the same order", position)
    for column in shown(first):
        kinds = [part.columns[column.name].type for part in parts]
        if not same_kind(kinds):
            types = ", ".join(map(str, kinds))
            raise QueryError(f"{column} has different types in a UNION: {types}; CAST one to the other", position)
    return Union(tuple(parts))


def _select(select: syntax.Select, streams: dict[str, Stream], outermost: bool = False) -> Plan:
    _check_order(select, outermost)
    if select.other is not None:
        return joins.select(select, lambda source: _read(source, streams))
    source = select.source
    if isinstance(source.window, syntax.JoinWindow):
        raise QueryError(
            "this window needs a JOIN; without one write [RANGE 600 SLIDE 60 WATTR Time] or [SIZE 4 ADVANCE 1 TUPLES]",
            source.window.position,
        )
    before = Scope(_read(source, streams))
    if select.where is not None:
        before.keep(select.where)
    orders, select = names.orders(select), names.of_distinct(select)
    calls = select.calls
    for call in calls:
        check_known(call)
    if source.window is None:
        if calls:
            raise QueryError(
                f"{calls[0].function} without a window would never end; add a window after FROM", calls[0].position
            )
        if select.group:
            which = "DISTINCT" if select.unique else "GROUP BY"
            why = f"{which} without a window would never end; add a window after FROM"
            raise QueryError(why, select.group[0].position)
        if select.having is not None:
            raise QueryError("HAVING needs an aggregate; select tuples with WHERE", select.having.position)
        return before.project(select.items)
    if select.first:
        return _first_tuples(before, source.window, select)
    if select.of_tuples:
        return _sorted_tuples(before, source.window, select, orders)
    if not calls and select.group:
        calls = [syntax.Call(select.position, "count", ())]  # no row has it
    if not calls:
        why = "a window needs an aggregate in SELECT, such as count(*) or last(Price), or ORDER BY and LIMIT"
        raise QueryError(why, source.window.position)
    after = _aggregate(before, source.window, select, calls)
    if select.having is not None:
        after.keep(select.having)
    if select.limit and (select.limit.count == 0 or (select.limit.offset and not select.group)):
        after.keep(syntax.Literal(select.limit.position, False))  # no row, or not the only one
    elif select.group:
        after.sort(after.keys_of(orders, select.order), select.limit)
    return after.project(select.items)


def _check_order(select: syntax.Select, outermost: bool) -> None:
    """Raise `QueryError` for an ORDER BY or a LIMIT that has no meaning."""
    if not select.sorted:
        return
    position = select.order[0].expression.position if select.order else select.limit.position
    which = "ORDER BY" if select.order else "LIMIT and OFFSET"
    if select.other is not None:
        raise QueryError(f"{which} over a JOIN, whose pairs never end; they are for the rows of a window", position)
    if select.source.window is None:
        why = f"{which} without a window would never end; a window after FROM gives rows to sort each time it ends"
        raise QueryError(why, position)
    if select.order and not select.limit and not outermost:
        raise QueryError("ORDER BY in a sub-query without LIMIT, which changes nothing for the query around", position)


def _read(source: syntax.Source, streams: dict[str, Stream]) -> Plan:
    """The plan of a stream or a sub-query."""
    if source.stream is not None:
        if source.stream not in streams:
            known = ", ".join(streams) or "no stream"
            raise QueryError(f"unknown stream {source.stream}; known: {known}", source.position)
        return Input(streams[source.stream])
    return _union([_select(part, streams) for part in source.subquery], source.position)


# ---- A window


def _sorted_tuples(
    before: Scope, window: syntax.Window, select: syntax.Select, orders: list[syntax.Expression]
) -> Plan:
    """The plan of the first tuples of each window."""
    if window.session or window.emit_empty:
        which = "SESSION" if window.session else "EMIT_EMPTY"
        raise QueryError(
            f"ORDER BY and LIMIT of the tuples of a window with {which}; of GROUP BY rows only", window.position
        )
    window, end = _timed(before, window)
    keys = _varying(before, orders, select.order)
    if not keys and not select.limit:
        why = "ORDER BY of what is the same for all tuples of a window; name a column that differs, or add LIMIT"
        raise QueryError(why, orders[0].position)
    made = {"made": before.made, "flags": before.flags}
    after = Scope(Windowed(before.plan, window, end), window=(end, window) if end else None, **made)
    if select.limit and select.limit.count == 0:
        after.keep(syntax.Literal(select.limit.position, False))
    else:
        after.sort(keys, select.limit, end)
    return after.project(select.items)


def _first_tuples(before: Scope, window: syntax.Window, select: syntax.Select) -> Plan:
    """The plan of the first tuples of each partition of each window, with their numbers."""
    number, most = select.first.number, select.first.most
    if window.session or window.emit_empty:
        which = "SESSION" if window.session else "EMIT_EMPTY"
        raise QueryError(f"ROW_NUMBER() of the tuples of a window with {which}", window.position)
    window, end = _timed(before, window)
    by = bounds.without(number.partition, before.plan.columns) if window.in_time else number.partition
    if not by:
        why = f"without PARTITION BY: ORDER BY … LIMIT {most} gives the same rows, in this order"
        raise QueryError(f"ROW_NUMBER() {why}", number.position)
    partition = dict.fromkeys(_key(before, expression, "PARTITION BY") for expression in by)
    beyond = (Column(key.overflow, BOOLEAN) for key in partition if key.overflow)
    keys = _varying(before, number.keys, number.order)
    numbers = Column(NUMBER, Integer(1, most))
    plan = Numbered(Windowed(before.plan, window, end), (*partition, *beyond), tuple(keys), most, numbers)
    made = {"made": before.made, "flags": before.flags}
    after = Scope(plan, window=(end, window) if end else None, number=numbers, **made)
    if select.qualify is not None:
        after.keep(select.qualify)
    return after.project(select.items)


def _varying(
    before: Scope, expressions: Sequence[syntax.Expression], orders: tuple[syntax.Order, ...]
) -> list[SortKey]:
    """The keys of ORDER BY of tuples, without bounds of their window. expressions: those of `orders`."""
    columns = before.plan.columns
    both = zip(expressions, orders, strict=True)
    varying = [(key, order) for key, order in both if bounds.bound_of(key) is None or key.name in columns]
    return before.keys_of([key for key, _ in varying], tuple(order for _, order in varying))


def _timed(before: Scope, window: syntax.Window) -> tuple[syntax.Window, Column | None]:
    """The window with its attribute, and the column for its end, if it is in time."""
    if any(isinstance(node, Join) for node in walk(before.plan)):
        raise QueryError(joins.AGGREGATED, window.position)
    if any(isinstance(node, Union) for node in walk(before.plan)):
        raise QueryError("a window over a UNION, whose order is not promised; put it into each part", window.position)
    if not window.in_time:
        return window, None
    inputs = [node for node in walk(before.plan) if isinstance(node, Input)]
    attribute = window.attribute or inputs[0].stream.time
    if attribute is None:
        raise QueryError(f"stream {inputs[0]} has no time attribute; name one with WATTR", window.position)
    window = replace(window, attribute=attribute)
    found = before.column(syntax.Name(window.position, attribute))
    check_time(attribute, found, window.position)
    _check_times(window, found)
    if any(isinstance(node, Aggregate | Windowed) for node in walk(before.plan)):
        raise QueryError("a window in time over the rows of another window; use one of TUPLES", window.position)
    if origin(before.plan, attribute) is None:
        raise QueryError(
            f"the windowing attribute {attribute} is computed; it must be a field of the stream", window.position
        )
    return window, Column(END, found.type)


def _aggregate(before: Scope, window: syntax.Window, select: syntax.Select, calls: list[syntax.Call]) -> Scope:
    """The scope after the window, whose columns are the keys, the window's end and the measures of the calls."""
    if window.in_time:
        select = replace(select, group=bounds.without(select.group, before.plan.columns))
    grouped = names.keys(select, before.plan.columns)
    keys = tuple(_key(before, expression, "GROUP BY") for expression in grouped)
    for key, expression in zip(keys, grouped, strict=True):
        if keys.count(key) > 1:
            raise QueryError(f"{label(key)} is named twice in GROUP BY", expression.position)
    if keys and window.emit_empty:
        raise QueryError("EMIT_EMPTY with GROUP BY: an empty window has no groups", window.position)
    window, end = _timed(before, window)
    if keys and window.session:
        raise QueryError(
            "GROUP BY with SESSION: each key would have its own sessions, which end apart; select one key with WHERE",
            select.group[0].position,
        )
    if end:
        for key, expression in zip(keys, grouped, strict=True):
            if origin(before.plan, key.name) == origin(before.plan, window.attribute):
                why = f"GROUP BY {key}, the windowing attribute; a row already has its window's end"
                raise QueryError(why, expression.position)
        end = replace(end, name=window.attribute)
    for call in calls:
        percentiles.check(call)
    results = {call: _of_call(before, call, window, bool(keys)) for call in calls}
    if any(counted.is_counted(measure) for parts in results.values() for measure in parts):  # so are all percentiles
        results = {call: _of_call(before, call, window, True) for call in calls}
    measures = {measure.output.name: measure for parts in results.values() for measure in parts}
    measures = _beside_pairs(measures)
    results = {call: tuple(measures[part.output.name] for part in parts) for call, parts in results.items()}
    flags = {m.value.overflow: _any_overflow(m.value) for m in measures.values() if m.value and m.value.overflow}
    measures |= {flag.output.name: flag for flag in flags.values()}
    beyond = tuple(
        Column(key.overflow, BOOLEAN) for key in keys if key.overflow
    )  # a value that overflowed is another one
    plan, lacks = Aggregate(before.plan, window, end, keys + beyond, tuple(measures.values())), None
    if of_values := [call for call, parts in results.items() if any(map(counted.is_counted, parts))]:
        plan, lacks = counted.combined(plan, of_values[0].position)
    after = Scope(plan, results=results, window=(end, window) if end else None, position=calls[0].position)
    written = [(key, column) for given in (grouped, select.group) for key, column in zip(given, keys, strict=True)]
    # In GROUP BY a number is the place of a column, elsewhere itself.
    after.keys = {syntax.placeless(e): column for e, column in written if not isinstance(e, syntax.Literal)}
    lacking = counted.incomplete(after, plan, lacks) if lacks else None
    for call, parts in results.items():  # an aggregate of an overflowed value has overflowed
        of_values = (flags.get(measure.value and measure.value.overflow) for measure in parts)
        beyond = (flag and Column(flag.output.name, BOOLEAN) for flag in of_values)
        results[call] = tuple(after.flagged(m, flag, lacking) for m, flag in zip(parts, beyond, strict=True))
    return after


def _beside_pairs(measures: dict[str, Measure]) -> dict[str, Measure]:
    """The measures with sums as wide as the widest pair: a core has one width, and flags what exceeds it."""
    widest = max((m.value.type.width for m in measures.values() if m.kind and m.kind.pairs), default=0)
    wider = {}
    for name, measure in measures.items():
        kind = measure.output.type
        if measure.function == "sum" and kind.width < widest:
            ends = of_bits(widest, kind.signed)
            output = replace(measure.output, type=replace(kind, low=ends.low, high=ends.high))
            measure = replace(measure, output=output)
        wider[name] = measure
    return wider


def _key(before: Scope, expression: syntax.Expression, clause: str) -> Column:
    """The column of a key of a clause that makes groups."""
    if calls := syntax.called([expression]):
        raise QueryError(f"{clause} {calls[0].function}(…), an aggregate of each group", calls[0].position)
    key = before.value(expression)
    if not isinstance(key, Column):
        raise QueryError(f"{clause} a constant: all tuples are one group, as without it", expression.position)
    if key.null:
        why = "a key must have a value; filter out nulls in a sub-query, or replace them with coalesce"
        raise QueryError(f"{label(key)} may be null, and {why}", expression.position)
    return key


def _check_times(window: syntax.Window, attribute: Column) -> None:
    """Raise `QueryError` if the window's times exceed what the punctuator counts."""
    width = attribute.type.width
    most = 2**62 if width > 63 else 2 ** (width - 1) - 1  # as ws_punctuator checks it
    spans = ("GAP and SLACK", 0) if window.session else ("length, distance and SLACK of the window", window.advance)
    times = {spans[0]: window.size + spans[1] + window.slack, "MAX_AHEAD": window.max_ahead, "START": window.start or 0}
    for name, value in times.items():
        if value > most:
            raise QueryError(f"{name}: {value} is too large; over {attribute} the most is {most}", window.position)


def _any_overflow(value: Column) -> Measure:
    """Whether any value in the window has overflowed: the maximum of their flags."""
    flag = Column(value.overflow, Integer(0, 1))
    return Measure(Column(f".max({flag})", Integer(0, 1)), "max", flag)


def _of_call(before: Scope, call: syntax.Call, window: syntax.Window, of_groups: bool) -> tuple[Measure, ...]:
    """The measures that a call needs. of_groups: percentiles are of groups of values."""
    if call.unique:
        distinct.check(call)
    if bool(call.weights) != (call.function == "wsum"):
        raise QueryError("wsum, and only wsum, takes weights: wsum(Price, [.5, .25, .25])", call.position)
    if call.function in percentiles.PERCENTILES:
        return percentiles.measures(before, call, window, of_groups)
    if call.function == approximate.NAME:
        return approximate.measures(before, call)
    known = FUNCTIONS[call.function]
    if len(call.arguments) != known.columns and (call.arguments or call.function != "count"):
        raise QueryError(f"{call.function} takes {('one column', 'two columns')[known.columns - 1]}", call.position)
    columns = [before.as_column(argument) for argument in call.arguments]
    if call.unique and columns[0].name == window.attribute:  # a name that the window's end has
        columns = [before.resized(columns[0], columns[0].type, f"value of {columns[0]}")]
    for column in columns:
        if not known.takes.holds(column.type):
            raise QueryError(f"{call.function} takes {known.takes.words}, not a {column.type}", call.position)
    parts = [Part(call.function, columns[0] if columns else None)]
    if composed := COMPOSED.get(call.function):
        parts = composed.parts(before, columns, call.position)
    return tuple(_measure(before, call, part, window) for part in parts)


def _measure(before: Scope, call: syntax.Call, part: Part, window: syntax.Window) -> Measure:
    function, value, where = part
    once = call.unique and call.function in distinct.CHANGED
    name = f"{function}({'DISTINCT ' * once}{value or '*'})"
    if call.weights:
        name = f"wsum({value}, {[float(w) for w in call.weights]})"
    name += where
    if call.where is not None:
        condition = before.condition(call.where)
        name += f" FILTER (WHERE {label(condition)})"
        value = before.selected(value, condition)
    if function == "count":
        return Measure(Column(name, COUNT, None, f"{name}.overflow"), "count", value, distinct=once)
    null = f"{name}.null" if value.null or window.emit_empty else None
    if function == "sum":
        # wide enough for the tuples of the window, or 2**32 of them; a row has 64 bits of it
        tuples = most_tuples(window)
        kind = of_bits(max(64, Integer(tuples * value.type.low, tuples * value.type.high).width), value.type.signed)
        if isinstance(value.type, Decimal):
            kind = decimals.total(kind, value.type)
        return Measure(Column(name, fits(kind, call.position), null, f"{name}.overflow"), "sum", value, distinct=once)
    if function == "wsum":
        weights, scale = scaled(call.weights, call.position)
        low = sum(min(w * value.type.low, w * value.type.high, 0) for w in weights)
        high = sum(max(w * value.type.low, w * value.type.high, 0) for w in weights)
        return Measure(Column(name, fits(Integer(low, high), call.position), null), "wsum", value, weights, scale)
    return Measure(Column(name, FUNCTIONS[function].result(value.type), null), function, value)


def scaled(weights: tuple[Number, ...], position: Position) -> tuple[tuple[int, ...], int]:
    """Weights as integers, and the exponent of the power of two that scales them."""
    for scale in range(25):
        whole = [w * 2**scale for w in weights]
        if all(w == int(w) for w in whole):
            return tuple(map(int, whole)), scale
    raise QueryError("a weight is not a multiple of 2**-24, so the sum would not be exact", position)
