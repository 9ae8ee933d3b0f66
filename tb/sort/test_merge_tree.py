"""merge_tree: the n-th runs of all inputs leave as one sorted run, equals in order of the inputs, an item a cycle."""

from __future__ import annotations

from heapq import merge
from operator import itemgetter

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state
from tb.sort import keys

END = None
Item = tuple[int, int] | None  # key and data, or an END


async def play(dut, streams: list[list[Item]], idle: float, stall: float) -> list[tuple[int, Item]]:
    """The output for a stream of runs at each input, with its cycles. An item must be stable while it waits."""
    key_w, data_w, g = int(dut.KEY_W.value), int(dut.DATA_W.value), rng(f"play {idle} {stall}")
    left, offered = [list(stream) for stream in streams], [False] * len(streams)
    waiting, seen, quiet, now = ..., [], 0, 0
    while quiet < 40:
        s_key = s_data = s_end = s_valid = 0
        for n, stream in enumerate(left):
            offered[n] = bool(stream) and (offered[n] or g.random() >= idle)
            garbage = g.getrandbits(key_w), g.getrandbits(data_w)
            item = stream[0] if offered[n] else garbage
            key, data = garbage if item is END else item
            s_key, s_data = s_key | key << n * key_w, s_data | data << n * data_w
            s_end, s_valid = s_end | (item is END) << n, s_valid | offered[n] << n
        dut.s_valid.value, dut.s_end.value, dut.s_key.value, dut.s_data.value = s_valid, s_end, s_key, s_data
        dut.m_ready.value = ready = g.random() >= stall
        await FallingEdge(dut.clk)
        taken = int(dut.s_ready.value)
        for n, stream in enumerate(left):
            if offered[n] and taken >> n & 1:
                stream.pop(0)
                offered[n] = False
        item = ...
        if int(dut.m_valid.value):
            item = END if int(dut.m_end.value) else (int(dut.m_key.value), int(dut.m_data.value))
        assert waiting is ... or item == waiting, f"a waiting item changed in cycle {now}"
        waiting = ... if ready else item
        if ready and item is not ...:
            seen.append((now, item))
        quiet = 0 if item is not ... else quiet + 1
        now += 1
        await RisingEdge(dut.clk)
    assert not any(left)
    return seen


async def begin(dut) -> int:
    """Reset; the number of inputs."""
    dut.s_valid.value = dut.m_ready.value = 0
    await start(dut)
    return int(dut.K.value)


def expected(runs: list[list[list[Item]]]) -> list[Item]:
    """Of the runs of each input: those of the same number merged by key, equal keys in the order of the inputs."""
    return [item for some in zip(*runs, strict=True) for item in (*merge(*some, key=itemgetter(0)), END)]


def flat(runs: list[list[Item]]) -> list[Item]:
    return [item for run in runs for item in (*run, END)]


@cocotb.test()
async def random_runs(dut):
    """Runs of random lengths, often empty, with equal keys; the data tell equal records apart."""
    inputs = await begin(dut)
    key_w, data_w = int(dut.KEY_W.value), int(dut.DATA_W.value)
    for idle, stall in ((0, 0), (0.5, 0.1), (0.1, 0.6)):
        g = rng(f"runs {idle}")
        runs = [
            [
                [(key, g.getrandbits(data_w)) for key in sorted(keys.drawn(g, key_w, size))] if size else []
                for size in (g.choice([0, 1, 2, g.randrange(20), g.randrange(60)]) for _ in range(5))
            ]
            for _ in range(inputs)
        ]
        seen = await play(dut, [flat(own) for own in runs], idle, stall)
        assert [item for _, item in seen] == expected(runs)


@cocotb.test()
async def an_item_a_cycle(dut):
    """From one input alone, and from all: the first item after 3 log2 K - 1 cycles, then one in each, but after an
    END."""
    inputs = await begin(dut)
    most, data_w = (1 << int(dut.KEY_W.value)) - 1, int(dut.DATA_W.value)
    first = 3 * (inputs - 1).bit_length() - 1
    for busy in (0, inputs - 1, None):
        runs = [
            [
                [(min(n, most), n % 2**data_w) for n in range(40 if busy in (own, None) else 0)],
                [(most, own % 2**data_w)],
            ]
            for own in range(inputs)
        ]
        seen = await play(dut, [flat(own) for own in runs], 0, 0)
        assert [item for _, item in seen] == expected(runs)
        length = 1 + 40 * (1 if busy is not None else inputs)
        cycles = [cycle for cycle, _ in seen]
        assert cycles[:length] == list(range(first, first + length))
        assert cycles[length:] == list(range(first + length + 1, first + 1 + len(seen)))


@cocotb.test()
async def an_input_without_an_item_stalls(dut):
    inputs = await begin(dut)
    everyone = (1 << inputs) - 1
    dut.s_end.value = dut.s_key.value = dut.s_data.value = 0
    dut.m_ready.value = 1
    for silent in {0, inputs - 1}:
        dut.s_valid.value = everyone & ~(1 << silent)
        for _ in range(20):
            await RisingEdge(dut.clk)
            assert not int(dut.m_valid.value)
        dut.s_valid.value = 0
        await reset(dut)
    dut.s_valid.value = everyone
    for _ in range(20):
        await RisingEdge(dut.clk)
    assert int(dut.m_valid.value)


@pytest.mark.parametrize(("k", "key_w", "data_w"), [(2, 4, 8), (4, 1, 6), (8, 32, 32), (16, 6, 16)])
def test_merge_tree(k, key_w, data_w):
    run("merge_tree", K=k, KEY_W=key_w, DATA_W=data_w)


@pytest.mark.soak
def test_largest():
    run("merge_tree", K=64, KEY_W=7, DATA_W=24)


def test_four_state():
    run_four_state("merge_tree", "random_runs", K=4, KEY_W=4, DATA_W=8)
