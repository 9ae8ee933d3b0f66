"""A query's plan to a program of the query machine, with what its rows mean: `compiled`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from wirestream.compiler.bytecode import given, groups
from wirestream.compiler.bytecode.finishing import check
from wirestream.compiler.bytecode.projection import project
from wirestream.compiler.bytecode.receiver import Layout
from wirestream.compiler.bytecode.relays import within_reach
from wirestream.compiler.bytecode.rolling import rolling
from wirestream.compiler.bytecode.terms import Terms
from wirestream.compiler.bytecode.text import Section
from wirestream.compiler.bytecode.windows import Made, Windows, panes_of, windows
from wirestream.compiler.compile import deep, plans_of
from wirestream.compiler.ordered import Numbered, Ranked, Sort
from wirestream.compiler.plan import (
    Aggregate,
    Compute,
    Filter,
    Input,
    Join,
    Plan,
    Project,
    Stacked,
    Union,
    Windowed,
    walk,
)
from wirestream.compiler.syntax import Query, Window
from wirestream.errors import QueryError
from wirestream.machine import words
from wirestream.machine.assembler import assemble
from wirestream.machine.limits import Limits
from wirestream.machine.program import Program
from wirestream.machine.verifier import Report, verify
from wirestream.schema.formats import Format
from wirestream.schema.streams import Stream

CODE = (256, 512)  # bytes of a program
MOST_WORDS = 256  # of the transmission buffer or the synopsis
LACKS = {
    Join: "JOIN: a program reads the tuples of one stream, and keeps too few",
    Union: "UNION ALL: a program reads one stream, once",
    Stacked: "rows of several aggregates in turn",
    Windowed: "ORDER BY, LIMIT or ROW_NUMBER of tuples: a program keeps aggregates",
    Sort: "ORDER BY and LIMIT: groups leave in the order of their first tuples",
    Numbered: "ROW_NUMBER",
    Ranked: "percentiles and DISTINCT, for which it would keep all values",
}


@dataclass(frozen=True)
class MachineCode:
    """name: of the result. text, program: as text, and assembled. report: what is proven. limits: a machine that is
    large enough. window: in time, whose punctuations the program needs."""

    name: str
    text: str
    program: Program
    report: Report
    limits: Limits
    stream: Stream
    layout: Layout
    window: Window | None


def compile_for_machine(
    sql: str,
    streams: Iterable[Path | Stream | Format] = (),
    constants: given.Given | None = None,
    limits: Limits | None = None,
) -> list[MachineCode]:
    """A program for each query of a text. limits: of the machine; by default those of `Limits`, with a transmission
    buffer, a synopsis and a slot as large as the program needs. Raises `QueryError`."""
    planned, constants = plans_of(sql, streams, parts=False), constants or {}
    if unknown := constants.keys() - {one.name for plan in planned.plans for one in given.used(plan)}:
        raise QueryError(f"no query has the constant {', '.join(f'${name}' for name in sorted(unknown))}")
    with deep():
        return [
            _located(query, plan, constants, limits) for query, plan in zip(planned.queries, planned.plans, strict=True)
        ]


def _located(query: Query, plan: Plan, constants: given.Given, limits: Limits | None) -> MachineCode:
    try:
        return _Compilation(query.into, plan, constants).within(limits)
    except QueryError as error:
        if error.position is not None:
            raise
        raise QueryError(error.message, query.body[0].position) from None


class _TooSmall(QueryError):
    """The machine's memory is."""


class _Compilation:
    def __init__(self, name: str, plan: Plan, constants: given.Given):
        self.name, self.plan, self.constants = name, plan, given.checked(plan, constants)
        for node in walk(plan):
            if type(node) in LACKS:
                raise QueryError(f"the machine has no {LACKS[type(node)]}")
        aggregates = [node for node in walk(plan) if isinstance(node, Aggregate)]
        if len(aggregates) > 1:
            raise QueryError(
                "windows over the rows of windows: a program has windows of one kind", aggregates[-1].window.position
            )
        self.aggregate = aggregates[0] if aggregates else None
        self.stream = next(node.stream for node in walk(plan) if isinstance(node, Input))
        self.steps = self._steps()
        self.room = groups.ROOM  # groups that a table should have
        check(self.steps)

    def _steps(self) -> list[Plan]:
        """The plan's nodes after the aggregate, in order."""
        found, node = [], self.plan
        while self.aggregate is not None and node is not self.aggregate:
            assert isinstance(node, Compute | Filter | Project)
            found.append(node)
            node = node.child
        return found[::-1]

    def _reads_end(self) -> bool:
        """Whether anything after the aggregate has the windows' end."""
        end = self.aggregate.end
        for step in self.steps:
            read = step.operands if isinstance(step, Compute) else ()
            read = [value for _, value in step.outputs] if isinstance(step, Project) else read
            if end is not None and any(value == end for value in read):
                return True
        return False

    def within(self, limits: Limits | None) -> MachineCode:
        """The program for a machine, or for the smallest that has room."""
        if limits is not None:
            self.room = 1
            return self._compiled(limits)
        sizes = [1 << k for k in range(4, MOST_WORDS.bit_length())]
        wanted = None
        for size in sizes:
            for code, buffer in product(CODE, sizes[:3]):
                try:
                    return self._compiled(Limits(synopsis=size, buffer=buffer, code=code))
                except _TooSmall as error:
                    wanted = error
        raise QueryError(wanted.message, wanted.position)

    def _compiled(self, limits: Limits) -> MachineCode:
        terms, places = Terms(self.constants), words.layout(self.stream, limits.width)
        found = None
        if self.aggregate is None:
            sections, parts = project(self.plan, terms, places, limits)
            layout, used = Layout(parts), 0
            row = max((part.first + part.count for part in parts), default=0)
        else:
            columns, held = terms.of(self.aggregate.child)
            made = Made(self.aggregate, terms, columns, held, places, limits, self.stream, self._reads_end())
            found = self._windows(made)
            sections, used = found.sections, found.synopsis
            row = found.first + found.states.words
            layout = Layout((), found, self.aggregate, self.steps, self.constants)
        position = self.aggregate.window.position if self.aggregate else None
        if used > limits.synopsis:
            raise _TooSmall(f"{used} words for the windows, and the synopsis has {limits.synopsis}", position)
        if row > limits.buffer:
            raise _TooSmall(f"a row of {row} words, and the transmission buffer has {limits.buffer}", position)
        return self._assembled(sections, layout, limits, found)

    def _windows(self, made: Made) -> Windows:
        window = self.aggregate.window
        whole = window.unit == "time" and not window.slack and not window.emit_empty
        merges = whole and (self.aggregate.keys or window.size == window.advance) and panes_of(made)
        if merges and (found := groups.merge_states(made)) is not None:
            return groups.merged(made, found)
        if not self.aggregate.keys:
            return rolling(made) or windows(made)
        if panes_of(made) and window.size < window.advance:
            raise made.refuse("GROUP BY where ADVANCE is more than SIZE")
        found = groups.table(made)
        if found.groups < self.room and made.limits.synopsis < MOST_WORDS:
            raise _TooSmall(f"{found.groups} groups in a synopsis of {made.limits.synopsis} words", window.position)
        return found

    def _assembled(self, sections: list[Section], layout: Layout, limits: Limits, found: Windows | None) -> MachineCode:
        for section in sections:
            within_reach(section)
        declared = ", ".join(f"{f.name} {f.declared}" for f in self.stream.schema.fields)
        head = (
            f"# {self.name}, written by wirestream compile --machine\n.stream {self.stream.schema.name} ({declared})\n"
        )
        text = head + "".join(f"\n{section.text}\n" for section in sections)
        program = replace(assemble(text, [self.stream], limits), stream=self.stream)
        if program.size > limits.code:
            raise _TooSmall(f"the program has {program.size} bytes, and a slot of the machine {limits.code}")
        window = self.aggregate.window if self.aggregate and self.aggregate.window.in_time else None
        return MachineCode(self.name, text, program, verify(program, limits), limits, self.stream, layout, window)
