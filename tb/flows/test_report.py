"""The report: its page has the measured numbers, nothing is measured twice, and its cycles are those of simulation."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from tb.window import test_pane_aggregate as simulation
from wirestream.design import BUILD_DIR
from wirestream.measure import points
from wirestream.measure.curves import Curve
from wirestream.measure.points import fingerprint, measure
from wirestream.measure.report import main
from wirestream.measure.sweeps import SWEEPS
from wirestream.measure.sweeps.fjoin import FJOIN_UNITS
from wirestream.measure.sweeps.handshake_join import HANDSHAKE_RATE
from wirestream.measure.sweeps.sorting import SORT_LOGIC, SORT_MEDIAN, SORT_PIPELINED
from wirestream.measure.sweeps.windows import PANES, WID, panes
from wirestream.measure.yosys import YosysFailure

SIZES = (2, 3, 4)  # windows; --quick takes two
PAPER = {2: 1000, 3: 2000, 4: 3000}  # LUTs
LUT_KINDS = ("lut", "inv", "through", "lutram", "srl")
OURS = next(curve for curve in WID.curves if curve.name == "our WID")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """The folder of a quick report: a few windows, compared with an invented paper."""
    folder = tmp_path_factory.mktemp("build") / "report"
    curves = (Curve("paper", 0, known={"lut": PAPER}), OURS)
    small = replace(WID, sizes=SIZES, timed=SIZES, curves=curves, ratios=(("our WID", "paper"),))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(BUILD_DIR, str(folder.parent))
        patch.setitem(SWEEPS, "small", small)
        assert main(["--quick", "--figure", "small"]) == 0
        yield folder


def tables(folder) -> dict[str, list[list[str]]]:
    """The tables of the page by title, with their header rows."""
    found = re.findall(r"^\*\*(.*)\*\*\n\n((?:\|.*\n)+)", (folder / "report.md").read_text(), re.MULTILINE)
    return {title: [row.strip("| ").split(" | ") for row in rows.splitlines()] for title, rows in found}


def test_page_has_the_measured_numbers(quick):
    points = [json.loads((quick / f"{OURS.design(size).label}.cells.json").read_text()) for size in SIZES[:2]]
    lut, ff = ([sum(p[kind] for kind in kinds) for p in points] for kinds in (LUT_KINDS, ("ff",)))
    assert len(list(quick.glob("*.json"))) == 2 and lut[1] > lut[0] > 0 and ff[1] > ff[0] > 0
    found = tables(quick)
    assert found.keys() == {"LUTs", "flip-flops"}
    assert found["LUTs"][0] == [WID.axis, "paper", "our WID", "our WID / paper"]
    rows = zip(SIZES, lut, strict=False)
    assert found["LUTs"][2:] == [[str(n), str(PAPER[n]), str(ours), f"{ours / PAPER[n]:.2g}"] for n, ours in rows]
    assert found["flip-flops"][2:] == [[str(n), str(ours)] for n, ours in zip(SIZES, ff, strict=False)]


def test_nothing_is_measured_twice(quick, monkeypatch):
    before = {file: file.read_bytes() for file in quick.rglob("*") if file.suffix in (".md", ".svg", ".json")}
    monkeypatch.setattr(points, "map_xilinx", None)
    assert main(["--quick", "--figure", "small"]) == 0
    assert before == {file: file.read_bytes() for file in before}


def test_pictures_have_the_curves_and_no_date(quick):
    picture = (quick / "report" / "wid.svg").read_text()
    assert ">paper</text>" in picture and ">our WID</text>" in picture and ">LUTs</text>" in picture
    assert "dc:date" not in picture


def test_a_change_is_measured(tmp_path):
    design = panes("SCAN", 4)
    source = tmp_path / "changed.v"
    source.write_text(design.sources[-1].read_text() + "\n")
    changed = replace(design, sources=(*design.sources[:-1], source))
    keys = [fingerprint(d, *seeds) for d in (design, changed, panes("SCAN", 5)) for seeds in ((), (1,), (2,))]
    assert len(set(keys)) == len(keys)
    assert fingerprint(panes("SCAN", 4)) == keys[0]


def measured_by(step, *_):
    """Replaces `kept`: lists the measurements without running them."""
    return {"mhz": 100.0} if step is points.clock else dict.fromkeys((*LUT_KINDS, "ff", "bram"), 1)


@pytest.mark.parametrize("name", ["wid", "panes", "handshake", "sort_pipelined", "sort_logic", "sort_median"])
def test_every_picture_has_its_numbers(name, monkeypatch):
    """Cells at all sizes, and clock rates at the placed ones, for sweeps with one or several pictures."""
    monkeypatch.setattr(points, "kept", measured_by)
    sweep = SWEEPS[name]
    found = measure(sweep, 1, 1)
    for curve in (curve for curve in sweep.curves if curve.design):
        measured = found[curve.name]
        assert (set(measured["lut"]), set(measured["mhz"])) == (set(sweep.sizes), set(sweep.timed))


def test_units_keep_up_with_what_equation_5_says():
    """At eta 0.31 and 300 MHz ours equals the paper's, whose units perform the evaluations that both streams need."""
    sweep = FJOIN_UNITS
    found = {curve.name: dict(curve.known) for curve in sweep.curves}
    found["fjoin_chain"] = {"eta": {16: 0.31, 64: 1}, "mhz": {16: 300}}
    sweep.follows(found)
    for seconds in (180, 300):
        ours = found["fjoin_chain"][f"{seconds} s"]
        assert ours == {16: found["eta 0.31, 300 MHz"][f"{seconds} s"][16]}
        of_a_stream = 1e3 * ours[16] / 2
        assert 2 * of_a_stream * seconds * of_a_stream == pytest.approx(0.31 * 300e6 * 16)


def test_rates_at_the_clock():
    found = {
        "section 7.7.5": {"rate": {5: 500, 10: 1000}},
        "half of it": {"rate": {5: 250, 10: 500}},
        "FORWARD = 1": {"rate": {5: 240, 10: 480}, "mhz": {10: 150}},
    }
    HANDSHAKE_RATE.follows(found)
    assert [numbers["placed"] for numbers in found.values()] == [{10: 1500}, {10: 750}, {10: 720}]


def test_models_of_networks_are_the_published_ones():
    """The formulas of sections 6.3.3 and 6.3.4 for 2**p elements of m bits."""
    m = 32
    for p in range(2, 7):
        even_odd, bitonic = (curve.known for curve in SORT_PIPELINED.curves[:2])
        assert even_odd["lut"][2**p] == 5 * m * (p * p - p + 4) * 2**p / 8 - 5 * m / 2
        assert bitonic["lut"][2**p] == 5 * m * (p * p + p) * 2**p / 8
        assert even_odd["ff"][2**p] == bitonic["ff"][2**p] == 4 * m * (p * p + p) * 2**p / 8
        assert even_odd["slices"][2**p] == m * ((5 * p * p + 3 * p + 4) * 2**p / 32 - 1 / 8)
        assert bitonic["slices"][2**p] == 5 * m * (p * p + p) * 2**p / 32


def test_delays_follow_from_clocks():
    """Section 6.3.4: eight elements are sorted in 22.5 ns at 267 MHz, in as many cycles as there are layers."""
    found = {name: {"mhz": {8: 267}} for name in ("even-odd", "bitonic")}
    SORT_PIPELINED.follows(found)
    assert found["even-odd"]["delay"] == found["bitonic"]["delay"] == {8: pytest.approx(22.5, abs=0.05)}
    found = {curve.name: {"mhz": {8: 100}} for curve in SORT_LOGIC.curves}
    SORT_LOGIC.follows(found)
    assert [numbers.get("delay") for numbers in found.values()] == [{8: 60}, {8: 60}, None, {8: 10}, {8: 10}]


def test_medians_at_the_clock_of_the_bus():
    """Four medians of 32 bits a cycle at 100 MHz are the 1,600 MB/s of the bus."""
    found = {name: {"mhz": {8: 100}} for name in ("all outputs", "the median")}
    SORT_MEDIAN.follows(found)
    assert found["the median"]["seconds"][8] == pytest.approx(256 * 2**20 / 1.6e9)


def test_a_failure_ends_with_one_line(quick, monkeypatch, capsys):
    def fail(*_):
        raise YosysFailure("out of gates")

    monkeypatch.setattr(points, "fingerprint", lambda *_: "another")
    monkeypatch.setattr(points, "map_xilinx", fail)
    assert main(["--quick", "--figure", "small"]) == 1
    assert re.search(r"^\w+\.[\w=.]+: out of gates$", capsys.readouterr().err, re.MULTILINE)


@pytest.mark.parametrize("method", ["SCAN", "CONSTANT"])
def test_cycles_are_those_that_simulation_asserts(method):
    curve = next(curve for curve in PANES.curves if curve.name == f"our {method}")
    for size in PANES.sizes:
        p = curve.design(size).parameters
        query = simulation.Query(p["RANGE"], p["SLIDE"], p["SLACK"], (simulation.Aggregate("CNT", False, 0),))
        core = simulation.core(method, query, p["SKEW"], lanes=1)
        assert (p["METHOD"], p["KINDS"]) == (method, "CNT")
        assert (curve.known["latency"][size], curve.known["close"][size]) == (core.latency, core.close_cycles)
