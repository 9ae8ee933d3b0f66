"""mac_gmii_rx: good frames are output whole, every bad one is marked and counted once, under its reason."""

import logging

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from cocotbext.eth import GmiiFrame, GmiiSource

from tb.lib.bench import now_and_then, rng, scramble, start
from tb.lib.events import Events
from tb.lib.frames import fcs, udp_frame, with_fcs
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle

LATENCY = 7  # cycles from rxd to tdata
PREAMBLE = b"\x55" * 7
SFD = b"\xd5"


def expected(raw: bytes, errors: list[int], max_frame: int) -> tuple[str, bytes | None]:
    """The event and the output (None: no output) caused by the octets `raw`, from rx_dv's rise to its fall."""
    sfd = raw.find(SFD)
    if sfd < 0:
        return "no_preamble", None
    frame = raw[sfd + 1 :]
    cut, errors = frame[:max_frame], errors[: sfd + 1 + max_frame]
    if any(errors):
        event = "rx_error"
    elif len(frame) > max_frame:
        event = "oversize"
    elif len(frame) < 64:
        event = "runt"
    else:
        event = "good" if fcs(frame[:-4]) == frame[-4:] else "bad_fcs"
    return event, cut[:-4] or None


class Bench:
    """The core with a GMII source; `packets` are the outputs as (data, bad, cycle of the first octet, of the last)."""

    async def start(self, dut, enabled: bool = True):
        """enabled: an octet arrives in every cycle; else in some."""
        logging.getLogger("cocotb.ws_mac_gmii_rx").setLevel(logging.WARNING)
        self.dut = dut
        self.max_frame = int(dut.MAX_FRAME.value)
        enable = None if enabled else dut.gmii_rx_ce
        self.source = GmiiSource(dut.gmii_rxd, dut.gmii_rx_er, dut.gmii_rx_dv, dut.clk, enable=enable)
        noise = rng("between frames")
        cocotb.start_soon(scramble(dut.gmii_rx_dv, [dut.gmii_rxd], dut.clk, noise, always=True))
        self.packets = []
        self.events = Events(dut)
        self.expected_events, self.expected_packets = [], []
        cocotb.start_soon(self._receive())
        await start(dut)
        if not enabled:
            cocotb.start_soon(now_and_then(dut.gmii_rx_ce, dut.clk, rng("enable")))
        return self

    async def _receive(self):
        dut, data, first = self.dut, bytearray(), None
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            if not dut.rst.value.is_resolvable or int(dut.rst.value):
                data, first = bytearray(), None
            elif int(dut.m_axis_tvalid.value):
                assert int(dut.m_axis_tkeep.value) == 1
                first = cycle() if first is None else first
                data.append(int(dut.m_axis_tdata.value))
                if int(dut.m_axis_tlast.value):
                    self.packets.append((bytes(data), int(dut.m_axis_tuser.value), first, cycle()))
                    data, first = bytearray(), None

    async def send(self, raw: bytes, error_at: int | None = None, gap: int = 12):
        """Send the octets between rx_dv's rise and fall, followed by `gap` cycles of rx_dv low."""
        errors = [int(i == error_at) for i in range(len(raw))]
        event, data = expected(raw, errors, self.max_frame)
        self.expected_events.append(event)
        if data is not None:
            self.expected_packets.append((data, int(event != "good")))
        self.source.ifg = gap
        await self.source.send(GmiiFrame(raw, errors))
        await self.source.wait()

    async def check(self):
        await ClockCycles(self.dut.clk, 20)
        assert [name for _, name in self.events.log] == self.expected_events
        assert [(data, bad) for data, bad, _, _ in self.packets] == self.expected_packets


@cocotb.test()
async def good_frames(dut):
    bench, random = await Bench().start(dut), rng("frames")
    for _ in range(40):
        preamble = b"\x55" * random.choice([0, 1, 7, 7, random.randrange(20)])
        await bench.send(preamble + SFD + with_fcs(udp_frame(random)), gap=random.choice([1, 2, 12, 30]))
    await bench.check()
    assert bench.events.total == {"good": 40}


@cocotb.test()
async def smallest_and_largest(dut):
    bench, random = await Bench().start(dut), rng("frames")
    longest = bench.max_frame
    for length in (64, 65, longest - 1, longest, longest + 1, longest + 2, 64, longest + 500, 64):
        await bench.send(PREAMBLE + SFD + with_fcs(udp_frame(random, length - 4)), gap=1)
    await bench.check()
    assert bench.events.total == {"good": 6, "oversize": 3}


@cocotb.test()
async def runts_of_every_length(dut):
    bench, random = await Bench().start(dut), rng("frames")
    for length in range(64):
        body = random.randbytes(length)
        await bench.send(PREAMBLE + SFD + (body[:-4] + fcs(body[:-4]) if length >= 4 else body), gap=1)
        await bench.send(PREAMBLE + SFD + with_fcs(udp_frame(random, 60)), gap=1)
    await bench.check()
    assert bench.events.total == {"runt": 64, "good": 64}


@cocotb.test()
async def truncated_at_every_octet(dut):
    bench, random = await Bench().start(dut), rng("frames")
    raw = PREAMBLE + SFD + with_fcs(udp_frame(random, 80))
    for length in range(1, len(raw)):
        await bench.send(raw[:length], gap=random.choice([1, 12]))
    await bench.send(raw)
    await bench.check()
    assert bench.events.total == {"no_preamble": 7, "runt": 64, "bad_fcs": 20, "good": 1}


@cocotb.test()
async def wrong_fcs(dut):
    bench, random = await Bench().start(dut), rng("frames")
    raw = PREAMBLE + SFD + with_fcs(udp_frame(random, 70))
    for octet in range(len(PREAMBLE) + 1, len(raw)):
        wrong = bytearray(raw)
        wrong[octet] ^= 1 << random.randrange(8)
        await bench.send(bytes(wrong), gap=random.choice([1, 12]))
    await bench.send(raw)
    await bench.check()
    assert bench.events.total == {"bad_fcs": 74, "good": 1}


@cocotb.test()
async def rx_error_in_every_place(dut):
    bench, random = await Bench().start(dut), rng("frames")
    raw = PREAMBLE + SFD + with_fcs(udp_frame(random, 62))
    for place in range(len(raw)):
        await bench.send(raw, error_at=place, gap=1)
    await bench.send(raw, gap=1)
    # Priority: an error on a runt, on a wrong FCS, and on a frame that never starts.
    await bench.send(raw[:30], error_at=20)
    await bench.send(raw[:-1] + b"x", error_at=20)
    await bench.send(PREAMBLE, error_at=3)
    await bench.check()
    assert bench.events.total == {"rx_error": len(raw) + 2, "good": 1, "no_preamble": 1}


@cocotb.test()
async def rx_error_between_frames_is_ignored(dut):
    bench, random = await Bench().start(dut), rng("frames")
    dut.gmii_rx_er.value = 1  # false carrier: rx_er without rx_dv
    await ClockCycles(dut.clk, 5)
    await bench.send(PREAMBLE + SFD + with_fcs(udp_frame(random)))
    await bench.check()
    assert bench.events.total == {"good": 1}


@cocotb.test()
async def no_sfd(dut):
    bench, random = await Bench().start(dut), rng("frames")
    for _ in range(5):
        frame = with_fcs(udp_frame(random)).replace(SFD, b"\0")
        await bench.send(PREAMBLE + frame, gap=1)
        await bench.send(b"\x55" * random.randrange(1, 40), gap=1)
        await bench.send(PREAMBLE + SFD + with_fcs(udp_frame(random)), gap=1)
    await bench.check()
    assert bench.events.total == {"no_preamble": 10, "good": 5}


@cocotb.test()
async def latency_and_rate(dut):
    bench, random = await Bench().start(dut), rng("frames")
    frame = udp_frame(random)
    starts = []
    for _ in range(3):
        await bench.source.wait()
        frame_sent = GmiiFrame(PREAMBLE + SFD + with_fcs(frame))
        started = cocotb.start_soon(_rise(dut))
        await bench.source.send(frame_sent)
        starts.append(await started)
    await ClockCycles(dut.clk, len(frame) + 40)
    octet_cycles = [at + len(PREAMBLE) + 1 for at in starts]
    assert [first for _, _, first, _ in bench.packets] == [at + LATENCY for at in octet_cycles]
    assert [last for _, _, _, last in bench.packets] == [at + LATENCY + len(frame) - 1 for at in octet_cycles]
    assert bench.events.log == [(last, "good") for _, _, _, last in bench.packets]


async def _rise(dut) -> int:
    """The cycle in which rx_dv rises."""
    while int(dut.gmii_rx_dv.value):
        await RisingEdge(dut.clk)
    await RisingEdge(dut.gmii_rx_dv)
    return cycle()


@cocotb.test()
async def reset_in_mid_frame(dut):
    bench, random = await Bench().start(dut), rng("frames")
    raw = PREAMBLE + SFD + bytes(20) + PREAMBLE + SFD + with_fcs(udp_frame(random))  # the rest looks like a frame
    for place in (3, 8, 14, 30, len(raw) - 1):
        for i, octet in enumerate(raw):
            dut.gmii_rxd.value, dut.gmii_rx_dv.value = octet, 1
            dut.rst.value = i == place
            await RisingEdge(dut.clk)
        dut.gmii_rx_dv.value = dut.rst.value = 0
        await ClockCycles(dut.clk, 4)
        await bench.send(PREAMBLE + SFD + with_fcs(udp_frame(random)))
    await bench.check()
    assert bench.events.total == {"good": 5}


@cocotb.test()
@cocotb.parametrize(enabled=[True, False])
async def soup(dut, enabled):
    bench, random = await Bench().start(dut, enabled), rng("soup")
    for _ in range(150):
        raw = bytearray(b"\x55" * random.randrange(9) + SFD + with_fcs(udp_frame(random, random.randrange(42, 120))))
        if random.random() < 0.3:
            raw[random.randrange(len(raw))] = random.randrange(256)
        if random.random() < 0.3:
            del raw[random.randrange(1, len(raw)) :]
        error_at = random.randrange(len(raw)) if random.random() < 0.2 else None
        await bench.send(bytes(raw), error_at, gap=random.choice([1, 2, 12]))
    await bench.check()
    assert bench.events.total["good"] > 20


@pytest.mark.parametrize("max_frame", [256, 1526])
def test_mac_gmii_rx(max_frame):
    run("mac_gmii_rx", MAX_FRAME=max_frame)


def test_four_state():
    run_four_state("mac_gmii_rx", "good_frames")
