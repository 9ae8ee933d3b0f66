"""GROUP BY: a row of states for each group that the synopsis has room for. Tuples of others are sent as rows of their
own, which the receiver adds, as in section 3.2.6.

The rows are those of panes, as long as SLIDE or ADVANCE. They leave at the end of each, and the receiver makes windows
of them.
Tuples that are already of a later pane have its distance from the last punctuation as one more word of their group.

`merge` does it if its words cannot wrap: least and greatest values, counts, and sums of small values. Else the program
has a table, with sums of two words, and finds a group by comparing one after the other.
"""

from __future__ import annotations

from dataclasses import replace

from wirestream.compiler.bytecode import states as s
from wirestream.compiler.bytecode.projection import part
from wirestream.compiler.bytecode.rows import NULL_WORD, Part
from wirestream.compiler.bytecode.terms import FIELD, Term, alternatives
from wirestream.compiler.bytecode.text import WORD_BITS, Section, buffer
from wirestream.compiler.bytecode.values import Values, words_of
from wirestream.compiler.bytecode.windows import Made, Windows, selected
from wirestream.compiler.plan import flag_of
from wirestream.machine.merging import AGGREGATES
from wirestream.schema.units import NANOSECONDS

CODES = {one.name.lower(): one.code for one in AGGREGATES}
SMALL = 2**15  # a value of which `merge` adds 65,535 without wrapping
LATER = ".later"  # a group's panes after the last punctuation
FASTEST = 0.02  # tuples a ns at most: one in ten cycles of 5 ns
ROOM = 8  # groups that a table has words for, if that is possible


def mergeable(made: Made, found: s.States) -> bool:
    """Whether the words of `merge` are enough: no more than a word each, and sums of small values."""
    for state in found.all:
        if state.kind not in CODES or state.words > 1:
            return False
        if state.kind == s.SUM and max(abs(state.term.type.low), abs(state.term.type.high)) > SMALL:
            return False
        if state.present.is_constant(True) or state.kind == s.COUNT:
            continue
        if made.terms.nulls(state.term) != alternatives(made.terms.negated(state.present)):
            return False
    return True


def _slow(made: Made) -> bool:
    """Whether counts of one word cannot wrap, since no pane is long enough at the clock's rate."""
    unit = NANOSECONDS[made.stream.unit_of(made.window.attribute) or made.stream.unit_of(made.stream.time)]
    return made.window.advance * unit * FASTEST < 2 ** (WORD_BITS - 1)


def merge_states(made: Made) -> s.States | None:
    """The states for `merge`; None if it is not enough. Sums need a count, from which the receiver knows that they are
    exact."""
    try:
        found = s.states(made.plan, made.terms, made.columns, None, False)
    except ValueError:
        return None
    counted = {one.present for one in found.all if one.kind == s.COUNT}
    for state in list(found.all):
        if state.kind == s.SUM and state.present not in counted:
            counted.add(state.present)
            found.all.append(s.State(s.COUNT, None, state.present, 0, 1, 0))
    counts = {one.present: k for k, one in enumerate(found.all) if one.kind == s.COUNT}
    laid: list[s.State] = []
    for k, one in enumerate(found.all):
        words = 1 if one.kind == s.SUM else one.words
        at = sum(other.words for other in laid)
        laid.append(replace(one, at=at, words=words, counted=counts.get(one.present, k)))
    found = s.States(laid, found.of)
    if not found.all or not mergeable(made, found):
        return None
    return found if _slow(made) or not any(state.adds for state in found.all) else None


def merged(made: Made, found: s.States) -> Windows:
    """With `merge`."""
    reception = Section("reception", ("per_tuple",))
    values = Values(reception, made.terms, made.places)
    keys: list[Part] = []

    def body() -> None:
        at = _write_keys(made, reception, values, keys)
        for state in found.all:
            reception.note(state.text)
            if state.kind == s.COUNT:
                values.value(state.present)
            else:
                values.value(state.term)
            reception.op("istore", at + state.at)
        for state in reversed(found.all):
            reception.push(CODES[state.kind], state.kind.upper())
        reception.push(len(found.all), "aggregates")
        reception.push(at, "words of groups")
        reception.op("merge")

    selected(made, reception, values, body)
    delivery = Section("delivery", ("per_punct",))
    delivery.op("send_sy")
    end, row = None, sum(key.count for key in keys) + found.words
    if _timed(made):
        least = made.time.count
        end = _send_end(made, delivery, least + (row == 1 == least or (row > 1 and least % row == 0)))
    width = sum(key.count for key in keys)
    return Windows([delivery, reception], end, found, width, 0, keys=tuple(keys), groups=1, merged=True)


def _key_words(made: Made, term: Term) -> int:
    return made.places[term.value].count if term.operator == FIELD else words_of(term.type)


def _write_keys(made: Made, section: Section, values: Values, keys: list[Part]) -> int:
    """The words of the groups in the transmission buffer. Returns how many they are."""
    at = 0
    for column in made.plan.keys:
        term = made.columns[column.name]
        companion = flag_of(column, "null")
        flag = made.terms.value(companion, made.columns) if companion is not None else made.terms.false
        if made.terms.nulls(term) != alternatives(flag):
            raise made.refuse(f"GROUP BY {column}: the machine cannot tell where it is null")
        section.note(f"group: {term.text}")
        count = values.raw(term) if term.operator == FIELD else words_of(term.type)
        if term.operator != FIELD:
            values.value(term)
        values.store("istore", at, count)
        found = part(column.name, term, at, count)
        keys.append(
            Part(found.name, found.type, at, count, found.unsigned, None if flag.is_constant(False) else NULL_WORD)
        )
        at += count
    return at


def _timed(made: Made) -> bool:
    """Whether the receiver needs the times of punctuations; else each pane is a window, whose end no row has."""
    window = made.window
    return bool(made.end_read or window.size > window.advance or window.slack)


def _send_end(made: Made, section: Section, length: int) -> Part:
    """The time of the punctuation, as a row of `length` words after that of the groups, which never has as many."""
    end = made.end(0)
    if length > end.count:
        section.ops("iconst_0", f"istore {length - 1}")
    made.load_time(section)
    for k in reversed(range(end.count)):
        section.op("istore", k)
    section.op("send_tb")
    return end


def table(made: Made) -> Windows:
    """With a table: the number of its groups in word 0, then the last punctuation, if tuples may be of later panes, or
    the number of tuples, then the words of the groups, column by column."""
    window, timed = made.window, made.window.in_time
    found = s.states(made.plan, made.terms, made.columns, None if timed else window.advance)
    later = bool(window.slack)
    width = later + sum(_key_words(made, made.columns[column.name]) for column in made.plan.keys)
    first = 2 if later or not timed else 1
    entries = _entries(made, width + found.words, first)
    name, arguments = ("reception", ("per_tuple",)) if timed else ("delivery", ("manualclear",))
    section = Section(name, arguments, buffer(width + max(1, found.words)))
    keys: list[Part] = []
    values = Values(section, made.terms, made.places, made.limits.buffer)

    def body() -> None:
        _write_keys(made, section, values, keys)
        if any(key.null is not None for key in keys):
            raise made.refuse("GROUP BY of values that may be null needs merge, and its sums and counts have one word")
        if later:
            section.note("panes after the last punctuation")
            made.load_lower_time(section)
            section.ops("iload_sy 1", "isub", f"ipush {window.advance}", "idiv", f"istore {width - 1}")
            keys.append(Part(LATER, s.COUNTS, width - 1, 1))
        _find(made, section, values, found, width, s.Cells(first, (f"iload {width}",), entries))
        if not timed:
            _end_pane_of_tuples(section, window.advance)

    selected(made, section, values, body)
    sections, end = [section], None
    if timed:
        delivery = Section("delivery", ("per_punct", *(["manualclear"] if later else [])))
        delivery.op("iload_sy", 0)
        delivery.guarded("ifeq", lambda: delivery.op("send_sy"))
        end = _send_end(made, delivery, made.time.count) if _timed(made) else None
        if later:
            delivery.op("clear_sy")
            made.load_lower_time(delivery)
            delivery.op("istore_sy", 1)
        sections = [delivery, section]
    used = first + entries * (width + found.words)
    return Windows(sections, end, found, width, used, entries, entries, tuple(keys), offset=first)


def _end_pane_of_tuples(section: Section, size: int) -> None:
    section.ops("iload_sy 1", "iinc", "dup", "istore_sy 1")
    section.push(size)
    section.guarded("if_icmplt", lambda: section.ops("send_sy", "clear_sy"))


def _entries(made: Made, words: int, first: int) -> int:
    """Groups that a table has room for; two at least, so that its row has more words than that of one group."""
    return max(2, (made.limits.synopsis - first) // words)


def _find(made: Made, section: Section, values: Values, found: s.States, width: int, cells: s.Cells) -> None:
    entries, at = cells.stride, width
    new, known, full, end = (section.label() for _ in range(4))
    section.ops("iconst_0", f"istore {at}")
    loop = section.here()
    section.ops(f"iload {at}", "iload_sy 0", f"if_icmpge {new}")
    other = section.label()
    for k in range(width):
        cells.load(section, k)
        section.ops(f"iload {k}", f"if_icmpneq {other}")
    section.op("goto", known)
    section.mark(other)
    section.ops(f"iload {at}", "iinc", f"istore {at}", f"goto {loop}")
    section.mark(new)
    section.ops("iload_sy 0", "dup")
    section.push(entries)
    section.ops(f"if_icmpge {full}", "dup", f"istore {at}", "iinc", "istore_sy 0")
    for k in range(width):
        section.op("iload", k)
        cells.store(section, k)
    section.mark(known)
    inside = s.Cells(cells.base + width * entries, cells.index, entries)
    s.update(section, values, inside, found, False)
    section.op("goto", end)
    section.mark(full)
    section.op("pop")
    section.note("no room: the tuple is a row of its own")
    _own_row(section, Values(section, made.terms, made.places, made.limits.buffer), found, width)
    section.mark(end)


def _own_row(section: Section, values: Values, found: s.States, width: int) -> None:
    for state in found.all:
        if state.kind == s.COUNT:
            values.value(state.present)
        elif state.words == s.IN_HALVES and state.kind == s.SUM:
            values.value(state.term, 2)
            section.ops("iconst_0", "swap")
            values.store("istore", width + state.at + 2, 2)
            section.op("i2l")
            values.store("istore", width + state.at, 2)
            continue
        else:
            values.value(state.term, state.words)
        values.store("istore", width + state.at, state.words)
    section.op("send_tb")
