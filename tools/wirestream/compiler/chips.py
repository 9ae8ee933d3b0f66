"""The chips that a circuit may be for: what each has, and what cells take of it.

ECP5: FPGA-DS-02012, table 1.1. 7 series: DS180. Virtex-6: DS150. A slice of a Xilinx chip has 4 LUTs and 8 registers; a
block RAM of 36 Kb is two of 18 Kb.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import ceil

from wirestream.compiler.cores.base import Cells, Memory

FULL = 0.7  # planned share of a chip's cells, which leaves room to place and route
BLOCK_SHAPES = ((36, 512), (18, 1024), (9, 2048), (4, 4096), (2, 8192), (1, 16384))  # bits, words; of 18 Kb


@dataclass(frozen=True)
class Use:
    """What is taken of a chip. rams: blocks of 18 Kb. multipliers: 18 by 18 bits on an ECP5, else 25 by 18."""

    lut: float = 0.0
    ff: float = 0.0
    rams: float = 0
    multipliers: float = 0

    def __add__(self, other: Use) -> Use:
        return Use(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    def __sub__(self, other: Use) -> Use:
        return Use(*(getattr(self, field.name) - getattr(other, field.name) for field in fields(self)))


@dataclass(frozen=True)
class Chip:
    """What a chip has. lut_inputs: of a LUT, 4 or 6."""

    name: str
    lut_inputs: int
    has: Use

    def shares(self, use: Use) -> dict[str, float]:
        """The share of each resource that is taken."""
        names = {"lut": "LUT", "ff": "FF", "rams": "RAM", "multipliers": "multipliers"}
        return {name: getattr(use, field) / getattr(self.has, field) for field, name in names.items()}


def _slices(name: str, slices: int, rams: int, multipliers: int) -> Chip:
    """A Xilinx chip. rams: of 36 Kb."""
    return Chip(name, 6, Use(4 * slices, 8 * slices, 2 * rams, multipliers))


# Of each family the smallest first.
CHIPS = {
    chip.name.lower(): chip
    for chip in (
        Chip("ECP5-25", 4, Use(24_288, 24_288, 56, 28)),
        Chip("ECP5-45", 4, Use(43_848, 43_848, 108, 72)),
        Chip("ECP5-85", 4, Use(83_640, 83_640, 208, 156)),
        _slices("Artix-35", 5_200, 50, 90),
        _slices("Artix-100", 15_850, 135, 240),
        _slices("Artix-200", 33_650, 365, 740),
        _slices("Virtex6-240", 37_680, 416, 768),
        _slices("Kintex-325", 50_950, 445, 840),
    )
}


# The network around the query of a board with 1 Gb/s Ethernet, by the inputs of a LUT: MAC, UDP/IP, framing, registers.
# What Yosys maps trades_q3 to, less the estimate for its query (docs/verdicts.py).
NETWORK = {4: Use(11_800, 6_300, 10), 6: Use(7_700, 6_100, 10)}


def taken(cells: Cells, lut_inputs: int) -> Use:
    """What cells take of a chip with such LUTs."""
    in_blocks = sum(blocks(memory) for memory in cells.memories if memory.block)
    in_luts = sum(luts(memory, lut_inputs) for memory in cells.memories if not memory.block)
    if lut_inputs == 4:
        return Use(cells.lut4 + in_luts, cells.ff + cells.shifted, in_blocks, cells.multipliers)
    return Use(cells.lut + cells.through + cells.shifts + in_luts, cells.ff, in_blocks, cells.multipliers)


def blocks(memory: Memory) -> int:
    """Block RAMs of 18 Kb in the shape that takes the fewest."""
    return min(ceil(memory.width / bits) * ceil(memory.words / words) for bits, words in BLOCK_SHAPES)


def luts(memory: Memory, lut_inputs: int) -> int:
    """LUTs that are a RAM with a port to write and one to read."""
    if lut_inputs == 4:  # six LUTs are 16 words of 4 bits, and two select from four such words
        deep = ceil(memory.words / 16)
        return 6 * deep * ceil(memory.width / 4) + (memory.width * deep // 2 if deep > 1 else 0)
    words, width = (32, 6) if memory.words <= 32 else (64, 3)
    return 4 * ceil(memory.words / words) * ceil(memory.width / width)
