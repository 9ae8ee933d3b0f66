"""The words of the core: one for each cycle of an instruction, and the files that `make docs` writes from them."""

from __future__ import annotations

import pytest

from tb.machine import shipped
from wirestream.machine.assembler import assemble
from wirestream.machine.bytecode import INSTRUCTIONS
from wirestream.machine.microcode import FIELDS, FILES, FOLDER, LITERAL, WORDS, translate, word


@pytest.mark.parametrize("name", FILES)
def test_files_are_up_to_date(name):
    assert (FOLDER / name).read_text() == FILES[name]()


def test_a_word_for_each_cycle():
    for one in INSTRUCTIONS:
        words = len(WORDS[one.opcode])
        if one.is_jump or one.name.startswith("send"):
            assert words == 1, one.name
        else:
            assert words == (0 if one.unit else one.cycles), one.name


def test_fields_of_a_class_do_not_overlap():
    common = {"LITERAL", "CLASS", "FROM", "PUSH", "PLACE", "SIGN", "DELTA", "POPS", "TOP", "LOGIC", "EITHER"}
    of_class = [
        {"CARRY", "INVERT", "NOT_B", "FIXED", "SAVE", "ORDER", "CHECK"},
        {"INDEX", "MEMORY", "INDEXED"},
        {"TARGET", "END", "CONDITION", "TWO"},
    ]
    assert common.union(*of_class) == FIELDS.keys()
    for fields in of_class:
        bits = [bit for name in common | fields for bit in range(FIELDS[name][0], sum(FIELDS[name]))]
        assert len(bits) == len({*bits})


def test_a_program_by_hand():
    """Q1: its jump leads to the end, the constant is one word, and delivery begins where init ends."""
    image = translate(shipped.program("q1"), at=100)
    assert image.bounds == (100, 100, 108, 108) and image.flags == 4
    assert image.words[1] == LITERAL | int.from_bytes(b"UBSN")
    assert image.words[2] & 0x1FFF == 1 << 12 | 108
    assert image.words[4] == word(CLASS="STORE", MEMORY="TB", DELTA=-1, POPS=1)


def test_jumps_over_instructions_of_several_words():
    image = translate(assemble(".section delivery\nbegin: dup_x2\ngoto begin\nend: goto end"))
    assert [one & 0xFFF for one in image.words[3:]] == [0, 4] and image.bounds == (0, 0, 5, 5)


def test_an_instruction_that_the_core_lacks():
    with pytest.raises(ValueError, match="the core has no words for idiv"):
        translate(shipped.program("ewma"))
