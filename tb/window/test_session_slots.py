"""session_slots: slots that follow its commands hold the sessions, whatever the order of the tuples."""

from itertools import chain
from typing import NamedTuple

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state


def sessions(times: list[int], gap: int) -> list[list[int]]:
    """By definition: sorted times, cut where the next one is `gap` away or more."""
    found: list[list[int]] = []
    for time in sorted(times):
        if found and time - found[-1][-1] < gap:
            found[-1].append(time)
        else:
            found.append([time])
    return found


class User:
    """Slots that hold the times of their tuples and follow the commands."""

    def __init__(self, dut):
        self.dut, self.size = dut, len(dut.take)
        self.slots: list[list[int]] = [[] for _ in range(self.size)]

    def bits(self, name: str) -> list[bool]:
        value = int(getattr(self.dut, name).value)
        return [bool(value >> i & 1) for i in range(self.size)]

    def obey(self, time: int | None) -> None:
        rise, fall, merge, take = map(self.bits, ("rise", "fall", "merge", "take"))
        begins, old = int(self.dut.begins.value), [*self.slots, []]
        for i in range(self.size):
            if take[i]:
                before = [] if begins else old[i] + (old[i + 1] if merge[i] else [])
                self.slots[i] = [*before, time]
            elif rise[i] or fall[i]:
                self.slots[i] = old[i - 1] if rise[i] else old[i + 1]


class Item(NamedTuple):
    time: int
    mark: int
    adds: bool


class Driver:
    """Moves items, adds and closes, a cycle each; checks `open` and `due` in every cycle."""

    def __init__(self, dut):
        self.dut, self.user, self.gap = dut, User(dut), int(dut.GAP.value)
        self.far: Item | None = None
        self.near: Item | None = None
        self.there: Item | None = None
        self.open: list[list[int]] = []  # expected times of the sessions
        self.most = self.bridged = 0
        self.rng = rng("closing")

    def due(self) -> int:
        """How many sessions end before the item that is there."""
        return sum(self.there is not None and times[-1] + self.gap <= self.there.mark for times in self.open)

    async def cycle(self, add: bool = False, close: bool = False, move: Item | None = None) -> None:
        """move: the item that becomes far."""
        dut = self.dut
        dut.add.value, dut.close.value, dut.move.value = add, close, move is not None
        dut.closing.value = close or (not add and self.rng.random() < 0.5)
        noise = self.rng.getrandbits(len(dut.at)), self.rng.getrandbits(len(dut.at))
        dut.at.value, dut.mark.value = move[:2] if move else noise
        await ReadOnly()
        assert int(dut.open.value) == bool(self.open)
        assert not self.open or int(dut.end_first.value) == self.open[0][-1] + self.gap
        assert self.there is None or int(dut.due.value) == (self.due() > 0)
        self.user.obey(self.there.time if add else None)
        if close:
            del self.open[0]
        if add:
            before, times = len(self.open), [self.there.time, *chain(*self.open)]
            self.open = sessions(times, self.gap)
            self.most, self.bridged = max(self.most, len(self.open)), self.bridged + (len(self.open) < before)
        assert [sorted(slot) for slot in self.user.slots[: len(self.open)]] == self.open
        if move:
            self.far, self.near, self.there = move, self.far, self.near
        await RisingEdge(dut.clk)


@cocotb.test()
async def users_hold_the_sessions(dut):
    """Tuples within SLACK of the latest, one a cycle or with pauses, sessions closed as the watermark reaches their
    ends: before the item that moves it, or together with it if it is not a tuple."""
    gap, slack, g = int(dut.GAP.value), int(dut.SLACK.value), rng("slots")
    for name in ("add", "close", "closing", "move", "at", "mark"):
        getattr(dut, name).value = 0
    await start(dut)
    driver, latest = Driver(dut), slack
    for number in range(40_000):
        if number >= 4000 and driver.most == driver.user.size:  # all slots at once are rare
            break
        latest += g.choice((0, 0, 1, g.randrange(gap + 1), g.randrange(2 * gap + 2)))
        coming, moved = Item(latest - g.randint(0, slack), latest - slack, adds=g.random() < 0.8), False
        while not moved:
            adds, due = driver.there is not None and driver.there.adds, driver.due()
            if g.random() < 0.1:
                await driver.cycle()
            moved = not due or (due == 1 and not adds and g.random() < 0.5)
            await driver.cycle(add=adds and not due, close=due > 0, move=coming if moved else None)
    assert driver.most == driver.user.size and (driver.bridged or slack < 2)


MATRIX = [{"GAP": 30, "SLACK": 60}, {"GAP": 7, "SLACK": 20}, {"GAP": 5, "SLACK": 0}]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: f"{p['GAP']}-{p['SLACK']}")
def test_session_slots(parameters):
    run("session_slots", TIME_W=33, **parameters)


def test_four_state():
    run_four_state("session_slots", "users_hold_the_sessions", TIME_W=33, **MATRIX[1])
