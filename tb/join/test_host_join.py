"""The host library: PySpark's pairs in order, from pipelines that answer late; ids, sources, filters, memory."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import inf

import pytest

from spark_golden.join import Join
from tb import REPOSITORY
from tb.join import host_join
from tb.join.golden import CASES, Case, expected, never, one_of, sequence, stream
from tb.join.host_join import in_order, join_of, numbers, push, software
from tb.join.model import R, S, Tuple, late, time_windows
from wirestream.joins import HostJoin, IdError, InOrder, Keyed, Pair, Part, SourceError
from wirestream.joins.store import Ids


class Slow:
    """A pipeline in software that answers late and out of order; it sees only ids and keys.

    share: the part of the waiting parts that a poll answers on average.
    """

    def __init__(self, case: Case, units: int, share: float = 0.2, rows: int = 1 << 16):
        self.own, self.units, self.rows, self.share = software(case, units), units, rows, share
        self.random = random.Random(units)
        self.waiting: list[tuple[Part, list[Pair]]] = []
        self.parts = 0

    def submit(self, part: Part) -> None:
        assert 0 < len(part.probes) <= self.units and 0 < len(part.window) <= self.rows
        for seen in (*part.probes, *part.window):
            assert type(seen) is Keyed and seen.key.time == 0
        self.parts += 1
        self.own.submit(part)
        self.waiting += self.own.finished()

    def finished(self) -> list[tuple[Part, list[Pair]]]:
        self.random.shuffle(self.waiting)
        now = [answer for answer in self.waiting if self.random.random() < self.share]
        self.waiting = [answer for answer in self.waiting if answer not in now]
        for _, found in now:
            self.random.shuffle(found)
        return now


def play(join: HostJoin, case: Case, **options) -> list[tuple[int, int]]:
    got = []
    for _ in push(join, case, **options):
        got += join.poll()
    while join.unfinished:
        got += join.poll()
    return numbers(case, got)


def slow(case: Case, share: float = 0.2) -> list[Slow]:
    return [Slow(case, 5, share, 40), Slow(case, 1, share, 100), Slow(case, 16, share, 60)]


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_golden(case):
    """PySpark's pairs, in its order, from three pipelines of different sizes, all of which are used."""
    pipelines = slow(case)
    join = join_of(case, pipelines, batch=20, slice_rows=6, id_bits=12, ordered=True)
    assert play(join, case, sources=3, every=10) == sequence(case)
    parts = [pipeline.parts for pipeline in pipelines]
    assert max(parts) - min(parts) <= 1 and (min(parts) > 3 or case.name.startswith("eq_only"))
    assert join.controller.late == (len(late(case.tuples, case.join.slack)) if case.join.in_time else 0)


def test_tasks_in_order():
    """Without ordering inside a task, tasks are still in order, and each task is contiguous."""
    case, batch = CASES["eq_10"], 50
    join = join_of(case, slow(case), batch=batch, slice_rows=10)
    got, wanted = play(join, case), sequence(case)
    assert got != wanted and in_order(got) == wanted
    tasks = [max(pair) // batch for pair in got]
    assert tasks == sorted(tasks)


# --- filters: what they remove, and that results would be wrong without them -----------------------------------------


def test_duplicates(monkeypatch):
    """Two tuples of a task that form a pair find each other twice; without the filter these rows are duplicated."""
    case, batch = CASES["eq_hot"], 30
    wanted = sequence(case)
    twice = sum(r // batch == s // batch for r, s in wanted)
    assert twice > 500
    join = join_of(case, [software(case, 8)], batch=batch, slice_rows=10, ordered=True)
    assert play(join, case) == wanted and join.results.duplicates == twice
    monkeypatch.setattr(Ids, "before", lambda *ids: True)
    got = play(join_of(case, [software(case, 8)], batch=batch, slice_rows=10), case)
    assert len(got) == len(wanted) + twice and set(got) == set(wanted)


@pytest.mark.parametrize("name", ["l1_7", "time_eq"])
def test_outside(name):
    """Pairs found because the task's window is too large: without the check they are in the results."""
    case = CASES[name]
    join = join_of(case, [software(case, 8)], batch=30, slice_rows=10)
    assert sorted(play(join, case)) == sorted(sequence(case)) and join.results.outside > 100
    without = join_of(case, [software(case, 8)], batch=30, slice_rows=10)
    without.results.window = inf
    got = play(without, case)
    assert len(got) - len(sequence(case)) == join.results.outside and set(sequence(case)) < set(got)


def test_late():
    """Without slack, more tuples are late and their pairs are missing; with unlimited slack, none is."""
    case = CASES["time_band"]
    counts = {}
    for slack in (0, case.join.slack, None):
        join = join_of(case, [software(case, 8)], slack=slack, ordered=True)
        got = play(join, case)
        rules = (case.tuples, case.join.predicate, case.join.limit, case.join.window)
        assert got == in_order(time_windows(*rules, inf if slack is None else slack))
        counts[slack] = (join.controller.late, len(got))
    assert counts[0][0] > counts[10][0] > counts[None][0] == 0
    assert counts[0][1] < counts[10][1] < counts[None][1]


# --- ids -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [2, 3, 6])
def test_before(bits):
    """Ids with equal flags compare by size; with different flags, of two rounds, the larger one came first."""
    ids = Ids(bits)
    for a in range(2**bits):
        assert not ids.before(a, a)
        for age in range(1, 2 ** (bits - 1)):
            b = (a + age) % 2**bits
            assert ids.before(a, b) and not ids.before(b, a)
            flags, low = (a ^ b) >> bits - 1, 2 ** (bits - 1) - 1
            assert (a & low > b & low) if flags else a < b


@pytest.mark.parametrize(("name", "bits", "rounds"), [("l1_7", 7, 7), ("pfx_28", 6, 15), ("time_l1", 6, 7)])
def test_wraparound(name, bits, rounds):
    case = CASES[name]
    join = join_of(case, slow(case, 0.9), batch=6, slice_rows=2, id_bits=bits, ordered=True)
    assert len(case.tuples) - join.controller.late >= rounds * 2**bits
    assert play(join, case) == sequence(case)


@pytest.mark.parametrize("name", ["l1_7", "pfx_28", "time_l1"])
def test_order_of_other_joins(name):
    """Pairs in any order between two FLUSHes, while ids wrap around several times."""
    case, g = CASES[name], random.Random(name)
    wanted = sequence(case)
    bits, every, order, got = 7, 8, InOrder(Ids(7)), []
    assert len(case.tuples) > 3 * 2**bits
    for at in range(0, len(case.tuples), every):
        between = [pair for pair in wanted if at <= max(pair) < at + every]
        for r, s in g.sample(between, len(between)):
            order.put((r + 21) % 2**bits, (s + 21) % 2**bits, (r, s))
        got += order.flush()
        assert not order.flush()
    assert got == wanted


def test_too_few_ids():
    """A rare stream's window goes far back: an error before an id becomes ambiguous, and correct results until then."""
    case, wanted = CASES["eq_rare_s"], sequence(CASES["eq_rare_s"])
    assert play(join_of(case, [software(case, 8)], id_bits=11, ordered=True), case) == wanted
    join, got = join_of(case, [software(case, 8)], batch=1, id_bits=10, ordered=True), []
    with pytest.raises(IdError):
        for _ in push(join, case):
            got += join.poll()
    oldest = next(seq for seq, t in enumerate(case.tuples) if t.side == S)  # it never expires
    assert join.store.next_id == oldest + 512
    assert numbers(case, got) == wanted[: len(got)] and len(got) > 100


# --- sources and memory ----------------------------------------------------------------------------------------------


def skewed(name: str, count: int, skews: Sequence[int], sides: Sequence[int] = (R, S)) -> tuple[Case, list[int]]:
    """Sources with different clocks, each in order; tuples arrive with a delay. Returns also each tuple's source."""
    g = random.Random(name)
    sent = []
    for n in range(count):
        source, side, clock = g.randrange(len(skews)), g.choice(sides), 200 + 2 * n
        sent.append((clock + 15 * source, source, Tuple(side, *one_of(5)(g, side), clock + skews[source])))
    sent.sort(key=lambda each: each[0])
    tuples = tuple(t for _, _, t in sent)
    return Case(name, Join("EQ", 25, in_time=True), tuples), [source for _, source, _ in sent]


def test_skewed_sources():
    """Tuples of three sources, none late by their signals, though out of order by more than a usual slack."""
    case, of = skewed("skewed", 1500, (0, -60, 45))
    join = join_of(case, slow(case), slack=None, batch=20, slice_rows=8, id_bits=9, ordered=True)
    got, held = [], 0
    for _ in push(join, case, sources=3, every=10, of=of):
        while join.unfinished > 3:
            got += join.poll()
        held = max(held, len(join.store.stored))
    while join.unfinished:
        got += join.poll()
    assert numbers(case, got) == in_order(time_windows(case.tuples, "EQ", 0, 25, inf))
    assert join.controller.late == 0 < len(late(case.tuples, 3 * 25))
    # The time window and the difference of the clocks, 2 units per tuple; partly filled slices, tasks and signals
    assert 100 < held < (25 + 105 + 30) // 2 + 2 * 8 + 4 * 20 + 10
    assert not join.store.stored and not any(join.store.slices)  # all sources have ended


def test_memory_of_tuple_windows():
    """Two windows, whose oldest slices a tuple may still need; the tasks; the slices being filled."""
    case = Case("long", Join("EQ", 16), stream("long", 4000, never))
    join, held = join_of(case, [software(case, 8)], batch=10, slice_rows=4, id_bits=8), 0
    for _ in push(join, case):
        join.poll()
        held = max(held, len(join.store.stored))
        assert sum(len(slices) for slices in join.store.slices) <= held // 4 + 4
    assert 2 * 16 <= held <= 2 * (16 + 2 * 4) + 10


@pytest.mark.parametrize("signals", [True, False])
def test_memory_with_a_silent_stream(signals):
    """S sends only signals: then no tuple of R has to be kept for long."""
    case, _ = skewed("silent", 1000, (0,), sides=(R,))
    join, held = join_of(case, [software(case, 8)], batch=10, slice_rows=4), 0
    r, s = join.register(R), join.register(S)
    for seq, t in enumerate(case.tuples):
        join.push(r, host_join.Row(seq, t))
        if signals:
            join.signal(s, t.time)
        held = max(held, len(join.store.stored))
        assert not join.poll()
    assert held <= 25 // 2 + 2 * 4 + 10 if signals else held == 1000
    join.flush()
    assert not join.poll() and join.store.stored
    join.signal(s, inf)
    assert not join.store.stored


@pytest.mark.parametrize("name", ["l1_7", "time_band"])
def test_slices_wait_for_their_tasks(name):
    """While pipelines do not answer, everything that their results need is kept; afterwards it is freed."""
    case = CASES[name]
    pipelines = slow(case, 0)
    join = join_of(case, pipelines, batch=20, slice_rows=6, ordered=True)
    for _ in push(join, case, every=10):
        assert not join.poll()
    taken = len(case.tuples) - join.controller.late
    assert join.unfinished == -(-taken // 20) and len(join.store.stored) > taken - 30
    for pipeline in pipelines[::-1]:  # the first task's first part is answered last
        assert not join.poll()
        pipeline.share = 1
    assert numbers(case, join.poll()) == sequence(case)
    assert join.unfinished == 0 and len(join.store.stored) < 60


def test_sources_keep_their_word():
    """A tuple or a signal below the source's last one is refused; a new source may not send below the present time."""
    case = CASES["time_eq"]
    join = join_of(case, [software(case, 8)], slack=None)
    first, other = join.register(R), join.register(R)
    join.signal(first, 50)
    with pytest.raises(SourceError):
        join.push(first, host_join.Row(0, Tuple(R, 1, 0, 49)))
    with pytest.raises(SourceError):
        join.signal(first, 49)
    assert join.push(other, host_join.Row(0, Tuple(R, 1, 0, 20))) and join.push(
        first, host_join.Row(1, Tuple(R, 1, 0, 50))
    )
    join.signal(other, 30)
    last = join.register(R)
    with pytest.raises(SourceError):
        join.push(last, host_join.Row(2, Tuple(R, 1, 0, 29)))
    s = join.register(S)
    join.push(s, host_join.Row(3, Tuple(S, 1, 0, 40)))
    join.flush()
    assert [(r.seq, s.seq) for r, s in join.poll()] == [(0, 3), (1, 3)]


@pytest.mark.parametrize("options", [{"id_bits": 1}, {"slice_rows": 0}, {"pipelines": []}])
def test_options(options):
    case = CASES["eq_1"]
    with pytest.raises(ValueError, match=r"id|slice|pipeline"):
        join_of(case, **{"pipelines": [software(case, 8)]} | options)


@pytest.mark.parametrize("number", [1, 2])
def test_documented_example(number, capsys):
    """The examples in docs/host-join.md print what the page says."""
    example = (REPOSITORY / "docs" / "host-join.md").read_text().split("```python\n")[number].split("```")[0]
    exec(example, {})
    assert capsys.readouterr().out.strip() == example.rsplit("  # ", 1)[1].strip()


def test_chain():
    """The pairs of the cases, computed by the simulated chain."""
    for name in host_join.PLAYED:
        expected(CASES[name])
    host_join.simulate()
