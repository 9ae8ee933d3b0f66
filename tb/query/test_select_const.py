"""select_const: every comparison against Python, punctuations and eos never masked, 1 cycle, 1 tuple a cycle, reset."""

import operator

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge

from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import PUNCT, TUPLE, Seen, TupleBusMonitor, cycle

OPERATORS = {name: getattr(operator, name.lower()) for name in ("EQ", "NE", "LT", "LE", "GT", "GE")}


def bits(parameter) -> int:
    """A parameter's value; a simulator may return text if the default is a string."""
    return int.from_bytes(parameter.value, "big") if isinstance(parameter.value, bytes) else int(parameter.value)


class Bench:
    """Drives the tuple bus cycle by cycle, and predicts the output, a list of `Seen`."""

    def __init__(self, dut):
        self.dut = dut
        self.sink = TupleBusMonitor(dut, "m", dut.clk)
        self.expected: list[Seen] = []
        self.noise = rng("idle")
        self.op = OPERATORS[bits(dut.OP).to_bytes(2, "big").decode()]
        self.width, self.lsb = int(dut.FIELD_W.value), int(dut.FIELD_LSB.value)
        self.constant = self.number(bits(dut.VALUE))
        self.quiet()

    def quiet(self) -> None:
        for name in ("valid", "punct", "eos"):
            getattr(self.dut, f"s_{name}").value = 0
        self.dut.s_data.value = self.noise.getrandbits(len(self.dut.s_data))

    def number(self, bits: int) -> int:
        """The value of the bits of a field."""
        negative = int(self.dut.FIELD_SIGNED.value) and bits >> self.width - 1
        return bits - (negative << self.width)

    def tuple(self, field: int) -> int:
        """A tuple with this field and noise around it."""
        noise = rng(f"noise{field}").getrandbits(len(self.dut.s_data))
        mask = (1 << self.width) - 1
        return noise & ~(mask << self.lsb) | (field & mask) << self.lsb

    async def step(self, *, valid: bool = False, punct: bool = False, eos: bool = False, field: int = 0) -> None:
        data = self.tuple(field)
        for name, value in (("valid", valid), ("punct", punct), ("eos", eos), ("data", data)):
            getattr(self.dut, f"s_{name}").value = value
        keep = valid and self.op(self.number(field & ((1 << self.width) - 1)), self.constant)
        if keep or punct or eos:
            self.expected.append(Seen(cycle() + 1, data, PUNCT if punct else TUPLE, eos))
        await ClockCycles(self.dut.clk, 1)

    async def check(self) -> None:
        self.quiet()
        await ClockCycles(self.dut.clk, 4)
        assert self.sink.seen == self.expected

    def fields(self) -> list[int]:
        """The constant, its neighbours, both ends of the range signed or not, and random ones."""
        top, g = 1 << self.width, rng("fields")
        near = [self.constant + d for d in (-1, 0, 1)]
        return [*near, 0, 1, top // 2 - 1, top // 2, top - 1, *(g.getrandbits(self.width) for _ in range(60)), *near]


@cocotb.test()
async def every_value_every_cycle(dut):
    """One tuple a cycle, each output after one cycle or dropped."""
    await start(dut)
    bench = Bench(dut)
    for field in bench.fields():
        await bench.step(valid=True, field=field)
    kept = len(bench.expected)
    assert 0 < kept < len(bench.fields()), "the constant does not separate the values"
    await bench.check()


@cocotb.test()
async def punctuations_and_eos_pass(dut):
    """Whatever the field holds: with tuples kept and filtered, with a punctuation, and alone."""
    await start(dut)
    bench, g = Bench(dut), rng("control")
    for field in bench.fields():
        for kind in ("valid", "punct", ""):
            for eos in (False, True):
                await bench.step(**({kind: True} if kind else {}), eos=eos, field=field)
            if g.random() < 0.3:
                await bench.step(field=field)
    masked = [s for s in bench.expected if s.eos and s.kind == TUPLE]
    assert masked
    await bench.check()


@cocotb.test()
async def valid_is_low_where_the_tuple_is_filtered(dut):
    """An eos whose tuple is dropped leaves without valid."""
    await start(dut)
    bench = Bench(dut)
    for field in bench.fields():
        await bench.step(valid=True, eos=True, field=field)
        await FallingEdge(dut.clk)
        keep = bench.op(bench.number(field & ((1 << bench.width) - 1)), bench.constant)
        assert (int(dut.m_valid.value), int(dut.m_punct.value), int(dut.m_eos.value)) == (keep, 0, 1)
        bench.quiet()
        await ClockCycles(dut.clk, 1)


@cocotb.test()
async def reset_drops_what_comes(dut):
    await start(dut)
    bench = Bench(dut)
    dut.rst.value = 1
    for signal in (dut.s_valid, dut.s_punct, dut.s_eos):
        signal.value = 1
    dut.s_data.value = bench.tuple(bench.constant)
    for _ in range(3):
        await ClockCycles(dut.clk, 1)
        await FallingEdge(dut.clk)
        assert (int(dut.m_valid.value), int(dut.m_punct.value), int(dut.m_eos.value)) == (0, 0, 0)
    bench.quiet()
    await reset(dut)
    await ClockCycles(dut.clk, 2)
    await bench.step(punct=True, field=7)
    await bench.check()


# Every operator; signed and unsigned with a constant on which they differ; a field inside, at either end, and as
# wide as the tuple.
MATRIX = [
    {"OP": "EQ"},
    {"OP": "NE", "DATA_W": 9, "FIELD_LSB": 0, "FIELD_W": 9, "FIELD_SIGNED": 1, "VALUE": 0x1FE},
    {"OP": "LT", "DATA_W": 40, "FIELD_LSB": 3, "FIELD_W": 32, "FIELD_SIGNED": 1, "VALUE": 0xFFFFFFF0},
    {"OP": "GE", "DATA_W": 40, "FIELD_LSB": 3, "FIELD_W": 32, "FIELD_SIGNED": 0, "VALUE": 0xFFFFFFF0},
    {"OP": "LE", "DATA_W": 16, "FIELD_LSB": 8, "FIELD_W": 8, "FIELD_SIGNED": 0, "VALUE": 200},
    {"OP": "GT", "DATA_W": 16, "FIELD_LSB": 8, "FIELD_W": 8, "FIELD_SIGNED": 1, "VALUE": 100},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=[p["OP"] for p in MATRIX])
def test_select_const(parameters):
    run("select_const", **parameters)


def test_four_state():
    run_four_state("select_const", "punctuations_and_eos_pass")
