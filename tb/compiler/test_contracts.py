"""The contracts of cores: the bench of each core checks its contract; circuits depend on no other cores."""

from __future__ import annotations

import re

import pytest

from tb import REPOSITORY
from tb.lib.contract import hold
from wirestream.compiler.cores import ALL, ALONE, Multiply, PaneAggregate
from wirestream.compiler.cores.__main__ import written


def test_circuits_depend_on_these_cores():
    text = (REPOSITORY / "fusesoc" / "compiler.core").read_text()
    assert text == written(text), "run `make docs`"
    assert text.count("wirestream:query:multiply") == 1


@pytest.mark.parametrize("core", (*ALL, *ALONE), ids=lambda core: core.name)
def test_each_is_held_by_its_bench(core):
    """Each bench compares the latency that it asserts with the contract."""
    library, name = core.name.split(":")
    bench = (REPOSITORY / "tb" / library / f"test_{name}.py").read_text()
    assert re.search(rf"\bhold\(dut, cores\.{core.__name__}, (?:latency=|\*\*promised)", bench)


class Module:
    """A fake simulated module with the attributes that `hold` reads."""

    def __init__(self, **parameters: int | str):
        for name, value in parameters.items():
            text = value.encode() if isinstance(value, str) else value
            setattr(self, name, type("Parameter", (), {"value": text}))


def test_a_bench_that_differs_fails():
    multiply = {"DATA_W": 8, "A_W": 32, "B_W": 32, "SIGNED": 0, "DIGIT": 17, "CARRY_W": 48}
    hold(Module(**multiply), Multiply, latency=3)
    hold(Module(**multiply | {"DIGIT": 8}), Multiply, latency=9)  # not the compiler's default, so nothing is compared
    with pytest.raises(AssertionError, match="Multiply promises latency 3, its bench asserts 4"):
        hold(Module(**multiply), Multiply, latency=4)
    panes = {"RANGE": 100, "SLIDE": 30, "SLACK": 45, "METHOD": "SCAN", "SKEW": 0, "EMIT_EMPTY": 0, "WATTR_W": 32}
    panes |= {"AGGS": 1, "KINDS": "CNT", "SIGNEDS": 0, "VALUE_W": 2, "ACC_W": 32, "DATA_W": 8, "LANES": 1}
    hold(Module(**panes), PaneAggregate, latency=19, close_cycles=20, panes=10)
