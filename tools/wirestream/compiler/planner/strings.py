"""Functions of strings: their cores, delays in ns, and the stages of a pattern."""

from __future__ import annotations

from math import ceil

from wirestream.compiler import cores
from wirestream.compiler.plan import Compute
from wirestream.compiler.texts import EDITS, MEASURES, automaton_of, extraction_of

# Of a pattern; for each byte that is matched in a cycle, and each repeated position; to know where the padding begins.
MATCH_NS, LETTER_NS, INSIDE_NS = 1.4, 0.12, 0.5
# Of a function of a string, and for each byte; for each byte and each occurrence of a constant before the wanted one.
TEXT_NS = {"length": (1.6, 0.13), "spaces": (1.6, 0.24), "find": (2.0, 0.15), "upper": (1.2, 0.0), "lower": (1.2, 0.0)}
TEXT_NS |= {"rtrim": (1.6, 0.24), "cut": (1.6, 0.13), "until": (1.6, 0.13)}
NTH_NS = 0.05
CRC_NS = 3.3  # of a step of a CRC
EXTRACT_NS, TAKEN_NS = 1.4, 0.9  # of a pass over the bytes that extracts a group, and for each byte


def delay(step: Compute) -> float:
    fixed, letter = TEXT_NS[step.operator]
    text, *others = step.operands
    before = others[1].value - 1 if step.operator == "find" and len(others) > 1 else 0
    return fixed + (letter + NTH_NS * before) * text.type.length


def measure_or_edit(step: Compute) -> cores.Core:
    """The core of a number or a string that is computed from a string."""
    text, *others = step.operands
    size, other, nth = text.type.length, *[value.value for value in others], *(0, 1)[len(others) :]
    match step.operator:
        case "find":
            return cores.TextMeasure("FIND", size, 0, len(other), f"{8 * len(other)}'h{other.hex()}", nth, 1, 0)
        case "until":
            return cores.TextEdit("UNTIL", size, 0, ord(other), 1, 0)
        case edit if edit in EDITS:
            return cores.TextEdit(EDITS[edit], size, other, ord(","), 1, 0)
    return cores.TextMeasure(MEASURES[step.operator], size, other, 1, "8'h41", 1, 1, 0)


def crc32(step: Compute, longest_ns: float) -> cores.TextCrc32:
    """The core of a CRC, with as many of its steps in a cycle as take no longer."""
    return cores.TextCrc32(step.operands[0].type.length, 1, max(1, int(longest_ns / CRC_NS)))


def extract(step: Compute, longest_ns: float) -> cores.TextExtract:
    """The core that extracts a group, whose passes take as many bytes in a cycle as take no longer."""
    text, pattern, group = step.operands
    part = min(text.type.length, max(1, int((longest_ns - EXTRACT_NS) / TAKEN_NS)))
    return cores.TextExtract.of(extraction_of(pattern.value, group.value), text.type.length, 1, part)


def match(step: Compute, stages: int) -> cores.MatchText:
    text, pattern = step.operands
    return cores.MatchText.of(automaton_of(step.operator, pattern.value), text.type.length, 1, stages)


def match_ns(step: Compute, letters: int) -> float:
    """The delay of a part of a pattern's circuit that matches so many bytes in a row."""
    found = automaton_of(step.operator, step.operands[1].value)
    again = sum((n, n) in found.after and n not in found.first for n in range(len(found.positions)))
    return MATCH_NS + LETTER_NS * letters * max(1, again) + INSIDE_NS * any(p.inside for p in found.positions)


def match_stages(step: Compute, longest_ns: float) -> int:
    """The stages of the circuit that matches a pattern, each of which takes no longer; 0: one without registers."""
    length = step.operands[0].type.length
    if match_ns(step, length) <= longest_ns:
        return 0
    return next((n for n in range(2, length) if match_ns(step, ceil(length / n)) <= longest_ns), length)


# Operations that always take some cycles, and their cores by the longest delay in a cycle.
PIPELINED = {"crc32": crc32, "extract": extract}
