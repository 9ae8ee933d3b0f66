"""group_cam (or another table like it): a key keeps its entry until its last release; refusals; a tuple a cycle."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle


def kind(dut) -> str:
    """The kind of table, "cam", "cam_fast", "hash" or "direct"; a parameter of group_keys."""
    name = dut._name.removeprefix("ws_group_")
    return ("cam", "cam_fast", "hash", "direct")[int(dut.TABLE.value)] if name == "keys" else name


def entries_of(dut) -> int:
    """Number of entries of the table."""
    if hasattr(dut, "ENTRIES"):
        return int(dut.ENTRIES.value)
    if kind(dut) == "direct":
        return 1 << len(dut.key)
    return int(dut.CAPACITY.value) if hasattr(dut, "CAPACITY") else 1 << int(dut.INDEX_W.value)


class Bench:
    """Drives tuples, ends and releases; the answers are checked in the order of the tuples.

    In cycles: latency from a tuple to its answer, read from a read index to its key, apart from a window's end to its
    first release, away from an entry's last release to it being given again, clearing from a reset to the first tuple.
    """

    def __init__(self, dut):
        self.dut, self.g = dut, rng("cam")
        table = kind(dut)
        self.latency, self.read, self.apart, self.away = {
            "cam": (3, 1, 5, 10), "cam_fast": (8, 2, 9, 18), "hash": (11, 2, 12, 0), "direct": (4, 2, 5, 0)
        }[table]  # fmt: skip
        self.capacity = entries_of(dut)
        self.ways = int(dut.WAYS.value) if hasattr(dut, "WAYS") else 8
        self.clearing = {"hash": self.capacity // self.ways + 2, "direct": self.capacity + 2}.get(table, 0)
        self.refusal = dut.o_valid if hasattr(dut, "o_valid") else getattr(dut, "m_refused", None)  # None: it has none
        self.windows = int(dut.WINDOWS.value)
        self.forget()
        self.drive()

    def forget(self) -> None:
        self.sent: dict[int, tuple[int, int, int]] = {}  # by cycle: windows, eos, key
        self.index: dict[int, int] = {}  # by key present
        self.present: dict[int, set[int]] = {w: set() for w in range(self.windows)}  # keys
        self.refused: dict[int, set[int]] = {w: set() for w in range(self.windows)}
        self.refusals = self.answers = 0
        self.release: tuple[int, int] | None = None

    def drive(self, windows: int = 0, eos: int = 0, key: int = 0) -> None:
        dut = self.dut
        dut.s_windows.value = windows
        if hasattr(dut, "s_eos"):
            dut.s_eos.value = eos
        dut.key.value = key if windows else self.g.getrandbits(len(dut.key))
        window, key = self.release or (None, None)
        dut.free_windows.value = 0 if window is None else 1 << window
        dut.free_index.value = self.index.get(key, 0)
        dut.read_index.value = self.index.get(key, 0)

    async def watch(self) -> None:
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            windows, eos, key = self.sent.get(cycle() - self.latency, (0, 0, 0))
            told, refused = int(dut.m_windows.value), 0 if self.refusal is None else int(self.refusal.value)
            assert told == (0 if refused else windows) and (windows or not refused)
            mine = {w for w in range(self.windows) if windows >> w & 1}
            if told:
                self.answers += 1
                assert all(key not in self.refused[w] for w in mine)
                fresh = {w for w in mine if key not in self.present[w]}
                assert fresh == {w for w in mine if int(dut.m_fresh.value) >> w & 1}
                assert self.index.setdefault(key, int(dut.m_index.value)) == int(dut.m_index.value)
                assert len(set(self.index.values())) == len(self.index) <= self.capacity
                for w in fresh:
                    self.present[w].add(key)
            if refused:
                self.refusals += 1
                assert key not in self.index
                for w in mine:
                    self.refused[w].add(key)
            for w in range(self.windows):
                if eos >> w & 1:
                    self.refused[w].clear()

    async def step(self, windows: int = 0, key: int = 0, eos: int = 0) -> None:
        self.sent[cycle()] = (windows, eos, key)
        self.drive(windows, eos, key)
        await ClockCycles(self.dut.clk, 1)
        if self.release:
            window, released = self.release
            self.present[window].remove(released)
            if not any(released in keys for keys in self.present.values()):
                del self.index[released]
            self.release = None

    def draw(self, open_windows: list[int], keys: int) -> tuple[int, int]:
        windows = sum(1 << w for w in open_windows if self.g.random() < 0.8)
        return windows, self.g.randrange(keys) * 0x9E3779B1 & (1 << len(self.dut.key)) - 1

    async def turn(self, window: int, keys: int, count: int, idle: float) -> None:
        """Tuples in all windows, then this one ends and is released while the others go on."""
        others = [w for w in range(self.windows) if w != window]
        for _ in range(count):
            if self.g.random() < idle:
                await self.step()
            await self.step(*self.draw([*others, window], keys))
        await self.step(*self.draw([*others, window], keys), eos=1 << window)
        for _ in range(self.apart):
            await self.step(*self.draw(others, keys))
        for key in list(self.present[window]):
            self.release = (window, key)
            await self.step(*self.draw(others, keys))
        for _ in range(self.apart):
            await self.step(*self.draw(others, keys))


async def ready(b: Bench) -> Bench:
    """Reset the core, and wait until its table is cleared."""
    await start(b.dut)
    cocotb.start_soon(b.watch())
    await ClockCycles(b.dut.clk, 1 + b.clearing)
    return b


async def bench(dut) -> Bench:
    return await ready(Bench(dut))


@cocotb.test()
async def entries(dut):
    """Fewer keys than entries, then more: none refused unnecessarily, each wholly kept or refused in every window."""
    b = await bench(dut)
    for turn in range(30):
        await b.turn(turn % b.windows, max(1, b.capacity - b.away), b.g.randrange(3 * b.capacity), 0.2)
    assert b.answers and not b.refusals
    for turn in range(30):
        await b.turn(turn % b.windows, 2 * b.capacity, b.g.randrange(3 * b.capacity), 0)
    assert b.refusals


@cocotb.test()
async def reads_keys(dut):
    """The key of an entry, `read` cycles after its index."""
    b = await bench(dut)
    for number in range(min(b.capacity, 12)):
        await b.step(1, number * 0x9E3779B1 & (1 << len(dut.key)) - 1)
    await b.step()
    await ClockCycles(dut.clk, b.latency)
    for key, index in b.index.items():
        dut.read_index.value = index
        await ClockCycles(dut.clk, b.read)
        await ReadOnly()
        assert int(dut.read_key.value) == key
        await RisingEdge(dut.clk)


@cocotb.test()
async def reset_forgets(dut):
    """Keys in flight, in use and refused: all entries are free at once."""
    b = await bench(dut)
    for number in range(2 * b.capacity):
        await b.step(1, number)
    dut.rst.value = 1
    await b.step(1, 7)
    dut.rst.value = 0
    b.forget()
    for number in range(b.capacity):
        await b.step(1, number + 100)
    await b.step()
    await ClockCycles(dut.clk, b.latency + 1)
    assert not b.refusals and len(b.index) == b.capacity


WINDOWS = ["3-windows", "1-window"]
MATRIX = [
    {"KEY_W": 32, "CAPACITY": 21, "WINDOWS": 3},
    {"KEY_W": 9, "CAPACITY": 16, "WINDOWS": 1},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=WINDOWS)
def test_group_cam(parameters):
    run("group_cam", **parameters)


def test_four_state():
    run_four_state("group_cam", "reads_keys", **MATRIX[0])
