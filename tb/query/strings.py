"""What the benches of cores of a string share: the strings, and the two runs against a function of Python's strings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tb.lib.bench import rng
from tb.query.lockstep import Cycle, kinds, lockstep, wire

Outputs = Callable[[Cycle], Cycle]  # of a cycle, from its inputs


def strings(g, length: int, count: int, letters: tuple[bytes, ...]) -> Iterator[int]:
    """Strings of few letters, one of `letters` for each, of all lengths up to `length`; some of any bytes."""
    for _ in range(count):
        few = g.choice(letters)
        some = bytes(g.choices(few, k=g.randint(0, length))) if g.random() < 0.9 else g.randbytes(length)
        yield int.from_bytes(some.ljust(length, b"\0"), "big")


def reference(length: int, function: Callable[[bytes], int]) -> Outputs:
    """function: y of a string with its padding."""

    def outputs(inputs: Cycle) -> Cycle:
        passed = {f"m_{name}": inputs[f"s_{name}"] for name in ("valid", "punct", "eos", "data")}
        return {**passed, "y": function(inputs["a"].to_bytes(length, "big"))}

    return outputs


async def every_cycle(dut, latency: int, wanted: Outputs, letters: tuple[bytes, ...], count: int) -> None:
    g, bits = rng("strings"), len(dut.s_data)
    values = strings(g, int(dut.BYTES.value), count, letters)
    await lockstep(dut, latency, [{**wire("tuple", g.getrandbits(bits)), "a": a} for a in values], wanted)


async def pauses_and_resets(dut, latency: int, wanted: Outputs, letters: tuple[bytes, ...]) -> None:
    g = rng("traffic")
    pairs = zip(strings(g, int(dut.BYTES.value), 300, letters), kinds(g, 300), strict=True)
    cycles = [{"a": a, **wire(kind, g.getrandbits(8))} for a, kind in pairs]
    await lockstep(dut, latency, cycles, wanted, resets=0.03)
