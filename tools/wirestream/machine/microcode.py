"""The words that the core (rtl/qm/ws_qm_core.v) runs in place of bytes, and a program as such words.

A word has 36 bits: bit 35 set, a constant of 32 bits to push; else the fields below. The words of each instruction are
`WORDS`. `python -m wirestream.machine.microcode` writes the fields to rtl/qm/ws_qm_words.vh, for the core, and the
words of each instruction to rtl/qm/ws_qm_decoder.vh, for a loader.
"""

from __future__ import annotations

from dataclasses import dataclass

from wirestream.design import RTL
from wirestream.machine.bytecode import ALWAYS, INSTRUCTIONS, Instruction
from wirestream.machine.interpreter import CONSTANTS
from wirestream.machine.program import SECTIONS, Flags, Program

FOLDER = RTL / "qm"
WIDTH = 36

# Fields: the lowest bit and the width. The argument, bits 15 to 0, has fields of its own for each class.
FIELDS = {
    "LITERAL": (35, 1),  # push the lower 32 bits
    "CLASS": (32, 3),
    "FROM": (30, 2),  # b, the second operand: the word of the stack so many below the second one
    "PUSH": (29, 1),  # write t, the top word, to the stack
    "PLACE": (28, 1),  # there it becomes the second word (0) or the third one (1)
    "SIGN": (27, 1),  # write the sign of t instead; of a jump: the opposite condition
    "DELTA": (24, 3),  # words more on the stack, in two's complement
    "POPS": (21, 3),  # words that must be on the stack
    "TOP": (19, 2),  # the new t
    "LOGIC": (17, 2),
    "EITHER": (16, 1),  # the new t is null if t or b is, not only if b is
    "CARRY": (0, 2),  # class MOVE, the sum t + b + carry
    "INVERT": (2, 1),  # its complement
    "NOT_B": (3, 1),  # b is the complement of the word
    "FIXED": (4, 2),  # b is a constant
    "SAVE": (6, 1),  # keep the carry, and whether t = b
    "ORDER": (7, 1),  # the sum becomes -1, 0 or 1 by what was kept
    "CHECK": (8, 1),  # t is an index of the memory
    "INDEX": (0, 8),  # classes LOAD, STORE
    "MEMORY": (8, 2),  # classes LOAD, STORE, SEND, and with CHECK shifted by 4
    "INDEXED": (10, 1),  # the index is t
    "TARGET": (0, 12),  # class JUMP: the address
    "END": (12, 1),  # the target is the end of the section
    "CONDITION": (13, 2),
    "TWO": (15, 1),  # compare b with t, and not t with 0
}
VALUES = {
    "CLASS": ("MOVE", "LOAD", "STORE", "JUMP", "SEND", "CLEAR", "MULDIV", "MERGE"),
    "TOP": ("LOGIC", "SUM", "BELOW", "SAME"),
    "LOGIC": ("B", "AND", "OR", "ZERO"),
    "CARRY": ("0", "1", "SAVED"),
    "FIXED": ("NONE", "ZERO", "ONES"),
    "MEMORY": ("FIELD", "TB", "SY"),
    "CONDITION": ("EQ", "GE", "GT", "NULL"),
}
LITERAL = 1 << 35
KEPT = {"TOP": "SAME"}


def word(**fields: int | str) -> int:
    """A word with these fields; the others are 0."""
    found = 0
    for name, given in fields.items():
        low, width = FIELDS[name]
        value = VALUES[name].index(given) if isinstance(given, str) else given
        found |= (value & (1 << width) - 1) << low
    return found


def _shuffles() -> dict[str, list[int]]:
    swap, over = {"PUSH": 1}, {"PUSH": 1, "DELTA": 1}
    third = {"PUSH": 1, "PLACE": 1, "FROM": 1}  # swap with the third word
    return {
        "pop": [word(DELTA=-1, POPS=1)],
        "pop2": [word(DELTA=-2, POPS=2, FROM=1)],
        "dup": [word(PUSH=1, DELTA=1, POPS=1, **KEPT)],
        "dup_x1": [word(POPS=2, **swap), word(**over)],
        "dup_x2": [word(POPS=3, **third), word(**swap), word(FROM=1, **over)],
        "dup2": [word(POPS=2, **over), word(**over)],
        "dup2_x1": [word(POPS=3, **swap), word(**third), *[word(FROM=1, **over)] * 2],
        "swap": [word(POPS=2, **swap)],
    }


def _arithmetic() -> dict[str, list[int]]:
    two, one = {"EITHER": 1, "DELTA": -1, "POPS": 2}, {"EITHER": 1, "POPS": 1, "TOP": "SUM"}
    minus = {"NOT_B": 1, "INVERT": 1}  # b - t = ~(t + ~b)
    return {
        "iadd": [word(TOP="SUM", **two)],
        "isub": [word(TOP="SUM", **two, **minus)],
        "iand": [word(LOGIC="AND", **two)],
        "ior": [word(LOGIC="OR", **two)],
        "ineg": [word(FIXED="ONES", INVERT=1, **one)],
        "iinc": [word(FIXED="ZERO", CARRY="1", **one)],
        "idec": [word(FIXED="ONES", **one)],
        "inot": [word(FIXED="ZERO", INVERT=1, **one)],
        "i2l": [word(PUSH=1, SIGN=1, DELTA=1, POPS=1, **KEPT)],
        "ladd": _pair({}),
        "lsub": _pair(minus),
        "lcmp": [
            word(FROM=1, NOT_B=1, CARRY="1", TOP="SUM", SAVE=1, EITHER=1, POPS=4),
            word(EITHER=1),
            word(FROM=2, NOT_B=1, CARRY="SAVED", LOGIC="ZERO", SAVE=1, EITHER=1),
            word(FIXED="ZERO", ORDER=1, TOP="SUM", EITHER=1, DELTA=-3),
        ],
    }


def _pair(how: dict[str, int]) -> list[int]:
    """The lower words, which replace the third word of the stack; the upper ones; both in their order."""
    return [
        word(FROM=1, TOP="SUM", SAVE=1, EITHER=1, POPS=4, **how),
        word(PUSH=1, PLACE=1, EITHER=1),
        word(FROM=2, TOP="SUM", CARRY="SAVED", EITHER=1, **how),
        word(FROM=1, PUSH=1, EITHER=1, DELTA=-2),
    ]


def _memory(name: str, operand: bool) -> list[int]:
    memory = "SY" if name.endswith("_sy") else "TB"
    if name.startswith("iload"):
        if operand:
            return [word(CLASS="LOAD", MEMORY=memory, PUSH=1, DELTA=1)]
        check = VALUES["MEMORY"].index(memory) << 9  # bits 10 and 9
        return [word(CHECK=1, POPS=1, **KEPT) | check, word(CLASS="LOAD", MEMORY=memory, INDEXED=1)]
    if operand:
        return [word(CLASS="STORE", MEMORY=memory, DELTA=-1, POPS=1)]
    return [word(CLASS="STORE", MEMORY=memory, INDEXED=1, TOP="BELOW", DELTA=-2, POPS=2)]


# The condition of a jump by y and x (or x and 0), in terms of t = x: equal, t >= y, t > y; and whether it is negated.
CONDITIONS_OF_TWO = {
    "eq": ("EQ", 0), "neq": ("EQ", 1), "lt": ("GT", 0), "ge": ("GT", 1), "gt": ("GE", 1), "le": ("GE", 0)
}  # fmt: skip
CONDITIONS_OF_ONE = {
    "eq": ("EQ", 0), "neq": ("EQ", 1), "lt": ("GE", 1), "ge": ("GE", 0), "gt": ("GT", 0), "le": ("GT", 1),
    "null": ("NULL", 0), "nonnull": ("NULL", 1),
}  # fmt: skip


def _jump(one: Instruction) -> list[int]:
    if one.does == ALWAYS:
        return [word(CLASS="JUMP", CONDITION="NULL", TWO=1, **KEPT)]
    if one.name.startswith("if_icmp"):
        condition, negated = CONDITIONS_OF_TWO[one.name.removeprefix("if_icmp")]
        return [word(CLASS="JUMP", CONDITION=condition, SIGN=negated, TWO=1, TOP="BELOW", DELTA=-2, POPS=2)]
    condition, negated = CONDITIONS_OF_ONE[one.name.removeprefix("if")]
    return [word(CLASS="JUMP", CONDITION=condition, SIGN=negated, DELTA=-1, POPS=1)]


def _words(one: Instruction) -> list[int]:
    """The words of an instruction, with an operand of 0; none: the core cannot run it."""
    name = one.name
    match one.group:
        case "Stack":
            return _shuffles()[name]
        case "Constants":
            return [LITERAL | CONSTANTS.get(name, 0) & 0xFFFFFFFF]
        case "Fields":
            return [word(CLASS="LOAD", PUSH=1, DELTA=1, INDEX=0 if one.operand else int(name[-1]))]
        case "Buffers":
            return _memory(name, one.operand != "")
        case "Control":
            return _jump(one)
    match name:
        case "send_tb" | "send_sy":
            return [word(CLASS="SEND", MEMORY=name.removeprefix("send_").upper(), **KEPT)]
        case "clear_sy":
            return [word(CLASS="CLEAR", **KEPT)]
    return _arithmetic().get(name, [])


WORDS = {one.opcode: _words(one) for one in INSTRUCTIONS}


# ---- programs


@dataclass(frozen=True)
class Image:
    """A program for the core. bounds: the addresses at which init, delivery and reception begin, and the end of the
    last one. flags: as in its header, with HAS_INIT and HAS_RECEPTION."""

    words: tuple[int, ...]
    bounds: tuple[int, int, int, int]
    flags: int


HAS_INIT, HAS_RECEPTION = 1, 64  # the flag SYNOPSIS is of no use to the core


def translate(program: Program, at: int = 0) -> Image:
    """The program as words from address `at`. Raises ValueError for an instruction that the core cannot run."""
    words, bounds = [], []
    for section in SECTIONS:
        bounds.append(at + len(words))
        words += _section(program, section, bounds[-1])
    flags = int(program.flags & ~Flags.SYNOPSIS)
    flags |= HAS_INIT * bool(program.init) | HAS_RECEPTION * bool(program.reception)
    return Image(tuple(words), (*bounds, at + len(words)), flags)


def _section(program: Program, section: str, first: int) -> list[int]:
    codes, addresses, at = program.decoded[section], {}, first
    for address, code in codes.items():
        if not WORDS[code.instruction.opcode]:
            raise ValueError(f"the core has no words for {code.instruction.name}")
        addresses[address] = at
        at += len(WORDS[code.instruction.opcode])
    end = addresses[len(program.code(section))] = at
    program.targets(section)  # raises QueryError for a jump elsewhere
    words = []
    for code in codes.values():
        found, low = list(WORDS[code.instruction.opcode]), 0
        match code.instruction.operand:
            case "jump":
                target = addresses[code.target]
                low = word(TARGET=target, END=target == end)
            case "index":
                low = word(INDEX=code.operand)
            case "int8" | "int16" | "int32":
                low = code.operand & 0xFFFFFFFF
        found[0] |= low
        words += found
    return words


# ---- Verilog


def verilog() -> str:
    """The include file of the core: the fields of a word."""
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "//",
        "// Written by `make docs` from bytecode.yml and microcode.py; do not edit.",
        "",
        "// The words of the program RAM: the lowest bit of each field, its width, and its values",
        f"localparam WORD_W = {WIDTH};",
    ]
    for name, (low, width) in FIELDS.items():
        lines.append(f"localparam {name}_AT = {low};" + (f"  localparam {name}_W = {width};" if width > 1 else ""))
        lines += [f"localparam [{width - 1}:0] {name}_{v} = {k};" for k, v in enumerate(VALUES.get(name, ()))]
    return "\n".join([*lines, ""])


def decoder() -> str:
    """The include file of the loader: for each opcode the bytes of its operand and its words."""
    most = max(len(words) for words in WORDS.values())
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "//",
        "// Written by `make docs` from bytecode.yml and microcode.py; do not edit.",
        "",
        "// {kind, count} of an opcode. count: its words, 0 if there is no such instruction. kind: of the operand,",
        "// 0 none, 1 index (into bits 7 to 0 of the first word), 2 jump (its target in words into TARGET, and END),",
        "// 3 int8, 4 int16, 5 int32 (with its sign into bits 31 to 0).",
        f"localparam MOST_WORDS = {most};",
        "function [5:0] shape_of(input [7:0] opcode);",
        "    case (opcode)",
    ]
    kinds = {"": 0, "index": 1, "jump": 2, "int8": 3, "int16": 4, "int32": 5}
    for one in sorted(INSTRUCTIONS, key=lambda one: one.opcode):
        if WORDS[one.opcode]:
            lines.append(f"        8'h{one.opcode:02x}: shape_of = {{3'd{kinds[one.operand]}, "
                         f"3'd{len(WORDS[one.opcode])}}};  // {one.name}")  # fmt: skip
    lines += ["        default: shape_of = 6'd0;", "    endcase", "endfunction", ""]
    lines += ["// Word `step` of an opcode", f"function [{WIDTH - 1}:0] word_of(input [7:0] opcode, input [2:0] step);",
              "    case ({opcode, step})"]  # fmt: skip
    for opcode, words in sorted(WORDS.items()):
        for step, value in enumerate(words):
            lines.append(f"        {{8'h{opcode:02x}, 3'd{step}}}: word_of = 36'h{value:09x};")
    lines += [f"        default: word_of = {WIDTH}'d0;", "    endcase", "endfunction", ""]
    return "\n".join(lines)


FILES = {"ws_qm_words.vh": verilog, "ws_qm_decoder.vh": decoder}


if __name__ == "__main__":
    for name, text in FILES.items():
        (FOLDER / name).write_text(text())
