"""Tests that must fail, run by the commands that a user types: each flow reports the failure and exits non-zero."""

import os
import signal
import subprocess
import sys

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from tb import REPOSITORY
from tb.lib.bench import start
from tb.lib.run import run
from wirestream.sim.simulate import SimulationFailure

CANARY = os.environ.get("CANARY")  # the cocotb test to run; if unset, none runs


def canary(function):
    return cocotb.test(skip=function.__name__ != CANARY)(function)


@canary
async def passes(dut):
    await start(dut)


@canary
async def fails(dut):
    await start(dut)
    assert int(dut.m_data.value) == 16, "16 does not fit in four bits"


@canary
async def crashes(dut):
    await start(dut)
    os.kill(os.getpid(), signal.SIGSEGV)


@canary
async def leaves_in_silence(dut):
    """The simulator's process exits with status 0 and writes no result."""
    await start(dut)
    os._exit(0)


@canary
async def hangs(dut):
    await start(dut)
    while True:
        await ClockCycles(dut.clk, 1000)


def command(*words: str, **variables: str) -> subprocess.CompletedProcess:
    """Run a command of this Python environment as from a shell, outside pytest."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")} | variables
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.run([sys.executable, "-m", *words], cwd=REPOSITORY, env=env, text=True, **pipes)


def fusesoc(target: str, **variables: str) -> subprocess.CompletedProcess:
    return command("fusesoc.main", "run", f"--target={target}", "canaries", **variables)


def test_a_passing_test_passes():
    done = fusesoc("sim", CANARY="passes")
    assert done.returncode == 0, done.stdout
    assert "1 of 1 tests passed: passes" in done.stdout


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fails", "1 of 1 tests failed: fails"),
        ("no_such_test", "no test ran"),
        ("crashes", "the simulator ended abnormally"),
        ("leaves_in_silence", "the simulator wrote no results"),
        ("hangs", "timeout after 5 s"),
    ],
)
def test_simulation(name, message):
    done = fusesoc("sim", CANARY=name, SIM_TIMEOUT="5")
    assert done.returncode != 0
    assert message in done.stdout
    assert "repeat with: SEED=" in done.stdout


def test_pytest_fails_with_the_cocotb_test():
    with pytest.raises(SimulationFailure, match="1 of 1 tests failed: fails"):
        run("canaries", env={"CANARY": "fails"})


@pytest.mark.parametrize(
    "words",
    [("fusesoc.main", "run", "--target=lint", "canaries"), ("wirestream.measure.lint", "canaries")],
    ids=["fusesoc", "make"],
)
def test_lint(words):
    done = command(*words)
    assert done.returncode != 0
    assert "canaries: lint failed" in done.stdout
    assert "WIDTHTRUNC" in done.stdout
