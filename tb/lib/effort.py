"""A pytest plugin that prints the slowest tests and the time of each folder at the end of a run.

**Worker-seconds* are the wall-clock time of the tests in their workers. *CPU seconds* are the CPU time of the tests and
of the programs that they ran; they do not depend on the load of the machine.
"""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

import pytest

SLOWEST = 10
BEGAN = pytest.StashKey[float]()  # CPU seconds of the process at the start of a phase of the test


def used_s() -> float:
    """CPU seconds of this process and of all programs that it has started and that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    item.stash[BEGAN] = used_s()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    now = used_s()
    report.cpu_s, item.stash[BEGAN] = now - item.stash[BEGAN], now
    return report


def pytest_terminal_summary(terminalreporter) -> None:
    reports = [r for found in terminalreporter.stats.values() for r in found if hasattr(r, "cpu_s")]
    tests, folders = Totals(), Totals()
    for report in reports:
        tests.add(report.nodeid, report)
        folders.add(str(PurePosixPath(report.nodeid.split("::")[0]).parent), report)
        folders.add("all", report)
    if len(tests.took) <= SLOWEST:
        return
    terminalreporter.section(f"the {SLOWEST} slowest tests")
    for line in tests.lines(SLOWEST, digits=1):
        terminalreporter.write_line(line)
    terminalreporter.section("worker-seconds a folder")
    for line in folders.lines():
        terminalreporter.write_line(line)


class Totals:
    """Worker-seconds and CPU seconds by name."""

    def __init__(self):
        self.took: Counter[str] = Counter()
        self.cpu: Counter[str] = Counter()

    def add(self, name: str, report: pytest.TestReport) -> None:
        self.took[name] += report.duration
        self.cpu[name] += report.cpu_s

    def lines(self, most: int | None = None, digits: int = 0) -> Iterator[str]:
        """One line per name, the slowest first."""
        for name, seconds in self.took.most_common(most):
            yield f"{seconds:8.{digits}f} s {self.cpu[name]:8.{digits}f} s CPU  {name}"
