"""Adds instances, wires and stages to a circuit.

An instance with the core, parameters and inputs of an earlier one is not added again, so the common parts of several
queries are built once (`share`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from wirestream.compiler import cores
from wirestream.compiler.circuit import ZERO, Bus, Circuit, Entry, Instance, Signal, Stage, joined, slices
from wirestream.compiler.cores import Core
from wirestream.compiler.plan import Column, Runtime, Value
from wirestream.compiler.rewrite import Rewrites
from wirestream.compiler.syntax import Window
from wirestream.errors import QueryError

BUS = ("m_valid", "m_punct", "m_eos", "m_data")


class Wiring:
    """clock_ns: the clock period. query: the number of the query under construction. entry: its input. reset: the reset
    of new instances."""

    def __init__(self, circuit: Circuit, rewrites: Rewrites, clock_ns: float):
        self.circuit, self.rewrites, self.clock_ns = circuit, rewrites, clock_ns
        self.query, self.entry, self.reset = 0, None, "rst"
        self._numbers: dict[str, int] = {}
        self._built: dict[tuple, Instance] = {}
        self._touched: dict[str, Instance] = {}  # instances since the last stage
        self._staged: dict[tuple, int] = {}
        self._near: list[tuple[int, QueryError]] = []

    def key(self, *parts) -> tuple:
        """The key of something built: common to all queries, or without sharing private to the current one."""
        return parts if self.rewrites.share else (*parts, self.query)

    def close(self, cycles: int) -> None:
        """Require a distance between the ends of windows in time at the input."""
        entry: Entry = self.entry
        entry.close_cycles = max(entry.close_cycles, cycles)

    def apart(self, window: Window, cycles: int, error: str) -> None:
        """Require a distance between the ends of windows. error: what is wrong with a window of tuples whose end can be
        nearer to the one before."""
        if window.in_time:
            self.close(cycles)
        elif window.advance < cycles:
            self._near.append((cycles, QueryError(error, window.position)))

    def check(self) -> None:
        """Raise the error of `apart` with the largest distance, which is that of an ADVANCE that is long enough."""
        if self._near:
            raise max(self._near, key=lambda near: near[0])[1]

    # ---- instances

    def make(self, core: Core, inputs: dict, outputs: dict[str, int]) -> dict[str, str]:
        """The wires, of the given widths, at outputs of an instance with these inputs."""
        parameters = core.parameters
        key = self.key(core.name, *parameters.items(), *inputs.items())
        if key not in self._built:
            kind = core.name.split(":")[1]
            self._numbers[kind] = self._numbers.get(kind, 0) + 1
            around = {"clk": "clk", "rst": self.reset} if core.on_bus else {}
            ports = around | inputs | dict.fromkeys((*(core.bus_outputs if core.on_bus else ()), *core.outputs), "")
            self._built[key] = Instance(core.name, f"{kind}_{self._numbers[kind]}", parameters, ports, core)
            self.circuit.instances.append(self._built[key])
        instance = self._built[key]
        self._touched[instance.name] = instance
        for port, width in outputs.items():
            if not instance.ports[port]:
                wire = f"{instance.name}_{port.removeprefix('m_')}"
                self.circuit.wires[wire] = width
                instance.ports[port] = wire
        return {port: instance.ports[port] for port in outputs}

    @staticmethod
    def inputs(bus: Bus, data: str = "1'b0") -> dict:
        return {"s_valid": bus.valid, "s_punct": bus.punct, "s_eos": bus.eos, "s_data": data}

    def through(
        self,
        core: Core,
        bus: Bus,
        kept: dict[str, Signal],
        inputs: dict | None = None,
        outputs: dict[str, int] | None = None,
        control: int = 1,
        latency: int | None = None,
    ) -> tuple[Bus, dict[str, str]]:
        """Add an instance that carries the kept columns; return the bus after it, and its other outputs.

        core: its DATA_W is set here. control: the width of its control signals. latency: default: the core's.
        """
        width = max(1, sum(signal.width for signal in kept.values()))
        wires = {"m_valid": control, "m_punct": control, "m_eos": control, "m_data": width} | (outputs or {})
        core = replace(core, DATA_W=width)
        made = self.make(core, self.inputs(bus, joined(kept.values())) | (inputs or {}), wires)
        columns = slices(made["m_data"], {name: signal.width for name, signal in kept.items()}, width)
        signals = (made[port] for port in BUS[:3])
        same = {"exact": bus.exact, "early": bus.early, "wait": bus.wait, "rows": bus.rows, "gaps": bus.gaps}
        same |= {"held": bus.held}
        latency = bus.latency + (core.latency if latency is None else latency)
        return Bus(*signals, columns, latency=latency, stage=bus.stage, **same), made

    def register(self, bus: Bus, needed: Iterable[str], cycles: int = 1) -> Bus:
        kept = {name: signal for name, signal in bus.columns.items() if name in set(needed)}
        return self.through(cores.Delay(0, cycles), bus, kept)[0]

    def delayed(self, signal: Signal, cycles: int) -> Signal:
        """A signal delayed by `cycles`."""
        if not cycles or signal is ZERO:
            return signal
        still = Bus(ZERO.text, ZERO.text, ZERO.text, {})
        core = cores.Delay(signal.width, cycles)
        made = self.make(core, self.inputs(still, signal.text), {"m_data": signal.width})
        return Signal(made["m_data"], signal.width)

    # ---- stages

    def stage(self, texts: Sequence[str], bus: Bus, latency: int, sources: Iterable[Bus], copies: int = 1) -> Bus:
        """Add a stage of all instances since the last one; return the bus after it. texts: what they do, in order."""
        text = "; ".join(t for n, t in enumerate(texts) if not any(t in later for later in texts[n + 1 :]))
        instances, self._touched = tuple(self._touched.values()), {}
        before = tuple(dict.fromkeys(s.stage for s in sources if s.stage is not None))
        key = (text, before, *(instance.name for instance in instances))
        if key not in self._staged:
            self._staged[key] = len(self.circuit.stages)
            entry = self.circuit.entries.index(self.entry)
            self.circuit.stages.append(Stage(text, instances, latency, copies, before, entry, bus.valid))
        return replace(bus, stage=self._staged[key])

    # ---- values

    def value(self, bus: Bus, value: Value) -> Signal:
        if isinstance(value, Column):
            return bus.columns[value.name]
        if isinstance(value, Runtime):
            known = self.circuit.runtime.setdefault(value.name, value.type)
            if known != value.type:
                raise QueryError(f"${value.name} is used as {known} and as {value.type}; use two constants")
            return Signal(f"const_{value.name}", value.type.width)
        number = int.from_bytes(value.value, "big") if isinstance(value.value, bytes) else int(value.value or 0)
        return Signal("", value.type.width, value=number)

    def operand(self, bus: Bus, value: Value, signed: bool) -> Signal:
        """A value as an operand of a core whose operands are all signed or all unsigned."""
        signal = self.value(bus, value)
        if signed and not value.type.signed:
            return Signal(f"{{1'b0, {signal.text}}}", signal.width + 1)
        return signal

    # ---- merging buses

    def together(self, rows: list[Bus], core: str, time: str | None, places: int = 16, silent: bool = False) -> Bus:
        """The rows of several inputs on one bus. core: ``union`` or ``multiplex``. time: the column that punctuations
        carry. places: of a union's queues. silent: SILENT of the multiplexer."""
        if core == "union" and len(rows) > cores.Union.MOST_INPUTS:
            raise QueryError(f"a union of {len(rows)} inputs; the most is {cores.Union.MOST_INPUTS}")
        first = rows[0]
        width = sum(s.width for s in first.columns.values())
        columns = {name: signal.width for name, signal in first.columns.items()}
        data = [", ".join(row.columns[name].text for name in columns) for row in reversed(rows)]
        inputs = {
            f"s_{signal}": f"{{{', '.join(getattr(row, signal) for row in reversed(rows))}}}"
            for signal in ("valid", "punct", "eos")
        } | {"s_data": "{" + ",\n         ".join(data) + "}"}
        if core == "multiplex":
            contract: Core = cores.Multiplex(width, len(rows), int(silent))
        else:
            top = slices("", columns, width)
            place = top[time] if time else Signal("", 1, 0)
            contract = cores.Union(width, len(rows), (places - 1).bit_length(), place.lsb or 0, place.width)
        made = self.make(contract, inputs, dict(zip(BUS, (1, 1, 1, width), strict=True)))
        latency = max(row.latency for row in rows)
        return Bus(
            *(made[port] for port in BUS[:3]),
            slices(made["m_data"], columns, width),
            latency=latency + contract.latency,
            exact=core == "multiplex" and all(row.exact for row in rows),
            early=latency - min(row.latency - row.early for row in rows),
            wait=max(row.wait for row in rows),
            rows=tuple(sum(row.rows[n] for row in rows) for n in (0, 1)),
            gaps=any(row.gaps for row in rows),
        )
