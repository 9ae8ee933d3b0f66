"""union: nothing lost, order of inputs kept, exact latency, full rate, fairness, punctuations, sub-streams, reset."""

from dataclasses import dataclass

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import reset, rng, start
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.lockstep import KINDS, kinds
from wirestream.compiler import cores

NUMBER_W = 4  # bits of a tuple that hold the number of its input, above the attribute; the rest is a serial number


@dataclass(frozen=True)
class Seen:
    """What a tuple bus carried in a cycle."""

    cycle: int
    valid: int
    punct: int
    eos: int
    data: int


class Bench:
    """Drives all inputs, which are concatenated in wide ports, and records both sides cycle by cycle."""

    def __init__(self, dut):
        self.dut, self.inputs, self.width = dut, len(dut.s_valid), len(dut.m_data)
        self.attribute_w = int(dut.PUNCT_W.value)
        self.latency = 2 + int(dut.REGISTERED.value)
        self.places = 1 << int(dut.ADDR_W.value)
        self.cycle, self.serial, self.noise = 0, 0, rng("noise")
        self.sent: list[list[Seen]] = [[] for _ in range(self.inputs)]
        self.lost = [0] * self.inputs
        self.seen: list[Seen] = []

    async def step(self, carried: dict[int, tuple[str, int]] | None = None) -> None:
        """One cycle with these (kind, attribute) on the inputs with these numbers."""
        bits = [0, 0, 0]
        data = self.noise.getrandbits(self.width * self.inputs)
        for number, (kind, attribute) in (carried or {}).items():
            self.serial += 1
            value = (self.serial << NUMBER_W | number) << self.attribute_w | attribute
            value &= (1 << self.width) - 1
            place = number * self.width
            data = data & ~((1 << self.width) - 1 << place) | value << place
            bits = [old | bit << number for old, bit in zip(bits, KINDS[kind], strict=True)]
            if any(KINDS[kind]):
                self.sent[number].append(Seen(self.cycle, *KINDS[kind], value))
        for name, value in zip(("valid", "punct", "eos", "data"), (*bits, data), strict=True):
            getattr(self.dut, f"s_{name}").value = value
        await FallingEdge(self.dut.clk)
        lost = int(self.dut.evt_lost.value)
        self.lost = [total + (lost >> number & 1) for number, total in enumerate(self.lost)]
        control = [int(getattr(self.dut, f"m_{name}").value) for name in ("valid", "punct", "eos")]
        if any(control):
            assert control[:2] != [1, 1], f"valid and punct together in cycle {self.cycle}"
            self.seen.append(Seen(self.cycle, *control, int(self.dut.m_data.value)))
        self.cycle += 1
        await RisingEdge(self.dut.clk)

    async def drain(self) -> None:
        for _ in range(2 * self.inputs * self.places + 20):
            await self.step()

    def attribute(self, seen: Seen) -> int:
        return seen.data & (1 << self.attribute_w) - 1

    def number(self, seen: Seen) -> int:
        return seen.data >> self.attribute_w & (1 << NUMBER_W) - 1

    def latest(self, number: int) -> int:
        """The highest punctuation that the input has sent, -1 before the first."""
        return max((self.attribute(item) for item in self.sent[number] if item.punct), default=-1)

    def check(self) -> None:
        """Nothing lost, nothing twice, the order of each input, sub-streams, and the promise of each punctuation."""
        assert not any(self.lost)
        windows, told = 0, -1
        got: list[list[tuple[int, int]]] = [[] for _ in range(self.inputs)]
        for seen in self.seen:
            if seen.valid:
                got[self.number(seen)].append((windows, seen.data))
                assert self.attribute(seen) >= told, f"a tuple violates the punctuation {told}"
            if seen.punct:
                assert seen.data == self.attribute(seen) > told, "only the attribute, and only when it rises"
                told = self.attribute(seen)
            windows += seen.eos
        for number, items in enumerate(self.sent):
            wanted, window = [], 0
            for item in items:
                if item.valid:
                    wanted.append((window, item.data))
                window += item.eos
            assert got[number] == wanted, f"input {number}"
            assert windows == window, "every sub-stream ends once"
        assert told == min(self.latest(number) for number in range(self.inputs))


def quiet(dut) -> None:
    for name in ("valid", "punct", "eos", "data"):
        getattr(dut, f"s_{name}").value = 0


async def setup(dut) -> Bench:
    quiet(dut)
    await start(dut)
    return Bench(dut)


@cocotb.test()
async def streams_with_punctuations_and_windows(dut):
    """Random items on all inputs at sustainable rates; each input's attributes respect its punctuations."""
    bench, g = await setup(dut), rng("streams")
    count, top = bench.inputs, (1 << bench.attribute_w) - 1
    for _ in range(12):
        now = [max(bench.latest(number), 0) for number in range(count)]
        items = [[k for k in kinds(g, 12, idle=0) if k in ("tuple", "punct")] + ["last"] for _ in range(count)]
        while any(items):
            carried = {}
            for number in range(count):
                if items[number] and g.random() < 0.4 / count:
                    kind = items[number].pop(0)
                    if kind == "last":
                        kind = g.choice(["last", "punct_last", "eos"])
                    attribute = min(now[number] + g.randrange(3), top)
                    if kind.startswith("punct"):
                        now[number] = attribute
                    carried[number] = (kind, attribute)
            await bench.step(carried)
        await bench.drain()  # so that no input runs ahead by more than its queue holds
    bench.check()
    assert sum(seen.eos for seen in bench.seen) == 12


@cocotb.test()
async def latency_and_rate(dut):
    """One input alone at full rate; then all at once, whose items leave one a cycle without a pause."""
    bench = await setup(dut)
    for number in range(bench.inputs):
        for _ in range(20):
            await bench.step({number: ("tuple", 0)})
        await bench.drain()
        assert [s.cycle for s in bench.seen[-20:]] == [s.cycle + bench.latency for s in bench.sent[number]]
    for _ in range(20):
        await bench.step({number: ("tuple", 0) for number in range(bench.inputs)})
        for _ in range(bench.inputs - 1):
            await bench.step()
    await bench.drain()
    hold(dut, cores.Union, latency=bench.latency)
    together = [s.cycle for s in bench.seen[-20 * bench.inputs :]]
    first = bench.sent[0][20].cycle + bench.latency
    assert together == list(range(first, first + 20 * bench.inputs))
    bench.check()


@cocotb.test()
async def punctuations_rise_to_the_cycle(dut):
    """One at a time: a punctuation leaves after a fixed time if the minimum of the latest rises, otherwise none."""
    bench, g = await setup(dut), rng("rises")
    latest, told = [-1] * bench.inputs, -1
    wait = bench.latency + (bench.inputs - 1).bit_length() + 2
    for _ in range(60):
        number = g.randrange(bench.inputs)
        latest[number] = min(latest[number] + g.randrange(1, 5), (1 << bench.attribute_w) - 1)
        at = bench.cycle
        bench.seen.clear()
        await bench.step({number: ("punct", latest[number])})
        for _ in range(wait + 4):
            await bench.step()
        rises = min(latest) > told
        told = min(latest)
        assert bench.seen == ([Seen(at + wait, 0, 1, 0, told)] if rises else [])


@cocotb.test()
async def no_input_starves(dut):
    """While one input exceeds its rate, the others are served in time; every loss is reported."""
    bench, g = await setup(dut), rng("flood")
    for _ in range(400):
        carried = {number: ("tuple", 0) for number in range(1, bench.inputs) if g.random() < 0.05}
        await bench.step({0: ("tuple", 0), **carried})
    await bench.drain()
    times = {seen.data: seen.cycle for seen in bench.seen}
    for items in bench.sent[1:]:
        before = 0
        for item in items:
            bound = item.cycle + bench.latency + bench.inputs - 1
            assert times[item.data] <= max(bound, before + bench.inputs)
            before = times[item.data]
    missing = [sum(item.data not in times for item in items) for items in bench.sent]
    assert missing == bench.lost
    assert bench.lost[0] > 0 or bench.inputs == 1
    assert not any(bench.lost[1:])


@cocotb.test()
async def an_ended_input_waits(dut):
    """Until the others' sub-streams end: it takes no turn from them, its queue holds as much as the header says, and
    the loss of an item of any kind is reported."""
    bench, lost = await setup(dut), 7
    await bench.step({0: ("eos", 0)})
    for _ in range(bench.latency + 4):
        await bench.step()
    for n in range(bench.places + lost):
        kind = ("punct" if n % 2 else "tuple") if n < bench.places else ("punct", "tuple", "punct", "eos")[n % 4]
        await bench.step({0: (kind, 0), 1: ("tuple", 0)})
    for _ in range(bench.latency):
        await bench.step()
    assert bench.lost == [lost, *[0] * (bench.inputs - 1)]
    assert [s.cycle for s in bench.seen] == [s.cycle + bench.latency for s in bench.sent[1]]
    for number in range(1, bench.inputs):
        await bench.step({number: ("eos", 0)})
    await bench.drain()
    del bench.sent[0][-lost:]
    bench.lost[0] = 0
    bench.check()


@cocotb.test()
async def bursts_that_fit(dut):
    """As many tuples as the header allows, on new random inputs for each burst: no loss."""
    bench, g = await setup(dut), rng("bursts")
    spare = most = bench.places - 4
    for _ in range(60):
        favourites = g.sample(range(bench.inputs), g.randrange(1, bench.inputs + 1))
        for _ in range(g.randrange(1, 12)):
            spare = min(spare + 1, most)
            now = [number for number in favourites if g.random() < 0.95][: max(spare, 0)]
            spare -= len(now)
            await bench.step({number: ("tuple", 0) for number in now})
    await bench.drain()
    bench.check()


@cocotb.test()
async def reset_in_mid_stream(dut):
    """Discards the items held, an eos that waits for others and the latest punctuations."""
    bench = await setup(dut)
    await bench.step({0: ("punct_last", 3)})
    for _ in range(3):
        await bench.step({number: ("tuple", 1) for number in range(bench.inputs)})
    quiet(dut)
    await reset(dut)
    bench.seen.clear()
    bench.sent = [[] for _ in range(bench.inputs)]
    await bench.drain()
    assert not bench.seen
    for number in range(bench.inputs):
        await bench.step({number: ("tuple", 2)})
        await bench.step({number: ("punct_last", 2)})
    await bench.drain()
    bench.check()


@pytest.mark.parametrize(("n", "registered"), [(2, 1), (5, 0)])
def test_union(n, registered):
    run("union", N=n, REGISTERED=registered, DATA_W=34, ADDR_W=4, PUNCT_W=9)


def test_four_state():
    run_four_state("union", "streams_with_punctuations_and_windows", N=3, DATA_W=34, ADDR_W=4, PUNCT_W=9)
