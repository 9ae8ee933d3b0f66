"""merge_lanes_tree: the n-th runs of all inputs leave as one sorted run, equals in order of the inputs, P elements a
cycle."""

from __future__ import annotations

import cocotb
import pytest

from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state
from tb.sort.lanes import Lanes, flat, play


async def begin(dut) -> tuple[Lanes, int]:
    """Reset; the lanes, the number of inputs."""
    dut.s_valid.value = dut.m_ready.value = 0
    await start(dut)
    return Lanes(dut), int(dut.K.value)


@cocotb.test()
async def random_runs(dut):
    """Of random lengths, with equal keys; the payloads tell equal elements apart."""
    lanes, inputs = await begin(dut)
    for idle, stall in ((0, 0), (0.5, 0.1), (0.1, 0.6)):
        g = rng(f"runs {idle}")
        runs = [[lanes.run(g, g.choice([1, 1, 2, 3, 20])) for _ in range(12)] for _ in range(inputs)]
        seen = await play(lanes, runs, idle, stall)
        assert [tuple(item) for _, *item in seen] == flat(
            [lanes.merged(list(some)) for some in zip(*runs, strict=True)]
        )


@cocotb.test()
async def a_beat_a_cycle(dut):
    """From one input alone, and from all: the first beat after 2 + (3 + log2 P) log2 K cycles, then one in each."""
    lanes, inputs = await begin(dut)
    most, wide = (1 << lanes.key_w) - 1, 1 << lanes.payload_w
    first = 2 + (3 + lanes.log_p) * (inputs.bit_length() - 1)
    for busy in (0, inputs - 1, None):
        runs = [
            [
                lanes.beats(
                    [(min(n, most - 1) if busy in (own, None) else most, n % wide) for n in range(lanes.p * beats)]
                )
                for beats in ((40, 1, 1, 9) if busy in (own, None) else (1,) * 4)
            ]
            for own in range(inputs)
        ]
        seen = await play(lanes, runs, 0, 0)
        assert [tuple(item) for _, *item in seen] == flat(
            [lanes.merged(list(some)) for some in zip(*runs, strict=True)]
        )
        assert [cycle for cycle, *_ in seen] == list(range(first, first + len(seen)))
        await reset(dut)


@pytest.mark.parametrize(
    ("k", "p", "key_w", "payload_w"), [(2, 4, 3, 9), (4, 2, 1, 9), (8, 4, 32, 32), (16, 4, 5, 16), (4, 8, 5, 12)]
)
def test_merge_lanes_tree(k, p, key_w, payload_w):
    run("merge_lanes_tree", K=k, P=p, KEY_W=key_w, PAYLOAD_W=payload_w)


@pytest.mark.soak
def test_largest():
    run("merge_lanes_tree", K=64, P=16, KEY_W=7, PAYLOAD_W=16)


def test_four_state():
    run_four_state("merge_lanes_tree", "random_runs", K=4, P=4, KEY_W=4, PAYLOAD_W=8)
