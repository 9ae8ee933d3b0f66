"""igmp: reports joins, leaves and queried groups, in the routers' version and within the time that they allow."""

from collections import Counter

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from scapy.layers.igmp import IGMP, IGMPv3_MQ, IGMPv3_MR, IGMPv3_MR_Group
from scapy.layers.inet import IP, IPOption_Router_Alert
from scapy.layers.l2 import Ether

from tb.lib.axis import Monitor, Sink, Source
from tb.lib.bench import reset, rng, start
from tb.lib.events import Events
from tb.lib.frames import LOCAL_IP, LOCAL_MAC, PEER_IP, PEER_MAC, internet_sum, ip_int, mac_int
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle

A, B, C, D = "239.1.2.3", "224.0.0.251", "232.129.255.254", "239.1.2.4"
ALL_HOSTS, NONE = "224.0.0.1", "0.0.0.0"
IS, LEAVE, JOIN = 2, 3, 4  # record types: mode is exclude, change to include nothing, change to exclude nothing
PAUSE = 20  # cycles before the message of a report
SLACK_MS = 150  # for the duration of frames if a millisecond is a cycle


def multicast_mac(group: str) -> str:
    number = ip_int(group) & 0x7FFFFF
    return "01:00:5e:" + ":".join(f"{byte:02x}" for byte in number.to_bytes(3, "big"))


def sent(group: str, kind: int, version: int = 3) -> bytes:
    """The frame that the core must send, by Scapy. kind: IS, JOIN or LEAVE."""
    if version == 3:
        to, igmp = "224.0.0.22", IGMPv3_MR(records=[IGMPv3_MR_Group(rtype=kind, maddr=group)])
    else:
        to = "224.0.0.2" if kind == LEAVE else group
        igmp = IGMP(type=0x17 if kind == LEAVE else {2: 0x16, 1: 0x12}[version], mrcode=0, gaddr=group)
    ip = IP(src=LOCAL_IP, dst=to, ttl=1, tos=0xC0, id=0, flags="DF", proto=2, options=[IPOption_Router_Alert()])
    frame = bytes(Ether(src=LOCAL_MAC, dst=multicast_mac(to)) / ip / igmp)
    assert internet_sum(frame[38:]) == internet_sum(frame[14:38]) == 0xFFFF
    return frame


def received(igmp, to: str = ALL_HOSTS) -> bytes:
    """A frame as control_rx outputs it: the options that routers send are removed from the header."""
    ip = IP(src=PEER_IP, dst=to, ttl=1, proto=2, options=[IPOption_Router_Alert()])
    frame = bytes(Ether(src=PEER_MAC, dst=multicast_mac(to)) / ip / igmp)
    return frame[:34] + frame[38:]


def query(version: int, code: int = 10, group: str = NONE, sources: tuple[str, ...] = ()) -> bytes:
    if version == 3:
        return received(
            IGMPv3_MQ(mrcode=within_ms(3, code) // 100, qrv=2, qqic=125, gaddr=group, srcaddrs=list(sources))
        )
    return received(IGMP(type=0x11, mrcode=code if version == 2 else 0, gaddr=group))


def within_ms(version: int, code: int) -> int:
    """Maximum response time (RFC 3376, 4.1.1 and 7.2.1)."""
    if version == 1:
        return 10_000
    return 100 * (code if version == 2 or code < 128 else (code & 15 | 16) << ((code >> 4 & 7) + 3))


class Bench:
    def __init__(self, dut, idle: float, stall: float):
        self.dut, self.entries = dut, len(dut.groups) // 32
        self.source, self.sink = Source(dut, idle=idle), Sink(dut, stall=stall)
        self.input, self.output = Monitor(dut, "s_axis"), Monitor(dut, "m_axis")
        self.events = Events(dut)
        self.expected: Counter[str] = Counter()
        self.groups = [NONE] * self.entries
        self.ms = 0

    def join(self, *groups: str) -> None:
        """Set `groups`, from entry 0 on."""
        self.groups = [*groups, *[NONE] * (self.entries - len(groups))]
        self.dut.groups.value = sum(ip_int(group) << 32 * n for n, group in enumerate(self.groups))

    def put(self, frame: bytes, event: str = "query", bad: bool = False) -> None:
        self.source.put(frame, bad=bad)
        self.expected[event] += 1

    async def hear(self, frame: bytes, event: str = "query", bad: bool = False) -> None:
        self.put(frame, event, bad)
        await self.source.wait()
        await ClockCycles(self.dut.clk, 12 + 8 * self.entries)

    async def pass_ms(self, ms: int, apart: int = 1) -> None:
        """Ticks at intervals of `apart` cycles; 1 if only the time matters."""
        self.ms += ms
        for _ in range(ms if apart > 1 else 1):
            self.dut.tick_ms.value = 1
            await ClockCycles(self.dut.clk, 1 if apart > 1 else ms)
            self.dut.tick_ms.value = 0
            if apart > 1:
                await ClockCycles(self.dut.clk, apart - 1)

    async def expect(self, *frames: bytes, any_order: bool = False) -> None:
        """Exactly these frames have been output, or are now, without time passing."""
        await ClockCycles(self.dut.clk, 100 + 40 * self.entries + 300 * len(frames))
        got = [packet.data for packet in self.sink.get_all()]
        if any_order:
            got, frames = sorted(got), sorted(frames)
        assert got == list(frames), "\n".join(["got", *map(bytes.hex, got), "instead of", *map(bytes.hex, frames)])
        leaves = sum(f[38] == 0x17 or (f[38] == 0x22 and f[46] == LEAVE) for f in frames)
        self.expected += Counter(report=len(frames) - leaves, leave=leaves)

    async def joined(self, *groups: str) -> None:
        """Join, and wait for both reports."""
        self.join(*groups)
        frames = [sent(group, JOIN) for group in groups]
        await self.expect(*frames, any_order=True)
        await self.pass_ms(1000 + SLACK_MS)
        await self.expect(*frames, any_order=True)

    async def delay_of_answer(self, limit: int) -> int:
        """Milliseconds until a frame begins, at most `limit` plus the inaccuracy of one cycle a millisecond."""
        begin, seen = cycle(), self.output.beats
        self.dut.tick_ms.value = 1
        while self.output.beats == seen and cycle() - begin <= limit + SLACK_MS:
            await RisingEdge(self.dut.clk)
        self.dut.tick_ms.value = 0
        assert self.output.beats > seen, f"no answer within {limit} ms"
        return cycle() - begin

    def check(self) -> None:
        assert self.events.take() == dict(+self.expected)
        self.expected.clear()


async def bench(dut, *, idle: float = 0.2, stall: float = 0.3) -> Bench:
    dut.s_axis_tvalid.value = dut.m_axis_tready.value = dut.tick_ms.value = dut.groups.value = 0
    dut.local_mac.value, dut.local_ip.value = mac_int(LOCAL_MAC), ip_int(LOCAL_IP)
    await start(dut)  # first, because the bus models sample handshakes as soon as they exist
    return Bench(dut, idle, stall)


@cocotb.test()
async def smoke(dut):
    b = await bench(dut)
    await b.joined(A)
    await b.hear(query(3))
    await b.pass_ms(1000 + SLACK_MS)
    await b.expect(sent(A, IS))
    b.check()


@cocotb.test()
async def join_and_leave(dut):
    """Each is reported twice, the second time within a second; then silence."""
    b = await bench(dut)
    for group in (B, C, "224.0.0.2"):
        await b.joined(group)
        await b.pass_ms(1500)
        await b.expect()
        b.join()
        await b.expect(sent(group, LEAVE))
        await b.pass_ms(1000 + SLACK_MS)
        await b.expect(sent(group, LEAVE))
        await b.pass_ms(1500)
        await b.expect()
    b.check()


@cocotb.test()
async def never_reported(dut):
    """224.0.0.1 and addresses that are not multicast: no reports of joins, leaves or queries."""
    b = await bench(dut)
    for group in (ALL_HOSTS, "223.255.255.255", "240.0.0.0", "255.255.255.255", "10.0.0.1", "0.0.0.1"):
        b.join(group)
        await b.expect()
        await b.hear(query(3, 0))
        await b.hear(query(3, 0, group))
        await b.pass_ms(1000)
        await b.expect()
    await b.joined("225.0.0.1")  # from there to 224.0.0.1 is only a leave
    b.join(ALL_HOSTS)
    await b.expect(sent("225.0.0.1", LEAVE))
    await b.pass_ms(1000 + SLACK_MS)
    await b.expect(sent("225.0.0.1", LEAVE))
    b.check()


@cocotb.test()
async def entry_changes(dut):
    """From group to group: leave and join are reported immediately, the leave once; and back before the repetition."""
    b = await bench(dut)
    await b.joined(A)
    b.join(D)
    await b.expect(sent(A, LEAVE), sent(D, JOIN))
    await b.pass_ms(1000 + SLACK_MS)
    await b.expect(sent(D, JOIN))
    b.join()
    await b.expect(sent(D, LEAVE))
    b.join(D)
    await b.expect(sent(D, JOIN))
    b.join()
    await b.expect(sent(D, LEAVE))
    b.join(C)
    await b.expect(sent(C, JOIN))
    await b.pass_ms(1000 + SLACK_MS)
    await b.expect(sent(C, JOIN))
    b.check()


@cocotb.test()
async def queries_of_every_form(dut):
    """General and specific, versions 3, 2 and 1: those of our groups are answered in their version, others not."""
    b = await bench(dut)
    mine = [A, B, C, D][: b.entries]
    await b.joined(*mine)
    for version in (3, 2, 1):
        ms = within_ms(version, 10) + SLACK_MS
        await b.hear(query(version))
        await b.pass_ms(ms)
        await b.expect(*(sent(group, IS, version) for group in mine), any_order=True)
        await b.hear(query(version, group="239.1.2.5"))
        await b.pass_ms(ms)
        await b.expect()
        for group in mine:
            await b.hear(query(version, group=group))
            await b.pass_ms(ms)
            await b.expect(sent(group, IS, version))
        if version == 3:
            await b.hear(query(3, group=mine[-1], sources=("10.0.0.1", "10.0.0.2")))
            await b.pass_ms(ms)
            await b.expect(sent(mine[-1], IS))
            await b.hear(query(3, code=0))  # at once
            await b.expect(*(sent(group, IS) for group in mine), any_order=True)
    b.check()


@cocotb.test()
async def delays(dut):
    """Delays within the maximum response time, for every form of its code, distributed over it, and all different."""
    b = await bench(dut, idle=0, stall=0)
    await b.joined(A)
    found = []
    for _ in range(24):
        await b.hear(query(3, 10))
        found.append(await b.delay_of_answer(1000))
        await b.expect(sent(A, IS))
    assert min(found) < 350 and max(found) > 650 and len(set(found)) > 12, found
    for version, code in ((3, 1), (3, 127), (3, 0x80), (2, 0x80), (2, 0xFF), (1, 0)):
        limit = within_ms(version, code)
        await b.hear(query(version, code))
        await b.delay_of_answer(limit)
        await b.expect(sent(A, IS, version))
    b.check()


@cocotb.test()
async def long_exponents(dut):
    """Very long delays, read from the register: below the limit, and sometimes above half of it."""
    b = await bench(dut, idle=0, stall=0)
    await b.joined(A)
    for code in (0xB5, 0xC0, 0xD9, 0xE2, 0xFF):
        units = within_ms(3, code) // 25
        seen = []
        for _ in range(16):
            await b.hear(query(3, code))
            await ClockCycles(dut.clk, 200)  # for the draw
            seen.append(int(dut.timers.delay_reg.value))
        assert all(value < units for value in seen) and max(seen) > units // 2, (code, units, seen)
        assert min(seen) < units // 2
    b.expected.clear()


@cocotb.test()
async def sooner_wins(dut):
    """One answer to two queries, within the shorter time, in either order."""
    b = await bench(dut)
    await b.joined(A)
    for first, second in ((100, 2), (2, 100)):
        await b.hear(query(3, first))
        await ClockCycles(dut.clk, 400)
        while b.sink.count():  # the delay drawn was 0: the answer was sent immediately
            await b.expect(sent(A, IS))
            await b.hear(query(3, first))
            await ClockCycles(dut.clk, 400)
        await b.hear(query(3, second))
        await b.pass_ms(200 + SLACK_MS)
        await b.expect(sent(A, IS))
        await b.pass_ms(10_000)
        await b.expect()
    b.check()


@cocotb.test()
async def older_versions(dut):
    """Joins and leaves in the version of the oldest router, until it has been silent for long enough."""
    b = await bench(dut)
    present = 1000 * int(dut.OLDER_QUERIER_S.value)
    await b.joined(A)
    await b.hear(query(2, 1))
    await b.pass_ms(100 + SLACK_MS)
    await b.expect(sent(A, IS, 2))
    b.join(B)
    await b.expect(sent(A, LEAVE, 2), sent(B, JOIN, 2))
    await b.hear(query(1))  # cancels the second report
    await b.pass_ms(10_000 + SLACK_MS)
    await b.expect(sent(B, IS, 1))
    b.join()
    await b.expect()  # version 1 leaves silently
    b.join(A)
    await b.expect(sent(A, JOIN, 1))
    await b.pass_ms(10_000 + SLACK_MS)
    await b.expect(sent(A, JOIN, 1))

    async def version(expected: int) -> None:
        b.join(B)
        await b.expect(*([sent(A, LEAVE, expected)] if expected > 1 else []), sent(B, JOIN, expected))
        b.join(A)
        await b.expect(*([sent(B, LEAVE, expected)] if expected > 1 else []), sent(A, JOIN, expected))

    b.ms = 0
    await b.hear(query(1))
    await b.pass_ms(present // 2)
    await b.expect(sent(A, IS, 1))
    await b.hear(query(2, 0xFF, group="239.9.9.9"))  # version 1 still prevails; a version 3 query changes nothing
    await b.hear(query(3, 0xFF, group="239.9.9.9"))
    await version(1)
    await b.pass_ms(present - b.ms - 20)
    b.sink.clear()
    await b.expect()
    b.events.take()
    b.expected.clear()
    await version(1)
    await b.pass_ms(1020)
    b.sink.clear()
    b.events.take()
    b.expected.clear()
    await version(2)
    await b.pass_ms(present // 2 - 1020)
    b.sink.clear()
    b.events.take()
    b.expected.clear()
    await version(2)
    await b.pass_ms(1020)
    b.sink.clear()
    b.events.take()
    b.expected.clear()
    await version(3)


@cocotb.test()
async def suppression(dut):
    """In version 2 another host's report of the group cancels ours; of another group, or in version 3, it does not."""
    b = await bench(dut)
    await b.joined(A)
    theirs = received(IGMP(type=0x16, mrcode=0, gaddr=A), to=A)
    await b.hear(query(3))
    await b.hear(theirs, "other")
    await b.pass_ms(1000 + SLACK_MS)
    await b.expect(sent(A, IS))
    for frame, silent in (
        (theirs, True),
        (received(IGMP(type=0x12, mrcode=0, gaddr=A), to=A), True),
        (received(IGMP(type=0x16, mrcode=0, gaddr=D), to=D), False),
        (received(IGMP(type=0x16, mrcode=0, gaddr=NONE), to=D), False),
        (received(IGMP(type=0x17, mrcode=0, gaddr=A), to="224.0.0.2"), False),
        (sent(A, JOIN)[:34] + sent(A, JOIN)[38:], False),
    ):
        await b.hear(query(2, 100))
        await b.hear(frame, "other")
        await b.pass_ms(10_000 + SLACK_MS)
        await b.expect(*([] if silent else [sent(A, IS, 2)]))
    b.check()


@cocotb.test()
async def bad_frames(dut):
    """Every bit of a query's message flipped, truncations, lengths between the versions, bad marks, other types."""
    b, generator = await bench(dut, idle=0.1), rng("bad")
    await b.joined(A)
    for good in (query(3, 0, A), query(2, 10, A)):
        for bit in range(8 * 34, 8 * len(good), 1 if len(good) == 42 else 5):
            flipped = bytearray(good)
            flipped[bit // 8] ^= 1 << bit % 8
            await b.hear(bytes(flipped), "bad")
        for size in (1, 2, 14, *range(33, len(good))):
            await b.hear(good[:size], "bad")
        await b.hear(good, "bad", bad=True)
    for extra in (1, 2, 3):  # 9 to 11 bytes are not valid in any version
        await b.hear(query(2, 10, A) + bytes(extra), "bad")
    for kind in (0x00, 0x01, 0x10, 0x12, 0x13, 0x15, 0x16, 0x17, 0x19, 0x22, 0x31, 0x51, 0x91, 0xFF):
        message = bytes([kind, 0]) + (0xFFFF - internet_sum(bytes([kind, 0]) + good[38:42])).to_bytes(2, "big")
        await b.hear(good[:34] + message + good[38:42], "other")
    await b.pass_ms(4000)
    await b.expect()
    await b.hear(query(3, 0, A) + bytes(4 * generator.randrange(1, 300)))  # longer than version 3 defines: still valid
    await b.expect(sent(A, IS))
    b.check()


@cocotb.test()
async def sink_that_never_moves(dut):
    """s_axis continues; the first query waits, others are counted; when the sink resumes, all due reports are sent."""
    b = await bench(dut, idle=0, stall=0)
    b.sink.pause = True
    b.join(A)
    await ClockCycles(dut.clk, 200)
    await b.hear(query(3, 0))
    for _ in range(3):
        await b.hear(query(3, 0), "busy")
    await b.hear(query(3, 0), "bad", bad=True)
    assert b.input.unready == 0
    b.sink.pause = False
    await b.expect(sent(A, JOIN), sent(A, JOIN))
    b.check()


@cocotb.test()
async def rate_and_latency(dut):
    """No gap inside a report; a join is sent within the latency in the header; queries back to back."""
    b = await bench(dut, idle=0, stall=0)
    for wait in range(0, 24, 2):  # at every phase of a scan
        for group, frame in ((A, sent(A, JOIN)), (NONE, sent(A, LEAVE))):
            await ClockCycles(dut.clk, wait)
            b.join(group)
            begin = cycle()
            await b.expect(frame)
            (report,) = b.output.packets
            assert report.last - report.first == 53 + PAUSE
            assert report.first - begin <= 18 * b.entries + 30
            await b.pass_ms(1000 + SLACK_MS)
            await b.expect(frame)
            b.output.packets.clear()
    await b.joined(A)
    for _ in range(2):  # every entry has processed the first when the second's message begins
        b.put(query(3, 0))
    await b.expect(sent(A, IS), sent(A, IS))
    b.check()


@cocotb.test()
async def reset_in_mid_frame(dut):
    """Reset at any moment of a report and a query; afterwards the groups are joined again, and nothing else remains."""
    b = await bench(dut)
    b.join(A)
    for moment in range(0, 300, 23):
        b.source.put(query(2, 1))
        b.source.put(query(3, 1))
        await ClockCycles(dut.clk, 1 + moment)
        await reset(dut, 2)
        b.source.clear()
        b.sink.clear()
        b.events.take()
        await b.expect(sent(A, JOIN))
        await b.pass_ms(1000 + SLACK_MS)
        await b.expect(sent(A, JOIN))
        b.check()
        await b.hear(query(3, 0))
        await b.expect(sent(A, IS))
        b.check()


@cocotb.test()
async def many_groups(dut):
    """Random changes of all entries; after each, exactly the groups that changed are reported."""
    b, generator = await bench(dut), rng("groups")
    groups: list[str] = []
    for _ in range(6):
        before = dict(enumerate(b.groups))
        groups = [generator.choice((A, B, C, D, NONE, ALL_HOSTS)) for _ in range(b.entries)]
        b.join(*groups)
        frames = []
        for n, group in enumerate(groups):
            if group != before[n]:
                frames += [sent(before[n], LEAVE)] * (before[n] not in (NONE, ALL_HOSTS))
                frames += [sent(group, JOIN)] * (group not in (NONE, ALL_HOSTS))
        await b.expect(*frames, any_order=True)
        await b.pass_ms(1000 + SLACK_MS)
        await ClockCycles(dut.clk, 1500)
        b.sink.clear()
        b.events.take()
        b.expected.clear()
        await b.hear(query(3, 0))
        await b.expect(*(sent(group, IS) for group in groups if group not in (NONE, ALL_HOSTS)), any_order=True)
        b.check()


def configuration(**parameters) -> tuple[dict, dict]:
    return {"OLDER_QUERIER_S": 21, **parameters}, {}


@pytest.mark.parametrize("n_groups", [1, 3])
def test_igmp(n_groups):
    run("igmp", **configuration(N_GROUPS=n_groups)[0])


def test_four_state():
    run_four_state("igmp", "smoke", N_GROUPS=2)
