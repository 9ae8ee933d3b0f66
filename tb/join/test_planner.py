"""The planner picks the smallest join that keeps up, reports what is left for Spark, and refuses invalid loads."""

from __future__ import annotations

import random

import pytest

from tb.join.test_handshake_join import BUILDS as CHAINS
from tb.join.test_window_join import BUILDS
from wirestream.compiler import join_planner as planner
from wirestream.compiler.join_planner import (
    BUSY,
    JOINS,
    MEASURED,
    Chip,
    Load,
    fjoins,
    handshake_joins,
    main,
    plan,
    window_joins,
)
from wirestream.design import resolve
from wirestream.measure.join_trials import eta, rate

CHIPS = (Chip(), Chip(luts=5_000), Chip(rams=20), Chip(delay_s=2e-6))


def loads(count: int) -> list[Load]:
    g = random.Random("loads")
    return [
        Load(
            g.choice(list(planner.PREDICATES)),
            *(2 ** g.uniform(1, 17) for _ in "RS"),
            *(10 ** g.uniform(2, 7.5) for _ in "RS"),
            g.choice((0, 0.001, 0.01, 0.1, 1)),
        )
        for _ in range(count)
    ]


def keeping_up(load: Load, chip: Chip) -> list[planner.Size]:
    return [size for sizes in JOINS for size in sizes(load) if chip.takes(size) and size.busy <= BUSY]


@pytest.mark.parametrize("chip", CHIPS, ids=str)
def test_smallest_that_keeps_up(chip):
    """If there is none, it plans the largest share of the windows for which there is one, to within a row."""
    whole, parts, refused = 0, 0, 0
    for load in loads(150):
        try:
            found = plan(load, chip)
        except ValueError:
            assert not keeping_up(load.part(1 / load.rows), chip)
            refused += 1
            continue
        part = load.part(found.share)
        assert found.best in keeping_up(part, chip)
        assert all(found.best.luts <= size.luts for size in keeping_up(part, chip))
        if found.share == 1:
            whole += 1
        else:
            assert not keeping_up(load.part(found.share + 1 / load.rows), chip)
            parts += 1
    assert whole > 20 and parts > 10


def test_luts_as_measured():
    """handshake_join with 4 cores and segments of 8 and 64 tuples as by `make synth`, and with 16 cores and 64 tuples
    as in the report: 11,835, which includes inverters and feed-through LUTs; and fjoin_chain with its queues."""
    luts = {
        (size.parameters["CORES"], size.parameters["SEGMENT"]): size.luts
        for rows in (32, 256, 1024)
        for size in handshake_joins(Load("EQ", rows, rows, 1, 1, 0))
    }
    assert luts[4, 8] == 1391 + 528 and luts[4, 64] == pytest.approx(1706 + 1056, abs=4)
    assert 0.87 * 11_835 < luts[16, 64] < 11_835
    assert luts[4, 256] < luts[4, 64]  # in block RAM
    size = next(fjoins(Load("L1", 1024, 1024, 1, 1, 0)))
    assert size.parameters["UNITS"] == 64 and size.luts == pytest.approx((149 + 3.5 + 1) * 64, rel=0.01)


def test_a_larger_chip_takes_no_smaller_share():
    small, large = Chip(luts=10_000, rams=30), Chip(luts=20_000, rams=60)
    for load in loads(100):
        try:
            share = plan(load, small).share
        except ValueError:
            continue
        assert plan(load, large).share >= share


# For sizes whose benches other tests have built, at equal rates: the tolerance between simulation and planner.
SIMULATED = {
    "window_join": ({"ROWS": 64, "MATCH_LANES": 4}, window_joins, 0.01),
    "handshake_join": ({"CORES": 4, "SEGMENT": 16}, handshake_joins, 0.01),
    "fjoin_chain": ({"UNITS": 64, "LANES": 4}, fjoins, 0.03),
}
ROWS, FJOIN_ROWS = 64, 512


@pytest.mark.parametrize("percent", [0, 10, 50, 100])
@pytest.mark.parametrize("core", SIMULATED)
def test_busy_is_what_is_simulated(core, percent, tmp_path):
    """Cycles for a tuple of each stream."""
    parameters, sizes, tolerance = SIMULATED[core]
    rows = FJOIN_ROWS if core == "fjoin_chain" else ROWS
    load = Load("EQ", rows, rows, 1, 1, percent / 100)
    size = next(size for size in sizes(load) if size.parameters == parameters)
    planned = size.busy * 1e6 * size.mhz
    if core == "fjoin_chain":
        simulated = eta(resolve("fjoin_bulk").with_parameters(PAIRS=1), tmp_path, rows, percent, 40)["cycles"]
    else:
        bench = BUILDS["eq"] if core == "window_join" else CHAINS["eq"]
        assert parameters.items() <= bench.items()
        design = resolve("join_bulk").with_parameters(**bench)
        simulated = rate(design, tmp_path, rows, percent, 4 * rows, 400)["cycles"]
    print(f"{core}, {percent}%: planned {planned:.2f} cycles, simulated {simulated:.2f}")
    assert simulated == pytest.approx(planned, rel=tolerance)


def test_equation_1():
    """A stream of 3 tuples a second with a window of 20, and one of 5 with 10: 3 * 10 + 5 * 20 evaluations."""
    load = Load("EQ", rows_r=20, rows_s=10, rate_r=3, rate_s=5, selectivity=0.1)
    assert load.evaluations == 130 and load.results == 13
    assert Load.in_time("EQ", 4, 3, 5, 0.1).evaluations == 2 * 4 * 3 * 5  # equation 2


@pytest.mark.parametrize(("rate_r", "rate_s"), [(3000, 1000), (10, 10), (50, 1e5)])
def test_equation_4(rate_r, rate_s):
    """CPU cores for windows of 180 seconds by the ratio of the rates and their sum, and for a third of that."""
    load, cpu = Load.in_time("L1", 180, rate_r, rate_s, 0.01), 1e6
    ratio, together = rate_r / rate_s, rate_r + rate_s
    needed = 2 * 180 * ratio * together**2 / ((ratio + 1) ** 2 * cpu)
    assert needed - 1e-6 <= load.cores(cpu) < needed + 1
    assert needed / 3 - 1e-6 <= load.cores(cpu, 1 / 3) < needed / 3 + 1


def test_dropping():
    """Equation 4 of Miyoshi et al.: a tuple every t cycles, each of which takes the cycles of equation 5."""
    scan = 64 + 2
    for every in (10, 50, 66, 200):
        hertz = 1e6 * MEASURED["window_join"].at(1)[1]
        size = next(window_joins(Load("EQ", 64, 64, hertz / every, hertz / every, 0)))
        assert size.parameters == {"ROWS": 64, "MATCH_LANES": 1}
        assert size.taken == pytest.approx(min(1, every / scan))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("EQ --rows 1024 --rates 1e6 1e6", "best: window_join ROWS=1024"),
        ("EQ --rows 1024 --rates 1e6 1e6 --cpu 1e6", "Spark alone: 2048 CPU cores"),
        ("EQ --rows 1024 --rates 1e6 1e6 --cpu 3e9", "Spark alone: 1 CPU core"),
        ("EQ --rows 50000 --rates 1e7 1e7 --cpu 1e9", "evaluations per second, 958 CPU cores"),
        ("EQ --rows 10000 --rates 1e7 1e7", "handshake_join with DROP=1 would accept at most 3.8% of the tuples"),
        ("L1 --seconds 0.1 --rates 1e5 2e5 --selectivity 0.001", "best: fjoin_chain"),
        ("EQ --rows 100000 --rates 1e7 1e7", "Spark finds the pairs that are farther apart"),
    ],
)
def test_command(arguments, said, capsys):
    assert main(arguments.split()) == 0
    assert said in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("EQ --rows 64 --rates 0 1", "must be more than 0"),
        ("EQ --rows 64 --rates 1 1 --selectivity 2", "selectivity 2.0: must be 0 to 1"),
        ("EQ --rows 64 --rates 1 1 --delay 1e-9", "no join that fits"),
        ("EQ --rows 64 --rates 1 1 --cpu 0", "must be more than 0"),
    ],
)
def test_refused(arguments, said, capsys):
    assert main(arguments.split()) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(("sizes", "longer"), [(window_joins, 5), (handshake_joins, 5), (fjoins, 0)])
def test_windows_in_time(sizes, longer):
    """The entry takes 3 cycles per tuple; a result comes 4 cycles later, and the predicate takes at least 2."""
    tuples, timed = (Load("EQ", 64, 64, 3e7, 3e7, 0, timed) for timed in (False, True))
    for a, b in zip(sizes(tuples), sizes(timed), strict=True):
        hertz = 1e6 * b.mhz
        assert b.busy == pytest.approx(max(a.busy, 6e7 * 3 / hertz) if longer else a.busy)
        assert b.delay_s == pytest.approx(a.delay_s + longer / hertz)
