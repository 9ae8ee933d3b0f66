"""Clock, reset and seeded randomness for every cocotb test."""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Iterator

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

CLOCK_NS = 8  # 125 MHz
SEED = int(os.environ.get("COCOTB_RANDOM_SEED", os.environ.get("SEED", "1")))

for noisy in ("cocotb.tb", "cocotb.ws"):  # the bus models log every frame at INFO
    logging.getLogger(noisy).setLevel(logging.WARNING)


def rng(name: str) -> random.Random:
    """An independent random generator for one part of a test, derived from the run's seed."""
    return random.Random(f"{SEED}/{name}")


class Pins:
    """The ports of a core, for a bench that drives them in every cycle: each handle is looked up once, and a value is
    written only if it differs from the last one."""

    def __init__(self, dut):
        self._dut = dut
        self._driven: dict[str, int] = {}

    def __getattr__(self, name: str):
        handle = getattr(self._dut, name)
        setattr(self, name, handle)  # the next access does not call __getattr__
        return handle

    def drive(self, **values: int) -> None:
        for name, value in values.items():
            if self._driven.get(name) != value:
                self._driven[name] = value
                getattr(self, name).value = value


async def start(dut, *, reset_cycles: int = 4) -> None:
    """Start the clock and hold `rst` for `reset_cycles`. The clock enables of GMII are always high."""
    for enable in ("gmii_rx_ce", "gmii_tx_ce"):
        if hasattr(dut, enable):
            getattr(dut, enable).value = 1
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    await reset(dut, reset_cycles)


async def reset(dut, cycles: int = 4) -> None:
    dut.rst.value = 1
    await ClockCycles(dut.clk, cycles)
    dut.rst.value = 0
    await RisingEdge(dut.clk)


async def now_and_then(signal, clock, generator: random.Random) -> None:
    """Drive `signal` high in a random 40% of the cycles."""
    while True:
        signal.value = generator.random() < 0.4
        await RisingEdge(clock)


async def scramble(valid, signals, clock, generator: random.Random, *, always: bool = False) -> None:
    """Drive noise on `signals` while `valid` is low, where a bus model would keep the last values, so that a core that
    reads them fails. always: in every such cycle, for a model that writes them again."""
    while True:
        await FallingEdge(clock)
        if not int(valid.value):
            for signal in signals:
                signal.value = generator.getrandbits(len(signal))
            if not always:
                await RisingEdge(valid)


def pauses(probability: float, generator: random.Random) -> Iterator[bool]:
    """An endless pattern of idle (True) cycles for a source or a sink; 0 never pauses."""
    while True:
        yield generator.random() < probability


def text(parameter) -> str:
    """A parameter that is a string; some simulators return it as a number."""
    value = parameter.value
    if not isinstance(value, bytes):
        value = int(value).to_bytes(int(value).bit_length() // 8 + 1, "big")
    return value.strip(b"\0").decode(errors="replace")
