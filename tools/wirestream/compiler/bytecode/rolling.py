"""Windows of the last tuples, a row for each: [SIZE 8 ADVANCE 1 TUPLES], without nulls.

The values of the window are in a ring. A sum adds the new value and subtracts the oldest one; least and greatest values
are found in a loop, as in section 3.4.2; a weighted sum is unrolled. Where this is not possible, `windows` has panes of
one tuple.
"""

from __future__ import annotations

from dataclasses import replace

from wirestream.compiler.bytecode import states as s
from wirestream.compiler.bytecode.terms import Term
from wirestream.compiler.bytecode.text import MOST, Section, Space, synopsis
from wirestream.compiler.bytecode.values import Values, words_of
from wirestream.compiler.bytecode.windows import Made, Windows, selected
from wirestream.compiler.plan import Measure
from wirestream.compiler.types import Text

IN_A_LOOP = (s.MIN, s.MAX)
OF_A_RING = (s.SUM, s.WSUM, s.MIN, s.MAX, s.FIRST)


class _Ring:
    """The last values of a term. base: the first word; one of two words has the lower ones in a second ring."""

    def __init__(self, term: Term, space: Space, size: int):
        self.term, self.size = term, size
        self.words = words_of(term.type)
        self.base = space.take(size * self.words)

    def access(self, section: Section, name: str, word: int, index: str) -> None:
        section.ops(*index.split("; "))
        if at := self.base + word * self.size:
            section.push(at)
            section.op("iadd")
        section.op(name)


def rolling(made: Made) -> Windows | None:
    """None: it has nulls, or states of other kinds."""
    window, found = made.window, []
    if window.unit != "tuples" or window.advance != 1 or window.size < 2:
        return None
    for measure in made.plan.measures:
        if (state := _state(made, measure, sum(one.words for one in found))) is None:
            return None
        found.append(replace(state, counted=len(found)))
    return _Rolling(made, found).windows()


def _state(made: Made, measure: Measure, at: int) -> s.State | None:
    size, true = made.window.size, made.terms.true
    if measure.function == "wsum" and measure.value is not None:
        kind, term, present = s.WSUM, made.terms.value(measure.value, made.columns), true
        if not made.terms.flag(measure.value, "null", made.columns).is_constant(False):
            return None
    else:
        kind, term, present = s.measured(measure, made.terms, made.columns)
    if not present.is_constant(True):
        return None
    words = words_of(measure.output.type) if kind == s.WSUM else 1 if term is None else words_of(term.type)
    if kind == s.SUM:
        words = 1 if size * s.largest(term) <= MOST else 2
        if size * s.largest(term) >= 2**63:
            return None
    if kind in IN_A_LOOP and words > 1:
        return None
    return s.State(kind, term, present, at, words, 0, True)


class _Rolling:
    """Of a synopsis: the rings, the place of the next value, the number of tuples before the first window, and sums."""

    def __init__(self, made: Made, found: list[s.State]):
        self.made, self.found, self.size = made, found, made.window.size
        space = synopsis()
        self.rings: dict[Term, _Ring] = {}
        for state in found:
            if state.kind in OF_A_RING and state.term not in self.rings and not isinstance(state.term.type, Text):
                self.rings[state.term] = _Ring(state.term, space, self.size)
        for state in found:
            if state.kind == s.FIRST and state.term not in self.rings:
                self.rings[state.term] = _Ring(state.term, space, self.size)
        self.next = space.take() if self.rings else None
        self.waited = space.take()
        self.sums = {state.at: space.take(state.words) for state in found if state.kind == s.SUM}
        self.section = Section("delivery", ("manualclear",), space)

    def windows(self) -> Windows:
        made, section = self.made, self.section
        values = Values(section, made.terms, made.places, made.limits.synopsis)
        selected(made, section, values, lambda: self._tuple(values))
        return Windows([section], None, s.States(self.found, list(range(len(self.found)))), 0, section.scratch.used)

    def _tuple(self, values: Values) -> None:
        section = self.section
        values.keep_shared(state.term for state in self.found if state.term is not None)
        for state in self.found:
            if state.kind == s.SUM:
                self._add(values, state)
        for ring in self.rings.values():
            values.value(ring.term)
            for k in reversed(range(ring.words)):
                ring.access(section, "istore_sy", k, f"iload_sy {self.next}")
        if self.next is not None:
            section.ops(f"iload_sy {self.next}", "iinc")
            self._wrapped()
            section.op("istore_sy", self.next)
        wait, end = section.label(), section.label()
        section.op("iload_sy", self.waited)
        section.push(self.size - 1)
        section.op("if_icmplt", wait)
        for state in self.found:
            section.note(state.text)
            self._push(values, state)
            values.store("istore", state.at, state.words)
        section.ops("send_tb", f"goto {end}")
        section.mark(wait)
        section.ops(f"iload_sy {self.waited}", "iinc", f"istore_sy {self.waited}")
        section.mark(end)

    def _wrapped(self) -> None:
        power = self.size & (self.size - 1) == 0
        self.section.push(self.size - 1 if power else self.size)
        self.section.op("iand" if power else "irem")

    def _add(self, values: Values, state: s.State) -> None:
        section, ring, at = self.section, self.rings[state.term], self.sums[state.at]
        section.note(state.text)
        values.value(state.term, state.words)
        for k in range(ring.words):
            ring.access(section, "iload_sy", k, f"iload_sy {self.next}")
        if ring.words < state.words:
            section.op("i2l")
        section.op("isub" if state.words == 1 else "lsub")
        for k in range(state.words):
            section.op("iload_sy", at + k)
        section.op("iadd" if state.words == 1 else "ladd")
        for k in reversed(range(state.words)):
            section.op("istore_sy", at + k)

    def _push(self, values: Values, state: s.State) -> None:
        section = self.section
        match state.kind:
            case s.COUNT:
                section.push(self.size)
            case s.SUM:
                for k in range(state.words):
                    section.op("iload_sy", self.sums[state.at] + k)
            case s.LAST:
                values.value(state.term)
            case s.FIRST:
                ring = self.rings[state.term]
                for k in range(ring.words):
                    ring.access(section, "iload_sy", k, f"iload_sy {self.next}")
            case s.WSUM:
                self._weighted(state)
            case _:
                self._extreme(state)

    def _weighted(self, state: s.State) -> None:
        section, ring, wide = self.section, self.rings[state.term], state.words == 2
        measure = next(m for m, one in zip(self.made.plan.measures, self.found, strict=True) if one is state)
        if ring.words > 1:
            raise self.made.refuse(f"{measure}: the machine weights values of one word")
        begun = False
        for age, weight in enumerate(measure.weights[: self.size]):
            if not weight:
                continue
            ahead = self.size - 1 - age
            section.op("iload_sy", self.next)
            if ahead:
                section.push(ahead)
                section.op("iadd")
                self._wrapped()
            if ring.base:
                section.push(ring.base)
                section.op("iadd")
            section.op("iload_sy")
            section.push(weight)
            section.op("imull" if wide else "imul")
            if begun:
                section.op("ladd" if wide else "iadd")
            begun = True

    def _extreme(self, state: s.State) -> None:
        """The least or the greatest value: of the last word of the ring and the others, from the last to the first."""
        section, ring = self.section, self.rings[state.term]
        done, keep = section.label(), section.label()
        section.op("iload_sy", ring.base + self.size - 1)
        section.push(self.size - 2)
        loop = section.here()
        section.ops("dup", f"iflt {done}", "dup_x1")
        if ring.base:
            section.push(ring.base)
            section.op("iadd")
        section.ops("iload_sy", "dup2", f"if_icmp{'lt' if state.kind == s.MIN else 'gt'} {keep}", "swap")
        section.mark(keep)
        section.ops("pop", "swap", "idec", f"goto {loop}")
        section.mark(done)
        section.op("pop")
