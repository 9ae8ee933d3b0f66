"""The host library on the simulated chain of FJoin, and the common part of its tests."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from tb.join.golden import CASES, Case, sequence
from tb.join.model import Tuple, match
from tb.lib.bench import pauses, rng, start
from tb.lib.run import run
from wirestream.joins import BruteForce, HostJoin, Pair, Part, Pipeline, R, S

PLAYED = ("band_9", "time_band")  # by the chain


class Row(NamedTuple):
    """A row that the join takes; its key is a part of it."""

    seq: int
    tuple: Tuple


def key(side: int, row: Row) -> Tuple:
    return Tuple(side, row.tuple.x, row.tuple.y)


def join_of(case: Case, pipelines: Sequence[Pipeline], **options) -> HostJoin:
    slack = case.join.slack if case.join.in_time else None
    rules = {"time": lambda side, row: row.tuple.time, "in_time": case.join.in_time, "slack": slack}
    return HostJoin(pipelines, case.join.window, key=key, **rules | options)


def software(case: Case, units: int) -> BruteForce:
    return BruteForce(units, lambda a, b: match(case.join.predicate, a, b, case.join.limit))


def in_order(found: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """By the arrival of the later tuple, then of the earlier one."""
    return sorted(found, key=lambda pair: (max(pair), min(pair)))


def numbers(case: Case, rows: Sequence[tuple[Row, Row]]) -> list[tuple[int, int]]:
    """(seq of R, of S) of results, which must be complete rows."""
    for pair in rows:
        for side, row in zip((R, S), pair, strict=True):
            assert row.tuple == case.tuples[row.seq] and row.tuple.side == side
    return [(r.seq, s.seq) for r, s in rows]


def push(join: HostJoin, case: Case, sources: int = 1, every: int = 1, of: Sequence[int] = ()) -> Iterator[None]:
    """Give `join` all tuples, then flush it; yields after each tuple.

    of: the source of its stream that sends each tuple; default: random. every: the number of tuples after
    which all sources signal their progress, which is the least time that each of them has yet to send.
    """
    g = random.Random(case.name)
    of = of or [g.randrange(sources) for _ in case.tuples]
    registered = [[join.register(side) for _ in range(sources)] for side in (R, S)]
    own = [registered[t.side][n] for t, n in zip(case.tuples, of, strict=True)]
    left = {source: [inf] for side in registered for source in side}  # the least time after its tuple n, n downwards
    for t, source in reversed(list(zip(case.tuples, own, strict=True))):
        left[source].append(min(left[source][-1], t.time))
    for seq, (t, source) in enumerate(zip(case.tuples, own, strict=True)):
        left[source].pop()
        join.push(source, Row(seq, t))
        if seq % every == every - 1:
            for sender, least in left.items():
                join.signal(sender, least[-1])
        yield
    join.flush()


class Chain:
    """A pipeline of the host library on a simulated ws_fjoin_chain with mask words, with random pauses and stalls.

    A FLUSH follows each pass: when it has left every lane, the part is finished.
    """

    def __init__(self, dut, idle: float, stall: float):
        self.dut = dut
        self.units, self.lanes, self.block = (int(getattr(dut, name).value) for name in ("UNITS", "LANES", "BLOCK"))
        self.slot_w, self.pass_w = int(dut.SLOT_W.value), int(dut.PASS_W.value)
        self.unit_w, self.word_w = (self.units - 1).bit_length(), len(dut.m_data) // self.lanes
        self.rows = 1 << self.slot_w
        self.idle, self.stall = pauses(idle, rng("idle")), pauses(stall, rng("stall"))
        self.probes: deque[tuple[int, bool]] = deque()  # key, last
        self.window: deque[tuple[int, bool, bool]] = deque()  # key, last, flush
        self.parts: list[tuple[Part, list[Pair]]] = []
        self.passes = [0] * self.lanes  # that have left each lane
        self.reported = 0
        cocotb.start_soon(self._run())

    def submit(self, part: Part) -> None:
        self.parts.append((part, []))
        self.probes += [(p.key.x, p is part.probes[-1]) for p in part.probes]
        self.window += [(w.key.x, w is part.window[-1], False) for w in part.window] + [(0, False, True)]

    def finished(self) -> list[tuple[Part, list[Pair]]]:
        first, self.reported = self.reported, min(self.passes)
        return self.parts[first : self.reported]

    async def _run(self) -> None:
        dut, noise = self.dut, rng("noise")
        mask = (1 << len(dut.s_probe_data)) - 1
        offered = {"probe": False, "window": False}
        while True:
            for side, queue in (("probe", self.probes), ("window", self.window)):
                offered[side] = bool(queue) and (offered[side] or not next(self.idle))
                word = queue[0] if offered[side] else tuple(noise.getrandbits(bits) for bits in (32, 1, 1))
                getattr(dut, f"s_{side}_valid").value = offered[side]
                getattr(dut, f"s_{side}_data").value = word[0] & mask
                getattr(dut, f"s_{side}_last").value = word[1]
                if side == "window":
                    dut.s_window_flush.value = word[2]
            ready = sum((not next(self.stall)) << lane for lane in range(self.lanes))
            dut.m_ready.value = ready
            await FallingEdge(dut.clk)
            for side, queue in (("probe", self.probes), ("window", self.window)):
                if offered[side] and int(getattr(dut, f"s_{side}_ready").value):
                    queue.popleft()
                    offered[side] = False
            taken = int(dut.m_valid.value) & ready
            for lane in range(self.lanes):
                if taken >> lane & 1:
                    self._take(lane, int(dut.m_flush.value), int(dut.m_data.value) >> lane * self.word_w)
            await RisingEdge(dut.clk)

    def _take(self, lane: int, flush: int, word: int) -> None:
        number = self.passes[lane]
        if flush >> lane & 1:
            self.passes[lane] += 1
            return
        part, found = self.parts[number]
        slot = word >> self.block & self.rows - 1
        unit = word >> self.block + self.slot_w & (1 << self.unit_w) - 1
        assert word >> self.block + self.slot_w + self.unit_w & (1 << self.pass_w) - 1 == number % (1 << self.pass_w)
        for n in range(self.block):
            if word >> n & 1:
                found.append((part.probes[unit + n].id, part.window[slot].id))


@cocotb.test()
async def pairs_of_both_windows(dut):
    """Tuple windows and time windows, in order, from the chain; then from the chain and from software in turn."""
    for name in ("s_probe_valid", "s_window_valid", "s_window_flush", "m_ready"):
        getattr(dut, name).value = 0
    await start(dut)
    chain = Chain(dut, 0.1, 0.2)
    for name, others in ((PLAYED[0], 0), (PLAYED[1], 0), (PLAYED[1], 1)):
        case, got = CASES[name], []
        dut.limit.value = case.join.limit
        before = len(chain.parts)
        join = join_of(case, [chain, *[software(case, 5)] * others], batch=30, slice_rows=8, id_bits=9, ordered=True)
        for _ in push(join, case, sources=2, every=20):
            while join.unfinished > 3:
                await RisingEdge(dut.clk)
                got += join.poll()
        while join.unfinished:
            await RisingEdge(dut.clk)
            got += join.poll()
        assert numbers(case, got) == sequence(case) and len(got) > 100
        assert join.results.duplicates and join.results.outside
        parts = [part for part, _ in chain.parts[before:]]
        assert len(parts) > 20 and any(len(part.window) == chain.rows for part in parts)  # too long for one pass


def simulate() -> None:
    parameters = {"UNITS": 8, "GROUP": 2, "BLOCK": 4, "LANES": 2, "PAIRS": 0, "PASS_W": 3, "SLOT_W": 5}
    run("fjoin_chain", PREDICATE="BAND", KEY_W=32, SIGNED=1, LIMIT_W=33, **parameters)
