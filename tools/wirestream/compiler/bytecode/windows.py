"""Windows of all tuples, without groups.

Flat: one window is open at a time, so its states are words of the synopsis. In panes: a ring of parts of windows, each
as long as SLIDE or ADVANCE; at the end of one the window is combined in the transmission buffer, and the oldest pane is
cleared (section 3.4.2). A tuple finds its pane by how much later it is than the last punctuation: less than SLIDE +
SLACK, so the lower words of both times are enough, whatever their width.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wirestream.compiler.bytecode import states as s
from wirestream.compiler.bytecode.rows import Part
from wirestream.compiler.bytecode.terms import Term, Terms
from wirestream.compiler.bytecode.text import Section, buffer, synopsis
from wirestream.compiler.bytecode.values import Values
from wirestream.compiler.plan import Aggregate
from wirestream.compiler.syntax import Window
from wirestream.compiler.types import Type
from wirestream.errors import QueryError
from wirestream.machine.limits import Limits
from wirestream.machine.words import Place
from wirestream.schema.streams import Stream

DONE = "done"
LONGEST = 2**31  # units, which a word can tell apart


@dataclass
class Windows:
    """sections: of the program. end: the windows' end in a row. states: their places in a row. synopsis: words."""

    sections: list[Section]
    end: Part | None
    states: s.States
    first: int
    synopsis: int
    stride: int = 1  # words from a word of a group's states to the next one, in a row with all groups
    groups: int = 0  # of which a row has room
    keys: tuple[Part, ...] = ()
    merged: bool = False
    offset: int = 0  # of the words of groups in a row with all of them


@dataclass
class Made:
    """What the makers of windows share."""

    plan: Aggregate
    terms: Terms
    columns: dict[str, Term]
    held: Term
    places: dict[str, Place]
    limits: Limits
    stream: Stream
    end_read: bool  # whether a row or HAVING has the windows' end

    @property
    def window(self) -> Window:
        return self.plan.window

    @property
    def time(self) -> Place:
        return self.places[self.window.attribute]

    @property
    def time_type(self) -> Type:
        return self.plan.end.type

    def refuse(self, message: str) -> QueryError:
        return QueryError(message, self.window.position)

    def load_time(self, section: Section) -> int:
        """Push the time of a tuple or punctuation. Returns its words."""
        for k in range(self.time.count):
            section.op("get_field" if k else f"get_{self.time.field.name}", f"{self.time.field.name}+{k}" if k else "")
        return self.time.count

    def load_lower_time(self, section: Section) -> None:
        k = self.time.count - 1
        section.op("get_field" if k else f"get_{self.time.field.name}", f"{self.time.field.name}+{k}" if k else "")

    def end(self, first: int) -> Part | None:
        if self.plan.end is None:
            return None
        kind = self.time_type
        return Part(self.plan.end.name, kind, first, self.time.count, kind.low >= 0)


def windows(made: Made) -> Windows:
    """Raises `QueryError`."""
    window = made.window
    panes = panes_of(made)
    if window.in_time and panes == 1 and not window.slack and not window.emit_empty:
        return _flat_in_time(made)
    if not window.in_time and window.size <= window.advance:
        return _flat_of_tuples(made)
    return _Panes(made, panes).windows()


def panes_of(made: Made) -> int:
    """Panes of a window. Raises `QueryError`."""
    window = made.window
    if window.session:
        raise made.refuse("the machine has no sessions: a punctuation cannot tell where one ends")
    if not window.in_time and window.size <= window.advance:
        return 1
    if window.size % window.advance:
        names = ("RANGE", "SLIDE") if window.in_time else ("SIZE", "ADVANCE")
        raise made.refuse(f"{names[0]} {window.size} is no multiple of {names[1]} {window.advance}: no equal panes")
    panes = window.size // window.advance
    ordered = [measure for measure in made.plan.measures if measure.function in (s.FIRST, s.LAST)]
    if panes > 1 and window.slack and ordered:
        raise made.refuse(f"{ordered[0]}: panes do not have the order of arrival, where windows overlap and have SLACK")
    if window.in_time and window.advance + window.slack >= LONGEST:
        raise made.refuse(f"SLIDE + SLACK must be less than {LONGEST} units")
    return panes


def _check_start(made: Made) -> None:
    if made.window.start is not None:
        raise made.refuse("START where windows overlap: the program would take a silence for the time before it")


def _states(made: Made, most: int | None) -> s.States:
    return s.states(made.plan, made.terms, made.columns, most)


def selected(made: Made, section: Section, values: Values, body: Callable[[], None]) -> None:
    """The body for tuples that pass the condition."""
    values.keep_shared([made.held])
    end = section.label()
    values.jump(made.held, end, False)
    body()
    section.mark(end)


def _flat_in_time(made: Made) -> Windows:
    found = _states(made, None)
    reception = Section("reception", ("per_tuple",), buffer())
    values = Values(reception, made.terms, made.places, made.limits.buffer)
    selected(made, reception, values, lambda: s.update(reception, values, s.Cells(0), found, False))
    delivery = Section("delivery", ("per_punct",))
    end, used = None, found.words
    if made.plan.end is not None:
        end = made.end(used)
        skip = delivery.label()
        delivery.ops("iload_sy 0", f"ifeq {skip}")
        made.load_time(delivery)
        for k in reversed(range(end.count)):
            delivery.op("istore_sy", used + k)
        delivery.op("send_sy")
        delivery.mark(skip)
        used += end.count
    else:
        delivery.op("send_sy")
    return Windows([delivery, reception], end, found, 0, used)


def _flat_of_tuples(made: Made) -> Windows:
    window = made.window
    found = _states(made, window.size)
    delivery = Section("delivery", ("manualclear",), synopsis(found.words))
    values = Values(delivery, made.terms, made.places, made.limits.synopsis)

    sampled = window.size < window.advance
    place = delivery.scratch.take() if sampled else 0  # of the tuple

    def body() -> None:
        after, end = delivery.label(), delivery.label()
        if sampled:
            delivery.op("iload_sy", place)
            delivery.push(window.size)
            delivery.op("if_icmpge", after)
        s.update(delivery, values, s.Cells(0), found, True)
        delivery.op("iload_sy", 0)
        delivery.push(window.size)
        delivery.op("if_icmplt", after)
        delivery.op("send_sy")
        if not sampled:
            delivery.op("clear_sy")
            return delivery.mark(after)
        delivery.mark(after)
        keep = delivery.label()
        delivery.ops(f"iload_sy {place}", "iinc", "dup")
        delivery.push(window.advance)
        delivery.ops(f"if_icmplt {keep}", "pop", "clear_sy", f"goto {end}")
        delivery.mark(keep)
        delivery.op("istore_sy", place)
        return delivery.mark(end)

    selected(made, delivery, values, body)
    return Windows([delivery], None, found, 0, delivery.scratch.used)


class _Panes:
    """A ring of panes. Of a synopsis: the number of the newest pane, of the one in use, where they are needed the last
    punctuation and the number of windows that have not ended, and the panes' words."""

    def __init__(self, made: Made, panes: int):
        self.made, self.panes, window = made, panes, made.window
        if window.in_time and panes > 1:
            _check_start(made)
        later = -(-window.slack // window.advance) if window.in_time else 0
        ring = panes + later
        self.ring = 1 << (ring - 1).bit_length()
        self.later = later
        self.mask = self.ring - 1
        self.found = _states(made, None if window.in_time else window.size)
        space = synopsis()
        self.newest, self.used = space.take(), space.take()
        self.punctuation = space.take() if later else None
        # a punctuation ends a window only if it is the begin of one, or later; the first of all is the start
        first = panes if window.in_time else panes - 1
        self.unended = first if panes > 1 or window.emit_empty else 0
        self.waited = space.take() if self.unended else None
        self.base = space.take(self.found.words * self.ring)
        self.words = space.used
        self.cells = s.Cells(self.base, (f"iload_sy {self.used}",) if self.ring > 1 else (), self.ring)

    def windows(self) -> Windows:
        made = self.made
        end = made.end(0)
        self.row = end.count if end else 0
        if made.window.in_time:
            reception = Section("reception", ("per_tuple",), buffer())
            values = Values(reception, made.terms, made.places, made.limits.buffer)
            selected(made, reception, values, lambda: self._add(reception, values, False))
            delivery = Section("delivery", ("per_punct", "manualclear"))
            self._close(delivery)
            return Windows([delivery, reception], end, self.found, self.row, self.words)
        delivery = Section("delivery", ("manualclear",), synopsis(self.words))
        values = Values(delivery, made.terms, made.places, made.limits.synopsis)

        def body() -> None:
            self._add(delivery, values, True)
            skip = delivery.label()
            if made.window.advance > 1:
                self.cells.load(delivery, 0)
                delivery.push(made.window.advance)
                delivery.op("if_icmplt", skip)
            self._close(delivery)
            delivery.mark(skip)

        selected(made, delivery, values, body)
        return Windows([delivery], None, self.found, 0, delivery.scratch.used)

    def _add(self, section: Section, values: Values, bounded: bool) -> None:
        if self.later:
            self.made.load_lower_time(section)
            section.op("iload_sy", self.punctuation)
            section.op("isub")
            section.push(self.made.window.advance)
            section.ops("idiv", f"iload_sy {self.newest}", "iadd")
            self._wrapped(section)
            section.op("istore_sy", self.used)
        elif self.ring > 1:
            section.ops(f"iload_sy {self.newest}", f"istore_sy {self.used}")
        s.update(section, values, self.cells, self.found, bounded)

    def _wrapped(self, section: Section) -> None:
        section.push(self.mask)
        section.op("iand")

    def _close(self, section: Section) -> None:
        """A pane is complete: send the window that ends with it, and take the next pane."""
        made = self.made
        advance = section.label()
        if self.waited is not None:
            ready = section.label()
            section.op("iload_sy", self.waited)
            section.push(self.unended)
            section.op("if_icmpge", ready)
            section.ops(f"iload_sy {self.waited}", "iinc", f"istore_sy {self.waited}", f"goto {advance}")
            section.mark(ready)
        self._combined(section)
        unsent = section.label()
        if made.window.in_time and not made.window.emit_empty:
            section.op("iload", self.row)
            section.op("ifeq", unsent)
        if made.window.in_time and made.plan.end is not None:
            made.load_time(section)
            for k in reversed(range(self.row)):
                section.op("istore", k)
        section.op("send_tb")
        section.mark(unsent)
        section.note("the oldest pane is that of the next window")
        self._oldest(section)
        s.clear(section, self.cells, self.found)
        section.mark(advance)
        if self.ring > 1:
            section.ops(f"iload_sy {self.newest}", "iinc")
            self._wrapped(section)
            section.op("istore_sy", self.newest)
        if self.later:
            made.load_lower_time(section)
            section.op("istore_sy", self.punctuation)

    def _oldest(self, section: Section) -> None:
        if self.ring == 1:
            return
        section.op("iload_sy", self.newest)
        if self.panes > 1:
            section.push(self.panes - 1)
            section.op("isub")
            self._wrapped(section)
        section.op("istore_sy", self.used)

    def _combined(self, section: Section) -> None:
        """The states of the window in the transmission buffer."""
        self._oldest(section)
        if self.panes == 1:
            for state in self.found.all:
                self.cells.load_all(section, state)
                for k in reversed(range(state.words)):
                    section.op("istore", self.row + state.at + k)
            return
        section.push(self.panes)
        loop = section.here()
        s.combine(section, self.cells, self.row, self.found)
        section.ops(f"iload_sy {self.used}", "iinc")
        self._wrapped(section)
        section.ops(f"istore_sy {self.used}", "idec", "dup", f"ifgt {loop}", "pop")
