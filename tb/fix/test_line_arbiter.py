"""line_arbiter: the fate of every copy is PySpark's; timeouts, order, latency, rate, stalls, resets, no X."""

from __future__ import annotations

import random
from collections import Counter

import cocotb
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from cocotb.triggers import ClockCycles

from tb import BUILD
from tb.fix.test_moldudp64 import Message, received
from tb.lib.axis import Bench as AxisBench
from tb.lib.bench import reset
from tb.lib.events import Events
from tb.lib.run import run as run_cocotb
from tb.lib.run import run_four_state
from wirestream.sim.bulk import NONE, RANDOM, RANDOM_AND_LONG, Bench, build
from wirestream.sim.simulate import seed

LATENCY = 6
TURN = 4  # cycles that a session takes to begin
BYTES = 16  # of a beat
REORDER = 16
GAP_TICKS = 50
SESSIONS = (b"MONDAY    ", b"TUESDAY   ", b"WEDNESDAY ")


def message(session: bytes, number: int, line: int = 0) -> Message:
    """A message whose data depend only on its session and number, so that copies are equal."""
    data = random.Random(f"{session!r}/{number}").randbytes(BYTES)
    return Message(session, number, line, False, data[: number % (BYTES + 1)])


def one_line(g: random.Random, session: bytes, count: int, line: int, lose: float, late: float) -> list[Message]:
    """Messages 1 to count and heartbeats, as they arrive over a bad line."""
    seen = []
    for number in range(1, count + 1):
        if g.random() < lose:
            continue
        delay = g.choice([1, 3, REORDER, 3 * REORDER]) if g.random() < late else 0
        seen.append((number + delay, message(session, number, line)))
        if g.random() < 0.03:
            seen.append((number + 0.5, Message(session, number + 1, line, True, b"")))
    return [m for _, m in sorted(seen, key=lambda timed: timed[0])]


def merged(g: random.Random, lines: list[list[Message]]) -> list[Message]:
    """The lines merged at random, a run of messages at a time."""
    queues, out = [list(line) for line in lines], []
    while any(queues):
        queue = g.choice([q for q in queues if q])
        size = g.choice([1, 1, 1, 2, 5, 12])
        out += queue[:size]
        del queue[:size]
    return out


def feed(g: random.Random) -> list[Message]:
    """Three sessions on two lines, from clean to whole windows missing; some messages follow their session's end."""
    arrived: list[Message] = []
    for n, session in enumerate(SESSIONS):
        lose = (0.02, 0.2, 0.5)[n]
        lines = [one_line(g, session, 1500, line, lose, 0.1) for line in range(2)]
        if n == 1:  # a gap longer than the window
            lines = [[m for m in line if not 400 <= m.number < 400 + 5 * REORDER] for line in lines]
        for m in merged(g, lines):
            if n and g.random() < 0.02:
                arrived.append(message(SESSIONS[n - 1], g.randint(1, 1500), 1))
            arrived.append(m)
    return arrived


def golden(arrived: list[Message]) -> tuple[list[Message], Counter]:
    """The expected messages in order, and the events, from PySpark."""
    from spark_golden.mold import sequence
    from spark_golden.session import session

    table = BUILD / "golden" / "lines.parquet"
    table.parent.mkdir(parents=True, exist_ok=True)
    rows = [(i, m.session.hex(), m.number, m.notice) for i, m in enumerate(arrived)]
    columns = dict(zip(("arrival", "session", "number", "notice"), map(pa.array, zip(*rows, strict=True)), strict=True))
    pa.parquet.write_table(pa.table(columns), table)
    fates, totals = sequence(session().read.parquet(str(table)), REORDER)
    rows = fates.orderBy("session_index", "number").toArrow().to_pylist()
    totals = totals.toArrow().to_pylist()
    count = Counter(row["fate"] for row in rows)
    events = Counter(message=count["leaves"], duplicate=count["duplicate"], stale=count["stale"])
    events += Counter(session=len(totals), lost=sum(t["lost"] for t in totals), gap=sum(t["gaps"] for t in totals))
    return [arrived[row["arrival"]] for row in rows if row["fate"] == "leaves"], events


@pytest.fixture(scope="module")
def bench() -> Bench:
    return build("line_arbiter", MESSAGE_BYTES=BYTES, REORDER=REORDER, GAP_TICKS=GAP_TICKS)


@pytest.fixture(scope="module")
def traffic() -> tuple[list[Message], list[Message], Counter]:
    arrived = feed(random.Random(f"{seed()}/lines"))
    left, events = golden(arrived)
    assert events["lost"] > 5 * REORDER and events["gap"] > 100 and events["stale"] > 10
    return arrived, left, events


def run(bench: Bench, arrived: list[Message], out, ticks: int = 0, **options):
    users = [m.pack() for m in arrived]
    return bench.run([m.data for m in arrived], out, tuser=users, inputs={"tick": ticks}, **options)


@pytest.mark.parametrize("gaps, stalls", [(NONE, NONE), (RANDOM, RANDOM_AND_LONG)])
def test_copies(bench, traffic, tmp_path, gaps, stalls):
    arrived, left, events = traffic
    result = run(bench, arrived, tmp_path, gaps=gaps, stalls=stalls)
    assert received(result) == left
    assert result.events == events


def test_order_against_time(bench, traffic, tmp_path):
    """With ticks: each message once, unchanged, in sequence; every number is output or lost."""
    arrived, _, _ = traffic
    result = run(bench, arrived, tmp_path, ticks=1, gaps="0.05:200", stalls=RANDOM)
    left = received(result)
    assert set(left) <= set(arrived)
    assert [m.session for m in left] == sorted((m.session for m in left), key=SESSIONS.index)
    top = 0
    for session in SESSIONS:
        numbers = [m.number for m in left if m.session == session]
        assert (np.diff(numbers) > 0).all()
        top += max(m.number - m.notice for m in arrived if m.session == session)
    assert len(left) + result.events["lost"] == top  # timeouts have closed the gaps of the last session too
    fates = ("message", "duplicate", "stale")
    assert sum(result.events[fate] for fate in fates) == sum(not m.notice for m in arrived)


def test_latency_and_rate(bench, tmp_path):
    """Two copies in turn, in sequence: a message a cycle, and 6 cycles from the first copy to the output."""
    both = [message(SESSIONS[0], n, line) for n in range(1, 500) for line in (0, 1)]
    arrived = both[1:] + [message(SESSIONS[0], n) for n in range(500, 1000)]
    result = run(bench, arrived, tmp_path)
    taken = result.sent_log["first"]
    assert (np.diff(taken[8:]) == 1).all()
    assert result.log["first"][0] - taken[0] == LATENCY + TURN
    firsts = {}
    for cycle, m in zip(taken.tolist(), arrived, strict=True):
        firsts.setdefault(m.number, cycle)
    assert (result.log["first"] - np.array(list(firsts.values())))[8:].tolist() == [LATENCY] * 991


def test_reset(bench, tmp_path):
    """Waiting messages are discarded, and numbers begin again."""
    arrived = [message(SESSIONS[0], n) for n in range(1, 2000) if n % 7]
    result = run(bench, arrived, tmp_path, reset_at=range(100, 1000, 91), stalls=RANDOM)
    left = [m.number for m in received(result)]
    assert set(received(result)) <= set(arrived)
    assert len(set(left)) == len(left)
    assert left == sorted(left)


class Rules:
    """The core with ticks on request."""

    @classmethod
    async def start(cls, dut) -> Rules:
        self = cls()
        self.dut, self.bench, self.events = dut, await AxisBench.setup(dut), Events(dut)
        dut.tick.value = 0
        return self

    async def put(self, *arrived: Message) -> list[int]:
        """Send messages; returns the numbers of those that are output."""
        for m in arrived:
            self.bench.source.put(m.data, user=m.pack())
        await self.bench.drained()
        seen = [Message.of(p.users[0], p.data) for p in self.bench.sink.get_all()]
        assert all(m == message(m.session, m.number, m.line) for m in seen)
        return [m.number for m in seen]

    async def ticks(self, count: int) -> list[int]:
        for _ in range(count):
            self.dut.tick.value = 1
            await ClockCycles(self.dut.clk, 1)
            self.dut.tick.value = 0
            await ClockCycles(self.dut.clk, 3)
        return await self.put()

    def since(self) -> dict[str, int]:
        """The events since the last call."""
        return {name: n for name, n in self.events.take().items() if n}


@cocotb.test()
async def smoke(dut):
    """The rules of timeouts, one by one."""
    rules = await Rules.start(dut)
    put, ticks, since = rules.put, rules.ticks, rules.since
    first, second, _ = SESSIONS
    await reset(dut)
    await put(message(first, 3))
    await reset(dut)
    since()
    assert await put(*(message(first, n) for n in (1, 2, 5, 7, 6, 10))) == [1, 2]
    assert await ticks(GAP_TICKS - 1) == []
    assert since() == {"session": 1, "message": 2}
    assert await ticks(1) == [5, 6, 7]  # 3 and 4 are lost; the time of 8 and 9 begins
    assert since() == {"message": 3, "gap": 1, "lost": 2}
    assert await ticks(GAP_TICKS - 1) == []
    assert await put(message(first, 8, 1), message(first, 4, 1)) == [8]  # 4 is too late
    assert await ticks(GAP_TICKS - 1) == []
    assert await ticks(1) == [10]
    assert since() == {"message": 2, "duplicate": 1, "gap": 1, "lost": 1}
    assert await ticks(3 * GAP_TICKS) == []  # nothing is missing
    assert await put(Message(first, 13, 0, True, b"")) == []  # a heartbeat: 11 and 12 have been sent
    assert await ticks(GAP_TICKS) == []
    assert await put(message(first, 13)) == [13]
    assert since() == {"message": 1, "gap": 1, "lost": 2}
    assert await put(message(first, 15), message(second, 2), message(first, 14), message(second, 1)) == [15, 1, 2]
    assert since() == {"session": 1, "message": 3, "gap": 1, "lost": 1, "stale": 1}


@cocotb.test()
async def a_reset_forgets_the_session_before(dut):
    """After a reset there is no previous session: a packet of the old one begins a session and is not stale."""
    rules = await Rules.start(dut)
    first, second, _ = SESSIONS
    assert await rules.put(message(first, 1)) == [1]
    await reset(dut)
    rules.since()
    assert await rules.put(message(second, 1), message(first, 1)) == [1, 1]
    assert rules.since() == {"session": 2, "message": 2}


@cocotb.test()
async def each_session_has_gaps_of_its_own(dut):
    """A gap at the end of a session and one at the beginning of the next are two gaps."""
    rules = await Rules.start(dut)
    first, second, _ = SESSIONS
    assert await rules.put(message(first, 1), Message(first, 4, 0, True, b"")) == [1]
    assert await rules.put(message(second, 3)) == []
    assert rules.since() == {"session": 2, "message": 1, "gap": 1, "lost": 2}
    assert await rules.ticks(GAP_TICKS) == [3]
    assert rules.since() == {"message": 1, "gap": 1, "lost": 2}


@cocotb.test()
async def the_time_begins_with_the_gap(dut):
    """Ticks before the gap do not count, each one after it does, and an output restarts the time."""
    rules = await Rules.start(dut)
    session = SESSIONS[0]
    assert await rules.put(message(session, 1)) == [1]
    await rules.ticks(3 * GAP_TICKS)
    await rules.put(message(session, 3))
    for arrived, numbers in ((message(session, 5), [3]), (Message(session, 8, 0, True, b""), [5])):
        assert await rules.ticks(GAP_TICKS - 1) == []
        await rules.put(arrived)
        assert await rules.ticks(1) == numbers
    assert rules.since() == {"session": 1, "message": 3, "gap": 2, "lost": 2}
    await rules.ticks(GAP_TICKS - 1)
    assert rules.since() == {}
    await rules.ticks(1)
    assert rules.since() == {"gap": 1, "lost": 2}


@cocotb.test()
async def more_are_lost_than_can_be_reported(dut):
    """Three jumps pass over more than 2**64 numbers, which are still reported one a cycle."""
    rules, number = await Rules.start(dut), 1
    assert await rules.put(message(SESSIONS[0], 1)) == [1]
    for _ in range(4):
        number = (number + 2**63 - 2 * REORDER) % 2**64
        await rules.put(message(SESSIONS[0], number))
        rules.since()
        await ClockCycles(dut.clk, 100)
        assert rules.since() == {"lost": 100}


def test_rules():
    run_cocotb("line_arbiter", MESSAGE_BYTES=BYTES, REORDER=REORDER, GAP_TICKS=GAP_TICKS)


def test_four_state():
    run_four_state("line_arbiter", "smoke", MESSAGE_BYTES=BYTES, REORDER=REORDER, GAP_TICKS=GAP_TICKS)
