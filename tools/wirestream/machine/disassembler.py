"""Programs of the query machine as text, in the form that the assembler reads."""

from __future__ import annotations

from collections.abc import Iterator

from wirestream.machine.program import SECTIONS, Code, Flags, Program, spelled

ARGUMENTS = {
    Flags.PER_TUPLE: "per_tuple",
    Flags.PER_PUNCT: "per_punct",
    Flags.MANUALCLEAR: "manualclear",
}


def disassemble(program: Program) -> str:
    """The text. A jump names the label L… with the address of its target. Raises `QueryError` for bytes that are
    not an instruction, and for a jump to the middle of one."""
    lines = []
    for section in SECTIONS:
        if program.code(section):
            lines.append(", ".join([f".section {section}", *(f'"{text}"' for text in _arguments(program, section))]))
            lines += (text for _, text in instructions(program, section))
    return "\n".join([*lines, ""])


def _arguments(program: Program, section: str) -> Iterator[str]:
    if section == "delivery":
        if program.period:
            yield f"@{spelled(program.period)}"
        if program.start:
            yield f"+{spelled(program.start)}"
        yield from (text for flag, text in ARGUMENTS.items() if flag in program.flags)
    elif section == "reception" and Flags.RECEIVE_TUPLES in program.flags:
        yield "per_tuple"


def instructions(program: Program, section: str) -> Iterator[tuple[Code | None, str]]:
    """Each instruction of a section with its line; at the end, without one, a label of the end."""
    targets, end = program.targets(section), len(program.code(section))
    for code in program.decoded[section].values():
        one = code.instruction
        label = f"L{code.address}:" if code.address in targets else ""
        operand = f"L{code.target}" if one.is_jump else str(code.operand) if one.operand else ""
        yield code, f"{label:<8}{one.name:<12}{operand}".rstrip()
    if end in targets:
        yield None, f"L{end}:"
