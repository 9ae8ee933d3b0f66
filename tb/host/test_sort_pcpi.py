"""sort_pcpi: every answer in its cycle, against Python's sort: sets at full speed, any instructions, clears, resets."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng, start
from tb.lib.run import run, run_four_state

CUSTOM_0, PATIENCE = 0b0001011, 16  # cycles without pcpi_wait until PicoRV32 traps
CLEAR, PUT, GET, EXCHANGE = range(4)  # funct3


class Insn(NamedTuple):
    """An instruction with its operands. funct3: None for one that is another co-processor's, with any word."""

    funct3: int | None
    rs1: int = 0
    rs2: int = 0
    word: int = 0

    @property
    def puts(self) -> bool:
        return self.funct3 in (PUT, EXCHANGE)

    @property
    def gets(self) -> bool:
        return self.funct3 in (GET, EXCHANGE)


class Answer(NamedTuple):
    """The outputs in a cycle. rd: None if nothing is written."""

    ready: bool
    wait: bool = False
    rd: int | None = None


class Model:
    """What the header promises: the elements that are in the core, and the answer to an instruction in a cycle."""

    def __init__(self, dut):
        self.n, self.key_w, self.signed, step, self.funct7 = (
            int(getattr(dut, name).value) for name in ("N", "KEY_W", "SIGNED", "STEP", "FUNCT7")
        )
        log = self.n.bit_length() - 1
        self.latency = 1 - (-log * (log + 1) // 2 // step)
        self.clear()

    def clear(self) -> None:
        self.puts: list[int] = []
        self.sorted: list[int] = []
        self.sent: list[int] = []  # in the network
        self.age = 0  # cycles since it entered

    def element(self, register: int) -> int:
        value = register & (1 << self.key_w) - 1
        return value - (value >> self.key_w - 1 << self.key_w) if self.signed else value

    def step(self, insn: Insn | None) -> Answer:
        """The answer in this cycle, after which the state is that of the next."""
        if self.sent:
            self.age += 1
            if self.age == self.latency:
                self.sorted, self.sent = sorted(self.sent), []
        if insn is None or insn.funct3 not in range(4):
            return Answer(False)
        completes = insn.puts and len(self.puts) == self.n - 2
        unread = len(self.sorted) - insn.gets
        if unread < 0 or (completes and (unread or self.sent)):
            return Answer(False, wait=bool(self.sent))
        if insn.funct3 == CLEAR:
            self.clear()
            return Answer(True)
        rd = self.sorted.pop(0) & 0xFFFFFFFF if insn.gets else None
        if insn.puts:
            self.puts += [self.element(insn.rs1), self.element(insn.rs2)]
        if completes:
            self.sent, self.puts, self.age = self.puts, [], 0
        return Answer(True, rd=rd)


class Cpu:
    """Plays instructions as PicoRV32 does: one waits until it is answered, or traps; then valid is low."""

    def __init__(self, dut, name: str):
        self.dut, self.pins, self.model, self.g = dut, Pins(dut), Model(dut), rng(name)
        self.traps = 0

    async def cycle(self, insn: Insn | None, reset: bool = False) -> Answer:
        """A cycle with this instruction, or none; asserts every output."""
        g, model = self.g, self.model
        word, rs1, rs2 = g.getrandbits(32), g.getrandbits(32), g.getrandbits(32)
        if insn:
            rs1, rs2 = (insn.rs1, insn.rs2) if insn.puts else (rs1, rs2)
            word = insn.word
            if insn.funct3 is not None:
                registers = g.getrandbits(10) << 15 | g.getrandbits(5) << 7
                word = model.funct7 << 25 | registers | insn.funct3 << 12 | CUSTOM_0
        self.pins.drive(pcpi_valid=int(insn is not None), pcpi_insn=word, pcpi_rs1=rs1, pcpi_rs2=rs2, rst=int(reset))
        expected = model.step(insn)
        if reset:
            model.clear()
        await FallingEdge(self.dut.clk)
        ready, wait, wr = (int(getattr(self.pins, f"pcpi_{name}").value) for name in ("ready", "wait", "wr"))
        found = Answer(bool(ready), bool(wait), int(self.pins.pcpi_rd.value) if wr else None)
        assert found == expected, insn
        await RisingEdge(self.dut.clk)
        return found

    async def execute(self, insn: Insn) -> tuple[int | None, int]:
        """rd, None if it is not written, and the cycles until the answer or the trap, at least 1."""
        patience = PATIENCE
        for cycles in range(1, 1000):
            answer = await self.cycle(insn)
            if answer.ready:
                return answer.rd, cycles
            patience -= not answer.wait
            if not patience:
                self.traps += 1
                return None, cycles
        raise AssertionError(f"{insn} waits forever")


async def cpu_of(dut, name: str) -> Cpu:
    dut.pcpi_valid.value = 0
    await start(dut)
    return Cpu(dut, name)


def registers(g: random.Random, model: Model) -> list[int]:
    """A set: any elements, few different ones, in order, against it, extremes; with any bits above them."""
    width = min(model.key_w, g.choice((1, 3, 32)))
    found = [g.getrandbits(width) for _ in range(model.n)]
    match g.choice(("any", "rising", "falling", "extremes")):
        case "rising":
            found.sort(key=model.element)
        case "falling":
            found.sort(key=model.element, reverse=True)
        case "extremes":
            top = 1 << model.key_w - 1
            found = [g.choice((0, top - 1, top, 2 * top - 1)) for _ in found]
    return [(g.getrandbits(32) << model.key_w | value) & 0xFFFFFFFF for value in found]


def pairs(elements: list[int]) -> Iterator[tuple[int, int]]:
    yield from zip(elements[::2], elements[1::2], strict=True)


@cocotb.test()
async def sets_at_full_speed(dut):
    """An instruction a cycle: a set takes N of them and the latency, which a pause of that length hides."""
    cpu = await cpu_of(dut, "speed")
    n, latency = cpu.model.n, cpu.model.latency
    for pause in (0, latency - 1, latency):
        sets = [registers(cpu.g, cpu.model) for _ in range(20)]
        found, waited = [], []
        for rs1, rs2 in pairs(sets[0]):
            assert await cpu.execute(Insn(PUT, rs1, rs2)) == (None, 1)
        for after in [*sets[1:], None]:
            for _ in range(pause):
                await cpu.cycle(None)
            for at in range(n):
                following = after and at >= n // 2
                insn = Insn(EXCHANGE, *after[2 * at - n : 2 * at - n + 2]) if following else Insn(GET)
                rd, cycles = await cpu.execute(insn)
                found.append(rd)
                waited.append(cycles - 1)
        assert waited == [max(0, latency - 1 - pause), *[0] * (n - 1)] * len(sets)
        wanted = [value & 0xFFFFFFFF for one in sets for value in sorted(map(cpu.model.element, one))]
        assert found == wanted
    assert not cpu.traps


def drawn(cpu: Cpu) -> Insn:
    """Any instruction, most often one that is answered."""
    g, model = cpu.g, cpu.model
    word = g.getrandbits(32) & ~0x7F | CUSTOM_0
    if (word >> 25) == model.funct7:
        word ^= 1 << 25 + g.randrange(7)
    other = (word, model.funct7 << 25 | g.getrandbits(18) << 7 | CUSTOM_0 ^ 1 << g.randrange(7))
    choice = g.choices((CLEAR, PUT, GET, EXCHANGE, g.randrange(4, 8), None), (1, 30, 30, 30, 1, 2))[0]
    return Insn(choice, *registers(g, model)[:2], word=g.choice(other))


@cocotb.test()
async def any_instructions(dut):
    """Puts, gets, exchanges and clears in any order, those of others, and pauses: all answers, and which ones trap."""
    cpu = await cpu_of(dut, "any")
    answered = 0
    for _ in range(1500):
        for _ in range(cpu.g.choice((0, 0, 1, 3, 20))):
            await cpu.cycle(None)
        before = cpu.traps
        await cpu.execute(drawn(cpu))
        answered += cpu.traps == before
    assert answered > 300 and cpu.traps > 100


@cocotb.test()
async def resets_and_clears(dut):
    """A reset or a clear at any time, also with a set in the network, leaves no element: the next set is right."""
    cpu = await cpu_of(dut, "resets")
    n, g = cpu.model.n, cpu.g

    async def stop() -> None:
        if g.random() < 0.5:
            await cpu.cycle(drawn(cpu) if g.random() < 0.5 else None, reset=True)
        else:
            assert await cpu.execute(Insn(CLEAR)) == (None, 1)

    for _ in range(60):
        steps: list[Callable[[], Insn]] = [lambda: Insn(PUT, *registers(g, cpu.model)[:2])] * (n // 2)
        steps += [lambda: Insn(GET)] * n
        for step in steps[: g.randrange(len(steps))]:
            await cpu.execute(step())
        for _ in range(g.choice((0, 0, 1, 4))):
            await cpu.cycle(None)
        await stop()
        elements = registers(g, cpu.model)
        for rs1, rs2 in pairs(elements):
            assert await cpu.execute(Insn(PUT, rs1, rs2)) == (None, 1)
        assert [(await cpu.execute(Insn(GET)))[0] for _ in range(n)] == [
            value & 0xFFFFFFFF for value in sorted(map(cpu.model.element, elements))
        ]


CONFIGURATIONS = (
    {},
    {"SIGNED": 0},
    {"N": 4, "KEY_W": 1},
    {"N": 16, "STEP": 4, "KEY_W": 20, "FUNCT7": 127},
    {"STEP": 6, "FUNCT7": 0},
)


@pytest.mark.parametrize("parameters", CONFIGURATIONS)
def test_sort_pcpi(parameters):
    run("sort_pcpi", **parameters)


def test_four_state():
    run_four_state("sort_pcpi", "resets_and_clears")
