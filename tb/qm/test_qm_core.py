"""qm_core: what its header promises about packets, swaps and time; test_qm_core_bulk.py has what programs do."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import start
from tb.lib.run import run
from tb.machine import shipped
from wirestream.machine.assembler import assemble
from wirestream.machine.microcode import translate
from wirestream.machine.verifier import verify

UBSN = int.from_bytes(b"UBSN")
TUPLE, PUNCTUATION, TICK, MESSAGE = range(4)
PASSES, REJECTED = (UBSN, 100, 7, 1), (0, 100, 7, 1)
ECHO = ".section delivery\nget_field_0\nistore 0\nsend_tb"
EVENTS = ("trap", "send", "dropped", "bad", "cycle")


class Bench:
    """Drives packets beat by beat; records rows, events, and the cycles of both."""

    def __init__(self, dut):
        self.dut, self.now = dut, 0
        self.rows: list[list[int]] = []
        self.ends: list[int] = []  # cycles of the rows' last beats
        self.users: list[int] = []
        self.events: dict[str, list[int]] = {name: [] for name in EVENTS}
        self.row: list[int] = []

    @classmethod
    async def begin(cls, dut) -> Bench:
        for name in ("s_axis_tvalid", "prog_en", "bound_en", "swap_valid"):
            getattr(dut, name).value = 0
        dut.m_axis_tready.value = dut.started.value = 1
        await start(dut)
        bench = cls(dut)
        cocotb.start_soon(bench.watch())
        return bench

    async def watch(self) -> None:
        dut = self.dut
        while True:
            await FallingEdge(dut.clk)
            self.now += 1
            for name in EVENTS:
                if int(getattr(dut, f"evt_{name}").value):
                    self.events[name].append(self.now)
            if int(dut.m_axis_tvalid.value) and int(dut.m_axis_tready.value):
                self.row.append(int(dut.m_axis_tdata.value))
                if int(dut.m_axis_tlast.value):
                    self.rows.append(self.row)
                    self.ends.append(self.now)
                    self.users.append(int(dut.m_axis_tuser.value))
                    self.row = []

    async def load(self, text: str, at: int = 0, bank: int = 0, generation: int = 0, run: int = 1) -> None:
        dut, image = self.dut, translate(assemble(text), at)
        for name, first, values in (("prog", at, image.words), ("bound", bank * 4, image.bounds)):
            getattr(dut, f"{name}_en").value = 1
            for k, value in enumerate(values):
                getattr(dut, f"{name}_addr").value = first + k
                getattr(dut, f"{name}_data").value = value
                await RisingEdge(dut.clk)
            getattr(dut, f"{name}_en").value = 0
        dut.swap_run.value, dut.swap_bank.value = run, bank
        dut.swap_flags.value, dut.swap_generation.value = image.flags, generation
        dut.swap_valid.value = 1
        while True:
            await FallingEdge(dut.clk)
            ready = int(dut.swap_ready.value)
            await RisingEdge(dut.clk)
            if ready:
                break
        dut.swap_valid.value = 0

    async def send(self, words: tuple[int, ...], kind: int = TUPLE, bad: int = 0) -> int:
        """Returns the cycle of the last beat."""
        dut, beats = self.dut, words or (0,)
        for k, value in enumerate(beats):
            dut.s_axis_tvalid.value = 1
            dut.s_axis_tdata.value = value
            dut.s_axis_tkeep.value = 15 if words else 0
            dut.s_axis_tlast.value = int(k == len(beats) - 1)
            dut.s_axis_tuser.value = kind << 1 | (bad and k == len(beats) - 1)
            while True:
                await FallingEdge(dut.clk)
                ready = int(dut.s_axis_tready.value)
                await RisingEdge(dut.clk)
                if ready:
                    break
        dut.s_axis_tvalid.value = 0
        return self.now

    async def rest(self, cycles: int = 60) -> None:
        for _ in range(cycles):
            await RisingEdge(self.dut.clk)

    @property
    def values(self) -> list[int]:
        """The first words of the rows."""
        return [row[1] for row in self.rows]


@cocotb.test()
async def latency_and_rate(dut):
    """4 cycles to the first one of the section; the sections of waiting tuples follow each other without a gap."""
    bench = await Bench.begin(dut)
    await bench.load(shipped.text("q1"))
    last = await bench.send(PASSES)
    await bench.rest()
    assert bench.events["cycle"][0] - last == 4
    most = verify(shipped.program("q1")).cycles["delivery"]
    assert bench.events["cycle"] == list(range(last + 4, last + 4 + most))
    assert bench.rows == [[0, 100, 7, 0]]
    bench.events["cycle"].clear()
    pattern = [PASSES, REJECTED, PASSES, PASSES, REJECTED, REJECTED, PASSES]
    for words in pattern:
        await bench.send(words)
    await bench.rest()
    spent = [most if words == PASSES else 6 for words in pattern]
    cycles = bench.events["cycle"]
    assert cycles == list(range(cycles[0], cycles[0] + sum(spent)))
    assert [row[0] for row in bench.rows] == [0, 1, 3, 4, 7]


@cocotb.test()
async def stalled(dut):
    """A row waits for its receiver, and the cycles do not count."""
    bench = await Bench.begin(dut)
    await bench.load(shipped.text("q1"))
    dut.m_axis_tready.value = 0
    await bench.send(PASSES)
    await bench.rest()
    assert not bench.rows and int(dut.m_axis_tvalid.value)
    dut.m_axis_tready.value = 1
    await bench.rest()
    assert bench.rows == [[0, 100, 7, 0]] and len(bench.events["cycle"]) == 12


@cocotb.test()
async def swaps(dut):
    """Between two tuples, with a new epoch and an empty synopsis; a stop; rows have the generation."""
    bench = await Bench.begin(dut)
    keeps = '.section delivery, "manualclear"\niload_sy 0\niinc\ndup\nistore_sy 0\nistore 0\nsend_tb'
    await bench.load(keeps, generation=5)
    for _ in range(3):
        await bench.send(PASSES)
    await bench.load(keeps, at=64, bank=1, generation=6)
    await bench.send(PASSES)
    await bench.rest()
    assert [(row[0], row[1], user >> 3) for row, user in zip(bench.rows, bench.users, strict=True)] in (
        [(0, 1, 5), (1, 2, 5), (2, 3, 5), (0, 1, 6)],  # the last tuples were for the old program, or
        [(0, 1, 5), (1, 2, 5), (0, 1, 6), (1, 2, 6)],  # waited for the new one
        [(0, 1, 5), (0, 1, 6), (1, 2, 6), (2, 3, 6)],
    )
    assert all(user & 7 == 1 << 1 for user in bench.users)
    assert int(dut.epoch.value) in (1, 2, 3) and int(dut.running.value) == 1
    await bench.load(keeps, run=0)
    await bench.send(PASSES)
    await bench.rest()
    assert len(bench.rows) == 4 and int(dut.running.value) == 0


@cocotb.test()
async def not_started(dut):
    """Deliveries do not run; a reception per tuple does."""
    bench = await Bench.begin(dut)
    dut.started.value = 0
    await bench.load(ECHO)
    await bench.send((1, 2))
    await bench.rest()
    assert not bench.rows and not bench.events["cycle"]
    dut.started.value = 1
    await bench.send((3, 4))
    await bench.rest()
    assert bench.rows == [[0, 3, 0]]


@cocotb.test()
async def bad_packets(dut):
    """Are dropped whole, and counted."""
    bench = await Bench.begin(dut)
    await bench.load(ECHO)
    fields = int(dut.FIELDS.value)
    buffer = 2 ** int(dut.TB_W.value)
    packets = [((1, 2), TUPLE, 1), ((2,) * (fields + 1), TUPLE, 0), ((3,) * (buffer + 1), MESSAGE, 0)]
    for words, kind, bad in [*packets, ((4,) * fields, TUPLE, 0), ((5,), TUPLE, 0)]:
        await bench.send(words, kind, bad)
    await bench.rest()
    assert bench.values == [4, 5] and len(bench.events["bad"]) == 3 and not bench.events["dropped"]


@cocotb.test()
async def without_room(dut):
    """DROP = 0: the input stalls; DROP = 1: tuples are dropped, and each is delivered or counted."""
    bench = await Bench.begin(dut)
    await bench.load(ECHO)
    dut.m_axis_tready.value = 0
    sender = cocotb.start_soon(_send_all(bench, [(k, k) for k in range(20)]))
    await bench.rest(200)
    stalled = not sender.done()
    dut.m_axis_tready.value = 1
    await bench.rest(600)
    assert sender.done() and stalled == (int(dut.DROP.value) == 0)
    assert len(bench.values) + len(bench.events["dropped"]) == 20
    assert bench.values == sorted(bench.values) and bool(bench.events["dropped"]) == (int(dut.DROP.value) == 1)


async def _send_all(bench: Bench, all_words: list[tuple[int, ...]]) -> None:
    for words in all_words:
        await bench.send(words)


@pytest.mark.parametrize(
    "parameters", [{}, {"DROP": 1, "FIFO_W": 3, "FIELDS": 7}, {"FIELDS": 20, "TB_W": 3, "SY_W": 2}]
)
def test_qm_core(parameters):
    run("qm_core", **parameters)
