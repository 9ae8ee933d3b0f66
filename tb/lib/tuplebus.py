"""cocotb-bus drivers and monitors for the two on-chip buses of the project.

The *tuple bus* inside a query has valid, punct, eos and data, and no ready. An *item* stream into or out of a query has
valid, ready and data, and `kind` if it also carries control (see docs/wire-format.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cocotb.triggers import First, ReadOnly, RisingEdge
from cocotb.utils import get_sim_time
from cocotb_bus.drivers import BusDriver
from cocotb_bus.monitors import BusMonitor

from tb.lib.bench import CLOCK_NS, pauses, rng, start

TUPLE, PUNCT, START = 0, 1, 2
STEPS_NS = 1000  # steps of the simulators in a nanosecond


def cycle() -> int:
    """The number of the current clock cycle, which begins at a rising edge."""
    return (get_sim_time() + STEPS_NS // 2) // (CLOCK_NS * STEPS_NS)


def at_edge() -> bool:
    """Whether a clock cycle begins at this moment."""
    return (get_sim_time() + STEPS_NS // 2) // STEPS_NS % CLOCK_NS == 0


async def next_cycle(clock, *quiet) -> None:
    """Wait until the outputs of the next cycle are stable; with signals in `quiet`, those of the next cycle in which
    one of them changes. Waking up in every cycle of an idle bus would take half of the simulation time."""
    if quiet:
        await First(*(signal.value_change for signal in quiet))
    if not quiet or not at_edge():
        await RisingEdge(clock)
    await ReadOnly()


@dataclass(frozen=True)
class Seen:
    """One transfer on a bus: its cycle, data, kind (TUPLE, PUNCT, START) and, on the tuple bus, eos."""

    cycle: int
    data: int
    kind: int = TUPLE
    eos: bool = False


class TupleBusDriver(BusDriver):
    """Drives the tuple bus, one transaction ``(data, kind)`` per cycle unless `idle` inserts a pause.

    close_cycles: least distance between two punctuations; tuple_gap: that of a tuple from the previous punctuation.
    """

    _signals = ("valid", "punct", "eos", "data")

    def __init__(
        self,
        entity,
        name,
        clock,
        idle: Iterator[bool] | None = None,
        close_cycles: int = 1,
        tuple_gap: int = 1,
    ):
        super().__init__(entity, name, clock)
        self.idle = idle
        self.noise = rng(f"{name} idle")
        self.least = {PUNCT: close_cycles, TUPLE: tuple_gap}  # distance from the last punctuation, by kind
        self.last_punct = -max(close_cycles, tuple_gap)
        self.sent: list[Seen] = []
        self._quiet()

    def _quiet(self) -> None:
        self.bus.valid.value = 0
        self.bus.punct.value = 0
        self.bus.eos.value = 0
        self.bus.data.value = self.noise.getrandbits(
            len(self.bus.data)
        )  # noise: a core must not read data that is not valid

    async def _driver_send(self, transaction, sync=True):
        data, kind = transaction
        if sync:
            await RisingEdge(self.clock)
        while self.idle is not None and next(self.idle):
            await RisingEdge(self.clock)
        while cycle() < self.last_punct + self.least.get(kind, 0):
            await RisingEdge(self.clock)
        if kind == PUNCT:
            self.last_punct = cycle()
        self.bus.valid.value = kind == TUPLE
        self.bus.punct.value = kind == PUNCT
        self.bus.data.value = data
        self.sent.append(Seen(cycle(), data, kind))
        await RisingEdge(self.clock)
        self._quiet()


class TupleBusMonitor(BusMonitor):
    """Records the items on the tuple bus; fails if valid and punct are both high, or on X in either."""

    _signals = ("valid", "punct", "eos", "data")

    def __init__(self, entity, name, clock):
        self.seen: list[Seen] = []
        super().__init__(entity, name, clock, reset=entity.rst, callback=self.seen.append)

    async def _monitor_recv(self):
        controls, quiet = [self.bus.valid, self.bus.punct, self.bus.eos], False
        while True:
            await next_cycle(self.clock, *(controls if quiet else ()))
            quiet = False
            if self.in_reset:
                continue
            valid, punct, eos = (int(control.value) for control in controls)  # int() raises on X
            quiet = not (valid or punct or eos)
            if quiet:
                continue
            if valid and punct:
                raise AssertionError(f"{self.name}: valid and punct together in cycle {cycle()}")
            self._recv(Seen(cycle(), int(self.bus.data.value), PUNCT if punct else TUPLE, bool(eos)))


class ItemDriver(BusDriver):
    """Drives a valid/ready stream with transactions ``data`` or ``(data, kind)``."""

    _signals = ("valid", "ready", "data")
    _optional_signals = ("kind",)

    def __init__(self, entity, name, clock, idle: Iterator[bool] | None = None):
        super().__init__(entity, name, clock)
        self.idle = idle
        self.noise = rng(f"{name} idle")
        self.sent: list[Seen] = []
        self._quiet()

    def _quiet(self) -> None:
        self.bus.valid.value = 0
        for name in ("data", "kind"):  # noise: a core must not read data that is not valid
            if (signal := getattr(self.bus, name, None)) is not None:
                signal.value = self.noise.getrandbits(len(signal))

    async def _driver_send(self, transaction, sync=True):
        data, kind = transaction if isinstance(transaction, tuple) else (transaction, TUPLE)
        if sync:
            await RisingEdge(self.clock)
        while self.idle is not None and next(self.idle):
            await RisingEdge(self.clock)
        self.bus.valid.value = 1
        self.bus.data.value = data
        if hasattr(self.bus, "kind"):
            self.bus.kind.value = kind
        while True:
            await ReadOnly()
            ready = int(self.bus.ready.value)
            at = cycle()
            await RisingEdge(self.clock)
            if ready:
                break
        self.sent.append(Seen(at, data, kind))
        self._quiet()


class ItemMonitor(BusMonitor):
    """The sink of a valid/ready stream: drives `ready`, low in the cycles of `stall`, and records the transfers.

    Fails if a waiting item is withdrawn or changes, or contains X.
    """

    _signals = ("valid", "ready", "data")
    _optional_signals = ("kind",)

    def __init__(self, entity, name, clock, stall: Iterator[bool] | None = None):
        self.seen: list[Seen] = []
        self.stall = stall
        super().__init__(entity, name, clock, reset=entity.rst, callback=self.seen.append)

    async def _monitor_recv(self):
        waiting = None
        while True:
            self.bus.ready.value = not (self.stall is not None and next(self.stall))
            await ReadOnly()
            if not self.in_reset:
                item = None
                if int(self.bus.valid.value):
                    kind = int(self.bus.kind.value) if hasattr(self.bus, "kind") else TUPLE
                    item = (int(self.bus.data.value), kind)
                if waiting is not None and item != waiting:
                    raise AssertionError(f"{self.name}: waiting item changed in cycle {cycle()}: {waiting} -> {item}")
                taken = item is not None and int(self.bus.ready.value)
                waiting = None if taken else item
                if taken:
                    self._recv(Seen(cycle(), *item))
            else:
                waiting = None
            await RisingEdge(self.clock)


async def item_bench(dut, idle: float, stall: float) -> tuple[ItemDriver, ItemMonitor]:
    """Start a core with an item stream in (`s_*`) and one out (`m_*`). idle, stall: probabilities of a pause."""
    source = ItemDriver(dut, "s", dut.clk, pauses(idle, rng("source")))
    sink = ItemMonitor(dut, "m", dut.clk, pauses(stall, rng("sink")))
    await start(dut)
    return source, sink


def random_items(dut, count: int) -> list[int]:
    """`count` random values for `s_data`."""
    generator = rng("data")
    return [generator.getrandbits(len(dut.s_data)) for _ in range(count)]
