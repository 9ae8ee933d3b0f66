"""merge_lanes: the n-th runs of both inputs leave as one sorted run, equals in order of the inputs, P elements a
cycle."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state
from tb.sort.lanes import Lanes, flat, play


async def begin(dut) -> tuple[Lanes, int, int]:
    """Reset; the lanes, the slack of the source and of the sink."""
    dut.s_valid.value = dut.m_ready.value = 0
    await start(dut)
    lanes = Lanes(dut)
    return lanes, int(dut.SLACK.value), 1 + lanes.log_p


@cocotb.test()
async def random_runs(dut):
    """Of random lengths, with equal keys; the payloads tell equal elements apart."""
    lanes, source, sink = await begin(dut)
    for idle, stall in ((0, 0), (0.5, 0.1), (0.1, 0.6)):
        g = rng(f"runs {idle}")
        runs = [[lanes.run(g, g.choice([1, 1, 2, 3, 20])) for _ in range(25)] for _ in range(2)]
        seen = await play(lanes, runs, idle, stall, source=source, sink=sink)
        wanted = flat([lanes.merged(list(pair)) for pair in zip(*runs, strict=True)])
        assert [tuple(item) for _, *item in seen] == wanted


@cocotb.test()
async def a_beat_a_cycle(dut):
    """From one input alone, and from both: the first beat after 3 + log2 P cycles, then one in each cycle, runs after
    runs; if an input has to wait for the other one it does so in its queue."""
    lanes, source, sink = await begin(dut)
    most, wide = (1 << lanes.key_w) - 1, 1 << lanes.payload_w
    first = source + 3 + lanes.log_p
    for busy in (0, 1, None):
        runs = [
            [
                lanes.beats(
                    [(min(n, most - 1) if busy in (own, None) else most, n % wide) for n in range(lanes.p * beats)]
                )
                for beats in ((30, 1, 1, 1, 9) if busy in (own, None) else (1,) * 5)
            ]
            for own in range(2)
        ]
        seen = await play(lanes, runs, 0, 0, source=source, sink=sink)
        assert [tuple(item) for _, *item in seen] == flat(
            [lanes.merged(list(pair)) for pair in zip(*runs, strict=True)]
        )
        cycles = [cycle for cycle, *_ in seen]
        assert cycles == list(range(first, first + len(seen)))
        await reset(dut)


@cocotb.test()
async def an_input_without_a_beat_stalls(dut):
    await begin(dut)
    dut.s_last.value = dut.s_data.value = 0
    dut.m_ready.value = 1
    for silent in (0, 1):
        for cycle in range(20):
            dut.s_valid.value = 2 - silent if cycle < 2 else 0
            await RisingEdge(dut.clk)
            assert not int(dut.m_valid.value)
        await reset(dut)
    dut.s_valid.value = 3
    await RisingEdge(dut.clk)
    dut.s_valid.value = 0
    seen = 0
    for _ in range(20):
        await RisingEdge(dut.clk)
        seen += int(dut.m_valid.value)
    assert seen == 1  # the other elements of the pair may have others before them


@pytest.mark.parametrize(
    ("p", "key_w", "payload_w", "slack", "queue_w"),
    [(2, 1, 6, 0, 3), (4, 32, 32, 3, 4), (4, 3, 12, 0, 4), (8, 4, 12, 4, 4), (16, 6, 10, 5, 5)],
)
def test_merge_lanes(p, key_w, payload_w, slack, queue_w):
    run("merge_lanes", P=p, KEY_W=key_w, PAYLOAD_W=payload_w, SLACK=slack, QUEUE_W=queue_w)


def test_four_state():
    run_four_state("merge_lanes", "random_runs", P=4, KEY_W=4, PAYLOAD_W=8)
