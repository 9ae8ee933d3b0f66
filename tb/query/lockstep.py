"""A bench for operators of fixed latency: every output is compared in every cycle with a function of the inputs."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import rng, start

Cycle = dict[str, int]  # the ports and their values in one clock cycle

# What the tuple bus can carry in a cycle: valid, punct, eos.
KINDS = {
    **{"idle": (0, 0, 0), "tuple": (1, 0, 0), "last": (1, 0, 1)},
    **{"punct": (0, 1, 0), "punct_last": (0, 1, 1), "eos": (0, 0, 1)},
}


def wire(kind: str, data: int, prefix: str = "s") -> Cycle:
    """The tuple bus with one of `KINDS` on it."""
    valid, punct, eos = KINDS[kind]
    return {f"{prefix}_valid": valid, f"{prefix}_punct": punct, f"{prefix}_eos": eos, f"{prefix}_data": data}


def kinds(generator: random.Random, count: int, idle: float = 0.3) -> list[str]:
    """`count` kinds in random order, mostly tuples, with idle cycles of this share in between."""
    weights = {"idle": 0, "tuple": 10, "last": 2, "punct": 2, "punct_last": 1, "eos": 2}
    weights["idle"] = idle / (1 - idle) * sum(weights.values())
    return generator.choices(list(weights), list(weights.values()), k=count)


def extremes(width: int, generator: random.Random, count: int = 6) -> list[int]:
    """Numbers of `width` bits: all zeros, all ones, most negative and most positive, their neighbours, random ones."""
    top = 1 << width
    near = {n % top for edge in (0, top // 2) for n in range(edge - 2, edge + 3)}
    return sorted(near) + [generator.getrandbits(width) for _ in range(count)]


def signed(bits: int, width: int) -> int:
    """`bits` as a number in two's complement."""
    return bits - (bits >> width - 1 << width)


async def lockstep(
    dut, latency: int, cycles: Iterable[Cycle], reference: Callable[[Cycle], Cycle], resets: float = 0
) -> None:
    """Play `cycles` one a clock; the outputs must be `reference` of the inputs `latency` cycles ago.

    Every cycle names all inputs but `rst`, which is up in a share `resets` of them and clears what is inside. m_valid,
    m_punct, m_eos and evt_* are compared always, the other outputs where one of these is up.
    """
    history = list(cycles)
    quiet = dict.fromkeys(history[0], 0)
    history += [quiet] * (latency + 2)
    generator, reset_in = rng("resets"), []
    for name in quiet:
        getattr(dut, name).value = 0
    await start(dut)
    for now, inputs in enumerate(history):
        reset_in.append(generator.random() < resets)
        for name, value in {**inputs, "rst": reset_in[now]}.items():
            getattr(dut, name).value = value
        await FallingEdge(dut.clk)
        then = now - latency
        lost = then < 0 or any(reset_in[then:now])
        expected = reference(quiet if lost else history[then])
        control = {n: v for n, v in expected.items() if n in ("m_valid", "m_punct", "m_eos") or n.startswith("evt_")}
        for name, value in (expected if any(control.values()) else control).items():
            got = int(getattr(dut, name).value)
            assert got == value, f"cycle {now}: {name} is {got:#x}, must be {value:#x}; {latency} ago: {history[then]}"
        await RisingEdge(dut.clk)
