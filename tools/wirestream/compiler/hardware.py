"""The hardware plan: the cores of a circuit, their parameters and wiring, and the latency of every stage.

The plan is walked from its input to its result. Operators that take no time of their own are gathered into one clock
as long as their delays fit (`merge`), then a register follows. Delays are estimates in nanoseconds for an ECP5 at speed
8; what place and route make of them is for `make synth` to say.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import ceil

from wirestream.compiler import algebra
from wirestream.compiler.algebra import (
    Aggregate,
    Boolean,
    Column,
    Compute,
    Filter,
    Input,
    Measure,
    Plan,
    Project,
    Runtime,
    Text,
    Union,
    Value,
    walk,
)
from wirestream.compiler.errors import QueryError
from wirestream.compiler.rewrite import Rewrites
from wirestream.tuples import FLAG_NULL, FLAG_OVERFLOW, Field, Schema

OPS = {
    "+": "ADD",
    "-": "SUB",
    "=": "EQ",
    "<>": "NE",
    "<": "LT",
    "<=": "LE",
    ">": "GT",
    ">=": "GE",
    "and": "AND",
    "or": "OR",
    "not": "NOT",
}
KINDS = {"count": "CNT", "sum": "SUM", "min": "MIN", "max": "MAX", "first": "FST", "last": "LST"}
PIPELINED = ("*", "div", "%")
DIGIT, CARRY_W = 17, 48  # of ws_multiply
CLOCK_NS = 8.0  # 125 MHz, that of gigabit Ethernet
CAPACITY = 64  # groups
REGISTER_NS = 1.2  # out of a register and into the next
FLAGS_IN_A_BYTE = 4


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


def slices(wire: str, widths: dict[str, int], top: int) -> dict[str, Signal]:
    """Columns that lie side by side in a wire, the first right below bit `top`."""
    columns = {}
    for name, width in widths.items():
        top -= width
        columns[name] = Signal(wire, width, top)
    return columns


@dataclass(frozen=True)
class Bus:
    """The wire between two operators: its control signals, and where each column is now.

    delay: how long after the clock's edge it is steady, in ns.
    """

    valid: str
    punct: str
    eos: str
    columns: dict[str, Signal]
    delays: dict[str, float] = field(default_factory=dict)
    delay: float = 0.0

    def late(self, names: Iterable[str] = ()) -> float:
        return max([self.delay, *(self.delays.get(name, 0.0) for name in names)])


@dataclass(frozen=True)
class Instance:
    core: str  # "query:compute"
    name: str
    parameters: dict[str, int | str]
    ports: dict[str, str]

    @property
    def module(self) -> str:
        return f"ws_{self.core.split(':')[1]}"


@dataclass(frozen=True)
class Stage:
    """A part of the circuit as a person sees it. text: what it does. latency in cycles."""

    text: str
    cores: tuple[str, ...]
    latency: int


@dataclass(frozen=True)
class Step:
    """A node of the plan, and the columns that are needed in front of it and behind it."""

    node: Plan
    before: set[str]
    behind: set[str]


@dataclass(frozen=True)
class Overflow:
    """The wire on which tuples leave whose group finds no room: its signals, and the columns in its data."""

    valid: str
    punct: str
    data: str
    columns: tuple[str, ...]
    width: int


@dataclass
class Circuit:
    """What the netlist is written from, and what is known of it.

    latency: from a tuple (or what closes a window) to its first row, in cycles. close_cycles, close_rows, tuple_rows:
    least distance of two punctuations, most rows that a punctuation and that a tuple cause. interval: cycles from a
    tuple to the next, at least.
    """

    name: str
    plan: Plan
    source: Input
    result: Schema
    window: object = None
    wires: list[tuple[str, int]] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    runtime: dict[str, algebra.Type] = field(default_factory=dict)
    output: Bus | None = None
    row: list[Signal] = field(default_factory=list)
    latency: int = 0
    close_cycles: int = 1
    close_rows: int = 0
    tuple_rows: int = 1
    interval: int = 1
    overflow: Overflow | None = None

    @property
    def cores(self) -> list[str]:
        return sorted({instance.core for instance in self.instances})


def plan_circuit(name: str, plan: Plan, rewrites: Rewrites, clock_ns: float, capacity: int) -> Circuit:
    """clock_ns: the clock's period. capacity: groups that a GROUP BY has room for."""
    return _Planner(name, plan, rewrites, clock_ns, capacity).circuit


def result_schema(name: str, plan: Plan, stream_id: int = 0x8001) -> tuple[Schema, list[Column], list[str]]:
    """The result's record: its schema, the columns in order, and for each flag bit the companion that it shows.

    Flags follow the columns: for the k-th column that may be null or overflow, bits 2k (overflow) and 2k + 1 (null).
    """
    shown = algebra.shown(plan)
    fields = [Field(c.name, _field_type(c.type)) for c in shown]
    fallible = [c for c in shown if c.null or c.overflow]
    flags = []
    for column in fallible:
        flags += [column.overflow or "", column.null or ""]
    for byte in range(ceil(len(fallible) / FLAGS_IN_A_BYTE)):
        fields.append(Field("Flags" + (str(byte + 1) if byte else ""), "flags"))
    assert (FLAG_OVERFLOW, FLAG_NULL) == (1, 2)
    return Schema(name, stream_id, tuple(fields)), shown, flags


def _field_type(kind: algebra.Type) -> str:
    if isinstance(kind, Text):
        return f"string({kind.length})"
    if isinstance(kind, Boolean):
        return "flags"
    if kind.low >= -(2**31) and kind.high < 2**31:
        return "int"
    return "uint" if kind.low >= 0 and kind.high < 2**32 else "long"


def pipelined(step: Plan) -> bool:
    """Whether the step takes more than a cycle."""
    return isinstance(step, Compute) and step.operator in PIPELINED


class _Planner:
    """Builds one circuit; every method takes the bus in front of an operator and gives the one behind it."""

    def __init__(self, name: str, plan: Plan, rewrites: Rewrites, clock_ns: float, capacity: int):
        self.rewrites, self.clock_ns, self.capacity = rewrites, clock_ns, capacity
        inputs = [node for node in walk(plan) if isinstance(node, Input)]
        names = {node.stream.schema.name for node in inputs}
        if len(names) > 1:
            raise QueryError(f"one stream is read by a circuit, not {len(names)} ({', '.join(sorted(names))})")
        schema, shown, flags = result_schema(name, plan)
        self.circuit = Circuit(name, plan, inputs[0], schema)
        self.numbers: dict[str, int] = {}
        self.entry = self._entry(inputs[0])
        bus = self._lower(plan, set(plan.columns), closed=True)
        self._row(bus, shown, flags)

    # ---- names and wires

    def _name(self, kind: str) -> str:
        self.numbers[kind] = self.numbers.get(kind, 0) + 1
        return f"{kind}_{self.numbers[kind]}"

    def _wire(self, name: str, width: int) -> str:
        self.circuit.wires.append((name, width))
        return name

    def _instance(self, core: str, name: str, parameters: dict, ports: dict) -> None:
        self.circuit.instances.append(Instance(core, name, parameters, ports))

    def _stage(self, text: str, cores: Iterable[str], latency: int) -> None:
        self.circuit.stages.append(Stage(text, tuple(cores), latency))
        self.circuit.latency += latency

    def _entry(self, source: Input) -> Bus:
        """The circuit's own input: the record's fields from the most significant bit on."""
        widths = {column.name: column.type.width for column in source.columns.values()}
        return Bus("s_valid", "s_punct", "s_eos", slices("s_data", widths, source.stream.schema.record_bits))

    def _value(self, bus: Bus, value: Value) -> Signal:
        if isinstance(value, Column):
            return bus.columns[value.name]
        if isinstance(value, Runtime):
            self.circuit.runtime[value.name] = value.type
            return Signal(f"const_{value.name}", value.type.width)
        number = int.from_bytes(value.value, "big") if isinstance(value.value, bytes) else int(value.value)
        return Signal("", value.type.width, value=number)

    def _operand(self, bus: Bus, value: Value, signed: bool) -> Signal:
        """A value as an operand of a core whose operands are all signed, or all not."""
        signal = self._value(bus, value)
        if signed and not value.type.signed:
            return Signal(f"{{1'b0, {signal.text}}}", signal.width + 1)
        return signal

    # ---- the wire through an instance

    def _through(self, name: str, bus: Bus, needed: Iterable[str]) -> tuple[dict, dict, Bus]:
        """Ports and width of an instance that carries the needed columns, and the bus behind it."""
        kept = {n: signal for n, signal in bus.columns.items() if n in set(needed)}
        width = sum(signal.width for signal in kept.values())
        data = ", ".join(signal.text for signal in kept.values())
        ports = self._inputs(bus, f"{{{data}}}" if kept else "1'b0") | self._outputs(name, max(width, 1))
        columns = slices(ports["m_data"], {n: signal.width for n, signal in kept.items()}, width)
        return ports, {"DATA_W": max(width, 1)}, Bus(ports["m_valid"], ports["m_punct"], ports["m_eos"], columns)

    @staticmethod
    def _inputs(bus: Bus, data: str = "1'b0") -> dict:
        control = {"s_valid": bus.valid, "s_punct": bus.punct, "s_eos": bus.eos}
        return {"clk": "clk", "rst": "rst", **control, "s_data": data}

    def _outputs(self, name: str, width: int) -> dict:
        control = {f"m_{signal}": self._wire(f"{name}_{signal}", 1) for signal in ("valid", "punct", "eos")}
        return {**control, "m_data": self._wire(f"{name}_data", width)}

    def _register(self, bus: Bus, needed: Iterable[str], cycles: int = 1) -> Bus:
        name = self._name("delay")
        ports, parameters, behind = self._through(name, bus, needed)
        self._instance("query:delay", name, {**parameters, "N": cycles}, ports)
        return behind

    def _beside(self, bus: Bus) -> dict:
        """Ports of an instance of which only the result is of interest."""
        return self._inputs(bus) | dict.fromkeys(("m_valid", "m_punct", "m_eos", "m_data"), "")

    # ---- the plan

    def _lower(self, plan: Plan, needed: set[str], closed: bool) -> Bus:
        """The bus behind `plan` with at least the needed columns; closed: registers stand at its end."""
        prune = self.rewrites.prune
        steps: list[Step] = []
        node, behind = plan, set(needed)
        while isinstance(node, Compute | Filter | Project):
            before = self._needs(node, behind) if prune else set(node.child.columns)
            if not (prune and isinstance(node, Compute) and not self._made(node) & behind):  # else nobody asks for it
                steps.insert(0, Step(node, before, behind if prune else set(node.columns)))
            node, behind = node.child, before
        if isinstance(node, Input):
            bus = self.entry
        elif isinstance(node, Union):
            bus = self._union(node, behind if prune else set(node.columns))
        else:
            bus = self._aggregate(node)
        return self._chain(steps, bus, closed)

    @staticmethod
    def _made(step: Compute) -> set[str]:
        return {step.output.name, *([step.output.null] if step.makes_null else [])}

    def _needs(self, step: Plan, behind: set[str]) -> set[str]:
        """The columns that must be there in front of a node."""
        if isinstance(step, Filter):
            return behind | {step.condition.name}
        if isinstance(step, Project):
            return {v.name for c, v in step.outputs if c.name in behind and isinstance(v, Column)}
        made = self._made(step)
        if not made & behind:
            return behind
        return behind - made | {v.name for v in (step.a, step.b) if isinstance(v, Column)}

    # ---- computing, selecting, projecting

    def _chain(self, steps: list[Step], bus: Bus, closed: bool) -> Bus:
        merge = self.rewrites.merge
        texts: list[str] = []
        cores: list[str] = []
        position = 0

        def close(bus: Bus, wanted: set[str]) -> Bus:
            bus = self._register(bus, wanted)
            self._stage("; ".join(texts) or "register", [*cores, "query:delay"], 1)
            texts.clear()
            cores.clear()
            return bus

        while position < len(steps):
            group = self._side_by_side(steps[position:])
            before, position = steps[position].before, position + len(group)
            behind = steps[position - 1].behind
            if pipelined(group[0]):
                if bus.late(bus.columns) > 0:
                    bus = close(bus, before)
                bus = self._pipelined(group, bus, behind)
                continue
            delay = max(self._delay(step, bus) for step in group)
            if merge and delay + REGISTER_NS > self.clock_ns and bus.late(bus.columns) > 0:
                bus = close(bus, before)
            for step in group:
                bus = self._simple(step, bus)
                if not (isinstance(step, Compute) and "." in step.output.name):
                    texts.append(str(step))
                if not isinstance(step, Project):
                    cores.append("query:compute" if isinstance(step, Compute) else "query:select")
            if not merge:
                bus = close(bus, behind)
        unregistered = bus.valid == self.entry.valid or bus.late(bus.columns) > 0
        if closed and unregistered:
            bus = close(bus, steps[-1].behind if steps else set(bus.columns))
        elif texts:
            self._stage("; ".join(texts), cores, 0)
        return bus

    def _side_by_side(self, steps: list[Step]) -> list[Plan]:
        """The first steps, as many as can run side by side; one where that is switched off."""
        first = steps[0].node
        group = [first]
        if not self.rewrites.parallel or not isinstance(first, Compute):
            return group
        made = {first.output.name, first.output.null}
        for step in (s.node for s in steps[1:]):
            if not isinstance(step, Compute) or pipelined(step) != pipelined(first):
                break
            if any(isinstance(v, Column) and v.name in made for v in (step.a, step.b)):
                break
            group.append(step)
            made |= {step.output.name, step.output.null}
        return group

    def _delay(self, step: Plan, bus: Bus) -> float:
        """When the step's result is steady, in ns after the clock's edge."""
        if isinstance(step, Project):
            return bus.late(v.name for _, v in step.outputs if isinstance(v, Column))
        if isinstance(step, Filter):
            return bus.late([step.condition.name]) + 0.6
        ready = max([bus.delays.get(v.name, 0.0) for v in (step.a, step.b) if isinstance(v, Column)], default=0.0)
        widths = [v.type.width for v in (step.a, step.b) if v is not None]
        if step.operator in ("and", "or", "not"):
            return ready + 0.6
        if step.operator in ("=", "<>"):
            return ready + 1.0 + 0.01 * max(widths)
        return ready + 1.2 + 0.04 * max([*widths, step.output.type.width])

    def _simple(self, step: Plan, bus: Bus) -> Bus:
        delay = self._delay(step, bus)
        if isinstance(step, Project):
            columns = {
                c.name: self._value(bus, v)
                for c, v in step.outputs
                if not isinstance(v, Column) or v.name in bus.columns
            }
            delays = {
                c.name: bus.delays[v.name] for c, v in step.outputs if isinstance(v, Column) and v.name in bus.delays
            }
            return Bus(bus.valid, bus.punct, bus.eos, columns, delays, bus.delay)
        if isinstance(step, Filter):
            name = self._name("select")
            ports = self._beside(bus) | {"keep": bus.columns[step.condition.name].text}
            ports["m_valid"] = self._wire(f"{name}_valid", 1)
            self._instance("query:select", name, {"DATA_W": 1, "REGISTERED": 0}, ports)
            return Bus(ports["m_valid"], bus.punct, bus.eos, bus.columns, bus.delays, delay)
        name = self._name("compute")
        signed = any(v is not None and v.type.signed for v in (step.a, step.b))
        a = self._operand(bus, step.a, signed)
        b = self._operand(bus, step.b, signed) if step.b is not None else ZERO
        width = step.output.type.width
        result = Signal(self._wire(f"{name}_y", width), width)
        parameters = {
            "OP": OPS[step.operator],
            "A_W": a.width,
            "B_W": b.width,
            "Y_W": width,
            "SIGNED": int(signed),
            "DATA_W": 1,
            "REGISTERED": 0,
        }
        self._instance(
            "query:compute", name, parameters, self._beside(bus) | {"a": a.text, "b": b.text, "y": result.text}
        )
        columns = bus.columns | {step.output.name: result}
        return Bus(bus.valid, bus.punct, bus.eos, columns, bus.delays | {step.output.name: delay}, bus.delay)

    def _pipelined(self, group: list[Compute], bus: Bus, behind: set[str]) -> Bus:
        """Products and quotients side by side; the slowest carries the tuple, and the others wait for it."""
        made: dict[str, Signal] = {}
        latencies = {step.output.name: self._latency_of(step) for step in group}
        slowest = max(group, key=lambda step: latencies[step.output.name])
        latency = latencies[slowest.output.name]
        for step in group:
            core = "multiply" if step.operator == "*" else "divide"
            name = self._name(core)
            signed = step.a.type.signed or step.b.type.signed
            a, b = (self._operand(bus, v, signed) for v in (step.a, step.b))
            if core == "divide" and a.width < 2:
                a = Signal(f"{{1'b0, {a.text}}}", 2)
            parameters = {"A_W": a.width, "B_W": b.width, "SIGNED": int(signed), "DATA_W": 1}
            ports = self._beside(bus)
            if step is slowest:
                kept = behind - {n for s in group for n in (s.output.name, s.output.null)}
                ports, width, carried = self._through(name, bus, kept)
                parameters |= width
            ports |= {"a": a.text, "b": b.text}
            width = step.output.type.width
            if core == "multiply":
                shown, full = "y", a.width + b.width
            else:
                shown, full = ("y", a.width + signed) if step.operator == "div" else ("r", b.width)
                ports |= {"y": "", "r": "", "y_null": ""}
            ports[shown] = self._wire(f"{name}_{shown}", full)
            results = {step.output.name: Signal(ports[shown], full, 0).resized(width, signed)}
            if step.makes_null:
                ports["y_null"] = self._wire(f"{name}_null", 1)
                results[step.output.null] = Signal(ports["y_null"], 1)
            self._instance(f"query:{core}", name, parameters, ports)
            waits = latency - latencies[step.output.name]
            made |= {column: self._delayed(signal, waits) for column, signal in results.items()}
        self._stage(
            "; ".join(map(str, group)),
            {f"query:{'multiply' if s.operator == '*' else 'divide'}" for s in group},
            latency,
        )
        return Bus(carried.valid, carried.punct, carried.eos, carried.columns | made)

    def _delayed(self, signal: Signal, cycles: int) -> Signal:
        """A signal some cycles later."""
        if not cycles:
            return signal
        name = self._name("delay")
        still = Bus(ZERO.text, ZERO.text, ZERO.text, {})
        later = Signal(self._wire(f"{name}_data", signal.width), signal.width)
        ports = self._beside(still) | {"s_data": signal.text, "m_data": later.text}
        self._instance("query:delay", name, {"DATA_W": signal.width, "N": cycles}, ports)
        return later

    @staticmethod
    def _latency_of(step: Compute) -> int:
        signed = step.a.type.signed or step.b.type.signed
        a, b = (v.type.width + (signed and not v.type.signed) for v in (step.a, step.b))
        if step.operator == "*":
            return (ceil(a / DIGIT) + ceil(b / DIGIT) - 2).bit_length() + ceil((a + b) / CARRY_W)
        return max(a, 2) + 1 + signed

    # ---- several streams, windows

    def _union(self, node: Union, needed: set[str]) -> Bus:
        before, longest = self.circuit.latency, 0
        rows = []
        for part in node.parts:
            self.circuit.latency = before
            bus = self._lower(part, needed & part.columns.keys(), closed=True)
            columns = {}
            for column in (c for c in node.columns.values() if c.name in needed):
                own = part.columns.get(column.name)
                signal = bus.columns[own.name] if own else ZERO
                columns[column.name] = signal.resized(column.type.width, (own or column).type.signed)
            rows.append(Bus(bus.valid, bus.punct, bus.eos, columns))
            longest = max(longest, self.circuit.latency)
        self.circuit.latency = longest
        self.circuit.interval = len(rows)
        time = self.circuit.source.stream.time
        return self._together(rows, "union", time if time in rows[0].columns else None)

    def _aggregate(self, node: Aggregate) -> Bus:
        window = node.window
        in_time = window.unit == "time"
        self.circuit.window = window
        values = {n for m in node.measures if m.value for n in (m.value.name, m.value.null) if n}
        wanted = values | ({node.end.name} if in_time else set())
        wanted |= {key.name for key in node.keys}
        bus = self._lower(node.child, wanted, closed=not self.rewrites.merge)
        slack = window.slack if in_time else 0
        windows = ceil((window.size + slack) / window.advance)
        self.circuit.tuple_rows = 0 if in_time else 1
        if node.keys:
            behind = self._window(node, bus, wanted, windows + 1, registered=False)
            return self._group(node, bus, behind, windows + 1)
        copies = windows + (not self.rewrites.multiplex)
        behind = self._window(node, bus, wanted, copies, registered=not self.rewrites.merge)
        end = [node.end] if in_time else []
        rows = []
        latency = max(self._measure_latency(m) for m in node.measures)
        for copy in range(copies):
            one = Bus(f"{behind.valid}[{copy}]", f"{behind.punct}[{copy}]", f"{behind.eos}[{copy}]", behind.columns)
            rows.append(self._measures(node.measures, end, one, latency, window.emit_empty and in_time))
        cores = {f"query:{'wsum' if m.function == 'wsum' else 'aggregate'}" for m in node.measures}
        self._stage(", ".join(map(str, node.measures)), cores, latency)
        self.circuit.close_cycles, self.circuit.close_rows = 2, 1
        rows_bus = self._together(rows, "multiplex" if self.rewrites.multiplex else "union", node.end and node.end.name)
        return replace(rows_bus, eos="1'b0")  # the windows' sub-streams end here

    def _window(self, node: Aggregate, bus: Bus, wanted: set[str], copies: int, registered: bool) -> Bus:
        """The wire to all copies: its control signals have a bit for each."""
        window, in_time = node.window, node.window.unit == "time"
        name = self._name("window")
        ports, parameters, behind = self._through(name, bus, wanted)
        attribute = bus.columns[node.end.name] if in_time else ZERO
        for signal in ("valid", "punct", "eos"):
            self.circuit.wires.remove((f"{name}_{signal}", 1))
            self._wire(f"{name}_{signal}", copies)
        self._instance(
            "query:window",
            name,
            {
                **parameters,
                "UNIT": "TIME" if in_time else "TUPLES",
                "SIZE": window.size,
                "ADVANCE": window.advance,
                "SLACK": window.slack,
                "WATTR_W": attribute.width,
                "COPIES": copies,
                "REGISTERED": int(registered),
            },
            ports | {"wattr": attribute.text},
        )
        self._stage(f"⊞ {algebra.window_text(window)}: {copies} copies", ["query:window"], int(registered))
        return behind

    def _group(self, node: Aggregate, bus: Bus, behind: Bus, windows: int) -> Bus:
        """The rows of the groups of each window, from one table; what it has no room for leaves on o_*."""
        window, in_time, capacity = node.window, node.window.unit == "time", self.capacity
        closing = capacity + 16
        if not in_time and window.advance < closing:
            closes = f"one closes every {window.advance} tuples; ADVANCE {closing} or a smaller capacity"
            raise QueryError(
                f"a window of {capacity} groups needs {closing} cycles to close, and {closes}", window.place
            )
        if any(measure.function == "wsum" for measure in node.measures):
            raise QueryError(
                "wsum of each group needs the last values of each; it is built for whole windows only", window.place
            )
        name = self._name("group_by")
        ports, parameters, after = self._through(name, behind, behind.columns)
        measures = node.measures
        value_width = max([1, *(bus.columns[m.value.name].width for m in measures if m.value)])
        result_width = max(m.output.type.width if m.function != "count" else 64 for m in measures)
        values, nulls = [], []
        for measure in measures:
            value = measure.value
            signal = behind.columns[value.name] if value else ZERO
            values.append(signal.resized(value_width, bool(value and value.type.signed)).text)
            nulls.append(behind.columns[value.null].text if value and value.null else ZERO.text)
        keys = [behind.columns[key.name] for key in node.keys]
        key_width = sum(key.width for key in keys)
        signeds = "".join(str(int(bool(m.value and m.value.type.signed))) for m in measures)
        results = self._wire(f"{name}_results", result_width * len(measures))
        null_bits = self._wire(f"{name}_nulls", len(measures))
        overflow_bits = self._wire(f"{name}_overflows", len(measures))
        width = parameters["DATA_W"]
        ports |= {
            "s_punct": bus.punct,
            "key": f"{{{', '.join(key.text for key in keys)}}}",
            "values": f"{{{', '.join(values)}}}",
            "nulls": f"{{{', '.join(nulls)}}}",
            "m_key": self._wire(f"{name}_key", key_width),
            "results": results,
            "result_nulls": null_bits,
            "result_overflows": overflow_bits,
            "o_valid": self._wire(f"{name}_o_valid", 1),
            "o_punct": self._wire(f"{name}_o_punct", 1),
            "o_eos": "",
            "o_data": self._wire(f"{name}_o_data", width),
        }
        self._instance(
            "query:group_by",
            name,
            {
                **parameters,
                "KEY_W": key_width,
                "CAPACITY": capacity,
                "WINDOWS": windows,
                "AGGS": len(measures),
                "KINDS": "".join(KINDS[m.function] for m in measures),
                "SIGNEDS": f"{len(measures)}'b{signeds}",
                "VALUE_W": value_width,
                "ACC_W": result_width,
                "RESULT_W": result_width,
            },
            ports,
        )
        self.circuit.overflow = Overflow(
            ports["o_valid"], ports["o_punct"], ports["o_data"], tuple(behind.columns), width
        )
        columns = {node.end.name: after.columns[node.end.name]} if in_time else {}
        columns |= slices(ports["m_key"], {key.name: key.type.width for key in node.keys}, key_width)
        for n, measure in enumerate(measures):
            place = len(measures) - 1 - n
            kept = measure.output.type.width
            columns[measure.output.name] = Signal(results, kept, place * result_width)
            if measure.output.null:
                columns[measure.output.null] = Signal(f"{null_bits}[{place}]", 1)
            if measure.output.overflow:
                columns[measure.output.overflow] = Signal(f"{overflow_bits}[{place}]", 1)
        self.circuit.close_cycles, self.circuit.close_rows = closing, capacity + 10
        text = f"{', '.join(map(str, measures))} by {', '.join(map(str, node.keys))}: {capacity} groups"
        self._stage(text, ["query:group_by"], 5 if in_time else 6)
        return Bus(after.valid, after.punct, "1'b0", columns)  # the windows' sub-streams end here

    @staticmethod
    def _measure_latency(measure: Measure) -> int:
        return 1 + (measure.function == "wsum" and any(abs(w).bit_count() > 1 for w in measure.weights))

    def _measures(self, measures, end: list[Column], bus: Bus, latency: int, emit_empty: bool) -> Bus:
        """The measures of one window, in step; the first carries the window's end."""
        row: Bus | None = None
        made: dict[str, Signal] = {}
        for measure in measures:
            core = "wsum" if measure.function == "wsum" else "aggregate"
            name = self._name(core)
            value = measure.value
            operand = bus.columns[value.name] if value else ZERO
            null = bus.columns[value.null].text if value and value.null else ZERO.text
            ports, parameters, behind = self._through(name, bus, [c.name for c in end])
            ports |= {"value": operand.text, "null": null}
            waits = latency - self._measure_latency(measure)
            width = measure.output.type.width
            signed = int(value is not None and value.type.signed)
            if core == "wsum":
                weight_width = max(algebra.Integer(min(w, 0), max(w, 0)).width + (w > 0) for w in measure.weights)
                packed = "".join(f"{w & (1 << weight_width) - 1:0{weight_width}b}" for w in measure.weights)
                full = operand.width + weight_width + (len(measure.weights) - 1).bit_length() + 1
                parameters |= {
                    "N": len(measure.weights),
                    "WEIGHT_W": weight_width,
                    "WEIGHTS": f"{len(packed)}'b{packed}",
                    "VALUE_W": operand.width,
                    "SIGNED": signed,
                    "PRODUCT_REG": self._measure_latency(measure) - 1,
                    "EMIT_EMPTY": int(emit_empty),
                }
            else:
                full = 64 if measure.function == "count" else width
                parameters |= {
                    "KIND": KINDS[measure.function],
                    "VALUE_W": operand.width,
                    "SIGNED": signed,
                    "ACC_W": full,
                    "RESULT_W": full,
                    "EMIT_EMPTY": int(emit_empty),
                }
                ports["result_overflow"] = ""
            ports |= {"result": self._wire(f"{name}_result", full), "result_null": ""}
            results = {measure.output.name: Signal(ports["result"], full, 0).resized(width, True)}
            for flag, column in (("overflow", measure.output.overflow), ("null", measure.output.null)):
                if column:
                    ports[f"result_{flag}"] = self._wire(f"{name}_{flag}", 1)
                    results[column] = Signal(ports[f"result_{flag}"], 1)
            self._instance(f"query:{core}", name, parameters, ports)
            made |= {column: self._delayed(signal, waits) for column, signal in results.items()}
            if row is None or not waits:
                row = behind if not waits else self._register(behind, behind.columns, waits)
        return Bus(row.valid, row.punct, row.eos, row.columns | made)

    def _together(self, rows: list[Bus], core: str, time: str | None) -> Bus:
        """The rows of several inputs on one bus. time: the column that a punctuation is about."""
        name = self._name(core)
        first = rows[0]
        width = sum(s.width for s in first.columns.values())
        data = [", ".join(row.columns[n].text for n in first.columns) for row in reversed(rows)]
        ports = {"clk": "clk", "rst": "rst"}
        for signal in ("valid", "punct", "eos"):
            ports[f"s_{signal}"] = f"{{{', '.join(getattr(row, signal) for row in reversed(rows))}}}"
        ports["s_data"] = "{" + ",\n         ".join(data) + "}"
        ports |= self._outputs(name, width)
        ports["evt_collision" if core == "multiplex" else "evt_lost"] = ""
        columns = slices(ports["m_data"], {n: signal.width for n, signal in first.columns.items()}, width)
        parameters = {"DATA_W": width, "N": len(rows)}
        if core == "union":
            place = columns[time] if time else Signal("", 1, 0)
            parameters |= {"PUNCT_LSB": place.lsb, "PUNCT_W": place.width}
        self._instance(f"query:{core}", name, parameters, ports)
        self._stage(f"{core} of {len(rows)}", [f"query:{core}"], 1 if core == "multiplex" else 3)
        return Bus(ports["m_valid"], ports["m_punct"], ports["m_eos"], columns)

    # ---- the result

    def _row(self, bus: Bus, shown: list[Column], flags: list[str]) -> None:
        """The record: each column extended to its field, the flags, zeros up to whole words."""
        schema = self.circuit.result
        row = []
        for column, declared in zip(shown, schema.fields, strict=False):
            signal = bus.columns[column.name]
            row.append(signal.resized(algebra.of_field(declared.type).width, column.type.signed))
        for first in range(0, len(flags), 8):
            bits = [bus.columns[flag].text if flag else ZERO.text for flag in flags[first : first + 8]]
            bits += [ZERO.text] * (8 - len(bits))
            row.append(Signal(f"{{{', '.join(reversed(bits))}}}", 8))
        padding = schema.record_bits - sum(signal.width for signal in row)
        if padding:
            row.append(Signal("", padding, value=0))
        self.circuit.output, self.circuit.row = bus, row
