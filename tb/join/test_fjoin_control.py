"""fjoin_control: jobs in order through their steps, exact passes and batches, errors in the right job, cycles."""

from __future__ import annotations

from collections import Counter, deque
from itertools import pairwise

import cocotb
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state

BAD, READ_ERROR, WRITE_ERROR = 1, 2, 4
INPUTS = (
    *("start", "cancel", "restart", "next", "ring_address", "probe_ready", "window_ready", "s_window_valid"),
    *("s_window_error", "s_window_job", "m_window_ready", "probe_taken", "probe_error", "probe_job", "done"),
    *("written", "write_error", "results", "flushed", "full"),
)


class Around:
    """Host, readers, chain and writer; everything may pause. What the control says to them is written down by job.

    jobs: (probes, window tuples, errors). orders: {job: Counter of probe and window orders}. passes: window tuples of
    each pass by job. ended: (errors, results, end of results). tuples: the cycles of window tuples.
    """

    def __init__(self, dut, jobs, pause: float):
        self.dut, self.jobs, self.pause, self.g = dut, jobs, pause, rng("around")
        self.orders, self.passes, self.ended, self.tuples = {}, {}, [], []

    def stopped(self) -> bool:
        return self.g.random() < self.pause

    async def play(self) -> None:
        dut, g, units = self.dut, self.g, int(self.dut.UNITS.value)
        places = 1 << int(dut.QUEUE_W.value)
        posted = flushed = now = done_in = end = 0
        windows: deque[tuple[int, int, bool]] = deque()  # job, tuples left, whether one of them has an error
        probes: deque[tuple[int, bool]] = deque()  # job, error
        flushes: deque[tuple[int, bool]] = deque()  # job, write error
        begun, ready, self.started, self.first = [0, 0], False, None, None
        while len(self.ended) < len(self.jobs):
            assert now < 20000, "stuck"
            for name in INPUTS[:4]:
                getattr(dut, name).value = 0
            status = int(dut.status.value)
            if now % 4 == 0:
                ready = posted < len(self.jobs) and not status & 4 and not self.stopped()
                if ready:
                    n, w, errors = self.jobs[posted]
                    dut.probe_count.value, dut.window_count.value = n, w
                    dut.probe_address.value = 1 if errors & BAD else 16 * posted
                    dut.window_address.value = 16 * posted + 8
            elif now % 4 == 2 and ready and not status & 4:
                dut.start.value, posted = 1, posted + 1
                self.started = now if self.started is None else self.started
            taken = status & 2 and now % 3 == 0 and not self.stopped()
            dut.next.value = bool(taken)
            if taken:
                self.ended.append((status >> 4, int(dut.done_results.value), int(dut.done_end.value)))
            dut.probe_ready.value, dut.window_ready.value = not self.stopped(), not self.stopped()
            dut.m_window_ready.value = not self.stopped()
            window = windows[0] if windows and not self.stopped() else None
            dut.s_window_valid.value = window is not None
            dut.s_window_last.value = g.random() < 0.5 if window is None else window[1] == 1
            dut.s_window_job.value = (window[0] if window else g.randrange(places)) % places
            dut.s_window_error.value = g.random() < 0.5 if window is None else window[2] and window[1] == 1
            probe = probes.popleft() if probes and not self.stopped() else None
            dut.probe_taken.value = probe is not None
            dut.probe_job.value = (probe[0] if probe else g.randrange(places)) % places
            dut.probe_error.value = g.random() < 0.5 if probe is None else probe[1]
            dut.flushed.value, dut.results.value = 0, 0
            done = bool(flushes) and done_in == 0
            dut.done.value, dut.written.value = done, end
            dut.write_error.value = bool(flushes) and done_in == 3 and flushes[0][1]
            if flushes and done_in == 6:
                dut.results.value = 1
            if flushes and done_in == 4:
                dut.flushed.value = 1
            if done or not flushes:
                done_in = 8 + g.randrange(4)
            elif done_in < 8 or not probes:  # otherwise the chain has not begun
                done_in -= 1
            if done:
                flushes.popleft()
            elif flushes and done_in == 1:
                end += 8
            await FallingEdge(dut.clk)
            for place, kind in enumerate(("probe", "window")):
                if int(getattr(dut, f"{kind}_valid").value) and int(getattr(dut, f"{kind}_ready").value):
                    self.first = self.first or now
                    job = int(getattr(dut, f"{kind}_order").value) // 16
                    n, w, errors = self.jobs[job]
                    assert int(getattr(dut, f"{kind}_order_count").value) == (w if place else n) and job >= begun[place]
                    begun[place] = job
                    self.orders.setdefault(job, Counter())[kind] += 1
                    if place:
                        windows.append((job, w, bool(errors & READ_ERROR) and job % 2 == 0))
                    else:
                        probes.append((job, bool(errors & READ_ERROR) and job % 2 == 1))
            if window and int(dut.s_window_ready.value):
                job, left, error = windows.popleft()
                self.tuples.append(now)
                self.passes.setdefault(job, Counter())[int(dut.m_window_valid.value)] += 1
                if left > 1:
                    windows.appendleft((job, left - 1, error))
            if int(dut.m_window_flush.value) and int(dut.m_window_ready.value):
                flushes.append((flushed, bool(self.jobs[flushed][2] & WRITE_ERROR)))
                flushed += 1
            await RisingEdge(dut.clk)
            now += 1
        dut.next.value = 0
        await ClockCycles(dut.clk, 3)
        for job, (n, w, errors) in enumerate(self.jobs):
            batches = 0 if errors & BAD or not w else -(-n // units)
            wanted = Counter(probe=1, window=batches) if batches else None
            assert self.orders.get(job) == wanted, job
            assert self.passes.get(job, Counter()) == (Counter({1: batches * w}) if batches else Counter()), job
        assert [errors for errors, _, _ in self.ended] == [errors for _, _, errors in self.jobs]
        assert [(results, end) for _, results, end in self.ended] == [(1, 8 * n + 8) for n in range(len(self.jobs))]
        pairs = sum(n * w for n, w, errors in self.jobs if not errors & BAD)
        assert int(dut.count_evaluations.value) == pairs and int(dut.count_jobs.value) == len(self.jobs)
        assert int(dut.count_failed.value) == sum(bool(errors) for _, _, errors in self.jobs)
        assert int(dut.status.value) & 3 == 0


async def begin(dut) -> None:
    for name in INPUTS:
        getattr(dut, name).value = 0
    dut.ring_size.value, dut.idle.value = int(dut.BURST.value), 1
    await start(dut)


@cocotb.test()
async def jobs_in_order(dut):
    """Jobs of all sizes, good and bad, with and without pauses; the smoke test in four states."""
    await begin(dut)
    g, units = rng("jobs"), int(dut.UNITS.value)
    for pause in (0.0, 0.5):
        jobs = [(1, 1, 0), (0, 3, 0), (units, 2, 0), (5, 0, 0), (2, 2, BAD), (units + 1, 3, READ_ERROR)]
        jobs += [
            (g.randrange(1, 3 * units), g.randrange(1, 7), g.choice((0, 0, 0, BAD, READ_ERROR, WRITE_ERROR)))
            for _ in range(30)
        ]
        await Around(dut, jobs, pause).play()
        dut.rst.value = 1
        await RisingEdge(dut.clk)
        dut.rst.value = 0
        await RisingEdge(dut.clk)


@cocotb.test()
async def latency(dut):
    """From a start to the first order, and from a job's last window tuple to the next one's first."""
    await begin(dut)
    around = Around(dut, [(1, 40, 0)] * 4, 0.0)
    await around.play()
    assert around.first - around.started == 3
    gaps = [b - a for a, b in pairwise(around.tuples) if b - a > 1]
    assert gaps == [3] * 3, gaps


SMALL = {"UNITS": 4, "PROBES": 16, "ROWS": 64, "DATA_W": 64, "ADDR_W": 16, "BURST": 4, "QUEUE_W": 2, "PER": 1}


def test_cocotb():
    run("fjoin_control", **SMALL)


def test_four_state():
    run_four_state("fjoin_control", "jobs_in_order", **SMALL)
