"""siphash: the vectors of the authors' implementation, and the model for messages of any length, gaps and keys."""

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.common.siphash import KEY, VECTORS, siphash
from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state


class Bench:
    """Sends messages; `accepted` has the cycle of each one's last beat, `tags` the cycle and the tag of each result."""

    def __init__(self, dut):
        self.dut, self.bytes = dut, len(dut.s_keep)
        self.cycle, self.accepted, self.tags = 0, [], []

    async def start(self) -> None:
        self.dut.s_valid.value, self.dut.key.value = 0, int.from_bytes(KEY, "little")
        await start(self.dut)
        cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        while True:
            await FallingEdge(self.dut.clk)
            if int(self.dut.m_valid.value):
                self.tags.append((self.cycle, int(self.dut.m_tag.value).to_bytes(8, "little")))
            if int(self.dut.s_valid.value) and int(self.dut.s_ready.value) and int(self.dut.s_last.value):
                self.accepted.append(self.cycle)
            self.cycle += 1

    async def send(self, message: bytes, idle: float = 0, random=None) -> None:
        parts = [message[at : at + self.bytes] for at in range(0, len(message), self.bytes)] or [b""]
        for number, part in enumerate(parts):
            while random and random.random() < idle:
                self.dut.s_valid.value = 0
                await RisingEdge(self.dut.clk)
            filler = random.randbytes(self.bytes) if random else bytes(self.bytes)
            self.dut.s_valid.value = 1
            self.dut.s_data.value = int.from_bytes(part + filler[len(part) :], "little")
            self.dut.s_keep.value = (1 << len(part)) - 1
            self.dut.s_last.value = number + 1 == len(parts)
            await FallingEdge(self.dut.clk)
            while not int(self.dut.s_ready.value):
                await FallingEdge(self.dut.clk)
            await RisingEdge(self.dut.clk)
        self.dut.s_valid.value = 0

    async def wait(self, tags: int) -> None:
        for _ in range(100):
            if len(self.tags) == tags:
                return
            await RisingEdge(self.dut.clk)
        raise AssertionError(f"{len(self.tags)} tags of {tags}")


async def bench(dut) -> Bench:
    found = Bench(dut)
    await found.start()
    return found


@cocotb.test()
async def vectors(dut):
    one = await bench(dut)
    for length, tag in enumerate(VECTORS):
        await one.send(bytes(range(length)))
        await one.wait(length + 1)
        assert one.tags[-1][1] == tag, f"{length} bytes"


@cocotb.test()
async def agrees_with_the_model(dut):
    """One message follows the other, with and without gaps; the length wraps after 255 bytes."""
    one, random = await bench(dut), rng("messages")
    for turn in range(6):
        key = random.randbytes(16)
        dut.key.value = int.from_bytes(key, "little")
        lengths = [random.choice((random.randrange(40), random.randrange(600))) for _ in range(12)]
        messages, seen = [random.randbytes(length) for length in lengths], len(one.tags)
        for message in messages:
            await one.send(message, idle=(0, 0.3)[turn % 2], random=random)
        await one.wait(seen + len(messages))
        assert [tag for _, tag in one.tags[seen:]] == [siphash(key, message) for message in messages]


@cocotb.test()
async def latency(dut):
    """Of messages of each length, one at a time."""
    one = await bench(dut)
    for length in range(40):
        await one.send(bytes(length))
        await one.wait(length + 1)
        last = one.accepted[-1]
        if one.bytes == 1:
            assert one.tags[-1][0] - last == 16 + 8 - length % 8 - (length == 0), length
        elif length < 8:
            assert one.tags[-1][0] - last == 16, length


@cocotb.test()
async def rate(dut):
    """Bytes enter without a pause, and words every four cycles."""
    one = await bench(dut)
    begin = one.cycle
    await one.send(bytes(800))
    await one.wait(1)
    if one.bytes == 1:
        assert one.accepted[0] - begin in (799, 800)
    else:
        assert one.tags[0][0] - begin in range(100 * 4 + 8, 100 * 4 + 24), one.tags[0][0] - begin


@cocotb.test()
async def reset_within_a_message(dut):
    one, random = await bench(dut), rng("reset")
    for _ in range(8):
        sending = cocotb.start_soon(one.send(random.randbytes(100)))
        for _ in range(random.randrange(5, 60)):
            await RisingEdge(dut.clk)
        sending.cancel()
        dut.s_valid.value = 0
        await reset(dut)
        seen, message = len(one.tags), random.randbytes(random.randrange(30))
        await one.send(message)
        await one.wait(seen + 1)
        assert one.tags[-1][1] == siphash(KEY, message)


def test_the_model():
    assert [siphash(KEY, bytes(range(length))) for length in range(64)] == VECTORS


@pytest.mark.parametrize("width", [8, 64])
def test_siphash(width):
    run("siphash", DATA_W=width)


def test_four_state():
    run_four_state("siphash", "vectors", DATA_W=8)
