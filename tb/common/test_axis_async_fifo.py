"""axis_async_fifo: packets cross whole and in order; one truncated by a reset cannot be mistaken for a good one."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly, RisingEdge, Timer, gather

from tb.lib.bench import pauses, rng
from tb.lib.run import run, run_four_state

PERIODS_PS = [(8000, 8002), (8000, 6400), (2500, 8000)]


class Sender:
    """Sends beats (data, keep, last, user) of packets; `heed`: whether it waits for tready, which a MAC does not."""

    def __init__(self, dut, idle, heed=True):
        self.dut, self.idle, self.heed, self.queue, self.busy = dut, pauses(idle, rng("idle")), heed, [], False
        cocotb.start_soon(self._run(rng("scramble")))

    def put(self, data, user):
        size = len(self.dut.s_axis_tkeep)
        words = [data[at : at + size] for at in range(0, len(data), size)]
        for number, word in enumerate(words):
            last = number == len(words) - 1
            self.queue.append((int.from_bytes(word, "little"), (1 << len(word)) - 1, last, user))

    def clear(self):
        self.queue.clear()
        self.busy = False
        self.dut.s_axis_tvalid.value = 0

    async def _run(self, generator):
        dut = self.dut
        signals = (dut.s_axis_tdata, dut.s_axis_tkeep, dut.s_axis_tlast, dut.s_axis_tuser)
        while True:
            await FallingEdge(dut.s_clk)
            self.busy = bool(self.queue) and not next(self.idle) and not int(dut.s_rst.value)
            dut.s_axis_tvalid.value = self.busy
            for index, signal in enumerate(signals):
                signal.value = self.queue[0][index] if self.busy else generator.getrandbits(len(signal))
            await RisingEdge(dut.s_clk)
            if self.busy and (int(dut.s_axis_tready.value) or not self.heed):
                self.queue.pop(0)


class Receiver:
    """Packets (data, bad, user); asserts that a waiting beat is stable and metadata is constant."""

    def __init__(self, dut, stall):
        self.dut, self.stall, self.packets = dut, pauses(stall, rng("stall")), []
        cocotb.start_soon(self._run())

    async def _run(self):
        dut = self.dut
        outputs = (dut.m_axis_tdata, dut.m_axis_tkeep, dut.m_axis_tlast, dut.m_axis_tuser)
        waiting, data, users = None, bytearray(), set()
        while True:
            await FallingEdge(dut.m_clk)
            dut.m_axis_tready.value = not next(self.stall)
            await ReadOnly()
            reset = int(dut.m_rst.value)
            valid, ready = int(dut.m_axis_tvalid.value), int(dut.m_axis_tready.value)
            beat = [int(output.value) for output in outputs] if valid else None
            assert waiting is None or beat == waiting, "a waiting beat changed"
            waiting = beat if valid and not ready and not reset else None
            if reset:
                data, users = bytearray(), set()
            elif valid and ready:
                word, keep, last, user = beat
                data += word.to_bytes(len(dut.m_axis_tkeep), "little")[: keep.bit_count()]
                users.add(user >> 1)
                assert len(users) == 1, "metadata changed inside a packet"
                if last:
                    self.packets.append((bytes(data), user & 1, user >> 1))
                    data, users = bytearray(), set()


async def hold(reset, clock, cycles):
    await FallingEdge(clock)
    reset.value = 1
    await ClockCycles(clock, cycles)
    await FallingEdge(clock)
    reset.value = 0


async def setup(dut, periods, idle=0.2, stall=0.2, heed=True):
    dut.s_axis_tvalid.value = dut.m_axis_tready.value = 0
    dut.s_rst.value = dut.m_rst.value = 1
    for clock, period in zip((dut.s_clk, dut.m_clk), periods, strict=True):
        cocotb.start_soon(Clock(clock, period, unit="ps", impl="gpi").start())
        await Timer(rng(f"phase {period}").randrange(1, 4000), unit="ps")
    await gather(hold(dut.s_rst, dut.s_clk, 4), hold(dut.m_rst, dut.m_clk, 7))
    await settle(dut)
    return Sender(dut, idle, heed), Receiver(dut, stall)


async def settle(dut):
    for clock in (dut.s_clk, dut.m_clk):
        await ClockCycles(clock, 40)


def packet(dut, generator):
    """A packet whose first bytes are unlike any other's, and its tuser."""
    return generator.randbytes(generator.randrange(12, 60)), generator.getrandbits(len(dut.s_axis_tuser)) & ~1


@cocotb.test()
@cocotb.parametrize(periods=PERIODS_PS)
async def packets_cross(dut, periods):
    source, sink = await setup(dut, periods)
    packets = [packet(dut, rng(f"packet {n}")) for n in range(60)]
    for data, user in packets:
        source.put(data, user)
    while source.queue:
        await ClockCycles(dut.s_clk, 10)
    await settle(dut)
    await settle(dut)
    assert sink.packets == [(data, 0, user >> 1) for data, user in packets]


@cocotb.test()
@cocotb.parametrize(periods=PERIODS_PS, heed=[True, False])
async def resets_at_any_time(dut, periods, heed):
    """Good packets are among those sent, in order; all sent after the end of a reset arrive."""
    if not heed and periods[0] < periods[1]:
        return  # a MAC that cannot wait needs a read side that is not slower
    source, sink = await setup(dut, periods, stall=0.2 if heed else 0.0, heed=heed)
    generator, cut, lost = rng("resets"), 0, 0
    for resets in range(400):
        if resets >= 40 and cut and lost > cut:
            break
        packets = [packet(dut, generator) for _ in range(6)]
        for data, user in packets:
            source.put(data, user)
        await Timer(generator.randrange(100_000, 800_000), unit="ps")
        both = [(dut.s_rst, dut.s_clk), (dut.m_rst, dut.m_clk)]
        for_whom = generator.choice([both[:1], both[1:], both])
        if dut.s_rst is for_whom[0][0]:
            await FallingEdge(dut.s_clk)
            source.clear()  # the source is reset too and begins a new packet
        await gather(*(hold(reset, clock, generator.choice([1, 2, 9])) for reset, clock in for_whom))
        while source.queue:
            await ClockCycles(dut.s_clk, 10)
        await settle(dut)
        await settle(dut)
        good = [(data, user) for data, bad, user in sink.packets if not bad]
        expected = [(data, user >> 1) for data, user in packets]
        assert all(p in expected for p in good), "part of a packet was delivered as a good one"
        assert [expected.index(p) for p in good] == sorted({expected.index(p) for p in good})
        for data, bad, user in sink.packets:
            assert not bad or any(e.startswith(data[:-1]) and user == u for e, u in expected)
        cut += sum(bad for _, bad, _ in sink.packets)
        lost += len(expected) - len(good)
        sink.packets.clear()
        data, user = packet(dut, generator)
        source.put(data, user)
        while source.queue:
            await ClockCycles(dut.s_clk, 10)
        await settle(dut)
        await settle(dut)
        assert sink.packets == [(data, 0, user >> 1)]
        sink.packets.clear()
    assert cut and lost > cut


@pytest.mark.parametrize(("data_w", "user_w"), [(8, 1), (64, 17)])
def test_axis_async_fifo(data_w, user_w):
    run("axis_async_fifo", DATA_W=data_w, USER_W=user_w)


def test_four_state():
    run_four_state("axis_async_fifo", "packets_cross/periods=1", DATA_W=64, USER_W=9)
