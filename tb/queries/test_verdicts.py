"""The compiler's verdicts compared with synthesis, on both kinds of chips."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from docs import verdicts
from docs.verdicts import KINDS, RESOURCES, Comparison
from wirestream.compiler.chips import NETWORK

QUICK = ("active_periods", "metered_cost", "order_gaps")  # mapped in every test run
TESTED = [name if name in QUICK else pytest.param(name, marks=pytest.mark.soak) for name in verdicts.queries()]


def check(one: Comparison) -> None:
    """Each resource is close, and each chip holds the one exactly if it holds the other."""
    wrong = ", ".join(name for resource, name in RESOURCES.items() if not one.within(resource))
    assert not wrong, f"{wrong}: {asdict(one.estimate)} estimated, Yosys has {asdict(one.made)}"
    assert one.fits(one.estimate) == one.fits(one.made)


@pytest.mark.parametrize("one", list(verdicts.comparisons()), ids=lambda one: f"{one.name}-{KINDS[one.lut_inputs]}")
def test_verdict(one):
    """Of the figures in the page."""
    check(one)


@pytest.mark.parametrize("query", TESTED)
def test_verdict_of_what_yosys_makes_now(query):
    made = verdicts.measured(query)
    for inputs, estimate in verdicts.estimated(query).items():
        check(Comparison(query, inputs, estimate, made[inputs]))


def test_the_network_is_that_of_a_board():
    for inputs, use in verdicts.network().items():
        stated = NETWORK[inputs]
        assert stated.lut == pytest.approx(use.lut, rel=0.02) and stated.ff == pytest.approx(use.ff, rel=0.02)
        assert (stated.rams, stated.multipliers) == (use.rams, use.multipliers)


def test_the_file_is_as_the_command_writes_it(tmp_path):
    verdicts.write(verdicts.entries(), tmp_path / "verdicts.yml")
    assert (tmp_path / "verdicts.yml").read_text() == verdicts.DATA.read_text()
