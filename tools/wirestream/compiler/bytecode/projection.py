"""Queries without windows: filters, expressions and projections, a row for each tuple that passes."""

from __future__ import annotations

from wirestream.compiler.bytecode.rows import NULL_WORD, Part
from wirestream.compiler.bytecode.terms import FIELD, Term, Terms, alternatives
from wirestream.compiler.bytecode.text import Section, synopsis
from wirestream.compiler.bytecode.values import Values, words_of
from wirestream.compiler.plan import Plan, flag_of, hidden
from wirestream.compiler.types import BOOLEAN, Integer, Text
from wirestream.machine.limits import Limits
from wirestream.machine.words import Place


def project(plan: Plan, terms: Terms, places: dict[str, Place], limits: Limits) -> tuple[list[Section], list[Part]]:
    """The section of a plan without windows, and its rows. Raises `QueryError`."""
    columns, held = terms.of(plan)
    section = Section("delivery", scratch=synopsis())
    values = Values(section, terms, places, limits.synopsis)
    outputs = _outputs(plan, terms, columns)
    roots = [term for _, term, _ in outputs]
    values.keep_shared([held], roots)
    end = section.label()
    values.jump(held, end, False)
    values.keep_shared(roots)
    parts, at = [], 0
    found: dict[str, int] = {}
    for name, term, flags in outputs:
        first = at
        at += _written(values, term, at)
        found[name] = first
        if flags is not None:
            parts.append(part(name, term, first, at - first, flags))
    section.op("send_tb")
    section.mark(end)
    resolved = [
        Part(p.name, p.type, p.first, p.count, p.unsigned, _at(found, p.null), _at(found, p.overflow)) for p in parts
    ]
    return [section], resolved


def _at(found: dict[str, int], flag: str | int | None) -> int | None:
    return found[flag] if isinstance(flag, str) else flag


def _outputs(plan: Plan, terms: Terms, columns: dict[str, Term]) -> list[tuple[str, Term, dict | None]]:
    """What a row has, in its order: each column, and the flags that are not known; of a flag no dict."""
    found = []
    for name, column in plan.columns.items():
        if hidden(name):
            continue
        term, flags = columns[name], {}
        for which in ("null", "overflow"):
            companion = flag_of(column, which)
            flag = terms.value(companion, columns) if companion is not None else terms.false
            if flag.is_constant(False):
                continue
            if which == "null" and terms.nulls(term) == alternatives(flag):
                flags[which] = NULL_WORD
            else:
                flags[which] = f"{name}.{which}"
                found.append((flags[which], flag, None))
        found.append((name, term, flags))
    return sorted(found, key=lambda one: one[2] is None)


def _written(values: Values, term: Term, at: int) -> int:
    """Write a value to the row. Returns the number of its words."""
    if values.section.lines and term.operator != FIELD:
        values.section.note(term.text)
    if term.operator == FIELD:
        count = values.raw(term)
    else:
        count = words_of(term.type, term.text)
        values.value(term)
    values.store("istore", at, count)
    return count


def part(name: str, term: Term, first: int, count: int, flags: dict | None = None) -> Part:
    """A value in a row; a field is sent as it is."""
    unsigned = isinstance(term.type, Integer) and term.type.low >= 0 and term.operator == FIELD
    unsigned = unsigned or term.type == BOOLEAN
    assert not isinstance(term.type, Text) or not unsigned
    return Part(name, term.type, first, count, unsigned, **(flags or {}))
