"""mii: nibbles at the PHY's clocks to the MACs' octets and back, whatever the clocks; frames keep their gaps."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge, Timer
from cocotbext.eth import GmiiFrame, MiiSink, MiiSource

from tb.lib.bench import rng
from tb.lib.run import run, run_four_state

PREAMBLE = b"\x55" * 7 + b"\xd5"
Octet = tuple[int, int, int]  # data, valid, error


class Bench:
    """Pins of a PHY with its two clocks, of `period` ns; `received` are the octets that reached the MAC."""

    async def start(self, dut, clk: float = 10, rx: float = 40, tx: float = 40):
        self.dut, self.received, self.noise = dut, [], rng("between frames")
        dut.mii_rx_dv.value = dut.mii_rx_er.value = dut.mii_rxd.value = 0
        dut.gmii_txd.value = dut.gmii_tx_en.value = dut.gmii_tx_er.value = 0
        dut.rst.value = 1
        await Timer(1)  # all values are set before the first edge
        for clock, period in ((dut.clk, clk), (dut.mii_rx_clk, rx), (dut.mii_tx_clk, tx)):
            cocotb.start_soon(Clock(clock, round(period * 1000), unit="ps", impl="gpi").start())
        await ClockCycles(dut.mii_rx_clk, 12)
        dut.rst.value = 0
        await ClockCycles(dut.mii_rx_clk, 20)
        self.source = MiiSource(dut.mii_rxd, dut.mii_rx_er, dut.mii_rx_dv, dut.mii_rx_clk)
        self.sink = MiiSink(dut.mii_txd, dut.mii_tx_er, dut.mii_tx_en, dut.mii_tx_clk)
        for model in (self.source, self.sink):
            model.log.setLevel("WARNING")
        await ClockCycles(dut.mii_rx_clk, 3)  # initial zeros of the source
        cocotb.start_soon(self._receive())
        return self

    async def _receive(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            if int(dut.gmii_rx_ce.value):
                self.received.append(tuple(int(p.value) for p in (dut.gmii_rxd, dut.gmii_rx_dv, dut.gmii_rx_er)))

    async def nibbles(self, *frames: list[int], error_at: int | None = None, gap: int = 24):
        """Frames as the nibbles of the pins, each followed by a gap."""
        for frame in frames:
            for place, nibble in enumerate(frame):
                await self._pins(nibble, 1, place == error_at)
            for _ in range(gap):
                await self._pins(self.noise.getrandbits(4), 0, 0)

    async def _pins(self, nibble: int, valid: int, error: int):
        dut = self.dut
        await RisingEdge(dut.mii_rx_clk)
        dut.mii_rxd.value, dut.mii_rx_dv.value, dut.mii_rx_er.value = nibble, valid, error

    async def octets(self, octets: list[Octet]):
        """Drive the MAC's octets, one for each gmii_tx_ce."""
        dut = self.dut
        for octet in octets:
            dut.gmii_txd.value, dut.gmii_tx_en.value, dut.gmii_tx_er.value = octet
            while True:
                await ReadOnly()
                taken = int(dut.gmii_tx_ce.value)
                await RisingEdge(dut.clk)
                if taken:
                    break

    def frames(self) -> list[tuple[bytes, int]]:
        """The received octets, from the start frame delimiter on, and the number of octets with an error."""
        found, frame = [], []
        for octet in [*self.received, (0, 0, 0)]:
            if octet[1]:
                frame.append(octet)
            elif frame:
                data = bytes(octet[0] for octet in frame)
                found.append((data[data.index(0xD5) + 1 :], sum(octet[2] for octet in frame)))
                frame = []
        return found


def nibbles(data: bytes) -> list[int]:
    return [part for octet in data for part in (octet & 15, octet >> 4)]


CLOCKS = {"fast": (8, 40, 40.004), "near": (39.9, 40, 39.99), "slow_link": (10, 400, 399.9)}


@cocotb.test()
@cocotb.parametrize(clocks=list(CLOCKS))
async def both_ways(dut, clocks):
    """Frames of every length pass whole, in both directions at once; those that are sent keep a gap of 12 octets."""
    bench, random = await Bench().start(dut, *CLOCKS[clocks]), rng("mii")
    sent = [random.randbytes(n) for n in (1, 2, 60, 61, 100)]
    gaps: list[int] = []
    watch = cocotb.start_soon(_gaps(dut, gaps))
    for frame in sent:
        await bench.source.send(GmiiFrame(PREAMBLE + frame))
    octets = [octet for frame in sent for octet in [(o, 1, 0) for o in PREAMBLE + frame] + [(0, 0, 0)] * 12]
    await bench.octets(octets)
    await bench.source.wait()
    await ClockCycles(dut.mii_tx_clk, 60)
    watch.cancel()
    assert bench.frames() == [(frame, 0) for frame in sent]
    assert [bytes(bench.sink.recv_nowait().get_payload(strip_fcs=False)) for _ in sent] == sent
    assert bench.sink.empty() and gaps == [24] * (len(sent) - 1)


async def _gaps(dut, found: list[int]):
    """The cycles of mii_tx_clk between frames."""
    gap = None
    while True:
        await RisingEdge(dut.mii_tx_clk)
        await ReadOnly()
        if not int(dut.mii_tx_en.value):
            gap = gap if gap is None else gap + 1
        else:
            if gap:
                found.append(gap)
            gap = 0


@cocotb.test()
async def a_preamble_of_any_length(dut):
    """The delimiter determines the pairing of nibbles, even after an odd number of them; an odd nibble at the end is
    dropped; a frame may follow after one cycle."""
    bench, random = await Bench().start(dut), rng("preamble")
    sent = []
    for length in range(1, 18):
        sent.append(bytes(b | 0x80 for b in random.randbytes(8 + length)))
        await bench.nibbles([5] * length + [0xD] + nibbles(sent[-1]) + [3] * (length % 3 == 0), gap=1 + length % 4)
    await ClockCycles(dut.clk, 100)
    assert bench.frames() == [(frame, 0) for frame in sent]


@cocotb.test()
async def errors(dut):
    """rx_er with one nibble marks its octet; tx_er is on both nibbles of its octet."""
    bench = await Bench().start(dut)
    data = PREAMBLE + bytes(range(20))
    for place in range(16, len(nibbles(data))):
        bench.received.clear()
        await bench.nibbles(nibbles(data), error_at=place)
        await ClockCycles(dut.clk, 100)
        marked = [octet for octet in bench.received if octet[1]]
        assert [octet[2] for octet in marked] == [int(n == place // 2) for n in range(len(data))]
    await bench.octets([(octet, 1, octet == 7) for octet in data] + [(0, 0, 0)] * 40)
    frame = bench.sink.recv_nowait()
    assert [octet for octet, error in zip(frame.data, frame.error, strict=True) if error] == [7]


@cocotb.test()
async def latency(dut):
    """3 or 4 edges of clk after the edge that pairs the nibbles, which follows the second nibble's."""
    bench = await Bench().start(dut, 10, 40, 40)
    seen = []
    for shift in range(1, 40):
        await ClockCycles(dut.clk, shift % 7)
        begun = cocotb.start_soon(bench.nibbles(nibbles(b"\xd5\x11"), gap=30))
        await RisingEdge(dut.mii_rx_dv)
        await ClockCycles(dut.mii_rx_clk, 3)  # samples the first nibble, the second, pairs them
        edges = 0
        while not (int(dut.gmii_rx_ce.value) and int(dut.gmii_rx_dv.value)):
            await RisingEdge(dut.clk)
            await ReadOnly()
            edges += 1
        seen.append(edges)
        await begun
    assert set(seen) <= {3, 4}, seen


@cocotb.test()
async def reset_in_mid_frame(dut):
    """Later frames pass whole, even if the PHY's clocks were stopped during the reset."""
    bench = await Bench().start(dut)
    for place in (3, 20, 41):
        frame = cocotb.start_soon(bench.nibbles(nibbles(PREAMBLE + bytes(30)), gap=2))
        await ClockCycles(dut.mii_rx_clk, place)
        dut.rst.value = 1
        await ClockCycles(dut.clk, 2)
        dut.rst.value = 0
        await frame
        await ClockCycles(dut.mii_rx_clk, 30)
        bench.received.clear()
        await bench.nibbles(nibbles(PREAMBLE + b"afterwards"))
        await ClockCycles(dut.clk, 40)
        assert bench.frames() == [(b"afterwards", 0)]


def test_mii():
    run("mii")


@pytest.mark.parametrize("testcase", ["a_preamble_of_any_length", "reset_in_mid_frame"])
def test_four_state(testcase):
    run_four_state("mii", testcase)
