"""fjoin_writer: every beat in the ring and in order, bursts padded by a FLUSH, a full ring, halt."""

from __future__ import annotations

from collections import deque
from itertools import accumulate, chain

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state

BASE = 0x1000


class Bench:
    """The writer, a memory and the reader of the ring; everything may pause.

    ring: the beats read from it. bursts: (place in beats, beats).
    """

    def __init__(self, dut):
        self.dut, self.g = dut, rng("writer")
        self.beat, self.burst = int(dut.DATA_W.value), int(dut.BURST.value)

    @classmethod
    async def setup(cls, dut) -> Bench:
        for name in ("halt", "s_valid", "s_flush", "taken", "aw_ready", "w_ready", "b_valid"):
            getattr(dut, name).value = 0
        dut.address.value, dut.size.value = BASE, int(dut.BURST.value)
        await start(dut)
        return cls(dut)

    async def play(self, jobs, blocks, *, idle=0.0, pause=0.0, slow=0.0, halt=0, cycles=0) -> None:
        """Beats of jobs, each followed by a FLUSH, into a ring of `blocks` bursts, until all are done; or for `cycles`.
        slow: probability that the ring is not read in a cycle. ends: the value of `written` when a job was done."""
        dut, g, size = self.dut, self.g, blocks * self.burst
        dut.size.value, dut.taken.value, dut.halt.value, dut.s_valid.value = size, 0, 0, 0
        await reset(dut, 2)
        memory, self.ring, self.bursts, self.ends = {}, [], [], []
        left, requested, answers = deque(item for beats in jobs for item in (*beats, None)), deque(), 0
        self.filled, taken, now, valid, offered = 0, 0, 0, False, False
        while len(self.ends) < len(jobs) and not (cycles and now >= cycles):
            valid = bool(left) and (valid or g.random() >= idle)
            beat = left[0] if valid else g.choice((None, g.getrandbits(self.beat)))
            dut.s_valid.value, dut.s_flush.value = valid, beat is None
            dut.s_data.value = g.getrandbits(self.beat) if beat is None else beat
            dut.aw_ready.value, dut.w_ready.value = g.random() >= pause, g.random() >= pause
            dut.b_valid.value = bool(answers) and g.random() >= pause
            dut.halt.value = bool(halt) and now >= halt
            await FallingEdge(dut.clk)
            if valid and int(dut.s_ready.value):
                valid = False
                left.popleft()
            if int(dut.done.value):
                self.ends.append(int(dut.written.value))
            answers -= int(dut.b_valid.value)
            assert not (halt and now > halt + 1 and int(dut.aw_valid.value) and not offered), "a burst after halt"
            offered = int(dut.aw_valid.value) and not int(dut.aw_ready.value)
            if int(dut.aw_valid.value) and int(dut.aw_ready.value):
                place, length = (int(dut.aw_addr.value) - BASE) * 8 // self.beat, int(dut.aw_len.value) + 1
                self.bursts.append((place, length))
                requested += [(place + n, n == length - 1) for n in range(length)]
            if int(dut.w_valid.value) and int(dut.w_ready.value):
                place, last = requested.popleft()
                assert last == int(dut.w_last.value) and place < size
                assert place not in memory, "overwritten"
                memory[place] = int(dut.w_data.value)
                answers += last
            self.filled += int(dut.full.value)
            written = int(dut.written.value)
            if g.random() >= slow:
                while taken != written:
                    self.ring.append(memory.pop(taken % size))
                    taken += 1
                    if slow:
                        break
            await RisingEdge(dut.clk)
            dut.taken.value = taken
            now += 1
        while taken < int(dut.written.value):
            self.ring.append(memory.pop(taken % size))
            taken += 1

    def wanted(self, jobs) -> tuple[list[int], list[int]]:
        """The contents of the ring, whole bursts for each job, and where each job ends."""
        filled = [[*beats, *[0] * (-len(beats) % self.burst)] for beats in jobs]
        return list(chain(*filled)), list(accumulate(map(len, filled)))


@cocotb.test()
async def beats_of_all_numbers(dut):
    """From no beat to many rounds of the ring, of one job and of several; everything pauses; the smoke test in four
    states."""
    bench = await Bench.setup(dut)
    burst, g = bench.burst, bench.g
    sizes = [[count] for count in (0, 1, burst - 1, burst, burst + 1, 5 * burst)]
    sizes += [[g.choice((0, 1, burst, g.randrange(5 * burst))) for _ in range(g.randrange(2, 7))] for _ in range(10)]
    for counts in sizes:
        jobs = [[g.getrandbits(bench.beat) for _ in range(count)] for count in counts]
        blocks = g.choice((1, 2, 3, 8))
        idle, pause, slow = g.choice(((0, 0, 0), (0.5, 0, 0), (0, 0.4, 0.2), (0.2, 0.2, 0.6)))
        await bench.play(jobs, blocks, idle=idle, pause=pause, slow=slow)
        assert (bench.ring, bench.ends) == bench.wanted(jobs), (counts, blocks)
        assert bench.bursts == [(n % blocks * burst, burst) for n in range(len(bench.ring) // burst)]


@cocotb.test()
async def a_beat_in_every_cycle(dut):
    """If nothing pauses; and a ring that is not read takes as many beats as it has places."""
    bench = await Bench.setup(dut)
    beats = [bench.g.getrandbits(bench.beat) for _ in range(20 * bench.burst)]
    await bench.play([beats], 40, cycles=len(beats) + 2 * bench.burst + 20)
    assert bench.ring == beats and not bench.filled
    await bench.play([beats], 3, slow=1.0, cycles=200)
    assert bench.ring == beats[: 3 * bench.burst] and bench.filled > 50


@cocotb.test()
async def halt(dut):
    """Bursts in flight complete, and none begins; a job after a reset works as usual."""
    bench = await Bench.setup(dut)
    beats = [bench.g.getrandbits(bench.beat) for _ in range(20 * bench.burst)]
    for at in (20, 35, 36, 37, 38, 39, 80):
        await bench.play([beats], 2, pause=0.3, halt=at, cycles=at + 100)
        assert int(dut.idle.value) and len(bench.ring) == sum(length for _, length in bench.bursts)
        assert bench.ring == beats[: len(bench.ring)]
        await bench.play([beats[:5]], 2)
        assert (bench.ring, bench.ends) == bench.wanted([beats[:5]])


PARAMETERS = {"DATA_W": 32, "ADDR_W": 16, "COUNT_W": 16, "BURST": 8, "FIFO_W": 5}


def test_cocotb():
    run("fjoin_writer", **PARAMETERS)


def test_four_state():
    run_four_state("fjoin_writer", "beats_of_all_numbers", **PARAMETERS)
