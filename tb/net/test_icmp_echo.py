"""icmp_echo: answers every good request like a host, within the rate limit, and counts every other frame."""

from collections import Counter

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.layers.inet import ICMP, IP, IPOption_NOP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from tb.lib.axis import Monitor, Sink, Source
from tb.lib.bench import reset, rng, start
from tb.lib.events import Events
from tb.lib.frames import BROADCAST_MAC, LOCAL_IP, LOCAL_MAC, PEER_IP, PEER_MAC, internet_sum, ip_int, mac_int
from tb.lib.run import run, run_four_state

LATENCY = 7
WAIT = 18  # cycles for which a frame stalls s_axis


def request(payload: bytes, *, ether: dict | None = None, ip: dict | None = None, icmp: dict | None = None) -> bytes:
    """An echo request as control_rx outputs it: Scapy's frame without IPv4 options; the dicts override fields."""
    packet = Ether(**{"dst": LOCAL_MAC, "src": PEER_MAC} | (ether or {}))
    packet /= IP(**{"src": PEER_IP, "dst": LOCAL_IP, "id": 0x1234, "ttl": 7, "tos": 4} | (ip or {}))
    data = bytes(packet / ICMP(**{"type": 8, "id": 0x55AA, "seq": 3} | (icmp or {})) / Raw(payload))
    return data[:34] + data[14 + 4 * (data[14] & 15) :]


def reply(frame: bytes) -> bytes:
    """A host's reply, by Scapy, with all checksums computed from scratch."""
    got = Ether(frame[:14] + b"\x45" + frame[15:16] + (len(frame) - 14).to_bytes(2, "big") + frame[18:])
    icmp = got[ICMP].copy()
    icmp.type = 0
    del icmp.chksum
    ip = IP(src=LOCAL_IP, dst=got[IP].src, id=0, flags="DF", ttl=64)
    data = bytes(Ether(src=LOCAL_MAC, dst=got.src) / ip / icmp)
    # 0 and FFFF are the same number in ones' complement; the core sends FFFF
    return data[:36] + b"\xff\xff" + data[38:] if data[36:38] == b"\0\0" else data


def verdict(frame: bytes, bad: bool) -> str:
    """The event for a frame if the reply fits and there is a token; plain byte arithmetic."""
    message, host = frame[34:], frame[26:27]
    if bad or len(message) < 8 or internet_sum(message) != 0xFFFF:
        return "bad"
    if message[:2] != b"\x08\0":
        return "other"
    if (frame[0] | frame[6]) & 1 or host in (b"\0", b"\x7f") or host >= b"\xe0":
        return "refused"
    return "reply"


class Bench:
    def __init__(self, dut, idle: float, stall: float):
        self.dut = dut
        self.source, self.sink = Source(dut, idle=idle), Sink(dut, stall=stall)
        self.input, self.output = Monitor(dut, "s_axis"), Monitor(dut, "m_axis")
        self.events = Events(dut)
        self.replies: list[bytes] = []
        self.expected: Counter[str] = Counter()

    def send(self, frame: bytes, bad: bool = False, event: str = "") -> str:
        """Queue a frame; event: if it will be `full` or `limited`, which the bench cannot predict."""
        self.source.put(frame, bad=bad)
        event = event or verdict(frame, bad)
        self.expected[event] += 1
        if event == "reply":
            self.replies.append(reply(frame))
        return event

    async def tick(self, count: int = 1, apart: int = 2) -> None:
        for _ in range(count):
            self.dut.tick_ms.value = 1
            await ClockCycles(self.dut.clk, 1)
            self.dut.tick_ms.value = 0
            await ClockCycles(self.dut.clk, apart - 1)

    async def tick_for_ever(self) -> None:
        """Tick so often that tokens never run out."""
        while True:
            await self.tick(apart=10)

    async def check(self) -> None:
        """Exactly the expected replies have been output, and the events add up."""
        for expected in self.replies:
            packet = await self.sink.get()
            assert packet.data == expected, f"\n{packet.data.hex()} instead of\n{expected.hex()}"
            assert not packet.bad
            assert internet_sum(packet.data[14:34]) == internet_sum(packet.data[34:]) == 0xFFFF
        await self.source.wait()
        await ClockCycles(self.dut.clk, 60)
        assert self.sink.empty()
        assert self.events.take() == dict(self.expected)
        self.replies.clear()
        self.expected.clear()


async def bench(dut, *, idle: float = 0.2, stall: float = 0.3, ticks: bool = True) -> Bench:
    """A bench after reset; default: random idle and stall, and plenty of tokens."""
    dut.s_axis_tvalid.value = dut.m_axis_tready.value = dut.tick_ms.value = 0
    dut.local_mac.value, dut.local_ip.value, dut.enable.value = mac_int(LOCAL_MAC), ip_int(LOCAL_IP), 1
    await start(dut)  # first, because the bus models sample handshakes as soon as they exist
    b = Bench(dut, idle, stall)
    if ticks:
        cocotb.start_soon(b.tick_for_ever())
    return b


@cocotb.test()
async def smoke(dut):
    b = await bench(dut)
    for payload in (b"first", b"", b"and the last of the three"):
        b.send(request(payload))
    await b.check()


@cocotb.test()
async def switched_off(dut):
    """Without `enable` requests are refused and there is no output."""
    b = await bench(dut)
    for on in (0, 1):
        dut.enable.value = on
        b.send(request(b"anybody there?"), event="" if on else "refused")
        await b.check()


@cocotb.test()
async def payload_sizes(dut):
    """Every size from 0 to 60 bytes and the largest, with every number of option words."""
    b, generator = await bench(dut), rng("payload")
    for size in (*range(61), int(dut.MAX_PAYLOAD.value)):
        options = [IPOption_NOP()] * (4 * generator.choice((0, 0, 1, 2, 10)))
        assert b.send(request(generator.randbytes(size), ip={"options": options})) == "reply"
        if size % 8 == 0:
            await b.check()  # a small FIFO
    for words in range(11):
        b.send(request(b"options", ip={"options": [IPOption_NOP()] * (4 * words)}))
        await b.check()


@cocotb.test()
async def checksums(dut):
    """Corner cases of the message's checksum update, and headers whose carries propagate through both octets."""
    b, generator = await bench(dut), rng("checksums")
    for upper in (0x00, 0x07, 0x08, 0xF6, 0xF7, 0xF8, 0xFE, 0xFF):
        for lower in (0x00, 0x01, 0xFE, 0xFF):
            wanted = upper << 8 | lower
            data = (internet_sum(bytes([8, 0]) + wanted.to_bytes(2, "big")) ^ 0xFFFF).to_bytes(2, "big")
            frame = request(data, icmp={"id": 0, "seq": 0, "chksum": wanted})  # both forms of zero among them
            assert b.send(frame) == "reply"
            await b.check()
    for payload, numbers in ((b"", 0), (bytes(9), 0), (b"\xff" * 8, 0xFFFF), (b"\xff" * 7, 0xFFFF)):
        assert b.send(request(payload, icmp={"id": numbers, "seq": numbers})) == "reply"
    await b.check()
    # A source for every sum of the header near an end-around carry
    length = 28
    for target in (0xFFFF, 0xFFFE, 0x00FF, 0xFF00, 0x0001, 0x0100):
        constant = 0xC501 + length + (ip_int(LOCAL_IP) >> 16) + (ip_int(LOCAL_IP) & 0xFFFF)
        rest = (target - 0x0A00 - constant) % 0xFFFF
        b.send(request(b"", ip={"src": f"10.0.{rest >> 8}.{rest & 255}"}))
        b.send(request(b"", ip={"src": f"{generator.randrange(1, 127)}.255.255.{generator.randrange(256)}"}))
        await b.check()


@cocotb.test()
async def other_frames(dut):
    """Other types, such as those that differ from 8 in one bit, codes, and requests that must not be answered."""
    b, generator = await bench(dut), rng("other")
    kinds = [
        (request(b"data", icmp={"type": t}), "other")
        for t in (*range(8), *range(9, 20), *(8 ^ 1 << n for n in range(8)))
    ]
    kinds += [(request(b"code", icmp={"code": c}), "other") for c in (1, 128, 255)]
    for mac in ("01:00:5e:00:00:01", BROADCAST_MAC):
        kinds += [(request(b"x", ether={"dst": mac}), "refused"), (request(b"x", ether={"src": mac}), "refused")]
    for source in ("0.0.0.0", "0.1.2.3", "127.0.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"):
        kinds.append((request(b"x", ip={"src": source}), "refused"))
    for source in ("1.0.0.0", "126.0.0.1", "128.0.0.0", "223.255.255.255"):
        kinds.append((request(b"x", ip={"src": source}), "reply"))
    for n, (frame, event) in enumerate(kinds):
        assert b.send(frame) == event
        if n % 8 == 0:
            b.send(request(generator.randbytes(3)))
            await b.check()
    await b.check()


@cocotb.test()
async def bad_frames(dut):
    """Cut after every byte, marked bad, every third bit of a message flipped; each followed by a good request."""
    b, generator = await bench(dut, idle=0), rng("bad")
    good = request(generator.randbytes(5))
    bad = [(good[:n], False) for n in range(1, len(good))] + [(good[:n], True) for n in (1, 34, 42, len(good))]
    for bit in range(8 * 34, 8 * len(good), 3):
        flipped = bytearray(good)
        flipped[bit // 8] ^= 1 << bit % 8
        bad.append((bytes(flipped), False))
    for n, (frame, marked) in enumerate(bad):
        assert b.send(frame, marked) == "bad"
        b.send(frame, marked)
        b.send(request(generator.randbytes(n % 5)))
        if n % 2:
            await b.check()
    await b.check()
    for size in range(1, 10):  # a frame of one byte ends before the previous reply is committed
        b.send(request(b"whole"))
        assert b.send(request(b"cut")[:size]) == "bad"
    await b.check()


@cocotb.test()
async def mixture(dut):
    """Frames of every kind in random order, with pauses on both sides."""
    b, generator = await bench(dut), rng("mixture")
    for _ in range(150):
        source = f"10.0.0.{generator.randrange(256)}"
        frame = bytearray(request(generator.randbytes(generator.randrange(50)), ip={"src": source}))
        if generator.random() < 0.3:  # in the source's address or the message
            frame[generator.choice((26, 28, generator.randrange(34, len(frame))))] ^= 1 << generator.randrange(8)
        if generator.random() < 0.1:
            del frame[generator.randrange(1, len(frame)) :]
        b.send(bytes(frame), bad=generator.random() < 0.1)
        if generator.random() < 0.3:
            await b.check()
    await b.check()


@cocotb.test()
async def latency_and_rate(dut):
    """To the cycle: last byte in to first byte out, no gap inside a reply, 18 cycles of stall a frame."""
    b = await bench(dut, idle=0, stall=0)
    for size in (0, 1, 64):
        b.send(request(bytes(size)))
        await b.check()
        (got,), (sent,) = b.input.packets, b.output.packets
        assert sent.first - got.last == LATENCY
        assert sent.last - sent.first == 41 + size
        assert got.last - got.first == 41 + size + WAIT
        b.input.packets.clear()
        b.output.packets.clear()
    refused = b.input.refused
    for _ in range(4):
        b.send(request(b"back to back"))
    await b.check()
    assert b.input.packets[-1].last - b.input.packets[0].first + 1 == 4 * (54 + WAIT)
    assert b.input.refused - refused == 4 * WAIT


@cocotb.test()
async def sink_that_never_moves(dut):
    """Replies queue until the FIFO is full, s_axis continues, and the queued replies are finally output whole."""
    b = await bench(dut, idle=0, stall=0)
    b.sink.pause = True
    await ClockCycles(dut.clk, 2)
    room = 1 << (int(dut.MAX_PAYLOAD.value) + 41).bit_length()
    size = int(dut.MAX_PAYLOAD.value) // 3
    for _ in range(12):
        fits = room >= size + 42
        b.send(request(bytes(size)), event="" if fits else "full")
        room -= size + 42 if fits else 0
    while room >= 42:  # to the last byte
        part = room if room < 84 else 42
        b.send(request(bytes(part - 42)))
        room -= part
    b.send(request(b""), event="full")
    b.send(request(b"", icmp={"type": 0}))
    assert room == 0
    await b.source.wait()
    assert b.expected["full"] >= 2
    b.sink.pause = False
    await b.check()


@cocotb.test()
async def rate_limit(dut):
    """Exactly RATE replies a second and BURST at once, whatever the timing of requests and ticks."""
    b, generator = await bench(dut, idle=0, stall=0, ticks=False), rng("limit")
    rate, burst = int(dut.RATE.value), int(dut.BURST.value)
    tokens = 1000 * burst

    async def ask(count: int) -> None:
        nonlocal tokens
        for _ in range(count):
            b.send(request(b"?"), event="reply" if tokens >= 1000 else "limited")
            tokens -= 1000 if tokens >= 1000 else 0
            await b.check()

    async def pass_time(ms: int) -> None:
        nonlocal tokens
        await b.tick(ms)
        for _ in range(ms):
            tokens = min(tokens + rate, 1000 * burst)

    await ask(burst + 2)
    for _ in range(12):
        await pass_time(generator.randrange(1, 12))
        await ask(generator.randrange(1, 5))
    await pass_time(1000 * burst // rate + 5)  # full, and no further
    b.send(request(b"x", icmp={"type": 0}))  # a frame that is not answered costs no token
    b.send(request(b"x"), bad=True)
    await ask(burst + 1)

    # Ticks in every cycle of a frame: none is lost.
    for offset in range(0, 80, 1 if burst < 10 else 20):
        await pass_time(1000 * burst // rate + 1)
        for _ in range(burst):
            b.send(request(b""))
        await b.check()
        missing = -(-1000 // rate)  # ticks to the next token
        b.send(request(b""), event="limited")
        await ClockCycles(dut.clk, offset)
        await b.tick(1, apart=2)
        await b.source.wait()
        await b.tick(missing - 1)
        b.expected.clear()
        b.replies.clear()
        b.send(request(b"!"))
        await b.source.wait()
        await ClockCycles(dut.clk, 120)
        # With RATE 1000 the first of the two may have got the tick's token.
        total = b.events.take()
        assert total["reply"] == 1 and total["limited"] == 1, (offset, total)
        b.sink.clear()
        b.expected.clear()
        b.replies.clear()


@cocotb.test()
async def reset_in_mid_frame(dut):
    """Reset in every cycle of two requests; afterwards nothing of them remains, and the bucket is full."""
    b, generator = await bench(dut), rng("reset")
    for cycle in range(0, 190, 9):
        b.source.put(request(generator.randbytes(9)))
        b.source.put(request(generator.randbytes(3)))
        await ClockCycles(dut.clk, 1 + cycle)
        await reset(dut, 2)
        b.source.clear()
        await ClockCycles(dut.clk, 2)
        b.sink.clear()
        b.events.take()
        b.send(request(generator.randbytes(12)))
        await b.check()


@pytest.mark.parametrize(
    ("max_payload", "rate", "burst"),
    [(1472, 1000, 50), (70, 300, 3)],
)
def test_icmp_echo(max_payload, rate, burst):
    run("icmp_echo", MAX_PAYLOAD=max_payload, RATE=rate, BURST=burst)


def test_four_state():
    run_four_state("icmp_echo", "smoke")
