"""A second interpreter of the query machine, which judges the first.

It shares nothing with it: it reads the text of a program, not its bytes, in a parser of its own; words are residues;
the groups of `merge` are the keys of a dictionary; the cycles are those of the table below, written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Word = int | None
Line = tuple[str, str, str]  # label, name, operand
SENDS = {"send_tb", "send_sy"}
CYCLES = {"dup_x1": 2, "dup_x2": 3, "dup2": 2, "dup2_x1": 4, "imul": 4, "imull": 5}
CYCLES |= {"ladd": 4, "lsub": 4, "lcmp": 4, "goto": 3}
TAKEN = 3
SIZE_OF_STATE = {1: 1, 2: 1, 3: 1, 4: 1, 5: 2, 6: 3}
SENSORS = {"nodeid": 0, "parent": 1, "light": 2, "temp": 3}
TRADES = {"Symbol": 0, "Price": 1, "Volume": 2, "Time": 3}


class Stuck(Exception):
    """The program did what it must not."""


@dataclass
class Text:
    """sections: the lines of each, and its arguments."""

    sections: dict[str, list[Line]] = field(default_factory=dict)
    arguments: dict[str, list[str]] = field(default_factory=dict)


def read(text: str) -> Text:
    """The lines of a program that is known to be right."""
    found, constants, name = Text(), {}, ""
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith(".section"):
            name, *arguments = re.findall(r"[\w@+]+", line.removeprefix(".section"))
            found.sections[name], found.arguments[name] = [], arguments
        elif line.startswith(".const"):
            _, constant, value = line.split()
            constants[constant] = value
        elif line and not line.startswith(".stream"):
            label, mnemonic, operand = re.fullmatch(r"(?:(\w+):)?\s*(\S*)\s*(.*)", line).groups()
            operand = constants.get(operand, operand)
            if mnemonic == "ipush" and (operand[0] == '"' or not -(2**15) <= int(operand, 0) < 2**15):
                mnemonic = "ipushl"
            found.sections[name].append((label or "", mnemonic, operand))
    return found


@dataclass
class Judge:
    """A program with its memory; W: bits of a word."""

    text: Text
    W: int = 32
    stack: int = 16
    buffer: int = 16
    synopsis: int = 16
    fields: Sequence[Word] | None = None
    epoch: int = 0
    began: bool = False
    sy: dict[int, Word] = field(default_factory=dict)  # raw
    groups: dict[tuple[Word, ...], list[Word]] = field(default_factory=dict)  # of merge
    rows: list[tuple[int, tuple[Word, ...]]] = field(default_factory=list)
    forwarded: int = 0
    cycles: int = 0

    # ---- events: the rows are in `rows`, the cycles in `cycles`

    def tuple(self, words: Sequence[Word]) -> None:
        self.fields = words
        if self._triggered_by("per_tuple"):
            self._delivery()
        elif "per_tuple" in self.text.arguments.get("reception", []):
            self._section("reception", {})

    def punctuation(self, words: Sequence[Word]) -> None:
        if self._triggered_by("per_punct"):
            self.fields = words
            self._delivery()

    def tick(self) -> None:
        if self._triggered_by("@") and self.fields is not None:
            self._delivery()

    def message(self, words: Sequence[Word]) -> None:
        if "reception" in self.text.sections and "per_tuple" not in self.text.arguments["reception"]:
            self._section("reception", {k: w if w is None else self._residue(w) for k, w in enumerate(words)})
        elif words:
            self.rows.append((0, tuple(words)))
            self.cycles += 1 + 2 + len(words)

    def _triggered_by(self, what: str) -> bool:
        arguments = self.text.arguments["delivery"]
        periodic, punctual = any(one[0] == "@" for one in arguments), "per_punct" in arguments
        return {"@": periodic, "per_punct": punctual}.get(what, not periodic and not punctual)

    def _delivery(self) -> None:
        self._section("delivery", {})
        self.epoch += 1
        if "manualclear" not in self.text.arguments["delivery"]:
            self.sy, self.groups = {}, {}

    def _section(self, name: str, buffer: dict[int, Word]) -> None:
        if not self.began:
            self.began = True
            if "init" in self.text.sections:
                self._whole("init", {})
        self._whole(name, buffer)

    # ---- a section

    def _whole(self, name: str, tb: dict[int, Word]) -> None:
        """Run a section from its first line to its last."""
        lines = self.text.sections[name]
        labels = {label: number for number, (label, _, _) in enumerate(lines) if label}
        begun = self.cycles
        self.cycles += 1
        number, stack = 0, ()
        while number < len(lines):
            _, mnemonic, operand = lines[number]
            jumped = False
            if mnemonic.startswith("if") or mnemonic == "goto":
                stack, jumped = self._jump(mnemonic, stack)
                self.cycles += TAKEN if jumped else CYCLES.get(mnemonic, 1)
            elif mnemonic:
                stack = self._line(mnemonic, operand, stack, tb)
            if len(stack) > self.stack:
                raise Stuck("stack")
            number = labels[operand] if jumped else number + 1
        self.cycles = max(self.cycles, begun + 3)

    def _jump(self, name: str, stack: tuple[Word, ...]) -> tuple[tuple[Word, ...], bool]:
        if name == "goto":
            return stack, True
        if name in ("ifnull", "ifnonnull"):
            return stack[:-1], (stack[-1] is None) is (name == "ifnull")
        two = name.startswith("if_icmp")
        left, right = (stack[-2], stack[-1]) if two else (stack[-1], 0)
        order = name[len("if_icmp" if two else "if") :]
        rest = stack[: -1 - two]
        if left is None or right is None:
            return rest, False
        sign = (self._signed(left) > self._signed(right)) - (self._signed(left) < self._signed(right))
        holds = {"eq": (0,), "neq": (-1, 1), "lt": (-1,), "gt": (1,), "le": (-1, 0), "ge": (0, 1)}
        return rest, sign in holds[order]

    def _line(self, name: str, operand: str, stack: tuple[Word, ...], tb: dict[int, Word]) -> tuple[Word, ...]:
        """The stack after one line other than a jump."""
        cycles = CYCLES.get(name, 1)
        match name, stack:
            case "dup", (*_, x):
                stack = (*stack, x)
            case "dup_x1", (*rest, y, x):
                stack = (*rest, x, y, x)
            case "dup_x2", (*rest, z, y, x):
                stack = (*rest, x, z, y, x)
            case "dup2", (*rest, y, x):
                stack = (*rest, y, x, y, x)
            case "dup2_x1", (*rest, z, y, x):
                stack = (*rest, y, x, z, y, x)
            case "pop", (*rest, _):
                stack = tuple(rest)
            case "pop2", (*rest, _, _):
                stack = tuple(rest)
            case "swap", (*rest, y, x):
                stack = (*rest, x, y)
            case "iinc" | "idec" | "ineg" | "inot", (*rest, x):
                stack = (*rest, self._one(name, x))
            case "iadd" | "isub" | "imul" | "idiv" | "irem" | "iand" | "ior", (*rest, y, x):
                cycles = 2 + self.W // 2 if name in ("idiv", "irem") else cycles
                stack = (*rest, self._two(name, y, x))
            case "i2l", (*rest, x):
                stack = (*rest, *self._wide(None if x is None else self._signed(x)))
            case "imull", (*rest, y, x):
                stack = (*rest, *self._wide(None if None in (y, x) else self._signed(y) * self._signed(x)))
            case "ladd" | "lsub" | "lcmp", (*rest, a, b, c, d):
                stack = (*rest, *self._four(name, a, b, c, d))
            case "iload" | "iload_sy", _ if operand:
                stack = (*stack, self._memory(name, tb).get(int(operand), 0))
            case "iload" | "iload_sy", (*rest, i):
                cycles, stack = 2, (*rest, self._memory(name, tb).get(self._index(i, name), 0))
            case "istore" | "istore_sy", (*rest, x) if operand:
                self._memory(name, tb)[int(operand)] = x
                stack = tuple(rest)
            case "istore" | "istore_sy", (*rest, x, i):
                self._memory(name, tb)[self._index(i, name)] = x
                stack = tuple(rest)
            case "send_tb", _:
                cycles = 2 + self._sent(_words(tb))
            case "send_sy", _:
                raw = _words(self.sy)
                cycles = 2 + self._sent(raw or tuple(w for key, state in self.groups.items() for w in (*key, *state)))
            case "clear_sy", _:
                self.sy, self.groups = {}, {}
            case "merge", (*rest, m, n):
                codes = [rest.pop() for _ in range(m)]
                cycles, stack = self._merge(n, codes, _words(tb)), tuple(rest)
            case _:
                stack = (*stack, self._pushed(name, operand))
        self.cycles += cycles
        return stack

    def _pushed(self, name: str, operand: str) -> Word:
        """What an instruction without operands on the stack pushes."""
        if name.startswith("iconst_"):
            return self._residue(int(name.removeprefix("iconst_").replace("m", "-")))
        if name.startswith("ipush"):
            text = int.from_bytes(operand[1:-1].encode().ljust(self.W // 8, b"\0")) if operand[0] == '"' else None
            return self._residue(int(operand, 0) if text is None else text)
        field_ = operand if name == "get_field" else name.removeprefix("get_").removeprefix("field_")
        if self.fields is None:
            return None
        word = self.fields[(SENSORS | TRADES)[field_] if not field_.isdigit() else int(field_)]
        return None if word is None else self._residue(word)

    def _one(self, name: str, x: Word) -> Word:
        if x is None:
            return None
        return self._residue({"iinc": x + 1, "idec": x - 1, "ineg": -x, "inot": -x - 1}[name])

    def _two(self, name: str, y: Word, x: Word) -> Word:
        if y is None or x is None:
            return None
        match name:
            case "iadd":
                return self._residue(y + x)
            case "isub":
                return self._residue(y - x)
            case "imul":
                return self._residue(y * x)
            case "iand":
                return y & x
            case "ior":
                return y | x
        if x == 0:
            return None
        a, b = self._signed(y), self._signed(x)
        whole = (a - a % b) // b  # the floor
        whole += whole < 0 and whole * b != a  # towards zero
        return self._residue(whole if name == "idiv" else a - whole * b)

    def _four(self, name: str, a: Word, b: Word, c: Word, d: Word) -> tuple[Word, ...]:
        if None in (a, b, c, d):
            return (None,) if name == "lcmp" else (None, None)
        y, x = self._signed(a) * 2**self.W + b, self._signed(c) * 2**self.W + d
        match name:
            case "lcmp":
                return (self._residue(-1 if y < x else 0 if y == x else 1),)
            case "ladd":
                return self._wide(y + x)
        return self._wide(y - x)

    def _wide(self, number: int | None) -> tuple[Word, Word]:
        if number is None:
            return None, None
        high, low = divmod(number, 2**self.W)
        return self._residue(high), low

    def _memory(self, name: str, tb: dict[int, Word]) -> dict[int, Word]:
        if name.endswith("_sy") and self.groups:
            raise Stuck("groups")
        return self.sy if name.endswith("_sy") else tb

    def _index(self, i: Word, name: str) -> int:
        at = self._signed(i or 0)
        if not 0 <= at < (self.synopsis if name.endswith("_sy") else self.buffer):
            raise Stuck("index")
        return at

    def _sent(self, words: Sequence[Word]) -> int:
        if words:
            self.rows.append((self.epoch, tuple(None if w is None else self._signed(w) for w in words)))
        return len(words)

    def _merge(self, n: int, codes: Sequence[int], tb: Sequence[Word]) -> int:
        """Merge the rows; the cycles."""
        states = sum(SIZE_OF_STATE[code] for code in codes)
        folds = [code if code in (2, 3) else 4 for code in codes for _ in range(SIZE_OF_STATE[code])]
        cycles, full = 3 + len(codes), min(self.synopsis // (n + states), 1 if n == 0 else self.synopsis)
        for at in range(len(tb) // (n + states)):
            row = tb[at * (n + states) : (at + 1) * (n + states)]
            key, state = row[:n], list(row[n:])
            before = list(self.groups)[: list(self.groups).index(key)] if key in self.groups else list(self.groups)
            cycles += 1 + len(before) + sum(_differ(one, key) for one in before)
            if key in self.groups:
                self.groups[key] = [self._fold(*each) for each in zip(folds, self.groups[key], state, strict=True)]
                cycles += 1 + n + states
            elif len(self.groups) < full:
                self.groups[key] = state
                cycles += n + states
            else:
                self.forwarded += 1
                cycles += 2 + self._sent(row)
        return cycles

    def _fold(self, code: int, a: Word, b: Word) -> Word:
        if a is None or b is None:
            return b if a is None else a
        if code == 4:
            return self._residue(a + b)
        return (max if code == 2 else min)(a, b, key=self._signed)

    def _residue(self, number: int) -> int:
        return number % 2**self.W

    def _signed(self, word: int) -> int:
        return word - 2**self.W if word >= 2 ** (self.W - 1) else word


def _words(memory: Mapping[int, Word]) -> tuple[Word, ...]:
    return tuple(memory.get(at, 0) for at in range(max(memory, default=-1) + 1))


def _differ(one: Sequence[Word], other: Sequence[Word]) -> int:
    """Words compared until two differ, with those."""
    return next(k for k, (a, b) in enumerate(zip(one, other, strict=True), 1) if a != b)
