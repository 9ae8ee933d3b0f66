"""udp_tx: a correct frame for every payload, in order, at line rate; payloads that cannot be sent are counted."""

import random
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import cocotb
import numpy as np
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamFrame
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from tb.lib.axis import Monitor, Sink, Source
from tb.lib.bench import reset, rng, start
from tb.lib.frames import (
    LOCAL_IP,
    LOCAL_MAC,
    LOCAL_PORT,
    PEER_IP,
    PEER_MAC,
    PEER_PORT,
    internet_sum,
    ip_int,
    mac_int,
    udp,
    verdict,
)
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle
from wirestream.sim.bulk import NONE, RANDOM, BulkResult, build
from wirestream.sim.simulate import seed

MAX_PAYLOAD, JUMBO = 1472, 8972
EVENTS = ("sent", "bad", "oversize", "unresolved")
HEADERS, WIRE_OVERHEAD = 42, 24  # octets: Ethernet, IPv4 and UDP; preamble, FCS and gap
UNKNOWN_IP = "10.9.9.9"
SLOWEST = 8  # longest delay of an answer, in cycles, that sustains line rate


@dataclass(frozen=True)
class Path4:
    """Source and destination of a datagram."""

    local_mac: str = LOCAL_MAC
    local_ip: str = LOCAL_IP
    src_port: int = LOCAL_PORT
    dst_mac: str = PEER_MAC
    dst_ip: str = PEER_IP
    dst_port: int = PEER_PORT

    @property
    def user(self) -> int:
        """tuser of the payload's beats, bit 0 clear."""
        return self.src_port << 49 | ip_int(self.dst_ip) << 17 | self.dst_port << 1

    def frame(self, payload: bytes) -> bytes:
        """The frame, by Scapy."""
        return udp(
            payload,
            ether={"src": self.local_mac, "dst": self.dst_mac},
            ip={"src": self.local_ip, "dst": self.dst_ip, "id": 0, "flags": "DF", "ttl": 64},
            udp={"sport": self.src_port, "dport": self.dst_port},
            pad=False,
        )


def any_path(generator: random.Random) -> Path4:
    """A random destination and ports, including corner cases; the MAC address follows from the IPv4 address."""
    number = generator.choice((0, 0xFFFFFFFF, generator.getrandbits(32), generator.getrandbits(32)))
    ip = ".".join(str(byte) for byte in number.to_bytes(4, "big"))
    ports = [generator.choice((0, 0xFFFF, generator.getrandbits(16))) for _ in range(2)]
    return Path4(src_port=ports[0], dst_ip=ip, dst_mac=mac_of(ip), dst_port=ports[1])


def mac_of(ip: str) -> str:
    """The resolver's MAC address for any address except UNKNOWN_IP."""
    number = 0x02A5_0000_0000 ^ ip_int(ip) * 0x9E37 & 0xFDFF_FFFF_FFFF
    return PEER_MAC if ip == PEER_IP else ":".join(f"{byte:02x}" for byte in number.to_bytes(6, "big"))


class Resolver:
    """Answers resolve_*, `delay()` cycles after each request; resolve_found and resolve_mac are noise otherwise.

    Records the cycle of each answer. Asserts that no request precedes the answer to the previous one.
    """

    def __init__(self, dut, delay: Callable[[], int]):
        self.dut, self.delay = dut, delay
        self.answers: list[int] = []
        cocotb.start_soon(self._run(rng("resolver")))

    async def _run(self, generator: random.Random) -> None:
        dut, left, address = self.dut, 0, 0
        while True:
            await RisingEdge(dut.clk)  # values read now are those of the cycle that ends
            in_reset, asked = int(dut.rst.value), int(dut.resolve_valid.value)
            if in_reset:
                left = 0
            elif asked:
                assert left == 0, "a request before the previous answer"
                left, address = self.delay(), int(dut.resolve_ip.value)
            done = left == 1
            left -= left > 0
            dut.resolve_done.value = done
            if done:
                self.answers.append(cycle())
                name = ".".join(str(byte) for byte in address.to_bytes(4, "big"))
                dut.resolve_found.value = name != UNKNOWN_IP
                dut.resolve_mac.value = mac_int(mac_of(name))
            else:
                dut.resolve_found.value = generator.getrandbits(1)
                dut.resolve_mac.value = generator.getrandbits(48)


class Bench:
    """The core with a source of payloads, a resolver, a sink of frames, and the count of every event."""

    def __init__(self, dut, delay: Callable[[], int], idle: float, stall: float):
        self.dut, self.width = dut, len(dut.s_axis_tdata) // 8
        self.source, self.sink = Source(dut, idle=idle), Sink(dut, stall=stall)
        self.input, self.output = Monitor(dut, "s_axis"), Monitor(dut, "m_axis")
        self.resolver = Resolver(dut, delay)
        self.events: Counter[str] = Counter()
        self.sent: list[bytes] = []
        self.dropped: Counter[str] = Counter()
        cocotb.start_soon(self._count())

    async def _count(self) -> None:
        while True:
            await RisingEdge(self.dut.clk)
            for name in EVENTS:
                self.events[name] += int(getattr(self.dut, f"evt_{name}").value)

    def send(self, payload: bytes, path: Path4 = Path4(), bad: bool = False) -> None:
        self.source.put(payload, bad=bad, user=path.user)
        if bad:
            self.dropped["bad"] += 1
        elif len(payload) > MAX_PAYLOAD:
            self.dropped["oversize"] += 1
        elif path.dst_ip == UNKNOWN_IP:
            self.dropped["unresolved"] += 1
        else:
            self.sent.append(path.frame(payload))

    async def check(self) -> None:
        """All frames are as Scapy builds them, a receiver accepts them, and the events add up."""
        for frame in self.sent:
            packet = await self.sink.get()
            assert packet.data == frame, f"{Ether(packet.data)!r} instead of {Ether(frame)!r}"
            assert not packet.bad
        await self.source.wait()
        await ClockCycles(self.dut.clk, 100)
        assert self.sink.empty()
        assert +self.events == +Counter(sent=len(self.sent), **self.dropped)
        self.sent.clear()
        self.events.clear()
        self.dropped.clear()


async def bench(dut, *, delay: Callable[[], int] | int | None = None, idle=0.2, stall=0.3) -> Bench:
    """A bench after reset; default: random idle, stall and delay of the answers."""
    dut.s_axis_tvalid.value = dut.m_axis_tready.value = dut.resolve_done.value = 0
    dut.local_mac.value, dut.local_ip.value = mac_int(LOCAL_MAC), ip_int(LOCAL_IP)
    await start(dut)  # first, because the bus models sample handshakes as soon as they exist
    generator = rng("delay")
    if delay is None:
        return Bench(dut, lambda: generator.choice((1, 2, generator.randrange(1, 80))), idle, stall)
    return Bench(dut, delay if callable(delay) else lambda: delay, idle, stall)


@cocotb.test()
async def smoke(dut):
    """Three payloads, and one whose destination is unknown."""
    b = await bench(dut)
    for payload in (b"first", b"", b"and the last of the three"):
        b.send(payload)
    b.send(b"to nobody", Path4(dst_ip=UNKNOWN_IP))
    b.send(b"following")
    await b.check()


@cocotb.test()
async def payload_sizes(dut):
    """Every size from 0 to 100 bytes, and large ones; a receiver's checks pass and Scapy dissects them."""
    b, generator = await bench(dut), rng("payload")
    for size in (*range(71), 1471, 1472):
        payload = generator.randbytes(size)
        b.send(payload)
        frame = b.sent[-1]
        found = verdict(frame, local_mac=PEER_MAC, local_ip=PEER_IP, local_ports=(PEER_PORT,))
        assert found.delivered and found.payload == payload
        assert bytes(Ether(frame)[IP][UDP].payload) == payload
    await b.check()


@cocotb.test()
async def checksums(dut):
    """Corner cases of the sums: a UDP checksum of 0 is sent as FFFF, carries of all-ones addresses and payloads."""
    b = await bench(dut)
    for value in (0x0000, 0xFFFF):
        for size in (2, 3, 46, 1472):
            b.send((value.to_bytes(2, "big") * size)[:size])
    await b.check()
    checksum = int.from_bytes(Path4().frame(b"\0\0")[40:42], "big")
    b.send(checksum.to_bytes(2, "big"))  # so that the sum is all ones
    assert b.sent[-1][40:42] == b"\xff\xff"
    await b.check()
    for ip, port in (("255.255.255.255", 0xFFFF), ("0.0.0.0", 0)):
        dut.local_ip.value = ip_int(ip)
        path = Path4(local_ip=ip, dst_ip=ip, dst_mac=mac_of(ip), src_port=port, dst_port=port)
        for payload in (b"", b"\xff", b"\xff" * 1472, bytes(8)):
            b.send(payload, path)
        await b.check()


@cocotb.test()
async def addresses_are_sampled(dut):
    """The local addresses are sampled at a payload's first beat; later changes have no effect."""
    b, generator = await bench(dut, idle=0), rng("addresses")
    for n in range(12):
        path = Path4(local_mac=f"02:00:00:00:01:{n:02x}", local_ip=f"10.0.0.{n}")
        dut.local_mac.value, dut.local_ip.value = mac_int(path.local_mac), ip_int(path.local_ip)
        beats = b.input.beats
        b.send(generator.randbytes(20 + n), path)
        while b.input.beats == beats:
            await RisingEdge(dut.clk)
        dut.local_mac.value, dut.local_ip.value = generator.getrandbits(48), generator.getrandbits(32)
        while len(b.input.packets) <= n:
            await RisingEdge(dut.clk)
    await b.check()


async def _mixed(b: Bench, count: int) -> None:
    """Known and unknown destinations, bad and oversized datagrams, in any order; others are not affected."""
    generator = rng("mixed")
    for _ in range(count):
        path = Path4(dst_ip=UNKNOWN_IP) if generator.random() < 0.3 else any_path(generator)
        size = generator.choice((0, 1, generator.randrange(30), generator.randrange(100)))
        b.send(generator.randbytes(size), path, bad=generator.random() < 0.1)
    await b.check()


@cocotb.test()
async def destinations(dut):
    """Immediate, late and negative answers."""
    await _mixed(await bench(dut), 60)


@cocotb.test()
async def destinations_back_to_back(dut):
    """As before without pauses, so that requests coincide with the ends of earlier payloads."""
    generator = rng("answers")
    await _mixed(await bench(dut, delay=lambda: generator.randrange(1, 14), idle=0, stall=0), 200)


@cocotb.test()
async def drops(dut):
    """Bad and oversized payloads are dropped whole and counted; others are not affected."""
    b, generator = await bench(dut), rng("drops")
    for size in (0, 1, 8, 30, 1472, 1473, 1480, 1481, 3000):
        for bad in (False, True):
            b.send(generator.randbytes(size), bad=bad)
            b.send(generator.randbytes(generator.randrange(40)), any_path(generator))
    b.send(bytes(6000))
    b.send(b"last")
    await b.check()


@cocotb.test()
async def gaps_in_tkeep(dut):
    """A partly filled beat before the last, or an empty last beat of a payload that is not empty: bad, even if the
    beats exceed the store."""
    b = await bench(dut, idle=0, stall=0)
    whole, none = [1] * b.width, [0] * b.width
    almost = [1] * (b.width - 1) + [0]
    gaps = ((whole, none), (none, whole), (whole, almost, whole), (whole, none, whole), (none, none), [almost] * 2000)
    for beats in gaps:
        b.send(b"before")
        keep = [bit for beat in beats for bit in beat]
        b.source.send_nowait(AxiStreamFrame(bytes(len(keep)), keep, tuser=[Path4().user] * len(keep)))
        b.dropped["bad"] += 1
        b.send(b"behind")
    await b.check()


@cocotb.test()
async def latency(dut):
    """To the cycle, from a payload's last beat or its answer to the frame's first; no gap inside the frame."""
    delay = 1
    b = await bench(dut, delay=lambda: delay, idle=0, stall=0)
    logs = (b.input.packets, b.output.packets, b.resolver.answers)
    for delay in (1, 3, 40):
        for size in (0, 1, 6, 7, 64, 300):
            b.send(bytes(size))
            await b.check()
            (stored,), (sent,), (answer,) = logs
            assert answer - stored.first == 1 + delay
            assert sent.first - max(stored.last, answer) == (4 if b.width == 1 else 5)
            assert sent.last - sent.first + 1 == -(-(HEADERS + size) // b.width)
            for log in logs:
                log.clear()


@cocotb.test()
async def wire_rate(dut):
    """Back to back, every size sustains line rate: 8 bytes preamble, 4 FCS and 12 gap a frame."""
    b, generator = await bench(dut, delay=SLOWEST, idle=0, stall=0), rng("rate")
    repeats = 5
    for size in (*range(0, 80, 11 if b.width == 1 else 1), 1472):
        for _ in range(repeats):
            b.send(generator.randbytes(size))
        await b.check()
        spans, b.output.packets[:] = b.output.packets[:], []
        assert all(s.last - s.first + 1 == -(-(HEADERS + size) // b.width) for s in spans), "a gap inside a frame"
        period = (spans[-1].first - spans[0].first) / (repeats - 1)
        if b.width == 1:
            assert period == HEADERS + max(size, 1)
        else:
            assert period <= max(-(-(HEADERS + size) // 8), max(-(-size // 8), 3) + 7)
            assert period <= (max(HEADERS + size, 60) + WIRE_OVERHEAD) / 8


@cocotb.test()
async def slow_sink(dut):
    """The store fills, stalls the source and loses nothing."""
    b, generator = await bench(dut, idle=0, stall=0.7), rng("slow")
    for size in (1472, 1472, 0, 0, 0, 0, 1472, 5, 1, 70):
        b.send(generator.randbytes(size))
    await b.check()
    assert b.input.refused


@cocotb.test()
async def reset_in_mid_packet(dut):
    """Reset in every cycle of two payloads and their answers; afterwards nothing of them remains."""
    b, generator = await bench(dut), rng("reset")
    for moment in range(0, 90, 4):
        for size in (30, 3):
            b.source.put(generator.randbytes(size), user=any_path(generator).user)
        await ClockCycles(dut.clk, 1 + moment)
        await reset(dut, 2)
        b.source.clear()
        await ClockCycles(dut.clk, 2)
        b.sink.clear()
        b.events.clear()
        b.send(generator.randbytes(12), any_path(generator))
        await b.check()


@pytest.mark.parametrize("data_w", [8, 64])
def test_udp_tx(data_w):
    run("udp_tx", DATA_W=data_w)


# ---- bulk: a constant resolve_done = 1 answers every request immediately


def enough(most: int) -> int:
    """HEADERS with which any mix of sizes keeps the line busy."""
    return (most + 66) // 84 + 1


def bulk(
    data_w: int, most: int, headers: int, sent: list[tuple[bytes, Path4, bool]], folder: Path, **options
) -> BulkResult:
    inputs = {
        **{"local_mac": mac_int(LOCAL_MAC), "local_ip": ip_int(LOCAL_IP)},
        **{"resolve_done": 1, "resolve_found": 1, "resolve_mac": mac_int(PEER_MAC)},
    }
    bench = build("udp_tx", DATA_W=data_w, MAX_PAYLOAD=most, HEADERS=headers)
    users = [path.user | bad for _, path, bad in sent]
    return bench.run([payload for payload, _, _ in sent], folder, tuser=users, inputs=inputs, **options)


def assembled(payload: bytes, path: Path4) -> bytes:
    """The frame, assembled from bytes, ten times as fast as by Scapy."""
    addresses = struct.pack(">II", ip_int(path.local_ip), ip_int(path.dst_ip))
    length = 8 + len(payload)
    ip = struct.pack(">HHHHH", 0x4500, 20 + length, 0, 0x4000, 0x4011)
    ports = struct.pack(">HHH", path.src_port, path.dst_port, length)
    check = 0xFFFF ^ internet_sum(addresses + struct.pack(">HH", 17, length) + ports + b"\0\0" + payload)
    macs = struct.pack(">QQ", mac_int(path.dst_mac), mac_int(path.local_mac))
    return b"".join(
        (
            *(macs[2:8], macs[10:], b"\x08\0", ip, struct.pack(">H", 0xFFFF ^ internet_sum(ip + addresses)), addresses),
            *(ports, struct.pack(">H", check or 0xFFFF), payload),
        )
    )


@cache
def campaign(count: int, most: int, number: int) -> list[tuple[bytes, Path4, bool]]:
    """`count` datagrams drawn with seed `number`: payload, destination, bad; some longer than `most` bytes."""
    generator = random.Random(number)
    edges = range(most - 7, most + 10)
    weights = (12, 12, 1)

    def size() -> int:
        return generator.choices((generator.randrange(64), generator.randrange(400), generator.choice(edges)), weights)[
            0
        ]

    drawn = [(generator.randbytes(size()), any_path(generator), generator.random() < 0.1) for _ in range(count)]
    return [(payload, replace(path, dst_mac=PEER_MAC), bad) for payload, path, bad in drawn]


@pytest.mark.parametrize("pauses", [NONE, RANDOM])
@pytest.mark.parametrize("data_w", [8, 64])
def test_campaign(data_w: int, pauses: str, tmp_path: Path):
    """20,000 datagrams of random sizes, some of them bad or oversized: every frame is correct, none is missing."""
    most = MAX_PAYLOAD if data_w == 8 else JUMBO
    sent = campaign(20_000, most, seed())
    result = bulk(data_w, most, 0 if data_w == 8 else enough(most), sent, tmp_path, gaps=pauses, stalls=pauses)
    reasons = ["bad" if bad else "oversize" if len(payload) > most else "sent" for payload, _, bad in sent]
    assert result.events == {name: 0 for name in EVENTS} | Counter(reasons)
    assert result.received == result.events["sent"] and result.received_bad == 0
    good = ((payload, path) for (payload, path, _), reason in zip(sent, reasons, strict=True) if reason == "sent")
    for n, (frame, (payload, path)) in enumerate(zip(result.packets, good, strict=True)):
        assert frame == assembled(payload, path), f"seed {seed()}, frame {n}: {frame.hex()}"
        if n % 16 == 0:
            assert frame == path.frame(payload), f"seed {seed()}, frame {n}: {frame.hex()}"


@cache
def sizes(most: int, number: int) -> list[tuple[bytes, Path4, bool]]:
    """Payloads of every frame size from 60 octets on, of the jumbo ones only the longest; three of each."""
    generator = random.Random(number)
    every = [*range(18, MAX_PAYLOAD + 1), *range(max(most - 16, MAX_PAYLOAD + 1), most + 1)]
    return [
        (generator.randbytes(size), replace(any_path(generator), dst_mac=PEER_MAC), False)
        for size in every
        for _ in range(3)
    ]


def _keep_pace(data_w: int, sent: list[tuple[bytes, Path4, bool]], result: BulkResult) -> np.ndarray:
    """The source never lags the line by more than a beat; returns the octets of each frame on the line."""
    octets = np.array([len(payload) + HEADERS + WIRE_OVERHEAD for payload, _, _ in sent])
    begun = (result.sent_log["first"] - result.sent_log["first"][0]).astype(np.int64) * (data_w // 8)
    assert np.all(begun < np.concatenate(([0], np.cumsum(octets)[:-1])) + data_w // 8), "tready stalled the line"
    return octets


@pytest.mark.parametrize("data_w", [8, 64])
def test_every_size(data_w: int, tmp_path: Path):
    """Every frame size at line rate, and as fast as possible: never slower than line rate."""
    sent = sizes(MAX_PAYLOAD, seed())
    frames = [path.frame(payload) for payload, path, _ in sent]
    paced = bulk(data_w, MAX_PAYLOAD, 0, sent, tmp_path / "paced", wire=True, overhead=HEADERS + WIRE_OVERHEAD)
    octets = _keep_pace(data_w, sent, paced)
    assert paced.packets == frames

    free = bulk(data_w, MAX_PAYLOAD, 0, sent, tmp_path / "free")
    assert free.packets == frames
    between = np.diff(free.log["first"].astype(np.int64)) * (data_w // 8)
    assert np.all(between[1::3] <= octets[1::3]), "slower than the line"  # from the second to the third of a size
    beats = -(-(octets - WIRE_OVERHEAD) // (data_w // 8))
    assert np.all(free.log["last"] - free.log["first"] + 1 == beats), "a gap inside a frame"


@pytest.mark.parametrize("data_w", [8, 64])
def test_every_mix(data_w: int, tmp_path: Path):
    """With enough HEADERS any order of sizes sustains line rate, even alternating jumbo and shortest frames."""
    generator = random.Random(seed())
    most = MAX_PAYLOAD if data_w == 8 else JUMBO
    sent = sizes(most, seed())
    short, long = sent[:3], sent[-3:]
    sent = generator.sample(sent, len(sent)) + [generator.choice(generator.choice((short, long))) for _ in range(500)]
    sent += (long + short * 40) * 5
    paced = bulk(data_w, most, enough(most), sent, tmp_path, wire=True, overhead=HEADERS + WIRE_OVERHEAD)
    _keep_pace(data_w, sent, paced)
    assert paced.packets == [assembled(payload, path) for payload, path, _ in sent]


def test_four_state():
    run_four_state("udp_tx", "smoke", DATA_W=64)
