"""session_slots: what it tells its users to do with their slots makes them the sessions, whatever the order is."""

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
    """Slots that hold the times of their tuples and do what they are told."""

    def __init__(self, dut):
        self.dut, self.size = dut, len(dut.take)
        self.slots: list[list[int]] = [[] for _ in range(self.size)]

    def told(self, name: str) -> list[bool]:
        value = int(getattr(self.dut, name).value)
        return [bool(value >> i & 1) for i in range(self.size)]

    def obey(self, time: int | None) -> None:
        rise, fall, merge, take = map(self.told, ("rise", "fall", "merge", "take"))
        begins, old = int(self.dut.begins.value), [*self.slots, []]
        for i in range(self.size):
            if take[i]:
                before = [] if begins else old[i] + (old[i + 1] if merge[i] else [])
                self.slots[i] = [*before, time]
            elif rise[i] or fall[i]:
                self.slots[i] = old[i - 1] if rise[i] else old[i + 1]


class Driver:
    """Moves items in, adds and closes, a cycle each; what is due is checked in all of them."""

    def __init__(self, dut, user: User):
        self.dut, self.user, self.gap = dut, user, int(dut.GAP.value)
        self.item: tuple[int, int] | None = None  # time and mark of the one that is there

    async def cycle(
        self, add: bool = False, close: bool = False, move: tuple[int, int] | None = None, again: int | None = None
    ) -> None:
        """move: time and mark of the item that comes in. again: another mark of the one that is there."""
        dut, user = self.dut, self.user
        dut.add.value, dut.close.value, dut.move.value, dut.again.value = (
            add,
            close,
            move is not None,
            again is not None,
        )
        dut.at.value = move[0] if move else 0
        dut.mark.value = move[1] if move else again or 0
        await ReadOnly()
        ends = [max(slot) + self.gap for slot in user.slots if slot]
        assert int(dut.open.value) == bool(ends) and (not ends or int(dut.end_first.value) == ends[0])
        if self.item:
            assert int(dut.due.value) == (bool(ends) and ends[0] <= self.item[1])
        user.obey(self.item[0] if add else None)
        if move or add:
            self.item = move
        elif again is not None:
            self.item = self.item[0], again
        await RisingEdge(dut.clk)


@cocotb.test()
async def users_hold_the_sessions(dut):
    """Tuples within SLACK of the latest, one a cycle or with pauses, sessions closed as the watermark reaches their
    ends; now and then a tuple's mark is known only when it is there."""
    gap, slack, g, user = int(dut.GAP.value), int(dut.SLACK.value), rng("slots"), User(dut)
    for name in ("add", "close", "move", "again", "at", "mark"):
        getattr(dut, name).value = 0
    await start(dut)
    driver = Driver(dut, user)
    latest, times, most, bridged, added = slack, [], 0, 0, False
    for _ in range(3000):
        latest += g.choice((0, 0, 1, g.randrange(gap + 1), g.randrange(2 * gap + 2)))
        time, mark = latest - g.randint(0, slack), latest - slack
        late_mark = g.random() < 0.1
        coming = time, 0 if late_mark else mark
        if added and g.random() < 0.2:
            await driver.cycle(add=True)
            added = False
        await driver.cycle(add=added, move=coming)  # the one before it is added as this one comes
        if late_mark:
            await driver.cycle(again=mark)
        while times and sessions(times, gap)[0][-1] + gap <= mark:
            oldest = sessions(times, gap)[0]
            times = [t for t in times if t not in oldest]
            await driver.cycle(close=True)
        before = len(sessions(times, gap))
        times.append(time)
        added = True
        if g.random() < 0.5:
            await driver.cycle()
        expected = sessions(times, gap)
        most, bridged = max(most, len(expected)), bridged + (len(expected) < before)
        assert [sorted(slot) for slot in user.slots if slot] == sessions(times[:-1], gap)
    assert most == user.size and (bridged or slack < 2)


MATRIX = [{"GAP": 30, "SLACK": 60}, {"GAP": 7, "SLACK": 20}, {"GAP": 5, "SLACK": 0}]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: f"{p['GAP']}-{p['SLACK']}")
def test_session_slots(parameters):
    run("session_slots", TIME_W=33, **parameters)


def test_four_state():
    run_four_state("session_slots", "users_hold_the_sessions", TIME_W=33, **MATRIX[1])
