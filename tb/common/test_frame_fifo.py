"""frame_fifo: good frames whole and in order with their metadata, the others dropped and counted, exact latency."""

from collections import Counter
from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.axis import Monitor, Sink, Source, drained
from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state

EVENTS = ("good", "bad", "oversize", "full")


class Bench:
    """Source, sink, and the events in order of occurrence."""

    def __init__(self, dut, idle: float, stall: float):
        self.dut = dut
        self.beat_bytes = len(dut.s_axis_tkeep)
        self.capacity = 1 << int(dut.ADDR_W.value)  # beats
        self.limit = int(dut.MAX_BYTES.value)
        self.user_w = len(dut.s_axis_tuser)
        self.waits = int(dut.WAIT.value)
        self.source, self.sink = Source(dut, "s_axis", idle), Sink(dut, "m_axis", stall)
        self.input, self.output = Monitor(dut, "s_axis"), Monitor(dut, "m_axis")
        self.events: list[str] = []
        cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        while True:
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            if not int(self.dut.rst.value):
                self.events += [name for name in EVENTS if int(getattr(self.dut, f"evt_{name}").value)]

    def metadata(self, generator) -> int:
        return generator.getrandbits(self.user_w) & ~1

    async def drained(self) -> None:
        await drained(self, 50)


async def setup(dut, idle: float = 0.0, stall: float = 0.0) -> Bench:
    dut.s_axis_tvalid.value = 0
    dut.m_axis_tready.value = 0
    await start(dut)  # before the bus models, which cannot read an X
    bench = Bench(dut, idle, stall)
    await RisingEdge(dut.clk)
    return bench


async def campaign(dut, idle: float, stall: float) -> Counter:
    """Random frames of every kind; the events say which must leave."""
    bench, generator = await setup(dut, idle, stall), rng("frames")
    frames = []
    for _ in range(150):
        size = generator.choice([0, 1, generator.randint(0, bench.limit), bench.limit, bench.limit + 1])
        if generator.random() < 0.05:
            size = generator.randint(bench.limit + 1, 2 * bench.capacity * bench.beat_bytes)
        frames.append((generator.randbytes(size), generator.random() < 0.15, bench.metadata(generator)))
        data, bad, user = frames[-1]
        bench.source.put(data, bad=bad, user=user)
    await bench.drained()
    assert bench.waits or bench.input.unready == 0, "s_axis_tready fell"
    assert len(bench.events) == len(frames)
    for (data, bad, _), event in zip(frames, bench.events, strict=True):
        in_time = ("good",) if bench.waits else ("good", "full")
        expected = ("bad",) if bad else ("oversize",) if len(data) > bench.limit else in_time
        assert event in expected
    passed = [(data, user) for (data, _, user), event in zip(frames, bench.events, strict=True) if event == "good"]
    assert [(p.data, p.users[0] & ~1) for p in bench.sink.get_all()] == passed
    return Counter(bench.events)


@cocotb.test()
async def frames_under_back_pressure(dut):
    events = await campaign(dut, idle=0.1, stall=0.6)
    assert all(events[name] for name in EVENTS[: 4 - int(dut.WAIT.value)]), events


@cocotb.test()
async def frames_at_leisure(dut):
    await campaign(dut, idle=0.6, stall=0.0)


@cocotb.test()
async def latency_and_rate(dut):
    bench, generator = await setup(dut), rng("frames")
    size = min(bench.limit, bench.capacity // 4 * bench.beat_bytes)
    for _ in range(12):
        bench.source.put(generator.randbytes(size), user=bench.metadata(generator))
    ends = []  # cycles of the tlast beats in, and of the first and last beats out
    begins, leaves, inside = [], [], False
    for cycle in range(14 * bench.capacity):
        await RisingEdge(dut.clk)
        await ReadOnly()
        if int(dut.s_axis_tvalid.value) and int(dut.s_axis_tlast.value):
            ends.append(cycle)
        if int(dut.m_axis_tvalid.value):
            if not inside:
                begins.append(cycle)
            inside = not int(dut.m_axis_tlast.value)
            if not inside:
                leaves.append(cycle)
        else:
            assert not inside, "a bubble inside a frame"
        if len(leaves) == 12:
            break
    beats = -(-size // bench.beat_bytes)
    latency = 2 + 2 * int(dut.OUTPUT_REG.value)
    assert begins == [end + latency for end in ends] and len(ends) == 12
    assert [last - first + 1 for first, last in zip(begins, leaves, strict=True)] == [beats] * 12
    assert [b - a for a, b in pairwise(ends)] == [beats] * 11


@cocotb.test()
async def room_to_the_last_beat(dut):
    """A frame that fits exactly passes, one a beat longer does not, and the next small one does. With WAIT all of them
    pass, in time."""
    bench = await setup(dut)
    bench.sink.pause = True
    await ClockCycles(dut.clk, 2)
    half = bytes(bench.capacity // 2 * bench.beat_bytes)
    sent = (half, bytes(len(half) + 1), half[bench.beat_bytes :], half[: 2 * bench.beat_bytes], b"x", b"")
    for data in sent:
        bench.source.put(data)
    if bench.waits:
        await ClockCycles(dut.clk, 4 * bench.capacity)
        assert bench.events == ["good"] and not int(dut.s_axis_tready.value)
        bench.sink.pause = False
        await bench.drained()
        assert bench.events == ["good"] * 6 and [p.data for p in bench.sink.get_all()] == list(sent)
        return
    await bench.drained()
    assert bench.events == ["good", "full", "good", "full", "good", "full"]
    bench.sink.pause = False
    await bench.drained()
    assert [len(p.data) for p in bench.sink.get_all()] == [len(half), len(half) - bench.beat_bytes, 1]


@cocotb.test()
async def reset_in_mid_frame(dut):
    bench = await setup(dut)
    bench.source.put(bytes(4 * bench.beat_bytes))
    bench.sink.pause = True
    bench.source.put(bytes(4 * bench.beat_bytes))
    await ClockCycles(dut.clk, 7)
    await reset(dut)
    bench.source.clear()
    bench.sink.clear()
    bench.events.clear()
    bench.sink.pause = False
    await ClockCycles(dut.clk, 4)
    bench.source.put(b"after")
    await bench.drained()
    assert bench.events == ["good"]
    assert [p.data for p in bench.sink.get_all()] == [b"after"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"DATA_W": 8, "USER_W": 113, "ADDR_W": 6, "MAX_BYTES": 40, "OUTPUT_REG": 0},
        {"DATA_W": 64, "USER_W": 9, "ADDR_W": 5, "MAX_BYTES": 150, "OUTPUT_REG": 1},
        {"DATA_W": 64, "USER_W": 9, "ADDR_W": 5, "MAX_BYTES": 150, "OUTPUT_REG": 1, "WAIT": 1},
    ],
)
def test_frame_fifo(parameters):
    run("frame_fifo", **parameters)


def test_four_state():
    run_four_state("frame_fifo", "frames_at_leisure", DATA_W=64, USER_W=9, ADDR_W=5, MAX_BYTES=150)
