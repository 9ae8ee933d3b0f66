"""window: every copy sees exactly the tuples of its windows, in order, and their ends; latency, rate, reset."""

from collections import defaultdict

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.bench import rng, start, text
from tb.lib.contract import hold
from tb.lib.model import PUNCTUATION, START, TUPLE, Punctuator
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle
from wirestream.compiler import cores

NUMBER_W = 16  # data: a number above the attribute


class Bench:
    """Drives the tuple bus; records what each copy received: (cycle of the end, its data, tuples) for each window."""

    def __init__(self, dut):
        self.dut, self.g = dut, rng("noise")
        self.data_w, self.wattr_w = len(dut.s_data), len(dut.wattr)
        self.size, self.advance, self.copies, self.latency = (
            int(getattr(dut, name).value) for name in ("SIZE", "ADVANCE", "COPIES", "REGISTERED")
        )
        self.close_cycles = 2 if self.latency == 2 and text(dut.UNIT) != "TUPLES" else 1
        hold(dut, cores.Window, latency=self.latency, close_cycles=self.close_cycles)
        self.forget()
        self.drive()

    def forget(self) -> None:
        self.sent: list[tuple[int, str, int]] = []  # cycle, kind, data
        self.windows: list[tuple[int, int, int, list[int]]] = []  # cycle, copy, data with eos, tuples
        self.puncts: list[tuple[int, int, int]] = []  # cycle, copy, data
        self.ends: list[tuple[int, int]] = []  # cycle, m_end
        self.open: dict[int, list[int]] = defaultdict(list)
        self.punct_at = -2

    def drive(self, kind: str = "", eos: bool = False, data: int | None = None) -> None:
        data = self.g.getrandbits(self.data_w) if data is None else data
        self.dut.s_valid.value, self.dut.s_punct.value = kind == "tuple", kind == "punct"
        self.dut.s_eos.value, self.dut.s_data.value = eos, data
        self.dut.wattr.value = data & (1 << self.wattr_w) - 1

    async def start(self) -> None:
        await start(self.dut)
        cocotb.start_soon(self.watch())
        await ClockCycles(self.dut.clk, 1)

    async def watch(self) -> None:
        while True:
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            valid, punct, eos = (int(getattr(self.dut, f"m_{name}").value) for name in ("valid", "punct", "eos"))
            data = int(self.dut.m_data.value) if valid or punct or eos else 0
            if valid or punct or eos:
                self.ends.append((cycle(), int(self.dut.m_end.value)))
            for copy in range(self.copies):
                if valid >> copy & 1:
                    self.open[copy].append(data)
                if punct >> copy & 1:
                    self.puncts.append((cycle(), copy, data))
                if eos >> copy & 1:
                    self.windows.append((cycle(), copy, data, self.open.pop(copy, [])))

    async def step(self, kind: str = "", attribute: int = 0) -> None:
        if kind == "punct":
            while cycle() < self.punct_at + self.close_cycles:
                await self.step()
            self.punct_at = cycle()
        data = self.g.getrandbits(NUMBER_W) << self.wattr_w | attribute
        self.drive(kind, data=data)
        if kind:
            self.sent.append((cycle(), kind, data))
        await ClockCycles(self.dut.clk, 1)
        self.drive()

    async def idle(self) -> None:
        while self.g.random() < 0.3:
            await self.step()

    def tuples(self) -> list[tuple[int, int]]:
        """(cycle, data) of the tuples sent."""
        return [(at, data) for at, kind, data in self.sent if kind == "tuple"]

    def check_turn(self) -> None:
        assert [copy for _, copy, *_ in self.windows] == [i % self.copies for i in range(len(self.windows))]

    async def check_tuples(self) -> None:
        """Window i holds i*ADVANCE ... i*ADVANCE + SIZE - 1 and ends with its last."""
        await ClockCycles(self.dut.clk, 3)
        sent, want = self.tuples(), []
        for i in range((len(sent) - self.size) // self.advance + 1):
            inside = sent[i * self.advance : i * self.advance + self.size]
            at, data = inside[-1]
            want.append((at + self.latency, i % self.copies, data, [data for _, data in inside]))
        assert self.windows == want
        puncts = [(at, data) for at, kind, data in self.sent if kind == "punct"]
        assert [(at - self.latency, data) for at, _, data in self.puncts] == puncts
        for at, copy, _ in self.puncts:  # to the copy that closes next
            assert copy == len([w for w in self.windows if w[0] < at]) % self.copies

    async def check_time(self) -> None:
        """Each window that ended holds the tuples in its span; windows with tuples were not skipped."""
        await ClockCycles(self.dut.clk, 3)
        mask = (1 << self.wattr_w) - 1
        first = self.sent[0][2] & mask  # the first punctuation
        last = max(data & mask for _, kind, data in self.sent if kind == "punct")
        ended = {}
        for at, _, data, inside in self.windows:
            end = data & mask
            assert (at - self.latency, "punct", data) in self.sent
            assert (end - first - self.size) % self.advance == 0
            ended[end] = inside
        assert list(ended) == sorted(ended)
        for end in range(first + self.size, last + 1, self.advance):
            inside = [data for _, data in self.tuples() if end - self.size <= data & mask < end]
            assert ended.get(end, []) == inside
            assert end in ended or not inside
        assert [(at, copy, data) for at, copy, data, _ in self.windows] == self.puncts
        self.check_turn()
        closed, oldest = {at: data & mask for at, _, data, _ in self.windows}, first + self.size
        for at, end in self.ends:
            oldest = closed.get(at, oldest)
            assert end == oldest
            oldest += self.advance * (at in closed)


async def bench(dut) -> Bench:
    b = Bench(dut)
    await b.start()
    return b


@cocotb.test()
async def windows(dut):
    """Random tuples with idle cycles, punctuations among them; time advances in steps and leaps."""
    b = await bench(dut)
    if text(dut.UNIT) == "TUPLES":
        for _ in range(200):
            await b.step("tuple")
            await b.idle()
            if b.g.random() < 0.1:
                await b.step("punct")
        await b.check_tuples()
        return
    reference = Punctuator(range=b.size, slide=b.advance, slack=int(dut.SLACK.value))
    await play(b, reference, 5000)
    await b.check_time()
    assert len(b.windows) > 20


async def play(b: Bench, reference: Punctuator, now: int) -> None:
    for _ in range(300):
        leap = 5 * (b.size + b.advance) if b.g.random() < 0.03 else b.g.choice((0, 1, b.advance // 3))
        now += leap
        for name, at in reference.take(TUPLE, now - b.g.randint(0, reference.slack)):
            if name in ("tuple", "punct"):
                await b.step(name, at)
                await b.idle()
    for _, at in reference.take(PUNCTUATION, now + 3 * (b.size + b.advance)):
        await b.step("punct", at)


@cocotb.test()
async def every_cycle(dut):
    """A tuple a cycle; a punctuation every CLOSE_CYCLES."""
    b = await bench(dut)
    began, count = cycle(), 6 * (b.size + b.advance)
    if text(dut.UNIT) == "TUPLES":
        for _ in range(count):
            await b.step("tuple")
        assert cycle() - began == count
        await b.check_tuples()
        assert len(b.windows) >= 3
        return
    reference = Punctuator(range=b.size, slide=b.advance, slack=int(dut.SLACK.value))
    for kind, time in [(TUPLE, 1000)] * 20 + [(PUNCTUATION, 1000 + 2 * b.size)]:
        for name, at in reference.take(kind, time):
            await b.step(name, at)
    puncts = [kind == "punct" for _, kind, _ in b.sent]
    waits = sum(map(min, puncts, puncts[1:])) * (b.close_cycles - 1)
    assert cycle() - began == len(b.sent) + waits
    await b.check_time()


@cocotb.test()
async def reset_forgets(dut):
    """In mid-window: the windows of the next session start over, in copy 0."""
    b = await bench(dut)
    for session in range(2):
        b.forget()
        if text(dut.UNIT) == "TUPLES":
            for _ in range(b.size + b.advance // 2 + 1):
                await b.step("tuple")
            await b.check_tuples()
        else:
            reference = Punctuator(range=b.size, slide=b.advance, slack=int(dut.SLACK.value))
            reference.take(START)
            await play(b, reference, 3000 - 1000 * session)
            await b.check_time()
            await b.step("punct", (1 << b.wattr_w) - 1)  # the attribute's largest: the next session is far below
            await b.step("tuple", (1 << b.wattr_w) - 1)
        dut.rst.value = 1
        b.drive("tuple", eos=True)
        await ClockCycles(dut.clk, 1)
        dut.rst.value = 0
        b.drive()
        await ClockCycles(dut.clk, 2)


# Overlapping windows, tumbling ones, ones with gaps; SIZE no multiple of ADVANCE; spare copies; 0 to 2 stages.
MATRIX = [
    {"UNIT": "TUPLES", "SIZE": 4, "ADVANCE": 1, "COPIES": 4, "REGISTERED": 0},
    {"UNIT": "TUPLES", "SIZE": 7, "ADVANCE": 3, "COPIES": 4},
    {"UNIT": "TUPLES", "SIZE": 1, "ADVANCE": 3, "COPIES": 1},
    {"UNIT": "TIME", "SIZE": 100, "ADVANCE": 30, "SLACK": 45, "COPIES": 5, "REGISTERED": 2},
    {"UNIT": "TIME", "SIZE": 20, "ADVANCE": 50, "SLACK": 15, "COPIES": 2, "REGISTERED": 0},
    {"UNIT": "TIME", "SIZE": 10**10, "ADVANCE": 10**9, "SLACK": 3 * 10**9, "COPIES": 13, "WATTR_W": 64},  # nanoseconds
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: f"{p['UNIT']}-{p['SIZE']}-{p['ADVANCE']}")
def test_window(parameters):
    run("window", **parameters, DATA_W=NUMBER_W + parameters.get("WATTR_W", 32))


def test_four_state():
    run_four_state("window", "windows", **MATRIX[3], DATA_W=NUMBER_W + 32)
