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


async def cycle(dut, user: User, time: int | None = None, close: int | None = None) -> None:
    """A tuple of this time, or the close of the session that ends at `close`, or neither."""
    gap = int(dut.GAP.value)
    dut.add.value, dut.close.value = time is not None, close is not None
    dut.at.value, dut.at_end.value = time or 0, (time or 0) + gap
    await ReadOnly()
    assert close is None or (int(dut.open.value) and int(dut.end_first.value) == close)
    user.obey(time)
    await RisingEdge(dut.clk)


@cocotb.test()
async def users_hold_the_sessions(dut):
    """Tuples within SLACK of the latest, sessions closed as the watermark reaches their ends."""
    gap, slack, g, user = int(dut.GAP.value), int(dut.SLACK.value), rng("slots"), User(dut)
    dut.add.value = dut.close.value = dut.at.value = dut.at_end.value = 0
    await start(dut)
    latest, times, most, bridged = slack, [], 0, 0
    for _ in range(3000):
        latest += g.choice((0, 0, 1, g.randrange(gap + 1), g.randrange(2 * gap + 2)))
        time = latest - g.randint(0, slack)
        while times and sessions(times, gap)[0][-1] + gap <= latest - slack:
            oldest = sessions(times, gap)[0]
            times = [t for t in times if t not in oldest]
            await cycle(dut, user, close=oldest[-1] + gap)
        before = len(sessions(times, gap))
        times.append(time)
        await cycle(dut, user, time)
        expected = sessions(times, gap)
        assert [sorted(slot) for slot in user.slots if slot] == expected
        most, bridged = max(most, len(expected)), bridged + (len(expected) < before)
        if g.random() < 0.2:
            await cycle(dut, user)
    assert most == user.size and (bridged or slack < 2)


MATRIX = [{"GAP": 30, "SLACK": 60}, {"GAP": 7, "SLACK": 20}, {"GAP": 5, "SLACK": 0}]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: f"{p['GAP']}-{p['SLACK']}")
def test_session_slots(parameters):
    run("session_slots", TIME_W=33, **parameters)


def test_four_state():
    run_four_state("session_slots", "users_hold_the_sessions", TIME_W=33, **MATRIX[1])
