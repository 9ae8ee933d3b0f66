"""What the verifier accepts, refuses and promises: its bounds are reached, and no mutant that it accepts traps."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tb.machine import shipped
from tb.machine.random_programs import Event, draw, events, mutant, tangle, word
from wirestream.errors import QueryError
from wirestream.machine import abstract, intervals, verifier, words
from wirestream.machine.abstract import State, Synopsis, join
from wirestream.machine.assembler import assemble
from wirestream.machine.bytecode import BY_NAME
from wirestream.machine.interpreter import BINARY, CONDITIONS, UNARY, Machine, Trap
from wirestream.machine.intervals import Value, binary, failing, holding, unary
from wirestream.machine.limits import Limits
from wirestream.machine.program import Program
from wirestream.machine.verifier import Report, together, verify
from wirestream.sim import simulate

MANUAL = '.section delivery, "manualclear"\n'
# Cycles of each section at most.
BOUNDS = {
    "q1": {"delivery": 12},
    "ewma": {"init": 5, "delivery": 30},
    "sliding_sum": {"delivery": 22},
    "sampling": {"delivery": 9, "reception": 19},
    "control": {"delivery": 14},
    "merge": {"delivery": 51, "reception": 176},
    "bins": {"delivery": 68, "reception": 88},
    "events": {"init": 59, "delivery": 146},
    "adaptive": {"init": 7, "delivery": 54},
    "all_nodes": {"delivery": 12},
    "cold_nodes": {"delivery": 17},
    "most_light": {"delivery": 16, "reception": 56},
    "per_minute": {"delivery": 18, "reception": 32},
    "turnover": {"delivery": 20},
}

# Messages of more groups than the synopsis has room for, each unlike the others.
FULL = [Event("message", tuple(range(first, first + 16))) for first in (100, 200)]


def run(machine: Machine, event: Event) -> dict[str, int]:
    """The cycles of each section that ran, without those of a message that is forwarded."""
    call = getattr(machine, event.kind)
    outcome = call(0) if event.kind == "tick" else call(event.words)
    return {section: cycles for section, cycles in outcome.cycles.items() if section != "forward"}


def within(event: Event, ranges: list[tuple[int, int, bool]], random: Random) -> Event:
    """With a tuple's words in the ranges of its fields, and some of them the text UBSN."""
    if event.kind not in ("tuple", "punctuation"):
        return event
    ubsn = int.from_bytes(b"UBSN")
    drawn = ((ubsn if random.random() < 0.2 else one, *span) for one, span in zip(event.words, ranges, strict=True))
    return Event(event.kind, tuple(min(max(one or 0, low), high) for one, low, high, _ in drawn))


# ---- bounds


def test_all_programs_have_a_bound_here():
    assert sorted(BOUNDS) == shipped.NAMES


@pytest.mark.parametrize("name", shipped.NAMES)
def test_bounds_are_reached_and_never_exceeded(name):
    program = shipped.program(name)
    report, most = verify(program), dict.fromkeys(BOUNDS[name], 0)
    ranges = words.ranges(program.stream, Limits())
    for seed in range(40):
        random, machine = Random(f"{simulate.seed()} {seed}"), Machine(program)
        for event in FULL + events(random, 60, 32, fields=len(ranges)):
            for section, cycles in run(machine, within(event, ranges, random)).items():
                most[section] = max(most[section], cycles)
    assert report.cycles == most == BOUNDS[name]


def test_a_tuple_runs_delivery_or_reception():
    a_tuple = {name: verify(shipped.program(name)).a_tuple for name in ("q1", "per_minute", "merge")}
    assert a_tuple == {"q1": 12, "per_minute": 32, "merge": 0}
    assert verify(shipped.program("events")).stack == 5


def test_a_cheaper_path_later_does_not_lower_the_bound():
    """The first turn of the loop is the dearest; the bound is the sum of all of them."""
    loop = "ipushb 3\na: dup\niflt b\ndup\nipushb 3\nif_icmpneq c\niconst_1\ndup\nidiv\npop\nc: idec\ngoto a\nb: pop"
    report, outcome = verify(assemble(MANUAL + loop)), Machine(assemble(MANUAL + loop)).tuple(())
    assert report.cycles == outcome.cycles


def test_a_synopsis_that_is_cleared_has_no_rows():
    """With epochclear each delivery merges its row into none, and sends one word or one row."""
    merging = "get_field_0\nistore 0\nget_field_1\nistore 1\niconst_2\niconst_1\niconst_1\nmerge\nsend_sy"
    for text in (merging, "send_sy\nget_field_0\nistore_sy 0\nsend_sy\nclear_sy\nsend_sy"):
        program = assemble(f".section delivery\n{text}")
        machine = Machine(program)
        assert machine.tuple((1, 2)).cycles == machine.tuple((2, 3)).cycles == verify(program).cycles


def nest(outer: int, inner: int) -> str:
    return (
        f"ipushb {outer}\na: dup\nifle d\nipushb {inner}\nb: dup\nifle c\nget_field_0\nifeq e\niinc\nidec\n"
        "e: idec\ngoto b\nc: pop\nidec\ngoto a\nd: pop"
    )


def test_loops_in_loops():
    """A jump in the inner loop makes its turns of different length; both counters are still known."""
    program = assemble(MANUAL + nest(5, 7))
    most = max(Machine(program).tuple((k,)).total for k in (0, 1))
    assert verify(program).cycles == {"delivery": most}
    with pytest.raises(QueryError, match="more than 4096 cycles"):
        verify(assemble(MANUAL + nest(50, 20)))


def test_loop_that_ends_by_its_data():
    """At most 16 words of the synopsis are searched for one."""
    text = (
        "iconst_0\na: dup\nipushb 16\nif_icmpge b\ndup\niload_sy\nget_field_0\nif_icmpeq b\niinc\ngoto a\nb: istore 0"
    )
    text += "\nsend_tb\nget_field_0\nget_field_1\nistore_sy"
    with pytest.raises(QueryError, match="istore_sy -2147483648 to 2147483647: the synopsis has words 0 to 15"):
        verify(assemble(MANUAL + text))
    program = assemble(MANUAL + text.replace("get_field_1", "get_field_1\nipushb 15\niand"))
    machine = Machine(program)
    assert [machine.tuple((5, k)).rows[0].words for k in (3, 9)] == [(16,), (3,)]
    assert Machine(program).tuple((5, 0)).cycles == verify(program).cycles


# ---- refused

# A program, the line and column of the reason, and the message.
REFUSED = [
    (MANUAL + "iconst_1\npop\n  pop", 4, 3, "pop needs 1 words, and the stack has 0"),
    (MANUAL + "iconst_1\n" * 17, 18, 1, "17 words on a stack of 16"),
    (MANUAL + "get_field_0\nifeq a\niconst_1\na: iconst_0", 4, 1, "jumps to where the stack has 0 words, with 1"),
    (MANUAL + "a: iconst_1\nget_field_0\nifeq a", 2, 4, "the stack has 0 or 1 words here"),
    (MANUAL + "a: goto a", 2, 4, "no bound is proven for this loop"),
    (MANUAL + "a: get_field_0\nifeq a", 3, 1, "no bound is proven for this loop"),
    (MANUAL + "get_field_0\na: dup\nifle b\nidec\ngoto a\nb: pop", None, None, "more than 4096 cycles"),
    (MANUAL + "ipushb 100\na: dup\nifeq b\nipushb 7\nisub\ngoto a\nb: pop", None, None, "more than 4096 cycles"),
    (MANUAL + "get_field 64", 2, 1, "field 64 of a tuple of 64 words"),
    (".stream Trades\n" + MANUAL + "get_field_4", 3, 1, "field 4 of a tuple of 4 words"),
    (MANUAL + "iload 16", 2, 1, "iload 16: the transmission buffer has words 0 to 15"),
    (MANUAL + "get_field_0\nipushb 16\nirem\niload", 5, 1, "iload -15 to 15: the transmission buffer"),
    (MANUAL + "get_field_0\nipushb 17\niand\niload_sy", 5, 1, "iload_sy 0 to 17: the synopsis has words 0 to 15"),
    (MANUAL + "iload_sy 3\niload_sy\niload_sy 3\niinc\nistore_sy 3", 3, 1, "iload_sy 0 to 16: the synopsis has words"),
    (MANUAL + "get_field_0\niconst_1\niconst_0\nmerge", 5, 1, "the aggregates of merge must be constants"),
    (MANUAL + "get_field_0\niconst_1\nmerge", 4, 1, "merge needs numbers of aggregates and groups that are constants"),
    (MANUAL + "iconst_2\niconst_1\niconst_1\nmerge\niload_sy 0\npop", 6, 1, "iload_sy in a program with merge"),
    (MANUAL + "ipushb 7\niconst_1\niconst_1\nmerge", 5, 1, "no aggregate has the code 7; known: COUNT 1, MAX 2, MIN 3"),
    (MANUAL + "iconst_2\niconst_1\nipushb 16\nmerge", 5, 1, "a row of 17 words does not fit the synopsis"),
    (MANUAL + "iconst_1\nistore 0\niconst_2\niconst_1\niconst_1\nmerge", 7, 1, "the transmission buffer has 1 words"),
    (
        MANUAL + "iconst_2\niconst_1\niconst_1\nmerge\niconst_2\niconst_1\niconst_2\nmerge", 9, 1,
        "another merge of the program has other groups or aggregates",
    ),
    (MANUAL + "iconst_2\niconst_1\niconst_1\nmerge\n.section init\niconst_2\nistore_sy 0", 8, 1, "istore_sy in a"),
    (MANUAL + "iconst_2\niconst_1\niconst_1\nmerge\npop", 6, 1, "pop needs 1 words, and the stack has 0"),
    (MANUAL + "iconst_1\npop\n" * 128, None, None, "section delivery has 256 bytes, of 255 at most"),
    (MANUAL + "iconst_1\npop\n" * 100 + ".section init\n" + "iconst_1\npop\n" * 100, None, None, "the program has 400"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "column", "message"), REFUSED, ids=[case[3][:40] or "wraps" for case in REFUSED]
)
def test_refused(text, line, column, message):
    with pytest.raises(QueryError) as raised:
        verify(assemble(text))
    position = raised.value.position
    assert raised.value.message.startswith(message)
    if line:
        assert (position.line, position.column) == (line, column)


@pytest.mark.parametrize(
    "text",
    [
        "get_field_0\nipushb 16\nirem\ndup\nifge a\nineg\na: iload",  # what a jump has proven of a word
        "get_field_0\ndup\niflt a\ndup\nipushb 15\nif_icmpgt a\ndup\niload\npop\na: pop",
        "iload_sy 3\niload_sy\niload_sy 3\niinc\nipushb 15\niand\nistore_sy 3",
        "iload_sy 3\niinc\nistore_sy 3",  # a counter that wraps
        # 0 to 9, which is found where ranges grow in steps of one only
        "iload_sy 3\nipushb 6\niadd\niload_sy\niload_sy 3\niinc\nipushb 5\ndup\niadd\nirem\nistore_sy 3",
        "get_field_0\nifnonnull a\na: iconst_1\niconst_0\nidiv\niload",  # null as an index is 0
        "iconst_1\nifeq a\ngoto b\na: pop\npop\nb: iconst_1",  # code that is never reached
        "a: iload_sy 0\niinc\ndup\nistore_sy 0\niconst_4\nif_icmplt a\niconst_0\nistore_sy 0",
    ],
)
def test_accepted(text):
    program = assemble(MANUAL + text)
    report, machine, random = verify(program), Machine(program), Random(simulate.seed())
    for _ in range(200):
        assert machine.tuple((word(random, 32),)).total <= report.cycles["delivery"]


def test_of_other_sizes():
    """The same programs on smaller machines."""
    lines = shipped.text("events").splitlines()
    for limits, text in ((Limits(stack=4), "dup2"), (Limits(synopsis=4), "istore_sy")):
        with pytest.raises(QueryError) as raised:
            verify(shipped.program("events"), limits)
        assert lines[raised.value.position.line - 1].split()[0] == text
    with pytest.raises(QueryError, match="a tuple has 4 words, and the machine takes 3"):
        verify(shipped.program("q1"), Limits(fields=3))
    with pytest.raises(QueryError, match="the program has 62 bytes of code, and a slot 32"):
        verify(shipped.program("events"), Limits(code=32))


def test_budget():
    """The reason is the instruction with which the longest path exceeds it."""
    program = shipped.program("ewma")
    assert verify(program, budget=30).cycles["delivery"] == 30
    lines = shipped.text("ewma").splitlines()
    for budget, text in ((29, "send_sy"), (23, "iload_sy"), (22, "idiv"), (5, "idiv"), (4, "ipushb"), (1, "get_light")):
        with pytest.raises(QueryError, match=f"delivery takes up to 30 cycles, of {budget}") as raised:
            verify(program, budget=budget)
        assert lines[raised.value.position.line - 1].split()[0] == text


def test_programs_together():
    reports = [verify(shipped.program(name)) for name in ("q1", "sliding_sum")]
    assert together(reports, Limits(), 34) == 34
    with pytest.raises(QueryError, match="together take up to 34 cycles a tuple, of 33"):
        together(reports, Limits(), 33)
    with pytest.raises(QueryError, match="9 programs, and the machine has 8 slots"):
        together([Report({}, 0, 0)] * 9, Limits())


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("de 05", "delivery, byte 0: a jump to byte 5 of the section, where no instruction begins"),
        ("03 57 de fd", "delivery, byte 2: a jump to byte -1 of the section"),
        ("03 57 de 01", "delivery, byte 2: a jump to byte 3 of the section"),
        ("03 57 10", "delivery, byte 2: the section ends in the operand of ipushb"),
        ("03 57 01", "delivery, byte 2: no instruction has the code 0x01"),
        ("de 03 01 03", "delivery, byte 2: no instruction has the code 0x01"),  # although it is never reached
    ],
)
def test_bytes_that_are_no_program(code, message):
    with pytest.raises(QueryError) as raised:
        verify(Program(bytes.fromhex(code)))
    assert str(raised.value).startswith(message)


# ---- ranges


def test_ranges_of_operations():
    """Every result of words in two ranges is in the range of the result: all small words of 16 bits, and the ends."""
    limits = Limits(width=16)
    ends = (-(2**15), -(2**15) + 1, -3, -1, 0, 1, 2, 5, 2**15 - 2, 2**15 - 1)
    spans = [Value(low, high) for low in ends for high in ends if low <= high]
    for name in UNARY:
        for x in spans:
            found = unary(name, x, limits)
            assert all(holds(found, limits.wrapped(UNARY[name](n))) for n in inside(x))
    random = Random(simulate.seed())
    for name, operation in BINARY.items():
        for y, x in ((random.choice(spans), random.choice(spans)) for _ in range(500)):
            found = binary(name, y, x, limits)
            for n in inside(y):
                for d in inside(x):
                    result = operation(n, d)
                    assert holds(found, None if result is None else limits.wrapped(result)), (name, n, d)


def inside(value: Value) -> list[int]:
    """The ends of a range and some words between."""
    return sorted(
        {*range(value.low, min(value.high, value.low + 6) + 1), *range(max(value.low, value.high - 6), value.high + 1)}
    )


def holds(value: Value, word: int | None) -> bool:
    return value.null if word is None else value.low <= word <= value.high


def test_ranges_that_conditions_prove():
    bounds = [(low, high) for low in range(-2, 3) for high in range(low, 3)]
    for name, condition in CONDITIONS.items():
        for y in (Value(*ends) for ends in bounds):
            for x in (Value(*ends) for ends in bounds):
                pairs = {(n, d) for n in inside(y) for d in inside(x)}
                for proven, true in ((holding(name, y, x), True), (failing(name, y, x), False)):
                    those = {pair for pair in pairs if condition(*pair) is true}
                    assert (proven is None) == (not those)
                    assert proven is None or all(holds(proven[0], n) and holds(proven[1], d) for n, d in those)


def test_conditions_of_nulls():
    """No condition holds for a null, and what fails proves nothing of the other word."""
    null, three = Value(0, 5, null=True), Value(3, 3)
    assert spans(holding("lt", null, three)) == [(0, 2, False), (3, 3, False)]
    assert spans(failing("lt", null, three)) == [(3, 5, True), (3, 3, False)]
    assert spans(failing("lt", three, null)) == [(3, 3, False), (0, 3, True)]
    assert spans(failing("ge", null, Value(-1, -1))) == [(0, 0, True), (-1, -1, False)]
    assert spans(failing("lt", null, Value(0, 3, null=True))) == [(0, 5, True), (0, 3, True)]
    assert failing("eq", null, null) and not failing("eq", three, three) and not holding("neq", null, null)


def spans(pair: tuple[Value, Value]) -> list[tuple[int, int, bool]]:
    return [(one.low, one.high, one.null) for one in pair]


def test_a_state_of_two():
    """The union of each range; words that are equal in both remain equal, and no others."""
    limits, one, other = Limits(), Value(1, 1), Value(5, 9, null=True)
    a, b = (State.at_begin(Synopsis.empty(limits), limits, message=False) for _ in range(2))
    a.stack, b.stack = [one, one, other], [other, other, other]
    a.length, b.length = (2, 4), (1, 3)
    a.synopsis = replace(a.synopsis, length=(0, 2), rows=3)
    b.synopsis = replace(b.synopsis, length=(1, 5), rows=1)
    for first, second in ((a, b), (b, a)):
        found = join(first, second)
        assert (found.length, found.synopsis.length, found.synopsis.rows) == ((1, 4), (0, 5), 3)
        assert [(one.low, one.high, one.null) for one in found.stack] == [(1, 9, True)] * 2 + [(5, 9, True)]
        assert found.stack[0] is found.stack[1] and found.stack[2] is other
        assert found.covers(first) and found.covers(second)
        assert not first.covers(found) and not second.covers(found)


# ---- tangled jumps


def test_loops_that_overlap():
    """The bounds of programs with jumps to anywhere hold, and most of them are reached."""
    accepted = reached = 0
    for seed in range(300):
        random = Random(f"{simulate.seed()} {seed}")
        program = assemble(tangle(random), [])
        try:
            bound = verify(program).cycles["delivery"]
        except QueryError:
            continue
        machine, jumps = (
            Machine(program),
            (one for one in program.decoded["delivery"].values() if one.instruction.is_jump),
        )
        most = max(machine.tuple(event.words).total for event in events(random, 40, 32) if event.kind == "tuple")
        assert most <= bound, seed
        if any(jump.operand <= 0 for jump in jumps):
            accepted, reached = accepted + 1, reached + (most == bound)
    assert accepted > 100 and reached > 0.8 * accepted


# ---- mutants


def campaign(seeds: range) -> tuple[int, int]:
    """Mutants of good programs that are accepted, and refused. Those accepted run without a trap, within the bound."""
    good, accepted, refused = [shipped.program(name) for name in shipped.NAMES], 0, 0
    for seed in seeds:
        random = Random(f"{simulate.seed()} {seed}")
        original = random.choice(good) if random.random() < 0.5 else assemble(draw(random), [])
        changed = mutant(original, random)
        if changed is None:
            continue
        limits = Limits(width=random.choice((16, 32)), stack=random.choice((8, 16)), fields=8)
        try:
            report = verify(changed, limits)
        except QueryError:
            refused += 1
            continue
        accepted += 1
        machine = Machine(changed, limits)
        for event in events(random, 20, limits.width, fields=limits.fields):
            for section, cycles in run(machine, event).items():
                assert cycles <= report.cycles[section], f"mutant {seed}: {section} takes {cycles} cycles"
    return accepted, refused


def test_mutants_are_refused_or_run():
    accepted, refused = campaign(range(1000))
    assert accepted > 250 and refused > 250


@pytest.mark.soak
def test_100000_mutants():
    accepted, refused = campaign(range(1000, 101_000))
    assert accepted > 25_000 and refused > 25_000


WEAKER = {
    "an index of any word": (verifier, "index", lambda value: Value(0, 0)),
    "words equal by their range": (abstract, "union", lambda a, b: a),
    "jumps that are never taken": (verifier, "holding", lambda name, y, x: None),
    "a sum that never wraps": (intervals, "_within", lambda ends, null, limits: Value(*[next(iter(ends))] * 2, null)),
}


@pytest.mark.parametrize("weaker", WEAKER)
def test_the_campaign_finds_a_weaker_verifier(weaker, monkeypatch):
    module, name, wrong = WEAKER[weaker]
    monkeypatch.setattr(module, name, wrong)
    with pytest.raises((Trap, AssertionError)):
        campaign(range(3000))


def test_the_codes_in_hexadecimal_above():
    names = [("goto", True), ("iconst_0", False), ("pop", False), ("ipushb", True)]
    assert [BY_NAME[name].opcode for name in names] == [0xDE, 0x03, 0x57, 0x10]
