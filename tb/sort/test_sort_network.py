"""sort_network: every set against Python's sort, the contract's latency and issue rate to the cycle, equal keys,
payloads, unused outputs, sets that are too early, a reset with sets in flight."""

import os
from collections import Counter, deque

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng, start, text
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from wirestream.compiler import cores


class Model:
    """A simulated ws_sort_network: its parameters, and what its contract promises."""

    def __init__(self, dut):
        self.n, self.key_w, self.payload_w = (int(getattr(dut, name).value) for name in ("N", "KEY_W", "PAYLOAD_W"))
        self.width = self.key_w + self.payload_w
        self.outputs, self.stable = int(dut.OUTPUTS.value), int(dut.STABLE.value)
        # Icarus reads a string that is shorter than its parameter as an empty one.
        self.circuit, kind = (text(getattr(dut, name)) or os.environ[name] for name in ("CIRCUIT", "KIND"))
        numbers = {name: int(getattr(dut, name).value) for name in ("STEP", "SPLIT", "COMPARATORS")}
        contract = cores.SortNetwork(N=self.n, KIND=kind, CIRCUIT=self.circuit, **numbers)
        self.latency, self.interval = contract.latency, contract.interval

    def bits(self, elements: list[int]) -> int:
        return sum(element << at * self.width for at, element in enumerate(elements))

    def elements(self, bits: int) -> list[int]:
        return [bits >> at * self.width & (1 << self.width) - 1 for at in range(self.n)]

    def key(self, element: int) -> int:
        return element >> self.payload_w

    def draw(self, g) -> list[int]:
        """A set: any keys, few different ones, sorted, reversed, the extremes, or all equal."""
        top = (1 << self.key_w) - 1
        keys = g.choice(
            (
                [g.getrandbits(self.key_w) for _ in range(self.n)],
                [g.choice((0, 1, top - 1, top)) for _ in range(self.n)],
                sorted(g.getrandbits(self.key_w) for _ in range(self.n)),
                sorted((g.getrandbits(self.key_w) for _ in range(self.n)), reverse=True),
                [g.choice((0, top))] * self.n,
            )
        )
        return [key << self.payload_w | g.getrandbits(self.payload_w) for key in keys]

    def check(self, sent: list[int], found: list[int]) -> None:
        wanted = sorted(sent, key=self.key)
        used = [at for at in range(self.n) if self.outputs >> at & 1]
        assert all(found[at] == 0 for at in range(self.n) if at not in used)
        if self.stable:
            assert [found[at] for at in used] == [wanted[at] for at in used], sent
            return
        assert [self.key(found[at]) for at in used] == [self.key(wanted[at]) for at in used], sent
        assert not Counter(found[at] for at in used) - Counter(sent), sent


async def play(dut, model: Model, offered: list[list[int] | None], resets: frozenset[int] = frozenset()) -> int:
    """Offer a set, or none, in each cycle, and check the outputs of every cycle; returns the number of early sets."""
    g, pins, early = rng("noise"), Pins(dut), 0
    due: deque[list[int] | None] = deque([None] * model.latency)
    since = model.interval  # cycles since a set was taken
    for cycle, elements in enumerate(offered):
        valid, reset = elements is not None, cycle in resets
        bits = model.bits(elements) if valid else g.getrandbits(model.n * model.width)
        pins.drive(s_valid=int(valid), s_data=bits, rst=int(reset))
        taken = valid and since >= model.interval
        due.append(elements if taken else None)
        await FallingEdge(dut.clk)
        assert int(dut.evt_early.value) == (valid and not taken)
        early += valid and not taken
        wanted = due.popleft()
        assert int(dut.m_valid.value) == (wanted is not None), cycle
        if wanted is not None:
            model.check(wanted, model.elements(int(dut.m_data.value)))
        since = 1 if taken else since + 1
        if reset:
            due, since = deque([None] * model.latency), model.interval
        await RisingEdge(dut.clk)
    return early


async def setup(dut) -> Model:
    dut.s_valid.value = 0
    await start(dut)
    return Model(dut)


async def cycles_of_a_set(dut) -> int:
    """The cycles from a set at the input to one at the output."""
    Pins(dut).drive(s_valid=1)
    for cycles in range(1000):
        await FallingEdge(dut.clk)
        if int(dut.m_valid.value):
            await RisingEdge(dut.clk)
            return cycles
        await RisingEdge(dut.clk)
        Pins(dut).drive(s_valid=0)
    raise AssertionError("no set leaves")


@cocotb.test()
async def latency_and_rate(dut):
    """Sets at the full rate: each leaves exactly `latency` cycles after it entered."""
    model, g = await setup(dut), rng("sets")
    hold(dut, cores.SortNetwork, latency=await cycles_of_a_set(dut), interval=model.interval)
    idle = [None] * (model.interval - 1)
    sets = [slot for _ in range(200) for slot in (model.draw(g), *idle)]
    assert await play(dut, model, sets + [None] * model.latency) == 0


@cocotb.test()
async def random_sets(dut):
    """Sets with idle cycles in between, some of them too early, and resets with sets in flight."""
    model, g = await setup(dut), rng("pauses")
    sets = [model.draw(g) if g.random() < 0.7 else None for _ in range(600)]
    resets = frozenset(g.sample(range(600), 8)) if model.latency else frozenset()
    early = await play(dut, model, sets, resets)
    assert bool(early) == (model.interval > 1)


MATRIX = [
    {},
    {"STEP": 2, "N": 8, "KEY_W": 5, "PAYLOAD_W": 7, "STABLE": 1},
    {"CIRCUIT": "COMBINATIONAL", "N": 8, "KEY_W": 16, "KIND": "BITONIC", "PAYLOAD_W": 3},
    {"N": 8, "KEY_W": 32, "PAYLOAD_W": 32, "SPLIT": 1, "STABLE": 1},
    {"N": 8, "KIND": "EVEN_ODD", "OUTPUTS": 0b1000},
    {"N": 13, "KIND": "BEST", "KEY_W": 3, "PAYLOAD_W": 9, "OUTPUTS": 0b1_0000_0000_0101, "STEP": 4, "SPLIT": 1},
    {"N": 5, "KIND": "TRANSPOSITION", "KEY_W": 1, "PAYLOAD_W": 4, "STABLE": 1},
    {"N": 2, "KIND": "TRANSPOSITION", "KEY_W": 4, "STEP": 9},
    {"N": 27, "KIND": "EVEN_ODD", "KEY_W": 7, "PAYLOAD_W": 5},
    {"N": 33, "KIND": "BEST", "KEY_W": 6, "STABLE": 1, "STEP": 3},
    {"N": 64, "KIND": "BITONIC", "KEY_W": 9, "PAYLOAD_W": 6, "OUTPUTS": 1 << 63 | 1},
    {"CIRCUIT": "REUSED", "N": 16, "KIND": "BITONIC", "COMPARATORS": 4, "KEY_W": 8, "PAYLOAD_W": 8, "STABLE": 1},
    {"CIRCUIT": "REUSED", "N": 11, "KIND": "EVEN_ODD", "COMPARATORS": 3, "KEY_W": 32, "OUTPUTS": 0b11},
    {"CIRCUIT": "REUSED", "N": 6, "KIND": "TRANSPOSITION", "COMPARATORS": 1, "KEY_W": 4, "PAYLOAD_W": 1},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: "-".join(map(str, p.values())) or "defaults")
def test_sort_network(parameters):
    run("sort_network", **parameters)


@pytest.mark.parametrize("parameters", [MATRIX[1], MATRIX[11]], ids=["pipelined", "reused"])
def test_four_state(parameters):
    words = {"CIRCUIT": "PIPELINED", "KIND": "EVEN_ODD"} | parameters
    env = {name: words[name] for name in ("CIRCUIT", "KIND")}
    run_four_state("sort_network", "random_sets", env=env, **parameters)
