"""Run the cocotb tests of one core from pytest: resolve it with FuseSoC, simulate it, check the results.

Every simulation imports this module with its tests, so what only pytest needs is imported where it is used.
"""

from __future__ import annotations

import inspect
import os
from functools import cache
from pathlib import Path

import pytest

from tb import REPOSITORY
from wirestream.design import Design, resolve


@cache
def design(core: str) -> Design:
    return resolve(core)


def run(core: str, *, testcase: str | None = None, env: dict[str, str] | None = None, **parameters: int | str) -> Path:
    """Simulate `core` with `parameters` under the cocotb tests of the calling file; returns the build folder.

    testcase: run only this test. env: additional environment variables, such as the path of a golden file.
    """
    caller = Path(inspect.stack()[1].filename)
    return _simulate(core, caller, testcase, env, parameters)


def run_four_state(core: str, testcase: str, env: dict[str, str] | None = None, **parameters: int | str) -> None:
    """Run one smoke test in Icarus, which simulates X; skipped if Icarus is not installed."""
    from wirestream.sim.simulate import icarus_installed

    if not icarus_installed():
        pytest.skip("iverilog is not installed: no four-state run")
    caller = Path(inspect.stack()[1].filename)
    _simulate(core, caller, testcase, env, parameters, sim="icarus")


def _simulate(
    core: str,
    caller: Path,
    testcase: str | None,
    env: dict[str, str] | None,
    parameters: dict,
    sim: str | None = None,
) -> Path:
    from wirestream.sim.simulate import simulate

    test = os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0]
    return simulate(
        design(core).with_parameters(**parameters),
        ".".join(caller.relative_to(REPOSITORY).with_suffix("").parts),
        testcase=testcase,
        env=env,
        sim=sim,
        repeat=f".venv/bin/pytest '{test}'",
    )
