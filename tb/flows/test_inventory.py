"""The inventory finds what no longer runs in a small bench: a renamed test, a skipped cocotb test, a dropped proof."""

import shutil
from collections import Counter

import pytest

from tb.lib import inventory, tree
from tb.lib.inventory import WHOLE, Line, Run, differences, read, written

BENCH = '''
import pytest
from tb import BUILD
from wirestream.design import cores, describe, from_edam
from wirestream.measure.formal import ProofOptions, prove
from wirestream.inventory import note
from wirestream.sim.simulate import judge

RESULTS = """<testsuites><testsuite name="all">
<testcase name="latency" classname="b"/>
<testcase name="order/size=1" classname="b"/>
<testcase name="order/size=2" classname="b"/>
</testsuite></testsuites>"""

@pytest.mark.parametrize("width", [8, 64])
def test_simulation(tmp_path, width):
    results = tmp_path / "results.xml"
    results.write_text(RESULTS)
    note("cocotb", f"fifo.W={width}", judge(results, f"fifo.W={width}", "", ""))

@pytest.mark.parametrize("core", cores(target="formal"))
def test_proof(core):
    edam = describe(core, "formal")
    prove(from_edam(edam, BUILD), ProofOptions.from_flow_options(edam["flow_options"]), short=True)

def test_other(): pass
'''
LISTED = """fifo cocotb tb/small/test_fifo.py: latency 2, order 4
fifo pytest tb/small/test_fifo.py: test_other 1, test_proof 1, test_simulation 2
skid_buffer proof tb/small/test_fifo.py: defaults
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A checkout with one core, one test file and their inventory."""
    folder = tree.copy(tmp_path_factory.mktemp("small") / "tree")
    for path in (*folder.glob("rtl/*/*"), *folder.glob("fusesoc/*"), *folder.glob("tb/*")):
        if "skid_buffer." not in path.name and path.name not in ("lib", "__init__.py", "conftest.py"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (folder / "tb" / "small").mkdir()
    (folder / "tb" / "small" / "test_fifo.py").write_text(BENCH)
    return folder


def bench(folder, *words):
    return tree.python(folder, "pytest", "-q", *words)


def test_make_inventory_writes_what_ran(small):
    shutil.rmtree(small / "build" / "inventory", ignore_errors=True)
    (small / "tb" / "inventory.txt").unlink(missing_ok=True)
    assert "no good run yet" in tree.python(small, "tb.lib.inventory").stdout
    done = bench(small)
    assert done.returncode == 1 and "run, but not in tb/inventory.txt" in done.stdout, done.stdout
    assert tree.python(small, "tb.lib.inventory").returncode == 0
    assert (small / "tb" / "inventory.txt").read_text() == LISTED
    done = bench(small)
    assert done.returncode == 0, done.stdout
    assert (
        "1 designs with 2 cocotb tests in 6 runs, 1 proofs, 0 four-state runs, 0 bulk benches, 4 tests" in done.stdout
    )


TESTS, CORE = "tb/small/test_fifo.py", "rtl/common/skid_buffer.core"
LOST = (  # a change, and the line that reports it
    (TESTS, "def test_other", "def other", "fifo pytest tb/small/test_fifo.py: test_other (1 of 1)"),
    (TESTS, 'size=2" classname="b"/>', 'size=2"><skipped/></testcase>', "cocotb tb/small/test_fifo.py: order (2 of 4)"),
    (CORE, "  formal:", "  informal:", "skid_buffer proof tb/small/test_fifo.py: defaults (1 of 1)"),
)  # fmt: skip


def test_what_is_lost_is_named(small):
    """A renamed test function, a skipped cocotb test, a dropped formal target; with workers."""
    (small / "tb" / "inventory.txt").write_text(LISTED)
    texts = {file: (small / file).read_text() for file in (TESTS, CORE)}
    try:
        for file, old, new, _ in LOST:
            path = small / file
            assert path.read_text().count(old) == 1
            path.write_text(path.read_text().replace(old, new))
        done = bench(small, "-n1")
    finally:
        for file, text in texts.items():
            (small / file).write_text(text)
    assert done.returncode == 1, done.stdout
    for _, _, _, line in LOST:
        assert line in done.stdout


def test_other_files_are_compared_when_a_test_fails(small):
    (small / "tb" / "inventory.txt").write_text(LISTED + "gone pytest tb/small/test_gone.py: test_gone 1\n")
    text = (small / TESTS).read_text()
    (small / TESTS).write_text(text.replace("def test_other(): pass", "def test_other(): assert False"))
    try:
        done = bench(small, "-n1")
        stopped = bench(small, "-x")
    finally:
        (small / TESTS).write_text(text)
    assert done.returncode == 1 and "gone pytest tb/small/test_gone.py: test_gone (1 of 1)" in done.stdout, done.stdout
    assert "fifo" not in done.stdout.partition("but not run:")[2]
    assert stopped.returncode == 1 and "inventory" not in stopped.stdout


def test_a_choice_among_tests_is_not_compared(small):
    (small / "tb" / "inventory.txt").write_text(LISTED)
    for words in (["-k", "other"], [f"{TESTS}::test_other"]):
        done = bench(small, *words)
        assert done.returncode == 0 and "inventory" not in done.stdout, done.stdout


def test_a_file_that_is_gone_is_missing():
    assert Run(("tb",)).compare({Line("a", "lint", "tb/x/test_a.py"): {WHOLE: 1}}, {})
    assert not Run(("tb/x/test_b.py", "tb/y")).compare({Line("a", "lint", "tb/x/test_a.py"): {WHOLE: 1}}, {})


def test_without_icarus_four_state_runs_are_not_compared():
    line = {Line("a", "four-state", "tb/x/test_a.py"): {"smoke": 1}}
    assert not Run(("tb",), icarus=False).compare(line, {})
    assert Run(("tb",), icarus=True).compare(line, {})
    assert Run(("tb",), icarus=False).update(line, {}) == line


@pytest.mark.parametrize(("reason", "counted"), [("iverilog is not installed", 1), ("no time for it", 0)])
def test_skipped_for_what_the_machine_lacks_counts(reason, counted):
    run, skipped = Run(("tb",)), ("tb/x/test_a.py", 1, f"Skipped: {reason}")
    run.report(pytest.TestReport("tb/x/test_a.py::test_b[1]", ("", 0, ""), {}, "skipped", skipped, "call"))
    assert run.tests["tb/x/test_a.py"] == Counter({"test_b": counted})


def test_soak_may_run_more_but_not_less():
    one, two = {Line("a", "lint", "tb/test_a.py"): {WHOLE: 1}}, {Line("a", "lint", "tb/test_a.py"): {WHOLE: 2}}
    run = Run(("tb",))
    assert run.compare(one, two) and not run.compare(one, two, more=True)
    assert run.compare(two, one, more=True)


def test_differences_go_both_ways():
    old, new = read("a proof f: x, y\n"), read("a proof f: y, z\nb lint f: configurations 3\n")
    assert differences(old, new) == (
        ["a proof f: x (1 of 1)"],
        ["a proof f: z (1 of 1)", "b lint f: configurations (3 of 3)"],
    )


def test_the_file_is_as_it_is_written():
    text = inventory.INVENTORY.read_text()
    assert written(read(text)) == text
    assert text, "`make test`, then `make inventory`"
    with pytest.raises(ValueError, match="line 2 "):
        read("a lint f: configurations 3\n<<<<<<< HEAD\n")
