"""The comparators of ws_sort_network as Yosys elaborates them: they are those of the definitions, they sort by the 0-1
principle, there are as many as published, and they take the cells that follow from that."""

import itertools
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tb import BUILD
from tb.lib.run import design
from tb.sort.networks import FEWEST, earliest, elaborated
from wirestream.compiler.chips import taken
from wirestream.compiler.cores import SortNetwork
from wirestream.compiler.sorting_networks import Pair, comparators, in_use, network
from wirestream.measure.synth import map_ecp5, map_xilinx

DEFINED = ("EVEN_ODD", "BITONIC", "TRANSPOSITION")
# The comparators of "BEST" above the fewest known
ABOVE = {17: 2, 18: 3, 19: 2, 20: 2, 21: 4, 22: 4, 23: 4, 24: 3, 25: 3, 26: 2, 27: 3, 28: 1, 29: 1}

CIRCUITS = [
    {},
    {"KIND": "BITONIC", "PAYLOAD_W": 24},
    {"CIRCUIT": "COMBINATIONAL"},
    {"N": 13, "KIND": "BEST", "KEY_W": 16, "STEP": 3},
    {"KEY_W": 16, "PAYLOAD_W": 16, "SPLIT": 1},
    {"OUTPUTS": 0b1000},
    {"KIND": "TRANSPOSITION", "KEY_W": 16, "PAYLOAD_W": 8, "STABLE": 1},
    {"N": 11, "KIND": "BEST", "KEY_W": 8, "PAYLOAD_W": 8, "CIRCUIT": "REUSED", "COMPARATORS": 3},
]


@pytest.fixture(scope="session")
def zero_one(tmp_path_factory):
    """Whether comparators sort all sequences of zeros and ones on so many wires."""
    program = tmp_path_factory.mktemp("zero_one") / "zero_one"
    source = Path(__file__).with_name("zero_one.cpp")
    subprocess.run(["g++", "-std=c++17", "-O3", "-o", program, source], check=True)

    def sorts(wires: int, pairs: list[Pair]) -> bool:
        numbers = " ".join(str(wire) for pair in pairs for wire in pair)
        done = subprocess.run([program, str(wires)], input=numbers, text=True, capture_output=True)
        assert done.returncode in (0, 1), done.stderr
        return done.returncode == 0

    return sorts


def merges(wires: int, lower: int, pairs: list[Pair]) -> bool:
    """Whether comparators merge all pairs of sorted sequences of zeros and ones, `lower` and the rest of the wires."""
    for ones in itertools.product(range(lower + 1), range(wires - lower + 1)):
        line = [at >= size - one for size, one in zip((lower, wires - lower), ones, strict=True) for at in range(size)]
        for low, high in pairs:
            line[low], line[high] = line[low] and line[high], line[low] or line[high]
        if line != sorted(line):
            return False
    return True


@pytest.mark.parametrize("n", [2, 3, 4, 7, 8, 16, 21, 32, 47, 64])
@pytest.mark.parametrize("kind", [*DEFINED, "BEST"])
def test_the_network_is_the_defined_one(kind, n):
    assert earliest(elaborated(n, kind)) == earliest(comparators(kind, n))


@pytest.mark.parametrize("p", range(1, 7))
def test_as_many_comparators_as_published(p):
    """Table 6.1."""
    size = {kind: len(comparators(kind, 1 << p)) for kind in DEFINED}
    assert size["EVEN_ODD"] == (p * p - p + 4) * 2**p // 4 - 1
    assert size["BITONIC"] == (p * p + p) * 2**p // 4
    assert size["TRANSPOSITION"] == 2**p * (2**p - 1) // 2
    assert len(network("EVEN_ODD", 1 << p)) == len(network("BITONIC", 1 << p)) == p * (p + 1) // 2


@pytest.mark.parametrize("kind", DEFINED)
@pytest.mark.parametrize("n", range(2, 17))
def test_it_sorts(zero_one, n, kind):
    assert zero_one(n, elaborated(n, kind))


@pytest.mark.parametrize("n", [*range(2, 25), *(pytest.param(n, marks=pytest.mark.soak) for n in range(25, 33))])
def test_best_sorts(zero_one, n):
    """All 2**n sequences; without any one of its comparators it does not, as far as that takes no long time."""
    pairs = elaborated(n, "BEST")
    assert zero_one(n, pairs)
    assert len(earliest(pairs)) == len(network("BEST", n))
    assert len(pairs) == len(comparators("BEST", n)) == FEWEST[n - 1] + ABOVE.get(n, 0)
    without = [pairs[:at] + pairs[at + 1 :] for at in range(len(pairs) if n <= 16 else 0)]
    assert not any(zero_one(n, fewer) for fewer in without)


@pytest.mark.parametrize("kind", ["EVEN_ODD", "BITONIC"])
def test_large_networks_sort_because_their_merges_do(zero_one, kind):
    """Each network is two of half its size, which sort, and a merge, up to the largest; the others are parts of it."""
    whole = network(kind, 64)
    assert earliest(elaborated(64, kind)) == earliest(comparators(kind, 64))
    for log in range(1, 7):
        half, inside, layers = 1 << log - 1, log * (log - 1) // 2, log * (log + 1) // 2
        for layer, pairs in enumerate(whole[:layers]):
            crossing = [(low, high) for low, high in pairs if high < 2 * half and low // half != high // half]
            assert layer >= inside or not crossing
        halves = [[pair for pair in layer if max(pair) < half] for layer in whole[:inside]]
        upper = [
            [(low - half, high - half) for low, high in layer if half <= low < 2 * half] for layer in whole[:inside]
        ]
        assert halves == upper
        merge = [pair for layer in whole[inside:layers] for pair in layer if max(pair) < 2 * half]
        assert merges(2 * half, half, merge)
        assert not merges(2 * half, half, merge[:-1])


@pytest.mark.parametrize("n", [33, 47, 48, 64])
def test_best_above_32_is_two_halves_and_a_merge(n):
    """The halves sort, and the rest merges them."""
    pairs, lower = elaborated(n, "BEST"), (n + 1) // 2
    low = elaborated(lower, "BEST")
    high = [(a + lower, b + lower) for a, b in elaborated(n - lower, "BEST")]
    inside = [pair for pair in pairs if (pair[0] < lower) == (pair[1] < lower)]
    assert earliest([pair for pair in inside if pair[0] < lower])[: len(earliest(low))] == earliest(low)
    merge = list(pairs)
    for pair in low + high:
        merge.remove(pair)  # the first one: the merge comes after the halves
    assert merges(n, lower, merge)


def test_the_median_of_eight():
    """Figure 6.25: ten comparators and seven half ones for the fourth smallest of eight."""
    used = Counter(map(len, in_use(elaborated(8, "EVEN_ODD"), {3})))
    assert used == {2: 10, 1: 7, 0: 2}


@pytest.mark.parametrize("parameters", CIRCUITS, ids=lambda p: "-".join(map(str, p.values())) or "defaults")
def test_cells_follow_the_contract(parameters):
    """The models of sections 6.3.3 and 6.3.4 are within 10%, of comparators that are used again within 20%; an ECP5 has
    exactly as many registers, except for places of elements that are constants."""
    sorter, contract = design("sort_network").with_parameters(**parameters), SortNetwork(**parameters).cells({})
    folder = BUILD / "networks" / sorter.label
    ecp5, virtex6 = map_ecp5(sorter, folder).cells, map_xilinx(sorter, folder, "xc6v")
    assert ecp5["TRELLIS_FF"] == pytest.approx(taken(contract, 4).ff, rel=0.1 * ("STABLE" in parameters))
    within = 0.2 if "COMPARATORS" in parameters else 0.1
    assert ecp5["TRELLIS_COMB"] == pytest.approx(taken(contract, 4).lut, rel=within)
    assert (virtex6.luts, virtex6.ff) == pytest.approx((taken(contract, 6).lut, taken(contract, 6).ff), rel=within)
