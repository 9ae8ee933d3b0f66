"""Build a design with Verilator or Icarus, run its cocotb tests and judge the outcome.

A run is good only if the simulator exited normally, wrote its results file, and at least one test ran and none failed.
Everything else raises `SimulationFailure` with the command that repeats the run.
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

TIMEOUT_S = 900  # default of SIM_TIMEOUT, after which a simulation counts as hung


class SimulationFailure(RuntimeError):
    """The simulation failed, or did not run."""


def simulator() -> str:
    """The simulator named by SIM; default: verilator."""
    return os.environ.get("SIM", "verilator")


def seed() -> int:
    """The seed of this run: SEED; default: 1, so that a result depends only on the sources."""
    return int(os.environ.get("SEED", "1"))


def timeout() -> int:
    """The timeout of a simulation in seconds: SIM_TIMEOUT."""
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

    testcase: run only this test; default: the one named by TESTCASE in the environment, or all. env: additional
    environment for the tests. sim: ``verilator`` or ``icarus``; default: `simulator`. repeat: the command that repeats
    the run, for the failure message. Returns the build folder, with `dump.vcd` in it if WAVES=1.
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
        # Of pytest cocotb needs only assertion rewriting, and only for the benches: rewriting numpy and Scapy takes as
        # long as many tests.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "COCOTB_REWRITE_ASSERTION_FILES": f"{HOME}/tb/*.py",
        **(env or {}),
    }
    # cocotb prefers this process's environment and path over those passed for the simulator, so set them here.
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
            crashed = f"timeout after {timeout()} s" if hung else f"the simulator ended abnormally ({error})"
        ran = judge(results, design.label, crashed, f"SEED={seed()} SIM={sim} {repeat}".strip())
        note("cocotb" if verilator else "four-state", design.label, ran)
    return folder


def _kind() -> Kind:
    """The Python bench takes most of a simulation's time, so optimising the model does not pay off."""
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
        output = log.read_text(errors="replace")[-4000:] if log.exists() else ""
        raise BuildFailure(f"{design.label}: the build failed ({error})\n{output}") from error


def _visible(folder: Path, toplevel: str) -> Path:
    """A control file that exposes only the signals of the top level; exposing all would double the compile time."""
    file, text = folder / "visible.vlt", f'`verilator_config\npublic_flat_rw -module "{toplevel}" -var "*"\n'
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
    return file


def judge(results: Path, label: str, crashed: str, repeat: str) -> list[str]:
    """Print and return the names of the tests in the JUnit file `results`; raises `SimulationFailure` unless at least
    one ran and none failed."""
    again = f"\n  repeat with: {repeat}"
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
