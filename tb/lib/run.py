"""Run the cocotb tests of one core from pytest: resolve it with FuseSoC, simulate it, judge it."""

from __future__ import annotations

import inspect
import os
from functools import cache
from pathlib import Path

import pytest

from wirestream.design import REPOSITORY, Design, resolve
from wirestream.simulate import icarus_installed, simulate, simulator


@cache
def design(core: str) -> Design:
    return resolve(core)


def run(core: str, *, testcase: str | None = None, env: dict[str, str] | None = None, **parameters: int | str) -> Path:
    """Simulate `core` with `parameters` under the cocotb tests of the calling file; returns the build folder.

    testcase: run only this test. env: extra environment for the tests, such as the path of a golden file.
    """
    caller = Path(inspect.stack()[1].filename)
    module = ".".join(caller.relative_to(REPOSITORY).with_suffix("").parts)
    test = os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0]
    return simulate(
        design(core).with_parameters(**parameters),
        module,
        testcase=testcase,
        env=env,
        repeat=f".venv/bin/pytest '{test}'",
    )


def run_four_state(core: str, testcase: str, **parameters: int | str) -> None:
    """Run one smoke test in Icarus, which knows X; skipped where Icarus is not installed."""
    if not icarus_installed():
        pytest.skip("iverilog is not installed: no four-state run")
    before = simulator()
    os.environ["SIM"] = "icarus"
    try:
        caller = Path(inspect.stack()[1].filename)
        module = ".".join(caller.relative_to(REPOSITORY).with_suffix("").parts)
        simulate(design(core).with_parameters(**parameters), module, testcase=testcase)
    finally:
        os.environ["SIM"] = before
