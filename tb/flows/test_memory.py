"""The memory model of the benches: its data, its latencies, what a shared data bus and refresh cost, its errors, and
that it notices a master that breaks AXI4's rules."""

from __future__ import annotations

import random
from collections import deque
from itertools import pairwise
from types import SimpleNamespace

import pytest

from tb.lib.memory import DECERR, DRAM, OKAY, PAGE, READ, SLVERR, WRITE, Memory, Timing

BEAT, INCR = 16, 1
FULL = (1 << BEAT) - 1


class Wires:
    """Takes the place of `Pins` of a simulated core."""

    def __getattr__(self, name: str) -> SimpleNamespace:
        wire = SimpleNamespace(value=0)
        setattr(self, name, wire)
        return wire

    def drive(self, **values: int) -> None:
        for name, value in values.items():
            getattr(self, name).value = value


class Master:
    """Bursts (address, beats) to read and (address, words, strobes) to write, as fast as the memory takes them.

    got: (cycle, word, response) of each R beat; done: (cycle, response) of each B; asked: cycle of each AR; sent: cycle
    and last of each W beat.
    """

    def __init__(self, reads=(), writes=(), *, seed: int = 1, **settings):
        self.pins = Wires()
        self.memory = Memory(self.pins, 8 * BEAT, generator=random.Random(seed), **settings)
        self.reads, self.writes = deque(reads), deque((at, len(words)) for at, words, _ in writes)
        self.words = deque(
            (word, strobes, n + 1 == len(words)) for _, words, strobes in writes for n, word in enumerate(words)
        )
        self.got, self.done, self.asked, self.sent = [], [], [], []

    def __getitem__(self, name: str) -> int:
        return getattr(self.pins, f"m_axi_{name}").value

    def drive(self) -> None:
        pins = {"rready": 1, "bready": 1, "arvalid": bool(self.reads), "awvalid": bool(self.writes)}
        pins["wvalid"] = bool(self.words)
        for channel, bursts in (("ar", self.reads), ("aw", self.writes)):
            if bursts:
                address, beats = bursts[0]
                pins |= {f"{channel}addr": address, f"{channel}len": beats - 1, f"{channel}size": 4}
                pins |= {f"{channel}burst": INCR, f"{channel}id": bursts[0][0] // BEAT % 16}
        if self.words:
            pins["wdata"], pins["wstrb"], pins["wlast"] = self.words[0]
        self.pins.drive(**{f"m_axi_{name}": value for name, value in pins.items()})

    def step(self) -> None:
        memory, now = self.memory, self.memory.now
        memory.drive()
        self.drive()
        took = {name: self[f"{name}valid"] and self[f"{name}ready"] for name in ("ar", "aw", "w", "r", "b")}
        if took["r"]:
            self.got.append((now, self["rdata"], self["rresp"]))
        if took["b"]:
            self.done.append((now, self["bresp"]))
        memory.sample()
        if took["ar"]:
            self.asked.append(now)
            self.reads.popleft()
        if took["aw"]:
            self.writes.popleft()
        if took["w"]:
            self.sent.append((now, self.words.popleft()[2]))

    def play(self, reads: int, writes: int, patience: int = 100_000) -> Master:
        """Until so many beats have been read and so many responses have come."""
        while len(self.got) < reads or len(self.done) < writes:
            self.step()
            assert self.memory.now < patience, "no progress"
        return self


def words(g: random.Random, beats: int) -> list[int]:
    return [g.getrandbits(8 * BEAT) for _ in range(beats)]


def streams(beats: int, burst: int) -> dict[str, list]:
    """As many beats to read as to write."""
    g = random.Random(2)
    places = range(0, beats * BEAT, burst * BEAT)
    return {"reads": [(at, burst) for at in places], "writes": [(at, words(g, burst), FULL) for at in places]}


def cycles(master: Master) -> dict[str, list[int]]:
    return master.memory.moved


@pytest.mark.parametrize("timing", [Timing(), Timing(latency=(3, 30), pause=0.4), DRAM, Timing(shared=True, open=1)])
def test_what_is_written_is_read(timing):
    """Bytes with strobes, in bursts of all lengths, once the responses have come."""
    g = random.Random(3)
    at, writes = 0, []
    while at < 12 * PAGE:
        beats = min(g.choice((1, 2, 16, g.randrange(1, 65))), (PAGE - at % PAGE) // BEAT)
        writes.append((at, words(g, beats), g.choice((FULL, g.getrandbits(BEAT)))))
        at += beats * BEAT
    master = Master(writes=writes, size=12 * PAGE, timing=timing)
    wanted = bytearray(master.memory.bytes)
    for address, data, strobes in writes:
        for n, byte in enumerate(b"".join(word.to_bytes(BEAT, "little") for word in data)):
            if strobes >> n % BEAT & 1:
                wanted[address + n] = byte
    master.play(0, len(writes))
    assert master.memory.bytes == wanted and {answer for _, answer in master.done} == {OKAY}
    assert [("aw", address, len(data)) for address, data, _ in writes] == master.memory.bursts
    master.reads.extend((address, len(data)) for address, data, _ in writes)
    master.play(len(wanted) // BEAT, 0)
    assert b"".join(word.to_bytes(BEAT, "little") for _, word, _ in master.got) == wanted


@pytest.mark.parametrize("least", [1, 20])
@pytest.mark.parametrize("most", [20, 60])
def test_latency(least, most):
    """Of single bursts: each within the bounds, and both bounds occur."""
    found = {READ: set(), WRITE: set()}
    master = Master(timing=Timing(latency=(least, most)))
    for n in range(1, 400):
        master.reads.append((0, 1))
        master.writes.append((0, 1))
        master.words.append((n, FULL, True))
        master.play(n, n)
        found[READ].add(master.got[-1][0] - master.asked[-1])
        found[WRITE].add(master.done[-1][0] - master.sent[-1][0])
    for latencies in found.values():
        assert (min(latencies), max(latencies)) == (least, most)


def test_independent_channels_move_a_beat_a_cycle_each():
    master = Master(**streams(1024, 16), timing=Timing(latency=(20, 20), open=64)).play(1024, 64)
    for moved in cycles(master).values():
        assert moved == list(range(moved[0], moved[0] + 1024))
    assert cycles(master)[READ][0] == 20 and master.done[-1][0] == cycles(master)[WRITE][-1] + 20


@pytest.mark.parametrize(("turnaround", "batch"), [(0, 64), (8, 64), (8, 16), (3, 40)])
def test_a_shared_bus_turns_around(turnaround, batch):
    """Between beats of different directions it is idle; a direction keeps it for whole bursts, until `batch` beats."""
    burst, beats = 16, 1024
    timing = Timing(latency=(1, 1), shared=True, turnaround=turnaround, batch=batch)
    moved = cycles(Master(**streams(beats, burst), timing=timing).play(beats, beats // burst))
    assert not set(moved[READ]) & set(moved[WRITE])
    both = sorted((now, side) for side, found in moved.items() for now in found)
    turns = [n for n in range(1, len(both)) if both[n][1] != both[n - 1][1]]
    assert {both[n][0] - both[n - 1][0] for n in turns} == {1 + turnaround}
    sizes = [after - before for before, after in pairwise(turns)]
    assert set(sizes[:-1]) == {-(-batch // burst) * burst}
    assert both[-1][0] - both[0][0] + 1 == 2 * beats + len(turns) * turnaround


def test_refresh():
    """No beat in the first cycles of each period, and one in every other cycle."""
    timing = Timing(latency=(1, 1), refresh=26, period=780)
    moved = cycles(Master(**streams(4096, 64), timing=timing).play(4096, 64))
    for found in moved.values():
        assert found == [now for now in range(found[0], found[-1] + 1) if now % 780 >= 26]


def test_errors():
    """Of the beats that are read and of the bursts that are written there; what is written there is lost."""
    faults = [(range(2 * BEAT, 3 * BEAT), SLVERR), (range(64 * BEAT, 66 * BEAT), DECERR)]
    reads = [(0, 4), (64 * BEAT, 4)]
    writes = [(at, [0] * 4, FULL) for at, _ in reads] + [(128 * BEAT, [0], FULL)]
    master = Master(reads, writes, faults=faults)
    before = bytes(master.memory.bytes)
    master.play(8, 3)
    assert [answer for *_, answer in master.got] == [OKAY, OKAY, SLVERR, OKAY, DECERR, DECERR, OKAY, OKAY]
    assert [answer for _, answer in master.done] == [SLVERR, DECERR, OKAY]
    zero = {at for first in (0, 64, 128) for at in range(first * BEAT, (first + (4 if first < 128 else 1)) * BEAT)}
    zero -= {at for bad, _ in faults for at in bad}
    assert all(byte == (0 if at in zero else before[at]) for at, byte in enumerate(master.memory.bytes))


def test_ids_come_back():
    """Each with its beats and its response; here the id is that of the address."""
    places = [n * BEAT for n in (3, 1, 15, 7, 7, 2)]
    master = Master([(at, 2) for at in places], [(at, [1], FULL) for at in places], id_w=4, timing=DRAM)
    read, answered = [], []
    while len(answered) < 6 or len(read) < 12:
        master.step()
        read += [master["rid"]] * (len(master.got) - len(read))
        answered += [master["bid"]] * (len(master.done) - len(answered))
    assert read == [n for n in (3, 1, 15, 7, 7, 2) for _ in range(2)] and answered == [3, 1, 15, 7, 7, 2]


def broken(rule: str) -> Master:
    match rule:
        case "crosses a page":
            return Master([(PAGE - BEAT, 2)])
        case "misaligned":
            return Master([(8, 1)])
        case "outside":
            return Master([(1 << 16, 1)])
        case "early wlast":
            master = Master(writes=[(0, [1, 2], FULL)])
            master.words[0] = (1, FULL, True)
            return master
        case "late wlast":
            master = Master(writes=[(0, [1, 2], FULL)])
            master.words[1] = (2, FULL, False)
            return master
    raise ValueError(rule)


@pytest.mark.parametrize("rule", ["crosses a page", "misaligned", "outside", "early wlast", "late wlast"])
def test_a_broken_burst_is_noticed(rule):
    with pytest.raises(AssertionError, match=r"^(ar|w): "):
        broken(rule).play(1, 1, patience=100)


@pytest.mark.parametrize("channel", ["ar", "aw", "w"])
@pytest.mark.parametrize("change", ["changed", "withdrawn"])
def test_a_master_that_does_not_wait_is_noticed(channel, change):
    """What waits must stay."""
    master = Master([(0, 1)] * 9, [(0, [1], FULL)] * 9, timing=Timing(latency=(50, 50), open=1, pause=0.5))
    with pytest.raises(AssertionError, match=f"^{channel}: {change}"):
        for _ in range(100):
            master.step()
            waits = master[f"{channel}valid"] and not master[f"{channel}ready"]
            queue = {"ar": master.reads, "aw": master.writes, "w": master.words}[channel]
            if waits and change == "changed":
                queue[0] = (BEAT, 1) if channel != "w" else (2, FULL, True)
            elif waits:
                queue.clear()
