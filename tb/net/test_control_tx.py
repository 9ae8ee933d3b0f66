"""control_tx: whole frames out at the MAC's width without a gap, the others dropped and counted."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.layers.inet import ICMP, IP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

from tb.lib.axis import Monitor, Sink, Source, drained
from tb.lib.bench import reset, rng, start
from tb.lib.events import Events
from tb.lib.frames import BROADCAST_MAC, LOCAL_IP, LOCAL_MAC, PEER_IP, PEER_MAC
from tb.lib.run import run, run_four_state


def reply(size: int, generator) -> bytes:
    payload = Raw(generator.randbytes(size))
    return bytes(Ether(src=LOCAL_MAC, dst=PEER_MAC) / IP(src=LOCAL_IP, dst=PEER_IP) / ICMP(type=0) / payload)


def request() -> bytes:
    return bytes(Ether(src=LOCAL_MAC, dst=BROADCAST_MAC) / ARP(psrc=LOCAL_IP, pdst=PEER_IP, hwsrc=LOCAL_MAC))


class Bench:
    def __init__(self, dut, idle: float, stall: float):
        self.dut = dut
        self.lanes = len(dut.m_axis_tkeep)
        self.capacity = self.lanes << int(dut.ADDR_W.value)  # bytes
        self.source, self.sink = Source(dut, "s_axis", idle), Sink(dut, "m_axis", stall)
        self.input, self.output = Monitor(dut, "s_axis"), Monitor(dut, "m_axis")
        self.events = Events(dut)

    async def drained(self) -> None:
        await drained(self, 50)


async def setup(dut, idle: float = 0.0, stall: float = 0.0) -> Bench:
    dut.s_axis_tvalid.value = dut.m_axis_tready.value = 0
    await start(dut)
    return Bench(dut, idle, stall)


@cocotb.test()
async def frames_in_order(dut):
    bench, generator = await setup(dut, idle=0.2, stall=0.3), rng("frames")
    sent = []
    for size in range(40):
        frame, bad = (reply(size, generator) if size % 3 else request()), generator.random() < 0.2
        bench.source.put(frame, bad=bad)
        sent += [] if bad else [frame]
    await bench.drained()
    assert [(p.data, p.bad) for p in bench.sink.get_all()] == [(frame, False) for frame in sent]
    assert bench.events.take() == {"sent": len(sent), "bad": 40 - len(sent)}
    assert bench.input.unready == 0


@cocotb.test()
async def latency_and_no_pause(dut):
    """Five cycles from the last byte to the first word; then a word in every cycle, however slow the bytes."""
    bench, generator = await setup(dut), rng("frames")
    for size in range(20):
        bench.source.put(reply(size, generator))
    await bench.drained()
    spans = zip(bench.input.packets, bench.output.packets, strict=True)
    assert [out.first - taken.last for taken, out in spans] == [5] * 20
    for size, span in enumerate(bench.output.packets):
        assert span.last - span.first + 1 == -(-(42 + size) // bench.lanes)
    assert bench.input.packets[-1].last - bench.input.packets[0].first + 1 == bench.input.beats


@cocotb.test()
async def what_does_not_fit_is_dropped_whole(dut):
    """A frame too long for the FIFO, and frames after one that fills it."""
    bench, generator = await setup(dut), rng("frames")
    bench.sink.pause = True
    full = reply(bench.capacity - 42, generator)
    for frame in (full + bytes(1), full, request(), reply(0, generator)):
        bench.source.put(frame)
    await bench.drained()
    assert bench.events.take() == {"oversize": 1, "sent": 1, "full": 2}
    bench.sink.pause = False
    await bench.drained()
    bench.source.put(request())
    await bench.drained()
    assert [p.data for p in bench.sink.get_all()] == [full, request()]
    assert bench.events.take() == {"sent": 1}


@cocotb.test()
async def reset_in_mid_frame(dut):
    bench = await setup(dut)
    for pause in (9, 60):
        bench.source.put(bytes(100))
        await ClockCycles(dut.clk, pause)
        bench.source.clear()
        await reset(dut)
        bench.sink.clear()
        bench.events.take()
        bench.source.put(request())
        await bench.drained()
        assert [p.data for p in bench.sink.get_all()] == [request()]
        assert bench.events.take() == {"sent": 1}


@pytest.mark.parametrize(("data_w", "addr_w"), [(8, 9), (64, 6)])
def test_control_tx(data_w, addr_w):
    run("control_tx", DATA_W=data_w, ADDR_W=addr_w)


def test_four_state():
    run_four_state("control_tx", "frames_in_order", DATA_W=64)
