"""merge_lanes_sort: runs of 2**LEVELS elements leave sorted, equals in order of arrival, P elements a cycle."""

from __future__ import annotations

from operator import itemgetter

import cocotb
import pytest

from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state
from tb.sort.lanes import Element, Lanes, flat, play


async def begin(dut) -> tuple[Lanes, int, int]:
    """Reset; the lanes, LEVELS, the beats of a run."""
    dut.s_valid.value = dut.m_ready.value = 0
    await start(dut)
    lanes, levels = Lanes(dut), int(dut.LEVELS.value)
    return lanes, levels, (1 << levels) // lanes.p


def latency(lanes: Lanes, levels: int) -> int:
    """From the first beat to the first one of the sorted run, by the headers."""
    layers = lanes.log_p * (lanes.log_p + 1) // 2
    runs = [1 << n for n in range(levels - lanes.log_p)]
    fifos = [(2 + 2 * (size > 16)) * (size > 4) for size in runs]
    return layers + 2 + sum(size + 3 + lanes.log_p + fifo for size, fifo in zip(runs, fifos, strict=True))


def expected(lanes: Lanes, blocks: list[list[Element]]) -> list[tuple[bool, list[Element]]]:
    return flat([lanes.beats(sorted(block, key=itemgetter(0))) for block in blocks])


@cocotb.test()
async def random_blocks(dut):
    """In all orders, with equal keys; the payloads tell equal elements apart."""
    lanes, _, beats = await begin(dut)
    for idle, stall in ((0, 0), (0.5, 0.1), (0.1, 0.6)):
        g = rng(f"blocks {idle}")
        blocks = [lanes.drawn(g, beats) for _ in range(12)]
        seen = await play(lanes, [[lanes.beats(block) for block in blocks]], idle, stall)
        assert [tuple(item) for _, *item in seen] == expected(lanes, blocks)


@cocotb.test()
async def a_beat_a_cycle(dut):
    """Sorted, reversed, all equal, random: the latency of the header, then a beat in each cycle."""
    lanes, levels, beats = await begin(dut)
    g, most, size = rng("orders"), (1 << lanes.key_w) - 1, beats * lanes.p
    for order in ("sorted", "reversed", "equal", "random"):
        blocks = []
        for _ in range(10):
            drawn = sorted(g.getrandbits(lanes.key_w) for _ in range(size))
            if order == "reversed":
                drawn.reverse()
            elif order == "equal":
                drawn = [most] * size
            elif order == "random":
                g.shuffle(drawn)
            blocks.append([(key, g.getrandbits(lanes.payload_w)) for key in drawn])
        seen = await play(lanes, [[lanes.beats(block) for block in blocks]], 0, 0)
        assert [tuple(item) for _, *item in seen] == expected(lanes, blocks)
        first = latency(lanes, levels)
        assert [cycle for cycle, *_ in seen] == list(range(first, first + len(seen))), order
        await reset(dut)


@pytest.mark.parametrize(
    ("levels", "p", "key_w", "payload_w"), [(2, 2, 1, 9), (4, 4, 6, 12), (8, 4, 32, 32), (6, 2, 4, 12), (7, 8, 9, 12)]
)
def test_merge_lanes_sort(levels, p, key_w, payload_w):
    run("merge_lanes_sort", LEVELS=levels, P=p, KEY_W=key_w, PAYLOAD_W=payload_w)


@pytest.mark.soak
def test_largest():
    run("merge_lanes_sort", LEVELS=12, P=4, KEY_W=7, PAYLOAD_W=16)


def test_four_state():
    run_four_state("merge_lanes_sort", "random_blocks", LEVELS=4, P=4, KEY_W=4, PAYLOAD_W=8)
