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


def used_s() -> float:
    """CPU seconds of this process and of all the programs that it has run to their end."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    item.stash[BEGAN] = used_s()
    return (yield)


BEGAN = pytest.StashKey[float]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    now = used_s()
    report.cpu_s, item.stash[BEGAN] = now - item.stash[BEGAN], now
    return report


def pytest_terminal_summary(terminalreporter) -> None:
    reports = [r for found in terminalreporter.stats.values() for r in found if hasattr(r, "cpu_s")]
    took: Counter[str] = Counter()
    cpu: Counter[str] = Counter()
    for report in reports:
        took[report.nodeid] += report.duration
        cpu[report.nodeid] += report.cpu_s
    if len(took) <= SLOWEST:
        return
    line = terminalreporter.write_line
    terminalreporter.section(f"the {SLOWEST} slowest tests")
    for test, seconds in took.most_common(SLOWEST):
        line(f"{seconds:8.1f} s {cpu[test]:8.1f} s CPU  {test}")
    folders: Counter[str] = Counter()
    folders_cpu: Counter[str] = Counter()
    for test, seconds in took.items():
        folder = str(PurePosixPath(test.split("::")[0]).parent)
        folders[folder] += seconds
        folders_cpu[folder] += cpu[test]
    terminalreporter.section("worker-seconds a folder")
    for folder, seconds in (*folders.most_common(), ("all", folders.total())):
        line(f"{seconds:8.0f} s {folders_cpu[folder] or folders_cpu.total():8.0f} s CPU  {folder}")
