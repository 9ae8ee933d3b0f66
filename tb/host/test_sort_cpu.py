"""sort_pcpi inside a CPU: merge sort in C on PicoRV32, its results, its cycles, and its speedup against section 6.7."""

from __future__ import annotations

import numpy as np
import pytest

from wirestream.design import BUILD_DIR
from wirestream.measure import points
from wirestream.measure.sort_trials import ORDERS, elements, merge_sort
from wirestream.measure.sweeps.sort_pcpi import SET, SIZES, predicted, quantities
from wirestream.sim import sort_cpu
from wirestream.sim.sort_cpu import SortCpu, SortFailure, cpu, program

QUICK = 4096  # the most elements that `make test` sorts
LOAD, STORE, INSTRUCTION = 5, 5, 4  # cycles, by PicoRV32's documentation; of a co-processor that answers at once
LOOP = 3 + 3 + 5  # two additions, and a branch that is taken


def compare(order: str, sizes: tuple[int, ...], folder) -> None:
    """The speedup is within 10% of the formula with the measured H, at each size."""
    for count in sizes:
        found = quantities(count, SET, merge_sort(cpu(SET), folder, count, ORDERS.index(order)))
        assert found["speedup"] == pytest.approx(predicted(count, found["h"]), rel=0.1), count


@pytest.mark.parametrize("order", ORDERS)
def test_speedup(order, tmp_path):
    compare(order, tuple(count for count in SIZES if count <= QUICK), tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("order", ORDERS)
def test_speedup_of_many(order, tmp_path):
    compare(order, tuple(count for count in SIZES if count > QUICK), tmp_path)


@pytest.mark.parametrize("size", [4, 8, 16])
def test_a_set_in_its_cycles(size, tmp_path):
    """Each element is loaded, goes through the co-processor in one instruction, and is stored; nothing waits."""
    bench = SortCpu(size)
    sets = [bench.sort(elements("random", count), tmp_path).sets for count in (16 * size, 32 * size)]
    assert sets[1] - sets[0] == 16 * (size * (LOAD + INSTRUCTION + STORE) + LOOP)


def test_the_formula_is_the_published_one():
    """Section 6.7.3: with H = 0 at most 1.60 at 256 elements, 1.23 at 64 K and 1.14 at 16 M; T(2**p) = p * 2**p."""
    assert [round(predicted(count), 2) for count in (2**8, 2**16, 2**24)] == [1.6, 1.23, 1.14]
    assert predicted(2**8, h=3 * SET) == 1  # a set takes as long as the CPU
    point = {"alone": 8 * 256 * 30, "sets": 32 * 120, "merges": 5 * 256 * 30}
    assert quantities(256, SET, point) == {"speedup": pytest.approx(predicted(256, 4)), "h": 4}


@pytest.mark.parametrize("count", [SET, 100])
def test_numbers_of_elements_that_it_does_not_sort(count, tmp_path):
    with pytest.raises(ValueError, match="a power of two"):
        SortCpu().sort(elements("random", count), tmp_path)


def test_an_instruction_without_an_answer_stops_the_program(tmp_path):
    """The instructions of a co-processor with another FUNCT7: the CPU traps at the first one."""
    bench = SortCpu(flags=("-DSORT_FUNCT7=65",))
    with pytest.raises(SortFailure, match=r"stopped after the marks \[0\]"):
        bench.sort(elements("random", 64), tmp_path)
    bench.sort(elements("random", 64), tmp_path, alone=True)


@pytest.mark.parametrize("alone", [True, False])
def test_a_wrong_result_is_found(alone, tmp_path):
    """A program that takes the elements for unsigned numbers."""
    bench = SortCpu(flags=("-Dint=unsigned",))
    bench.sort(np.abs(elements("random", 64)), tmp_path, alone=alone)
    with pytest.raises(SortFailure, match="not sorted"):
        bench.sort(elements("random", 64), tmp_path, alone=alone)


def test_a_program_that_cannot_be_built(monkeypatch):
    with pytest.raises(SortFailure, match=r"merge_sort\.c: .*no-such-file"):
        program(SET, ("-include", "no-such-file"))
    monkeypatch.setattr(sort_cpu, "find_spec", lambda name: None)
    with pytest.raises(SortFailure, match=r"ziglang is missing: install wirestream\[dev\]"):
        program(SET)


def test_the_report_measures_a_changed_program_again(tmp_path, monkeypatch):
    """A point of the report is kept as long as the program is the same."""
    program, runs = tmp_path / "program.c", []

    def step(design, folder, count):
        runs.append(count)
        return {"alone": len(runs)}

    monkeypatch.setenv(BUILD_DIR, str(tmp_path))
    monkeypatch.setitem(points.TRIALS, step.__module__, ((program,), ("ziglang",)))
    points.measured().mkdir()
    for text, measured in (("a", 1), ("a", 1), ("b", 2), ("b", 2)):
        program.write_text(text)
        assert points.kept(step, cpu(SET), 256)["alone"] == measured
    assert points.kept(step, cpu(SET), 512)["alone"] == 3
    files, packages = points.TRIALS[merge_sort.__module__]
    assert {sort_cpu.PROGRAM, sort_cpu.SCRIPT, sort_cpu.HEADER} <= set(files) and packages == ("ziglang",)
