"""fjoin_pack: words in beats, the last of which is padded before a FLUSH; one word per cycle; random pauses."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.run import run

FLUSH = None


def packed(words, per: int, width: int) -> list[int | None]:
    """The beats of words and FLUSHes."""
    beats, part = [], []
    for word in words:
        if word is not FLUSH:
            part.append(word)
        if len(part) == per or (word is FLUSH and part):
            beats.append(sum(value << n * width for n, value in enumerate(part)))
            part = []
        if word is FLUSH:
            beats.append(FLUSH)
    return beats


async def play(dut, words, idle: float, stall: float) -> tuple[list[int | None], int]:
    """The output, and the number of cycles."""
    g, left, out, offered, cycles = rng(f"pack {idle}"), list(words), [], False, 0
    waiting, quiet = False, 0
    while quiet < 20:
        offered = bool(left) and (offered or g.random() >= idle)
        dut.s_valid.value, dut.m_ready.value = offered, g.random() >= stall
        word = left[0] if offered else g.choice((FLUSH, g.getrandbits(8)))
        dut.s_flush.value = word is FLUSH
        dut.s_data.value = g.getrandbits(8) if word is FLUSH else word
        await FallingEdge(dut.clk)
        if offered and int(dut.s_ready.value):
            left.pop(0)
            offered = False
        if int(dut.m_valid.value):
            now = FLUSH if int(dut.m_flush.value) else int(dut.m_data.value)
            assert waiting is False or now == waiting
            waiting = False if int(dut.m_ready.value) else now
            if waiting is False:
                out.append(now)
        else:
            assert waiting is False
        quiet = 0 if left or int(dut.m_valid.value) else quiet + 1
        cycles += bool(left)
        await RisingEdge(dut.clk)
    return out, cycles


@cocotb.test()
async def beats(dut):
    for name in ("s_valid", "m_ready"):
        getattr(dut, name).value = 0
    await start(dut)
    g, width = rng("words"), int(dut.WORD_W.value)
    per = int(dut.DATA_W.value) // width
    for idle, stall, flushes in ((0, 0, 0), (0, 0, 0.2), (0.3, 0.5, 0.1), (0.1, 0.8, 0.5)):
        words = [FLUSH if g.random() < flushes else g.randrange(1, 1 << width) for _ in range(300)] + [FLUSH]
        got, cycles = await play(dut, words, idle, stall)
        assert got == packed(words, per, width)
        if not stall and not flushes:
            assert cycles == len(words) - 1  # a word in every cycle


@pytest.mark.parametrize("data_w", [32, 8])
def test_cocotb(data_w):
    run("fjoin_pack", WORD_W=8, DATA_W=data_w)
