"""The parts of a circuit: signals, the tuple bus between operators, instances of cores, stages, entries and results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from wirestream.compiler.cores import Core
from wirestream.compiler.methods import Choice
from wirestream.compiler.plan import ORDER, Column, Join, Plan, shown, walk, window_text
from wirestream.compiler.syntax import Window
from wirestream.compiler.types import Boolean, Date, Decimal, Text, Timestamp, Type, Uint64, of_field
from wirestream.errors import QueryError
from wirestream.schema.fields import Field
from wirestream.schema.streams import Stream
from wirestream.schema.tuples import FLAG_NULL, FLAG_OVERFLOW, Schema

FIRST_RESULT, FIRST_SPILL = 0x8001, 0xC001  # stream ids of results, and of tuples whose group found no entry
GRACE = 4  # tuples may still arrive for this many cycles after the cycle in which `ready` fell
UNION_WAITS = 64  # the most cycles that a row waits in the queues of unions


@dataclass(frozen=True)
class Signal:
    """`width` bits: a slice of the wire `name` from bit `lsb`, a whole wire, an expression, or the number `value`.

    extended: of an expression the signal whose extension it is, and whether by its sign."""

    name: str
    width: int
    lsb: int | None = None
    value: int | None = None
    extended: tuple[Signal, bool] | None = field(default=None, compare=False)

    @property
    def text(self) -> str:
        if self.value is not None:
            return f"{self.width}'h{self.value & (1 << self.width) - 1:x}"
        return self.name if self.lsb is None else f"{self.name}[{self.lsb} +: {self.width}]"

    def above(self, bits: int) -> Signal:
        """All bits but the lowest `bits`."""
        if self.extended:
            low, signed = self.extended
            most = low.above(min(bits, low.width - 1))
            return (most if signed or bits < low.width else ZERO).resized(self.width - bits, signed)
        assert self.name.isidentifier(), self.name
        return Signal(self.name, self.width - bits, (self.lsb or 0) + bits)

    def resized(self, width: int, signed: bool) -> Signal:
        """Truncated to the lowest `width` bits, or sign- or zero-extended to them."""
        missing = width - self.width
        if self.value is not None or not missing:
            return replace(self, width=width)
        if missing < 0:
            low, signed = self.extended or (None, signed)
            return low.resized(width, signed) if low else replace(self, width=width, lsb=self.lsb or 0)
        sign = self.text if self.width == 1 else f"{self.name}[{(self.lsb or 0) + self.width - 1}]"
        fill = f"{{{missing}{{{sign}}}}}" if signed else f"{missing}'h0"
        return Signal(f"{{{fill}, {self.text}}}", width, extended=(self, signed))


ZERO = Signal("1'b0", 1)


def joined(signals: Iterable[Signal]) -> str:
    """Signals concatenated, the first in the most significant bits."""
    texts = [signal.text for signal in signals]
    return f"{{{', '.join(texts)}}}" if texts else ZERO.text


def part(wire: str, total: int, width: int, lsb: int = 0) -> Signal:
    """`width` bits of a wire of `total`; a single-bit wire is not indexed."""
    return Signal(wire, width, lsb if total > 1 else None)


def slices(wire: str, widths: dict[str, int], top: int) -> dict[str, Signal]:
    """Adjacent columns of a wire, the first immediately below bit `top`."""
    columns, total = {}, top
    for name, width in widths.items():
        top -= width
        columns[name] = part(wire, total, width, top)
    return columns


def record_columns(wire: str, schema: Schema) -> dict[str, Signal]:
    """The fields of a record on a wire and the companions of the nullable ones; zeros pad the record to whole words.

    A bool is true if any of its bits is 1, and if it is null, it is false, like every condition that is null.
    """
    whole = slices(wire, {f.name: f.bits for f in schema.in_record}, schema.record_bits)
    columns = {f.name: whole[f.name] for f in schema.fields}
    for name in schema.nullable:
        byte, bit = schema.place_of_flags(name)
        for companion, flag in (("overflow", FLAG_OVERFLOW), ("null", FLAG_NULL)):
            lsb = whole[byte].lsb + bit + flag.bit_length() - 1
            columns[f"{name}.{companion}"] = part(wire, schema.record_bits, 1, lsb)
    for f in schema.fields:
        if isinstance(of_field(f.type), Boolean):
            known = f" && !{columns[f'{f.name}.null'].text}" if f.nullable else ""
            columns[f.name] = Signal(f"(|{columns[f.name].text}{known})", 1)
    return columns


@dataclass(frozen=True)
class Bus:
    """The tuple bus between two operators: its control signals, and the signal of each column.

    delays: how long after the clock edge a column settles, in ns; delay: the same for the control signals. latency:
    cycles from the circuit's input; after a union or a join (not `exact`) up to `early` cycles fewer, and more when a
    row waits for its turn. wait: the most cycles more, which other rows of the window take. stage: the index of
    the stage that drives the bus. rows: the most rows that one punctuation, and that one tuple at the input, cause.
    gaps: some of these rows may be missing, even the first. held: the most rows that wait until their window ends, and
    leave up to `wait` cycles later than the latency.
    """

    valid: str
    punct: str
    eos: str
    columns: dict[str, Signal]
    delays: dict[str, float] = field(default_factory=dict)
    delay: float = 0.0
    latency: int = 0
    stage: int | None = None
    exact: bool = True
    early: int = 0
    wait: int = 0
    rows: tuple[int, int] = (0, 1)
    gaps: bool = False
    held: int = 0

    def late(self, names: Iterable[str] = ()) -> float:
        return max([self.delay, *(self.delays.get(name, 0.0) for name in names)])


class Reference(str):
    """An expression in the parameters of the generated module."""


@dataclass(frozen=True)
class Instance:
    """core: as "query:compute". ports: each port's expression, "" if unconnected. contract: that of the core, if the
    planner chose it."""

    core: str
    name: str
    parameters: dict[str, int | str | Reference]
    ports: dict[str, str]
    contract: Core | None = None

    @property
    def module(self) -> str:
        return f"ws_{self.core.split(':')[1]}"


@dataclass(frozen=True)
class Stage:
    """A part of the circuit as shown to the user. text: what it does. latency: in cycles. copies: in parallel.

    sources: the indices of the stages that feed it; if empty, the circuit's input `entry` does. valid: the wire that is
    high when a tuple leaves it, a bit a copy.
    """

    text: str
    instances: tuple[Instance, ...]
    latency: int
    copies: int = 1
    sources: tuple[int, ...] = ()
    entry: int = 0
    valid: str = ""

    @property
    def cores(self) -> tuple[str, ...]:
        return tuple(sorted({instance.core for instance in self.instances}))


@dataclass
class Entry:
    """An input of a circuit. window: the time window whose boundaries its punctuations mark; None: no punctuations.

    The least distances, in cycles: close_cycles between two punctuations, tuple_gap from a punctuation to the next
    tuple, interval between two tuples, reset_cycles from a reset to the first item. step: ends of panes, at every
    multiple of it, are boundaries too; None: no panes. condition: with sessions, the plan of the tuples that are
    admitted, and `verdict` the bus that gives the decision for a record on `where_data` some cycles later; None: all
    tuples are admitted.
    """

    prefix: str
    stream: Stream
    window: Window | None
    close_cycles: int = 1
    tuple_gap: int = 1
    interval: int = 1
    reset_cycles: int = 1
    step: int | None = None
    condition: Plan | None = None
    verdict: Bus | None = None

    @property
    def where_data(self) -> str:
        return f"{self.prefix}_where_data"

    @property
    def text(self) -> str:
        return f"{self.stream.schema.name}{f' {window_text(self.window)}' if self.window else ''}"


@dataclass(frozen=True)
class Spill:
    """An output for the tuples whose group finds no entry in the table: its signals, and the columns in its data.

    windows: the wire that flags the copies of the window whose table was full; "" if a tuple overflows in all its
    windows.
    """

    prefix: str
    schema: Schema
    valid: str
    punct: str
    data: str
    windows: str = ""
    copies: int = 0


@dataclass(frozen=True)
class Runs:
    """The sorted runs that a window leaves as, of up to `rows` rows. long: the wire that is high once for a window of
    several."""

    rows: int
    long: str


@dataclass
class Result:
    """The output of a query. row: its record. latency: in cycles, from a tuple or from what closes a window. spills: of
    its tables of keys. runs: of windows in time that are sorted whole."""

    prefix: str
    plan: Plan
    entry: Entry
    schema: Schema
    bus: Bus
    row: list[Signal]
    spills: tuple[Spill, ...] = ()
    runs: Runs | None = None

    @property
    def name(self) -> str:
        return self.schema.name

    @property
    def latency(self) -> int:
        return self.bus.latency

    @property
    def stage(self) -> int:
        return self.bus.stage

    @property
    def joined(self) -> bool:
        return any(isinstance(node, Join) for node in walk(self.plan))

    @property
    def waits(self) -> str:
        """A remark on rows that leave later than the latency."""
        return "" if self.bus.exact else ", more where tuples wait" if self.joined else ", more in a union"


@dataclass
class Circuit:
    """A hardware plan: what the netlist is written from, and its properties.

    runtime: the constants $name and their types. capacity: groups that fit a GROUP BY. choices: the aggregates with
    several possible window methods, and the chosen one. joins: for each JOIN, the wires ready, evt_late, evt_refused
    and evt_lost. notes: each JOIN with a remark. warnings: conditions that the queries are unlikely to intend.
    """

    name: str
    capacity: int
    entries: list[Entry] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    spills: list[Spill] = field(default_factory=list)
    wires: dict[str, int] = field(default_factory=dict)
    instances: list[Instance] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    runtime: dict[str, Type] = field(default_factory=dict)
    choices: list[tuple[str, Choice]] = field(default_factory=list)
    joins: list[dict[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def module(self) -> str:
        """The module's name; its prefix keeps it apart from every core's."""
        return f"ws_query_{self.name.lower()}"

    @property
    def cores(self) -> list[str]:
        return sorted({instance.core for instance in self.instances})

    @property
    def probes(self) -> tuple[str, ...]:
        """The wires that are high when a tuple passes: into each input, then out of each stage."""
        return (*(f"{entry.prefix}_valid" for entry in self.entries), *(stage.valid for stage in self.stages))


def padded(row: list[Signal], schema: Schema) -> list[Signal]:
    """A record padded with zeros to whole words."""
    padding = schema.record_bits - sum(signal.width for signal in row)
    return [*row, Signal("", padding, value=0)] if padding else row


def result_schema(name: str, plan: Plan, stream_id: int) -> tuple[Schema, list[str]]:
    """The schema of a result's record, and for each flag bit its companion column, "" if it has none."""
    assert (FLAG_OVERFLOW, FLAG_NULL) == (1, 2)
    flags = [companion or "" for c in fallible(plan) for companion in (c.overflow, c.null)]
    fields = tuple(Field(c.name, field_type(c.type), bool(c.null or c.overflow)) for c in shown(plan))
    order = plan.columns[ORDER].type.length if ORDER in plan.columns else 0
    try:
        return Schema(name, stream_id, fields, order), flags
    except ValueError as error:
        raise QueryError(f"{name}: {error}") from None


def fallible(plan: Plan) -> list[Column]:
    """The columns of a result that may be null or overflow."""
    return [column for column in shown(plan) if column.null or column.overflow]


def field_type(kind: Type) -> str:
    """The type of the field that holds a value in a row."""
    if isinstance(kind, Text | Boolean | Decimal | Timestamp | Date | Uint64):
        return str(kind)
    if kind.low >= -(2**31) and kind.high < 2**31:
        return "int"
    return "uint" if kind.low >= 0 and kind.high < 2**32 else "long"
