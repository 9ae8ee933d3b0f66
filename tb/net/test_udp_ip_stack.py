"""udp_ip_stack: both directions and the control protocols at once, at either width, with every event accounted for.

The verdict of each block on each frame is tested with the block. These tests check the combination: which block
answers, that no path stalls another, and that other hosts' traffic causes no output.
"""

from collections import Counter

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from scapy.compat import raw
from scapy.layers.igmp import IGMPv3_MR
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Raw

from tb.lib import frames
from tb.lib.axis import Meta, Monitor, Sink, Source
from tb.lib.bench import reset, rng, start
from tb.lib.frames import (
    BROADCAST_MAC,
    DELIVERED,
    GROUPS,
    LOCAL_IP,
    LOCAL_MAC,
    LOCAL_PORT,
    PEER_IP,
    PEER_MAC,
    PORTS,
    REASONS,
    Verdict,
    ip_int,
    mac_int,
    udp,
    verdict,
)
from tb.lib.run import run, run_four_state
from wirestream.schema.counters import STACK, counter_names

EVENTS = counter_names(STACK)
PARAMETERS = {"N_PORTS": len(PORTS), "N_GROUPS": len(GROUPS), "TIME_W": 32}
SETTINGS = {
    **{"local_mac": mac_int(LOCAL_MAC), "local_ip": ip_int(LOCAL_IP), "netmask": 0xFFFFFF00, "gateway": 0},
    **{"local_ports": sum(port << 16 * n for n, port in enumerate(PORTS)), "groups": 0, "promiscuous": 0, "ping": 1},
    **{"tick_ms": 0, "now": 0, "arp_set_valid": 0, "arp_set_clear": 0, "arp_set_ip": 0, "arp_set_mac": 0},
}
QUIET = 800  # cycles without a beat after which no output follows: a ping of 200 bytes is copied three times at 8 bits
NOBODY = "192.168.1.200"


def host(number: int) -> tuple[str, str]:
    return f"02:00:00:00:02:{number:02x}", f"192.168.1.{number}"


def arp(op: int, mac: str, ip: str, target: str = LOCAL_IP) -> bytes:
    packet = ARP(op=op, hwsrc=mac, psrc=ip, hwdst="00:00:00:00:00:00", pdst=target)
    return raw(Ether(src=mac, dst=BROADCAST_MAC) / packet).ljust(60, b"\0")


def ping(mac: str, ip: str, payload: bytes, to: str = LOCAL_IP) -> bytes:
    return raw(Ether(src=mac, dst=LOCAL_MAC) / IP(src=ip, dst=to) / ICMP(id=7, seq=1) / Raw(payload)).ljust(60, b"\0")


class Bench:
    """The stack between a MAC and a user, its events counted by name."""

    def __init__(self, dut, idle: float = 0.0, stall: float = 0.0):
        self.dut = dut
        self.groups = ("0.0.0.0",) * len(GROUPS)
        self.mac_source, self.mac_sink = Source(dut, "s_mac_axis", idle), Sink(dut, "m_mac_axis", stall)
        self.source, self.sink = Source(dut, "s_axis", idle), Sink(dut, "m_axis", stall)
        self.monitors = {p: Monitor(dut, p) for p in ("s_mac_axis", "m_mac_axis", "s_axis", "m_axis")}
        self.events: Counter[str] = Counter()
        cocotb.start_soon(self._count())

    async def _count(self) -> None:
        while True:
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            if self.dut.rst.value.is_resolvable and not int(self.dut.rst.value):
                value = int(self.dut.events.value)
                while value:
                    bit = value & -value
                    self.events[EVENTS[bit.bit_length() - 1]] += 1
                    value ^= bit

    def hear(self, *received: bytes, bad: bool = False) -> list[Verdict]:
        """Receive frames, with the verdict of udp_rx on each."""
        for frame in received:
            self.mac_source.put(frame, bad=bad)
        return [verdict(frame, bad=bad, local_ports=PORTS, groups=self.groups) for frame in received]

    def send(self, payload: bytes, ip: str, port: int = 9, src_port: int = LOCAL_PORT, bad: bool = False) -> None:
        self.source.put(payload, user=port << 1 | ip_int(ip) << 17 | src_port << 49, bad=bad)

    async def settle(self) -> None:
        await self.mac_source.wait()
        await self.source.wait()
        beats = quiet = 0
        while quiet < QUIET:
            await RisingEdge(self.dut.clk)
            moved = sum(m.beats for m in self.monitors.values()) - beats
            beats, quiet = beats + moved, 0 if moved else quiet + 1

    async def left(self) -> list[Ether]:
        """The frames sent since the last call."""
        await self.settle()
        packets = self.mac_sink.get_all()
        assert not any(p.bad for p in packets)
        return [Ether(p.data) for p in packets]

    def delivered(self) -> list[tuple[bytes, Meta]]:
        """The good datagrams received since the last call."""
        return [(p.data, p.meta) for p in self.sink.get_all() if not p.bad]

    async def tick(self, milliseconds: int) -> None:
        for _ in range(milliseconds):
            self.dut.tick_ms.value = 1
            await RisingEdge(self.dut.clk)
            self.dut.tick_ms.value = 0
            await ClockCycles(self.dut.clk, 3)

    async def know(self, *numbers: int) -> None:
        """Hosts request our address, and are thereby learned."""
        self.hear(*(arp(1, *host(n)) for n in numbers))
        answers = await self.left()
        assert [(a.dst, a[ARP].op, a[ARP].pdst) for a in answers] == [(host(n)[0], 2, host(n)[1]) for n in numbers]

    def add_up(self) -> None:
        """Every frame, message and datagram is one event of the last block that processed it."""
        e = self.events
        received = len(self.monitors["s_mac_axis"].packets)
        assert sum(e[f"udp_rx_{name}"] for name in (DELIVERED, *REASONS, "full")) == received
        for kind, ends in {
            "arp": ("bad", "malformed", "conflict", "request", "reply", "ignored"),
            "icmp": ("reply", "limited", "full", "refused", "other", "bad"),
            "igmp": ("query", "busy", "other", "bad"),
        }.items():
            bad = e[f"{kind}_bad"]
            ended = sum(e[f"{kind}_{name}"] for name in ends)
            assert e[f"control_rx_{kind}"] + (bad if kind != "arp" else 0) - ended in (0, bad), kind
        accepted = sum(e[f"udp_tx_{name}"] for name in ("sent", "bad", "oversize", "unresolved"))
        assert accepted == len(self.monitors["s_axis"].packets)
        control = sum(e[n] for n in ("arp_answered", "arp_asked", "arp_announced", "icmp_reply"))
        control += e["igmp_report"] + e["igmp_leave"]
        assert e["control_tx_sent"] == control
        assert e["control_tx_bad"] == e["control_tx_oversize"] == e["control_tx_full"] == 0
        assert len(self.monitors["m_mac_axis"].packets) == control + e["udp_tx_sent"]


async def bench(dut, idle: float = 0.3, stall: float = 0.3) -> Bench:
    for name, value in {**SETTINGS, "s_axis_tvalid": 0, "s_mac_axis_tvalid": 0}.items():
        getattr(dut, name).value = value
    await start(dut)
    return Bench(dut, idle, stall)


def check_sent(frame: Ether, payload: bytes, ip: str, mac: str, port: int = 9) -> None:
    """`frame` is the datagram, checked like the host with these addresses would."""
    found = verdict(raw(frame), local_mac=mac, local_ip=ip, local_ports=(port,))
    assert (found.reason, found.payload) == (DELIVERED, payload)
    assert (frame.src, found.src_ip, found.src_port) == (LOCAL_MAC, ip_int(LOCAL_IP), LOCAL_PORT)


@cocotb.test()
async def smoke(dut):
    """It answers an ARP request, receives a datagram, sends one, and answers a ping."""
    b = await bench(dut, 0, 0)
    await b.know(5)
    (found,) = b.hear(udp(b"hello"))
    b.send(b"good morning", host(5)[1])
    (frame,) = await b.left()
    check_sent(frame, b"good morning", *host(5)[::-1])
    ((payload, meta),) = b.delivered()
    assert payload == found.payload
    assert (meta.length, meta.src_ip, meta.dst_port) == (5, ip_int(PEER_IP), LOCAL_PORT)
    b.hear(ping(*host(5), b"are you there?"))
    (pong,) = await b.left()
    assert (pong.dst, pong[ICMP].type, raw(pong[ICMP].payload)[:14]) == (host(5)[0], 0, b"are you there?")
    b.add_up()


@cocotb.test()
async def everything_at_once(dut):
    """Datagrams both ways, good and bad, between ARP requests and pings: each is processed, in order."""
    b, generator = await bench(dut), rng("everything")
    hosts = range(20, 26)
    await b.know(*hosts)
    wanted, sent, pings = [], [], []
    for _ in range(60):
        payload = generator.randbytes(generator.choice((0, 1, 7, 8, 9, 40, 200)))
        match generator.randrange(6):
            case 0:
                frame = generator.choice(frames.bad_frames(payload.ljust(8, b"x"))[2:])
                wanted += b.hear(frame.data, bad=frame.bad)
            case 1:
                wanted += b.hear(frames.mutated(udp(payload), generator))
            case 2:
                number = generator.choice(hosts)
                pings.append((number, payload))
                wanted += b.hear(ping(*host(number), payload))
            case 3:
                wanted += b.hear(arp(1, *host(generator.choice(hosts))))
            case _:
                wanted += b.hear(generator.choice(frames.good_frames(payload)).data)
        if generator.random() < 0.6:
            number, bad = generator.choice(hosts), generator.random() < 0.1
            b.send(payload, host(number)[1], bad=bad)
            if not bad:
                sent.append((payload, number))
    left = await b.left()
    assert [payload for payload, _ in b.delivered()] == [v.payload for v in wanted if v.delivered]
    for frame, (payload, number) in zip((f for f in left if UDP in f), sent, strict=True):
        check_sent(frame, payload, *host(number)[::-1])
    pongs = [f for f in left if ICMP in f and f[IP].src == LOCAL_IP]
    for frame, (number, payload) in zip((f for f in pongs if f.dst != PEER_MAC), pings, strict=True):
        assert (frame.dst, frame[ICMP].type) == (host(number)[0], 0)
        assert raw(frame[ICMP].payload)[: len(payload)] == payload
    assert {f"udp_rx_{v.reason}" for v in wanted} <= set(b.events)
    assert b.events["udp_rx_surplus"] == sum(v.surplus > 0 for v in wanted)
    for reason in (DELIVERED, *REASONS):
        expected = sum(v.reason == reason for v in wanted) + (len(hosts) if reason == "arp" else 0)
        assert b.events[f"udp_rx_{reason}"] == expected, reason
    b.add_up()


@cocotb.test()
async def unknown_destination(dut):
    """Datagrams for an address that does not answer are dropped and counted, the others sent; it is requested."""
    b = await bench(dut)
    await b.know(5)
    for n in range(8):
        b.send(bytes([n]) * 30, NOBODY)
        b.send(bytes([n]) * 20, host(5)[1])
    left = await b.left()
    questions = [f for f in left if ARP in f]
    assert [(q.dst, q[ARP].op, q[ARP].pdst) for q in questions] == [(BROADCAST_MAC, 1, NOBODY)]
    for n, frame in enumerate(f for f in left if UDP in f):
        check_sent(frame, bytes([n]) * 20, *host(5)[::-1])
    assert b.events["udp_tx_unresolved"] == b.events["udp_tx_sent"] == 8
    b.hear(arp(2, "02:00:00:00:03:01", NOBODY))
    await b.left()
    b.send(b"found you", NOBODY)
    (frame,) = await b.left()
    check_sent(frame, b"found you", NOBODY, "02:00:00:00:03:01")
    b.add_up()


@cocotb.test()
async def static_entry(dut):
    """A static address is never requested; once cleared, it is."""
    b, noise = await bench(dut), rng("noise")
    for clear in (0, 1):
        dut.arp_set_ip.value, dut.arp_set_mac.value = ip_int(NOBODY), mac_int(PEER_MAC)
        dut.arp_set_clear.value, dut.arp_set_valid.value = clear, 1
        while True:
            await RisingEdge(dut.clk)
            if int(dut.arp_set_ready.value):
                break
        dut.arp_set_valid.value = 0
        for signal in (dut.arp_set_ip, dut.arp_set_mac, dut.arp_set_clear):
            signal.value = noise.getrandbits(len(signal))
        await ClockCycles(dut.clk, 40)
        b.send(b"to a fixed address", NOBODY)
        (frame,) = await b.left()
        if clear:
            assert frame[ARP].pdst == NOBODY
        else:
            check_sent(frame, b"to a fixed address", NOBODY, PEER_MAC)


@cocotb.test()
async def groups(dut):
    """A group is reported as soon as it is set; datagrams to it are delivered from then on, until it is left."""
    b = await bench(dut)
    group, mac = GROUPS[0], frames.group_mac(GROUPS[0])
    frame = udp(b"to all", ether={"dst": mac}, ip={"dst": group})
    for joined in (0, 1, 0):
        dut.groups.value = ip_int(group) * joined
        b.groups = (group,) if joined else ()
        left = await b.left()
        reports = [f[IGMPv3_MR].records for f in left if IGMPv3_MR in f]
        assert all((f.dst, f[IP].dst) == ("01:00:5e:00:00:16", "224.0.0.22") for f in left)
        assert all(r.maddr == group for records in reports for r in records)
        assert bool(reports) == (joined or b.events["igmp_report"] > 0)
        b.hear(frame)
        await b.settle()
        assert [payload for payload, _ in b.delivered()] == [b"to all"] * joined
        await b.tick(1100)  # the second report
        await b.left()
    assert b.events["igmp_report"] >= 2 and b.events["igmp_leave"] >= 1
    b.add_up()


@cocotb.test()
async def foreign_traffic(dut):
    """Other hosts' traffic is not delivered, answered or forwarded; if promiscuous, datagrams are only delivered."""
    b = await bench(dut)
    others = {"dst": "02:00:00:00:00:02"}
    elsewhere = "192.168.1.11"
    foreign = [
        udp(b"not for us", ether=others, ip={"dst": elsewhere}),
        udp(b"not for us either", ip={"dst": elsewhere}),
        udp(b"nor this", ether={"dst": "01:00:5e:01:02:03"}, ip={"dst": "239.1.2.3"}),
        arp(1, *host(5), elsewhere),
        arp(2, *host(5), elsewhere),
        ping(*host(5), b"not for us", to=elsewhere),
        b"\x02other" + ping(*host(5), b"another's")[6:],
    ]
    for promiscuous in (0, 1):
        dut.promiscuous.value = promiscuous
        b.hear(*foreign)
        assert await b.left() == []
        assert [payload for payload, _ in b.delivered()] == [
            payload for payload in (b"not for us", b"not for us either", b"nor this") if promiscuous
        ]


@cocotb.test()
async def ping_off(dut):
    """Switched off, echo requests are refused and counted, without output; everything else continues."""
    b = await bench(dut)
    for on in (0, 1):
        dut.ping.value = on
        b.hear(ping(*host(5), b"are you there?"), arp(1, *host(5)))
        left = await b.left()
        assert (sum(ICMP in f for f in left), sum(ARP in f for f in left)) == (on, 1)
        assert (b.events["icmp_refused"], b.events["icmp_reply"]) == (1, on)
    b.add_up()


@cocotb.test()
async def waiting_outputs(dut):
    """While either output stalls the other continues, and with STORE the MAC's frames are always accepted."""
    b = await bench(dut, 0, 0)
    await b.know(5)
    b.sink.pause = True
    store = int(dut.STORE.value)
    wanted = [v.payload for v in b.hear(*(udp(bytes([n]) * 50) for n in range(6 if store else 0)))]
    for n in range(6):
        b.send(bytes([n]) * 50, host(5)[1])
    assert len(await b.left()) == 6
    b.sink.pause = False
    await b.settle()
    assert [payload for payload, _ in b.delivered()] == wanted
    b.mac_sink.pause = True
    for n in range(6):
        b.send(bytes([n]) * 50, host(5)[1])
    wanted = [v.payload for v in b.hear(*(udp(bytes([n]) * 50) for n in range(6)))]
    b.hear(ping(*host(5), b"pinged"))
    await ClockCycles(dut.clk, 3000)
    assert [payload for payload, _ in b.delivered()] == wanted
    b.mac_sink.pause = False
    left = await b.left()
    assert sum(ICMP in f for f in left) == 1 and sum(UDP in f for f in left) == 6
    assert b.monitors["s_mac_axis"].refused == 0
    b.add_up()


@cocotb.test()
async def no_gap_inside_a_frame(dut):
    """A MAC that accepts a beat in every cycle gets one in every cycle of a frame, whichever sources alternate."""
    b = await bench(dut, 0.5, 0)
    lanes = len(dut.m_mac_axis_tkeep)
    await b.know(5)
    for n in range(12):
        b.hear(ping(*host(5), bytes(n * 20)), udp(bytes(n)))
        b.send(bytes(n * 25), host(5)[1])
    await b.settle()
    packets = b.mac_sink.get_all()
    spans = b.monitors["m_mac_axis"].packets[-len(packets) :]
    assert [s.last - s.first + 1 for s in spans] == [-(-len(p.data) // lanes) for p in packets]


@cocotb.test()
async def full_frames(dut):
    """The longest datagrams, in frames with two tags, pass back to back; a longer one is not sent."""
    b, most = await bench(dut, 0, 0), int(dut.MAX_FRAME.value)
    await b.know(5)
    payload = bytes(n % 251 for n in range(most - 54))
    frame = udp(payload, tags=(Dot1AD(vlan=7), Dot1Q(vlan=100)))
    assert len(frame) + 4 == most
    b.hear(*[frame] * 4)
    for size in (len(payload), len(payload) + 1, len(payload)):
        b.send(payload[:size].ljust(size, b"x"), host(5)[1])
    for sent in await b.left():
        check_sent(sent, payload, *host(5)[::-1])
    assert [payload for payload, _ in b.delivered()] == [payload] * 4
    assert (b.events["udp_tx_sent"], b.events["udp_tx_oversize"], b.events["udp_rx_full"]) == (2, 1, 0)
    b.add_up()


@cocotb.test()
async def reset_in_mid_traffic(dut):
    """Reset at any moment: the tables are empty again, no old data are output, and new traffic works."""
    b, generator = await bench(dut, 0, 0), rng("reset")
    for moment in range(0, 300, 37):
        b.hear(arp(1, *host(6)), udp(generator.randbytes(80)), ping(*host(6), generator.randbytes(60)))
        b.send(generator.randbytes(90), host(6)[1])
        await ClockCycles(dut.clk, 1 + moment)
        await reset(dut, 2)
        for source in (b.mac_source, b.source):
            source.clear()
        await ClockCycles(dut.clk, 4)
        for sink in (b.mac_sink, b.sink):
            sink.clear()
        await b.settle()
        b.mac_sink.clear()
        await b.know(7)
        b.send(b"anew", host(7)[1])
        wanted = b.hear(udp(b"and in"))
        (frame,) = await b.left()
        check_sent(frame, b"anew", *host(7)[::-1])
        assert [payload for payload, _ in b.delivered()] == [v.payload for v in wanted]


def configuration(**parameters) -> tuple[dict, dict]:
    return {**PARAMETERS, **parameters}, {}


@pytest.mark.parametrize(("data_w", "store", "max_frame"), [(8, 1, 9026), (64, 1, 9026), (64, 0, 1526)])
def test_udp_ip_stack(data_w, store, max_frame):
    run("udp_ip_stack", **configuration(DATA_W=data_w, STORE=store, MAX_FRAME=max_frame)[0])


def test_four_state():
    run_four_state("udp_ip_stack", "smoke", **configuration(DATA_W=64)[0])
