"""text_extract: groups of regular expressions, against Python's."""

import re

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.strings import every_cycle, pauses_and_resets, reference
from wirestream.compiler import cores
from wirestream.compiler.cores.base import number
from wirestream.compiler.extraction import extraction
from wirestream.compiler.patterns import Automaton
from wirestream.compiler.regular import regular
from wirestream.errors import QueryError

NUMBERS = ("BYTES", "POSITIONS", "PART", "SET_OF", "AFTER", "FIRST", "LAST", "INSIDE", "MEMBERS", "GROUP")
LETTERS = (b"AB1", b"AB\0-", b"A1")


def paths(string, first, after, last, takes):
    """Depth-first, with backtracking: the positions of the first path through all bytes, or None."""
    size = len(string.rstrip(b"\0"))

    def search(n, candidates):
        for p in sorted(candidates):
            if takes(p, string[n], n >= size):
                if n == len(string) - 1:
                    if p in last:
                        return [p]
                elif (rest := search(n + 1, after[p])) is not None:
                    return [p, *rest]
        return None

    return search(0, first)


def extracted(dut):
    """What the automaton of the parameters extracts, by a search with backtracking."""
    values = {name: int(getattr(dut, name).value) for name in NUMBERS}
    count, length = values["POSITIONS"], values["BYTES"]
    first, last, inside, group = (
        {p for p in range(count) if values[n] >> p & 1} for n in ("FIRST", "LAST", "INSIDE", "GROUP")
    )
    after = {q: {p for p in range(count) if values["AFTER"] >> p * count + q & 1} for q in range(count)}

    def takes(place, letter, padding):
        member = values["MEMBERS"] >> 256 * (values["SET_OF"] >> 8 * place & 255) + letter & 1
        return member and not (padding and place in inside)

    def function(string):
        path = paths(string, first, after, last, takes) or []
        found = bytes(c for c, p in zip(string, path, strict=False) if p in group)
        return int.from_bytes(found.ljust(length, b"\0"), "big")

    return reference(length, function)


def latency(dut):
    """Two passes over the bytes, and a shift."""
    part = int(dut.PART.value)
    return part and 2 * -(-int(dut.BYTES.value) // part) + 1


@cocotb.test()
async def strings_in_every_cycle(dut):
    await every_cycle(dut, latency(dut), extracted(dut), LETTERS, 1000)


@cocotb.test()
async def with_pauses_and_resets(dut):
    await pauses_and_resets(dut, latency(dut), extracted(dut), LETTERS)
    hold(dut, cores.TextExtract, latency=latency(dut))


def parameters(pattern, length, part):
    """Of the core, as the compiler makes them."""
    made = cores.TextExtract.of(extraction(regular(pattern), 1), length, 8, part).parameters
    return {name: number(value) if isinstance(value, str) else value for name, value in made.items()}


@pytest.mark.parametrize(
    ("pattern", "length", "part"),
    [("A([0-9]+)", 8, 2), ("^(.*?)-B?$", 6, 1), ("(AB|A|B1)1?B*$", 7, 3), ("B(A*)", 4, 0), ("([^B]*)$", 5, 9)],
)
def test_text_extract(pattern, length, part):
    run("text_extract", **parameters(pattern, length, part))


def test_four_state():
    run_four_state("text_extract", "with_pauses_and_resets", **parameters("A(B*)", 6, 2))


def found_in(automaton: Automaton, string: bytes) -> bytes:
    after = {q: {p for p, before in automaton.after if before == q} for q in range(len(automaton.positions))}

    def takes(place, letter, padding):
        position = automaton.positions[place]
        return letter in position.members and not (padding and position.inside)

    path = paths(string, automaton.first, after, automaton.last, takes) or []
    return bytes(c for c, p in zip(string, path, strict=False) if p in automaton.group)


PIECES = ["A", "B", ".", "[AB]", "[^A]", r"\d", "(?:A|AB|B)", "(?:B|AB)", "(?:AB)", "(?:|B)", "(?:A|)", "(?:A+B*?)"]
TIMES = ["", "", "", "*", "+", "?", "{2}", "{1,3}", "*?", "+?", "??", "{1,3}?", "{2,}?"]


def test_groups_of_regular_expressions():
    """Random expressions by Python's, whose $ is before a line feed at the end, but before no carriage return."""
    g, refused = rng("extraction"), 0
    for _ in range(3000):
        begin, middle, end = (
            "".join(g.choice(PIECES) + g.choice(TIMES) for _ in range(g.randint(0, 2))) for _ in "abc"
        )
        pattern = g.choice(("", "^")) + begin + f"({middle})" + g.choice(("", "", "?")) + end + g.choice(("", "$"))
        try:
            automata = [extraction(regular(pattern), group) for group in (0, 1)]
        except QueryError:
            refused += 1
            continue
        written = re.compile(pattern.replace(".", "[^\r\n]"), re.ASCII)
        for string in (bytes(g.choices(b"AB0\0\n", (5, 5, 2, 1, 1), k=g.randint(1, 8))) for _ in range(10)):
            match = written.search(string.rstrip(b"\0").decode())
            for group, automaton in enumerate(automata):
                wanted = ((match and match[group]) or "").encode()
                assert found_in(automaton, string) == wanted, (pattern, group, string)
    assert refused < 1000
