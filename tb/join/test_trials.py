"""The report's measurements of joins: numbers as asserted by the joins' tests, pairs as by the definition."""

import pytest

from tb.join import test_fjoin_chain as fjoin
from tb.join.model import Tuple, tuple_windows
from tb.join.test_window_join import BUILDS
from wirestream.design import resolve
from wirestream.measure.join_trials import eta, host_rate, keys_of, matches, rate
from wirestream.measure.sweeps.fjoin import ETA_BATCHES, ETA_ROWS, eta_of_pairs

EQ = BUILDS["eq"]  # a bench that its test has built
ROWS, GROUPS = EQ["ROWS"], EQ["ROWS"] // EQ["MATCH_LANES"]


@pytest.mark.parametrize("percent", [0, 10, 100])
def test_pairs_are_counted(percent):
    keys = keys_of(percent, 150)
    tuples = [Tuple(n % 2, key) for n, key in enumerate(keys)]
    assert matches(keys, 20) == len(tuple_windows(tuples, "EQ", 0, 20))


def test_rate(tmp_path):
    """The units limit the rate where little matches, the output where all does; a join with other pairs is refused."""
    design = resolve("join_bulk").with_parameters(**EQ)
    assert rate(design, tmp_path, ROWS, 0, 4, 20) == {"cycles": GROUPS + 2, "results": 0}
    found = rate(design, tmp_path, ROWS, 100, 2 * ROWS, 40)
    assert found["cycles"] == pytest.approx(2 * ROWS, rel=0.1) and found["results"] == pytest.approx(1, rel=0.1)
    with pytest.raises(RuntimeError, match="pairs"):
        rate(design, tmp_path, ROWS - 1, 10, 2 * ROWS, 40)


def test_host_rate(tmp_path, monkeypatch):
    """A window of the chain has one batch more than the join's; the host removes the surplus pairs."""
    parameters = {"PREDICATE": "EQ", **fjoin.CASES["EQ"][1]}
    units, lanes, rows = parameters["UNITS"], parameters["LANES"], 5 * parameters["UNITS"]
    load = 2 * rows, 10 * units
    design = resolve("fjoin_bulk").with_parameters(**parameters)
    assert host_rate(design, tmp_path, rows, 0, *load) == {"cycles": 2 * (rows + units) / units}
    found = host_rate(design, tmp_path, rows, 100, *load)
    assert found["cycles"] == pytest.approx(2 * (rows + units) / lanes, rel=0.05)
    with pytest.raises(ValueError, match="must be multiples"):
        host_rate(design, tmp_path, rows, 0, 2 * rows, 10 * units + 2)
    whole = fjoin.Chain.found
    monkeypatch.setattr(fjoin.Chain, "found", lambda chain, result: whole(chain, result)[:-1])
    with pytest.raises(RuntimeError, match="pairs"):
        host_rate(design, tmp_path, rows, 100, *load)


@pytest.mark.parametrize("percent", [0, 20])
def test_eta_is_that_of_the_equation(percent, tmp_path):
    """The equation in fjoin.md: to 0.05% where the window decides; matches are spread less evenly than it assumes."""
    design = resolve("fjoin_bulk").with_parameters(**fjoin.FORMS["pairs"])
    found = eta(design, tmp_path, ETA_ROWS, percent, ETA_BATCHES)
    assert found["eta"] == pytest.approx(eta_of_pairs(percent), rel=0.03 if percent else 5e-4)
