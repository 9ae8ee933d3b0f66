"""The states of aggregates: what the program keeps of a window, updates for each tuple, and combines of its panes.

The receiver makes the aggregates of the states, as that of section 3.2.6 does. A count has one word and stays at its
most; a sum has as many words as no number of tuples below that exceeds, so that the receiver knows whether a sum is
exact: no sum wraps unseen. Of numbers of two words the upper and the lower ones have sums of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirestream.compiler.bytecode.rows import Part
from wirestream.compiler.bytecode.terms import Term, Terms
from wirestream.compiler.bytecode.text import MOST, WORD_BITS, Section
from wirestream.compiler.bytecode.values import Values, words_of
from wirestream.compiler.plan import Aggregate, Measure
from wirestream.compiler.types import LONG, Boolean, Integer
from wirestream.errors import QueryError
from wirestream.machine.words import Word

LEAST_COUNT = 2**16  # values that a sum must have room for
IN_HALVES = 4  # words of a sum of numbers of two words: the sum of the upper ones, and that of the lower ones
COUNT, SUM, MIN, MAX, FIRST, LAST, WSUM = "count", "sum", "min", "max", "first", "last", "wsum"
KINDS = (COUNT, SUM, MIN, MAX, FIRST, LAST)
COUNTS = Integer(0, MOST)


@dataclass(frozen=True)
class State:
    """kind: of KINDS, or WSUM. term: the value; None: of a count. present: the condition under which a tuple counts.
    at, words: its place among the words of all states. counted: the index of the state that counts its tuples. exact:
    it never wraps, whatever the number of tuples."""

    kind: str
    term: Term | None
    present: Term
    at: int
    words: int
    counted: int
    exact: bool = False

    @property
    def text(self) -> str:
        return f"{self.kind}({self.term.text if self.term else self.present.text})".replace("(True)", "(*)")

    @property
    def adds(self) -> bool:
        return self.kind in (COUNT, SUM)

    @property
    def most(self) -> int:
        """Tuples of which a sum is exact."""
        if self.words == IN_HALVES:
            return MOST
        return (2 ** (WORD_BITS * self.words - 1) - 1) // largest(self.term)

    def describe(self, first: int) -> dict:
        """For the description as JSON. halves: the sum of the upper words, and that of the lower ones, each of two."""
        return self.part(first).describe() | ({"halves": True} if self.words == IN_HALVES and self.kind == SUM else {})

    def value(self, words: Sequence[Word]) -> int | bytes | None:
        """From the words of a row that are those of the state."""
        if self.words != IN_HALVES or self.kind != SUM:
            return self.part(0).read(words)
        pairs = [Part("", LONG, at, 2).read(words) for at in (0, 2)]
        return (pairs[0] << WORD_BITS) + pairs[1]

    def part(self, first: int) -> Part:
        kind = self.term.type if self.term is not None else COUNTS
        if self.kind in (SUM, WSUM):
            kind = Integer(-(2 ** (WORD_BITS * self.words - 1)), 2 ** (WORD_BITS * self.words - 1) - 1)
        return Part(self.text, kind, first, self.words, isinstance(kind, Boolean))


@dataclass
class States:
    """The states of an aggregate, the number of tuples first. of: for each measure, the index of its state."""

    all: list[State]
    of: list[int]

    @property
    def words(self) -> int:
        return sum(one.words for one in self.all)


def states(
    plan: Aggregate, terms: Terms, columns: dict[str, Term], most: int | None, first_count: bool = True
) -> States:
    """The states that the measures need. most: tuples of a window; None: not known. first_count: the number of tuples
    is needed. Raises `QueryError`."""
    found: list[State] = []
    index: dict[tuple, int] = {}

    def add(kind: str, term: Term | None, present: Term, counted: bool) -> int:
        key = kind, term, present
        if key not in index:
            count = add(COUNT, None, present, False) if counted and kind != COUNT else len(found)
            words = _words(kind, term, most)
            index[key] = len(found)
            at = sum(one.words for one in found)
            found.append(State(kind, term, present, at, words, count, most is not None))
        return index[key]

    if first_count:
        add(COUNT, None, terms.true, False)
    of = []
    for measure in plan.measures:
        kind, term, present = measured(measure, terms, columns)
        of.append(add(kind, term, present, first_count))
    return States(found, of)


def measured(measure: Measure, terms: Terms, columns: dict[str, Term]) -> tuple[str, Term | None, Term]:
    if measure.function not in KINDS or measure.distinct or measure.register or measure.rank or measure.share:
        raise QueryError(f"the machine has no {measure.function}, of {measure}")
    present = terms.true
    if measure.value is None:
        return COUNT, None, present
    term = terms.value(measure.value, columns)
    present = terms.negated(terms.flag(measure.value, "null", columns))
    return measure.function, None if measure.function == COUNT else term, present


def _words(kind: str, term: Term | None, most: int | None) -> int:
    if term is None:
        return 1
    words = words_of(term.type, term.text)
    if kind != SUM:
        return words
    if most is not None and most * largest(term) <= MOST:
        return 1
    return 2 if largest(term) * (most or LEAST_COUNT) < 2**63 else IN_HALVES


def largest(term: Term) -> int:
    return max(abs(term.type.low), abs(term.type.high), 1)


# ---- instructions


@dataclass(frozen=True)
class Cells:
    """Where the words of states are. index: instructions that push the number of the pane or the group; none: there is
    only one. stride: words from a word of the states to the next one."""

    base: int
    index: Sequence[str] = ()
    stride: int = 1

    def load(self, section: Section, word: int) -> None:
        self._access(section, "iload_sy", word)

    def store(self, section: Section, word: int) -> None:
        self._access(section, "istore_sy", word)

    def _access(self, section: Section, name: str, word: int) -> None:
        at = self.base + word * self.stride
        if not self.index:
            return section.op(name, at)
        section.ops(*self.index)
        if at:
            section.push(at)
            section.op("iadd")
        return section.op(name)

    def load_all(self, section: Section, state: State) -> None:
        for k in range(state.words):
            self.load(section, state.at + k)

    def store_all(self, section: Section, state: State) -> None:
        for k in reversed(range(state.words)):
            self.store(section, state.at + k)


def update(section: Section, values: Values, cells: Cells, found: States, bounded: bool) -> None:
    """A tuple is added. bounded: counts cannot reach their most."""
    groups: dict[Term, list[State]] = {}
    for state in found.all:
        groups.setdefault(state.present, []).append(state)
    values.keep_shared([one.term for one in found.all if one.term], [one.present for one in found.all])
    # the number of all tuples last, since other counts are not above it
    for present, own in reversed(groups.items()):
        skip = section.label()
        values.jump(present, skip, False)
        for state in (*(one for one in own if one.kind != COUNT), *(one for one in own if one.kind == COUNT)):
            section.note(state.text)
            _add(section, values, cells, found, state, bounded)
        section.mark(skip)


def _add(section: Section, values: Values, cells: Cells, found: States, state: State, bounded: bool) -> None:
    def value() -> None:
        values.value(state.term, state.words)

    match state.kind:
        case "count":
            cells.load(section, state.at)
            section.op("iinc")
            if not bounded:
                section.op("dup")
                section.guarded("ifge", lambda: section.op("idec"))
            cells.store(section, state.at)
        case "sum" if state.words == IN_HALVES:
            values.value(state.term, 2)
            section.ops("iconst_0", "swap")  # the lower word has no sign
            for at in (state.at + 2, state.at):
                cells.load(section, at)
                cells.load(section, at + 1)
                section.op("ladd")
                cells.store(section, at + 1)
                cells.store(section, at)
                if at > state.at:
                    section.op("i2l")
        case "sum":
            value()
            cells.load_all(section, state)
            section.op("iadd" if state.words == 1 else "ladd")
            cells.store_all(section, state)
        case "last":
            value()
            cells.store_all(section, state)
        case kind:
            keep, new = section.label(), section.label()
            cells.load(section, found.all[state.counted].at)
            section.op("ifneq" if kind == FIRST else "ifeq", keep if kind == FIRST else new)
            if kind != FIRST:
                value()
                cells.load_all(section, state)
                compare(section, state, keep)
                section.mark(new)
            value()
            cells.store_all(section, state)
            section.mark(keep)


def compare(section: Section, state: State, keep: str) -> None:
    """Jump if the value on the stack does not replace that of the state above it."""
    jump = "le" if state.kind == MAX else "ge"
    if state.words == 1:
        return section.op(f"if_icmp{jump}", keep)
    section.op("lcmp")
    return section.op(f"if{jump}", keep)


def combine(section: Section, cells: Cells, row: int, found: States) -> None:
    """A later pane is added to the states in the transmission buffer from word `row`."""
    groups: dict[int, list[State]] = {}
    for state in found.all:
        groups.setdefault(state.counted, []).append(state)
    for counted, own in reversed(groups.items()):
        skip = section.label()
        if any(not state.adds for state in own):
            cells.load(section, found.all[counted].at)
            section.op("ifeq", skip)
        for state in (*(one for one in own if one.kind != COUNT), *(one for one in own if one.kind == COUNT)):
            section.note(state.text)
            _combine(section, cells, row, state, found.all[counted])
        section.mark(skip)


def _combine(section: Section, cells: Cells, row: int, state: State, count: State) -> None:
    def loaded() -> None:
        for k in range(state.words):
            section.op("iload", row + state.at + k)

    keep, new = section.label(), section.label()
    if state.kind in (MIN, MAX, FIRST):
        section.op("iload", row + count.at)
        section.op("ifneq" if state.kind == FIRST else "ifeq", keep if state.kind == FIRST else new)
    if state.kind in (MIN, MAX):
        cells.load_all(section, state)
        loaded()
        compare(section, state, keep)
        section.mark(new)
    for first in range(0, state.words, 2) if state.adds else ():
        _combine_sum(section, cells, row, state, range(state.at + first, state.at + min(state.words, first + 2)))
    if state.adds:
        return
    cells.load_all(section, state)
    for k in reversed(range(state.words)):
        section.op("istore", row + state.at + k)
    section.mark(keep)


def _combine_sum(section: Section, cells: Cells, row: int, state: State, words: Sequence[int]) -> None:
    for k in words:
        cells.load(section, k)
    for k in words:
        section.op("iload", row + k)
    section.op("iadd" if len(words) == 1 else "ladd")
    if state.kind == COUNT:
        section.op("dup")
        section.guarded("ifge", lambda: section.ops("pop", f"ipush {MOST}"))
    for k in reversed(words):
        section.op("istore", row + k)


def clear(section: Section, cells: Cells, found: States) -> None:
    """A pane has no tuples."""
    for state in found.all:
        if state.adds:
            for k in range(state.words):
                section.op("iconst_0")
                cells.store(section, state.at + k)
