"""arp: answers, requests, announces and resolves like a plain model, with frames built by Scapy; one event a frame."""

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from scapy.layers.l2 import ARP, Ether

from tb.lib.axis import Monitor, Sink, Source
from tb.lib.bench import reset, rng, start
from tb.lib.events import Events
from tb.lib.frames import LOCAL_IP, LOCAL_MAC, ip_int, mac_int
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle

MASK, GATEWAY = "255.255.255.0", "192.168.1.1"
BROADCAST, ZERO_MAC = "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00"
REQUEST, REPLY = 1, 2
RESOLVE_LATENCY, REPLY_LATENCY, REPLY_PERIOD = 8, 17, 77
SMALL = {"REACHABLE_S": 6, "RETRIES": 2, "NEGATIVE_S": 3, "SECOND_TICKS": 16}


def host(number: int) -> tuple[str, str]:
    return f"02:00:00:00:01:{number:02x}", f"192.168.1.{number}"


def arp(
    op: int, mac: str, ip: str, target_ip: str, target_mac: str = ZERO_MAC, dst: str = BROADCAST, **fields
) -> bytes:
    packet = ARP(op=op, hwsrc=mac, psrc=ip, hwdst=target_mac, pdst=target_ip, **fields)
    return bytes(Ether(dst=dst, src=mac, type=0x0806) / packet)


def ask(number: int, target: str = LOCAL_IP) -> bytes:
    return arp(REQUEST, *host(number), target)


def answer(number: int) -> bytes:
    return arp(REPLY, *host(number), LOCAL_IP, LOCAL_MAC, LOCAL_MAC)


def reply_to(number: int, ip: str | None = None) -> bytes:
    """Our reply to host `number`."""
    mac = host(number)[0]
    return arp(REPLY, LOCAL_MAC, LOCAL_IP, ip or host(number)[1], mac, mac)


def our_request(target: str) -> bytes:
    return arp(REQUEST, LOCAL_MAC, LOCAL_IP, target)


ANNOUNCEMENT = our_request(LOCAL_IP)


class Bench:
    def __init__(self, dut, idle: float, stall: float):
        self.dut = dut
        self.source, self.sink = Source(dut, idle=idle), Sink(dut, stall=stall)
        self.input, self.output = Monitor(dut, "s_axis"), Monitor(dut, "m_axis")
        self.events = Events(dut)
        self.noise = rng("noise")

    async def settle(self) -> None:
        await self.source.wait()
        quiet = 0
        while quiet < 60:
            await RisingEdge(self.dut.clk)
            quiet = 0 if int(self.dut.m_axis_tvalid.value) else quiet + 1

    async def frames(self) -> list[bytes]:
        """The frames sent since the last call."""
        await self.settle()
        packets = self.sink.get_all()
        assert not any(p.bad for p in packets)
        return [p.data for p in packets]

    async def exchange(self, *received: bytes, bad: bool = False) -> list[bytes]:
        for frame in received:
            self.source.put(frame, bad=bad)
        return await self.frames()

    async def resolve(self, ip: str, space: int = 0) -> str | None:
        """The MAC address for `ip`, None if there is none (yet)."""
        dut = self.dut
        dut.resolve_valid.value, dut.resolve_ip.value = 1, ip_int(ip)
        began = cycle()
        await RisingEdge(dut.clk)
        dut.resolve_valid.value = 0
        dut.resolve_ip.value = self.noise.getrandbits(32)
        while not int(dut.resolve_done.value):
            await RisingEdge(dut.clk)
            assert cycle() - began < 20
        assert cycle() - began == RESOLVE_LATENCY + 1
        found, mac = int(dut.resolve_found.value), int(dut.resolve_mac.value)
        if space:
            await ClockCycles(dut.clk, space)
        return ":".join(f"{byte:02x}" for byte in mac.to_bytes(6, "big")) if found else None

    async def ticks(self, count: int) -> None:
        for _ in range(count):
            self.dut.tick_ms.value = 1
            await RisingEdge(self.dut.clk)
            self.dut.tick_ms.value = 0
            await ClockCycles(self.dut.clk, 60)

    async def second(self) -> None:
        await self.ticks(16)

    async def set_static(self, mac: str, ip: str, clear: bool = False) -> None:
        dut = self.dut
        dut.set_valid.value, dut.set_clear.value = 1, clear
        dut.set_ip.value, dut.set_mac.value = ip_int(ip), mac_int(mac)
        while True:
            await RisingEdge(dut.clk)
            if int(dut.set_ready.value):
                break
        dut.set_valid.value, dut.set_clear.value = 0, self.noise.getrandbits(1)
        dut.set_ip.value, dut.set_mac.value = self.noise.getrandbits(32), self.noise.getrandbits(48)
        await RisingEdge(dut.clk)


async def bench(dut, idle: float = 0.2, stall: float = 0.3, announced: bool = True) -> Bench:
    """A bench after reset and the announcement at the first tick."""
    for name in ("tick_ms", "set_valid", "set_clear", "set_ip", "set_mac", "resolve_valid", "resolve_ip"):
        getattr(dut, name).value = 0
    dut.s_axis_tvalid.value = dut.m_axis_tready.value = 0
    dut.local_mac.value, dut.local_ip.value = mac_int(LOCAL_MAC), ip_int(LOCAL_IP)
    dut.netmask.value, dut.gateway.value = ip_int(MASK), ip_int(GATEWAY)
    await start(dut)
    b = Bench(dut, idle, stall)
    await ClockCycles(dut.clk, 40)
    if announced:
        await b.ticks(1)
        await ClockCycles(dut.clk, 60)
        assert await b.frames() == [ANNOUNCEMENT]
        assert b.events.take() == {"announced": 1}
    return b


@cocotb.test()
async def smoke(dut):
    """A request is answered and its sender learned; an unknown address is requested, and the reply learned."""
    b = await bench(dut)
    assert await b.exchange(ask(5)) == [reply_to(5)]
    assert await b.resolve(host(5)[1]) == host(5)[0]
    assert await b.resolve(host(6)[1]) is None
    assert await b.frames() == [our_request(host(6)[1])]
    assert await b.exchange(answer(6)) == []
    assert await b.resolve(host(6)[1]) == host(6)[0]
    assert b.events.take() == {"request": 1, "answered": 1, "asked": 1, "reply": 1}


@cocotb.test()
async def what_is_not_for_us(dut):
    """Nothing is answered or learned; each frame is counted once, under its reason."""
    b = await bench(dut)
    mac, ip = host(9)
    good = ask(9)
    cases = [
        (ask(9, "192.168.1.11"), "ignored"),
        (ask(9, "192.168.0.10"), "ignored"),
        (ask(9, "193.168.1.10"), "ignored"),
        (ask(9, ip), "ignored"),  # an announcement
        (arp(REQUEST, mac, "0.0.0.0", "192.168.1.11"), "ignored"),
        (answer(9), "reply"),  # unsolicited
        (arp(REPLY, mac, ip, ip, BROADCAST), "reply"),
        (arp(REQUEST, mac, LOCAL_IP, LOCAL_IP), "conflict"),
        (arp(REQUEST, mac, LOCAL_IP, "192.168.1.3"), "conflict"),
        (arp(REPLY, mac, LOCAL_IP, ip), "conflict"),
        (arp(REQUEST, LOCAL_MAC, LOCAL_IP, LOCAL_IP), "ignored"),  # our own, looped back
        (arp(REPLY, LOCAL_MAC, LOCAL_IP, ip), "ignored"),
        (arp(REQUEST, mac, ip, LOCAL_IP, hwtype=6), "malformed"),
        (arp(REQUEST, mac, ip, LOCAL_IP, hwtype=0x101), "malformed"),
        (arp(REQUEST, mac, ip, LOCAL_IP, ptype=0x86DD), "malformed"),
        (good[:18] + b"\x08" + good[19:], "malformed"),
        (good[:19] + b"\x10" + good[20:], "malformed"),
        (arp(3, mac, ip, LOCAL_IP), "malformed"),
        (arp(0, mac, ip, LOCAL_IP), "malformed"),
        (arp(0x101, mac, ip, LOCAL_IP), "malformed"),
        (good[:12] + b"\x08\x00" + good[14:], "malformed"),
        (arp(REQUEST, "01:00:5e:00:00:01", ip, LOCAL_IP), "malformed"),
        (arp(REQUEST, mac, "224.0.0.1", LOCAL_IP), "malformed"),
        (arp(REQUEST, mac, "255.255.255.255", LOCAL_IP), "malformed"),
        *[(good[:n], "malformed") for n in range(42)],
    ]
    for frame, event in cases:
        assert await b.exchange(frame) == [], event
        assert b.events.take() == {event: 1}, frame.hex()
    assert await b.exchange(good, bad=True) == []
    assert b.events.take() == {"bad": 1}
    assert await b.resolve(ip) is None
    assert await b.exchange(good) == [our_request(ip), reply_to(9)]
    assert await b.resolve(ip) == mac


@cocotb.test()
async def padding_and_unicast(dut):
    b = await bench(dut)
    mac, ip = host(7)
    assert await b.exchange(ask(7).ljust(60, b"\xff")) == [reply_to(7)]
    assert await b.exchange(arp(REQUEST, mac, ip, LOCAL_IP, dst=LOCAL_MAC)) == [reply_to(7)]


@cocotb.test()
async def probe_is_answered_and_not_learned(dut):
    b = await bench(dut)
    assert await b.exchange(arp(REQUEST, host(8)[0], "0.0.0.0", LOCAL_IP)) == [reply_to(8, "0.0.0.0")]
    assert b.events.take() == {"request": 1, "answered": 1}
    assert await b.resolve(host(8)[1]) is None


@cocotb.test()
async def present_addresses_are_updated(dut):
    """By an announcement, by a reply, by a request for another host."""
    b = await bench(dut)
    ip = host(5)[1]
    await b.exchange(ask(5))
    for number, frame in enumerate(
        (
            arp(REQUEST, "02:00:00:00:02:00", ip, ip),
            arp(REPLY, "02:00:00:00:02:01", ip, ip, BROADCAST),
            arp(REQUEST, "02:00:00:00:02:02", ip, "192.168.1.200"),
        )
    ):
        assert await b.exchange(frame) == []
        assert await b.resolve(ip) == f"02:00:00:00:02:{number:02x}"


@cocotb.test()
async def special_addresses(dut):
    """Broadcast, multicast, the gateway, ourselves; only the gateway is requested."""
    b = await bench(dut)
    for ip in ("255.255.255.255", "192.168.1.255"):
        assert await b.resolve(ip) == BROADCAST
    for ip, mac in (
        ("224.0.0.1", "01:00:5e:00:00:01"),
        ("239.255.255.255", "01:00:5e:7f:ff:ff"),
        ("232.129.2.3", "01:00:5e:01:02:03"),
    ):
        assert await b.resolve(ip) == mac
    assert await b.resolve(LOCAL_IP) is None
    assert await b.frames() == []
    for ip in ("10.0.0.1", "192.168.2.255", "8.8.8.8"):
        assert await b.resolve(ip) is None
    assert await b.frames() == [our_request(GATEWAY)]
    await b.exchange(answer(1))
    for ip in ("10.0.0.1", "192.168.2.255", "8.8.8.8", GATEWAY):
        assert await b.resolve(ip) == host(1)[0]
    dut.gateway.value = 0
    await ClockCycles(dut.clk, 2)
    assert await b.resolve("10.0.0.1") is None and await b.resolve("0.0.0.0") is None
    dut.netmask.value = ip_int("255.255.255.254")  # RFC 3021: no directed broadcast
    assert await b.resolve("192.168.1.11") is None
    assert await b.frames() == [our_request("192.168.1.11")]
    dut.netmask.value = ip_int("255.255.0.0")
    assert await b.resolve("192.168.255.255") == BROADCAST
    assert await b.resolve("192.168.1.255") is None
    assert await b.frames() == [our_request("192.168.1.255")]


@cocotb.test()
async def asked_once_a_second(dut):
    """A dead host that is looked up continuously: a request and RETRIES more, one a second, silence, then again."""
    b = await bench(dut)
    ip, sent = host(33)[1], []
    for _ in range(9):
        for _ in range(3):
            assert await b.resolve(ip) is None
        await b.frames()
        sent.append(b.events.take().get("asked", 0))
        await b.second()
    assert sent == [1, 0, 1, 1, 0, 0, 1, 0, 1], sent


@cocotb.test()
async def known_addresses_age(dut):
    """An unused address expires; one in use is requested again before it expires, and the reply renews it."""
    b = await bench(dut)
    await b.exchange(ask(5))
    await b.frames()
    for _ in range(7):
        await b.second()
    assert b.events.take().get("aged") == 1
    assert await b.resolve(host(5)[1]) is None
    await b.exchange(answer(5))
    asked = 0
    for _ in range(20):
        await b.second()
        assert await b.resolve(host(5)[1]) == host(5)[0]
        for frame in await b.frames():
            assert frame == our_request(host(5)[1])
            asked += 1
            await b.exchange(answer(5))
    assert 3 <= asked <= 8
    assert "aged" not in b.events.take()


@cocotb.test()
async def static_entries(dut):
    b = await bench(dut)
    ip = host(50)[1]
    await b.set_static("02:aa:bb:cc:dd:ee", ip)
    await b.exchange(answer(50), ask(50))
    for _ in range(8):
        await b.second()
    assert await b.resolve(ip) == "02:aa:bb:cc:dd:ee"
    await b.set_static(ZERO_MAC, ip, clear=True)
    assert await b.resolve(ip) is None
    assert (await b.frames())[-1:] == [our_request(ip)]


@cocotb.test()
async def full_table(dut):
    """More hosts than entries: the oldest are evicted, and every address found is correct."""
    b = await bench(dut)
    for number in range(20, 60):
        await b.exchange(ask(number))
        await b.ticks(3)
    found = {number: await b.resolve(host(number)[1], 4) for number in range(59, 19, -1)}
    assert found == {number: host(number)[0] if number >= 44 else None for number in range(20, 60)}
    assert b.events.take()["replaced"] > 0


@cocotb.test()
async def announced_after_a_change(dut):
    """At the first tick after reset or a change of either address; never 0.0.0.0, for which nothing is answered."""
    b = await bench(dut)
    await b.ticks(5)
    assert await b.frames() == []
    dut.local_ip.value = 0
    await b.ticks(3)
    assert await b.frames() == []
    assert await b.exchange(arp(REQUEST, *host(3), "0.0.0.0")) == []
    dut.local_ip.value = ip_int("192.168.1.12")
    await b.ticks(3)
    assert await b.frames() == [arp(REQUEST, LOCAL_MAC, "192.168.1.12", "192.168.1.12")]
    dut.local_mac.value = mac_int("02:00:00:00:00:02")
    await b.ticks(3)
    assert await b.frames() == [arp(REQUEST, "02:00:00:00:00:02", "192.168.1.12", "192.168.1.12")]


@cocotb.test()
async def storm(dut):
    """Requests without a gap: each is answered, in order, one in 77 cycles; exact latency; a lookup's request too."""
    b = await bench(dut, idle=0, stall=0)
    b.input.packets.clear()
    b.output.packets.clear()
    assert await b.exchange(ask(1)) == [reply_to(1)]
    assert b.output.packets[0].first - b.input.packets[0].last == REPLY_LATENCY
    b.output.packets.clear()
    for number in range(11, 41):
        b.source.put(ask(number))
    await ClockCycles(dut.clk, 500)
    assert await b.resolve("192.168.1.99") is None
    got = await b.frames()
    assert our_request("192.168.1.99") in got[:20]
    got.remove(our_request("192.168.1.99"))
    assert got == [reply_to(number) for number in range(11, 41)]
    periods = [b.output.packets[n + 1].first - b.output.packets[n].first for n in range(1, 6)]
    assert periods == [REPLY_PERIOD] * 5, periods


@cocotb.test()
async def random_traffic(dut):
    """Requests, ticks, lookups of known and unknown addresses every few cycles: no wrong address is found or sent."""
    b, generator = await bench(dut), rng("traffic")
    for _ in range(60):
        number = generator.randrange(1, 40)
        b.source.put(generator.choice((ask(number), answer(number), ask(number, "192.168.1.99"), ask(number)[:30])))
    for _ in range(600):
        number = generator.randrange(1, 40)
        if number == 10:
            continue
        assert await b.resolve(host(number)[1], generator.randrange(4)) in (None, host(number)[0])
        if generator.random() < 0.1:
            await b.ticks(1)
    legal = {f for n in range(1, 40) for f in (reply_to(n), our_request(host(n)[1]))}
    assert set(await b.frames()) <= legal
    counts = b.events.take()
    assert counts["request"] == counts["answered"]
    assert sum(counts.get(n, 0) for n in ("request", "reply", "ignored", "malformed", "conflict")) == 60


@cocotb.test()
async def reset_in_mid_frame(dut):
    """Reset after every few bytes in and out: no old state remains."""
    b = await bench(dut, idle=0, stall=0)
    for at in range(1, 110, 7):
        b.source.put(ask(4))
        await ClockCycles(dut.clk, at)
        b.source.clear()
        await reset(dut, 2)
        b.source.clear()
        await ClockCycles(dut.clk, 30)
        await ReadOnly()
        await RisingEdge(dut.clk)
        b.sink.clear()
        b.events.take()
        assert await b.resolve(host(4)[1]) is None
        await b.frames()
        assert await b.exchange(ask(5)) == [reply_to(5)]


def configuration(**parameters) -> tuple[dict, dict]:
    return {**SMALL, **parameters}, {}


def test_arp():
    run("arp", **configuration()[0])


def test_four_state():
    run_four_state("arp", "smoke", **configuration()[0])
