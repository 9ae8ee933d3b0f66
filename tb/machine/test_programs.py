"""Programs as text, as bytes and as messages: sizes as published, round trips, errors with their place."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tb.machine import shipped
from tb.machine.random_programs import draw
from wirestream.errors import QueryError
from wirestream.machine import words
from wirestream.machine.assembler import assemble
from wirestream.machine.bytecode import BY_NAME, INSTRUCTIONS
from wirestream.machine.disassembler import disassemble
from wirestream.machine.limits import Limits
from wirestream.machine.program import MESSAGE, Flags, Program, duration, join, spelled
from wirestream.schema.fields import Field, wide
from wirestream.schema.streams import Stream
from wirestream.schema.streams import shipped as shipped_streams
from wirestream.schema.tuples import FLAG_NULL, Schema
from wirestream.sim import simulate

DELIVERY = ".section delivery\n"
# Codes of the Java virtual machine (JVM specification, chapter 6) that operations of the query machine have too.
JVM = {
    "iconst_m1": 2, "iconst_0": 3, "iconst_1": 4, "iconst_2": 5, "iconst_4": 7, "ipushb": 16, "ipushw": 17,
    "pop": 87, "pop2": 88, "dup": 89, "dup_x1": 90, "dup_x2": 91, "dup2": 92, "dup2_x1": 93, "swap": 95,
    "iadd": 96, "ladd": 97, "isub": 100, "lsub": 101, "imul": 104, "idiv": 108, "irem": 112, "ineg": 116,
    "iand": 126, "ior": 128, "i2l": 133, "lcmp": 148,
}  # fmt: skip


# ---- sizes


@pytest.mark.parametrize("name", shipped.PUBLISHED)
def test_sizes_are_those_published(name):
    program = shipped.program(name)
    assert (program.size, len(program.pack()), len(program.messages())) == shipped.PUBLISHED[name]


def test_bytes_by_hand():
    """Of the listing of section 3.2.5 with control instructions."""
    assert shipped.program("control").pack(7) == bytes.fromhex(
        "07 00 00 12 00 10 00 1a 00 00"  # 18 bytes of delivery, PERIOD, 1 · 10^10 ns
        "f2 11 03 84 dc 0a f3 11 01 f4 dc 04 de 06 f0 36 00 e8"
    )


def test_codes_of_the_java_virtual_machine():
    for name, code in JVM.items():
        operand = name in ("ipushb", "ipushw")
        assert BY_NAME[name, operand].opcode == code
    assert (BY_NAME["iload", True].opcode, BY_NAME["istore", True].opcode) == (21, 54)
    theirs = {*JVM.values(), 21, 54}
    assert all(one.opcode > 201 for one in INSTRUCTIONS if one.opcode not in theirs)  # 201 is their last one


# ---- round trips


def test_round_trips():
    programs = [shipped.program(name) for name in shipped.NAMES]
    random = Random(simulate.seed())
    programs += [assemble(draw(random), []) for _ in range(200)]
    for program in programs:
        text = disassemble(program)
        assert assemble(text, []) == program
        assert disassemble(assemble(text, [])) == text
        assert Program.unpack(program.pack(random.randrange(256))) == program
        messages = program.messages(9)
        assert all(len(message) <= MESSAGE for message in messages)
        assert [tuple(message[:2]) for message in messages] == [(9, k) for k in range(len(messages))]
        assert join(messages) == program.pack(9)


def test_every_instruction_in_both_directions():
    lines = [f"        {one.name:<12}{'3' * bool(one.operand)}".rstrip() for one in INSTRUCTIONS if not one.is_jump]
    lines += [f"        {one.name:<12}L0" for one in INSTRUCTIONS if one.is_jump]
    lines[0] = "L0:     " + lines[0].strip()
    text = "\n".join(['.section delivery, "per_tuple"', *lines, ""])
    assert disassemble(assemble(text)) == text


@pytest.mark.parametrize(
    ("text", "time", "again"),
    [
        ("60s", 60 * 10**9, "60s"),
        ("2min", 120 * 10**9, "120s"),
        ("1500us", 1500 * 10**3, "1500us"),
        ("1h", 36 * 10**11, "3600s"),
    ],
)
def test_times(text, time, again):
    assert duration(text) == time and spelled(time) == again
    program = assemble(f'.section delivery, "@{text}", "+{text}"\npop')
    assert (program.period, program.start) == (time, time)
    assert Program.unpack(program.pack()) == program


def test_forms_of_constants_and_fields():
    text = DELIVERY + "\n".join(f"ipush {n}" for n in (-1, 0, 3, 4, 127, 128, -129, 40000, '"UBSN"', '"U"'))
    names = [code.instruction.name for code in assemble(text).decoded["delivery"].values()]
    assert names == ["iconst_m1", "iconst_0", "ipushb", "iconst_4", "ipushb", *["ipushw"] * 2, *["ipushl"] * 3]
    fields = ".stream Own (a string(6), b long, c int, d decimal(5, 2), e int, f int)\n"
    text = fields + DELIVERY + "get_b\nget_b+1\nget_field b\nget_field 9\nget_d\nget_f"
    codes = [(c.instruction.name, c.operand) for c in assemble(text).decoded["delivery"].values()]
    fixed = [("get_field_2", 0), ("get_field_3", 0), ("get_field", 2), ("get_field", 9), ("get_field_5", 0)]
    assert codes == [*fixed, ("get_field_7", 0)]


def test_the_farthest_jumps():
    for lines, offset in (
        ("goto a\n" + "iadd\n" * 125 + "a: pop", 127),
        ("a: pop\n" + "iadd\n" * 127 + "goto a", -128),
    ):
        codes = assemble(DELIVERY + lines).decoded["delivery"].values()
        assert [code.operand for code in codes if code.instruction.is_jump] == [offset]


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("ipushb", -128, 127), ("ipushw", -32768, 32767), ("ipushl", -(2**31), 2**31 - 1), ("istore", 0, 255)],
)
def test_the_ends_of_operands(name, low, high):
    for value in (low, high):
        (code,) = assemble(f"{DELIVERY}{name} {value}").decoded["delivery"].values()
        assert code.operand == value
    for value in (low - 1, high + 1):
        with pytest.raises(QueryError, match=f"{value} does not fit"):
            assemble(f"{DELIVERY}{name} {value}")


def test_defaults_of_sections():
    assert assemble(DELIVERY + "pop").flags == Flags.PER_TUPLE
    assert assemble('.section delivery, "per_punct", "epochclear"\npop').flags == Flags.PER_PUNCT
    assert shipped.program("ewma").flags == Flags.PERIOD | Flags.MANUALCLEAR
    assert Program.unpack(shipped.program("ewma").pack()).has_synopsis


# ---- tuples as words


def test_words_of_a_tuple():
    fields = (Field("s", "string(6)"), Field("l", "long"), Field("h", "smallint"), Field("n", "int", True))
    fields += (Field("d", "decimal(20, 0)"), Field("u", "uint"), Field("b", "bool"))
    stream = Stream(Schema("Own", 9, fields))
    record = np.zeros(1, stream.schema.dtype)
    record["s"], record["l"], record["h"], record["n"] = b"UBSNx", -2, -3, 7
    record["d"], record["u"], record["b"] = wide([-1]), 2**32 - 1, 2
    (found,) = words.tuples(record, stream, 32)
    text = (int.from_bytes(b"UBSN"), int.from_bytes(b"x\0\0\0"))
    assert found == (*text, -1, -2, -3, 7, -1, -1, -1, -1, -1, 1)
    assert words.count(stream, 32) == len(found) and words.count(stream, 16) == 3 + 4 + 1 + 2 + 8 + 2 + 1
    record["Flags"] = FLAG_NULL
    (found,) = words.tuples(record, stream, 16)
    assert found[7:10] == (-3, None, None)
    assert words.ranges(stream, Limits())[4:6] == [(-(2**15), 2**15 - 1, False), (-(2**31), 2**31 - 1, True)]


def test_words_of_a_punctuation():
    """Only the time has a value, of two words or one."""
    streams = {stream.schema.name: stream for stream in shipped_streams()}
    fields = [field.bits // 32 for field in streams["Orders"].schema.fields if field.bits > 32]
    assert fields == [2, 2, 2] and streams["Orders"].time == "Placed"
    assert words.punctuation(streams["Orders"], -(2**32), 32) == (0,) * 7 + (-1, 0)
    assert words.punctuation(streams["Trades"], 5, 32) == (0, 0, 0, 5)


# ---- errors

WRONG = [
    ("pop", 1, 1, "an instruction before the first .section"),
    ("l:", 1, 1, "a label before the first .section"),
    (".sections delivery", 1, 1, "unknown directive .sections; known: .stream, .const, .section"),
    (".section", 1, 1, ".section needs one of init, delivery, reception"),
    (".section main", 1, 10, ".section needs one of init, delivery, reception"),
    (DELIVERY + ".section delivery", 2, 10, "two sections are named delivery"),
    (".section init\npop", None, None, "no section delivery: every program needs one"),
    (DELIVERY, None, None, "a program needs a delivery section with instructions"),
    (DELIVERY + "pop\n.section reception", None, None, "section reception is empty: without the section, messages"),
    ('.section delivery, "often"', 1, 20, 'unknown argument "often" of delivery; known: "per_tuple", "per_punct", '),
    ('.section init, "@5s"', 1, 16, 'unknown argument "@5s" of init; known: none'),
    ('.section delivery, "@5x"', 1, 20, "'5x' is not a time, such as 60s, 2min or 500us"),
    ('.section delivery, "@12345s"', 1, 20, "a time of 12345000000000 ns has too many digits: at most 4095"),
    ('.section delivery, "@5s", "@6s"', 1, 27, '"@6s" contradicts an argument before it, or repeats it'),
    ('.section delivery, "epochclear", "manualclear"', 1, 34, '"manualclear" contradicts an argument before it'),
    ('.section delivery, "@5s", "per_tuple"\npop', None, None, "the delivery section needs one of per_tuple, "),
    ('.section delivery, "@0s"\npop', None, None, "a period must be more than 0"),
    (DELIVERY + 'pop\n.section reception, "per_tuple"\npop', None, None, "reception per tuple needs a reception"),
    (DELIVERY + "a: pop\na: pop", 3, 1, "section delivery has two labels a"),
    (DELIVERY + "1a: pop", 2, 1, "'1a' is not a name"),
    (DELIVERY + "  goto a", 2, 8, "no label a in section delivery"),
    (".section init\na: pop\n" + DELIVERY + "goto a", 4, 6, "no label a in section delivery; that of section init"),
    (DELIVERY + "a: pop\n" + "iadd\n" * 128 + " goto a", 131, 7, "a is -129 bytes away: a jump reaches -128 to 127"),
    (DELIVERY + "goto a\n" + "iadd\n" * 126 + "a: pop", 2, 6, "a is 128 bytes away: a jump reaches -128 to 127"),
    (DELIVERY + "popp", 2, 1, "unknown instruction popp"),
    (DELIVERY + "pop 1", 2, 1, "pop has no operand"),
    (DELIVERY + "ipushb", 2, 1, "ipushb needs an operand"),
    (DELIVERY + "ipushb 1 2", 2, 10, "ipushb has one operand at most"),
    (DELIVERY + "ipushb 128", 2, 8, "128 does not fit int8: -128 to 127"),
    (DELIVERY + "ipushw 0xffff", 2, 8, "0xffff does not fit int16: -32768 to 32767"),
    (DELIVERY + "istore 256", 2, 8, "256 does not fit index: 0 to 255"),
    (DELIVERY + "istore -1", 2, 8, "-1 does not fit index: 0 to 255"),
    (DELIVERY + "ipush 99999999999", 2, 7, "99999999999 does not fit int32"),
    (DELIVERY + "ipush", 2, 1, "ipush needs a constant"),
    (DELIVERY + "ipush LEAST", 2, 7, "'LEAST' is neither a number nor a constant"),
    (DELIVERY + 'ipush "UBSNX"', 2, 7, "a text of 1 to 4 characters is a word"),
    (DELIVERY + 'ipush "\u20ac"', 2, 7, "\u20ac is none of the characters of Latin-1"),
    (DELIVERY + 'ipush "UB', 2, 7, "a text without its end"),
    (DELIVERY + "get_Price", 2, 1, "unknown field Price; .stream declares them"),
    (".stream Trades\n" + DELIVERY + "get_Prise", 3, 1, "unknown field Prise; Trades has Symbol, Price, Volume, Time"),
    (".stream Trades\n" + DELIVERY + "get_Price+1", 3, 1, "Price has 1 word"),
    (".stream Trades\n" + DELIVERY + "get_Price 1", 3, 11, "get_Price has no operand"),
    (".stream Trads", 1, 9, "unknown stream Trads; known: Orders, Packets, Quotes, Trades; or .stream NAME (FIELD"),
    (".stream", 1, 1, ".stream needs the name of a stream"),
    (".stream Own (a)", 1, 1, ".stream NAME (FIELD TYPE, …): a field without a type"),
    (".stream Own (a in)", 1, 1, "field a: unknown type 'in'"),
    (".const A", 1, 1, ".const needs a name and a value"),
    (".const A 1\n.const A 2", 2, 8, "two constants are named A"),
    (DELIVERY + "dup2_x2", 2, 1, "no instruction dup2_x2: store two words"),
    (DELIVERY + "pop\n" * 256, None, None, "section delivery has 256 bytes, of 255 at most"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "message"), WRONG, ids=[case[3][:40] for case in WRONG])
def test_errors_have_a_place(text, line, column, message):
    with pytest.raises(QueryError) as raised:
        assemble(text)
    position = raised.value.position
    assert raised.value.message.startswith(message)
    assert (position and (position.line, position.column)) == ((line, column) if line else None)
    assert "\n" not in str(raised.value)


PACKED = bytes.fromhex("00 00 00 01 00 04 0000 0000 57")


@pytest.mark.parametrize(
    ("packed", "message"),
    [
        (b"", "0 bytes, but the header alone has 10"),
        (PACKED[:-1], "10 bytes, but the header says 11"),
        (PACKED + b"\0", "12 bytes, but the header says 11"),
        (PACKED[:1] + b"\1" + PACKED[2:], "not a program"),
        (PACKED[:5] + b"\x44" + PACKED[6:], "not a program"),
        (PACKED[:5] + b"\x05" + PACKED[6:], "the flag SYNOPSIS does not agree"),
        (PACKED[:5] + b"\x00" + PACKED[6:], "the delivery section needs one of"),
        (PACKED[:5] + b"\x10" + PACKED[6:], "a period must be more than 0"),
        (PACKED[:-1] + b"\xff", "delivery, byte 0: no instruction has the code 0xff"),
        (PACKED[:-1] + b"\x10", "delivery, byte 0: the section ends in the operand of ipushb"),
    ],
)
def test_what_is_no_program(packed, message):
    assert Program.unpack(PACKED).delivery == b"\x57"
    with pytest.raises(QueryError) as raised:
        Program.unpack(packed)
    assert str(raised.value).startswith(message)


def test_a_jump_into_an_operand():
    program = Program(bytes.fromhex("de 03 10 00"))
    with pytest.raises(
        QueryError, match="delivery, byte 0: a jump to byte 3 of the section, where no instruction begins"
    ):
        disassemble(program)


@pytest.mark.parametrize("sizes", [{"width": 24}, {"stack": 12}, {"buffer": 2}, {"synopsis": 512}])
def test_sizes_of_no_machine(sizes):
    with pytest.raises(ValueError, match="must be"):
        Limits(**sizes)
