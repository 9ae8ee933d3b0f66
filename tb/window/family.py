"""Shared by the tests of all window cores: the query, a brute-force model, random streams, a bench and a shrinker.

A window core receives the outputs of ws_punctuator. After the punctuation that reaches a window's end it outputs the
window's row, if the window holds a tuple. Here an *item* is an input of the punctuator (a tuple, a sender's
punctuation, the start of a session), and an *event* is an output of it.

The model knows only windows and tuples, not panes or accumulators: the tuples of a window, in order of arrival, are a
list, and an aggregate is a function of that list in exact integers.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial, reduce
from math import gcd
from operator import or_, xor
from typing import NamedTuple

import numpy as np
from cocotb.triggers import FallingEdge

from tb.lib.bench import SEED, Pins, rng, start
from tb.lib.golden import load
from tb.lib.model import PUNCTUATION, START, TUPLE, Punctuator

FUNCTIONS = {
    "CNT": len,
    "SUM": sum,
    "MIN": min,
    "MAX": max,
    "FST": lambda values: values[0],
    "LST": lambda values: values[-1],
    "BOR": partial(reduce, or_),
    "XOR": partial(reduce, xor),
}
PAIRS = {"AMN": min, "AMX": max}  # by the upper half of a value; of equal ones Python gives the first
SPARK = {"CNT": "COUNT", "SUM": "SUM", "MIN": "MIN", "MAX": "MAX", "FST": "FIRST", "LST": "LAST"}
SPARK |= {"BOR": "BIT_OR", "XOR": "BIT_XOR"}
COLUMNS = ("Price", "Volume")  # of the goldens


@dataclass(frozen=True)
class Aggregate:
    """kind: a key of `FUNCTIONS` or `PAIRS`. column: the one of a tuple's values, as two's complement if signed."""

    kind: str
    signed: bool
    column: int


@dataclass(frozen=True)
class Query:
    """range, slide, slack: units of the windowing attribute. value_w, acc_w, wattr_w: bits of a value, of a result and
    of the attribute."""

    range: int
    slide: int
    slack: int
    aggregates: tuple[Aggregate, ...]
    value_w: int = 32
    acc_w: int = 64
    emit_empty: bool = False
    wattr_w: int = 32

    @property
    def top(self) -> int:
        """The largest time: a window core takes its attribute as not negative."""
        return 2**self.wattr_w - 1

    @property
    def columns(self) -> int:
        return 1 + max(a.column for a in self.aggregates)

    @property
    def parameters(self) -> dict[str, int | str]:
        """The parameters that every window core has."""
        return {
            "WATTR_W": self.wattr_w,
            "RANGE": self.range,
            "SLIDE": self.slide,
            "SLACK": self.slack,
            "AGGS": len(self.aggregates),
            "KINDS": "".join(a.kind for a in self.aggregates),
            "SIGNEDS": int("".join(str(int(a.signed)) for a in self.aggregates), 2),
            "VALUE_W": self.value_w,
            "ACC_W": self.acc_w,
            "EMIT_EMPTY": int(self.emit_empty),
        }

    def number(self, aggregate: Aggregate, bits: int) -> int:
        """A value's bits as the number that an aggregate takes."""
        return bits - (bits >> self.value_w - 1 << self.value_w) if aggregate.signed else bits

    def result(self, aggregate: Aggregate, inside: list[tuple[int | None, ...]]) -> int | None:
        """Exact; None is null."""
        column = [self.number(aggregate, t[aggregate.column]) for t in inside if t[aggregate.column] is not None]
        if column and aggregate.kind in PAIRS:
            return PAIRS[aggregate.kind](column, key=lambda number: number >> self.value_w // 2)
        return FUNCTIONS[aggregate.kind](column) if column or aggregate.kind == "CNT" else None

    def fits(self, aggregate: Aggregate, number: int) -> bool:
        if aggregate.signed and aggregate.kind != "CNT":
            return -(1 << self.acc_w - 1) <= number < 1 << self.acc_w - 1
        return 0 <= number < 1 << self.acc_w

    def ports(self, numbers: Iterable[int | None]) -> tuple[int, int, int]:
        """results, result_nulls and result_overflows of a row, the first aggregate in the most significant bits."""
        results = nulls = overflows = 0
        for aggregate, number in zip(self.aggregates, numbers, strict=True):
            results = results << self.acc_w | (number or 0) & (1 << self.acc_w) - 1
            nulls = nulls << 1 | (number is None)
            overflows = overflows << 1 | (number is not None and not self.fits(aggregate, number))
        return results, nulls, overflows


class Item(NamedTuple):
    """kind: TUPLE, PUNCTUATION or START. time: of a START, where its first window begins, or -1: from its first tuple.

    values: bits by column, None is null. None instead of the tuple: not selected, so it moves the watermark but does
    not reach the core.
    wait: idle cycles before each of its events.
    """

    kind: int
    time: int
    values: tuple[int | None, ...] | None = None
    wait: int = 0


class Event(NamedTuple):
    """name: tuple, punct or reset. ends: a window ends with this punctuation; row: its exact results, if it has a row.

    item: index of the item that causes it. jump: it also replaces the boundaries that are skipped.
    """

    name: str
    item: int
    time: int = 0
    values: tuple[int | None, ...] | None = None
    ends: bool = False
    row: tuple[int | None, ...] | None = None
    jump: bool = False


def events(query: Query, items: Iterable[Item], step: int | None = None) -> Iterator[Event]:
    """The outputs of a punctuator with `step`, and the row of each window's end."""

    def session(start_at: int) -> Punctuator:
        return Punctuator(
            query.range,
            query.slide,
            query.slack,
            start_at=None if start_at < 0 else start_at,
            emit_empty=query.emit_empty,
            step=step,
        )

    def passed(time: int) -> tuple[int, int]:
        """The number of steps, and of ends of windows, of the session up to a time."""
        since = time - punctuator.start
        return since // (step or query.slide), max(0, (since - query.range) // query.slide + 1)

    punctuator, held, latest = session(-1), [], 0
    for index, item in enumerate(items):
        if item.kind == START:
            punctuator, held = session(item.time), []
            yield Event("reset", index)
            continue
        for name, at in punctuator.take(item.kind, item.time):
            if name == "tuple" and item.values is not None:
                if (at - punctuator.start) % query.slide < query.range:  # else no window holds it
                    held.append((at, item.values))
                yield Event("tuple", index, at, item.values)
            elif name == "punct":
                jump = at > punctuator.start and passed(at - 1) != passed(latest)
                latest = at
                if at < punctuator.start + query.range or (at - punctuator.start - query.range) % query.slide:
                    assert not jump, "only a window's end may replace other boundaries"
                    yield Event("punct", index, at)
                    continue
                assert all(time >= at - query.range for time, _ in held), "a window with a tuple was skipped"
                inside = [values for time, values in held if time < at]
                assert not (jump and inside), "a punctuation that skips boundaries closes a window with a tuple"
                held = [(time, values) for time, values in held if time >= at + query.slide - query.range]
                row = tuple(query.result(a, inside) for a in query.aggregates) if inside or query.emit_empty else None
                yield Event("punct", index, at, ends=True, row=row, jump=jump)


# --- streams --------------------------------------------------------------------------------------------------------


def draw(query: Query, g: random.Random, sign: int = 1, nulls: float = 0.1) -> tuple[int | None, ...]:
    """One tuple's values: extremes, small ones, any, and a share of nulls.

    A sum may exceed its width and return into it; the overflow flag is then set although the result fits, which the
    model does not reproduce. Where a signed sum is narrow, all values therefore have one sign.
    """
    values = []
    for column in range(query.columns):
        most = (1 << query.value_w) - 1
        bits = g.choice((0, 1, most, most >> 1, (most >> 1) + 1, g.getrandbits(query.value_w)))
        bits = g.getrandbits(query.value_w) if g.random() < 0.5 else bits
        if any(a.column == column and a.kind == "BOR" for a in query.aggregates) and g.random() < 0.7:
            bits = g.choice((0, 1 << g.randrange(query.value_w)))  # else all bits would soon be 1
        narrow = query.acc_w < query.value_w + 24
        if narrow and any(a.column == column and a.kind == "SUM" and a.signed for a in query.aggregates):
            bits = bits & most >> 1 if sign > 0 else bits | (most >> 1) + 1
        values.append(None if g.random() < nulls else bits)
    return tuple(values)


def stream(
    query: Query,
    g: random.Random,
    sessions: int = 4,
    count: int = 300,
    leaps: float = 0.03,
    starts: bool = True,
) -> list[Item]:
    """`count` items per session: a clock that ticks, stays at a boundary, and leaps; tuples around it.

    starts: some sessions are given the start of their first window. leaps: how often the clock moves by more than a
    window, as a share; each may cause a punctuation for every pane of a window, and with `emit_empty` of several.
    """
    span = query.range + query.slide + query.slack
    farthest = (2 if query.emit_empty else 1000) * span
    pane = gcd(query.range, query.slide)
    items = []
    for _ in range(sessions):
        given = g.randrange(span) if starts and g.random() < 0.25 else -1
        items.append(Item(START, given, wait=g.choice((0, 0, 1, 2, 5, 50))))
        sign, nulls = g.choice((1, -1)), g.choice((0.1, 0.1, 0.9))
        busy = g.choice((0.2, 0.9))
        clock = g.choice((0, g.randrange(2 * span), g.randrange(query.top // 2), query.top - g.randrange(1, 4 * span)))
        clock = clock if given < 0 else given + g.randrange(span)
        for _ in range(count):
            match g.choices(("stay", "tick", "edge", "slide"), (40, 35, 20, 5))[0]:
                case "tick":
                    clock += g.randint(1, max(1, min(query.slide, query.range) // 4))
                case "edge":  # the watermark reaches a boundary, or stays one below it, or one above
                    ahead = -(clock - query.slack - g.choice((0, query.range))) % g.choice((pane, query.slide))
                    clock += max(0, ahead + g.choice((-1, 0, 1)))
                case "slide":
                    clock += query.slide
            if g.random() < leaps:
                clock += g.choice((query.range, span, g.randrange(span), g.randrange(farthest)))
            clock = min(clock, query.top)
            wait = 0 if g.random() < busy else g.choice((1, 1, 2, 3, 10))
            if g.random() < 0.04:
                time = clock + g.choice((-query.slack, 0, g.randint(-query.slack, query.slide)))
                items.append(Item(PUNCTUATION, min(max(0, time), query.top), wait=wait))
            else:
                lag = g.choice((0, query.slack, g.randint(0, query.slack), g.randint(0, query.slack)))
                lag += g.choice((1, 1, g.randrange(1, span))) if g.random() < 0.05 else 0
                values = draw(query, g, sign, nulls) if g.random() < 0.95 else None
                items.append(Item(TUPLE, clock - lag, values, wait))
        if g.random() < 0.7 and clock + 2 * span <= query.top:
            items.append(Item(PUNCTUATION, clock + 2 * span))
    return items


def of_golden(items: np.ndarray, starts_at: int = -1, symbol: bytes | None = None) -> list[Item]:
    """The items of a `tb.lib.golden.Golden`: values as in `COLUMNS`, a Volume of 0 is null; only `symbol` is selected,
    if it is given."""
    found, session = [], None
    for row in items:
        if row["session"] != session:
            session = row["session"]
            found.append(Item(START, starts_at))
        volume = int(row["Volume"])
        values = (int(row["Price"]) & 2**32 - 1, volume & 2**32 - 1 if volume else None)
        selected = symbol is None or row["Symbol"] == symbol
        found.append(Item(int(row["kind"]), int(row["Time"]), values if selected else None))
    return found


# --- the bench ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Core:
    """What a core's header states.

    latency: cycles from a closing punctuation to its row. close_cycles: minimum distance between punctuations.
    tuple_gap: minimum distance of a tuple from the punctuation before it. step: of the punctuator upstream. lanes:
    tuples per cycle.
    """

    latency: int
    close_cycles: int
    tuple_gap: int = 1
    step: int | None = None
    lanes: int = 1


def packed(
    happened: Iterable[Event], items: list[Item], lanes: int, g: random.Random | None
) -> Iterator[list[tuple[int, Event]]]:
    """The input of each cycle: an event other than a tuple, or tuples in the order of their lanes, each with its lane.

    g: draws the lanes to leave idle; None: no lane is left idle.
    """
    tuples: list[tuple[int, Event]] = []
    for event in happened:
        idle = 0
        while g and idle < lanes - 1 and g.random() < 0.2:
            idle += 1
        lane = idle + (tuples[-1][0] + 1 if tuples else 0)
        if tuples and (event.name != "tuple" or items[event.item].wait or lane >= lanes):
            yield tuples
            tuples, lane = [], idle
        if event.name == "tuple":
            tuples.append((lane, event))
        else:
            yield [(0, event)]
    if tuples:
        yield tuples


def environment(query: Query, core: Core, **more: object) -> dict[str, str]:
    """The settings that `Bench` reads inside the simulator."""
    return {"FAMILY": json.dumps({"query": asdict(query), "core": asdict(core), **more})}


def setting(name: str) -> object:
    """One setting of `environment`; None if it is missing, or outside the simulator."""
    return json.loads(os.environ.get("FAMILY", "{}")).get(name)


class Bench:
    """Drives a core with the events of items, and reports differences from the model, to the cycle."""

    query_type = Query
    outputs = ("results", "result_nulls", "result_overflows")  # of a row, in the order of `row`

    def __init__(self, dut):
        query = dict(setting("query"))
        self.query = self.query_type(**query | {"aggregates": tuple(Aggregate(**a) for a in query["aggregates"])})
        self.core = Core(**setting("core"))
        self.dut, self.pins, self.g, self.idle = dut, Pins(dut), rng("noise"), rng("lanes")
        self.data_w = len(dut.s_data)
        self.now = 0
        self.seen: list[tuple] = []
        self.counts: Counter[str] = Counter()

    def events(self, items: list[Item]) -> Iterator[Event]:
        return events(self.query, items, self.core.step)

    def row(self, event: Event) -> tuple[int, ...]:
        return self.query.ports(event.row)

    async def start(self) -> Bench:
        self._drive()
        await start(self.dut)
        await FallingEdge(self.dut.clk)
        return self

    def _drive(self, *on_lanes: tuple[int, Event]) -> int:
        """Set the inputs for this cycle, with noise on those that are not valid; returns s_data."""
        query, given = self.query, dict(on_lanes)
        data = self.g.getrandbits(self.data_w)
        times = values = nulls = 0
        for lane in reversed(range(self.core.lanes)):
            event = given.get(lane)
            name = event.name if event else ""
            time = event.time if name in ("tuple", "punct") else self.g.getrandbits(query.wattr_w)
            times = times << query.wattr_w | time
            for aggregate in query.aggregates:
                bits = event.values[aggregate.column] if name == "tuple" else self.g.getrandbits(query.value_w)
                nulls = nulls << 1 | (bits is None if name == "tuple" else self.g.getrandbits(1))
                values = values << query.value_w | (self.g.getrandbits(query.value_w) if bits is None else bits)
        names = {event.name for event in given.values()}
        self.pins.drive(
            rst="reset" in names,
            s_valid=sum(1 << lane for lane in given) if "tuple" in names else 0,
            s_punct="punct" in names,
            s_eos=0,
            s_data=data,
            wattr=times,
            values=values,
            nulls=nulls,
        )
        return data

    async def _cycle(self, *on_lanes: tuple[int, Event]) -> int:
        """One clock cycle with these events as input; records the outputs of the next; returns s_data.

        Inputs are set and outputs read in the middle of a cycle, at the falling edge."""
        pins = self.pins
        data = self._drive(*on_lanes)
        await FallingEdge(pins.clk)
        self.now += 1
        valid, punct, eos = int(pins.m_valid.value), int(pins.m_punct.value), int(pins.m_eos.value)  # int() raises on X
        if valid or eos:
            ports = tuple(int(getattr(pins, name).value) for name in self.outputs)
            self.seen.append((self.now, "row" if valid else "eos", int(pins.m_data.value), *ports))
        if punct:
            self.seen.append((self.now, "punct", int(pins.m_data.value)))
        return data

    async def play(self, items: list[Item], full: bool = False) -> str:
        """Reset the core and send the events of `items`; returns the first difference, or "".

        full: no lane is left idle needlessly."""
        core = self.core
        await self._cycle((0, Event("reset", 0)))
        self.seen.clear()
        expected: list[tuple] = []
        punct_at = -core.close_cycles - core.tuple_gap
        for on_lanes in packed(self.events(items), items, core.lanes, None if full else self.idle):
            _, event = on_lanes[0]
            least = {"punct": punct_at + core.close_cycles, "tuple": punct_at + core.tuple_gap}.get(event.name, 0)
            begin = max(self.now + items[event.item].wait, least)
            while self.now < begin:
                await self._cycle()
            at = self.now
            data = await self._cycle(*on_lanes)
            match event.name:
                case "punct":
                    punct_at = at
                    if event.row is not None:
                        expected.append((at + core.latency, "row", data, *self.row(event)))
                    if event.ends:
                        expected.append((at + core.latency + 1, "punct", data))
                case "reset":
                    expected = [e for e in expected if e[0] <= at]
                    punct_at = -core.close_cycles - core.tuple_gap
            for _, event in on_lanes:
                self._count(event)
        for _ in range(core.latency + core.close_cycles + 4):
            await self._cycle()
        if self.seen == expected:
            return ""
        at = next((i for i, (a, b) in enumerate(zip(self.seen, expected, strict=False)) if a != b), None)
        at = min(len(self.seen), len(expected)) if at is None else at
        seen, wanted = (self._text(found[at : at + 1]) for found in (self.seen, expected))
        return f"output {at}: {seen}, must be {wanted}"

    def _count(self, event: Event) -> None:
        self.counts[event.name] += 1
        self.counts["empty"] += event.ends and event.row is None
        self.counts["jump"] += event.jump
        if event.row is not None:
            self.counts["row"] += 1
            _, nulls, overflows = self.query.ports(event.row)
            self.counts["null"] += nulls != 0
            self.counts["overflow"] += overflows != 0

    def _text(self, found: list[tuple]) -> str:
        if not found:
            return "nothing"
        at, kind, data, *ports = found[0]
        text = f"cycle {at} {kind} data {data:x}"
        if ports:
            width = self.query.acc_w
            numbers = [ports[0] >> width * i & (1 << width) - 1 for i in reversed(range(len(self.query.aggregates)))]
            text += f" results {' '.join(f'{n:x}' for n in numbers)} nulls {ports[1]:b} overflows {ports[2]:b}"
        return text

    async def agree(self, items: list[Item], full: bool = False) -> None:
        """Fail with the smallest failing stream found, if `items` fails. full: as of `play`."""
        if why := await self.play(items, full):
            small, why = await shrink(items, why, partial(self.play, full=full))
            listed = "\n".join(f"    {item}," for item in small)
            raise AssertionError(f"SEED={SEED}: {why}\n{self.query}\nitems = [\n{listed}\n]")


async def shrink(
    items: list[Item], why: str, play: Callable[[list[Item]], Awaitable[str]], budget: int = 400
) -> tuple[list[Item], str]:
    """A smaller stream that still fails, and how: items are left out in ever smaller runs (delta debugging, Zeller),
    then the waits, then values are simplified. why: how `items` fails. budget: maximum number of calls of `play`."""

    async def fails(candidate: list[Item]) -> bool:
        nonlocal budget, items, why
        if budget == 0 or candidate == items:
            return False
        budget -= 1
        if found := await play(candidate):
            items, why = candidate, found
        return bool(found)

    run = len(items) // 2
    while run:
        at, shorter = 0, False
        while at < len(items):
            if await fails(items[:at] + items[at + run :]):
                shorter = True
            else:
                at += run
        run = run if shorter and run == 1 else run // 2
    await fails([item._replace(wait=0) for item in items])
    for at, item in enumerate(items):
        if item.values:
            plain = item._replace(values=(1,) * len(item.values))
            await fails([*items[:at], plain, *items[at + 1 :]])
    return items, why


# --- tests of any window core ---------------------------------------------------------------------------------------


async def random_streams(bench: Bench, streams: int = 3, **arguments: float) -> None:
    """Several streams with sessions; fails unless every kind of event and row has occurred."""
    query = bench.query
    wanted = {"tuple", "punct", "reset", "row", "null"} | ({"empty", "jump"} if not query.emit_empty else set())
    for number in range(streams):
        await bench.agree(stream(query, rng(f"stream {number}"), **arguments))
    assert not {name for name in wanted if not bench.counts[name]}, bench.counts


async def edges(bench: Bench) -> None:
    """Time zero, the largest time, two boundaries one tuple apart, one tuple at each, gaps of one and of many."""
    query, g = bench.query, rng("edges")
    r, s, k = query.range, query.slide, query.slack
    far = 5 * (r + s) if query.emit_empty else 10**9
    top = query.top

    def tuples(*times: int) -> list[Item]:
        return [Item(TUPLE, t, draw(query, g)) for t in times]

    for items in (
        [*tuples(0, 0, k, r - 1, r, r + k - 1 if k else r, r + k, r + k + s), Item(PUNCTUATION, 2 * (r + s))],
        [*tuples(top - r - s, top - k, top), Item(PUNCTUATION, top), *tuples(top)],
        [*tuples(*(k + s * i for i in range(1, 8))), Item(PUNCTUATION, 10 * s + r)],
        [*tuples(*(k + r + s * i + j for i in range(3) for j in (-1, 0))), Item(PUNCTUATION, 10 * s + 2 * r)],
        [*tuples(r + k), Item(PUNCTUATION, r + far), *tuples(r + far), Item(PUNCTUATION, far + 2 * (r + s))],
        [Item(PUNCTUATION, 3 * r + 1), *tuples(3 * r + 1), Item(PUNCTUATION, 5 * r + 5 * s), *tuples(9 * (r + s) + k)],
    ):
        await bench.agree([Item(START, -1), *items])


async def full_rate(bench: Bench) -> None:
    """Tuples in every cycle and lane, and their events at the minimum distances that the core allows."""
    query, g = bench.query, rng("rate")
    r, s, k = query.range, query.slide, query.slack
    clock, items = 10 * s, [Item(START, 10 * s)]
    for _ in range(4):
        items += [Item(TUPLE, clock + g.randint(0, min(k, r - 1)), draw(query, g)) for _ in range(50)]
        clock += max(s // 2, 1)
    items += [Item(PUNCTUATION, clock + 2 * (r + s) + k)]
    before = bench.now
    await bench.agree(items, full=True)
    happened = list(events(query, items, bench.core.step))
    puncts = sum(e.name == "punct" for e in happened)
    assert sum(e.name == "tuple" for e in happened) > 100
    cycles = list(packed(happened, items, bench.core.lanes, None))
    assert max(map(len, cycles)) == bench.core.lanes
    most = len(cycles) + puncts * max(bench.core.close_cycles, bench.core.tuple_gap)
    assert bench.now - before <= most + bench.core.latency + 2 * bench.core.close_cycles + 10


async def overflows(bench: Bench) -> None:
    """Where sums are narrow: the flag is set with the window that does not fit, and not with the next one that does."""
    query = bench.query
    unit = gcd(query.range, query.slide)
    most = (1 << query.value_w) - 1
    needed = 2 << query.acc_w - query.value_w
    items, clock = [Item(START, 0)], 0
    for _ in range(3):
        for values in (most >> 1, 0):
            for n in range(needed):
                items.append(Item(TUPLE, clock + n * unit // needed, (values,) * query.columns))
            clock += (2 * query.range // query.slide + 2) * query.slide
    items.append(Item(PUNCTUATION, clock + 2 * query.range))
    before = bench.counts.copy()
    await bench.agree(items)
    assert bench.counts["row"] - before["row"] > bench.counts["overflow"] - before["overflow"] > 0


async def equal_spark(bench: Bench) -> None:
    """For every golden in the `environment`: PySpark, the model and the core give the same rows."""
    for folder in setting("goldens"):
        golden = load(folder)
        items = of_golden(golden.items)
        columns = [golden.aggregates[f"{SPARK[a.kind]}_{COLUMNS[a.column]}"] for a in bench.query.aggregates]
        spark = [(row[1], numbers) for row, *numbers in zip(golden.rows, *columns, strict=True)]
        model = [(e.time, list(e.row)) for e in events(bench.query, items, bench.core.step) if e.row is not None]
        assert model == spark, folder
        assert spark, "an empty golden shows nothing"
        await bench.agree(items)


def without_slack(query: Query) -> Query:
    """The query with SLACK 0, and with FST and LST as well: cores that combine panes have these only with SLACK 0."""
    more = (Aggregate("FST", True, 0), Aggregate("LST", False, 1))
    return replace(query, slack=0, aggregates=query.aggregates + more)
