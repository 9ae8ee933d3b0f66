"""What a circuit is made of: signals, the wire between operators, instances of cores, stages, entries and results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import ceil

from wirestream.compiler.cores import Core
from wirestream.compiler.methods import Choice
from wirestream.compiler.plan import Column, Join, Plan, shown, walk, window_text
from wirestream.compiler.syntax import Window
from wirestream.compiler.types import Boolean, Text, Type, of_field
from wirestream.schema.streams import Stream
from wirestream.schema.tuples import FLAG_NULL, FLAG_OVERFLOW, Field, Schema

FIRST_RESULT, FIRST_SPILL = 0x8001, 0xC001  # stream ids of results, and of tuples whose groups had no room
FLAGS_IN_A_BYTE = 4
GRACE = 4  # cycles behind that in which `ready` has fallen, in which tuples may still come
UNION_WAITS = 64  # cycles that a row may wait in the queues of unions, at most


@dataclass(frozen=True)
class Signal:
    """`width` bits: of the wire `name` from bit `lsb` on, or all of it, or of an expression; or the number `value`."""

    name: str
    width: int
    lsb: int | None = None
    value: int | None = None

    @property
    def text(self) -> str:
        if self.value is not None:
            return f"{self.width}'h{self.value & (1 << self.width) - 1:x}"
        return self.name if self.lsb is None else f"{self.name}[{self.lsb} +: {self.width}]"

    def above(self, bits: int) -> Signal:
        """All but that many of the lowest bits."""
        assert self.name.isidentifier(), self.name
        return Signal(self.name, self.width - bits, (self.lsb or 0) + bits)

    def resized(self, width: int, signed: bool) -> Signal:
        """The lowest bits, or with more of them in front: copies of the sign, or zeros."""
        missing = width - self.width
        if self.value is not None or not missing:
            return replace(self, width=width)
        if missing < 0:
            return replace(self, width=width, lsb=self.lsb or 0)
        sign = self.text if self.width == 1 else f"{self.name}[{(self.lsb or 0) + self.width - 1}]"
        fill = f"{{{missing}{{{sign}}}}}" if signed else f"{missing}'h0"
        return Signal(f"{{{fill}, {self.text}}}", width)


ZERO = Signal("1'b0", 1)


def joined(signals: Iterable[Signal]) -> str:
    """Signals side by side, the first in the most significant bits."""
    texts = [signal.text for signal in signals]
    return f"{{{', '.join(texts)}}}" if texts else ZERO.text


def part(wire: str, total: int, width: int, lsb: int = 0) -> Signal:
    """`width` bits of a wire of `total`; one that is a single bit has no places."""
    return Signal(wire, width, lsb if total > 1 else None)


def slices(wire: str, widths: dict[str, int], top: int) -> dict[str, Signal]:
    """Columns that lie side by side in a wire, the first right below bit `top`."""
    columns, total = {}, top
    for name, width in widths.items():
        top -= width
        columns[name] = part(wire, total, width, top)
    return columns


def record_columns(wire: str, schema: Schema) -> dict[str, Signal]:
    """The fields of a record on a wire: from the most significant bit on, zeros up to whole words behind them."""
    widths = {f.name: of_field(f.type).width for f in schema.fields}
    return slices(wire, widths, schema.record_bits)


@dataclass(frozen=True)
class Bus:
    """The wire between two operators: its control signals, and where each column is now.

    delays: how long after the clock's edge a column is steady, in ns; delay: the control signals. latency: cycles since
    the circuit's input; behind a union or a join (not `exact`) up to `early` cycles fewer, and more where a row waits
    for its turn. stage: the index of the stage that it leaves. rows: the most rows that one
    punctuation and that one tuple at the input cause. gaps: some of these may be missing, the first too.
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
    rows: tuple[int, int] = (0, 1)
    gaps: bool = False

    def late(self, names: Iterable[str] = ()) -> float:
        return max([self.delay, *(self.delays.get(name, 0.0) for name in names)])


class Reference(str):
    """An expression of the parameters of the module that is written."""


@dataclass(frozen=True)
class Instance:
    """core: as "query:compute". ports: each port's text, "" where nothing is connected. contract: of a core that the
    planner chooses."""

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
    """A part of the circuit as a person sees it. text: what it does. latency: in cycles. copies: side by side.

    sources: the stages whose rows it takes, as indices; without any it takes those of the circuit's input `entry`.
    """

    text: str
    instances: tuple[Instance, ...]
    latency: int
    copies: int = 1
    sources: tuple[int, ...] = ()
    entry: int = 0

    @property
    def cores(self) -> tuple[str, ...]:
        return tuple(sorted({instance.core for instance in self.instances}))


@dataclass
class Entry:
    """An input wire of a circuit. window: in time, whose boundaries its punctuations tell; else it has none.

    close_cycles: least distance of two punctuations. tuple_gap: of a tuple from the punctuation before it. interval: of
    a tuple to the next. reset_cycles: of what comes first from a reset, all in cycles. step: ends of panes, at every
    multiple of it, are boundaries too; None: none are. condition: with sessions, which tuples of the stream come in, as
    the plan of them, and `verdict` the wire that says so of a record on `where_data`, some cycles later; None: all do.
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
    """An output wire on which tuples leave whose group finds no room: signals, and the columns in its data.

    windows: the wire that tells for which copies of the window they found none; "" if for all that the tuple is in.
    """

    prefix: str
    schema: Schema
    valid: str
    punct: str
    data: str
    windows: str = ""
    copies: int = 0


@dataclass
class Result:
    """The output wire of a query. row: its record. latency: in cycles, from a tuple or what closes a window."""

    prefix: str
    plan: Plan
    entry: Entry
    schema: Schema
    bus: Bus
    row: list[Signal]
    spill: Spill | None = None

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
        """What is to be said of rows that are later than the latency."""
        return "" if self.bus.exact else ", more where tuples wait" if self.joined else ", more in a union"


@dataclass
class Circuit:
    """What the netlist is written from, and what is known of it.

    runtime: the constants $name and their types. capacity: groups that a GROUP BY has room for. choices: the
    aggregates whose windows could be made in several ways, and how they are. joins: of each JOIN, in front of which
    tuples wait, the wires ready, evt_late, evt_refused and evt_lost. notes: each JOIN, and what is to be said of it.
    warnings: what the queries surely do not mean.
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
        """Apart from every core's, whatever the query is called."""
        return f"ws_query_{self.name.lower()}"

    @property
    def cores(self) -> list[str]:
        return sorted({instance.core for instance in self.instances})


def padded(row: list[Signal], schema: Schema) -> list[Signal]:
    """A record of whole words: zeros after its fields."""
    padding = schema.record_bits - sum(signal.width for signal in row)
    return [*row, Signal("", padding, value=0)] if padding else row


def result_schema(name: str, plan: Plan, stream_id: int) -> tuple[Schema, list[str]]:
    """The schema of a result's record, and for each flag bit the companion that it shows.

    Flags follow the columns: for the k-th column that may be null or overflow, bits 2k (overflow) and 2k + 1 (null).
    """
    assert (FLAG_OVERFLOW, FLAG_NULL) == (1, 2)
    fields = [Field(c.name, field_type(c.type)) for c in shown(plan)]
    flags = [companion or "" for c in fallible(plan) for companion in (c.overflow, c.null)]
    for byte in range(ceil(len(flags) / 2 / FLAGS_IN_A_BYTE)):
        fields.append(Field("Flags" + (str(byte + 1) if byte else ""), "flags"))
    return Schema(name, stream_id, tuple(fields)), flags


def fallible(plan: Plan) -> list[Column]:
    """The columns of a result that may be null or overflow."""
    return [column for column in shown(plan) if column.null or column.overflow]


def field_type(kind: Type) -> str:
    """The type of the field that a row shows a value in."""
    if isinstance(kind, Text):
        return f"string({kind.length})"
    if isinstance(kind, Boolean):
        return "flags"
    if kind.low >= -(2**31) and kind.high < 2**31:
        return "int"
    return "uint" if kind.low >= 0 and kind.high < 2**32 else "long"
