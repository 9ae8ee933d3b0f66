"""match_text: patterns of LIKE against Python's regular expressions, and random automata against sets of positions."""

import re

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.strings import every_cycle, pauses_and_resets, reference
from wirestream.compiler import cores
from wirestream.compiler.cores.base import number
from wirestream.compiler.patterns import Automaton, automaton, like
from wirestream.compiler.regular import regular

NUMBERS = ("BYTES", "POSITIONS", "STAGES", "SET_OF", "AFTER", "FIRST", "LAST", "INSIDE", "MEMBERS")
LETTERS = (b"AB\0",)  # few, so that many strings match


def matched(dut):
    """Whether the automaton of the parameters takes a string: by the set of positions after each byte."""
    values = {name: int(getattr(dut, name).value) for name in NUMBERS}
    count, length = values["POSITIONS"], values["BYTES"]
    first, last, inside = ({p for p in range(count) if values[n] >> p & 1} for n in ("FIRST", "LAST", "INSIDE"))
    after = {p: {q for q in range(count) if values["AFTER"] >> p * count + q & 1} for p in range(count)}

    def takes(place, letter, padding):
        return values["MEMBERS"] >> 256 * (values["SET_OF"] >> 8 * place & 255) + letter & 1 and not (
            padding and place in inside
        )

    def function(string):
        size, active = len(string.rstrip(b"\0")), None
        for n, letter in enumerate(string):
            reached = first if active is None else {p for p in range(count) if after[p] & active}
            active = {p for p in reached if takes(p, letter, n >= size)}
        return int(bool(active & last))

    return reference(length, function)


@cocotb.test()
async def strings_in_every_cycle(dut):
    await every_cycle(dut, int(dut.STAGES.value), matched(dut), LETTERS, 2000)


@cocotb.test()
async def with_pauses_and_resets(dut):
    await pauses_and_resets(dut, int(dut.STAGES.value), matched(dut), LETTERS)
    hold(dut, cores.MatchText, latency=int(dut.STAGES.value))


def parameters(pattern, length, stages):
    """Of the core, as the compiler makes them."""
    made = cores.MatchText.of(automaton(like(pattern)), length, 8, stages).parameters
    return {name: number(value) if isinstance(value, str) else value for name, value in made.items()}


@pytest.mark.parametrize(
    ("pattern", "length", "stages"),
    [("A%", 4, 1), ("%AB%A_", 8, 2), ("_%B_%", 7, 0), ("%A%B%", 9, 4), ("AB_A", 5, 5), ("%", 1, 0)],
)
def test_match_text(pattern, length, stages):
    run("match_text", **parameters(pattern, length, stages))


def test_four_state():
    run_four_state("match_text", "with_pauses_and_resets", **parameters("%A_B%", 6, 2))


def taken(found: Automaton, string: bytes) -> bool:
    active = None
    for n, letter in enumerate(string):
        padding = not string[n:].strip(b"\0")
        reached = found.first if active is None else {p for p, q in found.after if q in active}
        active = {p for p in reached if letter in found.positions[p].members}
        active -= {p for p in active if padding and found.positions[p].inside}
    return bool(active & found.last)


def expected(pattern: str, string: bytes) -> bool:
    """By Python: the padding is no part of the string."""
    written = re.sub(r"\\?.", lambda m: {"%": ".*", "_": "."}.get(m[0]) or re.escape(m[0][-1]), pattern)
    return bool(re.fullmatch(written, string.rstrip(b"\0").decode("latin1"), re.DOTALL))


def test_patterns_of_like():
    """Random patterns and strings, with zeros within strings, strings that are full, and the empty one."""
    g = rng("patterns")
    for _ in range(3000):
        pattern = "".join(g.choices(["A", "B", "%", "_", r"\%", r"\_"], (4, 4, 3, 3, 1, 1), k=g.randint(0, 6)))
        for string in (bytes(g.choices(b"AB%_\0", k=g.randint(1, 8))) for _ in range(20)):
            assert taken(automaton(like(pattern)), string) == expected(pattern, string), (pattern, string)


PIECES = ["A", "B", ".", "[AB]", "[^A]", r"\d", r"\W", "(A|BB)", "(?:AB)", "(B|)", r"\.", "[0-3_]", "[^\\w-]"]
TIMES = ["", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"]


def test_regular_expressions():
    """Random expressions by Python's, whose $ is before a line feed at the end, but before no carriage return."""
    g = rng("regular")
    for _ in range(3000):
        pattern = "".join(g.choice(PIECES) + g.choice(TIMES) for _ in range(g.randint(1, 4)))
        pattern = g.choice(("", "^")) + pattern + g.choice(("", "$"))
        found = automaton(regular(pattern))
        written = re.compile(pattern.replace(".", "[^\r\n]").replace("\\[^\r\n]", "\\."), re.ASCII)
        for string in (bytes(g.choices(b"AB0._\0\n-", k=g.randint(1, 8))) for _ in range(10)):
            wanted = bool(written.search(string.rstrip(b"\0").decode()))
            assert taken(found, string) == wanted, (pattern, string)
