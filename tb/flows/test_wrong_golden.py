"""One wrong number in a golden must fail the comparison in the tests of trades_q3, and the demo."""

import shutil
import sys

import pyarrow as pa
import pyarrow.parquet
import pytest

from tb import REPOSITORY, demo
from tb.lib.golden import CASES, expected
from tb.top import test_trades_q3


@pytest.fixture
def golden(tmp_path, monkeypatch):
    """A copy of a golden that the comparison reads instead of the golden."""
    folder = shutil.copytree(expected(CASES["start"]), tmp_path / "golden")
    monkeypatch.setattr(test_trades_q3, "expected", lambda case: folder)
    return folder


def test_copy_passes(golden):
    test_trades_q3.check_golden("start", per_datagram=1)


@pytest.mark.parametrize("column", ["Time", "Number"])
def test_one_wrong_number_fails(golden, column):
    rows = pyarrow.parquet.read_table(golden / "rows.parquet")
    place = rows.schema.get_field_index(column)
    field = rows.schema.field(place)
    *others, last = rows[column].to_pylist()
    changed = rows.set_column(place, field, pa.array([*others, last + 1], field.type))
    pyarrow.parquet.write_table(changed, golden / "rows.parquet")
    with pytest.raises(AssertionError, match="start"):
        test_trades_q3.check_golden("start", per_datagram=1)


def test_one_missing_row_fails(golden):
    rows = pyarrow.parquet.read_table(golden / "rows.parquet")
    pyarrow.parquet.write_table(rows.slice(0, len(rows) - 1), golden / "rows.parquet")
    with pytest.raises(AssertionError, match="start"):
        test_trades_q3.check_golden("start", per_datagram=1)


FEED = str(REPOSITORY / "fusesoc" / "orders" / "feed_streams.sql")


@pytest.mark.parametrize(("wrong", "query"), [(0, ()), (1, ()), (0, (FEED,))])
def test_demo_ends_with_1_if_a_row_differs(wrong, query, monkeypatch):
    """With tuples, and with the messages of a feed."""

    def expected_with_a_wrong_row(*asked):
        (rows, *of_others), replaced = computed(*asked)
        *others, last = rows
        last = tuple((name, value + wrong if name == "Number" else value) for name, value in last)
        return [[*others, last], *of_others], replaced

    computed = demo.expected
    monkeypatch.setattr(demo, "expected", expected_with_a_wrong_row)
    monkeypatch.setattr(sys, "argv", ["make demo", *query, "--tuples", "2000"])
    assert demo.main() == wrong


def numbered(*numbers: int) -> list:
    return [(("N", number),) for number in numbers]


def test_at_most_20_rows_that_differ_are_shown(capsys):
    demo.show_rows(
        "Result", numbered(*range(100), *range(1000, 1030)), numbered(*range(100), *range(2000, 2500)), False
    )
    lines = capsys.readouterr().out.splitlines()
    assert sum("PySpark's" in line for line in lines) == 20 and any("510 more" in line for line in lines)
    assert sum(" = " in line for line in lines) == demo.HEAD
