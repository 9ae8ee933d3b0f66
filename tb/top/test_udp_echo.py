"""udp_echo: the whole stack on GMII, in conversation with Scapy: every datagram is returned, every counter adds up."""

import os
import time
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.eth import GmiiFrame, GmiiSink, GmiiSource
from scapy.compat import raw
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import ARP, Ether

from tb import REPOSITORY
from tb.lib import frames
from tb.lib.bench import rng, start
from tb.lib.echo import ping, play, traffic
from tb.lib.frames import LOCAL_IP, LOCAL_MAC, LOCAL_PORT, PEER_IP, PEER_MAC, arp_request, udp
from tb.lib.run import run, run_four_state
from tb.lib.tap import Tap, require_tap
from wirestream.schema.counters import counter_names
from wirestream.sim.bulk import RANDOM, build
from wirestream.sim.simulate import seed

ARP_LATENCY, ECHO_LATENCY = 116, 21  # cycles; an echo takes one more a byte

SETTINGS = {
    "local_mac": frames.mac_int(LOCAL_MAC),
    "local_ip": frames.ip_int(LOCAL_IP),
    "netmask": frames.ip_int("255.255.255.0"),
    "gateway": 0,
    "local_ports": LOCAL_PORT | 7 << 16,
    "groups": 0,
}
INPUTS = SETTINGS | {"tick_ms": 0}
NAMES = counter_names(REPOSITORY / "rtl/top/udp_echo/ws_udp_echo.v")


# ---- a conversation, in cocotb --------------------------------------------------------------------------------------


class Bench:
    """The design with a GMII neighbour."""

    def __init__(self, dut):
        self.dut = dut
        self.source = GmiiSource(dut.gmii_rxd, dut.gmii_rx_er, dut.gmii_rx_dv, dut.clk, dut.rst)
        self.sink = GmiiSink(dut.gmii_txd, dut.gmii_tx_er, dut.gmii_tx_en, dut.clk, dut.rst)

    def send(self, frame: bytes) -> None:
        self.source.send_nowait(GmiiFrame.from_payload(frame))

    async def receive(self) -> Ether:
        """The next frame sent, its FCS checked."""
        frame = await self.sink.recv()
        assert frame.check_fcs()
        return Ether(bytes(frame.get_payload()))

    async def tick(self, milliseconds: int = 1) -> None:
        for _ in range(milliseconds):
            self.dut.tick_ms.value = 1
            await RisingEdge(self.dut.clk)
            self.dut.tick_ms.value = 0
            await ClockCycles(self.dut.clk, 20)


async def bench(dut) -> Bench:
    for name, value in SETTINGS.items():
        getattr(dut, name).value = value
    dut.tick_ms.value = dut.gmii_rx_dv.value = dut.gmii_rx_er.value = 0
    await start(dut)  # first, because the GMII sink samples the pins as soon as it exists
    return Bench(dut)


@cocotb.test()
async def smoke(dut):
    """It answers an ARP request, then returns a datagram."""
    b = await bench(dut)
    b.send(arp_request())
    answer = await b.receive()
    assert (answer[ARP].op, answer[ARP].hwsrc, answer[ARP].psrc) == (2, LOCAL_MAC, LOCAL_IP)
    assert (answer.dst, answer[ARP].pdst) == (PEER_MAC, PEER_IP)
    b.send(udp(b"to and fro"))
    echo = await b.receive()
    assert (echo.src, echo.dst, echo[IP].src, echo[IP].dst) == (LOCAL_MAC, PEER_MAC, LOCAL_IP, PEER_IP)
    assert (echo[UDP].sport, echo[UDP].dport, raw(echo[UDP].payload)[:10]) == (LOCAL_PORT, 5000, b"to and fro")


@cocotb.test()
async def announces_and_asks(dut):
    """It announces itself; a datagram from an unknown address is dropped and resolved; the next is returned."""
    b = await bench(dut)
    await b.tick()
    announcement = await b.receive()
    assert (announcement[ARP].psrc, announcement[ARP].pdst) == (LOCAL_IP, LOCAL_IP)
    b.send(udp(b"lost"))
    question = await b.receive()
    assert (question.dst, question[ARP].op, question[ARP].pdst) == (frames.BROADCAST_MAC, 1, PEER_IP)
    reply = ARP(op=2, hwsrc=PEER_MAC, psrc=PEER_IP, hwdst=LOCAL_MAC, pdst=LOCAL_IP)
    b.send(raw(Ether(src=PEER_MAC, dst=LOCAL_MAC) / reply).ljust(60, b"\0"))
    b.send(udp(b"found"))
    echo = await b.receive()
    assert raw(echo[UDP].payload)[:5] == b"found"


@cocotb.test()
async def answers_ping(dut):
    """Ping replies of every size, between datagrams."""
    b, generator = await bench(dut), rng("ping")
    b.send(arp_request())
    await b.receive()
    for number, size in enumerate((0, 1, 17, 18, 19, 56, 255, 1000)):
        payload = generator.randbytes(size)
        b.send(ping(payload, number))
        b.send(udp(payload))
        answers = [await b.receive(), await b.receive()]
        reply = next(a for a in answers if ICMP in a)
        echo = next(a for a in answers if UDP in a)
        assert (reply[ICMP].type, reply[ICMP].id, reply[ICMP].seq, reply[IP].dst) == (0, 77, number, PEER_IP)
        assert raw(reply[ICMP].payload)[:size] == payload
        sent = raw(reply[IP])[20 : reply[IP].len]
        assert frames.internet_sum(sent) == 0xFFFF
        assert raw(echo[UDP])[8 : echo[UDP].len] == payload


def test_udp_echo():
    run("udp_echo")


def test_four_state():
    run_four_state("udp_echo", "smoke")


# ---- the Linux kernel as a peer -------------------------------------------------------------------------------------

# Runs in the kernel's network namespace; ARP is left to the kernel.
PEER = f"""
import os, socket, struct
checksum = lambda b: (lambda s: ~((s & 65535) + (s >> 16)) & 65535)(sum(struct.unpack(f'>{{len(b) // 2}}H', b)))

pinger = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
pinger.settimeout(20)
for number, size in enumerate((0, 56, 1472)):
    payload = os.urandom(size)
    request = struct.pack('>BBHHH', 8, 0, 0, 4711, number) + payload
    request = request[:2] + struct.pack('>H', checksum(request)) + request[4:]
    pinger.sendto(request, ('{LOCAL_IP}', 0))
    reply = pinger.recv(2048)[20:]
    assert reply[0] == 0 and checksum(reply) == 0 and reply[4:] == request[4:], 'wrong reply to a ping'

caller = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
caller.bind(('{PEER_IP}', 0))
caller.settimeout(20)
for size in (0, 1, 18, 600, 1472):
    payload = os.urandom(size)
    caller.sendto(payload, ('{LOCAL_IP}', {LOCAL_PORT}))
    assert caller.recvfrom(2048) == (payload, ('{LOCAL_IP}', {LOCAL_PORT})), f'{{size}} bytes did not come back'
neighbours = open('/proc/net/arp').read()
assert '{LOCAL_MAC}' in neighbours, neighbours
"""


@cocotb.test(skip=not os.environ.get("LINUX_PEER"))
async def linux_peer(dut):
    """The kernel resolves the address, pings, and exchanges datagrams with a plain socket. Milliseconds are real."""
    with Tap(f"{PEER_IP}/24") as tap:
        b = await bench(dut)
        peer, began, ticks = tap.python(PEER), time.monotonic(), 0
        while peer.poll() is None:
            while (frame := tap.read()) is not None:
                b.send(frame.ljust(60, b"\0"))
            while not b.sink.empty():
                tap.write(bytes(b.sink.recv_nowait().get_payload()))
            if ticks < 1000 * (time.monotonic() - began):
                ticks += 1
                await b.tick()
            await ClockCycles(dut.clk, 100)
        assert peer.returncode == 0, peer.stdout.read()


def test_linux_peer():
    require_tap()
    run("udp_echo", testcase="linux_peer", env={"LINUX_PEER": "1"})


# ---- every frame and every counter, in the bulk bench ---------------------------------------------------------------


@pytest.mark.parametrize("size", [18, 100, 1472])
def test_latency(size: int, tmp_path: Path):
    """A lone datagram: from its frame's last octet to the first preamble octet of the echo, to the cycle."""
    sent = [arp_request(), udp(bytes(size))]
    result = build("udp_echo").run(sent, tmp_path, inputs=INPUTS, gap=1000)
    latency = [int(out["first"] - into["last"]) for into, out in zip(result.sent_log, result.log, strict=True)]
    assert latency == [ARP_LATENCY, ECHO_LATENCY + size]


def check_traffic(count: int, folder: Path) -> None:
    sent = traffic(count, seed())
    counters = play(build("udp_echo"), NAMES, (LOCAL_PORT, 7), sent, folder, inputs=INPUTS, gaps=RANDOM)
    assert counters["control_rx_full"] == 0


def test_traffic(tmp_path: Path):
    """20,000 frames of every kind."""
    check_traffic(20_000, tmp_path)


@pytest.mark.soak
def test_soak(tmp_path: Path):
    """200,000 frames of every kind."""
    check_traffic(200_000, tmp_path)
