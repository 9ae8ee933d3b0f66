"""mac_gmii_tx: every frame is sent with preamble, padding, FCS and gap; aborted ones cannot be mistaken for good."""

import logging
from itertools import groupby

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from cocotbext.eth import GmiiSink

from tb.lib.axis import Monitor, Source
from tb.lib.bench import now_and_then, rng, start
from tb.lib.events import Events
from tb.lib.frames import udp, with_fcs
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle

PREAMBLE = b"\x55" * 7 + b"\xd5"
GAP = 12


class Pins:
    """The pins: (cycle, octet, tx_er) of every cycle with tx_en, one list a frame."""

    def __init__(self, dut):
        self.frames = []
        cocotb.start_soon(self._run(dut))

    async def _run(self, dut):
        before = 0
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            if not dut.gmii_tx_en.value.is_resolvable:
                continue
            enabled = int(dut.gmii_tx_en.value)
            if enabled:
                if not before:
                    self.frames.append([])
                self.frames[-1].append((cycle(), int(dut.gmii_txd.value), int(dut.gmii_tx_er.value)))
            elif not int(dut.rst.value):
                assert not int(dut.gmii_tx_er.value)  # with tx_en low it would mean carrier extension
            before = enabled

    def octets(self, frame: int) -> bytes:
        return bytes(octet for _, octet, _ in self.frames[frame])

    def gaps(self) -> list[int]:
        return [b[0][0] - a[-1][0] - 1 for a, b in zip(self.frames, self.frames[1:], strict=False)]


async def setup(dut):
    logging.getLogger("cocotb.ws_mac_gmii_tx").setLevel(logging.WARNING)
    dut.s_axis_tvalid.value = 0
    await start(dut)  # first, since the models cannot read an X
    source = Source(dut)
    Monitor(dut, "s_axis")
    sink = GmiiSink(dut.gmii_txd, dut.gmii_tx_er, dut.gmii_tx_en, dut.clk, dut.rst)
    pins, events = Pins(dut), Events(dut)
    return source, sink, pins, events


async def settle(dut, source):
    await source.wait()
    await ClockCycles(dut.clk, 120)


@cocotb.test()
async def frames_of_every_length(dut):
    source, sink, pins, events = await setup(dut)
    random = rng("frames")
    frames = [random.randbytes(n) for n in [*range(1, 70), 128, 1514]]
    for frame in frames:
        source.put(frame)
    await settle(dut, source)
    received = [sink.recv_nowait(compact=False) for _ in range(sink.count())]
    assert [bytes(f.get_payload(strip_fcs=False)) for f in received] == [with_fcs(f) for f in frames]
    assert not any(f.error for f in received)
    assert pins.octets(0) == PREAMBLE + with_fcs(frames[0])  # the sink omits the first octet
    assert events.total == {"good": len(frames)}


@cocotb.test()
async def back_to_back_frames_leave_twelve_octets_apart(dut):
    source, _, pins, events = await setup(dut)
    random = rng("frames")
    for n in (60, 14, 61, 200, 59, 1, 60):
        source.put(random.randbytes(n))
    await settle(dut, source)
    assert pins.gaps() == [GAP] * 6
    assert events.total == {"good": 7}


@cocotb.test()
async def idle_between_frames(dut):
    source, _, pins, events = await setup(dut)
    random = rng("frames")
    frames = []
    for _ in range(30):
        await ClockCycles(dut.clk, random.randrange(110))
        frames.append(udp(random.randbytes(random.randrange(40))))
        source.put(frames[-1])
    await settle(dut, source)
    assert [pins.octets(i) for i in range(len(pins.frames))] == [PREAMBLE + with_fcs(f) for f in frames]
    assert min(pins.gaps()) == GAP
    assert events.total == {"good": 30}


@cocotb.test()
async def latency_to_the_cycle(dut):
    source, _, pins, events = await setup(dut)
    begun = cocotb.start_soon(_rise(dut))
    source.put(bytes(range(70)))
    first = await begun
    await settle(dut, source)
    assert pins.frames[0][0][0] == first + 1  # the preamble
    assert pins.frames[0][8][:2] == (first + 9, 0)  # the first octet of the frame
    assert len(pins.frames[0]) == 8 + 70 + 4
    assert events.log == [(first + 8 + 70, "good")]


async def _rise(dut) -> int:
    await RisingEdge(dut.s_axis_tvalid)
    return cycle()


@cocotb.test()
async def octets_that_are_taken_now_and_then(dut):
    """As at 100 Mb/s: the pins in cycles with gmii_tx_ce are those of all cycles at 1 Gb/s."""
    source, _, _, events = await setup(dut)
    random = rng("enable")
    cocotb.start_soon(now_and_then(dut.gmii_tx_ce, dut.clk, random))
    taken = cocotb.start_soon(_taken(dut, 3000))
    frames = [random.randbytes(n) for n in (60, 14, 61, 200, 1, 60)]
    for number, frame in enumerate(frames):
        source.put(frame, bad=number == 3)
    octets = await taken
    runs = [(enabled, list(part)) for enabled, part in groupby(octets, key=lambda octet: octet[0])]
    sent = [bytes(octet for _, octet, _ in part) for enabled, part in runs if enabled]
    bad = PREAMBLE + frames[3]
    assert sent == [bad if n == 3 else PREAMBLE + with_fcs(frame) for n, frame in enumerate(frames)]
    assert [len(part) for enabled, part in runs[1:-1] if not enabled] == [GAP] * 5
    assert [error for *_, error in octets].count(1) == 1
    assert events.total == {"good": 5, "bad": 1}


async def _taken(dut, cycles: int) -> list[tuple[int, int, int]]:
    """(tx_en, octet, tx_er) of the cycles with gmii_tx_ce."""
    found = []
    for _ in range(cycles):
        await RisingEdge(dut.clk)
        await ReadOnly()
        if int(dut.gmii_tx_ce.value):
            found.append((int(dut.gmii_tx_en.value), int(dut.gmii_txd.value), int(dut.gmii_tx_er.value)))
    return found


@cocotb.test()
async def underrun_at_every_octet(dut):
    source, _, pins, events = await setup(dut)
    frame = udp(rng("frames").randbytes(30))
    for place in range(1, len(frame)):
        source.put(frame)
        while not int(dut.s_axis_tready.value):
            await RisingEdge(dut.clk)
        await ClockCycles(dut.clk, place - 1)
        source.pause = True
        await ClockCycles(dut.clk, 1 + place % 3)
        source.pause = False
        await source.wait()
        source.put(frame)
        await settle(dut, source)
        broken, good = len(pins.frames) - 2, len(pins.frames) - 1
        assert [er for *_, er in pins.frames[broken]][-1] == 1, "the aborted frame must end with tx_er"
        assert pins.octets(broken)[:-1] == (PREAMBLE + frame)[: len(pins.octets(broken)) - 1]
        assert pins.octets(good) == PREAMBLE + with_fcs(frame)
        assert not any(er for *_, er in pins.frames[good])
        assert events.take() == {"underrun": 1, "good": 1}
    lengths = {len(f) for f in pins.frames[::2]}
    assert lengths >= set(range(len(PREAMBLE) + 3, len(PREAMBLE) + len(frame) - 1)), "every position was hit"


@cocotb.test()
async def bad_frame_is_spoiled(dut):
    source, _, pins, events = await setup(dut)
    random = rng("frames")
    for length in (1, 30, 60, 61, 100):
        source.put(random.randbytes(length), bad=True)
        source.put(random.randbytes(60))
    await settle(dut, source)
    for bad in pins.frames[::2]:
        assert [er for *_, er in bad] == [0] * (len(bad) - 1) + [1]
    for good in pins.frames[1::2]:
        assert len(good) == 72 and not any(er for *_, er in good)
    assert min(pins.gaps()) >= GAP
    assert events.total == {"bad": 5, "good": 5}


@cocotb.test()
async def reset_in_mid_frame(dut):
    source, _, pins, events = await setup(dut)
    random = rng("frames")
    for place in (3, 8, 9, 30, 70, 75):
        frame = udp(random.randbytes(20))
        source.put(frame)
        await ClockCycles(dut.clk, place)
        dut.rst.value = 1
        await ClockCycles(dut.clk, 2)
        source.clear()
        dut.rst.value = 0
        await ClockCycles(dut.clk, 20)
        before = len(pins.frames)
        source.put(frame)
        await settle(dut, source)
        assert [pins.octets(i) for i in range(before, len(pins.frames))] == [PREAMBLE + with_fcs(frame)]
    assert events.total["good"] >= 6


def test_mac_gmii_tx():
    run("mac_gmii_tx")


def test_four_state():
    run_four_state("mac_gmii_tx", "idle_between_frames")
