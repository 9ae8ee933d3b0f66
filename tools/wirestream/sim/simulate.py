"""Build a design with Verilator or Icarus, run its cocotb tests and judge the outcome.

A run is good only if the simulator ended by itself, wrote its results file, and at least one test ran and none
failed. Everything else raises `SimulationFailure` with the command that repeats the run.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from wirestream.design import HOME, Design, build_dir, environment
from wirestream.inventory import note
from wirestream.sim.verilate import BuildFailure, Kind, build, locked

if TYPE_CHECKING:
    from cocotb_tools.runner import Runner

ICARUS_ARGS = ["-g2005", "-Wall", "-Wno-timescale"]

TIMEOUT_S = 900  # a simulation that runs longer hangs, unless SIM_TIMEOUT says otherwise


class SimulationFailure(RuntimeError):
    """The simulation did not show that the design works."""


def simulator() -> str:
    """The simulator asked for by SIM (verilator by default)."""
    return os.environ.get("SIM", "verilator")


def seed() -> int:
    """The seed of this run: SEED if set; else 1, so that a result depends on the sources alone."""
    return int(os.environ.get("SEED", "1"))


def timeout() -> int:
    """The longest that a simulation may run, in seconds."""
    return int(os.environ.get("SIM_TIMEOUT", TIMEOUT_S))


def simulate(
    design: Design,
    test_module: str,
    *,
    testcase: str | None = None,
    env: dict[str, str] | None = None,
    sim: str | None = None,
    repeat: str = "",
) -> Path:
    """Simulate `design` under the cocotb tests of `test_module` (importable from the repository's root).

    testcase: run only this test; without it the one named by TESTCASE in the environment, or all. env: extra
    environment for the tests. sim: ``verilator`` or ``icarus``, by default `simulator`. repeat: the command that a
    person types to repeat the run, for the failure message. Returns the build folder, with `dump.vcd` in it if WAVES=1.
    """
    from unittest.mock import patch

    from cocotb_tools.runner import get_runner

    testcase = testcase or os.environ.get("TESTCASE")
    sim = sim or simulator()
    verilator = sim == "verilator"
    waves = verilator and os.environ.get("WAVES") == "1"
    folder = build_dir() / "sim" / f"{design.label}.{sim}{'.waves' if waves else ''}"
    folder.mkdir(parents=True, exist_ok=True)
    results = folder / f"results.{testcase or 'all'}.xml"
    tools = {
        **environment(),
        "SIM_CMD_PREFIX": f"timeout --kill-after=5 {timeout()}",
        "WAVES": str(int(waves)),
        "COCOTB_LOG_LEVEL": "WARNING",
        # cocotb needs pytest's assertions only, and those of the benches only: to go through numpy and Scapy for them
        # takes as long as many a test.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "COCOTB_REWRITE_ASSERTION_FILES": f"{HOME}/tb/*.py",
        **(env or {}),
    }
    # cocotb lets this process's environment and path go before what it is given for the simulator: set them here.
    path = [str(HOME), *sys.path]
    with locked(folder), patch.dict(os.environ, tools), patch.object(sys, "path", path):
        results.unlink(missing_ok=True)
        runner = get_runner(sim)
        try:
            if verilator:
                visible = _visible(folder, design.toplevel)
                build(replace(design, waivers=(*design.waivers, visible)), _kind(), folder, traces=waves)
            else:
                _build_icarus(runner, design, folder)
        except BuildFailure as failure:
            raise SimulationFailure(str(failure)) from None
        began, crashed = time.monotonic(), ""
        try:
            runner.test(
                test_module=test_module,
                hdl_toplevel=design.toplevel,
                hdl_toplevel_lang="verilog",
                testcase=testcase,
                build_dir=folder,
                test_dir=folder,
                results_xml=str(results),
                seed=seed(),
                plusargs=[f"+verilator+seed+{seed()}", "+verilator+rand+reset+2"] if verilator else [],
                waves=waves,
                timescale=None if verilator else ("1ns", "1ps"),
            )
        except (RuntimeError, SystemExit) as error:
            hung = time.monotonic() - began >= timeout()
            crashed = f"no end in {timeout()} s" if hung else f"the simulator ended abnormally ({error})"
        ran = judge(results, design.label, crashed, f"SEED={seed()} SIM={sim} {repeat}".strip())
        note("cocotb" if verilator else "four-state", design.label, ran)
    return folder


def _kind() -> Kind:
    """The bench in Python takes most of a simulation's time: optimising the model costs more than it brings."""
    from cocotb_tools import config

    return Kind(
        prefix="Vtop",
        main=config.share_dir / "lib" / "verilator" / "verilator.cpp",
        runtime=("verilated", "verilated_dpi", "verilated_threads", "verilated_vpi"),
        headers=("verilated.h", "verilated_dpi.h", "verilated_vpi.h"),
        optimise="-O0",
        verilate=("--vpi", "--no-public-flat-rw", "--timescale", "1ns/1ps"),
        link=(f"-L{config.libs_dir}", f"-Wl,-rpath,{config.libs_dir}", "-lcocotbvpi_verilator"),
    )


def _build_icarus(runner: Runner, design: Design, folder: Path) -> None:
    log = folder / "build.log"
    try:
        runner.build(
            sources=design.sources,
            includes=design.includes,
            hdl_toplevel=design.toplevel,
            parameters=design.literals,
            build_dir=folder,
            build_args=ICARUS_ARGS,
            timescale=("1ns", "1ps"),
            log_file=log,
            always=True,
        )
    except Exception as error:
        said = log.read_text(errors="replace")[-4000:] if log.exists() else ""
        raise BuildFailure(f"{design.label}: the build failed ({error})\n{said}") from error


def _visible(folder: Path, toplevel: str) -> Path:
    """A control file that shows the tests only the signals of the top level: all of them would take twice as long to
    compile."""
    file, text = folder / "visible.vlt", f'`verilator_config\npublic_flat_rw -module "{toplevel}" -var "*"\n'
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
    return file


def judge(results: Path, label: str, crashed: str, repeat: str) -> list[str]:
    """Print and return the names of the tests in the JUnit file `results`; raises `SimulationFailure` unless at least
    one ran and none failed."""
    again = f"\n  repeat it with: {repeat}"
    if not results.is_file():
        raise SimulationFailure(f"{label}: {crashed or 'the simulator wrote no results'}{again}")
    cases = ElementTree.parse(results).getroot().findall(".//testcase")
    ran = [c for c in cases if c.find("skipped") is None]
    failed = [c.get("name") for c in ran if c.find("failure") is not None or c.find("error") is not None]
    if failed:
        raise SimulationFailure(f"{label}: {len(failed)} of {len(ran)} tests failed: {', '.join(failed)}{again}")
    if crashed:
        raise SimulationFailure(f"{label}: {crashed}{again}")
    if not ran:
        raise SimulationFailure(f"{label}: no test ran{again}")
    names = [c.get("name") for c in ran]
    print(f"{label}: {len(ran)} of {len(ran)} tests passed: {', '.join(names)}", flush=True)
    return names


def icarus_installed() -> bool:
    return shutil.which("iverilog") is not None
