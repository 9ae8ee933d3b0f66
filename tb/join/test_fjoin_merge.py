"""fjoin_merge: all results once and in order, round-robin, one per cycle; a FLUSH of both inputs leaves as one."""

from __future__ import annotations

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state

FLUSH = None


async def play(dut, streams: list[list[int | None]], idle: float, stall: float) -> list[tuple[int, int | None]]:
    """The output for two streams of results and FLUSHes, with its cycles. A word must be stable while it waits."""
    width, g, left = len(dut.m_data), rng(f"play {idle} {stall}"), [list(stream) for stream in streams]
    offered, waiting, seen, quiet, now = [False, False], ..., [], 0, 0
    while quiet < 20:
        for n in (0, 1):
            offered[n] = bool(left[n]) and (offered[n] or g.random() >= idle)
        words = [left[n][0] if offered[n] else g.choice((FLUSH, g.getrandbits(width))) for n in (0, 1)]
        flush = [word is FLUSH for word in words]
        dut.s_valid.value = offered[0] | offered[1] << 1
        dut.s_flush.value = flush[0] | flush[1] << 1
        dut.s_data.value = sum((g.getrandbits(width) if flush[n] else words[n]) << n * width for n in (0, 1))
        ready = g.random() >= stall
        dut.m_ready.value = ready
        await FallingEdge(dut.clk)
        for n in (0, 1):
            if offered[n] and int(dut.s_ready.value) >> n & 1:
                left[n].pop(0)
                offered[n] = False
        word = ...
        if int(dut.m_valid.value):
            word = FLUSH if int(dut.m_flush.value) else int(dut.m_data.value)
        assert waiting is ... or word == waiting, f"a waiting word changed in cycle {now}"
        waiting = ... if ready else word
        if ready and word is not ...:
            seen.append((now, word))
        quiet = 0 if any(left) or word is not ... else quiet + 1
        now += 1
        await RisingEdge(dut.clk)
    return seen


async def begin(dut) -> None:
    dut.s_valid.value = dut.m_ready.value = 0
    await start(dut)


@cocotb.test()
async def random_stalls(dut):
    """Three parts of random lengths, each followed by a FLUSH; bit 7 of a word is its input."""
    await begin(dut)
    for idle, stall in ((0, 0), (0.5, 0.1), (0.1, 0.7)):
        g = rng(f"words {idle}")
        parts = [[[n << 7 | g.getrandbits(7) for _ in range(g.randrange(60))] for _ in range(3)] for n in (0, 1)]
        seen = await play(dut, [[word for part in own for word in (*part, FLUSH)] for own in parts], idle, stall)
        words = [word for _, word in seen]
        for first, second in zip(*parts, strict=True):
            end = words.index(FLUSH)
            for own, n in ((first, 0), (second, 1)):
                assert [word for word in words[:end] if word >> 7 == n] == own
            assert end == len(first) + len(second)
            words = words[end + 1 :]
        assert not words


@cocotb.test()
async def in_turns(dut):
    """Neither input waits for more than one word of the other, and there is no idle cycle."""
    await begin(dut)
    seen = await play(dut, [[n for n in range(50)], [128 + n for n in range(70)]], 0, 0)
    assert [cycle for cycle, _ in seen] == list(range(1, 121))
    assert [word >> 7 for _, word in seen] == [0, 1] * 50 + [1] * 20


def test_cocotb():
    run("fjoin_merge", DATA_W=8)


def test_four_state():
    run_four_state("fjoin_merge", "random_stalls", DATA_W=8)
