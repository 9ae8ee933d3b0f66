"""gmii_endpoint: from the pins to the payloads and back, each event at its index; the parts have tests of their own."""

import logging
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly, RisingEdge
from cocotbext.eth import GmiiFrame, GmiiSink, GmiiSource
from scapy.compat import raw
from scapy.layers.inet import ICMP
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether

from tb import REPOSITORY
from tb.lib import frames
from tb.lib.axis import Monitor, Sink, Source
from tb.lib.bench import reset, rng, start
from tb.lib.echo import ping
from tb.lib.frames import DELIVERED, LOCAL_IP, LOCAL_MAC, LOCAL_PORT, PEER_IP, PEER_MAC, arp_request, udp, verdict
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle
from wirestream.schema.counters import counter_names

EVENTS = counter_names(REPOSITORY / "rtl/net/ws_gmii_endpoint.v")
RX_LATENCY = 13  # cycles from the last octet of a frame to its payload's first
TX_LATENCY = {0: 6, 19: 8}  # from a payload's last octet to the frame's first preamble octet, by HEADERS
QUIET = 400  # cycles without activity after which no output follows
SETTINGS = {
    **{"local_mac": frames.mac_int(LOCAL_MAC), "local_ip": frames.ip_int(LOCAL_IP), "netmask": 0xFFFFFF00},
    **{"gateway": 0, "local_ports": LOCAL_PORT, "groups": 0, "promiscuous": 0, "ping": 1, "tick_ms": 0, "now": 0},
    **{"arp_set_valid": 0, "arp_set_clear": 0, "arp_set_ip": 0, "arp_set_mac": 0},
}
TO_PEER = 5000 << 1 | frames.ip_int(PEER_IP) << 17 | LOCAL_PORT << 49  # s_axis_tuser


class Bench:
    """The endpoint between a GMII neighbour and an application, its events counted by name."""

    def __init__(self, dut, stall: float = 0.0):
        self.dut = dut
        self.gmii = GmiiSource(dut.gmii_rxd, dut.gmii_rx_er, dut.gmii_rx_dv, dut.clk, dut.rst)
        self.wire = GmiiSink(dut.gmii_txd, dut.gmii_tx_er, dut.gmii_tx_en, dut.clk, dut.rst)
        self.source, self.sink = Source(dut, "s_axis"), Sink(dut, "m_axis", stall)
        self.monitors = [Monitor(dut, "s_axis"), Monitor(dut, "m_axis")]
        self.events: Counter[str] = Counter()
        self.rx_end, self.tx_start = [], []  # cycles of the last octets of frames in, of the first of frames out
        self.moved = 0  # the last cycle with any activity
        cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        dut, in_rx, in_tx = self.dut, 0, 0
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            if not dut.rst.value.is_resolvable or int(dut.rst.value):
                continue
            rx, tx, value = int(dut.gmii_rx_dv.value), int(dut.gmii_tx_en.value), int(dut.events.value)
            if in_rx and not rx:
                self.rx_end.append(cycle() - 1)
            if tx and not in_tx:
                self.tx_start.append(cycle())
            in_rx, in_tx = rx, tx
            taken = int(dut.m_axis_tvalid.value) and int(dut.m_axis_tready.value)
            if rx or tx or value or taken or int(dut.s_axis_tvalid.value):
                self.moved = cycle()
            self.events += Counter(name for n, name in enumerate(EVENTS) if value >> n & 1)

    def hear(self, frame: bytes, *, bad_fcs: bool = False, error_at: int | None = None) -> None:
        """Receive a frame, with a wrong FCS or with rx_er at one of its octets."""
        sent = GmiiFrame.from_payload(frame)
        if bad_fcs:
            sent.data[-1] ^= 1
        if error_at is not None:
            sent.error = [int(n == error_at) for n in range(len(sent.data))]
        self.gmii.send_nowait(sent)

    async def settle(self) -> None:
        await ClockCycles(self.dut.clk, QUIET)
        while cycle() - self.moved < QUIET:
            await ClockCycles(self.dut.clk, 10)

    async def left(self) -> list[Ether]:
        """The frames sent since the last call, their FCS checked."""
        await self.settle()
        found = [self.wire.recv_nowait() for _ in range(self.wire.count())]
        assert all(frame.check_fcs() and not any(frame.error or ()) for frame in found)
        return [Ether(bytes(frame.get_payload())) for frame in found]

    async def meet(self) -> None:
        """The peer requests our address, and is thereby learned."""
        self.hear(arp_request())
        (answer,) = await self.left()
        assert (answer.dst, answer[ARP].op, answer[ARP].hwsrc, answer[ARP].pdst) == (PEER_MAC, 2, LOCAL_MAC, PEER_IP)

    def check_sent(self, frame: Ether, payload: bytes) -> None:
        found = verdict(raw(frame), local_mac=PEER_MAC, local_ip=PEER_IP, local_ports=(5000,))
        assert (found.reason, found.payload, found.src_port) == (DELIVERED, payload, LOCAL_PORT)


async def bench(dut, stall: float = 0.0) -> Bench:
    for name, value in {**SETTINGS, "s_axis_tvalid": 0, "gmii_rx_dv": 0, "gmii_rx_er": 0, "gmii_rxd": 0}.items():
        getattr(dut, name).value = value
    await start(dut)  # first, because the GMII sink samples the pins as soon as it exists
    return Bench(dut, stall)


@cocotb.test()
async def smoke(dut):
    """It answers an ARP request, receives a datagram, sends one, and answers a ping."""
    b = await bench(dut)
    await b.meet()
    dut.now.value = 1
    b.hear(udp(b"hello"))
    b.source.put(b"good morning", user=TO_PEER)
    (frame,) = await b.left()
    b.check_sent(frame, b"good morning")
    (packet,) = b.sink.get_all()
    assert (packet.data, packet.bad, packet.meta.length) == (b"hello", False, 5)
    assert (packet.meta.src_ip, packet.meta.dst_port, packet.meta.time) == (frames.ip_int(PEER_IP), LOCAL_PORT, 1)
    b.hear(ping(b"are you there?"))
    (pong,) = await b.left()
    assert (pong.dst, pong[ICMP].type, raw(pong[ICMP].payload)[:14]) == (PEER_MAC, 0, b"are you there?")
    assert b.events == {
        **{"mac_rx_good": 3, "udp_rx_arp": 1, "control_rx_arp": 1, "arp_request": 1, "arp_answered": 1},
        **{"udp_rx_delivered": 1, "udp_rx_icmp": 1, "control_rx_icmp": 1, "icmp_reply": 1},
        **{"control_tx_sent": 2, "udp_tx_sent": 1, "mac_tx_good": 3},
    }


@cocotb.test()
async def both_ways_at_once(dut):
    """Good, bad and foreign frames in, datagrams out, a sink that stalls: nothing lost, each counted by its reason."""
    b, generator = await bench(dut, stall=0.3), rng("both")
    await b.meet()
    b.events.clear()
    expected, received, sent = Counter(), [], []
    for _ in range(40):
        payload = generator.randbytes(generator.choice((0, 1, 18, 60, 200)))
        kind = generator.choice(("good", "good", "bad_fcs", "error", "other_port", "send", "send", "bad_send"))
        match kind:
            case "send" | "bad_send":
                b.source.put(payload, user=TO_PEER, bad=kind == "bad_send")
                sent += [payload] * (kind == "send")
                expected += Counter(["udp_tx_bad"] if kind == "bad_send" else ["udp_tx_sent", "mac_tx_good"])
            case "good":
                b.hear(udp(payload))
                received.append(payload)
                expected += Counter(["mac_rx_good", "udp_rx_delivered"])
            case "bad_fcs":
                b.hear(udp(payload), bad_fcs=True)
                expected += Counter(["mac_rx_bad_fcs", "udp_rx_bad_frame"])
            case "error":
                b.hear(udp(payload), error_at=generator.randrange(8, 60))
                expected += Counter(["mac_rx_error", "udp_rx_bad_frame"])
            case "other_port":
                b.hear(udp(payload, udp={"dport": LOCAL_PORT + 1}))
                expected += Counter(["mac_rx_good", "udp_rx_other_port"])
    out = await b.left()
    assert len(out) == len(sent)
    for frame, payload in zip(out, sent, strict=True):
        b.check_sent(frame, payload)
    assert [(p.data, p.bad) for p in b.sink.get_all()] == [(payload, False) for payload in received]
    assert b.events == expected


@cocotb.test()
async def a_sink_that_stops(dut):
    """Datagrams that do not fit are dropped whole and counted; the others are output when the sink resumes."""
    b = await bench(dut)
    b.sink.pause = True
    size = int(dut.MAX_FRAME.value) * 2 // 3
    for n in range(6):
        b.hear(udp(bytes([n]) * size))
    await b.settle()
    b.sink.pause = False
    await b.settle()
    kept = [p.data for p in b.sink.get_all()]
    assert kept == [bytes([n]) * size for n in range(len(kept))] and 0 < len(kept) < 6
    assert b.events == {"mac_rx_good": 6, "udp_rx_delivered": len(kept), "udp_rx_full": 6 - len(kept)}


@cocotb.test()
async def full_frames(dut):
    """A frame of MAX_FRAME octets, with two tags and the FCS, passes both ways; one octet more is rejected."""
    b, most = await bench(dut), int(dut.MAX_FRAME.value)
    await b.meet()
    b.events.clear()
    tags, room = (Dot1AD(vlan=7), Dot1Q(vlan=100)), most - 54  # of the payload
    fitting, longer = (udp(bytes(n % 251 for n in range(size)), tags=tags) for size in (room, room + 1))
    assert len(fitting) + 4 == most
    for frame in (fitting, longer, fitting):
        b.hear(frame)
    for size in (room, room + 1, room):
        b.source.put(bytes(size), user=TO_PEER)
    for frame in await b.left():
        b.check_sent(frame, bytes(room))
    assert [(p.data, p.bad) for p in b.sink.get_all()] == [(verdict(fitting).payload, False)] * 2
    assert b.events == {
        **{"mac_rx_good": 2, "udp_rx_delivered": 2, "mac_rx_oversize": 1, "udp_rx_bad_frame": 1},
        **{"udp_tx_sent": 2, "mac_tx_good": 2, "udp_tx_oversize": 1},
    }


@cocotb.test()
async def latency(dut):
    """To the cycle; a datagram after a frame of another protocol is sent one later."""
    b = await bench(dut)
    await b.meet()
    for number, size in enumerate((18, 100, 10)):
        b.hear(udp(bytes(size)))
        await b.settle()
        assert b.monitors[1].packets[-1].first - b.rx_end[-1] == RX_LATENCY
        b.source.put(bytes(size), user=TO_PEER)
        await b.left()
        took = b.tx_start[-1] - b.monitors[0].packets[-1].last
        assert took == TX_LATENCY[int(dut.HEADERS.value)] + (number == 0)


@cocotb.test()
async def reset_in_mid_frame(dut):
    """Frames in progress in both directions are discarded, and the next ones are complete."""
    b, generator = await bench(dut), rng("reset")
    for model in ("gmii_rxd", "s_axis"):  # which print what they drop in a reset, octet by octet
        logging.getLogger(f"cocotb.{dut._name}.{model}").setLevel(logging.ERROR)
    for _ in range(4):
        await b.meet()
        b.hear(udp(bytes(300)))
        b.source.put(bytes(300), user=TO_PEER)
        await ClockCycles(dut.clk, generator.randrange(40, 320))
        await FallingEdge(dut.clk)
        await reset(dut)
        await b.settle()
        b.gmii.clear()
        b.wire.clear()
        b.sink.clear()
        b.source.clear()
    await b.meet()
    b.hear(udp(b"whole"))
    b.source.put(b"as well", user=TO_PEER)
    (frame,) = await b.left()
    b.check_sent(frame, b"as well")
    assert [p.data for p in b.sink.get_all()] == [b"whole"]


PARAMETERS = {"N_PORTS": 1, "N_GROUPS": 1, "TIME_W": 1}


@pytest.mark.parametrize(("headers", "max_frame"), [(0, 1526), (19, 9026)])
def test_gmii_endpoint(headers, max_frame):
    run("gmii_endpoint", HEADERS=headers, MAX_FRAME=max_frame, **PARAMETERS)


def test_four_state():
    run_four_state("gmii_endpoint", "smoke", HEADERS=0, **PARAMETERS)
