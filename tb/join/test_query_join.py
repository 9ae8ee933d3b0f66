"""query_join: the pairs of the definition, tuples of both streams in a cycle; latency, rate, GRACE, room, eos, loss."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.join.model import R, S, Tuple, late, overflow, time_windows, tuple_windows
from tb.lib.bench import pauses, reset, rng, start
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle
from wirestream.compiler import cores
from wirestream.compiler.predicates import PREDICATES

NUMBER_W = 16  # bits of R's data and of S's: the number of the tuple's arrival; R's is zero-extended
EOS = "eos"
PREDICATE, LIMIT = os.environ.get("PREDICATE", "EQ"), int(os.environ.get("LIMIT", "0"))

Slot = tuple[Tuple, ...] | str  # the input of a cycle: a tuple, one of R and one of S, or an eos


@dataclass
class Bench:
    """Sends `slots`, as late after `ready` as GRACE allows; `room` is low with probability `stall`.

    heeds: waits for `ready`. shut: there is no room.
    """

    dut: object
    idle: float
    stall: float
    heeds: bool = True
    shut: bool = False
    slots: deque[Slot] = field(default_factory=deque)
    sent: list[tuple[int, Tuple]] = field(default_factory=list)  # the cycle, in order of arrival
    rows: list[tuple[int, int, int]] = field(default_factory=list)  # the cycle, the numbers of R and S
    ends: list[tuple[int, int, int]] = field(
        default_factory=list
    )  # of every m_eos the tuples and rows before it, its cycle
    events: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("late", "refused", "lost"), 0))

    @classmethod
    async def setup(cls, dut, idle: float = 0.0, stall: float = 0.0) -> Self:
        dut.s_valid.value, dut.s_eos.value, dut.s_punct.value, dut.room.value = 0, 0, 0, 1
        dut.limit.value = LIMIT
        await start(dut)
        bench = cls(dut, idle, stall)
        names = ("KEY_W", "GRACE", "ROWS", "MATCH_LANES", "TIME_W", "WINDOW", "SLACK")
        bench.key_w, bench.grace, bench.window, bench.lanes, bench.time_w, bench.near, bench.slack = (
            int(getattr(dut, name).value) for name in names
        )
        bench.groups = bench.window // bench.lanes
        cocotb.start_soon(bench._run())
        return bench

    async def _run(self) -> None:
        dut, idle, stall, noise = (
            self.dut,
            pauses(self.idle, rng("idle")),
            pauses(self.stall, rng("room")),
            rng("noise"),
        )
        ready, eos_after = deque([False] * (self.grace + 1), maxlen=self.grace + 1), deque()
        while True:
            keys, times, numbers, valid, eos = [0, 0], [0, 0], [0, 0], 0, False
            if self.slots and (ready[0] or not self.heeds) and not next(idle):
                slot = self.slots.popleft()
                eos = slot == EOS
                for one in () if eos else slot:
                    keys[one.side], numbers[one.side] = self._key(one), len(self.sent)
                    times[one.side] = one.time if self.time_w else 0
                    valid |= 1 << one.side
                    self.sent.append((cycle(), one))
                if eos:
                    eos_after.append(len(self.sent))
            dut.s_valid.value, dut.s_eos.value, dut.room.value = valid, eos, not (next(stall) or self.shut)
            for port, of_side, width in (
                (dut.s_data, numbers, NUMBER_W),
                (dut.key, keys, self.key_w),
                (dut.stamps, times, len(dut.stamps) // 2),
            ):
                r, s = (of_side[n] if valid >> n & 1 else noise.getrandbits(width) for n in (0, 1))
                port.value = r << width | s
            await ReadOnly()
            ready.append(bool(int(dut.ready.value)))
            if int(dut.m_valid.value):
                pair = int(dut.m_data.value)
                self.rows.append((cycle(), pair >> NUMBER_W, pair & 2**NUMBER_W - 1))
                r_key, s_key = divmod(int(dut.m_key.value), 2**self.key_w)
                assert [r_key, s_key] == [self._key(self.sent[number][1]) for number in self.rows[-1][1:]]
            if int(dut.m_eos.value):
                self.ends.append((eos_after.popleft(), len(self.rows), cycle()))
            assert not (int(dut.m_valid.value) and int(dut.m_eos.value)) and not int(dut.m_punct.value)
            for event in self.events:
                self.events[event] += int(getattr(dut, f"evt_{event}").value)
            await RisingEdge(dut.clk)

    def _key(self, one: Tuple) -> int:
        return one.x % 2**self.key_w if PREDICATE != "L1" else one.x << self.key_w // 2 | one.y

    async def play(self, slots: Iterable[Slot]) -> None:
        """Send slots and an eos, and wait until the eos is output."""
        slots = [*slots, EOS]
        wanted = len(self.ends) + slots.count(EOS)
        self.slots += slots
        waited = 0
        while len(self.ends) < wanted:
            await RisingEdge(self.dut.clk)
            waited += 1
            assert waited < 10**5, "an eos was not output"

    def wanted(self, count: int | None = None) -> list[tuple[int, int]]:
        """The pairs of the first tuples."""
        tuples = [one for _, one in self.sent][:count]
        if not self.time_w:
            return sorted(tuple_windows(tuples, PREDICATE, LIMIT, self.window))
        pairs, refused = time_windows(tuples, PREDICATE, LIMIT, self.near, self.slack), self.refused(tuples)
        return sorted(pair for pair in pairs if refused.isdisjoint(pair))

    def refused(self, tuples: list[Tuple]) -> set[int]:
        return overflow(tuples, self.near, self.slack, self.window) if self.time_w else set()

    def pairs(self, count: int | None = None) -> list[tuple[int, int]]:
        return sorted((r, s) for _, r, s in self.rows[:count])


def random_slots(name: str, count: int, values: int) -> list[Slot]:
    """A tuple, or one of each stream that may be the same one; now and then an eos. Times are up to 6 out of order."""
    generator, slots = rng(name), []

    def one(side: int, n: int) -> Tuple:
        return Tuple(side, generator.randrange(values), generator.randrange(values), n // 3 + generator.randrange(7))

    for n in range(count):
        if generator.random() < 0.4:
            first = one(R, n)
            again = first._replace(side=S) if generator.random() < 0.5 else one(S, n)
            slots.append((first, again))
        else:
            slots.append((one(generator.randrange(2), n),))
        if generator.random() < 0.02:
            slots.append(EOS)
    return slots


@cocotb.test()
async def random_stalls(dut):
    """As late after `ready` as GRACE allows; an eos after all rows of the tuples before it, and before all others."""
    bench = await Bench.setup(dut, 0.05, 0.4)
    await bench.play(random_slots("tuples", 220, 5))
    assert bench.pairs() == bench.wanted() and bench.rows
    for sent, came, _ in bench.ends:
        assert bench.pairs(came) == bench.wanted(sent)
    tuples = [one for _, one in bench.sent]
    late_count, refused = len(late(tuples, bench.slack)) if bench.time_w else 0, len(bench.refused(tuples))
    assert bench.events == {"late": late_count, "refused": refused, "lost": 0}
    assert bool(refused) == (bench.time_w > 0 and bench.window < 16)
    assert len(bench.ends) > 3


@cocotb.test()
async def latency(dut):
    """To the first row of group n, counted from 1, that of the oldest row."""
    bench = await Bench.setup(dut)
    took = 10 + PREDICATES[PREDICATE].cycles if not bench.time_w else 14 + 2
    for n in range(bench.window):
        await bench.play([(Tuple(S, 8 * n, 8 * n),)])
    for n in range(bench.window):
        await bench.play([(Tuple(R, 8 * n, 8 * n),)])
        assert bench.rows[-1][0] - bench.sent[-1][0] == took + 1 + n // bench.lanes
    assert len(bench.rows) == bench.window
    hold(dut, cores.QueryJoin, latency=took + bench.groups, interval=3 if bench.time_w else 1, reads=bench.groups)
    # A tuple of S follows that of R. The last of these pairs is in the last group; with time windows, where the first
    # may be refused and all other rows have expired by then, it is in the first.
    for n in range(2 if bench.time_w else bench.lanes):
        await bench.play([(Tuple(R, 400 + n, 400, 400), Tuple(S, 400 + n, 400, 400))])
    later = 1 + 3 if bench.time_w else bench.groups + 1
    assert bench.rows[-1][0] - bench.sent[-1][0] == took + later


@cocotb.test()
async def cycles_per_tuple(dut):
    """Tuples of both streams in a cycle take as long as those of one: ROWS / MATCH_LANES + 2, at least 6 with times."""
    bench = await Bench.setup(dut)
    for sides in ((R,), (R, S))[bench.time_w > 0 :]:  # with time windows, a stream alone runs out of places
        took = []
        for count in (3 * bench.window, 5 * bench.window):
            now = 6 * len(bench.sent)
            await bench.play(tuple(Tuple(side, 20 * side, 0, now + 6 * n) for side in sides) for n in range(count))
            took.append(bench.ends[-1][2] - bench.sent[-count * len(sides)][0])
        assert took[1] - took[0] == 2 * bench.window * max(bench.groups + 2, 6 if bench.time_w else 0), sides
    assert not bench.rows and not any(bench.events.values())


@cocotb.test()
async def input_without_ready_is_lost(dut):
    """Every tuple that finds the queue full is lost and reported; those before and after it are joined."""
    bench = await Bench.setup(dut)
    bench.shut = True
    bench.slots += [(Tuple(n % 2, 1),) for n in range(100)]
    await ClockCycles(dut.clk, 100)
    bench.slots.clear()
    bench.heeds = False
    bench.slots += [(Tuple(S, 1),)] * (bench.grace + 30)
    while bench.slots:
        await RisingEdge(dut.clk)
    await ClockCycles(dut.clk, 10)
    lost = bench.events["lost"]
    assert bench.grace + 30 > lost > 10
    del bench.sent[-lost:]
    bench.heeds, bench.shut = True, False
    await bench.play([(Tuple(R, 1), Tuple(S, 1))])
    assert bench.pairs() == bench.wanted() and bench.events["lost"] == lost


@cocotb.test()
async def reset_in_mid_scan(dut):
    bench = await Bench.setup(dut, 0.0, 0.9)
    bench.slots += random_slots("before", 60, 1)
    for _ in range(80):
        await RisingEdge(dut.clk)
    bench.slots.clear()
    await reset(dut)
    for record in (bench.sent, bench.rows, bench.ends):
        record.clear()
    bench.slots.clear()
    await bench.play([slot for slot in random_slots("after", 40, 3) if slot != EOS])
    assert bench.pairs() == bench.wanted()


WIDTHS = {"DATA_W": 2 * NUMBER_W + 3, "R_W": NUMBER_W + 3}
FORMS = {
    "eq": {"KEY_W": 16, "ROWS": 8, "MATCH_LANES": 2, "GRACE": 5},
    "band": {"KEY_W": 12, "PREDICATE": "BAND", "SIGNED": 1, "LIMIT_W": 3, "ROWS": 6, "GRACE": 0},
    "time": {"KEY_W": 16, "TIME_W": 16, "WINDOW": 9, "SLACK": 4, "ROWS": 64, "MATCH_LANES": 8, "GRACE": 9},
    "few": {"KEY_W": 16, "TIME_W": 16, "WINDOW": 9, "SLACK": 4, "ROWS": 8, "MATCH_LANES": 4, "GRACE": 9},
}


@pytest.mark.parametrize("name", FORMS)
def test_query_join(name):
    parameters = FORMS[name]
    env = {"PREDICATE": parameters.get("PREDICATE", "EQ"), "LIMIT": "2" if "LIMIT_W" in parameters else "0"}
    run("query_join", env=env, **WIDTHS, **parameters)


def test_four_state():
    run_four_state("query_join", "random_stalls", **WIDTHS, **FORMS["eq"])
