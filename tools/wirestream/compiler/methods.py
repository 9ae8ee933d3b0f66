"""The methods for the windows of an aggregate without groups, their costs, and the choice among them.

========= ===================================================================================================
method    implementation
========= ===================================================================================================
replicate ws_window, a copy of every measure for each open window, and a multiplexer (dissertation, 7.5)
wid       ws_wid_aggregate: an accumulator for each open window
pane      ws_pane_aggregate, METHOD "SCAN": panes as published, all read at the end of a window
constant  ws_pane_aggregate, METHOD "CONSTANT": panes, with the window's state up to date after each
========= ===================================================================================================

All methods apply to windows of tuples too, if these tuples come from the input: ws_tuple_numbers numbers them, the
number serves as the time, and the input takes one tuple in 2 or more cycles. Sessions have one method,
ws_session_aggregate, and their own kind of entry.

All methods give the same rows, each in its promised cycle. Of the methods that meet the clock and the budget the
compiler takes the cheapest, by the sum of LUTs and FFs; if others cost at most a tenth more, the one of these with the
least latency. If only a few windows are open at once, the least latency comes first. Latency has a cost: two registers
per cycle in the gate at the entry (ws_gate). If no method meets the clock, those within a tenth of the fastest compete.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, log2

from wirestream.compiler import cores
from wirestream.compiler.cores.base import Cells, Core
from wirestream.compiler.cores.several import Aggregates, panes
from wirestream.compiler.plan import Aggregate, Measure, Windowed
from wirestream.compiler.rewrite import Rewrites
from wirestream.compiler.syntax import Window
from wirestream.compiler.types import Integer
from wirestream.errors import QueryError

AUTO = "auto"
METHODS = ("replicate", "wid", "pane", "constant")
FEW = 16  # up to this many open windows, latency counts more than cells
NEAR = 1.1  # ratio up to which costs, and periods, count as equal
MOST_BITS, MOST_OF_PAIR = 64, 128  # of a result in ws_bank, of a pair in it
MOST_PANES = 65_536  # in a window
MOST_SESSIONS = 64  # open at once
WINDOW_ROWS, MOST_WINDOW_ROWS = 1024, 1 << 20  # that a sorter of all tuples of a window has room for
MOST_COPIES = 4096  # of aggregates, one for each open window
NUMBER_W = 64  # bits of a tuple's number
MOST_INTERVAL = 8  # cycles from a tuple to the next, for windows of tuples
TUPLE_GAP = 3  # cycles from a punctuation to a tuple, for panes; the least that ws_punctuator keeps
GATE_FF, GATE_LUT = 2, 1 / 3  # of ws_gate, for each cycle of latency

# Nanoseconds on an ECP5 at speed 8; the periods are fitted to the place-and-route results of one or two sizes each.
WINDOW_NS = 7.0  # ws_window in time with at most one stage
SUM_NS, WSUM_NS, ORDER_NS = 3.7, 4.1, 4.4  # single-cycle: a sum in ws_aggregate, in ws_wsum, a minimum or maximum
BIT_NS = 0.03  # increment per bit
PART_W = 32  # least bits in a part of a pipelined sum: narrower parts would gain little
REPLICATE_NS, FITS, TREE_NS = 4.8, 10, 1.3  # up to FITS copies, pipelined; increment per doubling: ws_multiplex
WID_NS, FAN_NS = 4.85, 0.17  # one window, and the increment per doubling of the open windows
PANE_NS = {"pane": (4.96, 0.005), "constant": (4.95, 0.08)}  # one pane in a window, and the increment per doubling
SUM_PANE_NS = 4.35, 0.02  # the same for "constant" with sums only
WHOLE_NS = 1.1  # increment of a sum of 64 bits in one piece instead of two halves


# ---- options


@dataclass(frozen=True)
class WindowOptions:
    """The user's choice of methods. method: one of METHODS or AUTO, for all results; of: for single results, by name.

    luts, ram_bits: limits for the windows of one aggregate; None: no limit. rows: of a window in time that a sorter of
    all its tuples has room for.
    """

    method: str = AUTO
    of: Mapping[str, str] = field(default_factory=dict)
    luts: int | None = None
    ram_bits: int | None = None
    rows: int = WINDOW_ROWS

    @classmethod
    def read(
        cls,
        words: str | Iterable[str] = (),
        luts: int | None = None,
        ram_bits: int | None = None,
        rows: int = WINDOW_ROWS,
    ) -> WindowOptions:
        """The options given by words ``METHOD`` and ``RESULT=METHOD``; raises ValueError."""
        method, of = AUTO, {}
        for word in [words] if isinstance(words, str) else words:
            result, equals, name = word.rpartition("=")
            if name not in (AUTO, *METHODS):
                raise ValueError(f"unknown method for windows {name or word}; one of {AUTO}, {', '.join(METHODS)}")
            if equals:
                of[result] = name
            else:
                method = name
        for budget, value in (("luts", luts), ("ram-bits", ram_bits)):
            if value is not None and value < 0:
                raise ValueError(f"--{budget} {value}: must be at least 0")
        if not 2 <= rows <= MOST_WINDOW_ROWS:
            raise ValueError(f"--window-rows {rows}: must be 2 to {MOST_WINDOW_ROWS:,}")
        return cls(method, of, luts, ram_bits, rows)

    def of_result(self, name: str) -> str:
        return self.of.get(name, self.method)


# ---- measures and windows as parameters of cores


def open_windows(window: Window) -> int:
    """The most windows open at once."""
    return -(-(window.size + (window.slack if window.in_time else 0)) // window.advance)


def number_width(measure: Measure) -> int:
    """Bits of the state that a core keeps for the measure."""
    if measure.kind and measure.kind.pairs:
        return measure.value.type.width
    return 64 if measure.function == "count" else measure.output.type.width


def value_width(measure: Measure) -> int:
    """Bits of the value that it reads; a count reads only whether the value is null."""
    return measure.value.type.width if measure.value and measure.function != "count" else 1


def signed(measure: Measure) -> bool:
    return measure.value is not None and measure.value.type.signed


def _sum_parts(shortest_ns: float, width: int, clock_ns: float) -> int:
    """The number of parts in which a sum is added to meet the clock."""
    parts = range(1, ceil(width / PART_W) + 1)
    return next((n for n in parts if shortest_ns + BIT_NS * width / n <= clock_ns), parts[-1])


def _several_bits(measure: Measure) -> bool:
    """Whether a product with any of the weights is more than a shift."""
    return any(abs(weight).bit_count() > 1 for weight in measure.weights)


def _weight_width(measure: Measure) -> int:
    return max(Integer(min(w, 0), max(w, 0)).width + (w > 0) for w in measure.weights)


def is_silent(core: Core) -> bool:
    """Whether the core of a measure, a pipelined ws_aggregate, outputs 0 when there is no row."""
    return isinstance(core, cores.Aggregate) and core.FAST > 0


def measure_core(measure: Measure, clock_ns: float, emit_empty: bool) -> Core:
    """The core for a measure of one window, without DATA_W."""
    value, number = value_width(measure), number_width(measure)
    if measure.function == "wsum":
        weight, registered = _weight_width(measure), int(_several_bits(measure))
        packed = "".join(f"{w & (1 << weight) - 1:0{weight}b}" for w in measure.weights)
        parts = 1 if registered else _sum_parts(WSUM_NS, result_width(measure), clock_ns)
        of_weights = len(measure.weights), weight, f"{len(packed)}'b{packed}"
        return cores.WeightedSum(0, value, int(signed(measure)), *of_weights, registered, parts, int(emit_empty))
    kind, parts = measure.kind, 1
    if kind.adds:
        parts = _sum_parts(SUM_NS, number, clock_ns)
    fast = parts if parts > 1 else int(kind.compares and clock_ns < ORDER_NS + BIT_NS * value)
    return cores.Aggregate(0, value, int(signed(measure)), kind.code, number, number, fast, int(emit_empty))


def result_width(measure: Measure) -> int:
    """Bits of its core's result."""
    if measure.function != "wsum":
        return number_width(measure)
    return value_width(measure) + _weight_width(measure) + (len(measure.weights) - 1).bit_length() + 1


def window_core(window: Window, wattr_width: int, copies: int, registered: int) -> cores.Window:
    """ws_window, without DATA_W."""
    unit = "TIME" if window.in_time else "TUPLES"
    return cores.Window(0, unit, window.size, window.advance, window.slack, wattr_width, copies, registered)


def aggregates(measures: Sequence[Measure], least: int) -> Aggregates:
    """The parameters of a core with several aggregates, all as wide as the widest. least: bits of a value."""
    value = max(least, *map(value_width, measures))
    value += any(measure.kind.pairs for measure in measures) and value % 2  # halves
    kinds, signs = (m.kind.code for m in measures), (str(int(signed(m))) for m in measures)
    number = max(2, value, *map(number_width, measures))
    return Aggregates(len(measures), "".join(kinds), f"{len(measures)}'b{''.join(signs)}", value, number)


# ---- the methods


@dataclass(frozen=True)
class Method:
    """A method for the windows of an aggregate. refused: why it does not apply, else "".

    core: its core, without DATA_W; None for `replicate`. step: the distance of punctuations that it needs; None: those
    at the windows' ends, and it tolerates others. period: shortest clock period, in ns. numbered: windows of tuples by
    their numbers, with tuples `interval` cycles apart; cells and latency include the numbering.
    """

    name: str
    refused: str = ""
    core: Core | None = None
    latency: int = 0
    close_cycles: int = 2
    step: int | None = None
    period: float = 0.0
    cells: Cells = field(default_factory=Cells)
    numbered: bool = False
    interval: int = 1

    @classmethod
    def of(cls, name: str, core: Core, carried: int, ports: Mapping[str, str], **more) -> Method:
        """The method that consists of one core. carried: bits of its data."""
        cells = replace(core, DATA_W=carried).cells(ports)
        return cls(name, "", core, core.latency, core.close_cycles, cells=cells, **more)

    @property
    def cost(self) -> float:
        return self.cells.lut + self.cells.ff + (GATE_FF + GATE_LUT) * self.latency

    @property
    def tuple_gap(self) -> int:
        """Least distance of a tuple from the preceding punctuation."""
        return TUPLE_GAP if self.step else 1

    @property
    def figures(self) -> str:
        memory = f", {self.cells.ram_bits} RAM bits" if self.cells.ram_bits else ""
        rate = f", 1 tuple in {self.interval} cycles" if self.interval > 1 else ""
        return f"{self.cells.lut:.0f} LUT, {self.cells.ff:.0f} FF{memory}, {cycles(self.latency)}{rate}"


def cycles(number: int) -> str:
    return f"{number} cycle{'s' * (number != 1)}"


@dataclass(frozen=True)
class Choice:
    """The chosen method for the windows of an aggregate. reason: why; others: the other methods, with a remark on
    each."""

    method: Method
    reason: str
    others: tuple[tuple[Method, str], ...]

    def __str__(self) -> str:
        parts = [f"{self.method.name}, {self.reason}: {self.method.figures}"]
        parts += [f"{m.name} {words}" for m, words in self.others if not m.refused]
        why = dict.fromkeys(m.refused for m, _ in self.others if m.refused)
        parts += [f"not {' nor '.join(m.name for m, _ in self.others if m.refused == w)}: {w}" for w in why]
        return "; ".join(parts)


def known(
    node: Aggregate, carried: int, end: int, registered: int, clock_ns: float, rewrites: Rewrites
) -> list[Method]:
    """All METHODS for an aggregate without keys, over windows in time or windows of the input's tuples.

    carried: bits of the columns that the aggregate needs; end: those of them for the window's end, 0 if rows do not
    show it; registered: stages of ws_window.
    """
    one_core = _why_no_core(node)
    made = [_replicate(node, carried, end, registered, clock_ns, rewrites)]
    if one_core:
        return made + [Method(name, one_core) for name in METHODS[1:]]
    made.append(_wid(node, end, clock_ns))
    for name in METHODS[2:]:
        no_panes = _why_no_panes(node, name)
        made.append(Method(name, no_panes) if no_panes else _panes(node, name, end, clock_ns))
    return made if node.window.in_time else [made[0], *(_numbered(method, node) for method in made[1:])]


def _numbered(method: Method, node: Aggregate) -> Method:
    """The method after ws_tuple_numbers; tuples keep the distance that the punctuations between them need."""
    if method.refused:
        return method
    size, advance = node.window.size, node.window.advance
    apart = min(size % advance or advance, advance - size % advance)  # of two boundaries, in tuples
    apart = method.step if method.name == "pane" else apart
    interval = max(1 + method.tuple_gap, ceil(method.close_cycles / apart))
    if interval > MOST_INTERVAL:
        every = "at every tuple" if apart == 1 else f"every {apart} tuples"
        return Method(method.name, f"a pane ends {every}, and reading {method.close_cycles - 10} panes takes longer")
    numbers = replace(number_core(node.window, method), DATA_W=sum(value_width(measure) for measure in node.measures))
    latency, whole = method.latency + numbers.latency, method.cells + numbers.cells({})
    return replace(method, latency=latency, cells=whole, numbered=True, interval=interval)


def number_core(window: Window, method: Method) -> cores.TupleNumbers:
    """ws_tuple_numbers for a method's core, without DATA_W."""
    return cores.TupleNumbers(0, NUMBER_W, window.size, window.advance, method.step or 0)


def sessions(node: Aggregate, end: int) -> Choice:
    """The method for sessions; raises `QueryError` if it does not apply. end: as in `known`."""
    window = node.window
    if refused := _why_one_window(node) or why_by_arrival(node, "sessions"):
        raise QueryError(f"SESSION: {refused}", window.position)
    core = cores.SessionAggregate(0, node.end.type.width, window.size, window.slack, aggregates(node.measures, 2))
    if core.slots > MOST_SESSIONS:
        most = f"the most is {MOST_SESSIONS}; use a larger GAP or less SLACK"
        raise QueryError(f"SESSION: {core.slots} sessions may be open at once; {most}", window.position)
    most = f"at most {core.slots} open at once" if core.slots > 1 else "one at a time"
    return Choice(Method.of("session", core, end, _used(node, end)), most, ())


def _why_one_window(node: Aggregate) -> str:
    of_one = (measure for measure in node.measures if measure.function == "wsum")
    return next((f"{measure} is only available for one window per core" for measure in of_one), "")


def _why_no_core(node: Aggregate) -> str:
    if of_one := _why_one_window(node):
        return of_one
    for measure in node.measures:
        width, most = max(value_width(measure), number_width(measure)), MOST_BITS
        if measure.kind.pairs:
            most = MOST_OF_PAIR
        if width > most:
            return f"{measure} has {width} bits; a core for several windows has at most {most}"
    return ""


def why_by_arrival(node: Aggregate, units: str) -> str:
    for measure in node.measures:
        if measure.kind and measure.kind.by_arrival and node.window.slack:
            return f"{measure} goes by order of arrival, which {units} do not keep with SLACK {node.window.slack}"
    return ""


def _why_no_panes(node: Aggregate, method: str) -> str:
    if by_arrival := why_by_arrival(node, "panes"):
        return by_arrival
    count = panes(node.window.size, node.window.advance, method == "pane")
    return f"a window has {count} panes; the most is {MOST_PANES}" if count > MOST_PANES else ""


def _used(node: Aggregate, end: int) -> dict[str, str]:
    """Ports for the estimate of cells: which inputs are constants, and which outputs are unused."""
    nulls = any(m.value and m.value.null for m in node.measures)
    return {
        "s_data": "end" if end else "1'b0",
        "m_data": "end" if end else "",
        "nulls": "nulls" if nulls else f"{len(node.measures)}'b0",
        "result_nulls": "nulls" if any(m.output.null for m in node.measures) else "",
        "result_overflows": "overflows" if any(m.output.overflow for m in node.measures) else "",
        "m_eos": "",
    }


def _replicate(node: Aggregate, carried: int, end: int, registered: int, clock_ns: float, rewrites: Rewrites) -> Method:
    copies = open_windows(node.window) + (not rewrites.multiplex)
    each, row = Cells(), end
    of_measures = [measure_core(measure, clock_ns, node.window.emit_empty) for measure in node.measures]
    for measure, core in zip(node.measures, of_measures, strict=True):
        first = measure is node.measures[0]  # it carries the window's end
        ports = {name: "" for name in ("m_valid", "m_punct", "m_eos", "m_data")} if not first else {"m_eos": ""}
        ports |= {"result_null": "null" if measure.output.null else ""}
        ports |= {"result_overflow": "overflow" if measure.output.overflow else ""}
        each += replace(core, DATA_W=end).cells(ports)
        row += min(result_width(measure), measure.output.type.width)
        row += bool(measure.output.null) + bool(measure.output.overflow)
    whole = Cells(each.lut * copies, each.ff * copies)
    window = window_core(node.window, node.end.type.width if node.end else 1, copies, registered)
    whole += replace(window, DATA_W=carried).cells({})
    if rewrites.multiplex:
        merged: Core = cores.Multiplex(row, copies, int(all(map(is_silent, of_measures))))
    else:
        merged = cores.Union(row, copies, PUNCT_W=end or 1)
    whole += merged.cells({"m_eos": ""})
    latency = window.latency + max(core.latency for core in of_measures) + merged.latency
    period = REPLICATE_NS + TREE_NS * max(0.0, log2(copies / FITS))
    return Method("replicate", latency=latency, period=period, cells=whole)


def _of_all_windows(node: Aggregate, clock_ns: float, period: float) -> tuple[tuple, float]:
    """The parameters of a core for all open windows, without DATA_W, and its clock period.

    period: with sums in two halves (SKEW), which are used if the clock requires them.
    """
    window, of = node.window, aggregates(node.measures, 2)
    summed = any(kind.adds for kind in of.kinds)
    whole = period + WHOLE_NS * max(0, of.ACC_W - 32) / 32
    skew = summed and clock_ns < whole
    width = node.end.type.width if node.end else NUMBER_W
    times = width, window.size, window.advance, window.slack
    return (0, *times, of, int(skew), int(window.emit_empty)), whole if summed and not skew else period


def _wid(node: Aggregate, end: int, clock_ns: float) -> Method:
    period = WID_NS + FAN_NS * log2(open_windows(node.window))
    parameters, period = _of_all_windows(node, clock_ns, period)
    return Method.of("wid", cores.WidAggregate(*parameters), end, _used(node, end), period=period)


def _panes(node: Aggregate, name: str, end: int, clock_ns: float) -> Method:
    scan = name == "pane"
    sums = all(measure.kind.adds for measure in node.measures)
    first, doubled = SUM_PANE_NS if sums and not scan else PANE_NS[name]
    count = panes(node.window.size, node.window.advance, scan)
    parameters, period = _of_all_windows(node, clock_ns, first + doubled * log2(count))
    core = cores.PaneAggregate(*parameters, "SCAN" if scan else "CONSTANT")
    return Method.of(name, core, end, _used(node, end), step=core.step, period=period)


# ---- the choice


def choose(
    node: Aggregate | Windowed,
    known: Sequence[Method],
    asked: str,
    options: WindowOptions,
    clock_ns: float,
    step: int | None,
    few: int = FEW,
) -> Choice:
    """The method for an aggregate, or for the order of a window's tuples; raises `QueryError` if none applies.

    asked: a method or AUTO. step: of the punctuations on the input, if a method chosen before needs one. few: up to so
    open windows the least latency comes first.
    """
    position = node.window.position
    known = [
        replace(m, refused=f"it needs a punctuation every {m.step}, another aggregate on this input one every {step}")
        if not m.refused and m.step and step and m.step != step
        else m
        for m in known
    ]
    if asked != AUTO:
        (method,) = (m for m in known if m.name == asked)
        if method.refused:
            raise QueryError(f"windows by {asked}: {method.refused}", position)
        return _choice(method, "as requested", known, {})
    able = [m for m in known if not m.refused]
    lacks = {m.name: _beyond(m, options) for m in able}
    inside = [m for m in able if not lacks[m.name]]
    if not inside:
        least = "; ".join(f"{m.name} {lacks[m.name]}" for m in able)
        raise QueryError(f"no method for these windows meets the budget: {least}", position)
    keep = [m for m in inside if m.period <= clock_ns]
    quick = keep or [m for m in inside if m.period <= NEAR * min(other.period for other in inside)]
    lacks |= {m.name: f"reaches {1000 / m.period:.0f} MHz" for m in inside if m not in quick}
    soonest = min(m.latency for m in quick)
    sooner = open_windows(node.window) <= few
    cheapest = min((m for m in quick if not sooner or m.latency == soonest), key=lambda m: m.cost)
    near = [m for m in quick if m.cost <= NEAR * cheapest.cost]
    method = min(near, key=lambda m: (m.latency, METHODS.index(m.name)))
    if len(quick) == 1 and (keep or len(inside) == 1):
        which = "applies" if quick == able else "meets the budget" if quick == inside else "meets the clock"
        reason = f"the only one that {which}"
    elif len(quick) == 1:
        reason = "the fastest"
    elif method is cheapest:
        reason = "the least latency" if sooner and method.cost > min(m.cost for m in quick) else "the cheapest"
    else:
        reason = f"as cheap as {cheapest.name}{' with less latency' * (method.latency < cheapest.latency)}"
    if not keep:
        reason += f", but reaches only {1000 / method.period:.0f} MHz"
    return _choice(method, reason, known, lacks)


def _beyond(method: Method, options: WindowOptions) -> str:
    """How the method exceeds the budget, or ""."""
    found = []
    if options.luts is not None and method.cells.lut > options.luts:
        found.append(f"{method.cells.lut:.0f} of {options.luts} LUT")
    if options.ram_bits is not None and method.cells.ram_bits > options.ram_bits:
        found.append(f"{method.cells.ram_bits} of {options.ram_bits} RAM bits")
    return f"needs {' and '.join(found)}" if found else ""


def _choice(method: Method, reason: str, known: Sequence[Method], lacks: Mapping[str, str]) -> Choice:
    others = [(m, m.refused or lacks.get(m.name) or m.figures) for m in known if m.name != method.name]
    return Choice(method, reason, tuple(others))
