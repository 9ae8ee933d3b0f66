"""mac_xgmii_rx: good frames are output whole from either lane, every bad one is marked and counted once."""

import logging
import random

import cocotb
import numpy as np
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from cocotbext.eth import XgmiiFrame, XgmiiSource

from tb.lib.bench import rng, start
from tb.lib.events import Events
from tb.lib.frames import fcs, udp_frame, with_fcs
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle
from wirestream.sim.bulk import FAULT, PacketFlag, build
from wirestream.sim.simulate import seed

LATENCY = 7  # cycles from the word that completes a beat to the beat
IDLE, SEQUENCE, START, TERMINATE, ERROR = 0x107, 0x19C, 0x1FB, 0x1FD, 0x1FE  # 0x100: on a control lane
SFD = 0xD5
PREAMBLE = [START, *[0x55] * 6, SFD]
LOCAL_FAULT = [SEQUENCE, 0, 0, 1]
BAD_FCS, WRONG = PacketFlag.BAD_FCS, PacketFlag.ERROR


def whole(frame: bytes) -> list[int]:
    """The characters of a good frame, start to terminate."""
    return [*PREAMBLE, *with_fcs(frame), TERMINATE]


def reference(wire: list[int], max_frame: int) -> list[tuple[str, bytes | None]]:
    """The event and the output (None: no output) of every start on `wire`, whose first character is in lane 0."""
    results, at = [], 0
    while at < len(wire):
        if wire[at] != START or at % 4:
            at += 1
            continue
        preamble = wire[at + 1 : at + 8]
        if len(preamble) < 7 or max(preamble) > 0xFF or preamble[6] != SFD:
            results.append(("no_preamble", None))
            at += 1
            continue
        at += 8
        end = next(i for i in range(at, len(wire)) if wire[i] > 0xFF)
        frame = bytes(wire[at:end])
        if len(frame) > max_frame:
            event = "oversize"
        elif wire[end] != TERMINATE:
            event = "rx_error"
        elif len(frame) < 64:
            event = "runt"
        else:
            event = "good" if fcs(frame[:-4]) == frame[-4:] else "bad_fcs"
        results.append((event, frame[:max_frame][:-4] or None))
        at = end
    return results


class Bench:
    """The core and its wire; `packets` are the outputs as (data, bad, cycle of the first beat, of the last)."""

    async def start(self, dut):
        logging.getLogger("cocotb.ws_mac_xgmii_rx").setLevel(logging.WARNING)
        self.dut, self.max_frame, self.random = dut, int(dut.MAX_FRAME.value), rng("wire")
        self.wire, self.sent = [], 0  # all characters to be sent, and how many have been sent
        self.packets, self.no_events = [], 0
        self.events = Events(dut)
        self.drive([IDLE] * 8)
        cocotb.start_soon(self._receive())
        await start(dut)
        return self

    def drive(self, word: list[int]) -> None:
        self.dut.xgmii_rxd.value = sum((c & 0xFF) << 8 * i for i, c in enumerate(word))
        self.dut.xgmii_rxc.value = sum((c >> 8) << i for i, c in enumerate(word))

    async def _receive(self):
        dut, data, first = self.dut, bytearray(), None
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            if not dut.rst.value.is_resolvable or int(dut.rst.value):
                data, first = bytearray(), None
            elif int(dut.m_axis_tvalid.value):
                first = cycle() if first is None else first
                keep, last = int(dut.m_axis_tkeep.value), int(dut.m_axis_tlast.value)
                assert keep == 0xFF or (last and keep & (keep + 1) == 0 < keep)
                data += int(dut.m_axis_tdata.value).to_bytes(8, "little")[: keep.bit_count()]
                assert last or not int(dut.m_axis_tuser.value)
                if last:
                    self.packets.append((bytes(data), int(dut.m_axis_tuser.value), first, cycle()))
                    data, first = bytearray(), None

    def put(self, characters: list[int], lane: int | None = None, gap: int = 5) -> None:
        """Append `characters` to the line, after at least `gap` idle ones (terminate included), so that the first is
        in `lane`, or in lane 0 or 4, whichever is next."""
        self.wire += [IDLE] * (gap - 1)
        while len(self.wire) % (4 if lane is None else 8) != (lane or 0):
            self.wire.append(IDLE)
        self.wire += characters

    async def send(self) -> None:
        """Send the characters, followed by idle."""
        self.wire += [IDLE] * (16 - len(self.wire) % 8)
        while self.sent < len(self.wire):
            self.drive(self.wire[self.sent : self.sent + 8])
            self.sent += 8
            await RisingEdge(self.dut.clk)

    async def check(self, **totals: int) -> None:
        await self.send()
        await ClockCycles(self.dut.clk, 12)
        expected = reference(self.wire, self.max_frame)
        assert [name for _, name in self.events.log] == [event for event, _ in expected]
        assert [(d, b) for d, b, *_ in self.packets] == [(d, event != "good") for event, d in expected if d is not None]
        ends = [at for at, name in self.events.log]
        assert {last for *_, last in self.packets} <= set(ends), "an event does not coincide with its tlast"
        if totals:
            assert self.events.total == totals


@cocotb.test()
async def good_frames(dut):
    """From an independent source model, which has its own deficit idle count."""
    bench, random = await Bench().start(dut), rng("frames")
    source = XgmiiSource(dut.xgmii_rxd, dut.xgmii_rxc, dut.clk)
    source.log.setLevel(logging.WARNING)
    frames = [udp_frame(random) for _ in range(60)]
    lanes = set()
    for frame in frames:
        source.force_offset_start = random.random() < 0.3
        sent = XgmiiFrame.from_payload(frame, tx_complete=lambda f: lanes.add(f.start_lane))
        await source.send(sent)
        await source.wait() if random.random() < 0.2 else None
    await source.wait()
    await ClockCycles(dut.clk, 20)
    assert [(data, bad) for data, bad, *_ in bench.packets] == [(frame, 0) for frame in frames]
    assert bench.events.total == {"good": 60} and lanes == {0, 4}


@cocotb.test()
async def every_end_in_both_lanes_at_the_least_gap(dut):
    bench, random = await Bench().start(dut), rng("frames")
    for gap in (5, 6, 9, 12):
        for length in range(64, 73):
            for lane in (0, 4):
                bench.put(whole(udp_frame(random, length - 4)), lane, gap)
                bench.put(whole(udp_frame(random, length - 4)), gap=gap)
    await bench.check(good=4 * 9 * 4)


@cocotb.test()
async def smallest_and_largest(dut):
    bench, random = await Bench().start(dut), rng("frames")
    longest = bench.max_frame
    for lane in (0, 4):
        for length in (64, 65, *range(longest - 9, longest + 10), 64, longest + 500, 64):
            bench.put(whole(udp_frame(random, length - 4)), lane)
    await bench.check(good=2 * 14, oversize=2 * 10)


@cocotb.test()
async def runts_of_every_length(dut):
    bench, random = await Bench().start(dut), rng("frames")
    for length in range(64):
        for lane in (0, 4):
            body = random.randbytes(length)
            bench.put([*PREAMBLE, *(body[:-4] + fcs(body[:-4]) if length >= 4 else body), TERMINATE], lane)
            bench.put(whole(udp_frame(random, 60)))
    await bench.check(runt=128, good=128)


@cocotb.test()
async def truncated_at_every_character(dut):
    """Frames that end with a terminate, and with idle, an error, a sequence or a start instead."""
    bench, random = await Bench().start(dut), rng("frames")
    characters = whole(udp_frame(random, 76))
    for end in ([TERMINATE], [], [ERROR, TERMINATE], LOCAL_FAULT):
        for length in range(2, len(characters) - 1):
            for lane in (0, 4):
                bench.put(characters[:length] + end, lane, gap=random.choice([9, 12]))
    await bench.check()
    assert bench.events.total == {"no_preamble": 4 * 6 * 2, "runt": 128, "bad_fcs": 32, "rx_error": 3 * 80 * 2}


@cocotb.test()
async def wrong_fcs(dut):
    bench, random = await Bench().start(dut), rng("frames")
    for lane in (0, 4):
        characters = whole(udp_frame(random, 66 + lane))
        for place in range(8, len(characters) - 1):
            wrong = list(characters)
            wrong[place] ^= 1 << random.randrange(8)
            bench.put(wrong, lane)
        bench.put(characters)
    await bench.check(bad_fcs=70 + 74, good=2)


@cocotb.test()
async def error_in_every_place(dut):
    bench, random = await Bench().start(dut), rng("frames")
    for lane in (0, 4):
        characters = whole(udp_frame(random, 62 + lane))
        for place in range(1, len(characters)):
            for wrong in (ERROR, IDLE, 0x100, SEQUENCE):
                bench.put([*characters[:place], wrong, *characters[place + 1 :]], lane)
        bench.put(characters)
    await bench.check(no_preamble=2 * 7 * 4, rx_error=4 * (67 + 71), good=2)


@cocotb.test()
async def no_preamble(dut):
    """Any six octets, then the SFD: nothing else begins a frame."""
    bench, random = await Bench().start(dut), rng("frames")
    for lane in (0, 4):
        for _ in range(20):
            characters = whole(udp_frame(random))
            bench.put([START, *random.randbytes(6), *characters[7:]], lane)
            bench.put([START, *characters[1:7], random.randrange(SFD), *characters[8:]], lane)
            bench.put([START, TERMINATE], lane, gap=9)
            bench.put([START, *[0x55] * random.randrange(40)], lane, gap=9)
            bench.put([START, *characters[2:]], lane, gap=9)  # an octet of preamble is missing
    await bench.check(good=40, no_preamble=160)


@cocotb.test()
async def nothing_between_frames_counts(dut):
    bench, random = await Bench().start(dut), rng("frames")
    for number in range(80):
        noise = [LOCAL_FAULT * 3, [ERROR] * 9, [TERMINATE] * 3, [0x55] * 20, [IDLE, IDLE, START, *[0x55] * 20]]
        bench.put(random.choice(noise), lane=4 * (number % 2), gap=5)
        bench.put(whole(udp_frame(random)))
    await bench.check(good=80)


@cocotb.test()
async def start_inside_a_frame(dut):
    """The frame in progress is aborted, and the one that starts is good. If it starts in the other lane, up to four
    octets before the start are lost with the aborted one's last."""
    bench, random = await Bench().start(dut), rng("frames")
    places = [(lane, length) for lane in (0, 4) for length in range(0, 84, 4)]
    for lane, length in places:
        bench.put(PREAMBLE + list(udp_frame(random, 80 + 8)[:length]), lane)
        bench.wire += whole(udp_frame(random))
    await bench.send()
    await ClockCycles(dut.clk, 12)
    expected = reference(bench.wire, bench.max_frame)
    assert [name for _, name in bench.events.log] == [event for event, _ in expected] == ["rx_error", "good"] * 42
    packets = iter(bench.packets)
    for event, data in expected:
        if data is None:
            continue
        got, bad, *_ = next(packets)
        assert bad == (event != "good")
        assert got == data or (bad and got == data[:-4])


@cocotb.test()
async def latency_and_rate(dut):
    bench, random = await Bench().start(dut), rng("frames")
    for lane in (0, 4):
        for length in range(60, 69):
            frame = udp_frame(random, length)
            bench.put(whole(frame), lane)
            begun = len(bench.packets)
            await bench.send()  # returns in the cycle after the last word, whose padding is known
            after, padding = cycle(), next(i for i in range(60) if bench.wire[-1 - i] == TERMINATE)
            await ClockCycles(dut.clk, 12)
            ((data, bad, first, last),) = bench.packets[begun:]
            assert (data, bad) == (frame, 0)
            words = len(bench.wire) // 8
            first_octet = len(bench.wire) - padding - 1 - 4 - length
            completes = after - words + (first_octet + 7) // 8
            assert first == completes + LATENCY
            assert last == first + (length + 7) // 8 - 1
            assert bench.events.log[-1] == (last, "good")


@cocotb.test()
async def reset_in_mid_frame(dut):
    bench, random = await Bench().start(dut), rng("frames")
    for lane in (0, 4):
        for place in range(14 + LATENCY):  # terminate is in word 14
            characters = [IDLE] * lane + whole(udp_frame(random, 100)) + [IDLE] * 80
            for at in range(0, 8 * (len(characters) // 8), 8):
                bench.drive(characters[at : at + 8])
                dut.rst.value = at == 8 * place
                await RisingEdge(dut.clk)
            dut.rst.value = 0
            await ClockCycles(dut.clk, 10)
            assert not bench.events.take()
            before = len(bench.packets)
            bench.wire, bench.sent = [], 0
            frame = udp_frame(random)
            bench.put(whole(frame))
            await bench.send()
            await ClockCycles(dut.clk, 10)
            assert [(data, bad) for data, bad, *_ in bench.packets[before:]] == [(frame, 0)]
            assert bench.events.take() == {"good": 1}


@cocotb.test()
async def soup(dut):
    bench, random = await Bench().start(dut), rng("soup")
    for _ in range(400):
        characters = whole(udp_frame(random, random.randrange(42, 120)))
        if random.random() < 0.3:
            characters[random.randrange(1, len(characters))] = random.randrange(256)
        if random.random() < 0.3:
            characters = characters[: random.randrange(1, len(characters))] + random.choice([[TERMINATE], []])
        if len(characters) > 1 and random.random() < 0.2:
            characters[random.randrange(1, len(characters))] = random.choice([ERROR, IDLE, TERMINATE, SEQUENCE])
        bench.put(characters, gap=random.choice([9, 12, 40]))
    await bench.check()
    assert bench.events.total["good"] > 80


@pytest.mark.parametrize("max_frame", [253, 1526])
def test_mac_xgmii_rx(max_frame):
    run("mac_xgmii_rx", MAX_FRAME=max_frame)


@pytest.mark.parametrize("gap", [12, 8])  # on average; the deficit makes it as short as 9 or 5
def test_line_rate(tmp_path, gap):
    """Every frame size in random order, at full line rate, some with a wrong FCS or errors."""
    generator = random.Random(seed())
    frames = [generator.randbytes(n) for n in [*range(60, 1515), *[60] * 500]]
    generator.shuffle(frames)
    faults = [(generator.choice([*[0] * 8, BAD_FCS, WRONG]), generator.randrange(60)) for _ in frames]
    result = build("mac_xgmii_rx").run(frames, tmp_path, faults=np.array(faults, FAULT), gap=gap)
    cut = [frame[: at - 4] if flag == WRONG else frame for frame, (flag, at) in zip(frames, faults, strict=True)]
    there = [flag != WRONG or at > 4 for flag, at in faults]
    assert result.packets == [frame for frame, out in zip(cut, there, strict=True) if out]
    assert [user & 1 for user in result.tuser] == [
        flag > 0 for (flag, _), out in zip(faults, there, strict=True) if out
    ]
    flags = [flag for flag, _ in faults]
    counts = {"good": flags.count(0), "bad_fcs": flags.count(BAD_FCS), "rx_error": flags.count(WRONG)}
    assert result.events == {**counts, "no_preamble": 0, "oversize": 0, "runt": 0}
    late = result.log["first"] - result.sent_log["first"][there]
    assert set(late) <= {LATENCY + 1, LATENCY + 2}, "of the start's word; a start in lane 4 adds a cycle"
    octets = sum(len(frame) + 12 + gap for frame in frames)
    assert octets - 32 < 8 * int(result.sent_log["last"][-1] - result.sent_log["first"][0]) < octets


def test_four_state():
    run_four_state("mac_xgmii_rx", "good_frames")
