"""axil_slave: every transfer happens once and has the user's response; any handshake; fairness; latency and rate."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly, RisingEdge

from tb.lib.axil import Bus
from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state

OKAY, SLVERR, DECERR = 0, 2, 3
WORDS = 32  # the last quarter is read-only, and the one before it write-only; none follow


def response(word: int, write: bool) -> int:
    if word >= WORDS:
        return DECERR
    return SLVERR if word // (WORDS // 4) == (3 if write else 2) else OKAY


class User:
    """The words of the slave's user. hold: its probability. acted: (write, word) of each transfer, in order."""

    def __init__(self, dut, hold: float = 0.0):
        self.dut, self.hold, self.words, self.acted = dut, hold, [0] * WORDS, []
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut, g = self.dut, rng("user")
        shown = []  # the addresses of the last cycles
        while True:
            dut.hold.value = g.random() < self.hold
            await FallingEdge(dut.clk)
            write, read, address = int(dut.write.value), int(dut.read.value), dut.address.value
            word = int(address) if write or read else g.randrange(2 * WORDS)
            dut.known.value, dut.rdata.value = word < WORDS, self.words[word] if word < WORDS else g.getrandbits(32)
            dut.may_write.value, dut.may_read.value = response(word, True) != SLVERR, response(word, False) != SLVERR
            shown = [*shown[-2:], address]
            if write or read:
                assert not (write and read)
                self.acted.append((bool(write), word))
                held = 2 if write else int(dut.READ_CYCLES.value)
                assert all(int(value) == word for value in shown[-held:]), "the address was not valid in time"
            if write and response(word, True) == OKAY:
                data, strobe = int(dut.wdata.value), int(dut.wstrb.value)
                mask = sum(0xFF << 8 * n for n in range(4) if strobe >> n & 1)
                self.words[word] = self.words[word] & ~mask | data & mask
            await RisingEdge(dut.clk)


async def idle(dut) -> None:
    for name in ("awvalid", "wvalid", "arvalid", "bready", "rready"):
        getattr(dut, f"s_axil_{name}").value = 0
    dut.hold.value = 0
    await start(dut)


@cocotb.test()
async def any_handshake(dut):
    """Concurrent writes of any bytes and reads, of all kinds of words; every channel and the user pause; the smoke
    test in four states."""
    await idle(dut)
    user, bus, g = User(dut, hold=0.2), Bus(dut, pause=0.4), rng("transfers")
    await ClockCycles(dut.clk, 2)
    model, wanted = [0] * WORDS, Counter()
    for _ in range(40):
        writes = {g.randrange(2 * WORDS): (g.randrange(4), g.getrandbits(32)) for _ in range(4)}
        reads = [word for word in g.sample(range(2 * WORDS), 6) if word not in writes]
        tasks = [
            cocotb.start_soon(bus.write(4 * word + first, data & (1 << 8 * (4 - first)) - 1, 4 - first))
            for word, (first, data) in writes.items()
        ]
        others = [cocotb.start_soon(bus.read(4 * word)) for word in reads]
        for word, task in zip(writes, tasks, strict=True):
            assert await task == response(word, True), word
        for word, task in zip(reads, others, strict=True):
            answer, data = await task
            assert answer == response(word, False), word
            assert word >= WORDS or data == model[word]
        for word, (first, data) in writes.items():
            if response(word, True) == OKAY:
                model[word] = model[word] & (1 << 8 * first) - 1 | data << 8 * first & 0xFFFFFFFF
        assert user.words == model
        wanted.update([(True, word) for word in writes] + [(False, word) for word in reads])
    assert Counter(user.acted) == wanted


@cocotb.test()
async def latency_and_rate(dut):
    """Each kind alone, to the cycle; both together, alternating; nothing during `hold`; a reset in the middle."""
    await idle(dut)
    user, cycles = User(dut), int(dut.READ_CYCLES.value)
    dut.s_axil_bready.value = dut.s_axil_rready.value = 1
    dut.s_axil_awaddr.value = dut.s_axil_araddr.value = 4
    dut.s_axil_wdata.value, dut.s_axil_wstrb.value = 7, 15
    requests = {"b": ("aw", "w"), "r": ("ar",)}

    def ask(kinds: str, value: int) -> None:
        for kind in kinds:
            for channel in requests[kind]:
                getattr(dut, f"s_axil_{channel}valid").value = value

    async def answers(kinds: str, count: int) -> list[tuple[int, str]]:
        seen = []
        for now in range(count):
            await ReadOnly()
            seen += [(now, kind) for kind in kinds if int(getattr(dut, f"s_axil_{kind}valid").value)]
            await RisingEdge(dut.clk)
        return seen

    for kind, latency in (("b", 3), ("r", cycles + 1)):
        ask(kind, 1)
        seen = await answers(kind, 4 * (latency + 1))
        assert seen == [(latency + n * (latency + 1), kind) for n in range(4)], seen
        ask(kind, 0)
        await ClockCycles(dut.clk, 8)
    ask("br", 1)
    seen = await answers("br", 60)
    assert all(a[1] != b[1] for a, b in pairwise(seen)) and len(seen) > 12
    user.hold = 1
    await ClockCycles(dut.clk, 12)
    before = len(user.acted)
    await ClockCycles(dut.clk, 12)
    assert len(user.acted) == before
    user.hold = 0
    ask("br", 0)
    await ClockCycles(dut.clk, 12)
    for at in range(1, 5):
        ask("br", 1)
        await ClockCycles(dut.clk, at)
        ask("br", 0)
        await reset(dut)
        assert await answers("br", 8) == []


PARAMETERS = [{"ADDR_W": 8}, {"ADDR_W": 12, "READ_CYCLES": 3}]


@pytest.mark.parametrize("parameters", PARAMETERS, ids=["2", "3"])
def test_axil_slave(parameters):
    run("axil_slave", **parameters)


def test_four_state():
    run_four_state("axil_slave", "any_handshake", ADDR_W=8)
