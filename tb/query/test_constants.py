"""constants: values written are read back; they take effect together, after a commit, and only when `apply` is high."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.axil import Bus
from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state

OKAY, SLVERR, DECERR = 0, 2, 3
RESET = "five_words_of_4_each"  # a parameter of 160 bits can only be given as a string


class Bench:
    """The core with a bus master; `applies` are the values of `apply` by cycle, `values` those of the output.

    apply: probability that the query is quiet in a cycle.
    """

    def __init__(self, dut, pause: float = 0.0, apply: float = 0.0):
        self.dut, self.size = dut, int(dut.N.value)
        self.bus = Bus(dut, pause)
        self.apply = apply
        self.log: list[tuple[int, int, int]] = []  # apply, pending, values of each cycle out of reset
        self.written = self.words(int(dut.values.value))
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut, generator = self.dut, rng("apply")
        while True:
            dut.apply.value = int(generator.random() < self.apply)
            await ReadOnly()
            if not int(dut.rst.value):
                self.log.append(tuple(int(signal.value) for signal in (dut.apply, dut.pending, dut.values)))
            await RisingEdge(dut.clk)

    def words(self, values: int) -> list[int]:
        return [values >> 32 * n & 0xFFFFFFFF for n in range(self.size)]

    @property
    def values(self) -> list[int]:
        return self.words(self.log[-1][2])

    async def write(self, *words: int) -> None:
        for n, word in enumerate(words):
            assert await self.bus.write(4 * n, word) == OKAY
        self.written = list(words)

    async def read(self) -> list[int]:
        answers = [await self.bus.read(4 * n) for n in range(self.size)]
        assert all(response == OKAY for response, _ in answers)
        return [word for _, word in answers]

    async def commit(self) -> None:
        assert await self.bus.write(4 * self.size, 1) == OKAY

    async def pending(self) -> int:
        response, word = await self.bus.read(4 * self.size)
        assert response == OKAY
        return word

    def check(self) -> None:
        """The values change only at the end of a cycle with `pending` and `apply`, which also ends `pending`."""
        for (apply, pending, values), (_, then, after) in zip(self.log, self.log[1:], strict=False):
            assert after == values or (apply and pending)
            assert then or not pending or apply
            assert not (then and apply and pending)


async def begin(dut, pause: float = 0.0, apply: float = 0.0) -> Bench:
    dut.apply.value = 0
    for name in ("awvalid", "wvalid", "arvalid"):
        getattr(dut, f"s_axil_{name}").value = 0
    await start(dut)
    b = Bench(dut, pause, apply)
    await ClockCycles(dut.clk, 2)
    return b


def random_words(name: str, size: int) -> list[int]:
    generator = rng(name)
    return [generator.getrandbits(32) for _ in range(size)]


@cocotb.test()
async def every_word(dut):
    """Values after reset; every word is independent, in all bits and bytes; errors at other addresses."""
    b = await begin(dut)
    expected = b.words(int.from_bytes(RESET.encode(), "big") if b.size == 5 else 0)
    assert await b.read() == expected and b.values == expected and not await b.pending()
    words = random_words("words", b.size)
    await b.write(*words)
    assert await b.read() == words
    generator = rng("bytes")
    for _ in range(20):
        word, first = generator.randrange(b.size), generator.randrange(4)
        data = generator.randbytes(generator.randint(1, 4 - first))
        old = bytearray(words[word].to_bytes(4, "little"))
        old[first : first + len(data)] = data
        words[word] = int.from_bytes(old, "little")
        assert await b.bus.write(4 * word + first, int.from_bytes(data, "little"), len(data)) == OKAY
    assert await b.read() == words
    for offset in range(4 * b.size + 4, 4096, 4):
        assert await b.bus.read(offset) == (DECERR, 0)
        assert await b.bus.write(offset, 0xFFFFFFFF) == DECERR
    assert await b.read() == words and not await b.pending()
    assert b.values == expected, "in effect without a commit"


@cocotb.test()
async def committed_between_two_tuples(dut):
    """No change before the commit or before `apply`, then all at once, and only once."""
    b = await begin(dut, apply=1)
    before, words = b.values, random_words("new", b.size)
    await b.write(*words)
    await ClockCycles(dut.clk, 10)
    for value, size in ((0, 4), (2, 4), (0x010101, 3)):  # not COMMIT's bit, or not its byte
        assert await b.bus.write(4 * b.size + (size == 3), value, size) == OKAY
    await ClockCycles(dut.clk, 10)
    assert b.values == before and not any(pending for _, pending, _ in b.log)
    b.apply = 0
    await ClockCycles(dut.clk, 2)
    await b.commit()
    assert await b.pending() == 1
    await ClockCycles(dut.clk, 20)
    assert b.values == before
    b.apply = 1
    await ClockCycles(dut.clk, 2)
    assert b.values == words and await b.pending() == 0
    await b.write(*random_words("newer", b.size))
    await ClockCycles(dut.clk, 10)
    assert b.values == words
    assert len({values for _, _, values in b.log}) == 2, "not all at once"
    b.check()


@cocotb.test()
async def what_is_committed_stays_whole(dut):
    """While a commit is pending writes are refused, reads and a second commit are not."""
    b = await begin(dut)
    words = random_words("whole", b.size)
    await b.write(*words)
    await b.commit()
    for n in range(b.size):
        assert await b.bus.write(4 * n, 0) == SLVERR
    await b.commit()
    assert await b.read() == words and await b.pending() == 1
    b.apply = 1
    await ClockCycles(dut.clk, 3)
    assert b.values == words and not await b.pending()
    await b.write(*words)
    b.check()


@cocotb.test()
async def any_handshake(dut):
    """Concurrent reads and commits, every channel pausing independently, the query quiet now and then."""
    b = await begin(dut, pause=0.4, apply=0.1)
    for n in range(40):
        words = random_words(f"round {n}", b.size)
        tasks = [cocotb.start_soon(b.write(*words)), cocotb.start_soon(b.read())]
        for task in tasks:
            await task
        reads = cocotb.start_soon(b.read())
        await b.commit()
        assert await reads == words
        while await b.pending():
            pass
        assert b.values == words
    b.check()


@cocotb.test()
async def reset_takes_back(dut):
    """A reset with a commit pending, and one in a transfer: the first values, nothing pending, the bus works."""
    b = await begin(dut)
    first = b.values
    for n in range(6):
        await b.write(*random_words(f"lost {n}", b.size))
        await b.commit()
        if n % 2:
            b.apply = 1
            await ClockCycles(dut.clk, 3)
            b.apply = 0
            assert b.values != first
        dut.s_axil_awvalid.value = dut.s_axil_wvalid.value = n > 2
        dut.s_axil_awaddr.value = 0
        await ClockCycles(dut.clk, 1 + n % 3)
        dut.s_axil_awvalid.value = dut.s_axil_wvalid.value = 0
        await reset(dut)
        b.log.clear()
        await ClockCycles(dut.clk, 5)
        assert await b.read() == first == b.values and not await b.pending()


@cocotb.test()
async def latency_and_rate(dut):
    """3 cycles to an answer, a transfer in 4; a commit is pending with its answer, and in effect in the cycle after."""
    for name in ("awvalid", "wvalid", "arvalid"):
        getattr(dut, f"s_axil_{name}").value = 0
    dut.apply.value = 0
    await start(dut)
    dut.s_axil_bready.value = dut.s_axil_rready.value = 1
    for request, answer in (("ar", "r"), ("aw", "b")):
        for channel in (request, "w") if request == "aw" else (request,):
            getattr(dut, f"s_axil_{channel}valid").value = 1
        dut.s_axil_wstrb.value = 0
        getattr(dut, f"s_axil_{request}addr").value = 0
        seen = []
        for now in range(16):
            await ReadOnly()
            if int(getattr(dut, f"s_axil_{answer}valid").value):
                seen.append(now)
            await RisingEdge(dut.clk)
        for channel in ("ar", "aw", "w"):
            getattr(dut, f"s_axil_{channel}valid").value = 0
        assert seen == [3, 7, 11, 15], (request, seen)
        await ClockCycles(dut.clk, 8)
    size, dut.apply.value = int(dut.N.value), 1
    dut.s_axil_awaddr.value, dut.s_axil_wdata.value, dut.s_axil_wstrb.value = 4 * size, 1, 1
    dut.s_axil_awvalid.value = dut.s_axil_wvalid.value = 1
    seen = []
    for now in range(6):
        await ReadOnly()
        seen.append((int(dut.pending.value), int(dut.s_axil_bvalid.value)))
        await RisingEdge(dut.clk)
        if now == 2:
            dut.s_axil_awvalid.value = dut.s_axil_wvalid.value = 0
    assert seen == [(0, 0), (0, 0), (0, 0), (1, 1), (0, 0), (0, 0)]


@pytest.mark.parametrize("parameters", [{"N": 5, "RESET": RESET}, {"N": 1}], ids=["5", "1"])
def test_constants(parameters):
    run("constants", **parameters)


def test_four_state():
    run_four_state("constants", "committed_between_two_tuples", N=2)
