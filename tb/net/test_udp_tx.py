"""udp_tx: every payload becomes a correct frame, in order, at wire rate; what cannot be sent is dropped and counted."""

import random
from collections import Counter
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from scapy.all import IP, UDP, Ether

from tb.lib.axis import Monitor, Sink, Source
from tb.lib.bench import reset, rng, start
from tb.lib.bulk.bulk import NONE, RANDOM, build
from tb.lib.frames import LOCAL_IP, LOCAL_MAC, LOCAL_PORT, PEER_IP, PEER_MAC, PEER_PORT, ip_int, mac_int, udp, verdict
from tb.lib.run import run, run_four_state
from wirestream.simulate import seed

MAX_PAYLOAD = 1472
EVENTS = ("sent", "oversize", "bad")
ADDRESSES = {
    **{"local_mac": LOCAL_MAC, "local_ip": LOCAL_IP, "local_port": LOCAL_PORT},
    **{"dst_mac": PEER_MAC, "dst_ip": PEER_IP, "dst_port": PEER_PORT},
}


def number(name: str, value: str | int) -> int:
    """What the input port `name` is given for an address or a port."""
    return mac_int(value) if name.endswith("mac") else ip_int(value) if name.endswith("ip") else value


def expected(payload: bytes, addresses: dict) -> bytes:
    """The frame, by Scapy."""
    a = addresses
    return udp(
        payload,
        ether={"src": a["local_mac"], "dst": a["dst_mac"]},
        ip={"src": a["local_ip"], "dst": a["dst_ip"], "id": 0, "flags": "DF", "ttl": 64},
        udp={"sport": a["local_port"], "dport": a["dst_port"]},
        pad=False,
    )


class Bench:
    """The core with a source of payloads, a sink of frames, and the count of every event."""

    def __init__(self, dut, idle: float = 0.0, stall: float = 0.0):
        self.dut, self.width = dut, len(dut.s_axis_tdata) // 8
        self.source, self.sink = Source(dut, idle=idle), Sink(dut, stall=stall)
        self.input, self.output = Monitor(dut, "s_axis"), Monitor(dut, "m_axis")
        self.events: Counter[str] = Counter()
        self.sent: list[bytes] = []
        self.dropped: Counter[str] = Counter()
        self.set_addresses()
        cocotb.start_soon(self._count())

    def set_addresses(self, **changes) -> None:
        self.addresses = ADDRESSES | changes
        for name, value in self.addresses.items():
            getattr(self.dut, name).value = number(name, value)

    async def _count(self) -> None:
        while True:
            await RisingEdge(self.dut.clk)
            for name in EVENTS:
                self.events[name] += int(getattr(self.dut, f"evt_{name}").value)

    def send(self, payload: bytes, bad: bool = False) -> None:
        self.source.put(payload, bad=bad)
        if bad:
            self.dropped["bad"] += 1
        elif len(payload) > MAX_PAYLOAD:
            self.dropped["oversize"] += 1
        else:
            self.sent.append(expected(payload, self.addresses))

    async def check(self) -> None:
        """Everything sent has come out as Scapy makes it, a receiver accepts it, and the events add up."""
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


async def bench(dut, **rates: float) -> Bench:
    """A bench out of reset; random idle and stall unless told otherwise."""
    dut.s_axis_tvalid.value = dut.m_axis_tready.value = 0
    await start(dut)  # first, because the bus models look at handshakes as soon as they exist
    return Bench(dut, **({"idle": 0.2, "stall": 0.3} | rates))


@cocotb.test()
async def smoke(dut):
    """Three payloads."""
    b = await bench(dut)
    for payload in (b"first", b"", b"and the last of the three"):
        b.send(payload)
    await b.check()


@cocotb.test()
async def payload_sizes(dut):
    """Every size from none to 100 bytes, and large ones; a receiver's checks pass and Scapy dissects them."""
    b, generator = await bench(dut), rng("payload")
    for size in (*range(101), 511, 1023, 1471, 1472):
        payload = generator.randbytes(size)
        b.send(payload)
        frame = b.sent[-1]
        found = verdict(frame, local_mac=PEER_MAC, local_ip=PEER_IP, local_port=PEER_PORT)
        assert found.delivered and found.payload == payload
        assert bytes(Ether(frame)[IP][UDP].payload) == payload
    await b.check()


@cocotb.test()
async def checksums(dut):
    """Sums at their edges: a UDP checksum of 0 is sent as FFFF, carries of all-ones addresses and payloads."""
    b = await bench(dut)
    for value in (0x0000, 0xFFFF):
        for size in (2, 3, 46, 1472):
            b.send((value.to_bytes(2, "big") * size)[:size])
    await b.check()
    checksum = int.from_bytes(expected(b"\0\0", b.addresses)[40:42], "big")
    b.send(checksum.to_bytes(2, "big"))  # makes the sum all ones
    assert b.sent[-1][40:42] == b"\xff\xff"
    await b.check()
    b.set_addresses(local_ip="255.255.255.255", dst_ip="255.255.255.255", local_port=0xFFFF, dst_port=0xFFFF)
    for payload in (b"", b"\xff", b"\xff" * 1472):
        b.send(payload)
    await b.check()
    b.set_addresses(local_ip="0.0.0.0", dst_ip="0.0.0.0", local_port=0, dst_port=0)
    b.send(b"\0" * 8)
    await b.check()


@cocotb.test()
async def addresses_are_sampled(dut):
    """The addresses in force at a payload's first beat are used, whatever comes later."""
    b, generator = await bench(dut, idle=0), rng("addresses")
    for n in range(12):
        b.set_addresses(dst_ip=f"10.0.0.{n}", dst_mac=f"02:00:00:00:01:{n:02x}", dst_port=n, local_port=100 + n)
        beats = b.input.beats
        b.send(generator.randbytes(20 + n))
        while b.input.beats == beats:
            await RisingEdge(dut.clk)
        b.set_addresses(dst_ip="1.2.3.4", dst_mac="00:00:00:00:00:00", dst_port=9, local_ip="4.3.2.1", local_port=1)
        while len(b.input.packets) <= n:
            await RisingEdge(dut.clk)
    await b.check()


@cocotb.test()
async def drops(dut):
    """Bad and oversized payloads vanish whole and are counted; their neighbours are not touched."""
    b, generator = await bench(dut), rng("drops")
    for _ in range(3):
        for size in (0, 1, 8, 30, 1472, 1473, 1480, 1481, 3000):
            b.send(generator.randbytes(size), bad=generator.random() < 0.4)
            b.send(generator.randbytes(generator.randrange(40)))
    b.send(bytes(6000))
    b.send(bytes(1473), bad=True)
    b.send(b"last")
    await b.check()


@cocotb.test()
async def latency(dut):
    """To the cycle, from a payload's last beat to the frame's first; no gap inside the frame."""
    b = await bench(dut, idle=0, stall=0)
    for size in (0, 1, 6, 7, 64, 300):
        b.send(bytes(size))
        await b.check()
        (stored,), (sent,) = b.input.packets, b.output.packets
        assert sent.first - stored.last == (4 if b.width == 1 else 5)
        assert sent.last - sent.first + 1 == -(-(42 + size) // b.width)
        b.input.packets.clear()
        b.output.packets.clear()


@cocotb.test()
async def wire_rate(dut):
    """Back to back, every size sustains the wire: 8 bytes preamble, 4 FCS and 12 gap a frame."""
    b, generator = await bench(dut, idle=0, stall=0), rng("rate")
    repeats = 5
    for size in (*range(0, 80, 5 if b.width == 1 else 1), 200, 1472):
        for _ in range(repeats):
            b.send(generator.randbytes(size))
        await b.check()
        spans, b.output.packets[:] = b.output.packets[:], []
        assert all(s.last - s.first + 1 == -(-(42 + size) // b.width) for s in spans), "a gap inside a frame"
        period = (spans[-1].first - spans[0].first) / (repeats - 1)
        if b.width == 1:
            assert period == 42 + max(size, 1)
        else:
            assert period <= max(-(-(42 + size) // 8), -(-max(size, 1) // 8) + 7)
            assert period <= (max(42 + size, 60) + 24) / 8


@cocotb.test()
async def slow_sink(dut):
    """The store fills, holds the source up and loses nothing."""
    b, generator = await bench(dut, idle=0, stall=0.7), rng("slow")
    for size in (1472, 1472, 1472, 0, 0, 0, 0, 1472, 5, 1, 700):
        b.send(generator.randbytes(size))
    await b.check()
    assert b.input.refused


@cocotb.test()
async def reset_in_mid_packet(dut):
    """Reset at every moment of two payloads; afterwards nothing of them is left."""
    b, generator = await bench(dut), rng("reset")
    for cycle in range(0, 100, 3):
        b.source.put(generator.randbytes(30))
        b.source.put(generator.randbytes(3))
        await ClockCycles(dut.clk, 1 + cycle)
        await reset(dut, 2)
        b.source.clear()
        await ClockCycles(dut.clk, 2)
        b.sink.clear()
        b.events.clear()
        b.send(generator.randbytes(12))
        await b.check()


@pytest.mark.parametrize("data_w", [8, 64])
def test_udp_tx(data_w):
    run("udp_tx", DATA_W=data_w)


@pytest.mark.parametrize("pauses", [NONE, RANDOM])
@pytest.mark.parametrize("data_w", [8, 64])
def test_campaign(data_w: int, pauses: str, tmp_path: Path):
    """5,000 payloads of random sizes, some of them bad or too long: a receiver accepts every frame, none is missing."""
    generator = random.Random(seed())
    sent = []
    for _ in range(5_000):
        size = generator.choice((generator.randrange(64), generator.randrange(400), generator.randrange(1465, 1482)))
        sent.append((generator.randbytes(size), generator.random() < 0.1))
    result = build("udp_tx", DATA_W=data_w).run(
        [payload for payload, _ in sent],
        tmp_path,
        tuser=[bad for _, bad in sent],
        inputs={name: number(name, value) for name, value in ADDRESSES.items()},
        gaps=pauses,
        stalls=pauses,
    )
    reasons = ["bad" if bad else "oversize" if len(payload) > MAX_PAYLOAD else "sent" for payload, bad in sent]
    assert result.events == Counter(reasons)
    assert result.received == result.events["sent"]
    assert result.received_bad == 0

    def fixed(frame: bytes) -> bytes:
        """The header bytes that do not depend on the payload: all but lengths and checksums."""
        return frame[:16] + frame[18:24] + frame[26:38]

    header = fixed(expected(b"", ADDRESSES))
    payloads = (payload for (payload, _), reason in zip(sent, reasons, strict=True) if reason == "sent")
    for n, (frame, payload) in enumerate(zip(result.packets, payloads, strict=True)):
        found = verdict(frame, local_mac=PEER_MAC, local_ip=PEER_IP, local_port=PEER_PORT)
        assert fixed(frame) == header, f"seed {seed()}, frame {n}: {frame.hex()}"
        assert found.payload == payload and found.delivered, f"seed {seed()}, frame {n}, {found.reason}: {frame.hex()}"
        assert frame[40:42] != b"\0\0" and len(frame) == 42 + len(payload)


def test_four_state():
    run_four_state("udp_tx", "smoke", DATA_W=64)
