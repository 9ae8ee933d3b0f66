"""What programs do: each instruction by hand, the events, the programs of the dissertation; random programs as a second
interpreter runs them."""

from __future__ import annotations

from random import Random

import pytest

from tb.machine import shipped
from tb.machine.big_step import Judge, read
from tb.machine.random_programs import Event, draw, events
from wirestream.machine.assembler import assemble
from wirestream.machine.bytecode import BY_NAME, INSTRUCTIONS, NAMES
from wirestream.machine.interpreter import Machine, Outcome, Trap
from wirestream.machine.limits import Limits
from wirestream.machine.program import Program
from wirestream.sim import simulate

MOST, LEAST = 2**31 - 1, -(2**31)
UBSN = int.from_bytes(b"UBSN")
MANUAL = '.section delivery, "manualclear"\n'


def run(machine: Machine | Judge, event: Event) -> Outcome:
    """What an event causes; a tick is at time 0."""
    call = getattr(machine, event.kind)
    return call(event.words) if event.kind != "tick" else call(*([0] if isinstance(machine, Machine) else []))


def sent(text: str, fields: tuple[int | None, ...] = (), limits: Limits | None = None) -> tuple[int | None, ...]:
    """The words of the row that a program sends for a tuple."""
    (row,) = Machine(assemble(text, limits=limits), limits).tuple(fields).rows
    return row.words


# ---- instructions

# An instruction, the stack before and after it, its cycles; the fields are 7, 8, null and 10.
BY_HAND = [
    ("pop", (1, 2), (1,), 1), ("pop2", (1, 2, 3), (1,), 1), ("dup", (1,), (1, 1), 1), ("dup", (None,), (None, None), 1),
    ("dup_x1", (1, 2, 3), (1, 3, 2, 3), 2), ("dup_x2", (1, 2, 3), (3, 1, 2, 3), 3), ("dup2", (1, 2), (1, 2, 1, 2), 2),
    ("dup2_x1", (1, 2, 3), (2, 3, 1, 2, 3), 4), ("swap", (1, 2), (2, 1), 1),
    ("iconst_m1", (), (-1,), 1), ("iconst_0", (), (0,), 1), ("iconst_1", (), (1,), 1), ("iconst_2", (), (2,), 1),
    ("iconst_4", (), (4,), 1), ("ipushb -128", (), (-128,), 1), ("ipushw 0x7fff", (), (32767,), 1),
    ("ipushl -2147483648", (), (LEAST,), 1), ('ipushl "UBSN"', (), (UBSN,), 1),
    ("get_field 3", (), (10,), 1), *((f"get_field_{k}", (), (word,), 1) for k, word in enumerate((7, 8, None, 10))),
    ("iload 1", (), (0,), 1), ("iload", (1,), (0,), 2), ("iload", (None,), (0,), 2), ("istore 1", (5,), (), 1),
    ("istore", (5, 1), (), 1), ("iload_sy 15", (), (0,), 1), ("iload_sy", (15,), (0,), 2),
    ("istore_sy 15", (5,), (), 1), ("istore_sy", (5, 15), (), 1),
    ("iadd", (MOST, 1), (LEAST,), 1), ("iadd", (None, 1), (None,), 1), ("isub", (LEAST, 1), (MOST,), 1),
    ("isub", (3, 5), (-2,), 1), ("imul", (-3, 5), (-15,), 4), ("imul", (2**16, 2**16 + 1), (2**16,), 4),
    ("idiv", (7, 2), (3,), 18), ("idiv", (-7, 2), (-3,), 18), ("idiv", (7, -2), (-3,), 18),
    ("idiv", (-7, -2), (3,), 18), ("idiv", (7, 0), (None,), 18), ("idiv", (LEAST, -1), (LEAST,), 18),
    ("irem", (7, -2), (1,), 18),
    ("irem", (-7, 2), (-1,), 18), ("irem", (-7, 0), (None,), 18), ("irem", (LEAST, -1), (0,), 18),
    ("ineg", (LEAST,), (LEAST,), 1), ("ineg", (5,), (-5,), 1), ("iinc", (MOST,), (LEAST,), 1), ("idec", (0,), (-1,), 1),
    ("iand", (12, 10), (8,), 1), ("ior", (12, 10), (14,), 1), ("ior", (None, 10), (None,), 1), ("inot", (0,), (-1,), 1),
    ("i2l", (-5,), (-1, -5), 1), ("i2l", (5,), (0, 5), 1), ("i2l", (None,), (None, None), 1),
    ("ladd", (0, -1, 0, 1), (1, 0), 4), ("ladd", (MOST, -1, 0, 1), (LEAST, 0), 4),
    ("ladd", (0, 1, None, 1), (None, None), 4), ("lsub", (1, 0, 0, 1), (0, -1), 4),
    ("lcmp", (0, -1, 0, 1), (1,), 4), ("lcmp", (-1, -1, 0, 1), (-1,), 4),
    ("lcmp", (3, 4, 3, 4), (0,), 4), ("lcmp", (3, None, 3, 4), (None,), 4),
    ("imull", (-(2**20), 2**20), (-256, 0), 5), ("imull", (LEAST, LEAST), (2**30, 0), 5),
    ("send_tb", (1,), (1,), 2), ("send_sy", (1,), (1,), 2), ("clear_sy", (1,), (1,), 1),
    ("merge", (1, 2, 1, 1), (1,), 4),
]  # fmt: skip
CONDITIONS = ("eq", "neq", "lt", "ge", "gt", "le")
# A jump, the stack, and whether it is taken.
JUMPS = [
    ("goto", (), True),
    *((f"if{name}", (x,), taken) for name, cases in {
        "eq": {-1: False, 0: True, 1: False}, "neq": {-1: True, 0: False, 1: True},
        "lt": {-1: True, 0: False, 1: False}, "ge": {-1: False, 0: True, 1: True},
        "gt": {-1: False, 0: False, 1: True}, "le": {-1: True, 0: True, 1: False},
        "null": {0: False, None: True}, "nonnull": {0: True, None: False},
    }.items() for x, taken in cases.items()),
    *((f"if_icmp{name}", pair, taken) for name, cases in {
        "eq": (False, True, False), "neq": (True, False, True), "lt": (True, False, False), "ge": (False, True, True),
        "gt": (False, False, True), "le": (True, True, False),
    }.items() for pair, taken in zip(((LEAST, MOST), (5, 5), (MOST, LEAST)), cases, strict=True)),
    *((f"if{name}", (None,), False) for name in CONDITIONS),
    *((f"if_icmp{name}", pair, False) for name in CONDITIONS for pair in ((None, 1), (1, None))),
]  # fmt: skip


def pushes(stack: tuple[int | None, ...]) -> list[str]:
    return ["get_field_2" if word is None else f"ipushl {word}" for word in stack]


@pytest.mark.parametrize(("text", "before", "after", "cycles"), BY_HAND)
def test_an_instruction(text, before, after, cycles):
    """The stack after it is what the buffer has when it is stored there, the topmost word first."""
    stores = [f"istore {k}" for k in range(len(after))]
    lines = [*pushes(before), text, *stores]
    outcome = Machine(assemble(MANUAL + "\n".join(lines))).tuple((7, 8, None, 10))
    spent = len(before)
    assert outcome.cycles == {"delivery": max(1 + spent + cycles + len(stores), 3)}
    if after:
        assert sent(MANUAL + "\n".join([*lines, "send_tb"]), (7, 8, None, 10)) == after[::-1]


@pytest.mark.parametrize(("name", "stack", "taken"), JUMPS)
def test_a_jump(name, stack, taken):
    lines = [*pushes(stack), f"{name} end", "iconst_1", "istore 0", "end: iconst_2", "istore 1", "send_tb"]
    outcome = Machine(assemble(MANUAL + "\n".join(lines))).tuple((7, 8, None))
    assert outcome.rows[0].words == ((0, 2) if taken else (1, 2))
    spent = len(stack)
    assert outcome.total == 1 + spent + (3 if taken else 1 + 2) + 2 + 4


def test_every_instruction_is_here():
    assert {text.split()[0] for text, *_ in (*BY_HAND, *JUMPS)} >= NAMES - {f"get_field_{k}" for k in range(4, 8)}


def test_words_of_16_bits():
    limits = Limits(width=16)
    assert sent(MANUAL + "ipushw 32767\niinc\nistore 0\nsend_tb", (), limits) == (-32768,)
    assert sent(MANUAL + "ipushw 300\ndup\nimull\nistore 0\nistore 1\nsend_tb", (), limits) == (90000 - 2**16, 1)
    outcome = Machine(assemble(MANUAL + "iconst_1\niconst_1\nidiv"), limits).tuple(())
    assert outcome.total == 1 + 2 + 2 + 8


def test_what_is_sent():
    """All words to the last one stored; nothing, if none was."""
    assert sent(MANUAL + "iconst_1\nistore 2\nsend_tb") == (0, 0, 1)
    assert not Machine(assemble(MANUAL + "send_tb\nsend_sy")).tuple(()).rows
    machine = Machine(assemble(MANUAL + "get_field_0\ndup\nistore_sy\nsend_sy\nsend_tb\niconst_1\nistore 0"))
    assert [machine.tuple((k,)).rows[0].words for k in (1, 0)] == [(0, 1), (0, 1)]  # the synopsis stays, the buffer not


# ---- merge


def merging(*codes: int, groups: int = 1, words: int = 2) -> str:
    stores = [f"get_field_{k}\nistore {k}" for k in range(words)]
    parameters = [f"ipushb {code}" for code in (*reversed(codes), len(codes), groups)]
    return MANUAL + "\n".join([*stores, *parameters, "merge", "send_sy"])


@pytest.mark.parametrize(
    ("code", "values", "result"),
    [
        (1, (1, 1, 1), 3),
        (2, (-5, 7, 3), 7),
        (3, (-5, 7, 3), -5),
        (4, (-5, 7, 3), 5),
        (4, (MOST, 1, None), LEAST),
        (2, (None, 3, None), 3),
        (3, (None, None, None), None),
    ],
)
def test_merge_of_one_group(code, values, result):
    machine = Machine(assemble(merging(code)))
    found = [machine.tuple((9, value)).rows[0].words for value in values]
    assert found[-1] == (9, result)


def test_merge_of_states_with_several_words():
    """AVG is a sum and a count, VARIANCE a sum, a sum of squares and a count; two groups of two words."""
    machine = Machine(assemble(merging(5, 6, groups=2, words=7)))
    machine.tuple((1, None, 10, 1, 10, 100, 1))
    machine.tuple((1, 2, 5, 1, 5, 25, 1))
    (row,) = machine.tuple((1, None, 20, 1, 20, 400, 1)).rows
    assert row.words == (1, None, 30, 2, 30, 500, 2, 1, 2, 5, 1, 5, 25, 1)


def test_merge_without_groups():
    machine = Machine(assemble(merging(4, 1, groups=0)))
    assert [machine.tuple((k, 1)).rows[0].words for k in (3, 4)] == [(3, 1), (7, 2)]


def test_merge_into_a_full_synopsis():
    """Further groups are forwarded, and counted; known ones are merged."""
    machine = Machine(assemble(merging(4).removesuffix("send_sy")), Limits(synopsis=4))
    outcomes = [machine.tuple(pair) for pair in ((1, 10), (2, 20), (3, 30), (2, 5))]
    assert [[row.words for row in outcome.rows] for outcome in outcomes] == [[], [], [(3, 30)], []]
    assert machine.counts["forwarded"] == 1
    begin = 1 + 4 + 3  # the section, two fields, three constants
    fixed = begin + 3 + 1 + 1  # merge, one aggregate, one row
    appended, visited = 2, 1 + 1
    assert [outcome.total for outcome in outcomes] == [
        fixed + appended,
        fixed + visited + appended,
        fixed + 2 * visited + 2 + 2,
        fixed + 2 * visited + 1,
    ]


def test_merge_of_a_message():
    """Its whole rows; what remains is counted."""
    machine = Machine(shipped.program("merge"))
    assert not machine.message((1, 10, 2, 20, 1, 30, 4)).rows
    assert machine.counts["ragged"] == 1
    machine.tuple((7, 1, 25, 0, 0))
    (row,) = machine.tick(0).rows
    assert row.words == (1, 30, 2, 20)
    (row,) = machine.tick(0).rows  # epochclear
    assert row.words == (1, 25) and row.epoch == 1


# ---- when sections run


def epochs(machine: Machine, *given: Event | int) -> list[list[int]]:
    """The epochs of the rows of each event; a number is the time of a tuple."""
    found = [machine.tuple((1,), event) if isinstance(event, int) else run(machine, event) for event in given]
    return [[row.epoch for row in outcome.rows] for outcome in found]


TUPLE, PUNCTUATION, TICK, MESSAGE = (Event(kind, (5,)) for kind in ("tuple", "punctuation", "tick", "message"))
SEND = "get_field_0\nistore 0\nsend_tb"


@pytest.mark.parametrize(
    ("argument", "found"),
    [
        ("per_tuple", [[], [], [0], [], [], [1]]),
        ("per_punct", [[], [0], [], [1], [], []]),
        ("@5s", [[], [], [], [], [0], []]),
    ],
)
def test_what_runs_the_delivery(argument, found):
    """A tick before the first tuple runs nothing."""
    machine = Machine(assemble(f'.section delivery, "{argument}"\n{SEND}'))
    assert epochs(machine, TICK, PUNCTUATION, TUPLE, PUNCTUATION, TICK, TUPLE) == found


def test_a_tick_sees_the_last_tuple():
    machine = Machine(assemble(f'.section delivery, "@5s"\n{SEND}'))
    for value in (1, 2):
        machine.tuple((value,))
    assert [machine.tick(0).rows[0].words for _ in range(2)] == [(2,), (2,)]


def test_delayed_start():
    machine = Machine(assemble(f'.section delivery, "+5us"\n{SEND}'), loaded=1000)
    assert epochs(machine, 0, 5999, 6000, 7000) == [[], [], [0], [1]]


def test_reception():
    """Of messages; per tuple, of tuples. Without the section messages are forwarded."""
    plain, of_tuples = ".section reception\niload 0\niinc\nistore 0\nsend_tb", ".section reception, "
    of_tuples += f'"per_tuple"\n{SEND}'
    for reception, found in ((plain, [[], [6], [], []]), (of_tuples, [[5], [5], [], [5]]), ("", [[], [5], [], []])):
        machine = Machine(assemble(f'.section delivery, "per_punct"\nclear_sy\n{reception}'))
        outcomes = [run(machine, event) for event in (TUPLE, MESSAGE, PUNCTUATION, TUPLE)]
        assert [[row.words[0] for row in outcome.rows] for outcome in outcomes] == found
    assert outcomes[1].cycles == {"forward": 1 + 2 + 1}
    machine = Machine(assemble('.section delivery, "per_punct"\nclear_sy'))
    assert [row.epoch for row in machine.message((1,), epoch=17).rows] == [17]
    assert not machine.message((0,) * 17).rows and machine.counts["too_long"] == 1
    assert not machine.message(()).rows


def test_init_runs_once_before_the_first_section():
    text = '.section init\nget_field_0\nistore_sy 0\n.section delivery, "@5s", "manualclear"\nsend_sy\n'
    machine = Machine(assemble(text))
    machine.tuple((3,))
    machine.tuple((4,))
    outcomes = [machine.tick(0), machine.tuple((5,)), machine.tick(0)]
    assert [outcome.cycles for outcome in outcomes] == [{"init": 3, "delivery": 4}, {}, {"delivery": 4}]
    assert [outcome.rows[0].words for outcome in (outcomes[0], outcomes[2])] == [(4,), (4,)]


def test_epochclear():
    text = ".section init\niconst_2\nistore_sy 0\n.section delivery{}\nsend_sy\niconst_1\nistore_sy 1\n"
    for argument, lengths in (("", [1, 0, 0]), (', "manualclear"', [1, 2, 2])):
        machine = Machine(assemble(text.format(argument)))
        assert [
            len(outcome.rows[0].words) if outcome.rows else 0 for outcome in map(machine.tuple, [()] * 3)
        ] == lengths


# ---- traps

TRAPS = [
    ("pop", "pop needs 1 words, and the stack has 0"),
    ("a: iconst_1\ngoto a", "the stack has 16 words"),
    ("a: goto a", "still running after 4096 cycles"),
    ("get_field_4", "field 4 of a tuple of 4 words"),
    ("iload 16", "iload 16: of 16 words"),
    ("iconst_m1\niload", "iload -1: of 16 words"),
    ("iconst_1\nistore 16", "istore 16: of 16 words"),
    ("iconst_1\nistore_sy 16", "istore_sy 16: of 16 words"),
    ("iload_sy 16", "iload_sy 16: of 16 words"),
    ("iconst_0\niconst_0\nmerge", "a row of merge has no words"),
    ("iconst_1\niconst_0\niconst_m1\nmerge", "a row of merge has no words"),
    ("iconst_2\niconst_1\nmerge", "merge of 2 aggregates and 1 groups"),
    ("get_field_3\niconst_1\nmerge", "merge of None aggregates and 1 groups"),
    ("ipushb 7\niconst_1\niconst_1\nmerge", "no aggregate has the code 7"),
    ("iconst_1\nistore_sy 0\niconst_1\niconst_1\niconst_1\nmerge", "merge into a synopsis with other contents"),
    ("iconst_1\niconst_1\niconst_1\nmerge\niload_sy 0", "iload_sy in a synopsis with the rows of merge"),
]


@pytest.mark.parametrize(("text", "reason"), TRAPS, ids=[reason for _, reason in TRAPS])
def test_a_trap_stops_the_program(text, reason):
    machine = Machine(assemble(f"{MANUAL}{SEND}\n{text}"))
    with pytest.raises(Trap) as raised:
        machine.tuple((1, 2, 3, None))
    assert str(raised.value).startswith("trap: line ") and reason in str(raised.value)
    assert [row.words for row in raised.value.outcome.rows] == [(1,)] and machine.stopped
    assert machine.tuple((1, 2, 3, 4)) == machine.tick(0) == machine.message((1,)) == Outcome()


def test_a_jump_out_of_the_section():
    for offset in (5, -1, 1):
        with pytest.raises(Trap, match=f"no instruction begins at byte {offset}"):
            Machine(Program(bytes([BY_NAME["goto", True].opcode, offset & 0xFF]))).tuple(())


# ---- the programs of the dissertation


def sensors(light: int = 0, temp: int = 0, node: int = 60, parent: int = 1) -> tuple[int, ...]:
    return node, parent, light, temp, 0


def ticks(name: str, *tuples: tuple[int, ...], width: int = 32) -> list[list[tuple[int | None, ...]]]:
    """The rows of a delivery after each tuple."""
    machine, found = Machine(shipped.program(name), Limits(width=width)), []
    for one in tuples:
        machine.tuple(one)
        found.append([row.words for row in machine.tick(0).rows])
    return found


def test_sampling_control_and_selection():
    assert ticks("sampling", sensors(temp=21), sensors(temp=22)) == [[(60, 21)], [(60, 22)]]
    assert ticks("control", sensors(900, 500), sensors(901), sensors(0, 501)) == [[], [(60,)], [(60,)]]
    assert ticks("all_nodes", sensors(3, 4)) == [[(60, 3, 4)]]
    cold = (sensors(5, 511), sensors(5, 512), sensors(5, 511, 50), sensors(5, 511, 51))
    assert ticks("cold_nodes", *cold) == [[(60, 5)], [], [], [(51, 5)]]


def test_ewma():
    """y = y + (u - y) div 5, from y = u."""
    inputs, y, expected = (100, 200, 0, -33, 47), 100, []
    for u in inputs:
        y += int((u - y) / 5)
        expected.append([(60, y)])
    assert ticks("ewma", *(sensors(u) for u in inputs)) == expected


def test_bins():
    machine = Machine(shipped.program("bins"))
    machine.message((3, 50, 2, -1, 7, 1))
    machine.tuple(sensors(512 + 39, 20))
    assert [row.words for row in machine.tick(0).rows] == [(3, 70, 3, -1, 7, 1)]


def test_events_and_the_fault_of_16_bits():
    """The ring has five temperatures; in 16 bits 32767 + 32767 div 10 wraps, so the first epoch is a false alarm."""
    temps = (100, 105, 111, 130, 100, 120, 120, 120, 131, 146)
    expected, ring = [], [32767] * 5
    for k, temp in enumerate(temps):
        least = min(ring)
        expected.append([(60,)] if temp > least + least // 10 else [])
        ring[k % 5] = temp
    inputs = [sensors(temp=temp) for temp in temps]
    assert ticks("events", *inputs) == expected and expected[0] == [] and [(60,)] in expected
    assert ticks("events", *inputs, width=16) == [[(60,)], *expected[1:]]


def test_adaptive():
    """As the C code of section 3.4.3 says, with division towards zero."""
    random = Random(simulate.seed())
    lights = [random.choice((100, 101, 105, 120, 150)) for _ in range(200)]
    period, count, old, expected = 0, 0, lights[0], []
    for new in lights:
        if count:
            count -= 1
            expected.append([])
            continue
        if abs(new - old) > old // 10:
            period = max(period - 1, 0)
        else:
            period += 1
        old, count = new, period
        expected.append([(60, new)])
    assert ticks("adaptive", *map(sensors, lights)) == expected


def test_queries_over_trades():
    trades = [(UBSN, 100, 7, 1), (1, 100, 8, 2), (UBSN, 90, 9, 3)]
    machine = Machine(shipped.program("q1"))
    outcomes = [machine.tuple(trade) for trade in trades]
    assert [[row.words for row in outcome.rows] for outcome in outcomes] == [[(100, 7)], [], [(90, 9)]]
    assert [outcome.total for outcome in outcomes] == [12, 6, 12]
    machine, volumes = Machine(shipped.program("sliding_sum")), [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9]
    sums = [machine.tuple((0, 0, volume, 0)).rows[0].words for volume in volumes]
    assert sums == [(sum(volumes[max(0, k - 7) : k + 1]),) for k in range(len(volumes))]
    machine, total = Machine(shipped.program("turnover")), 0
    for price, volume in ((MOST, MOST), (LEAST, MOST), (-1, 1), (LEAST, LEAST)):
        (row,) = machine.tuple((0, price, volume, 0)).rows
        total += price * volume
        assert row.words[0] * 2**32 + row.words[1] % 2**32 == total


# ---- the second interpreter


def compare(text: str, given: list[Event], limits: Limits) -> None:
    """Both interpreters send the same rows, and take the same cycles."""
    machine, judge = Machine(assemble(text, limits=limits), limits), Judge(read(text), limits.width)
    for event in given:
        rows, cycles, outcome = len(judge.rows), judge.cycles, run(machine, event)
        run(judge, event)
        assert [(row.epoch, row.words) for row in outcome.rows] == judge.rows[rows:], (text, event)
        assert outcome.total == judge.cycles - cycles, (text, event, outcome)
    assert machine.counts["forwarded"] == judge.forwarded


def compare_random(seeds: range) -> set[str]:
    """The names of the instructions in the programs."""
    names = set()
    for seed in seeds:
        random = Random(f"{simulate.seed()} {seed}")
        limits = Limits(width=random.choice((16, 32)))
        text = draw(random)
        compare(text, events(random, 25, limits.width), limits)
        names |= {code.instruction.name for codes in assemble(text).decoded.values() for code in codes.values()}
    return names


def test_random_programs():
    named = compare_random(range(400))
    assert named >= {one.name for one in INSTRUCTIONS} - {"get_field", *(f"get_field_{k}" for k in range(4, 8))}


@pytest.mark.soak
def test_many_random_programs():
    compare_random(range(400, 10_400))


@pytest.mark.parametrize("name", shipped.NAMES)
def test_shipped_programs(name):
    for seed in range(20):
        random = Random(f"{simulate.seed()} {seed}")
        limits = Limits(width=random.choice((16, 32)) if '"' not in shipped.text(name).partition(".section")[2] else 32)
        compare(shipped.text(name), events(random, 40, limits.width, fields=5), limits)
