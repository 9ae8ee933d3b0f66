"""Jumps that reach too far, by way of a second jump between the first and its label.

A relay is a goto that the code before it jumps over, unless that ends with a goto anyway. It can be anywhere, since
what jumps to it has the same words on the stack as at the label.
"""

from __future__ import annotations

from wirestream.compiler.bytecode.text import Section
from wirestream.machine.bytecode import BY_NAME

REACH = 115  # bytes, with room for the relays of other jumps
JUMPS = {name for (name, _), one in BY_NAME.items() if one.is_jump}


def within_reach(section: Section) -> None:
    """Add relays to a section."""
    while jump := _too_far(section.lines):
        _relay(section, *jump)


def _words(line: str) -> list[str]:
    return line.split("#")[0].split()


def _size(line: str) -> int:
    """Bytes of a line, at most."""
    match _words(line):
        case [label] if label.endswith(":"):
            return 0
        case []:
            return 0
        case ["ipush", number]:
            value = int(number)
            return 2 if -128 <= value < 128 else 3 if -(2**15) <= value < 2**15 else 5
        case [name] if (name, False) not in BY_NAME:
            return 2  # get_Price
        case [name, *operand]:
            return BY_NAME[name, bool(operand)].size
    raise AssertionError(line)


def _places(lines: list[str]) -> list[int]:
    """The address of each line."""
    found, at = [], 0
    for line in lines:
        found.append(at)
        at += _size(line)
    return found


def _too_far(lines: list[str]) -> tuple[int, int] | None:
    """The first jump that reaches too far, and its label, as numbers of lines."""
    places = _places(lines)
    labels = {line[:-1]: n for n, line in enumerate(lines) if line.endswith(":") and not line.startswith("#")}
    for n, line in enumerate(lines):
        words = _words(line)
        if words[:1] and words[0] in JUMPS and abs(places[labels[words[1]]] - places[n]) > REACH:
            return n, labels[words[1]]
    return None


def _relay(section: Section, jump: int, target: int) -> None:
    lines, places = section.lines, _places(section.lines)
    label, forward = lines[target][:-1], target > jump
    between = range(jump + 1, target) if forward else range(target + 1, jump)
    near = [n for n in between if abs(places[n] - places[jump]) <= REACH - 5 and not lines[n - 1].startswith("#")]
    far = [n for n in near if abs(places[n] - places[jump]) > REACH // 2]
    after_goto = [n for n in far if _words(lines[n - 1])[:1] == ["goto"]]
    at = (max if forward else min)(after_goto or near)
    relay, over = section.label(), section.label()
    added = [f"{relay}:", f"        {'goto':<11} {label}"]
    if at not in after_goto:
        added = [f"        {'goto':<11} {over}", *added, f"{over}:"]
    for n, line in enumerate(lines):
        words = _words(line)
        crosses = n < at <= target if forward else target < at <= n
        mine = words[:1] and words[0] in JUMPS and words[1] == label
        near_relay, far_label = abs(places[n] - places[at]) <= REACH, abs(places[n] - places[target]) > REACH
        if mine and crosses and near_relay and far_label:
            lines[n] = line.replace(f" {label}", f" {relay}", 1)
    lines[at:at] = added
