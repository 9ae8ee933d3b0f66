"""Runs a program of the query machine, instruction by instruction, with the cycles that the core takes.

A word is a number or null. Null is the result of a division by zero, and of every operation with a null; a jump with a
null is not taken, but for `ifnull`. Numbers wrap at the width of a word, and division truncates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from wirestream.machine.bytecode import BEGIN, BY_NAME, LEAST, Instruction
from wirestream.machine.limits import Limits
from wirestream.machine.merging import Rows, merge
from wirestream.machine.program import Code, Flags, Program
from wirestream.machine.words import Word


@dataclass(frozen=True)
class Row:
    """A row that a program has sent. section: its sender; "forward": of a message that the program does not receive.
    epoch: how often the delivery had run; of such a message, its own."""

    section: str
    epoch: int
    words: tuple[Word, ...]


@dataclass
class Outcome:
    """What one event has caused. cycles: of each section that ran."""

    rows: list[Row] = field(default_factory=list)
    cycles: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.cycles.values())


class Trap(RuntimeError):
    """A program did what no machine can do; it is stopped. outcome: of the event, until then."""

    def __init__(self, message: str, outcome: Outcome):
        super().__init__(message)
        self.outcome = outcome


def divided(y: int, x: int) -> tuple[int, int]:
    """Quotient and remainder, truncated towards zero."""
    quotient = abs(y) // abs(x) * (1 if (y < 0) == (x < 0) else -1)
    return quotient, y - quotient * x


UNARY: dict[str, Callable[[int], int]] = {
    "ineg": lambda x: -x,
    "iinc": lambda x: x + 1,
    "idec": lambda x: x - 1,
    "inot": lambda x: ~x,
}
BINARY: dict[str, Callable[[int, int], Word]] = {
    "iadd": lambda y, x: y + x,
    "isub": lambda y, x: y - x,
    "imul": lambda y, x: y * x,
    "iand": lambda y, x: y & x,
    "ior": lambda y, x: y | x,
    "idiv": lambda y, x: divided(y, x)[0] if x else None,
    "irem": lambda y, x: divided(y, x)[1] if x else None,
}
PAIRS: dict[str, Callable[[int, int], int]] = {"ladd": lambda y, x: y + x, "lsub": lambda y, x: y - x}
CONDITIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda y, x: y == x,
    "neq": lambda y, x: y != x,
    "lt": lambda y, x: y < x,
    "ge": lambda y, x: y >= x,
    "gt": lambda y, x: y > x,
    "le": lambda y, x: y <= x,
}
SEND = BY_NAME["send_tb", False]
_NONE: Counter[str] = Counter()
CONSTANTS = {"iconst_m1": -1, "iconst_0": 0, "iconst_1": 1, "iconst_2": 2, "iconst_4": 4}


def condition_of(name: str) -> tuple[Callable[[int, int], bool], bool] | None:
    """The condition of a jump by numbers, and whether it compares two words; None: of another jump."""
    for prefix in ("if_icmp", "if"):
        if name.startswith(prefix) and (compare := CONDITIONS.get(name.removeprefix(prefix))):
            return compare, prefix == "if_icmp"
    return None


class Machine:
    """One program with its stack, transmission buffer and synopsis. limits: the sizes. loaded: the time of its start in
    ns. After a trap it ignores every event.

    counts: `forwarded`, rows that found the synopsis full; `ragged`, words of a message after its last whole row, which
    merge does not take; `too_long`, messages of more words than the transmission buffer, which are dropped.
    """

    def __init__(self, program: Program, limits: Limits | None = None, loaded: int = 0):
        self.program, self.limits = program, limits or Limits()
        self._code = program.decoded
        self._first = loaded + program.start
        self._managed: Rows | None = None
        self._synopsis: list[Word] = []
        self._fields: Sequence[Word] | None = None
        self._begun = self.stopped = False
        self.epoch = 0
        self.counts: Counter[str] = Counter()

    # ---- events

    def tuple(self, words: Sequence[Word], time: int = 0) -> Outcome:
        """A tuple arrives."""
        self._fields = words
        if Flags.PER_TUPLE in self.program.flags:
            return self._deliver(time)
        return self._event("reception") if Flags.RECEIVE_TUPLES in self.program.flags else Outcome()

    def punctuation(self, words: Sequence[Word], time: int = 0) -> Outcome:
        """A punctuation arrives, whose record has these words."""
        if Flags.PER_PUNCT not in self.program.flags:
            return Outcome()
        self._fields = words
        return self._deliver(time)

    def tick(self, time: int) -> Outcome:
        """A multiple of the period is reached. Before the first tuple nothing runs."""
        if Flags.PERIOD not in self.program.flags or self._fields is None:
            return Outcome()
        return self._deliver(time)

    def message(self, words: Sequence[Word], epoch: int = 0) -> Outcome:
        """The row of another machine arrives, for the reception section; without one it is forwarded."""
        if len(words) > self.limits.buffer:
            self.counts["too_long"] += 1
            return Outcome()
        if self.program.reception and Flags.RECEIVE_TUPLES not in self.program.flags:
            return self._event("reception", words)
        found = Outcome()
        if words and not self.stopped:
            found.rows.append(Row("forward", epoch, tuple(words)))
            found.cycles["forward"] = BEGIN + SEND.cycles + SEND.each["sent"] * len(words)
        return found

    def _deliver(self, time: int) -> Outcome:
        if time < self._first:
            return Outcome()
        found = self._event("delivery")
        if not self.stopped:
            self.epoch = (self.epoch + 1) % (1 << self.limits.width)
            if Flags.MANUALCLEAR not in self.program.flags:
                self._clear()
        return found

    def _event(self, section: str, buffer: Sequence[Word] = ()) -> Outcome:
        self._outcome = Outcome()
        if not self.stopped and not self._begun:
            self._begun = True
            if self.program.init:
                self._run("init", ())
        if not self.stopped:
            self._run(section, buffer)
        return self._outcome

    # ---- a section

    def _run(self, section: str, buffer: Sequence[Word]) -> None:
        self._section, self._stack, self._buffer = section, [], list(buffer)
        code, self._at, self._cycles = self._code[section], 0, BEGIN
        end = len(self.program.code(section))
        self._outcome.cycles[section] = BEGIN
        while self._at != end:
            if self._at not in code:
                raise self._trap(f"no instruction begins at byte {self._at}")
            self._step(code[self._at])
            self._outcome.cycles[section] = self._cycles
            if self._cycles > self.limits.watchdog:
                raise self._trap(f"still running after {self.limits.watchdog} cycles")
        self._outcome.cycles[section] = max(self._cycles, LEAST)

    def _step(self, code: Code) -> None:
        """Carry out one instruction."""
        one = code.instruction
        if len(self._stack) < one.pops:
            raise self._trap(f"{one.name} needs {one.pops} words, and the stack has {len(self._stack)}")
        taken = self._pop(one.pops)
        self._next, jumps = code.next, False
        self._events = Counter({"W/2": self.limits.width // 2}) if one.each else _NONE
        if one.shuffle is not None:
            self._push(*(taken[k] for k in one.shuffle))
        elif one.is_jump:
            if jumps := self._jumps(one.name, taken):
                self._next = code.target
        else:
            self._push(*self._result(one, code.operand, taken))
        self._cycles += one.taken if jumps else one.cycles
        if one.each:
            self._cycles += sum(count * self._events[event] for event, count in one.each.items())
        self._at = self._next

    def _jumps(self, name: str, taken: list[Word]) -> bool:
        if name == "goto":
            return True
        if name in ("ifnull", "ifnonnull"):
            return (taken[0] is None) == (name == "ifnull")
        compare, two = condition_of(name)
        y, x = taken if two else (taken[0], 0)
        return y is not None and x is not None and compare(y, x)

    def _result(self, one: Instruction, operand: int, taken: list[Word]) -> Sequence[Word]:
        """The words that an instruction pushes, other than jumps and those that only move words."""
        name, wrapped = one.name, self.limits.wrapped
        match one.group, taken:
            case "Constants", []:
                return [CONSTANTS[name] if name in CONSTANTS else wrapped(operand)]
            case "Fields", []:
                return [self._field(operand if one.operand else int(name[-1]))]
            case "Arithmetic and logic", [x]:
                return [None if x is None else wrapped(UNARY[name](x))]
            case "Arithmetic and logic", [y, x]:
                found = None if y is None or x is None else BINARY[name](y, x)
                return [None if found is None else wrapped(found)]
            case "Pairs of words", _:
                return self._pair(name, taken)
            case "Buffers", _:
                return self._buffers(name, operand, one.operand != "", taken)
        match name:
            case "send_tb":
                self._send(self._buffer)
            case "send_sy":
                self._send(self._synopsis)
            case "clear_sy":
                self._clear()
            case "merge":
                self._merge(taken)
            case _:
                raise AssertionError(name)
        return []

    def _field(self, index: int) -> Word:
        if self._fields is None:
            return None
        if index >= len(self._fields):
            raise self._trap(f"field {index} of a tuple of {len(self._fields)} words")
        return self._fields[index]

    def _pair(self, name: str, taken: list[Word]) -> Sequence[Word]:
        """Numbers of two words, the upper one below the lower one."""
        width = self.limits.width
        if any(word is None for word in taken):
            return [None] if name == "lcmp" else [None, None]
        match name, taken:
            case "i2l", [x]:
                number = x
            case "imull", [y, x]:
                number = y * x
            case _:
                mask = (1 << width) - 1
                y, x = (high << width | low & mask for high, low in (taken[:2], taken[2:]))
                if name == "lcmp":
                    return [(y > x) - (y < x)]
                number = PAIRS[name](y, x)
        return [self.limits.wrapped(number >> width), self.limits.wrapped(number)]

    def _buffers(self, name: str, operand: int, given: bool, taken: list[Word]) -> Sequence[Word]:
        """Load or store a word. given: the index is the operand, not the top of the stack."""
        index = operand if given else taken.pop() or 0
        in_synopsis = name.endswith("_sy")
        words, size = (self._synopsis, self.limits.synopsis) if in_synopsis else (self._buffer, self.limits.buffer)
        if in_synopsis and self._managed:
            raise self._trap(f"{name} in a synopsis with the rows of merge")
        if not 0 <= index < size:
            raise self._trap(f"{name} {index}: of {size} words")
        if name.startswith("iload"):
            return [words[index] if index < len(words) else 0]
        words += [0] * (index + 1 - len(words))
        words[index] = taken.pop()
        return []

    def _merge(self, taken: list[Word]) -> None:
        m, n = taken
        if m is None or n is None or not 0 <= m <= len(self._stack):
            raise self._trap(f"merge of {m} aggregates and {n} groups")
        codes = self._pop(m)[::-1]
        try:
            rows = Rows(n, tuple(code or 0 for code in codes))
        except ValueError as error:
            raise self._trap(str(error)) from None
        if self._synopsis and self._managed != rows:
            raise self._trap("merge into a synopsis with other contents")
        self._managed = rows
        ragged = len(self._buffer) % rows.width
        self.counts["ragged"] += ragged
        forwarded, self._events = merge(rows, self._buffer, self._synopsis, self.limits.synopsis, self.limits.wrapped)
        self.counts["forwarded"] += len(forwarded)
        self._outcome.rows += [Row(self._section, self.epoch, row) for row in forwarded]

    def _send(self, words: Sequence[Word]) -> None:
        self._events["sent"] = len(words)
        if words:
            self._outcome.rows.append(Row(self._section, self.epoch, tuple(words)))

    def _clear(self) -> None:
        self._synopsis, self._managed = [], None

    def _pop(self, count: int) -> list[Word]:
        taken = self._stack[len(self._stack) - count :]
        del self._stack[len(self._stack) - count :]
        return taken

    def _push(self, *words: Word) -> None:
        self._stack += words
        if len(self._stack) > self.limits.stack:
            raise self._trap(f"the stack has {self.limits.stack} words")

    def _trap(self, reason: str) -> Trap:
        self.stopped = True
        return Trap(f"trap: {self.program.error(self._section, self._at, reason)}", self._outcome)
