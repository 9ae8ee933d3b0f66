"""The cocotb bench of compiled queries: rows must equal PySpark's, in the order and with the latency of the compiler.

CIRCUIT names a JSON file: `description` (of wirestream.compiler.description), `streams` (a .npy file with the records
of each input), `rows` (a .json file with the expected rows of each result, or null if only the circuit runs),
`constants` and, if streams are joined, `arrival` (the entry of each tuple, in the order of arrival). `ordered`: the
expected rows of tuples are in the order of arrival.
"""

from __future__ import annotations

import json
import os
import random
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import cocotb
import numpy as np
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib import tuplebus
from tb.lib.bench import rng, start
from tb.lib.model import Punctuator
from tb.lib.tuplebus import PUNCT, TUPLE, Seen, TupleBusDriver, TupleBusMonitor
from tb.window.sessions import Sessions
from wirestream.compiler.circuit import UNION_WAITS
from wirestream.compiler.description import load_schema
from wirestream.record.rows import Row, row_of
from wirestream.schema.tuples import Schema

ALONE = 40  # tuples that are sent while the joins are idle
DRAIN = 40  # latencies after which the queues of the joins are empty


def rows_of(seen: list[Seen], schema: Schema) -> list[Row]:
    records = (np.frombuffer(item.data.to_bytes(schema.record_bytes, "big"), schema.dtype)[0] for item in seen)
    return [row_of(record, schema) for record in records]


def paused(interval: int, generator: random.Random) -> Iterator[bool]:
    """A pattern of idle cycles: some runs of tuples at the full rate, others with random pauses."""
    while True:
        idle = 0.0 if generator.random() < 0.5 else 0.5
        for _ in range(generator.randrange(1, 80)):
            yield from [True] * (interval - 1)
            while generator.random() < idle:
                yield True
            yield False


def items(stream: np.ndarray, entry: dict, selected: list[bool]) -> Iterator[tuple[int, int]]:
    """The items that the circuit's entry makes of the stream: (record, kind). entry: its description; selected: whether
    each record fulfils the condition of sessions."""
    window, step = entry["window"], entry["step"]
    if window is None:
        yield from ((int.from_bytes(record.tobytes(), "big"), TUPLE) for record in stream)
        return
    attribute = window["attribute"]
    if window["unit"] == "session":
        yield from of_sessions(stream, window, selected)
        return
    names = {"size": "range", "advance": "slide", "slack": "slack", "start": "start_at", "max_ahead": "max_ahead"}
    names |= {"resync": "resync", "emit_empty": "emit_empty"}
    punctuator = Punctuator(**{theirs: window[ours] for ours, theirs in names.items()}, step=step)
    noise = np.frombuffer(b"~" * stream.dtype.itemsize, stream.dtype).copy()
    for record in stream:
        for event in punctuator.take(TUPLE, int(record[attribute])):
            if event.name == "punct":
                noise[attribute] = event.value
                yield int.from_bytes(noise.tobytes(), "big"), PUNCT
            elif event.name == "tuple":
                yield int.from_bytes(record.tobytes(), "big"), TUPLE


def of_sessions(stream: np.ndarray, window: dict, selected: list[bool]) -> Iterator[tuple[int, int]]:
    """The items that ws_session_entry makes of the stream."""
    attribute = window["attribute"]
    sessions = Sessions(window["size"], window["slack"], window["start"] or 0, window["max_ahead"], window["resync"])
    noise = np.frombuffer(b"~" * stream.dtype.itemsize, stream.dtype).copy()
    for record, chosen in zip(stream, selected, strict=True):
        for name, at, _ in sessions.take(TUPLE, int(record[attribute]), selected=chosen):
            if name == "punct":
                noise[attribute] = at
                yield int.from_bytes(noise.tobytes(), "big"), PUNCT
            elif name == "tuple":
                yield int.from_bytes(record.tobytes(), "big"), TUPLE


async def answers(dut, entry: dict, stream: np.ndarray) -> list[bool]:
    """The result of the condition in front of the entry for each record; one record is sent per cycle."""
    if entry["where"] is None:
        return [True] * len(stream)
    verdicts, prefix = [], entry["prefix"]
    for cycle in range(len(stream) + entry["where"]):
        if cycle < len(stream):
            getattr(dut, f"{prefix}_where_data").value = int.from_bytes(stream[cycle].tobytes(), "big")
        await ReadOnly()
        if cycle >= entry["where"]:
            verdicts.append(bool(int(getattr(dut, f"{prefix}_where").value)))
        await RisingEdge(dut.clk)
    return verdicts


class Side:
    """An entry that `in_order` drives."""

    def __init__(self, dut, entry: dict, stream: np.ndarray):
        self.signals = {name: getattr(dut, f"{entry['prefix']}_{name}") for name in ("valid", "eos", "data")}
        self.records = iter([int.from_bytes(record.tobytes(), "big") for record in stream])
        self.noise = rng(f"{entry['prefix']} idle")
        self.sent: list[Seen] = []
        self._sendQ = ()

    def drive(self, send: bool, eos: bool = False) -> None:
        """Drive the entry in this cycle."""
        if send:
            self.sent.append(Seen(tuplebus.cycle(), next(self.records)))
        self.signals["valid"].value, self.signals["eos"].value = send, eos
        noise = self.noise.getrandbits(len(self.signals["data"]))  # noise: a core must not read data that is not valid
        self.signals["data"].value = self.sent[-1].data if send else noise


async def in_order(
    dut, description: dict, sides: list[Side], arrival: list[int], joined: list[TupleBusMonitor]
) -> list[int]:
    """Send the tuples of all entries in one order, then an eos, which every join outputs. Tuples are sent as late after
    `ready` as is allowed, some of two entries in the same cycle; `room` is random. Raises if a tuple is lost.

    In between, `ALONE` tuples are sent one by one, each after the rows of the previous one have left; `room` is high.
    Returns their cycles, and that of the next tuple."""
    grace, left = description["grace"], deque(arrival)
    longest = max(result["latency"] for result in description["results"])
    start, alone, quiet, before = len(arrival) * 2 // 3, [], 0, 0
    pairs = {tuple(r["sides"]) for r in description["results"] if r["sides"]}
    rooms, idle, generator = paused(1, rng("room")), paused(1, rng("order")), rng("same cycle")
    was_ready = deque([False] * (grace + 1), maxlen=grace + 1)
    refused, waited, ended = 0, 0, False
    while not all(any(item.eos for item in monitor.seen) for monitor in joined):
        sending: set[int] = set()
        count, place = sum(len(monitor.seen) for monitor in joined), len(arrival) - len(left)
        quiet, before = 0 if count > before else quiet + 1, count
        apart = start <= place <= start + ALONE
        settled = quiet >= (3 if alone else DRAIN) * longest
        if apart and left and settled:
            sending.add(left.popleft())
            alone.append(tuplebus.cycle())
        elif not apart and left and was_ready[0] and not next(idle):
            sending.add(left.popleft())
            first, second = next(iter(sending)), left[0] if left else None
            same = (second, first) not in pairs and first != second and (first, second) in pairs
            if same and generator.random() < 0.5:
                sending.add(left.popleft())
        quiet = 0 if sending else quiet
        eos = not left and not sending and not ended and was_ready[0]
        ended |= eos
        for number, side in enumerate(sides):
            side.drive(number in sending, eos)
        dut.room.value = apart or not next(rooms)
        await ReadOnly()
        was_ready.append(bool(int(dut.ready.value)))
        assert not int(dut.evt_lost.value), "a tuple was lost at the input of a join"
        refused += int(dut.evt_refused.value)
        waited += ended
        assert waited < 10**5, "a join does not output its eos"
        await RisingEdge(dut.clk)
    dut.room.value = 1
    assert not refused, "ROWS of a time window is too small for the test's tuples"
    return alone


def differences(name: str, got: list[Row], wanted: list[Row]) -> str:
    """The differences between two multisets of rows; empty if there are none."""
    many, few = Counter(got) - Counter(wanted), Counter(wanted) - Counter(got)
    return f"{name}: too many {list(many)[:3]}, missing {list(few)[:3]}" if many or few else ""


def out_of_order(result: dict, got: list[Row], wanted: list[Row], ordered: bool) -> str:
    """The first violation of the order that the compiler promises; empty if there is none. ordered: the expected rows
    of tuples are in the order of arrival."""
    order, name = result["order"], result["stream"]["name"]
    if order == "sorted" or (order == "arrival" and ordered):
        place = next((n for n, (a, b) in enumerate(zip(got, wanted, strict=True)) if a != b), None)
        words = f"in order{' of arrival' if order == 'arrival' else ''}"
        return f"{name}: row {place} is {got[place]}, {words} {wanted[place]}" if place is not None else ""
    if order == "arrival":
        return ""
    falls = [a for a, b in pairwise(dict(row)[order] for row in got) if b < a] if order else []
    return f"{name}: {order} falls from {falls[0]}" if falls else ""


def judge(result: dict, sent: list[Seen], rows: list[Seen], closes: bool) -> str:
    """What is wrong with the cycles in which the rows of a result left; empty if nothing is. For the latency of a join,
    whose input tuples wait in a queue, see `judge_alone`."""
    name, soonest = result["stream"]["name"], result["latency"] - result["early"]
    causes = [item.cycle for item in sent if item.kind == (PUNCT if closes else TUPLE)]
    most = max(result["closing_rows"] if closes else result["tuple_rows"], 1)
    allowed = most - 1 + result["wait"] + (0 if result["exact"] else result["early"] + UNION_WAITS)
    late = []
    for row in rows:
        nearest = bisect_right(causes, row.cycle - soonest)
        if not nearest:
            return f"{name}: a row after less than {soonest} cycles"
        late.append(row.cycle - soonest - causes[nearest - 1])
    if result["sides"]:
        return ""
    one = most == 1 and not result["wait"]
    first = result["exact"] and (one or not result["sifted"])  # at least the first row of a cause leaves
    if late and (max(late) > allowed or (first and min(late))):
        return f"{name}: rows {min(late)} to {max(late)} cycles later than {soonest}"
    return ""


def judge_alone(result: dict, alone: list[int], rows: list[Seen]) -> tuple[str, int]:
    """What is wrong with the rows of the tuples sent while the joins were idle (empty if nothing is), and the number of
    these rows. The first row of a tuple must leave within the latency, the others one per cycle. If a condition follows
    the join, any number of a tuple's `pairs` may precede a row."""
    cycles, latest = [row.cycle for row in rows], 0
    for cause, end in pairwise(alone):
        own = cycles[bisect_right(cycles, cause) : bisect_right(cycles, end)]
        before = [result["pairs"] - 1] * len(own) if result["sifted"] else range(len(own))
        latest = max([latest, *(cycle - cause - count for count, cycle in zip(before, own, strict=True))])
    count = bisect_right(cycles, alone[-1]) - bisect_right(cycles, alone[0])
    if latest > result["latency"]:
        return f"{result['stream']['name']}: a row after {latest} cycles, at most {result['latency']} promised", count
    return "", count


@cocotb.test()
async def circuit(dut):
    content = json.loads(Path(os.environ["CIRCUIT"]).read_text())
    description = content["description"]
    for name, constant in description["constants"].items():
        value, bits = content["constants"][name], constant["width"]
        if isinstance(value, str):
            value = int.from_bytes(value.encode().ljust(bits // 8, b"\0"), "big")
        getattr(dut, f"const_{name}").value = value & (1 << bits) - 1
    drivers = []
    if description["grace"] is not None:
        dut.room.value = 0
    for entry in description["entries"]:
        for signal in ("valid", "punct", "eos", "data"):
            getattr(dut, f"{entry['prefix']}_{signal}").value = 0
    await start(dut)
    await ClockCycles(dut.clk, max(entry["reset_cycles"] for entry in description["entries"]))
    streams = [np.load(stream) for stream in content["streams"]]
    chosen = [await answers(dut, e, stream) for e, stream in zip(description["entries"], streams, strict=True)]
    for entry, stream, selected in zip(description["entries"], streams, chosen, strict=True):
        idle = paused(entry["interval"], rng(entry["prefix"]))
        if description["grace"] is not None:
            drivers.append(Side(dut, entry, stream))
            continue
        driver = TupleBusDriver(dut, entry["prefix"], dut.clk, idle, entry["close_cycles"], entry["tuple_gap"])
        drivers.append(driver)
        for item in items(stream, entry, selected):
            driver.append(item)
    monitors = [TupleBusMonitor(dut, result["prefix"], dut.clk) for result in description["results"]]
    if description["grace"] is not None:
        joined = [m for m, result in zip(monitors, description["results"], strict=True) if result["sides"]]
        alone = await in_order(dut, description, drivers, content["arrival"], joined)
    while any(driver._sendQ for driver in drivers):
        await ClockCycles(dut.clk, 50)
    await ClockCycles(dut.clk, max(r["latency"] + r["wait"] + r["closing_rows"] for r in description["results"]) + 200)
    wrong, rows, rows_alone = [], 0, 0
    for result, monitor, expected in zip(description["results"], monitors, content["rows"], strict=True):
        name, schema = result["stream"]["name"], load_schema(result["stream"])
        entry, driver = ((found[result["entry"]]) for found in (description["entries"], drivers))
        seen = [item for item in monitor.seen if item.kind == TUPLE and not item.eos]
        if expected is not None:
            got = rows_of(seen, schema)
            wanted = [tuple(row.items()) for row in json.loads(Path(expected).read_text())]
            dut._log.info("%s: %d rows", name, len(got))
            rows += len(got)
            wrong.append(differences(name, got, wanted) or out_of_order(result, got, wanted, content["ordered"]))
        sides = [drivers[n].sent for n in result["sides"]] if result["sides"] else [driver.sent]
        sent = sorted((item for side in sides for item in side), key=lambda item: item.cycle)
        wrong.append(judge(result, sent, seen, entry["window"] is not None))
        if result["sides"]:
            fault, count = judge_alone(result, alone, seen)
            wrong.append(fault)
            rows_alone += count
    assert not any(wrong), "\n".join(filter(None, wrong))
    assert rows, "no rows"
    assert description["grace"] is None or rows_alone, "no rows of tuples sent while the joins were idle"
