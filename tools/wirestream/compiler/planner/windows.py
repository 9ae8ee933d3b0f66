"""Aggregates over windows, without keys: one core for all open windows, or a copy for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wirestream.compiler import methods
from wirestream.compiler.circuit import ZERO, Bus, Signal, joined, part
from wirestream.compiler.cores.several import RESULTS, Aggregates
from wirestream.compiler.methods import Method
from wirestream.compiler.plan import Aggregate, Column, Measure, Windowed, window_text
from wirestream.compiler.planner import ending
from wirestream.compiler.planner.needs import before
from wirestream.compiler.planner.wiring import Wiring
from wirestream.errors import QueryError


def of_one_core(wiring: Wiring, node: Aggregate, bus: Bus, method: Method) -> Bus:
    """One row for each window, from one core for all windows."""
    begin, latency, number = bus, method.latency, ""
    if method.numbered:
        kept = {name: signal for name, signal in bus.columns.items() if name in before(node, set())}
        numbers = methods.number_core(node.window, method)
        bus, made = wiring.through(numbers, bus, kept, {}, {"m_number": numbers.NUMBER_W})
        number = made["m_number"]
    end = {node.end.name: bus.columns[node.end.name]} if node.end else {}
    attribute = bus.columns[node.end.name].text if node.end else number
    of = method.core.of
    inputs = {"wattr": attribute} | values(node.measures, bus, of)
    behind, made = wiring.through(method.core, bus, end, inputs, results_widths(of))
    behind = replace(behind, columns=behind.columns | results(node.measures, made, of))
    if node.window.in_time:
        wiring.close(method.close_cycles)
    by = "" if node.window.session else f" by {method.name}"
    text = f"⊞ {window_text(node.window)}: {', '.join(map(str, node.measures))}{by}"
    return wiring.stage([text], behind, latency, [begin])


# ---- the ports of a core with several aggregates


def _taken(measure: Measure, bus: Bus) -> tuple[Signal, Signal]:
    """The value that a measure reads, and its null flag; a count reads only the flag."""
    value = bus.columns[measure.value.name] if measure.value and measure.function != "count" else ZERO
    return value, bus.columns[measure.value.null] if measure.value and measure.value.null else ZERO


def values(measures: Sequence[Measure], bus: Bus, of: Aggregates) -> dict[str, str]:
    """The core's inputs."""
    taken, nulls = zip(*(_taken(measure, bus) for measure in measures), strict=True)
    resized = [_as_wide(m, v, of.VALUE_W) for m, v in zip(measures, taken, strict=True)]
    return {"values": joined(resized), "nulls": joined(nulls)}


def _as_wide(measure: Measure, value: Signal, width: int) -> Signal:
    """The value with this width; of a pair each half with half of it."""
    if not measure.kind.pairs or value.width == width:
        return value.resized(width, methods.signed(measure))
    half = value.width // 2
    upper = value.above(half).resized(width // 2, methods.signed(measure))
    return Signal(joined([upper, value.resized(half, False).resized(width // 2, False)]), width)


def results_widths(of: Aggregates) -> dict[str, int]:
    """The core's outputs, and their widths."""
    return dict(zip(RESULTS, (of.ACC_W * of.AGGS, of.AGGS, of.AGGS), strict=True))


def results(measures: Sequence[Measure], made: Mapping[str, str], of: Aggregates) -> dict[str, Signal]:
    """The columns on the core's outputs."""
    columns = {}
    for place, measure in enumerate(reversed(measures)):
        output = measure.output
        columns[output.name] = Signal(made["results"], output.type.width, place * of.ACC_W)
        for port, column in (("result_nulls", output.null), ("result_overflows", output.overflow)):
            if column:
                columns[column] = part(made[port], len(measures), 1, place)
    return columns


# ---- a copy for each open window


def window(
    wiring: Wiring,
    node: Aggregate | Windowed,
    bus: Bus,
    copies: int,
    registered: int,
    needed: set[str],
    end: Column | None = None,
) -> Bus:
    """The bus to all copies, with a bit of each control signal per copy. registered: stages of ws_window. needed: the
    columns of a copy. end: the column for the end of the only window that is open at once."""
    if copies > methods.MOST_COPIES:
        wiring.check()
        less = "use a larger SLIDE, a smaller RANGE or less SLACK" if node.window.in_time else "use a larger ADVANCE"
        most = f"each needs a copy of what follows, and the most is {methods.MOST_COPIES:,}"
        raise QueryError(f"{copies:,} windows are open at once; {most}; {less}", node.window.position)
    attribute = bus.columns[node.window.attribute] if node.window.in_time else ZERO
    core = methods.window_core(node.window, attribute.width, copies, registered)
    if node.window.in_time:
        wiring.close(core.close_cycles)
    kept = {name: signal for name, signal in bus.columns.items() if name in needed}
    outputs = {"m_end": attribute.width} if end else {}
    behind, made = wiring.through(core, bus, kept, {"wattr": attribute.text}, outputs, control=copies)
    if end:
        behind = replace(behind, columns=behind.columns | {end.name: Signal(made["m_end"], attribute.width)})
    text = f"⊞ {window_text(node.window)}: {copies} window{'s' * (copies > 1)} at once"
    return wiring.stage([text], behind, core.latency, [bus])


def each_copy(behind: Bus, copies: int) -> list[Bus]:
    """The bus to each copy after a window."""
    if copies == 1:
        return [behind]
    control = [[f"{signal}[{n}]" for signal in (behind.valid, behind.punct, behind.eos)] for n in range(copies)]
    return [replace(behind, valid=valid, punct=punct, eos=eos) for valid, punct, eos in control]


def of_copies(wiring: Wiring, node: Aggregate, bus: Bus, copies: int, registered: int, in_step: bool = False) -> Bus:
    """One row for each window, from a copy of the aggregates for each open window. in_step: no row waits."""
    behind = window(wiring, node, bus, copies, registered, before(node, set()))
    of_measures = [methods.measure_core(m, wiring.clock_ns, node.window.emit_empty) for m in node.measures]
    rows = [_measures(wiring, node, of_measures, one) for one in each_copy(behind, copies)]
    rows = staged_copies(wiring, ", ".join(map(str, node.measures)), rows, behind)
    if node.window.in_time:
        wiring.close(max(core.close_cycles for core in of_measures))
    return one_of(wiring, rows, node.end, all(map(methods.is_silent, of_measures)), in_step)


def of_rows(wiring: Wiring, node: Aggregate, bus: Bus, most: int) -> Bus:
    """One row of the rows that a GROUP BY yields for a window. bus: with an eos after these rows, at most `most`."""
    of_measures = [methods.measure_core(m, wiring.clock_ns, node.window.emit_empty) for m in node.measures]
    cycles = (max(core.latency for core in of_measures), max(core.close_cycles for core in of_measures), 1)
    after = _measures(wiring, node, of_measures, bus)
    return ending.of_rows(wiring, node.window, bus, after, ", ".join(map(str, node.measures)), most, cycles)


def of_ranked(wiring: Wiring, node: Aggregate, bus: Bus, most: int) -> Bus:
    """One row of each group of ranked rows. bus: each group a sub-stream, and a punctuation after the rows of a window,
    at most `most`."""
    of_measures = [methods.measure_core(m, wiring.clock_ns, node.window.emit_empty) for m in node.measures]
    latency = max(core.latency for core in of_measures)
    after = _measures(wiring, node, of_measures, bus)
    caused = bus.rows if node.keys else tuple(count // most for count in bus.rows)
    waits = 0 if node.keys else most - 1  # for the other rows of the only group
    punct = after.punct if node.window.in_time else ZERO.text
    after = replace(after, punct=punct, eos=after.punct, latency=bus.latency + latency, wait=bus.wait + waits)
    return wiring.stage([", ".join(map(str, node.measures))], replace(after, rows=caused, gaps=True), latency, [bus])


def staged_copies(wiring: Wiring, text: str, rows: list[Bus], behind: Bus) -> list[Bus]:
    staged = wiring.stage([text], rows[0], rows[0].latency - behind.latency, [behind], len(rows))
    return [replace(row, stage=staged.stage) for row in rows]


def one_of(wiring: Wiring, rows: list[Bus], end: Column | None, silent: bool = False, in_step: bool = False) -> Bus:
    """The rows of all copies on one bus. silent: a copy's bus is all 0 without a row or punctuation. in_step: no row
    waits."""
    core = "multiplex" if wiring.rewrites.multiplex or in_step else "union"
    bus = wiring.together(rows, core, end and end.name, silent=silent)
    return wiring.stage([f"{core} of {len(rows)}"], bus, bus.latency - rows[0].latency, rows)


def _measures(wiring: Wiring, node: Aggregate, of_measures: list, bus: Bus) -> Bus:
    """The measures of one window or group, aligned; the first of the slowest carries the window's end, the keys, and
    whether the rows lack tuples.

    The inputs of the faster ones are delayed instead of their results: values have fewer bits, and all copies share
    the delay.
    """
    latency = max(core.latency for core in of_measures)
    short = node.short if node.of_rows else None
    same = {column.name: bus.columns[column.name] for column in (node.end, *node.keys, short) if column}
    row: Bus | None = None
    found: dict[str, Signal] = {}
    for measure, core in zip(node.measures, of_measures, strict=True):
        wait, full = latency - core.latency, methods.result_width(measure)
        value, null = (wiring.delayed(signal, wait) for signal in _taken(measure, bus))
        taken, kept = (wiring.register(bus, (), wait), {}) if wait else (bus, same)
        outputs = {"result": full}
        outputs |= {"result_null": 1} if measure.output.null else {}
        outputs |= {"result_overflow": 1} if measure.output.overflow else {}
        behind, made = wiring.through(core, taken, kept, {"value": value.text, "null": null.text}, outputs)
        of_measure = {measure.output.name: part(made["result"], full, full).resized(measure.output.type.width, True)}
        for port, column in (("result_null", measure.output.null), ("result_overflow", measure.output.overflow)):
            if column:
                of_measure[column] = Signal(made[port], 1)
        found |= of_measure
        if row is None and not wait:
            row = behind
    return replace(row, columns=row.columns | found)
