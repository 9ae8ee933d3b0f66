"""The instructions of the query machine, read from bytecode.yml; the table in docs/machine.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import yaml

SIZES = {"": 0, "int8": 1, "int16": 2, "int32": 4, "index": 1, "jump": 1}  # bytes of an operand
UNITS = ("", "muldiv", "merge")
ALWAYS = "always"  # the condition of goto
MANY = "…"  # of the words that an instruction pops, as many as one of them says


@dataclass(frozen=True)
class Instruction:
    """An instruction. See bytecode.yml for the columns. group: its heading there."""

    name: str
    opcode: int
    before: str
    after: str
    cycles: int
    jvm: str
    group: str
    operand: str = ""
    does: str = ""
    taken: int = 0
    each: Mapping[str, int] = field(default_factory=dict, hash=False)
    unit: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.opcode <= 0xFF or self.operand not in SIZES or self.unit not in UNITS:
            raise ValueError(f"{self.name}: wrong opcode, operand or unit")
        if (self.operand == "jump") != bool(self.taken):
            raise ValueError(f"{self.name}: a jump, and only a jump, has cycles when it is taken")

    @property
    def size(self) -> int:
        """Bytes, with those of its operand."""
        return 1 + SIZES[self.operand]

    @property
    def is_jump(self) -> bool:
        return self.operand == "jump"

    @cached_property
    def pops(self) -> int:
        """Words that it takes from the stack; of `merge` those that say how many more."""
        taken = _words(self.before)
        return len(taken[taken.index(MANY) + 2 :]) if MANY in taken else len(taken)

    @cached_property
    def pushes(self) -> int:
        return len(_words(self.after))

    @cached_property
    def shuffle(self) -> tuple[int, ...] | None:
        """Of an instruction that only moves words: for each word after it, its index among those before it."""
        taken = _words(self.before)
        return tuple(map(taken.index, _words(self.after))) if self.group == "Stack" else None


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")] if text else []


def _load() -> tuple[dict, tuple[Instruction, ...]]:
    described = yaml.safe_load(Path(__file__).with_name("bytecode.yml").read_text("utf-8"))
    found = [Instruction(**row, group=group) for group, rows in described["groups"].items() for row in rows]
    if len({one.opcode for one in found}) < len(found) or len({_key(one) for one in found}) < len(found):
        raise ValueError("bytecode.yml: two instructions have one opcode, or one name and operand")
    if unknown := {event for one in found for event in one.each} - described["events"].keys():
        raise ValueError(f"bytecode.yml: unknown event {min(unknown)}")
    return described, tuple(found)


def _key(one: Instruction) -> tuple[str, bool]:
    return one.name, bool(one.operand)


_DESCRIBED, INSTRUCTIONS = _load()
BEGIN: int = _DESCRIBED["begin"]
LEAST: int = _DESCRIBED["least"]
EVENTS: dict[str, str] = _DESCRIBED["events"]
BY_OPCODE = {one.opcode: one for one in INSTRUCTIONS}
BY_NAME = {_key(one): one for one in INSTRUCTIONS}  # and whether it has an operand
NAMES = {one.name for one in INSTRUCTIONS}


def markdown() -> str:
    """The table in docs/machine.md."""
    rows = []
    for group in _DESCRIBED["groups"]:
        rows.append(f"| **{group}** | | | | | |")
        rows += [_row(one) for one in INSTRUCTIONS if one.group == group]
    heads = ["", "| instruction | code | stack before → after | what it does | cycles | JVM |", "|---" * 6 + "|"]
    legend = [f"- *{event}*: {meaning}" for event, meaning in EVENTS.items()]
    return "\n".join([*heads, *rows, "", "In the cycles,", "", *legend, "", ""])


def _row(one: Instruction) -> str:
    name = f"`{one.name}{f' {one.operand}' if one.operand else ''}`"
    stack = f"{one.before} → {one.after}".strip() if one.before or one.after else ""
    does = f"jumps if {one.does}" if one.is_jump and one.does != ALWAYS else one.does
    return f"| {name} | {one.opcode:02x} | {stack} | {does} | {cycles(one)} | {one.jvm} |"


def cycles(one: Instruction) -> str:
    """The cycles of an instruction, in words."""
    if one.is_jump:
        return f"{one.cycles}, {one.taken} if taken" if one.cycles != one.taken else str(one.cycles)
    each = (f"{f'{count} · ' if count > 1 else ''}*{event}*" for event, count in one.each.items())
    return " + ".join([str(one.cycles), *each])
