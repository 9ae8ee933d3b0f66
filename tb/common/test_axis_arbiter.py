"""axis_arbiter: every packet whole, round-robin, no idle cycle between waiting packets, exact latency."""

from collections import deque

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.axis import Monitor, Sink
from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle


class Bench:
    """Drives all inputs, which are concatenated in wide ports; each packet's metadata is the number of its input."""

    def __init__(self, dut, idle: float, stall: float):
        self.dut, self.idle, self.random = dut, idle, rng("inputs")
        self.lanes = len(dut.m_axis_tkeep)
        self.inputs = len(dut.s_axis_tvalid)
        self.queues: list[deque] = [deque() for _ in range(self.inputs)]  # beats: data, keep, last, user
        self.now: list[tuple | None] = [None] * self.inputs
        self.offered: dict[int, int] = {}  # cycle in which each input first drives its beat
        self.accepted: dict[int, int] = {}  # and in which it is accepted
        self.sink, self.output = Sink(dut, "m_axis", stall), Monitor(dut, "m_axis")
        cocotb.start_soon(self._drive())

    def put(self, number: int, data: bytes, bad: bool = False) -> None:
        for at in range(0, max(len(data), 1), self.lanes):
            part = data[at : at + self.lanes]
            last = at + self.lanes >= len(data)
            word = int.from_bytes(part.ljust(self.lanes, b"\0"), "little")
            self.queues[number].append((word, (1 << len(part)) - 1, last, number << 1 | (last and bad)))

    async def _drive(self) -> None:
        dut = self.dut
        widths = (8 * self.lanes, self.lanes, 1, len(dut.m_axis_tuser))
        ports = (dut.s_axis_tdata, dut.s_axis_tkeep, dut.s_axis_tlast, dut.s_axis_tuser)
        while True:
            values = [0] * 4
            for i in range(self.inputs):
                if self.now[i] is None and self.queues[i] and self.random.random() >= self.idle:
                    self.now[i] = self.queues[i].popleft()
                    self.offered.setdefault(i, cycle())
                beat = self.now[i] or [self.random.getrandbits(w) for w in widths]
                values = [v | field << i * w for v, field, w in zip(values, beat, widths, strict=True)]
            for port, value in zip(ports, values, strict=True):
                port.value = value
            dut.s_axis_tvalid.value = sum((beat is not None) << i for i, beat in enumerate(self.now))
            await ReadOnly()
            took = int(dut.s_axis_tvalid.value) & int(dut.s_axis_tready.value)
            if not int(dut.rst.value):
                for i in range(self.inputs):
                    if took >> i & 1:
                        self.now[i] = None
                        self.accepted.setdefault(i, cycle())
            await RisingEdge(dut.clk)

    async def drained(self) -> None:
        quiet = 0
        while quiet < 30:
            before = self.output.beats
            await ClockCycles(self.dut.clk, 1)
            waiting = any(self.queues) or any(beat is not None for beat in self.now)
            quiet = 0 if waiting or self.output.beats != before else quiet + 1


async def setup(dut, idle: float = 0.0, stall: float = 0.0) -> Bench:
    dut.s_axis_tvalid.value = dut.m_axis_tready.value = 0
    await start(dut)
    bench = Bench(dut, idle, stall)
    await RisingEdge(dut.clk)
    return bench


async def campaign(dut, idle: float, stall: float) -> None:
    bench, generator = await setup(dut, idle, stall), rng("packets")
    sent: list[list] = [[] for _ in range(bench.inputs)]
    for i, packets in enumerate(sent):
        for _ in range(60):
            packets.append((generator.randbytes(generator.choice([0, 1, generator.randrange(40)])), i == 1))
            bench.put(i, *packets[-1])
    await bench.drained()
    got: list[list] = [[] for _ in range(bench.inputs)]
    for packet in bench.sink.get_all():
        got[packet.users[0] >> 1].append((packet.data, packet.bad))
    assert got == sent


@cocotb.test()
async def packets_whole_and_in_order(dut):
    await campaign(dut, idle=0.3, stall=0.3)


@cocotb.test()
async def packets_with_long_pauses(dut):
    await campaign(dut, idle=0.9, stall=0.1)


@cocotb.test()
async def turns_without_a_pause(dut):
    """If all wait, the grant goes round and every cycle carries a beat, as it does with a single sender."""
    bench, generator = await setup(dut), rng("packets")
    for _ in range(8):
        for i in range(bench.inputs):
            bench.put(i, generator.randbytes(generator.randrange(1, 30)))
    await bench.drained()
    assert [p.users[0] >> 1 for p in bench.sink.get_all()] == [*range(bench.inputs)] * 8
    for _ in range(8):
        bench.put(bench.inputs - 1, generator.randbytes(generator.randrange(1, 30)))
    at, spans = bench.output.beats, bench.output.packets
    assert spans[-1].last - spans[0].first + 1 == at
    spans.clear()
    await bench.drained()
    assert spans[-1].last - spans[0].first + 1 == bench.output.beats - at


@cocotb.test()
async def latency(dut):
    """One cycle if the input holds the grant, two if the grant must move."""
    bench = await setup(dut)
    for i, wait in ((0, 0), (bench.inputs - 1, 1), (bench.inputs - 1, 0), (0, 1)):
        for log in (bench.offered, bench.accepted, bench.output.packets):
            log.clear()
        bench.put(i, b"x")
        await ClockCycles(dut.clk, 8)
        assert bench.accepted[i] - bench.offered[i] == wait
        assert bench.output.packets[0].first == bench.accepted[i] + 1


@cocotb.test()
async def reset_in_mid_packet(dut):
    bench = await setup(dut)
    bench.put(bench.inputs - 1, bytes(20 * bench.lanes))
    await ClockCycles(dut.clk, 9)
    dut.rst.value = 1
    bench.queues[-1].clear()
    bench.now[-1] = None
    await reset(dut)
    bench.sink.clear()
    for i in range(bench.inputs):
        bench.put(i, b"after")
    await bench.drained()
    assert [p.data for p in bench.sink.get_all()] == [b"after"] * bench.inputs


def configuration(**parameters) -> tuple[dict, dict]:
    return {"USER_W": 3, **parameters}, {}


@pytest.mark.parametrize(("data_w", "n"), [(8, 3), (64, 2)])
def test_axis_arbiter(data_w, n):
    run("axis_arbiter", **configuration(DATA_W=data_w, N=n)[0])


def test_four_state():
    run_four_state("axis_arbiter", "packets_whole_and_in_order", DATA_W=8, N=3, USER_W=3)
