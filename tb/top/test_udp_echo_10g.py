"""udp_echo_10g: the stack at 64 bits between XGMII MACs, controlled by its registers, at line rate."""

import random
from pathlib import Path

import cocotb
import numpy as np
import pytest
from cocotb.task import bridge
from cocotb.triggers import ClockCycles
from cocotbext.eth import XgmiiFrame, XgmiiSink, XgmiiSource
from scapy.compat import raw
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether

from tb import REPOSITORY
from tb.lib.axil import Bus
from tb.lib.bench import start
from tb.lib.echo import ping, play, traffic
from tb.lib.frames import LOCAL_IP, LOCAL_MAC, LOCAL_PORT, PEER_IP, PEER_MAC, arp_request, udp, verdict
from tb.lib.run import run
from wirestream.schema.counters import counter_names
from wirestream.schema.registers import Registers
from wirestream.sim.bulk import RANDOM, build
from wirestream.sim.simulate import seed

ARP_LATENCY = 126
ECHO_LATENCY = {18: 42, 100: 44, 1472: 216}  # by the size of the payload
IDLE = 0x0707070707070707
INPUTS = {"tick_ms": 0} | {
    f"s_axil_{name}": 0
    for name in ("awaddr", "awvalid", "wdata", "wstrb", "wvalid", "bready", "araddr", "arvalid", "rready")
}
NAMES = counter_names(REPOSITORY / "rtl/top/udp_echo_10g/ws_udp_echo_10g.v")


class Bench:
    """The design with an XGMII neighbour and a bus master."""

    def __init__(self, dut):
        self.dut = dut
        self.source = XgmiiSource(dut.xgmii_rxd, dut.xgmii_rxc, dut.clk, dut.rst)
        self.sink = XgmiiSink(dut.xgmii_txd, dut.xgmii_txc, dut.clk, dut.rst)
        self.registers = Registers(Bus(dut))

    async def exchange(self, frame: bytes) -> Ether:
        self.source.send_nowait(XgmiiFrame.from_payload(frame))
        frame = await self.sink.recv()
        assert frame.check_fcs()
        return Ether(bytes(frame.get_payload()))


async def bench(dut) -> Bench:
    dut.tick_ms.value = 0
    dut.xgmii_rxd.value, dut.xgmii_rxc.value = IDLE, 0xFF
    for channel in ("aw", "w", "ar"):
        getattr(dut, f"s_axil_{channel}valid").value = 0
    await start(dut)
    return Bench(dut)


@cocotb.test()
async def smoke(dut):
    """With the reset values it answers an ARP request and returns a datagram."""
    b = await bench(dut)
    answer = await b.exchange(arp_request())
    assert (answer[ARP].op, answer[ARP].hwsrc, answer[ARP].psrc, answer.dst) == (2, LOCAL_MAC, LOCAL_IP, PEER_MAC)
    echo = await b.exchange(udp(b"to and fro"))
    assert (echo[UDP].sport, echo[UDP].dport, raw(echo[UDP].payload)[:10]) == (LOCAL_PORT, 5000, b"to and fro")


@cocotb.test()
async def full_frame(dut):
    """A frame with two tags and 1,500 bytes of IP is returned."""
    b, payload = await bench(dut), bytes(n % 251 for n in range(1472))
    await b.exchange(arp_request())
    echo = await b.exchange(udp(payload, tags=(Dot1AD(vlan=7), Dot1Q(vlan=100))))
    assert raw(echo[UDP].payload) == payload


@cocotb.test()
async def registers_rule(dut):
    """Another address, port and a static ARP entry, written over the bus, take effect; the counters add up."""
    b = await bench(dut)

    def configure() -> None:
        b.registers.local_mac, b.registers.local_ip = "02:00:00:00:00:22", "10.1.2.3"
        b.registers.local_port[1] = 777
        b.registers.set_arp(PEER_IP, PEER_MAC)
        b.registers.netmask = "0.0.0.0"

    await bridge(configure)()
    frame = udp(b"new", ether={"dst": "02:00:00:00:00:22"}, ip={"dst": "10.1.2.3"}, udp={"dport": 777})
    echo = await b.exchange(frame)
    assert (echo.src, echo.dst, echo[IP].src, echo[UDP].sport) == ("02:00:00:00:00:22", PEER_MAC, "10.1.2.3", 777)
    b.source.send_nowait(XgmiiFrame.from_payload(udp(b"old address")))
    b.source.send_nowait(XgmiiFrame.from_payload(frame[:38] + bytes([frame[38] ^ 1]) + frame[39:]))
    await ClockCycles(dut.clk, 100)
    counters = await bridge(b.registers.counters)()
    nonzero = {name: count for name, count in counters.items() if count}
    expected = {"udp_rx_delivered": 1, "udp_rx_other_mac": 1, "udp_rx_bad_length": 1, "udp_tx_sent": 1}
    assert nonzero == expected | {"mac_rx_good": 3, "mac_tx_good": 1}


@cocotb.test()
async def ping_is_switched(dut):
    b = await bench(dut)
    await b.exchange(arp_request())

    def answer_pings(on: bool) -> None:
        b.registers.ping = on

    await bridge(answer_pings)(False)
    b.source.send_nowait(XgmiiFrame.from_payload(ping(b"nobody")))
    assert UDP in await b.exchange(udp(b"no ping before it"))
    await ClockCycles(dut.clk, 300)
    assert b.sink.empty()
    await bridge(answer_pings)(True)
    assert (await b.exchange(ping(b"somebody")))[ICMP].type == 0


def test_udp_echo_10g():
    run("udp_echo_10g")


@pytest.mark.parametrize("size", ECHO_LATENCY)
def test_latency(size: int, tmp_path: Path):
    """A lone datagram: from its frame's last octet to the first preamble octet of the echo, to the cycle."""
    result = build("udp_echo_10g").run([arp_request(), udp(bytes(size))], tmp_path, inputs=INPUTS, gap=8000)
    latency = [int(out["first"] - into["last"]) for into, out in zip(result.sent_log, result.log, strict=True)]
    assert latency == [ARP_LATENCY, ECHO_LATENCY[size]]


@pytest.mark.parametrize("order", ["rising", "mixed"])
def test_wire_rate(order: str, tmp_path: Path):
    """Frames of every size at line rate: each is returned, at most four frames late."""
    generator = random.Random(seed())
    payloads = [generator.randbytes(size - 42) for size in range(60, 1515) for _ in range(4)]
    if order == "mixed":
        generator.shuffle(payloads)
    bench, known = build("udp_echo_10g"), [arp_request()] * 30  # by the time of the last, the first is in the table
    sent = [*known, *(udp(payload, pad=False) for payload in payloads)]
    result = bench.run(sent, tmp_path, inputs=INPUTS)
    counters = dict(zip(NAMES, result.counters, strict=True))
    assert counters["udp_rx_delivered"] == counters["udp_tx_sent"] == len(payloads)
    echoes = [verdict(f, local_mac=PEER_MAC, local_ip=PEER_IP, local_ports=(5000,)) for f in result.packets]
    assert [f.payload for f in echoes if f.delivered] == payloads
    first, last = result.sent_log["first"][len(known)], result.log["last"][-1]
    assert int(last - first) <= sum(len(frame) + 24 for frame in sent[len(known) :]) / 8 + 4 * 1514 / 8
    assert np.all(result.log["flags"] == 0)


def check_traffic(count: int, folder: Path) -> None:
    sent = [arp_request()] * 30 + traffic(count, seed())
    counters = play(build("udp_echo_10g"), NAMES, (LOCAL_PORT,), sent, folder, inputs=INPUTS, gaps=RANDOM)
    assert counters["udp_tx_sent"]


def test_traffic(tmp_path: Path):
    """20,000 frames of every kind."""
    check_traffic(20_000, tmp_path)


@pytest.mark.soak
def test_soak(tmp_path: Path):
    """200,000 frames of every kind."""
    check_traffic(200_000, tmp_path)
