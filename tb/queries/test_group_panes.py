"""GROUP BY over sliding windows by panes: PySpark's rows with the compiler's latency; the estimate of cells."""

from __future__ import annotations

from tb.queries.run import check, compiled
from tb.queries.test_cells import WITHIN, synthesised
from wirestream.compiler.cores.base import Cells
from wirestream.compiler.size import estimates


def test_rows_at_200_mhz():
    """The dissertation's Q5: at 200 MHz, a table for each of its ten open windows is not possible."""
    cores = [i.core for i in compiled("q5", "q5_parts", clock_ns=5.0).circuit.instances]
    assert cores.count("window:group_panes") == 1  # for both
    check("q5", "q5_parts", clock_ns=5.0)


def test_rows_by_panes():
    """Sums, counts, minima and maxima; windows of two, five and ten panes; SLACK below one pane."""
    check("bytes_per_source", "port_scan", "heavy_hitters", windows=("constant",))


def test_first_and_last_by_panes():
    """With SLACK 0, the order of time is the order of arrival."""
    check("swings", "first_highs", windows=("constant",))


def test_rows_with_room_for_hundreds_of_groups():
    check("port_scan", windows=("constant",), capacity=256)


def test_estimate(tmp_path):
    query = compiled("port_scan", windows=("constant",), capacity=16)
    expected, made = sum(estimates(query.circuit).values(), Cells()), synthesised(query, tmp_path)
    for kind, estimated, real in (("LUT", expected.lut, made.lut), ("FF", expected.ff, made.ff)):
        assert abs(estimated - real) <= WITHIN * real, f"{estimated:.0f} {kind} estimated, Yosys has {real}"
