"""wsum: the last values of random sub-streams, weighted, against Python; a tuple and an eos a cycle, PARTS and more."""

from dataclasses import dataclass

import cocotb
import pytest

from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.aggregates import Aggregate, SubStreams
from wirestream.compiler import cores


@dataclass(frozen=True)
class WeightedSum:
    """weights: the newest tuple's first."""

    column: Aggregate
    weights: list[int]
    result_w: int

    @classmethod
    def of(cls, dut) -> "WeightedSum":
        n, width, packed = (int(getattr(dut, name).value) for name in ("N", "WEIGHT_W", "WEIGHTS"))
        fields = [packed >> width * (n - 1 - k) & (1 << width) - 1 for k in range(n)]
        weights = [field - (field >> width - 1 << width) for field in fields]
        column = Aggregate("LST", int(dut.VALUE_W.value), bool(int(dut.SIGNED.value)), 64, 64)
        return cls(column, weights, len(dut.result))

    def draw(self, g) -> int:
        return self.column.draw(g)

    def bits(self, value: int) -> int:
        return self.column.bits(value)

    def row(self, column: list[int | None]) -> tuple[int, int, int]:
        newest_first = [v for v in reversed(column) if v is not None]
        total = sum(w * v for w, v in zip(self.weights, newest_first, strict=False))
        assert -(1 << self.result_w - 1) <= total < 1 << self.result_w - 1
        return total & (1 << self.result_w) - 1, int(not newest_first), 0


async def bench(dut) -> SubStreams:
    b = SubStreams(dut, WeightedSum.of(dut), int(dut.PARTS.value) + int(dut.PRODUCT_REG.value))
    await b.start()
    hold(dut, cores.WeightedSum, latency=int(dut.PARTS.value) + int(dut.PRODUCT_REG.value))
    return b


@cocotb.test()
async def substreams(dut):
    b = await bench(dut)
    await b.random()
    assert any(null for _, null, _ in b.told.values())


@cocotb.test()
async def weights_in_order(dut):
    """A single 1 among zeros yields each weight in turn, and 0 once it is older than the last weight."""
    b = await bench(dut)
    n = len(b.reference.weights)
    for age in range(n + 1):
        await b.step(1)
        for _ in range(age):
            await b.step(0)
        await b.step(eos=True)
    await b.check()
    width = b.reference.result_w
    told = [result - (result >> width - 1 << width) for result, *_ in b.told.values()]
    assert told == [*b.reference.weights, 0]


@cocotb.test()
async def tuple_and_end_every_cycle(dut):
    await (await bench(dut)).every_cycle()


@cocotb.test()
async def reset_forgets(dut):
    await (await bench(dut)).with_resets()


MATRIX = [
    {"VALUE_W": 32},
    {"N": 3, "WEIGHT_W": 5, "WEIGHTS": 0b10000_01111_10110, "VALUE_W": 9, "PRODUCT_REG": 1, "EMIT_EMPTY": 1},
    {"N": 2, "WEIGHT_W": 4, "WEIGHTS": 0x7D, "VALUE_W": 12, "SIGNED": 0},
    {"N": 3, "WEIGHT_W": 3, "WEIGHTS": 0b010_111_100, "VALUE_W": 40, "PARTS": 3},
    {"N": 2, "WEIGHT_W": 2, "WEIGHTS": 0b0111, "VALUE_W": 9, "SIGNED": 0, "PARTS": 2, "EMIT_EMPTY": 1},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=["q4", "signed-registered", "unsigned", "parts", "parts-unsigned"])
def test_wsum(parameters):
    run("wsum", **parameters)


def test_four_state():
    run_four_state("wsum", "substreams", **MATRIX[0])
