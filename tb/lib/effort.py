"""A pytest plugin: at the end of a run, the slowest tests and what each folder took.

*Worker-seconds* are the time that tests took in their workers; *CPU seconds*, what they and the programs that they ran
used of a core, are the same on a busy machine.
"""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

import pytest

SLOWEST = 10
BEGAN = pytest.StashKey[float]()  # CPU seconds of the process before a phase of the test


def used_s() -> float:
    """CPU seconds of this process and of all the programs that it has run to their end."""
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
    """Worker-seconds and CPU seconds, by name."""

    def __init__(self):
        self.took: Counter[str] = Counter()
        self.cpu: Counter[str] = Counter()

    def add(self, name: str, report: pytest.TestReport) -> None:
        self.took[name] += report.duration
        self.cpu[name] += report.cpu_s

    def lines(self, most: int | None = None, digits: int = 0) -> Iterator[str]:
        """The largest first."""
        for name, seconds in self.took.most_common(most):
            yield f"{seconds:8.{digits}f} s {self.cpu[name]:8.{digits}f} s CPU  {name}"
