"""Each fault of tb/faults.yml still applies and, in `make soak`, makes its tests fail in a copy of the checkout."""

import ast
import re
from collections import Counter

import pytest

from tb import REPOSITORY
from tb.lib import tree
from tb.lib.faults import AREAS, Fault, attempt, draw, python_changes, read, verilog_changes

FAULTS = read()


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return tree.copy(tmp_path_factory.mktemp("faults") / "tree")


@pytest.mark.soak
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault(fault, copy, record_property):
    caught, output = attempt(fault, copy)
    record_property("fault", "caught" if caught else "equivalent" if fault.equivalent else "survived")
    assert caught != bool(fault.equivalent), f"{fault.file}: no test failed\n{fault.new}\n{output}"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_applies(fault, tmp_path):
    """Each changes exactly one place, and the tests that should fail exist."""
    path = tmp_path / fault.file
    path.parent.mkdir(parents=True)
    path.write_text((REPOSITORY / fault.file).read_text())
    assert fault.apply(tmp_path) == (REPOSITORY / fault.file).read_text() != path.read_text()
    if path.suffix == ".py":
        ast.parse(path.read_text())
    assert fault.tests
    for test in fault.tests:
        file, _, function = test.partition("::")
        function = function.partition("[")[0]
        assert not function or re.search(rf"^def {function}\(", (REPOSITORY / file).read_text(), re.M), test
        assert (REPOSITORY / file).is_file(), test


def test_ten_in_each_area():
    assert Counter(fault.area for fault in FAULTS) == dict.fromkeys(AREAS, 10)


def test_a_fault_that_no_longer_applies_is_an_error(tmp_path):
    (tmp_path / "a.py").write_text("a = 1\na = 1\n")
    for old in ("a = 1\n", "a = 2\n"):
        with pytest.raises(ValueError, match=r"(2|0) places"):
            Fault("host", "off-by-one", "a.py", old, "a = 3\n").apply(tmp_path)


@pytest.mark.parametrize("area", ["rtl", "host"])
def test_a_draw_depends_on_its_seed_alone(area):
    assert draw(area, 5, 3) == draw(area, 5, 3) != draw(area, 6, 3)


def made(changes, text):
    return {(c.operator, text[: c.start] + c.new + text[c.end :]) for c in changes}


def test_operators_of_python():
    text = "def f(a: int, b):\n    if a < b and b:\n        g(a, b)\n    return a + 1\n"
    assert made(python_changes(text), text) == {
        ("comparison", text.replace("<", "<=")),
        ("and-or", text.replace("and", "or")),
        ("negated", text.replace("a < b and b", "not (a < b and b)")),
        ("dropped", text.replace("g(a, b)", "pass")),
        ("swapped", text.replace("g(a, b)", "g(b, a)")),
        ("return", text.replace("a + 1", "None")),
        ("arithmetic", text.replace("+", "-")),
        ("off-by-one", text.replace("1", "2")),
    }


def test_operators_of_verilog():
    text = "always @(posedge clk) begin\n    if (rst || n == 2'd3) n <= n + 2'd1;\n    n <= 0;  // n == 1\nend\n"
    assert made(verilog_changes(text), text) == {
        ("comparison", text.replace("n == 2", "n != 2")),
        ("and-or", text.replace("||", "&&")),
        ("arithmetic", text.replace(" + ", " - ")),
        ("negated", text.replace("rst || n == 2'd3", "!(rst || n == 2'd3)")),
        ("off-by-one", text.replace("2'd3", "2'd0")),
        ("off-by-one", text.replace("2'd1", "2'd2")),
        ("stuck", text.replace("n <= n + 2'd1;", "n <= n;")),
        ("dropped", text.replace("n <= 0;", "begin end")),
    }
    assert not list(verilog_changes(f"`ifdef FORMAL\n{text}`endif\n"))
