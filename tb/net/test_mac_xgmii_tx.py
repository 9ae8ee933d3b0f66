"""mac_xgmii_tx: every frame is sent with preamble, padding, FCS and gap; aborted ones cannot be mistaken for good."""

import logging
import random

import cocotb
import numpy as np
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from cocotbext.eth import XgmiiSink

from tb.lib.axis import Monitor, Source
from tb.lib.bench import rng, start
from tb.lib.events import Events
from tb.lib.frames import udp, with_fcs
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle
from wirestream.sim.bulk import build
from wirestream.sim.simulate import seed

IDLE, START, TERMINATE, ERROR = 0x107, 0x1FB, 0x1FD, 0x1FE  # 0x100: on a control lane
PREAMBLE = [START, *[0x55] * 6, 0xD5]
GAP = 12


class Pins:
    """The pins: `frames`, lists of characters from start to before terminate, with their positions.

    A position is 8 times the cycle, plus the lane: `starts`, and `ends`, those of terminate.
    """

    def __init__(self, dut):
        self.frames: list[list[int]] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        cocotb.start_soon(self._run(dut))

    async def _run(self, dut):
        frame = None
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            if int(dut.rst.value):
                frame = None
                continue
            data, control = int(dut.xgmii_txd.value), int(dut.xgmii_txc.value)
            for lane in range(8):
                character = data >> 8 * lane & 0xFF | (control >> lane & 1) << 8
                if character == START:
                    assert frame is None and lane % 4 == 0
                    frame = [START]
                    self.frames.append(frame)
                    self.starts.append(8 * cycle() + lane)
                elif character == TERMINATE:
                    assert frame is not None
                    self.ends.append(8 * cycle() + lane)
                    frame = None
                elif frame is None:
                    assert character == IDLE
                else:
                    assert character < 0x100 or character == ERROR
                    frame.append(character)

    def gaps(self) -> list[int]:
        return [begin - end for end, begin in zip(self.ends, self.starts[1:], strict=False)]


def characters(frame: bytes) -> list[int]:
    return PREAMBLE + list(with_fcs(frame))


async def setup(dut):
    logging.getLogger("cocotb.ws_mac_xgmii_tx").setLevel(logging.WARNING)
    dut.s_axis_tvalid.value = 0
    await start(dut, reset_cycles=12)  # first, since the models cannot read an X
    source = Source(dut)
    monitor = Monitor(dut, "s_axis")
    pins, events = Pins(dut), Events(dut)
    return source, monitor, pins, events


async def settle(dut, source):
    await source.wait()
    await ClockCycles(dut.clk, 30)


@cocotb.test()
async def frames_of_every_length(dut):
    source, _, pins, events = await setup(dut)
    sink = XgmiiSink(dut.xgmii_txd, dut.xgmii_txc, dut.clk, dut.rst)
    random = rng("frames")
    frames = [random.randbytes(n) for n in [*range(140), 1514]]
    for frame in frames:
        source.put(frame)
    await settle(dut, source)
    received = [sink.recv_nowait(compact=False) for _ in range(sink.count())]
    assert [bytes(f.get_payload(strip_fcs=False)) for f in received] == [with_fcs(f) for f in frames]
    assert pins.frames == [characters(f) for f in frames]  # the sink ignores control characters
    assert events.total == {"good": len(frames)}


@cocotb.test()
async def back_to_back_frames_leave_twelve_octets_apart_on_the_average(dut):
    """Exactly the gaps of a deficit idle count that never exceeds three; tready is low only for preamble, FCS and
    gap."""
    source, monitor, pins, events = await setup(dut)
    random = rng("frames")
    lengths = [*range(60, 80), *[61] * 9, *[62] * 9, *[63] * 9, *[random.randrange(1, 100) for _ in range(60)]]
    for n in lengths:
        source.put(random.randbytes(n))
    await settle(dut, source)
    deficit, expected = 0, []
    for n in lengths[:-1]:
        over = max(n, 60) % 4
        longer = deficit + over > 3
        deficit += over - 4 * longer
        expected.append(GAP - over + 4 * longer)
    assert pins.gaps() == expected
    octets = sum(max(n, 60) + 12 + GAP for n in lengths[:-1])
    assert 0 <= octets - (pins.starts[-1] - pins.starts[0]) <= 3
    assert events.total == {"good": len(lengths)}
    assert {start % 8 for start in pins.starts} == {0, 4}
    assert monitor.beats == sum(-(-n // 8) for n in lengths)


@cocotb.test()
async def a_pause_settles_the_deficit(dut):
    source, _, pins, _ = await setup(dut)
    for _ in range(2):
        for _ in range(6):
            source.put(bytes(61))
        await settle(dut, source)
    assert pins.gaps()[:5] == pins.gaps()[6:] == [11, 11, 11, 15, 11]
    assert pins.starts[0] % 8 == pins.starts[6] % 8 == 0


@cocotb.test()
async def idle_between_frames(dut):
    source, _, pins, events = await setup(dut)
    random = rng("frames")
    frames = []
    for _ in range(60):
        await ClockCycles(dut.clk, random.randrange(25))
        frames.append(udp(random.randbytes(random.randrange(40)))[: random.choice([None, 20])])
        source.put(frames[-1])
    await settle(dut, source)
    assert pins.frames == [characters(f) for f in frames]
    assert min(pins.gaps()) >= GAP - 3
    assert events.total == {"good": 60}


@cocotb.test()
async def latency_to_the_cycle(dut):
    source, _, pins, events = await setup(dut)
    begun = cocotb.start_soon(_rise(dut))
    source.put(bytes(range(70)))
    first = await begun
    await settle(dut, source)
    assert pins.starts == [8 * (first + 7)]
    assert pins.ends == [8 * (first + 8) + 74]
    assert events.log == [(first + 1 + 9, "good")]


async def _rise(dut) -> int:
    await RisingEdge(dut.s_axis_tvalid)
    return cycle()


@cocotb.test()
async def underrun_at_every_beat(dut):
    source, _, pins, events = await setup(dut)
    frame = udp(rng("frames").randbytes(60))
    beats = -(-len(frame) // 8)
    for place in range(1, beats):
        for pause in (1, 2, 3, 9):
            source.put(frame)
            source.put(frame)  # waits, so that the gap after the aborted frame is minimal
            while not int(dut.s_axis_tready.value):
                await RisingEdge(dut.clk)
            await ClockCycles(dut.clk, place - 1)
            source.pause = True
            await ClockCycles(dut.clk, pause)
            source.pause = False
            await settle(dut, source)
            broken, good = pins.frames[-2:]
            assert broken[-4:] == [ERROR] * 4, "the aborted frame must end with errors"
            assert broken[:-4] == (PREAMBLE + list(frame))[: len(broken) - 4]
            assert good == characters(frame)
            assert pins.gaps()[-1] >= GAP
            assert events.take() == {"underrun": 1, "good": 1}
    assert {len(f) for f in pins.frames[::2]} >= {8 + 8 * n + 4 for n in range(2, beats - 1)}, "every position was hit"


@cocotb.test()
async def bad_frame_is_spoiled(dut):
    source, _, pins, events = await setup(dut)
    random = rng("frames")
    lengths = [1, 30, 59, *range(60, 70), 100]
    for length in lengths:
        source.put(random.randbytes(length), bad=True)
        source.put(random.randbytes(60))
    await settle(dut, source)
    for bad in pins.frames[::2]:
        assert bad[-4:] == [ERROR] * 4 and max(bad[1:-4]) < 0x100
    for good in pins.frames[1::2]:
        assert len(good) == 72 and max(good[1:]) < 0x100
    assert min(pins.gaps()) >= GAP - 3
    assert events.total == {"bad": len(lengths), "good": len(lengths)}


@cocotb.test()
async def reset_in_mid_frame(dut):
    source, _, pins, events = await setup(dut)
    random = rng("frames")
    for place in range(30):
        frame = udp(random.randbytes(20 + place))
        source.put(frame)
        await ClockCycles(dut.clk, place)
        dut.rst.value = 1
        await ClockCycles(dut.clk, random.choice([3, 10]))
        source.clear()
        dut.rst.value = 0
        await ClockCycles(dut.clk, 5)
        pins.frames.clear()
        events.take()
        source.put(frame)
        source.put(frame)
        await settle(dut, source)
        assert pins.frames == [characters(frame)] * 2
        assert events.take() == {"good": 2}


def test_mac_xgmii_tx():
    run("mac_xgmii_tx")


def test_line_rate(tmp_path):
    """Every frame size, many of the smallest, in random order back to back: full 10 Gb/s at every frame."""
    generator = random.Random(seed())
    frames = [generator.randbytes(n) for n in [*range(60, 1515), *range(60, 124), *[60] * 500]]
    generator.shuffle(frames)
    result = build("mac_xgmii_tx").run(frames, tmp_path)
    assert result.packets == frames and result.received_bad == 0
    assert result.events == {"good": len(frames), "bad": 0, "underrun": 0}
    octets = np.cumsum([len(frame) + 12 + GAP for frame in frames[:-1]])
    ahead = 8 * (result.log["first"][1:] - result.log["first"][0]).astype(np.int64) - octets
    assert -7 <= ahead.min() <= ahead.max() <= 0, "three octets by the deficit, four by a start in lane 4"


def test_line_rate_of_every_size(tmp_path):
    """200 frames of each size in turn."""
    sizes = [n for n in range(60, 1515, 7) for _ in range(200)]
    generator = random.Random(seed())
    frames = [generator.randbytes(n) for n in sizes]
    result = build("mac_xgmii_tx").run(frames, tmp_path)
    assert result.packets == frames and result.received_bad == 0
    assert 0 <= sum(n + 12 + GAP for n in sizes[:-1]) - 8 * int(result.log["first"][-1] - result.log["first"][0]) <= 7


def test_four_state():
    run_four_state("mac_xgmii_tx", "idle_between_frames")
