"""The inventory of the tests that ran, compared with tb/inventory.txt after each run.

A core's tests can vanish without a failure: a test function no longer begins with ``test_``, a cocotb test is skipped,
a `formal` target is dropped. So the tests that ran and passed are counted, from the reports of pytest and from the
notes of `wirestream.inventory`, with one line for each core and kind of check:

    udp_rx cocotb tb/net/test_udp_rx.py: bad_frames 2, latency 2

A run fails if its lines differ from the file. `make inventory` writes the lines of the last good run to the file.

Only the lines of test files that ran completely are compared: one file for `make test CORE=udp_rx`, all files for
`make test`, including those that no longer exist. Tests skipped because this machine lacks something (`LACKING`) count
as run; four-state runs are compared only if Icarus is installed. `make soak` runs more tests: there only missing ones
are an error.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest

from tb import BUILD, REPOSITORY
from wirestream.inventory import FOLDER
from wirestream.sim.simulate import icarus_installed

INVENTORY = REPOSITORY / "tb" / "inventory.txt"
NOTES = BUILD / "inventory"
LAST = NOTES / "last.json"
WHOLE = "configurations"  # the item of a check without named tests
ALSO_SOAK = "soak or not soak"  # the markers of `make soak`
SHOWN = 20  # at most so many new lines are printed; all missing ones are
NO_ICARUS = "iverilog is not installed"
# Reasons to skip a test that depend on the machine. A test skipped for another reason has not run.
LACKING = (NO_ICARUS, "QuickFIX is not installed", "TAP device", "network namespace", "gives no smaller buffer")


class Line(NamedTuple):
    """What was checked: a core by simulation (cocotb, four-state, bulk), proof or lint; a file's pytest functions."""

    core: str
    kind: str
    file: str


Items = dict[str, int]  # number of runs of each test, or the proven configurations
Lines = dict[Line, Items]


def read(text: str) -> Lines:
    """The lines of an inventory; raises ValueError with the number of a malformed line."""
    lines = {}
    for number, line in enumerate(text.splitlines(), 1):
        found = re.fullmatch(r"(\S+) (\S+) (\S+): (\S.*)", line)
        items = [re.fullmatch(r"(\S+)(?: (\d+))?", item) for item in found[4].split(", ")] if found else [None]
        if None in items:
            raise ValueError(f"line {number} is not CORE KIND FILE: NAME COUNT, ...: {line}")
        lines[Line(*found.groups()[:3])] = {item[1]: int(item[2] or 1) for item in items}
    return lines


def written(lines: Lines) -> str:
    """The text of the file, sorted."""

    def shown(line: Line, items: Items) -> str:
        counts = (f"{name} {n}" if n > 1 or line.kind != "proof" else name for name, n in sorted(items.items()))
        return f"{' '.join(line)}: {', '.join(counts)}\n"

    return "".join(sorted(shown(line, items) for line, items in lines.items() if items))


def summary(lines: Lines) -> str:
    """The totals in one sentence."""

    def total(kind: str) -> int:
        return sum(sum(items.values()) for line, items in lines.items() if line.kind == kind)

    simulated = [(line.core, name) for line, items in lines.items() if line.kind == "cocotb" for name in items]
    return (
        f"{len({core for core, _ in simulated}):,} designs with {len(set(simulated)):,} cocotb tests in "
        f"{total('cocotb'):,} runs, {total('proof'):,} proofs, {total('four-state'):,} four-state runs, "
        f"{total('bulk'):,} bulk benches, {total('pytest'):,} tests"
    )


def differences(listed: Lines, found: Lines) -> tuple[list[str], list[str]]:
    """The differences as text: what only `listed` has, and what only `found` has."""
    missing, new = [], []
    for line in sorted({**listed, **found}):
        before, now = Counter(listed.get(line, {})), Counter(found.get(line, {}))
        for gone, words, count in ((before - now, missing, now), (now - before, new, before)):
            if gone:
                names = (f"{name} ({n} of {n + count[name]})" for name, n in sorted(gone.items()))
                words.append(f"{' '.join(line)}: {', '.join(names)}")
    return missing, new


def noted(folder: Path) -> Lines:
    """The lines from the notes in `folder`; a check repeated by another worker or test counts once."""
    seen = {
        (Line(label.partition(".")[0], kind, file), name, label)
        for path in folder.glob("*.jsonl")
        for kind, label, names, file in map(json.loads, path.read_text().splitlines())
        for name in names or [WHOLE]
    }
    lines = defaultdict(Counter)
    for line, name, label in seen:
        item = label.partition(".")[2] or "defaults" if line.kind == "proof" else name.partition("/")[0]
        lines[line][item] += 1
    return dict(lines)


@dataclass
class Run:
    """The scope and the results of a run. scope: the files and folders that it ran completely."""

    scope: tuple[str, ...]
    icarus: bool = field(default_factory=icarus_installed)
    tests: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))  # passed, by file and function
    lacking: set[str] = field(default_factory=set)  # files with tests that this machine cannot run
    failed: set[str] = field(default_factory=set)  # files with tests that failed: what they have is not known

    def report(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        """Count one report of pytest."""
        file, _, function = report.nodeid.partition("::")
        reason = str(report.longrepr[2]) if report.skipped and isinstance(report.longrepr, (tuple, list)) else ""
        lacks = any(known in reason for known in LACKING)
        if lacks and NO_ICARUS not in reason:
            self.lacking.add(file)
        if report.failed:
            self.failed.add(file)
        if function and (lacks or (report.passed and report.when == "call")):
            self.tests[file][function.partition("[")[0].replace("::", ".")] += 1

    def answers_for(self, line: Line) -> bool:
        if line.kind == "four-state" and not self.icarus:
            return False
        if line.file in self.failed or (line.file in self.lacking and line.kind != "pytest"):
            return False
        return any(line.file == path or line.file.startswith(f"{path}/") for path in self.scope)

    def chosen(self, lines: Lines) -> Lines:
        return {line: items for line, items in lines.items() if self.answers_for(line)}

    def found(self, folder: Path) -> Lines:
        """The tests that passed, and the notes in `folder`."""
        tests = {Line(Path(file).stem.removeprefix("test_"), "pytest", file): dict(c) for file, c in self.tests.items()}
        return self.chosen(tests | noted(folder))

    def compare(self, listed: Lines, found: Lines, more: bool = False) -> list[str]:
        """The differences, one per line; empty if there are none. more: tests that are not listed are allowed."""
        missing, new = differences(self.chosen(listed), found)
        shown = ["in tb/inventory.txt, but not run:", *missing] if missing else []
        if new and not more:
            shown += ["run, but not in tb/inventory.txt:", *new[:SHOWN]]
            shown += [f"and {len(new) - SHOWN} more lines"] if len(new) > SHOWN else []
        return shown

    def update(self, listed: Lines, found: Lines) -> Lines:
        """`listed`, with the lines of this run's scope replaced by its results."""
        return {line: items for line, items in listed.items() if not self.answers_for(line)} | found


def scope(config: pytest.Config) -> tuple[str, ...]:
    """The files and folders, relative to the repository, that this run runs completely; none if it selects tests."""
    option = config.option
    chosen = (
        option.keyword,
        option.deselect,
        option.ignore,
        option.ignore_glob,
        option.collectonly,
        getattr(option, "lf", False),
    )
    if any(chosen) or option.markexpr not in ("not soak", ALSO_SOAK):
        return ()
    if os.environ.get("TESTCASE") or os.environ.get("SIM", "verilator") != "verilator":
        return ()
    paths = [(config.invocation_params.dir / arg).resolve() for arg in config.args if "::" not in arg]
    return tuple(str(path.relative_to(REPOSITORY)) for path in paths if path.is_relative_to(REPOSITORY))


class Plugin:
    """Counts in the main process of pytest; the workers only write notes."""

    def __init__(self, config: pytest.Config):
        NOTES.mkdir(parents=True, exist_ok=True)
        self.run, self.more = Run(scope(config)), config.option.markexpr == ALSO_SOAK
        self.folder = Path(tempfile.mkdtemp(dir=NOTES))
        self.differences, self.summary = [], ""
        os.environ[FOLDER] = str(self.folder)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.run.report(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.run.report(report)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        ran = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and not session.shouldfail
        if not ran or not self.run.scope:
            return
        found = self.run.found(self.folder)
        self.differences, self.summary = self.run.compare(listed(), found, self.more), summary(found)
        if self.differences:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if exitstatus == pytest.ExitCode.OK and not self.more:
            kept = {"scope": self.run.scope, "icarus": self.run.icarus, "lacking": sorted(self.run.lacking)}
            LAST.write_text(json.dumps({"run": kept, "found": written(found)}))

    def pytest_terminal_summary(self, terminalreporter) -> None:
        if self.summary:
            terminalreporter.section("inventory")
            terminalreporter.write_line(self.summary)

    def pytest_unconfigure(self) -> None:
        if self.differences:  # after pytest's last line, which may say that all tests passed
            print(*self.differences, sep="\n  ")
            print("inventory: the tests that ran are not those of tb/inventory.txt; `make inventory` updates it")
        os.environ.pop(FOLDER, None)
        shutil.rmtree(self.folder, ignore_errors=True)


def pytest_configure(config: pytest.Config) -> None:
    if FOLDER not in os.environ and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Plugin(config), "inventory")


def listed() -> Lines:
    return read(INVENTORY.read_text()) if INVENTORY.exists() else {}


def main() -> None:
    """Update tb/inventory.txt from the last good run."""
    if not LAST.exists():
        raise SystemExit("no good run yet: run `make test` or `make test CORE=...` first")
    last = json.loads(LAST.read_text())
    run, found, before = Run(**last["run"]), read(last["found"]), listed()
    after = run.update(before, found)
    INVENTORY.write_text(written(after))
    fewer, more = differences(before, after)
    for title, lines in (("fewer:", fewer), ("more:", more)):
        print("\n  ".join([title, *lines]) if lines else "", end="\n" * bool(lines))
    print(f"tb/inventory.txt updated for {', '.join(run.scope)}: {len(fewer)} fewer, {len(more)} more")


if __name__ == "__main__":
    main()
