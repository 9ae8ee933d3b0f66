"""The table of chips, and what the estimated cells of a circuit take of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wirestream.compiler.chips import CHIPS, Use, blocks, luts, taken
from wirestream.compiler.circuit import Instance
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.cores.base import Cells, Memory, shift
from wirestream.compiler.size import estimates, total
from wirestream.schema.streams import shipped

# Slices (4 LUTs, 8 registers each), 36 Kb block RAMs and DSP slices from the overviews of Xilinx (DS150, DS180);
# thousands of LUTs, 18 Kb blocks and multipliers from that of Lattice (FPGA-DS-02012).
XILINX = {
    "artix-35": (5_200, 50, 90),
    "artix-100": (15_850, 135, 240),
    "artix-200": (33_650, 365, 740),
    "kintex-325": (50_950, 445, 840),
    "virtex6-240": (37_680, 416, 768),
}
LATTICE = {"ecp5-25": (24, 56, 28), "ecp5-45": (44, 108, 72), "ecp5-85": (84, 208, 156)}


def of_core(sql: str, core: str) -> tuple[Instance, Cells]:
    """The only instance of a core, with its estimate."""
    circuit = compile_queries(sql, shipped(), "q").circuit
    (instance,) = (instance for instance in circuit.instances if instance.core == f"query:{core}")
    return instance, estimates(circuit)[instance.name]


def test_chips_are_those_of_the_data_sheets():
    assert CHIPS.keys() == XILINX.keys() | LATTICE.keys()
    for name, (slices, rams, multipliers) in XILINX.items():
        assert (CHIPS[name].lut_inputs, CHIPS[name].has) == (6, Use(4 * slices, 8 * slices, 2 * rams, multipliers))
    for name, (thousands, rams, multipliers) in LATTICE.items():
        has = CHIPS[name].has
        assert (CHIPS[name].lut_inputs, round(has.lut / 1000), has.rams) == (4, thousands, rams)
        assert (has.ff, has.multipliers) == (has.lut, multipliers)


@pytest.mark.parametrize(
    ("width", "words", "number"), [(36, 512, 1), (37, 512, 2), (1, 16_384, 1), (9, 2049, 2), (64, 64, 2), (20, 1024, 2)]
)
def test_block_rams(width, words, number):
    assert blocks(Memory(width, words)) == number


def test_memories_in_luts():
    small = Memory(6, 32, block=False)
    assert [luts(small, inputs) for inputs in (4, 6)] == [2 * 2 * 6 + 6, 4]
    cells = Cells(lut=100, ff=10, lut4=150, memories=(small, Memory(8, 512))) + shift(4, 5)
    assert taken(cells, 6) == Use(100 + 4 + 4, 10, 1)
    assert taken(cells, 4) == Use(150 + 30, 10 + 4 * 5, 1)


# ---- Bits that are constant, or equal to others


def test_letters_that_are_the_same_in_all_keys_cost_nothing():
    """The keys ABCD and ABCF differ in one bit, AAAA and CCCC in four that are always equal."""
    text = """SELECT Time, count(*) AS N, CASE WHEN Price > 7 THEN '{}' ELSE '{}' END AS Kind
              FROM Trades [RANGE 60 SLIDE 60 WATTR Time] GROUP BY Kind INTO R"""
    pairs = (("ABCD", "ABCF"), ("AAAA", "CCCC"), ("ABCD", "PQRS"))
    one, equal, many = (of_core(text.format(*keys), "group_by")[1] for keys in pairs)
    assert (one.lut, one.ff) == (equal.lut, equal.ff)
    assert one.lut < many.lut and one.ff < many.ff


def test_a_divisor_that_counts_the_tuples_of_a_group_is_narrower():
    """It has 40 bits, not 63."""
    instance, found = of_core(
        "SELECT Time, avg(Price) AS Mean FROM Trades [RANGE 60 SLIDE 60 WATTR Time] GROUP BY Symbol INTO R", "divide"
    )
    assert found.ff == replace(instance.contract, B_W=40).cells(instance.ports).ff < instance.contract.cells({}).ff


def test_registers_in_front_of_a_shift_register_are_part_of_it():
    """The price waits a cycle, then with the product."""
    text = "SELECT Price, (Price + 1) * Volume AS Value FROM Trades INTO R"
    whole = total(compile_queries(text, shipped(), "q").circuit)
    assert whole.shifts >= 32 and whole.shifted >= 32 * 3
