"""The cost of a cut: cells and memory of its circuit, cycles per second, and the traffic to Spark.

Cells are the compiler's estimate. Rows are rates times shares; WHERE and HAVING select the shares assumed by System R
(Selinger et al., SIGMOD 1979), unless --selectivity is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil, prod

from sqlglot import exp

from wirestream.compiler.axis import FLUSH_CYCLES
from wirestream.compiler.chips import CHIPS, FULL, NETWORK
from wirestream.compiler.circuit import Circuit
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.cores.base import Cells
from wirestream.compiler.group_methods import CAM_GROUPS
from wirestream.compiler.join_planner import pair_cycles
from wirestream.compiler.methods import WindowOptions
from wirestream.compiler.package import package
from wirestream.compiler.plan import Aggregate, walk
from wirestream.compiler.planner import CAPACITY
from wirestream.compiler.size import estimates
from wirestream.errors import QueryError
from wirestream.schema.packets import FCS, GAP, HEADERS, MIN_FRAME, PREAMBLE, most_in_datagram
from wirestream.schema.tuples import HEADER_BYTES, Schema
from wirestream.split.cuts import LEAF, Cut, Depth
from wirestream.split.query import Block, DividedQuery

RAM_BITS = 18 * 1024
SPARK_PACKETS = 1_300_000  # per core and second, by `wirestream_pcap` (docs/spark.md)
BUSY = 0.9  # highest planned load; the rest is for bursts


@dataclass(frozen=True)
class Chip:
    """Resources for the query alone; rams: of 18 Kb."""

    luts: float
    rams: int


def room(name: str) -> Chip:
    """The resources that a chip has for a query."""
    chip = CHIPS[name]
    network = NETWORK[chip.lut_inputs]
    return Chip(max(FULL * chip.has.lut - network.lut, 0), chip.has.rams - network.rams)


@dataclass(frozen=True)
class Load:
    """rate: tuples per second. selectivity: of WHERE over the stream; None: unknown. groups: at once; None: unknown.
    tick: units of the windowing attribute per second. per_datagram: tuples. clock: MHz. cores: of Spark."""

    rate: float
    selectivity: float | None = None
    groups: int | None = None
    tick: float = 1.0
    per_datagram: int = 20
    clock: float = 125.0
    cores: int = 2

    @property
    def hertz(self) -> float:
        return 1e6 * self.clock


@dataclass(frozen=True)
class Priced:
    """A cut and its cost. refused: why it is impossible, else ""; short: why Spark cannot keep up with it, else "".

    cells: of the query. groups: that fit on the chip. rows, packets, size: rows, datagrams and bytes that reach Spark
    per second; to_do: rows per second that Spark has to process. busy: share of the clock cycles in use.
    """

    cut: Cut
    refused: str = ""
    short: str = ""
    built: Compiled | None = None
    cells: Cells = field(default_factory=Cells)
    groups: int = 0
    rows: float = 0.0
    packets: float = 0.0
    size: float = 0.0
    to_do: float = 0.0
    busy: float = 0.0

    @property
    def rams(self) -> int:
        return ceil(self.cells.ram_bits / RAM_BITS)

    @property
    def rank(self) -> tuple[float, float]:
        """The sort key, the least is best: rows per second for Spark, then the size of the circuit."""
        return self.to_do, self.cells.lut


def priced(
    cut: Cut, query: DividedQuery, load: Load, chip: Chip, constants: Mapping[str, int | str], top: bool
) -> Priced:
    """The cost of a cut. top: it leaves nothing for Spark."""
    if cut.depth == Depth.NOTHING:
        schema = query.streams[query.reads[0]].schema
        packets = load.rate / sent(schema, load)
        size = packets * wire_bytes(schema, sent(schema, load))
        return _followed(Priced(cut, rows=load.rate, packets=packets, size=size, to_do=load.rate), load)
    groups = load.groups or CAPACITY
    first = found = _of_size(cut, query, load, chip, constants, groups, top)
    while cut.grouped and found.refused and groups > 1:
        groups //= 2
        found = _of_size(cut, query, load, chip, constants, groups, top)
    return first if found.refused else found


def _of_size(
    cut: Cut, query: DividedQuery, load: Load, chip: Chip, constants: Mapping, groups: int, top: bool
) -> Priced:
    """The cost with a table of `groups`."""
    values = {name: value for name, value in constants.items() if f"${name}" in cut.sql}
    try:
        built = _compiled(cut, query, load, chip, groups)
        package(built.circuit, values)
    except (QueryError, ValueError) as error:
        return Priced(cut, getattr(error, "message", None) or str(error))
    circuit = built.circuit
    schema = circuit.results[0].schema
    rows, over = flow(query, cut, load), 0.0
    if cut.grouped and groups < (load.groups or CAPACITY):
        share = 1 - groups / (load.groups or CAPACITY)
        rows, over = rows * (1 - share), selected(query, cut, load) * share
    spill = circuit.spills[0].schema if circuit.spills else schema
    out = [(datagrams(many, of, load), many, of) for many, of in ((rows, schema), (over, spill)) if many]
    packets = sum(number for number, _, _ in out)
    size = sum(number * wire_bytes(of, many / number) for number, many, of in out)
    cells, room = sum(estimates(circuit).values(), Cells()), groups if circuit.spills else 0
    to_do = over if top else rows + over
    found = Priced(cut, "", "", built, cells, room, rows + over, packets, size, to_do, busy(circuit, load))
    if why := _too_much(found, circuit, query, load, chip):
        return replace(found, refused=why)
    if why := not_finished(cut, circuit):
        if load.groups is None:
            return replace(found, refused=f"{why}; give the most groups by --groups")
        if load.groups > groups or groups > CAM_GROUPS:
            return replace(found, refused=f"{why}, and only {min(groups, CAM_GROUPS)} fit")
    return _followed(found, load)


def _compiled(cut: Cut, query: DividedQuery, load: Load, chip: Chip, groups: int) -> Compiled:
    """The circuit of a cut, with windows within the budget if possible. Raises QueryError, ValueError."""
    options = {"name": query.name, "clock_ns": 1e9 / load.hertz, "capacity": groups}
    budget = WindowOptions.read((), chip.luts, chip.rams * RAM_BITS)
    try:
        return compile_queries(cut.sql, query.streams.values(), **options, windows=budget)
    except QueryError:
        return compile_queries(cut.sql, query.streams.values(), **options)


def _too_much(found: Priced, circuit: Circuit, query: DividedQuery, load: Load, chip: Chip) -> str:
    """Which resource of the chip or its port is too small, or ""."""
    if found.cells.lut > chip.luts:
        return f"needs {found.cells.lut:,.0f} of {chip.luts:,.0f} LUT"
    if found.rams > chip.rams:
        return f"needs {found.rams:,} of {chip.rams:,} block RAMs"
    schema = query.streams[query.reads[0]].schema
    octets = wire_bytes(schema, sent(schema, load)) / sent(schema, load)
    if load.rate * octets > load.hertz:
        return f"the port receives at most {si(load.hertz / octets)} tuples/s, an octet per cycle"
    if found.size > BUSY * load.hertz:
        return f"{si(found.rows)} rows/s exceed what the port sends"
    if found.busy > BUSY:
        return f"the circuit takes at most {si(load.rate * BUSY / found.busy)} tuples/s"
    return ""


def _followed(found: Priced, load: Load) -> Priced:
    """The cut with the reason in `short` if Spark cannot keep up."""
    most = SPARK_PACKETS * load.cores
    if found.packets <= most:
        return found
    return replace(found, short=f"{si(found.packets)} datagrams/s, but Spark takes {si(most)} on {load.cores} cores")


def not_finished(cut: Cut, circuit: Circuit) -> str:
    """Why Spark cannot compute the groups that overflow on the chip; "" if it can or none overflow."""
    if not circuit.spills:
        return ""
    if not cut.grouped:
        return "nothing computes the overflowing groups of a part that is not cut"
    if circuit.entries[0].window is None:
        return "nothing computes overflowing groups of a window of tuples"
    if any(isinstance(node, Aggregate) and node.of_rows for result in circuit.results for node in walk(result.plan)):
        return "groups lack DISTINCT values that overflow"
    wrong = [field.name for field in circuit.spills[0].schema.fields if not field.name.isidentifier()]
    return f"overflowing tuples would have flags ({wrong[0]})" if wrong else ""


def busy(circuit: Circuit, load: Load) -> float:
    """The share of its cycles that a circuit needs for tuples and for closing windows."""
    entry = circuit.entries[0]
    cycles = load.rate * entry.interval
    for instance in circuit.instances:
        if instance.core == "join:query_join":
            rows, lanes = (int(instance.parameters[name]) for name in ("ROWS", "MATCH_LANES"))
            cycles = max(cycles, load.rate * pair_cycles(rows, lanes, "TIME_W" in instance.parameters))
    if entry.window:
        cycles += load.tick / (entry.step or entry.window.advance) * entry.close_cycles
    return cycles / load.hertz


# ---- Rows


def flow(query: DividedQuery, cut: Cut, load: Load) -> float:
    """Rows per second after a cut."""
    rows = selected(query, cut, load)
    if cut.block == LEAF or cut.depth == Depth.SELECT or not query.chain[cut.block].aggregated:
        return rows
    block = query.chain[cut.block]
    return closed(block, rows, load) * share_of(c for c in block.having if c not in cut.left)


def selected(query: DividedQuery, cut: Cut, load: Load) -> float:
    """Rows per second after the WHERE of a cut's block."""
    if cut.block == LEAF:
        return load.rate
    chain, rows = query.chain, flow(query, Cut(cut.block - 1, Depth.WHOLE), load)
    where = chain[cut.block].where
    here = [condition for condition in where if condition not in cut.left]
    if load.selectivity is not None and here and not any(below.where for below in chain[: cut.block]):
        return rows * load.selectivity ** (len(here) / len(where))
    return rows * share_of(here)


def closed(block: Block, tuples: float, load: Load) -> float:
    """Rows per second of a block's windows."""
    spec, groups = block.spec, (load.groups or CAPACITY) if block.keys else 1
    if spec is None:
        return tuples
    if spec.session:
        return min(tuples, load.tick / spec.size)
    if not spec.in_time:
        return tuples / spec.advance * min(groups, spec.size)
    windows = load.tick / spec.advance
    return min(windows * groups, tuples * -(-spec.size // spec.advance) if not spec.emit_empty else windows)


def share_of(conditions: Iterable[exp.Expression]) -> float:
    """The share of rows that satisfy all conditions."""
    return prod(map(_share, conditions))


def _share(condition: exp.Expression) -> float:
    match condition:
        case exp.Paren():
            return _share(condition.this)
        case exp.Not():
            return 1 - _share(condition.this)
        case exp.And():
            return _share(condition.this) * _share(condition.expression)
        case exp.Or():
            return 1 - (1 - _share(condition.this)) * (1 - _share(condition.expression))
        case exp.EQ():
            return 0.1
        case exp.NEQ():
            return 0.9
        case exp.Between():
            return 0.25
    return 1 / 3


# ---- Datagrams


def sent(schema: Schema, load: Load) -> int:
    """Tuples in a sender's datagram."""
    return min(load.per_datagram, most_in_datagram(schema))


def datagrams(rows: float, schema: Schema, load: Load) -> float:
    """Datagrams per second in which rows leave the board; it collects rows for at most FLUSH_CYCLES."""
    return min(rows, max(rows / most_in_datagram(schema), load.hertz / FLUSH_CYCLES))


def wire_bytes(schema: Schema, count: float) -> float:
    """Bytes on the wire of a datagram with `count` records."""
    return max(HEADERS + HEADER_BYTES + count * schema.record_bytes, MIN_FRAME) + PREAMBLE + FCS + GAP


def si(value: float) -> str:
    """Three significant digits, with k, M or G."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {letter}"
    return f"{value:.3g}"
