"""Proves that a program of the query machine cannot trap, and how many cycles it takes at most.

Abstract interpretation with a range for each word. A section is followed along all paths at once: states meet at equal
addresses in the same turn of each loop. So each turn has states of its own, and a loop whose end is not found has no
proven bound. What the sections leave in the synopsis is a fixpoint: init once, then delivery and reception in any
order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from wirestream.errors import QueryError
from wirestream.machine import words
from wirestream.machine.abstract import State, Synopsis, join, join_synopses, load
from wirestream.machine.bytecode import BEGIN, LEAST, Instruction
from wirestream.machine.interpreter import CONSTANTS, condition_of
from wirestream.machine.intervals import Value, binary, failing, holding, index, pair, unary
from wirestream.machine.limits import Limits
from wirestream.machine.loops import Loops, Turn, begins
from wirestream.machine.merging import Rows
from wirestream.machine.program import SECTIONS, Code, Flags, Program

NODES = 20_000  # states of a section, at most
AT_ONCE = 3  # rounds before ranges grow to the next threshold
LATE = 64  # the same in a second attempt


@dataclass(frozen=True)
class Report:
    """What is proven of a program. cycles: of each section, at most. a_tuple: of the section that runs for a tuple.
    stack: words in use, at most."""

    cycles: dict[str, int]
    a_tuple: int
    stack: int


def verify(program: Program, limits: Limits | None = None, budget: int | None = None) -> Report:
    """budget: cycles that delivery and reception may take each. Raises `QueryError` for a program that is not proven,
    at the instruction that is the reason."""
    found = _Program(program, limits or Limits())
    found.check()
    try:
        found.close(AT_ONCE)
    except QueryError:
        if found.rounds <= AT_ONCE:
            raise
        found.close(LATE)
    for section, run in found.runs.items():
        if budget is not None and section != "init" and run.most > budget:
            raise program.error(section, run.beyond(budget), f"{section} takes up to {run.most} cycles, of {budget}")
    cycles = {section: run.most for section, run in found.runs.items()}
    each = {Flags.PER_TUPLE: "delivery", Flags.RECEIVE_TUPLES: "reception"}
    a_tuple = sum(cycles[section] for flag, section in each.items() if flag in program.flags)
    return Report(cycles, a_tuple, max(run.deepest for run in found.runs.values()))


def together(reports: Sequence[Report], limits: Limits, budget: int | None = None) -> int:
    """The cycles a tuple of programs that are loaded together, each of which runs for it. Raises `QueryError`."""
    if len(reports) > limits.slots:
        raise QueryError(f"{len(reports)} programs, and the machine has {limits.slots} slots")
    total = sum(report.a_tuple for report in reports)
    if budget is not None and total > budget:
        raise QueryError(f"the programs together take up to {total} cycles a tuple, of {budget}")
    return total


class _Program:
    """The fixpoint over the sections of a program."""

    def __init__(self, program: Program, limits: Limits):
        self.program, self.limits = program, limits
        self.rows: Rows | None = None
        self.runs: dict[str, _Run] = {}
        self.rounds = 0
        self.per_message = bool(program.reception) and Flags.RECEIVE_TUPLES not in program.flags
        stream = program.stream
        count = words.count(stream, limits.width) if stream else limits.fields
        every = [(limits.least, limits.most, True)] * count
        self.fields = words.ranges(stream, limits) if stream else every

    def check(self) -> None:
        """What needs no states."""
        program, limits = self.program, self.limits
        for section in SECTIONS:
            program.targets(section)
        if program.size > limits.code:
            raise QueryError(f"the program has {program.size} bytes of code, and a slot {limits.code}")
        if len(self.fields) > limits.fields:
            raise QueryError(f"a tuple has {len(self.fields)} words, and the machine takes {limits.fields}")
        if program.uses("merge"):
            for section, codes in program.decoded.items():
                for code in codes.values():
                    if (name := code.instruction.name) in ("iload_sy", "istore_sy"):
                        message = f"{name} in a program with merge, whose rows the synopsis has"
                        raise program.error(section, code.address, message)

    def close(self, at_once: int) -> None:
        """Run the sections until nothing new is in the synopsis."""
        program, self.rounds = self.program, 0
        synopsis = Synopsis.empty(self.limits)
        if program.init:
            synopsis = self._run("init", synopsis)
        thresholds = self._thresholds()
        while True:
            self.rounds += 1
            after = self._run("delivery", synopsis)
            new = join_synopses(synopsis, after if Flags.MANUALCLEAR in program.flags else Synopsis.empty(self.limits))
            if program.reception:
                new = join_synopses(new, self._run("reception", synopsis))
            if synopsis.covers(new):
                return
            synopsis = synopsis.widened(new, thresholds) if self.rounds >= at_once else new

    def _run(self, section: str, synopsis: Synopsis) -> Synopsis:
        """The synopsis at the end of a section."""
        run = _Run(self, section, State.at_begin(synopsis, self.limits, section == "reception" and self.per_message))
        self.runs[section] = run
        return run.follow().synopsis

    def _thresholds(self) -> list[int]:
        codes = (code for codes in self.program.decoded.values() for code in codes.values())
        near = {code.operand + d for code in codes if code.instruction.group == "Constants" for d in (-1, 0, 1)}
        near |= {self.limits.least, self.limits.most, -1, 0, 1, 2, 4, self.limits.synopsis - 1}
        return sorted(number for number in near if self.limits.least <= number <= self.limits.most)


@dataclass
class _Node:
    """state: at a turn. cycles: until there, at most. before: the turn before it on the longest path."""

    state: State
    cycles: int
    before: Turn | None


@dataclass
class _Run:
    """One section, from a state at its beginning."""

    of: _Program
    section: str
    state: State
    most: int = LEAST
    deepest: int = 0
    nodes: dict[Turn, _Node] = field(default_factory=dict)
    longest: Turn = ()

    def follow(self) -> State:
        """Follow all paths. Returns the state at the end; raises `QueryError`."""
        codes, end = self.of.program.decoded[self.section], len(self.of.program.code(self.section))
        loops = Loops(codes, end)
        pending = [loops.first()]
        self.nodes = {pending[0]: _Node(self.state, BEGIN, None)}
        depths: dict[int, int] = {}
        turns: dict[Turn, State] = {}
        ends = None
        while pending:
            turn = heappop(pending)
            node, address = self.nodes[turn], turn[-1]
            if address == end:
                ends = node.state if ends is None else join(_at_end(ends), _at_end(node.state))
                if node.cycles > self.most:
                    self.most, self.longest = node.cycles, turn
                continue
            code, depth = codes[address], len(node.state.stack)
            if depths.setdefault(address, depth) != depth:
                raise self._error(code, f"the stack has {depths[address]} or {depth} words here")
            self.deepest = max(self.deepest, depth)
            if node.before and (loop := begins(turn, node.before)):
                if loop in turns and node.state.covers(turns[loop]):
                    raise self._error(codes[node.before[-1]], "no bound is proven for this loop")
                turns[loop] = node.state
            for target, state, cycles in self._after(code, node.state):
                then = loops.after(turn, target)
                assert then > turn  # so that every state is complete when it is used
                if then not in self.nodes:
                    heappush(pending, then)
                self._reach(then, state, node.cycles + cycles, turn, code)
        if ends is None:
            raise self._error(codes[0], f"section {self.section} never ends")
        return ends

    def _reach(self, turn: Turn, state: State, cycles: int, before: Turn, code: Code) -> None:
        """An instruction leads to a state at a turn."""
        limits = self.of.limits
        if cycles > limits.watchdog or len(self.nodes) > NODES:
            raise self._error(code, f"more than {limits.watchdog} cycles, or no bound is proven")
        if len(state.stack) > limits.stack:
            raise self._error(code, f"{len(state.stack)} words on a stack of {limits.stack}")
        self.deepest = max(self.deepest, len(state.stack))
        if (node := self.nodes.get(turn)) is None:
            self.nodes[turn] = _Node(state, cycles, before)
            return
        if len(node.state.stack) != len(state.stack):
            if turn[-1] != len(self.of.program.code(self.section)):
                message = f"jumps to where the stack has {len(node.state.stack)} words, with {len(state.stack)}"
                raise self._error(code, message)
            node.state, state = _at_end(node.state), _at_end(state)
        node.state = join(node.state, state)
        if cycles > node.cycles:
            node.cycles, node.before = cycles, before

    def beyond(self, budget: int) -> int:
        """The address of the instruction with which the longest path exceeds a number of cycles."""
        turn = self.longest
        while self.nodes[before := self.nodes[turn].before].cycles > budget:
            turn = before
        return before[-1]

    # ---- an instruction

    def _after(self, code: Code, state: State) -> list[tuple[int, State, int]]:
        """Where an instruction leads: the address, the state there, and the cycles."""
        one = code.instruction
        if len(state.stack) < one.pops:
            raise self._error(code, f"{one.name} needs {one.pops} words, and the stack has {len(state.stack)}")
        state = state.copy()
        taken = state.stack[len(state.stack) - one.pops :]
        del state.stack[len(state.stack) - one.pops :]
        if one.is_jump:
            return self._jump(code, state, taken)
        events: Counter[str] = Counter()
        if one.shuffle is not None:
            state.stack += [taken[k] for k in one.shuffle]
        else:
            state.stack += self._result(code, state, taken, events)
        return [(code.next, state, _cycles(one, events))]

    def _jump(self, code: Code, state: State, taken: list[Value]) -> list[tuple[int, State, int]]:
        one, found = code.instruction, []
        if one.name == "goto":
            return [(code.target, state, one.taken)]
        if one.name in ("ifnull", "ifnonnull"):
            null = [Value(0, 0, True)] if taken[0].null else None
            known = [Value(taken[0].low, taken[0].high)]
            yes, no = (null, known) if one.name == "ifnull" else (known, null)
        else:
            name = one.name.removeprefix("if_icmp").removeprefix("if")
            y, x = taken if condition_of(one.name)[1] else (taken[0], Value(0, 0))
            yes, no = holding(name, y, x), failing(name, y, x)
        for learned, target, cycles in ((yes, code.target, one.taken), (no, code.next, one.cycles)):
            if learned is not None:
                then = state.copy()
                for old, new in zip(taken, learned, strict=False):
                    then.learn(old, new)
                found.append((target, then, cycles))
        return found

    def _result(self, code: Code, state: State, taken: list[Value], events: Counter[str]) -> list[Value]:
        """The words that it pushes. state: changed. events: of its cycles, at most."""
        one, limits = code.instruction, self.of.limits
        events["W/2"] = limits.width // 2
        match one.group, taken:
            case "Constants", _:
                number = CONSTANTS[one.name] if one.name in CONSTANTS else limits.wrapped(code.operand)
                return [Value(number, number)]
            case "Fields", _:
                return [self._field(code)]
            case "Arithmetic and logic", [x]:
                return [unary(one.name, x, limits)]
            case "Arithmetic and logic", [y, x]:
                return [binary(one.name, y, x, limits)]
            case "Pairs of words", _:
                return pair(one.name, taken, limits)
            case "Buffers", _:
                return self._buffers(code, state, taken)
        match one.name:
            case "send_tb":
                events["sent"] = state.length[1]
            case "send_sy":
                rows = state.synopsis.rows * (self.of.rows.width if self.of.rows else 0)
                events["sent"] = max(rows, state.synopsis.length[1])
            case "clear_sy":
                state.synopsis = Synopsis.empty(limits)
            case "merge":
                self._merge(code, state, taken, events)
            case _:
                raise AssertionError(one.name)
        return []

    def _field(self, code: Code) -> Value:
        one, of = code.instruction, self.of
        at = code.operand if one.operand else int(one.name[-1])
        if at >= len(of.fields):
            raise self._error(code, f"field {at} of a tuple of {len(of.fields)} words")
        low, high, null = of.fields[at]
        return Value(low, high, null or (of.per_message and self.section != "delivery"))

    def _buffers(self, code: Code, state: State, taken: list[Value]) -> list[Value]:
        one, limits = code.instruction, self.of.limits
        in_synopsis = one.name.endswith("_sy")
        what, size = ("synopsis", limits.synopsis) if in_synopsis else ("transmission buffer", limits.buffer)
        at = Value(code.operand, code.operand) if one.operand else index(taken[-1])
        if at.low < 0 or at.high >= size:
            raise self._error(code, f"{one.name} {at}: the {what} has words 0 to {size - 1}")
        if one.name.startswith("iload"):
            return [load(state.synopsis.words if in_synopsis else state.buffer, at)]
        (state.store_sy if in_synopsis else state.store)(taken[0], at)
        return []

    def _merge(self, code: Code, state: State, taken: list[Value], events: Counter[str]) -> None:
        m, n = (one.constant for one in taken)
        if m is None or n is None or not 0 <= m <= len(state.stack):
            raise self._error(code, "merge needs numbers of aggregates and groups that are constants and fit the stack")
        codes = [one.constant for one in state.stack[len(state.stack) - m :][::-1]]
        del state.stack[len(state.stack) - m :]
        if None in codes:
            raise self._error(code, "the aggregates of merge must be constants")
        try:
            rows = Rows(n, tuple(codes))
        except ValueError as error:
            raise self._error(code, str(error)) from None
        if self.of.rows not in (None, rows):
            raise self._error(code, "another merge of the program has other groups or aggregates")
        self.of.rows, limits = rows, self.of.limits
        if rows.width > min(limits.synopsis, limits.buffer):
            raise self._error(code, f"a row of {rows.width} words does not fit the synopsis or the transmission buffer")
        low, high = state.length
        if (self.section != "reception" or not self.of.per_message) and (low != high or low % rows.width):
            raise self._error(code, f"the transmission buffer has {Value(low, high)} words, and a row {rows.width}")
        events["m"], capacity, found = m, rows.capacity(limits.synopsis), state.synopsis.rows
        for _ in range(high // rows.width):
            events += _most_events(rows, found, capacity)
            found = min(found + 1, capacity)
        state.synopsis = Synopsis(state.synopsis.words, state.synopsis.length, found)

    def _error(self, code: Code, message: str) -> QueryError:
        return self.of.program.error(self.section, code.address, message)


def _most_events(rows: Rows, found: int, capacity: int) -> Counter[str]:
    """Of a row that `merge` takes while the synopsis has up to `found` rows: the most expensive case."""
    visited = found if rows.groups else min(found, 1)
    events = Counter(rows=1, visited=visited, compared=visited * rows.groups)
    if found < capacity or not rows.groups:
        events["written"] = rows.width
    else:
        events["forwarded"], events["sent"] = 1, rows.width
    return events


def _cycles(one: Instruction, events: Counter[str]) -> int:
    return one.cycles + sum(count * events[event] for event, count in one.each.items())


def _at_end(state: State) -> State:
    """At the end of a section nothing depends on the stack and the transmission buffer."""
    return State([], [], (0, 0), state.synopsis)
