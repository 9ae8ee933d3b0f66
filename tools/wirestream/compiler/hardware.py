"""The hardware plan: the cores of a circuit, their parameters and wiring, and the latency of every stage.

Each query's plan is walked from its input to its result. Operators that take no time of their own are gathered into one
clock as long as their delays fit (`merge`), then a register follows. Delays are estimates in nanoseconds for an ECP5 at
speed 8; what place and route make of them is for `make synth` to say. An instance whose core, parameters and inputs are
those of one that stands already is that one, so what several queries have in common is built once (`share`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple

from wirestream.compiler import groups, join_core, windows
from wirestream.compiler.analysis import behind_entry, condition, timing
from wirestream.compiler.circuit import (
    FIRST_RESULT,
    FIRST_SPILL,
    GRACE,
    ZERO,
    Bus,
    Circuit,
    Entry,
    Instance,
    Result,
    Signal,
    Spill,
    Stage,
    field_type,
    joined,
    part,
    record_columns,
    result_schema,
    slices,
)
from wirestream.compiler.groups import GroupTable
from wirestream.compiler.join_planner import entry_cycles, match_cycles
from wirestream.compiler.plan import (
    Aggregate,
    Column,
    Compute,
    Filter,
    Input,
    Join,
    Measure,
    Plan,
    Project,
    Runtime,
    Union,
    Value,
    hidden,
    shown,
    walk,
    window_text,
)
from wirestream.compiler.rewrite import Rewrites
from wirestream.compiler.syntax import Window
from wirestream.compiler.types import of_field
from wirestream.compiler.windows import WINDOW_NS, Method, WindowOptions, measure_latency
from wirestream.errors import QueryError
from wirestream.schema.streams import Stream
from wirestream.schema.tuples import Field, Schema

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
    "beyond": "NE",
}
SEVERAL = ("results", "result_nulls", "result_overflows")  # of a core with several aggregates
# The outputs of each core, apart from those of the wire.
OUTPUTS = {
    "query:compute": ("y",),
    "query:multiply": ("y",),
    "query:divide": ("y", "r", "y_null"),
    "query:union": ("evt_lost",),
    "join:wire_join": ("ready", "m_key", "evt_late", "evt_refused", "evt_lost"),
    "query:multiplex": ("evt_collision",),
    "query:aggregate": ("result", "result_null", "result_overflow"),
    "query:wsum": ("result", "result_null"),
    "query:group_by": (
        *("m_key", *SEVERAL),
        *("o_valid", "o_punct", "o_eos", "o_data"),
    ),
    "window:group_panes": ("m_key", *SEVERAL, "o_valid", "o_punct", "o_eos", "o_data"),
    "window:wid_aggregate": SEVERAL,
    "window:pane_aggregate": SEVERAL,
    "window:session_aggregate": ("m_end", *SEVERAL),
    "window:tuple_numbers": ("m_number",),
}
WIRE = ("m_valid", "m_punct", "m_eos", "m_data")
PIPELINED = ("*", "div", "%")
DIGIT, CARRY_W = 17, 48  # of ws_multiply
UNION_INPUTS = 16  # of ws_union
CLOCK_NS = 8.0  # 125 MHz, that of gigabit Ethernet
CAPACITY = 32  # groups
REGISTER_NS = 1.2  # out of a register and into the next
DIVIDE_NS, DIVISOR_NS = 3.5, 0.05  # a cycle of ws_divide, and what each bit of the divisor adds to it
LONG_W = 64  # bits of what a row shows
DIVIDE_CYCLES = 32  # between the ends of windows in time whose rows are divided, so that a divider is small


@dataclass(frozen=True)
class Step:
    """A node of the plan, and the columns that are needed in front of it and behind it."""

    node: Plan
    before: set[str]
    behind: set[str]


def plan_circuit(
    name: str,
    plans: Sequence[tuple[str, Plan]],
    rewrites: Rewrites,
    clock_ns: float,
    capacity: int,
    options: WindowOptions,
) -> Circuit:
    """plans: each query's result and its plan. clock_ns: the clock's period. capacity: groups that fit a GROUP BY."""
    planner = _Planner(Circuit(name, capacity), rewrites, clock_ns, options)
    inside = [behind_entry(plan) for _, plan in plans]
    for plan in inside:
        planner.ask(plan)
    for number, ((result, whole), plan) in enumerate(zip(plans, inside, strict=True)):
        planner.add(number, result, plan, Reads.of(whole), alone=len(plans) == 1)
    return planner.circuit


class Reads(NamedTuple):
    """What a query reads: a stream, the window in time over it, and with sessions which of its tuples they are of."""

    stream: Stream
    window: Window | None
    condition: Plan | None

    @classmethod
    def of(cls, plan: Plan) -> Reads:
        stream = next(node.stream for node in walk(plan) if isinstance(node, Input))
        sessions = [node for node in walk(plan) if isinstance(node, Aggregate) and node.window.session]
        return cls(stream, timing(plan), condition(sessions[0].child) if sessions else None)


def pipelined(step: Plan) -> bool:
    """Whether the step takes more than a cycle."""
    return isinstance(step, Compute) and step.operator in PIPELINED


def of_input(node: Aggregate) -> bool:
    """Whether an aggregate is over tuples of the input, which come as far apart as the entry sends them."""
    child = node.child
    while isinstance(child, Compute | Filter | Project):
        child = child.child
    return isinstance(child, Input)


def made_by(step: Compute) -> set[str]:
    return {step.output.name, *([step.output.null] if step.makes_null else [])}


class _Planner:
    """Builds one circuit; most methods take the bus in front of an operator and give the one behind it."""

    def __init__(self, circuit: Circuit, rewrites: Rewrites, clock_ns: float, options: WindowOptions):
        self.circuit, self.rewrites, self.clock_ns, self.options = circuit, rewrites, clock_ns, options
        self.wanted: dict[tuple, set[str]] = {}  # of each node, the columns that somebody asks for
        self.numbers: dict[str, int] = {}
        self.built: dict[tuple, Instance] = {}
        self.touched: dict[str, Instance] = {}  # the instances of the stage that is being made
        self.staged: dict[tuple, int] = {}
        self.methods: dict[tuple, Method] = {}  # of each aggregate
        self.ordered: set[tuple] = set()  # GROUP BYs of whose rows the order matters
        self.asked = windows.AUTO
        self.table = GroupTable(circuit.capacity, clock_ns)
        self.query = 0
        self.reset = "rst"  # of the instances that are made
        self.entry: Entry | None = None
        self.spill: Spill | None = None

    # ---- what is needed

    def _key(self, *parts) -> tuple:
        """Under which something is found again: by every query, or without sharing only by the one that made it."""
        return parts if self.rewrites.share else (*parts, self.query)

    def ask(self, plan: Plan) -> None:
        """Note the columns that the query needs of every node of its plan."""
        self._ask(plan, set(plan.columns))
        self.ordered.update(self._key(node) for node in groups.in_order(plan))
        self.query += 1

    def _ask(self, node: Plan, columns: set[str]) -> None:
        wanted = self.wanted.setdefault(self._key(node), set())
        wanted.update(columns if self.rewrites.prune else node.columns)
        for child in node.inputs:
            self._ask(child, self._before(node, wanted) & child.columns.keys())

    @staticmethod
    def _before(node: Plan, behind: set[str]) -> set[str]:
        """The columns that must be there in front of a node."""
        match node:
            case Filter():
                return behind | {node.condition.name}
            case Project():
                return {v.name for c, v in node.outputs if c.name in behind and isinstance(v, Column)}
            case Compute():
                made = made_by(node)
                operands = {v.name for v in (node.a, node.b) if isinstance(v, Column)}
                return behind - made | operands if made & behind else behind
            case Aggregate():
                values = {n for m in node.measures if m.value for n in (m.value.name, m.value.null) if n}
                return values | {c.name for c in (*node.keys, *([node.end] if node.end else []))}
            case Join():
                compared = (c for key in node.keys for c in (key.left, key.right))
                return behind | {c.name for c in (*compared, *(node.times or ()))}
        return behind

    # ---- one query

    def add(self, number: int, name: str, plan: Plan, reads: Reads, alone: bool) -> None:
        self.query = number
        self.entry, self.spill, self.asked = self._entry(reads), None, self.options.of_result(name)
        self._applies(plan)
        bus = self._lower(plan, closed=True)
        schema, flags = result_schema(name, plan, FIRST_RESULT + number)
        row = [bus.columns[c.name].resized(of_field(f.type).width, c.type.signed)
               for c, f in zip(shown(plan), schema.fields, strict=False)]  # fmt: skip
        for first in range(0, len(flags), 8):
            bits = [bus.columns[flag] if flag else ZERO for flag in flags[first : first + 8]]
            bits += [ZERO] * (8 - len(bits))
            row.append(Signal(joined(reversed(bits)), 8))
        prefix = "m" if alone else f"m_{name}"
        self.circuit.results.append(Result(prefix, plan, self.entry, schema, bus, _padded(row, schema), self.spill))

    def _entry(self, reads: Reads) -> Entry:
        """The input that the query reads: one for each stream, the windows in time over it and what these select."""
        for entry in self.circuit.entries:
            if (entry.stream, entry.window, entry.condition) == reads:
                return entry
        number = len(self.circuit.entries)
        self.circuit.entries.append(Entry(f"s{number or ''}", reads.stream, reads.window, condition=reads.condition))
        if reads.condition:
            self._judged(self.circuit.entries[-1])
        return self.circuit.entries[-1]

    def _judged(self, entry: Entry) -> None:
        """The condition in front of an entry. No reset, which would take the answers to what comes behind a START."""
        self.entry, self.reset, wanted, self.wanted = entry, ZERO.text, self.wanted, {}
        self._ask(entry.condition, set())
        bus = Bus("1'b1", ZERO.text, ZERO.text, record_columns(entry.where_data, entry.stream.schema))
        steps, _ = self._steps(entry.condition)
        entry.verdict = self._chain(steps, bus, closed=True)
        stage = self.circuit.stages[entry.verdict.stage]
        self.circuit.stages[entry.verdict.stage] = replace(stage, text=f"{stage.text}, in front of the entry")
        self.reset, self.wanted = "rst", wanted

    def _input(self) -> Bus:
        entry = self.entry
        control = (f"{entry.prefix}_{signal}" for signal in ("valid", "punct", "eos"))
        return Bus(*control, record_columns(f"{entry.prefix}_data", entry.stream.schema))

    # ---- wires and instances

    def _wire(self, name: str, width: int) -> str:
        self.circuit.wires[name] = width
        return name

    def _make(self, core: str, parameters: dict, inputs: dict, outputs: dict[str, int]) -> dict[str, str]:
        """The wires at some outputs, of the given widths, of an instance with these inputs."""
        key = self._key(core, *parameters.items(), *inputs.items())
        if key not in self.built:
            kind = core.split(":")[1]
            self.numbers[kind] = self.numbers.get(kind, 0) + 1
            ports = {"clk": "clk", "rst": self.reset} | inputs | dict.fromkeys((*WIRE, *OUTPUTS.get(core, ())), "")
            self.built[key] = Instance(core, f"{kind}_{self.numbers[kind]}", parameters, ports)
            self.circuit.instances.append(self.built[key])
        instance = self.built[key]
        self.touched[instance.name] = instance
        for port, width in outputs.items():
            if not instance.ports[port]:
                instance.ports[port] = self._wire(f"{instance.name}_{port.removeprefix('m_')}", width)
        return {port: instance.ports[port] for port in outputs}

    @staticmethod
    def _inputs(bus: Bus, data: str = "1'b0") -> dict:
        return {"s_valid": bus.valid, "s_punct": bus.punct, "s_eos": bus.eos, "s_data": data}

    def _through(
        self,
        core: str,
        parameters: dict,
        bus: Bus,
        kept: dict[str, Signal],
        latency: int,
        inputs: dict | None = None,
        outputs: dict[str, int] | None = None,
        control: int = 1,
    ) -> tuple[Bus, dict[str, str]]:
        """An instance that carries the kept columns: the bus behind it, and its further outputs.

        control: the width of its control signals.
        """
        width = max(1, sum(signal.width for signal in kept.values()))
        wires = {"m_valid": control, "m_punct": control, "m_eos": control, "m_data": width} | (outputs or {})
        parameters = {"DATA_W": width} | parameters
        made = self._make(core, parameters, self._inputs(bus, joined(kept.values())) | (inputs or {}), wires)
        columns = slices(made["m_data"], {name: signal.width for name, signal in kept.items()}, width)
        signals = (made[port] for port in WIRE[:3])
        told = {"exact": bus.exact, "early": bus.early, "stage": bus.stage, "rows": bus.rows, "gaps": bus.gaps}
        behind = Bus(*signals, columns, latency=bus.latency + latency, **told)
        return behind, made

    def _register(self, bus: Bus, needed: Iterable[str], cycles: int = 1) -> Bus:
        kept = {name: signal for name, signal in bus.columns.items() if name in set(needed)}
        return self._through("query:delay", {"N": cycles}, bus, kept, cycles)[0]

    def _delayed(self, signal: Signal, cycles: int) -> Signal:
        """A signal some cycles later."""
        if not cycles or signal is ZERO:
            return signal
        still = Bus(ZERO.text, ZERO.text, ZERO.text, {})
        parameters = {"DATA_W": signal.width, "N": cycles}
        made = self._make("query:delay", parameters, self._inputs(still, signal.text), {"m_data": signal.width})
        return Signal(made["m_data"], signal.width)

    def _stage(self, texts: Sequence[str], bus: Bus, latency: int, sources: Iterable[Bus], copies: int = 1) -> Bus:
        """The bus behind the stage that is made of all instances since the last one. texts: what they do, in turn."""
        text = "; ".join(t for n, t in enumerate(texts) if not any(t in later for later in texts[n + 1 :]))
        instances, self.touched = tuple(self.touched.values()), {}
        before = tuple(dict.fromkeys(s.stage for s in sources if s.stage is not None))
        key = (text, before, *(instance.name for instance in instances))
        if key not in self.staged:
            self.staged[key] = len(self.circuit.stages)
            entry = self.circuit.entries.index(self.entry)
            self.circuit.stages.append(Stage(text, instances, latency, copies, before, entry))
        return replace(bus, stage=self.staged[key])

    # ---- values

    def _value(self, bus: Bus, value: Value) -> Signal:
        if isinstance(value, Column):
            return bus.columns[value.name]
        if isinstance(value, Runtime):
            known = self.circuit.runtime.setdefault(value.name, value.type)
            if known != value.type:
                raise QueryError(f"${value.name} is a {known} in one place and a {value.type} in another")
            return Signal(f"const_{value.name}", value.type.width)
        number = int.from_bytes(value.value, "big") if isinstance(value.value, bytes) else int(value.value)
        return Signal("", value.type.width, value=number)

    def _operand(self, bus: Bus, value: Value, signed: bool) -> Signal:
        """A value as an operand of a core whose operands are all signed, or all not."""
        signal = self._value(bus, value)
        if signed and not value.type.signed:
            return Signal(f"{{1'b0, {signal.text}}}", signal.width + 1)
        return signal

    # ---- the plan

    def _lower(self, plan: Plan, closed: bool) -> Bus:
        """The bus behind `plan` with the columns that are asked for; closed: registers stand at its end."""
        steps, node = self._steps(plan)
        if isinstance(node, Input):
            bus = self._input()
        elif isinstance(node, Union):
            bus = self._union(node)
        elif isinstance(node, Join):
            bus = self._join(node)
        else:
            bus = self._aggregate(node)
        return self._chain(steps, bus, closed)

    def _steps(self, plan: Plan) -> tuple[list[Step], Plan]:
        """What is computed, selected and projected at the end of a plan, and the node in front of that."""
        steps: list[Step] = []
        while isinstance(plan, Compute | Filter | Project):
            behind, before = (self.wanted[self._key(n)] for n in (plan, plan.child))
            if not (isinstance(plan, Compute) and not made_by(plan) & behind):  # else nobody asks for it
                steps.insert(0, Step(plan, before, behind))
            plan = plan.child
        return steps, plan

    # ---- computing, selecting, projecting

    def _chain(self, steps: list[Step], bus: Bus, closed: bool) -> Bus:
        merge = self.rewrites.merge
        texts: list[str] = []
        begin = bus

        def close(bus: Bus, wanted: set[str]) -> Bus:
            nonlocal begin
            begin = self._stage(texts or ["register"], self._register(bus, wanted), 1, [begin])
            texts.clear()
            return begin

        position = 0
        while position < len(steps):
            group = self._side_by_side(steps[position:])
            before, position = steps[position].before, position + len(group)
            behind = steps[position - 1].behind
            if pipelined(group[0]):
                if bus.late(bus.columns) > 0:
                    bus = close(bus, before)
                elif texts:
                    bus = self._stage(texts, bus, 0, [begin])
                    texts.clear()
                bus = begin = self._pipelined(group, bus, behind)
                continue
            delay = max(self._delay(step, bus) for step in group)
            if merge and delay + REGISTER_NS > self.clock_ns and bus.late(bus.columns) > 0:
                bus = close(bus, before)
            for step in group:
                bus = self._simple(step, bus)
                if not (isinstance(step, Compute) and hidden(step.output.name)):
                    texts.append(str(step))
            if not merge:
                bus = close(bus, behind)
        if closed and (bus.latency == 0 or bus.late(bus.columns) > 0):
            return close(bus, steps[-1].behind if steps else set(bus.columns))
        return self._stage(texts, bus, 0, [begin]) if texts else bus

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
        if step.operator in ("=", "<>", "beyond"):
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
            return replace(bus, columns=columns, delays=delays)
        if isinstance(step, Filter):
            inputs = self._inputs(bus) | {"keep": bus.columns[step.condition.name].text}
            made = self._make("query:select", {"DATA_W": 1, "REGISTERED": 0}, inputs, {"m_valid": 1})
            return replace(bus, valid=made["m_valid"], delay=delay)
        signed = any(v is not None and v.type.signed for v in (step.a, step.b))
        a = self._operand(bus, step.a, signed)
        b = self._operand(bus, step.b, signed) if step.b is not None else ZERO
        if step.operator == "beyond":  # all bits above a long's are its sign
            a, b = a.above(LONG_W - 1), a.above(LONG_W - 1).resized(1, signed) if signed else ZERO
        width = step.output.type.width
        parameters = {
            "OP": OPS[step.operator],
            "A_W": a.width,
            "B_W": b.width,
            "Y_W": width,
            "SIGNED": int(signed),
            "DATA_W": 1,
            "REGISTERED": 0,
        }
        made = self._make("query:compute", parameters, self._inputs(bus) | {"a": a.text, "b": b.text}, {"y": width})
        columns = bus.columns | {step.output.name: Signal(made["y"], width)}
        return replace(bus, columns=columns, delays=bus.delays | {step.output.name: delay})

    def _pipelined(self, group: list[Compute], bus: Bus, behind: set[str]) -> Bus:
        """Products and quotients side by side; the slowest carries the tuple, and the others wait for it."""
        latencies = [self._latency_of(step) for step in group]
        latency = max(latencies)
        apart = self._apart(group[0], bus) if any(step.operator != "*" for step in group) else 1
        operations = [self._operation(step, bus, apart) for step in group]
        carrier = operations[latencies.index(latency)][:3]
        passed = behind - {name for step in group for name in made_by(step)}
        kept = {name: signal for name, signal in bus.columns.items() if name in passed}
        results: dict[str, Signal] = {}
        for step, took, (core, parameters, operands, port, width) in zip(group, latencies, operations, strict=True):
            outputs = {port: width} | ({"y_null": 1} if step.makes_null else {})
            if (core, parameters, operands) == carrier:
                carried, made = self._through(core, parameters, bus, kept, latency, operands, outputs)
            else:
                made = self._make(core, {"DATA_W": 1} | parameters, self._inputs(bus) | operands, outputs)
            found = {step.output.name: part(made[port], width, width)}
            found[step.output.name] = found[step.output.name].resized(
                step.output.type.width, bool(parameters["SIGNED"])
            )
            if step.makes_null:
                found[step.output.null] = Signal(made["y_null"], 1)
            results |= {column: self._delayed(signal, latency - took) for column, signal in found.items()}
        carried = replace(carried, columns=carried.columns | results)
        return self._stage([*map(str, group)], carried, latency, [bus])

    def _apart(self, step: Plan, bus: Bus) -> int:
        """The least distance in cycles of what is divided.

        The rows of windows in time come as far apart as the entry keeps the windows' ends, those of windows of tuples
        as far as these tuples. Groups have a row a cycle, and in the queues of a union distances are lost.
        """
        while isinstance(step, Compute | Filter | Project):
            step = step.child
        if not isinstance(step, Aggregate) or step.keys or not bus.exact:
            return 1
        if not step.window.in_time:
            return step.window.advance
        self._closes(DIVIDE_CYCLES, step.window)
        return DIVIDE_CYCLES

    def _operation(self, step: Compute, bus: Bus, apart: int) -> tuple[str, dict, dict, str, int]:
        """Core, parameters and operands of a product or quotient, and the output that shows it with its width.

        apart: the least distance of two tuples.
        """
        signed = step.a.type.signed or step.b.type.signed
        a, b = (self._operand(bus, v, signed) for v in (step.a, step.b))
        if step.operator != "*" and a.width < 2:
            a = Signal(f"{{1'b0, {a.text}}}", 2)
        widths = {"A_W": a.width, "B_W": b.width, "SIGNED": int(signed)}
        operands = {"a": a.text, "b": b.text}
        if step.operator == "*":
            return "query:multiply", widths, operands, "y", a.width + b.width
        quotient = self._quotient_width(step, a.width)
        port, width = ("y", quotient + signed) if step.operator == "div" else ("r", b.width)
        parameters = widths | {"QUOTIENT_W": quotient, "FAST": self._divides_fast(quotient, b.width), "INTERVAL": apart}
        return "query:divide", parameters, operands, port, width

    def _latency_of(self, step: Compute) -> int:
        signed = step.a.type.signed or step.b.type.signed
        a, b = (v.type.width + (signed and not v.type.signed) for v in (step.a, step.b))
        if step.operator == "*":
            return (ceil(a / DIGIT) + ceil(b / DIGIT) - 2).bit_length() + ceil((a + b) / CARRY_W)
        quotient = self._quotient_width(step, max(a, 2))
        fast = self._divides_fast(quotient, b)
        return quotient * (1 + fast) + (1 + signed) * (1 + 2 * fast) + fast

    @staticmethod
    def _quotient_width(step: Compute, dividend: int) -> int:
        """Bits of the quotient's size: an average has those of its values, and the dividend is a sum of many."""
        if step.operator == "%":
            return dividend
        kind = step.output.type
        return min(dividend, max(abs(kind.low), abs(kind.high)).bit_length() or 1)

    def _divides_fast(self, quotient: int, divisor: int) -> int:
        return int(self.clock_ns < DIVIDE_NS + DIVISOR_NS * divisor and min(quotient, divisor) > 1)

    # ---- several streams, windows

    def _union(self, node: Union) -> Bus:
        needed = self.wanted[self._key(node)]
        rows = []
        for arm in node.parts:
            bus = self._lower(arm, closed=True)
            columns = {}
            for column in (c for c in node.columns.values() if c.name in needed):
                own = arm.columns.get(column.name)
                signal = bus.columns[own.name] if own else ZERO
                columns[column.name] = signal.resized(column.type.width, (own or column).type.signed)
            rows.append(replace(bus, columns=columns))
        # Of what comes to the union a row takes a cycle, and a punctuation two of each input.
        closing, each = (sum(bus.rows[n] for bus in rows) for n in (0, 1))
        timed = self.entry.window is not None
        self.entry.interval = max(self.entry.interval, each * (1 + timed))
        if timed:
            self.entry.close_cycles = max(self.entry.close_cycles, closing + 4 * len(rows))
        places = max(16, closing + 4 * len(rows) + 8)
        time = self.entry.stream.time
        bus = self._together(rows, "union", time if time in rows[0].columns else None, places)
        return self._stage([f"union of {len(rows)}"], bus, 3, rows)

    def _join(self, node: Join) -> Bus:
        """The rows of a join. Its tuples wait in front of it, in the order in which they came to the circuit."""
        home, entries, sides = self.entry, [], []
        for side in node.inputs:
            self.entry = self._entry(Reads.of(side))
            entries.append(self.entry)
            sides.append(self._lower(side, closed=True))
        self.entry = home
        latest = max(bus.latency for bus in sides)
        for n, bus in enumerate(sides):
            if missing := latest - bus.latency:
                later = self._register(bus, bus.columns, missing)
                sides[n] = self._stage(["wait for the other side"], later, missing, [bus])
        core = join_core.Core.of(node, self.wanted[self._key(node)], sides)
        limit = self._value(sides[0], node.limit) if node.limit else ZERO
        record_bytes = min(entry.stream.schema.record_bytes for entry in entries)
        timed = bool(node.times)
        lanes, note = join_core.match_lanes(node.window.rows, timed, record_bytes, self.clock_ns)
        parameters = core.parameters | {"LIMIT_W": limit.width, "MATCH_LANES": lanes, "GRACE": GRACE + latest}
        eos = sorted({bus.eos for bus in sides})
        inputs = {
            "s_valid": joined(Signal(bus.valid, 1) for bus in reversed(sides)),
            "s_punct": ZERO.text,
            "s_eos": " | ".join(eos),
            "s_data": joined(core.data),
            "key": joined(core.keys),
            "stamps": joined(core.stamps),
            "limit": limit.text,
            "room": "room",
        }
        width, key_width = parameters["DATA_W"], 2 * parameters["KEY_W"]
        outputs = dict(zip(WIRE, (1, 1, 1, width), strict=True)) | dict.fromkeys(OUTPUTS["join:wire_join"], 1)
        made = self._make("join:wire_join", parameters, inputs, outputs | {"m_key": key_width})
        told = {port: made[port] for port in ("ready", "evt_late", "evt_refused", "evt_lost")}
        if told not in self.circuit.joins:
            self.circuit.joins.append(told)
            self.circuit.notes.append((str(node), note))
        reads = node.window.rows // lanes
        # With one stream on both sides the tuple of S comes behind that of R.
        behind = entry_cycles(timed) if entries[0] is entries[1] else 0
        took = join_core.FIRST_ROW + reads + match_cycles(node.predicate, timed) + behind
        columns = core.columns(made["m_data"], made["m_key"])
        bus = Bus(
            *(made[port] for port in WIRE[:3]), columns, delay=join_core.GATE_NS, latency=latest + took,
            exact=False, early=reads - 1 + behind,
        )  # fmt: skip
        return self._stage([str(node)], bus, took, sides)

    def _aggregate(self, node: Aggregate) -> Bus:
        window = node.window
        in_time = window.in_time
        bus = self._lower(node.child, closed=not self.rewrites.merge)
        method = self._method(node) if in_time or (not node.keys and of_input(node)) else None
        if method and method.core and node.keys:
            made = self._group_panes(node, bus, method)
        elif method and method.core:
            made = self._one_core(node, bus, method)
        else:
            make, spare = (self._groups, 1) if node.keys else (self._rows, int(not self.rewrites.multiplex))
            made = make(node, bus, windows.open_windows(window) + spare)
        rows = self.table.entries if node.keys else 1
        caused = (rows, 0) if in_time else tuple(ceil(n / window.advance) * rows for n in bus.rows)
        return replace(made, eos="1'b0", rows=caused)  # the windows' sub-streams end here

    def _closes(self, cycles: int, window) -> None:
        if window.in_time:
            self.entry.close_cycles = max(self.entry.close_cycles, cycles)

    # ---- how windows are made

    def _applies(self, plan: Plan) -> None:
        """Refuse a method that is asked for where the query has no windows that could be made by it."""
        for node in (node for node in walk(plan) if isinstance(node, Aggregate)):
            if node.window.session and self.asked != windows.AUTO:
                raise QueryError(f"windows by {self.asked}: sessions have a core of their own", node.window.place)
            if node.keys and self.asked not in (windows.AUTO, "replicate", "constant"):
                ways = "GROUP BY has tables for windows, by replicate, or for panes, by constant"
                raise QueryError(f"windows by {self.asked}: {ways}", node.window.place)
            if node.keys and self.asked == "constant" and not node.window.in_time:
                raise QueryError("windows by constant: groups have panes of time only", node.window.place)

    def _method(self, node: Aggregate) -> Method:
        """How an aggregate's windows are made, with keys those in time, and what the input must keep for that."""
        key = self._key(node, self.asked, self.circuit.entries.index(self.entry))
        if key not in self.methods:
            needed = self._before(node, set()) & node.child.columns.keys()
            carried = sum(node.child.columns[name].type.width for name in needed)
            end = node.end.type.width if node.end and node.end.name in self.wanted[self._key(node)] else 0
            carried -= node.end.type.width - end if node.end else 0
            if node.window.session:
                choice = windows.sessions(node, end)
            else:
                if node.keys:
                    registered, ordered = self._registered(node), self._key(node) in self.ordered
                    known = groups.methods(node, self.table, carried, registered, self.rewrites.unnest, ordered)
                else:
                    known = windows.methods(node, carried, end, self._registered(node), self.clock_ns, self.rewrites)
                choice = windows.choose(node, known, self.asked, self.options, self.clock_ns, self.entry.step)
            if (told := (str(node), choice)) not in self.circuit.choices:
                self.circuit.choices.append(told)
            self.methods[key] = choice.method
        method = self.methods[key]
        if method.numbered:
            self.entry.interval = max(self.entry.interval, method.interval)
            self.entry.reset_cycles = max(self.entry.reset_cycles, 1 + method.tuple_gap)
            return method
        self.entry.step = self.entry.step or method.step
        self.entry.tuple_gap = max(self.entry.tuple_gap, method.tuple_gap)
        return method

    def _registered(self, node: Aggregate) -> int:
        """The stages of ws_window."""
        if node.window.in_time and self.clock_ns < WINDOW_NS:
            return 2
        return int(not self.rewrites.merge or (self.table.fast and bool(node.keys)))

    def _one_core(self, node: Aggregate, bus: Bus, method: Method) -> Bus:
        """One row for each window, of one core for all of them."""
        begin, latency = bus, method.latency
        if method.numbered:
            kept = {name: signal for name, signal in bus.columns.items() if name in self._before(node, set())}
            parameters = windows.number_parameters(node.window, method)
            outputs = {"m_number": windows.NUMBER_W}
            bus, made = self._through("window:tuple_numbers", parameters, bus, kept, windows.NUMBERED, {}, outputs)
            latency -= windows.NUMBERED
        end = {node.end.name: bus.columns[node.end.name]} if node.end else {}
        attribute = bus.columns[node.end.name].text if node.end else made["m_number"]
        inputs = {"wattr": attribute} | self._values(node.measures, bus, method.parameters)
        outputs = self._several(method.parameters)
        behind, made = self._through(method.core, dict(method.parameters), bus, end, latency, inputs, outputs)
        behind = replace(behind, columns=behind.columns | self._results(node.measures, made, method.parameters))
        self._closes(method.close_cycles, node.window)
        by = "" if node.window.session else f" by {method.name}"
        text = f"⊞ {window_text(node.window)}: {', '.join(map(str, node.measures))}{by}"
        return self._stage([text], behind, method.latency, [begin])

    @staticmethod
    def _taken(measure: Measure, bus: Bus) -> tuple[Signal, Signal]:
        """The value that a measure takes, and whether it is null; to a count only that matters."""
        value = bus.columns[measure.value.name] if measure.value and measure.function != "count" else ZERO
        return value, bus.columns[measure.value.null] if measure.value and measure.value.null else ZERO

    def _values(self, measures: Sequence[Measure], bus: Bus, parameters: Mapping) -> dict[str, str]:
        """The inputs of a core with several aggregates."""
        values, nulls = zip(*(self._taken(measure, bus) for measure in measures), strict=True)
        resized = [v.resized(parameters["VALUE_W"], windows.signed(m)) for m, v in zip(measures, values, strict=True)]
        return {"values": joined(resized), "nulls": joined(nulls)}

    @staticmethod
    def _several(parameters: Mapping) -> dict[str, int]:
        """The outputs of a core with several aggregates, and their widths."""
        count = parameters["AGGS"]
        return dict(zip(SEVERAL, (parameters["ACC_W"] * count, count, count), strict=True))

    @staticmethod
    def _results(measures: Sequence[Measure], made: Mapping[str, str], parameters: Mapping) -> dict[str, Signal]:
        """The columns that stand on these outputs."""
        columns = {}
        for place, measure in enumerate(reversed(measures)):
            output = measure.output
            columns[output.name] = Signal(made["results"], output.type.width, place * parameters["ACC_W"])
            for port, column in (("result_nulls", output.null), ("result_overflows", output.overflow)):
                if column:
                    columns[column] = part(made[port], len(measures), 1, place)
        return columns

    def _window(self, node: Aggregate, bus: Bus, copies: int) -> Bus:
        """The wire to all copies: its control signals have a bit for each."""
        window, in_time = node.window, node.window.in_time
        attribute = bus.columns[node.end.name] if in_time else ZERO
        registered = self._registered(node)
        self._closes(registered, window)
        parameters = windows.window_parameters(window, attribute.width, copies, registered)
        wanted = self._before(node, set())
        kept = {name: signal for name, signal in bus.columns.items() if name in wanted}
        behind, _ = self._through(
            "query:window", parameters, bus, kept, registered, {"wattr": attribute.text}, control=copies
        )
        text = f"⊞ {window_text(window)}: {copies} window{'s' * (copies > 1)} at once"
        return self._stage([text], behind, registered, [bus])

    @staticmethod
    def _copies(behind: Bus, copies: int) -> list[Bus]:
        """The wires to each copy behind a window."""
        if copies == 1:
            return [behind]
        control = [[f"{signal}[{n}]" for signal in (behind.valid, behind.punct, behind.eos)] for n in range(copies)]
        return [replace(behind, valid=valid, punct=punct, eos=eos) for valid, punct, eos in control]

    # ---- the rows of windows

    def _rows(self, node: Aggregate, bus: Bus, copies: int) -> Bus:
        """One row for each window: the aggregates stand once for each window that is open."""
        behind = self._window(node, bus, copies)
        rows = [self._measures(node, one) for one in self._copies(behind, copies)]
        rows = self._staged_copies(", ".join(map(str, node.measures)), rows, behind)
        self._closes(2, node.window)
        silent = all(windows.is_silent(measure, self.clock_ns) for measure in node.measures)
        return self._one_of(rows, node.end, silent)

    def _staged_copies(self, text: str, rows: list[Bus], behind: Bus) -> list[Bus]:
        staged = self._stage([text], rows[0], rows[0].latency - behind.latency, [behind], len(rows))
        return [replace(row, stage=staged.stage) for row in rows]

    def _one_of(self, rows: list[Bus], end: Column | None, silent: bool = False) -> Bus:
        """The rows of all copies on one bus. silent: all is 0 on a copy's wire where no row or punctuation is."""
        core = "multiplex" if self.rewrites.multiplex else "union"
        bus = self._together(rows, core, end and end.name, silent=silent)
        return self._stage([f"{core} of {len(rows)}"], bus, bus.latency - rows[0].latency, rows)

    def _measures(self, node: Aggregate, bus: Bus) -> Bus:
        """The measures of one window, in step; the first of the slowest carries the window's end.

        The others take their values later: these have fewer bits than the results, and all copies share them.
        """
        latency = max(measure_latency(measure, self.clock_ns) for measure in node.measures)
        end = {node.end.name: bus.columns[node.end.name]} if node.end else {}
        row: Bus | None = None
        found: dict[str, Signal] = {}
        for measure in node.measures:
            took = measure_latency(measure, self.clock_ns)
            wait = latency - took
            value, null = (self._delayed(signal, wait) for signal in self._taken(measure, bus))
            taken, kept = (self._register(bus, (), wait), {}) if wait else (bus, end)
            core, parameters, full = windows.measure_core(measure, self.clock_ns, node.window.emit_empty)
            outputs = {"result": full}
            outputs |= {"result_null": 1} if measure.output.null else {}
            outputs |= {"result_overflow": 1} if measure.output.overflow else {}
            inputs = {"value": value.text, "null": null.text}
            behind, made = self._through(core, parameters, taken, kept, took, inputs, outputs)
            results = {measure.output.name: part(made["result"], full, full).resized(measure.output.type.width, True)}
            for port, column in (("result_null", measure.output.null), ("result_overflow", measure.output.overflow)):
                if column:
                    results[column] = Signal(made[port], 1)
            found |= results
            if row is None and not wait:
                row = behind
        return replace(row, columns=row.columns | found)

    # ---- the rows of groups

    def _groups(self, node: Aggregate, bus: Bus, copies: int) -> Bus:
        """The rows of the groups of each window; a tuple whose group finds no room leaves on a wire of its own.

        One table serves all windows, or without `unnest` each copy of the window has one of its own.
        """
        window, in_time, capacity = node.window, node.window.in_time, self.circuit.capacity
        closing = self.table.close_cycles
        if not in_time and window.advance < closing:
            closes = f"one closes every {window.advance} tuples; ADVANCE {closing} or a smaller capacity"
            raise QueryError(
                f"a window of {capacity} groups needs {closing} cycles to close, and {closes}", window.place
            )
        behind = self._window(node, bus, copies)
        punct = self._delayed(Signal(bus.punct, 1), behind.latency - bus.latency).text
        text = f"{', '.join(map(str, node.measures))} by {', '.join(map(str, node.keys))}: {capacity} groups"
        if self.rewrites.unnest:
            rows, spills = zip(self._table(node, replace(behind, punct=punct), copies), strict=True)
        else:
            ones = self._copies(behind, copies)
            rows, spills = zip(*(self._table(node, replace(one, punct=punct), 1) for one in ones), strict=True)
        self._spill(node, behind, spills)
        self._closes(closing, window)
        self.entry.reset_cycles = max(self.entry.reset_cycles, self.table.reset_cycles)
        rows = self._staged_copies(text, list(rows), behind)
        return self._one_of(rows, node.end) if len(rows) > 1 else rows[0]

    def _table(self, node: Aggregate, behind: Bus, windows_at_once: int) -> tuple[Bus, dict[str, str]]:
        """A table of groups behind a window: the bus with their rows, and the wires of its overflow."""
        measures = node.measures
        keys = [behind.columns[key.name] for key in node.keys]
        key_width = sum(key.width for key in keys)
        parameters = groups.table_parameters(node, self.table, key_width, windows_at_once)
        inputs = {"key": joined(keys)} | self._values(measures, behind, parameters)
        width = max(1, sum(signal.width for signal in behind.columns.values()))
        outputs = {"m_key": key_width} | self._several(parameters) | {"o_valid": 1, "o_punct": 1, "o_data": width}
        latency = self.table.latency(with_tuple=not node.end)
        after, made = self._through("query:group_by", parameters, behind, behind.columns, latency, inputs, outputs)
        columns = {node.end.name: after.columns[node.end.name]} if node.end else {}
        columns |= slices(made["m_key"], {key.name: key.type.width for key in node.keys}, key_width)
        columns |= self._results(measures, made, parameters)
        return replace(after, columns=columns), made

    def _group_panes(self, node: Aggregate, bus: Bus, method: Method) -> Bus:
        """The rows of the groups of each window, of one core for all of them."""
        kept = {name: signal for name, signal in bus.columns.items() if name in self._before(node, set())}
        keys = [bus.columns[key.name] for key in node.keys]
        parameters, key_width = dict(method.parameters), sum(key.width for key in keys)
        inputs = {"wattr": bus.columns[node.end.name].text, "key": joined(keys)}
        inputs |= self._values(node.measures, bus, parameters)
        width = max(1, sum(signal.width for signal in kept.values()))
        outputs = {"m_key": key_width} | self._several(parameters) | {"o_valid": 1, "o_punct": 1, "o_data": width}
        behind, made = self._through(method.core, parameters, bus, kept, method.latency, inputs, outputs)
        self._spill(node, behind, [made])
        self._closes(method.close_cycles, node.window)
        self.entry.reset_cycles = max(self.entry.reset_cycles, self.table.entries + 2)
        columns = {node.end.name: behind.columns[node.end.name]}
        columns |= slices(made["m_key"], {key.name: key.type.width for key in node.keys}, key_width)
        columns |= self._results(node.measures, made, parameters)
        by = f"{', '.join(map(str, node.measures))} by {', '.join(map(str, node.keys))}"
        text = f"⊞ {window_text(node.window)}: {by}: {self.circuit.capacity} groups by {method.name}"
        return self._stage([text], replace(behind, columns=columns, gaps=True), method.latency, [bus])

    def _spill(self, node: Aggregate, behind: Bus, wires: Sequence[dict[str, str]]) -> None:
        """The overflow of one table or of each copy's, with the tuples' columns as a record."""
        first, valids = wires[0], ", ".join(one["o_valid"] for one in reversed(wires))
        alone = len(wires) == 1
        valid = first["o_valid"] if alone else f"|{{{valids}}}"
        self.spill = next((spill for spill in self.circuit.spills if spill.valid == valid), None)
        if self.spill:
            return
        number = len(self.circuit.spills)
        kinds = {name: node.child.columns[name].type for name in behind.columns}
        fields = [Field(name, field_type(kind)) for name, kind in kinds.items()]
        schema = Schema(f"Overflow{number or ''}", FIRST_SPILL + number, tuple(fields))
        top = sum(signal.width for signal in behind.columns.values())
        parts = slices(first["o_data"], {n: s.width for n, s in behind.columns.items()}, top)
        row = [parts[f.name].resized(of_field(f.type).width, kinds[f.name].signed) for f in fields]
        data = joined(_padded(row, schema))
        refused = "" if alone else f"{{{valids}}}"
        self.spill = Spill(f"o{number or ''}", schema, valid, first["o_punct"], data, refused, len(wires))
        self.circuit.spills.append(self.spill)

    # ---- several wires to one

    def _together(self, rows: list[Bus], core: str, time: str | None, places: int = 16, silent: bool = False) -> Bus:
        """The rows of several inputs on one bus. time: what a punctuation is about. places: of a union's queues.
        silent: of the inputs of a multiplexer, see there."""
        if core == "union" and len(rows) > UNION_INPUTS:
            raise QueryError(f"a union of {len(rows)}; at most {UNION_INPUTS} inputs can be united")
        first = rows[0]
        width = sum(s.width for s in first.columns.values())
        columns = {name: signal.width for name, signal in first.columns.items()}
        data = [", ".join(row.columns[name].text for name in columns) for row in reversed(rows)]
        inputs = {
            f"s_{signal}": f"{{{', '.join(getattr(row, signal) for row in reversed(rows))}}}"
            for signal in ("valid", "punct", "eos")
        } | {"s_data": "{" + ",\n         ".join(data) + "}"}
        parameters = {"DATA_W": width, "N": len(rows)}
        if core == "multiplex":
            parameters |= {"SILENT": int(silent)}
        else:
            top = slices("", columns, width)
            place = top[time] if time else Signal("", 1, 0)
            parameters |= {"ADDR_W": (places - 1).bit_length(), "PUNCT_LSB": place.lsb or 0, "PUNCT_W": place.width}
        made = self._make(f"query:{core}", parameters, inputs, dict(zip(WIRE, (1, 1, 1, width), strict=True)))
        latency = max(row.latency for row in rows)
        early = latency - min(row.latency - row.early for row in rows)
        latency += 1 if core == "multiplex" else 3
        exact = core == "multiplex" and all(row.exact for row in rows)
        caused = tuple(sum(row.rows[n] for row in rows) for n in (0, 1))
        control = (made[port] for port in WIRE[:3])
        return Bus(
            *control,
            slices(made["m_data"], columns, width),
            latency=latency,
            exact=exact,
            early=early,
            rows=caused,
            gaps=any(row.gaps for row in rows),
        )


def _padded(row: list[Signal], schema: Schema) -> list[Signal]:
    """A record of whole words: zeros behind its fields."""
    padding = schema.record_bits - sum(signal.width for signal in row)
    return [*row, Signal("", padding, value=0)] if padding else row
