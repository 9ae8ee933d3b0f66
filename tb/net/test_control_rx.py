"""control_rx: stores ARP, ICMP and IGMP for us, outputs them in a normal form, marks bad ones, counts every one.

`judge` is the reference: plain byte arithmetic over whole frames.
"""

from collections import Counter
from itertools import islice

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from scapy.layers.inet import ICMP, IP, UDP, IPOption_NOP, IPOption_Router_Alert
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Raw

from tb.lib.axis import Monitor, Sink, Source, drained
from tb.lib.bench import reset, rng, start
from tb.lib.events import Events
from tb.lib.frames import (
    BROADCAST_MAC,
    LOCAL_IP,
    LOCAL_MAC,
    PEER_IP,
    PEER_MAC,
    internet_sum,
    ip_int,
    mac_int,
    mutated,
)
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle

KINDS = ("arp", "icmp", "igmp")
OTHER_MAC, GROUP_MAC, GROUP_IP = "02:00:00:00:00:02", "01:00:5e:00:00:01", "224.0.0.1"
TAGS = ((), (Dot1Q(vlan=5),), (Dot1AD(vlan=7),), (Dot1AD(vlan=7), Dot1Q(vlan=8)), (Dot1Q(vlan=1), Dot1Q(vlan=2)))


def judge(frame: bytes, bad: bool = False) -> tuple[str, bytes | None] | None:
    """The expected output: the kind and the bytes (None: marked bad); None if there is none."""
    if bad or len(frame) < 41:
        return None
    if frame[:6] != mac_int(LOCAL_MAC).to_bytes(6, "big") and not frame[0] & 1:
        return None
    at = 12
    while at < 20 and frame[at : at + 2] in (b"\x81\x00", b"\x88\xa8"):
        at += 4
    head, rest = frame[:12] + frame[at : at + 2], frame[at + 2 :]
    match frame[at : at + 2]:
        case b"\x08\x06":
            return "arp", head + rest[:28] if len(rest) >= 28 else None
        case b"\x08\x00" if rest[9] in (1, 2):
            kind = KINDS[rest[9]]
        case _:
            return None
    size, total = 4 * (rest[0] & 15), int.from_bytes(rest[2:4], "big")
    good = rest[0] >> 4 == 4 and size >= 20 and size < total <= len(rest)
    good = good and internet_sum(rest[:size]) == 0xFFFF and not int.from_bytes(rest[6:8], "big") & 0x3FFF
    mine = rest[16:20] == ip_int(LOCAL_IP).to_bytes(4, "big")
    good = good and (mine or (kind == "igmp" and rest[16] >> 4 == 14))
    return kind, head + rest[:20] + rest[size:total] if good else None


def ether(*layers, dst: str = LOCAL_MAC, tags: tuple = (), pad: bool = True) -> bytes:
    packet = Ether(dst=dst, src=PEER_MAC)
    for layer in (*tags, *layers):
        packet /= layer
    return bytes(packet).ljust(60 if pad else 0, b"\0")


def arp(**fields) -> bytes:
    return ether(ARP(psrc=PEER_IP, pdst=LOCAL_IP, hwsrc=PEER_MAC), **({"dst": BROADCAST_MAC} | fields))


def icmp(payload: bytes = b"", ip: dict | None = None, **fields) -> bytes:
    return ether(IP(**{"src": PEER_IP, "dst": LOCAL_IP, **(ip or {})}), ICMP(), Raw(payload), **fields)


def igmp(payload: bytes = bytes(8), ip: dict | None = None, **fields) -> bytes:
    header = {"src": PEER_IP, "dst": GROUP_IP, "proto": 2, "ttl": 1, "options": [IPOption_Router_Alert()], **(ip or {})}
    return ether(IP(**header), Raw(payload), **({"dst": GROUP_MAC} | fields))


def good_frames(generator) -> list[bytes]:
    """All frames that must be output as good: each kind, address, number of tags and of options, padded and not."""
    frames = []
    for tags in TAGS:
        for pad in (True, False):
            common = {"tags": tags, "pad": pad}
            frames += [arp(**common), arp(dst=LOCAL_MAC, **common), arp(dst=GROUP_MAC, **common)]
            frames += [igmp(**common), igmp(generator.randbytes(16), **common)]
            frames += [igmp(ip={"dst": LOCAL_IP}, dst=LOCAL_MAC, **common)]
            for options in (0, 1, 2, 10):
                ip = {"options": [IPOption_NOP()] * 4 * options, "id": generator.getrandbits(16)}
                frames.append(icmp(generator.randbytes(generator.randrange(40)), ip, **common))
            frames.append(icmp(ip={"flags": "DF"}, dst=BROADCAST_MAC, **common))
    return frames


def bad_frames() -> list[bytes]:
    """Frames that are stored and marked bad, each for one reason."""
    options = [IPOption_NOP()] * 8
    good = icmp(bytes(range(20)))
    frames = [icmp(ip={"version": 5}), icmp(ip={"ihl": 4}), icmp(ip={"ihl": 0}), icmp(ip={"ihl": 15, "len": 40})]
    frames += [icmp(ip={"chksum": 1}), icmp(ip={"chksum": 1, "options": options}), icmp(ip={"chksum": 0})]
    frames += [icmp(ip={"flags": "MF"}), icmp(ip={"frag": 1}), icmp(ip={"frag": 4096}), icmp(ip={"frag": 256})]
    frames += [icmp(ip={"dst": d}) for d in ("192.168.1.11", "192.168.0.10", "193.168.1.10", "192.40.1.10", GROUP_IP)]
    frames += [icmp(ip={"dst": "255.255.255.255"}, dst=BROADCAST_MAC), igmp(ip={"dst": "240.0.0.1"})]
    frames += [igmp(ip={"dst": "192.168.1.11"}, dst=LOCAL_MAC), igmp(ip={"dst": "208.0.0.1"})]
    frames += [icmp(b"x", ip={"len": n}) for n in (0, 1, 4, 5, 6, 19, 20, 100, 65535)]
    frames += [igmp(b"", pad=True), icmp(ip={"len": 28, "options": options})]
    frames += [arp(pad=False)[:41], arp(pad=False, tags=TAGS[3])[:41], good[:-1], igmp(pad=False)[:-1]]
    frames += [icmp(bytes(9), {"options": options}, pad=False)[:n] for n in range(41, 59)]
    return frames


def other_frames() -> list[bytes]:
    """Frames without any output."""
    ip = IP(src=PEER_IP, dst=LOCAL_IP)
    frames = [ether(ip, UDP(), Raw(bytes(n)), tags=t) for n in (0, 30, 300) for t in TAGS]
    frames += [ether(IPv6(), UDP()), ether(IP(proto=6)), ether(IP(proto=3)), ether(IP(proto=0x81)), ether(Raw(b"\x55"))]
    frames += [arp(dst=OTHER_MAC), icmp(dst=OTHER_MAC), igmp(dst=OTHER_MAC), arp()[:40], icmp(pad=False)[:30]]
    frames += [arp(dst=f"02:00:00:00:00:0{n:x}") for n in (0, 3, 5)] + [arp(dst="42:00:00:00:00:01")]
    frames += [arp(dst=LOCAL_MAC[:3] + "01" + LOCAL_MAC[5:]), icmp(tags=(Dot1Q(), Dot1Q(), Dot1Q()))]
    return frames


class Bench:
    def __init__(self, dut, idle: float, stall: float):
        self.dut = dut
        dut.local_mac.value, dut.local_ip.value = mac_int(LOCAL_MAC), ip_int(LOCAL_IP)
        self.lanes = len(dut.s_axis_tkeep)
        self.capacity = self.lanes << int(dut.ADDR_W.value)  # bytes
        self.source, self.sink = Source(dut, "s_axis", idle), Sink(dut, "m_axis", stall)
        self.output, self.events = Monitor(dut, "m_axis"), Events(dut)
        self.expected: list[tuple[str, bytes | None]] = []
        self.ends: list[int] = []  # cycles of the last beats in
        cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        while True:
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            if int(self.dut.s_axis_tvalid.value) and int(self.dut.s_axis_tlast.value):
                self.ends.append(cycle())

    def send(self, frame: bytes, bad: bool = False) -> None:
        found = judge(frame, bad)
        self.expected += [found] if found else []
        self.source.put(frame, bad=bad)

    async def drained(self) -> None:
        await drained(self, 200)

    async def check(self) -> Counter:
        """The output is the expected one, in order, except for frames counted as evt_full; returns the events."""
        await self.drained()
        events, dropped = Counter(self.events.take()), 0
        expected = iter(self.expected)
        for packet in self.sink.get_all():
            got = (KINDS[packet.users[0] >> 1], None if packet.bad else packet.data)
            wanted = next(expected)
            while wanted != got:
                dropped += 1
                wanted = next(expected, None)
                assert wanted and dropped <= events["full"], f"unexpected output {got}"
        dropped += len(list(expected))
        assert dropped == events["full"]
        assert events.total() == len(self.expected)
        if not dropped:
            assert events == Counter("bad_ip" if data is None else kind for kind, data in self.expected)
        self.expected.clear()
        return events


async def setup(dut, idle: float = 0.2, stall: float = 0.1) -> Bench:
    dut.s_axis_tvalid.value = dut.m_axis_tready.value = 0
    await start(dut)
    return Bench(dut, idle, stall)


async def at_leisure(bench: Bench, frames: list[bytes]) -> None:
    """A few frames at a time, so that the FIFO holds them."""
    remaining = iter(frames)
    while some := list(islice(remaining, 4)):
        for frame in some:
            bench.send(frame)
        assert not (await bench.check())["full"]


@cocotb.test()
async def smoke(dut):
    bench = await setup(dut)
    await at_leisure(bench, [arp(), icmp(b"ping", tags=TAGS[3]), other_frames()[0], igmp()])


@cocotb.test()
async def every_good_form(dut):
    bench, frames = await setup(dut), good_frames(rng("good"))
    assert all(judge(frame) and judge(frame)[1] for frame in frames)
    await at_leisure(bench, frames)


@cocotb.test()
async def bad_and_other_frames(dut):
    bench, bad, others = await setup(dut), bad_frames(), other_frames()
    assert all(judge(frame) and judge(frame)[1] is None for frame in bad)
    assert not any(judge(frame) for frame in others)
    await at_leisure(bench, [frame for b, o in zip(bad, others * 2, strict=False) for frame in (b, o, arp())])
    for frame in (arp(), icmp()):
        bench.send(frame, bad=True)
    assert not await bench.check()


@cocotb.test()
async def mixture_at_full_rate(dut):
    """Frames of every kind, whole, cut and corrupted, without a gap; those that do not fit are dropped and counted."""
    bench, generator = await setup(dut, idle=0, stall=0.6), rng("mixture")
    frames = good_frames(generator) + bad_frames() + other_frames()
    for _ in range(300):
        frame = generator.choice(frames)
        for _ in range(generator.choice((0, 0, 1, 2))):
            frame = mutated(frame, generator) if len(frame) > 1 else frame
        bench.send(frame, bad=generator.random() < 0.05)
    events = await bench.check()
    assert all(events[name] for name in (*KINDS, "bad_ip", "full")), events


@cocotb.test()
async def cut_at_every_byte(dut):
    bench = await setup(dut, idle=0, stall=0)
    for frame in (arp(tags=TAGS[3]), icmp(bytes(5), {"options": [IPOption_NOP()] * 4}, tags=TAGS[1], pad=False)):
        await at_leisure(bench, [frame[:n] for n in range(1, len(frame) + 1)])


@cocotb.test()
async def latency_and_rate(dut):
    """Six cycles from the last beat in to the first byte out; a byte in every cycle unless bytes are removed."""
    bench = await setup(dut, idle=0, stall=0)
    for n in range(10):
        bench.ends.clear()
        bench.output.packets.clear()
        bench.send(icmp(bytes(n), pad=False))
        await bench.check()
        (span,) = bench.output.packets
        assert span.first - bench.ends[0] == 6
        assert span.last - span.first + 1 == 42 + n
    if bench.lanes == 1:  # at this width it keeps up with any number of frames
        for _ in range(60):
            bench.send(arp())
        assert (await bench.check()) == {"arp": 60}


@cocotb.test()
async def room(dut):
    """A frame of the FIFO's size passes, a longer one never; frames of other kinds occupy no space."""
    bench = await setup(dut, idle=0, stall=0)
    full = icmp(bytes(bench.capacity - 42))
    bench.send(full)
    await bench.check()
    bench.source.put(icmp(bytes(bench.capacity - 41)))
    await bench.drained()
    assert bench.events.take() == {"oversize": 1}
    bench.sink.pause = True
    for _ in range(2):
        bench.source.put(other_frames()[-20])
        bench.send(full)
    await bench.drained()
    bench.sink.pause = False
    assert (await bench.check()) == {"icmp": 1, "full": 1}


@cocotb.test()
async def reset_in_mid_frame(dut):
    bench = await setup(dut, idle=0, stall=0)
    frame = icmp(bytes(8), {"options": [IPOption_NOP()] * 4}, tags=TAGS[1])
    for beat in range(1, 90, 3):
        bench.source.put(frame)
        await ClockCycles(dut.clk, beat)
        bench.source.clear()
        await reset(dut, 2)
        bench.sink.clear()
        bench.events.take()
        bench.send(arp())
        bench.send(frame)
        await bench.check()


@pytest.mark.parametrize(("data_w", "addr_w"), [(8, 9), (64, 6)])
def test_control_rx(data_w, addr_w):
    run("control_rx", DATA_W=data_w, ADDR_W=addr_w)


def test_four_state():
    run_four_state("control_rx", "smoke", DATA_W=64)
