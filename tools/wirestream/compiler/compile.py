"""All passes in sequence."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wirestream.compiler import planner, syntax
from wirestream.compiler.analysis import constant_answers
from wirestream.compiler.circuit import Circuit
from wirestream.compiler.lower import build
from wirestream.compiler.methods import WindowOptions
from wirestream.compiler.parse import parse
from wirestream.compiler.plan import Plan
from wirestream.compiler.rewrite import Rewrites, rewrite
from wirestream.compiler.scope import MOST_VALUES
from wirestream.compiler.verilog import verilog
from wirestream.compiler.wide_sums import in_parts
from wirestream.errors import QueryError
from wirestream.schema.declaration import Create
from wirestream.schema.formats import Format, shipped
from wirestream.schema.streams import Stream, declared, load

CALLS = 8  # for a node of a plan, with room for the others


@dataclass(frozen=True)
class Compiled:
    """The circuit of one or more queries, and its Verilog."""

    circuit: Circuit
    verilog: str

    @property
    def module(self) -> str:
        return self.circuit.module


@dataclass(frozen=True)
class Planned:
    """The queries of a text with their plans, before any choice of cores. warnings: of what is always the same."""

    queries: list[syntax.Query]
    plans: list[Plan]
    warnings: list[str]


def plans_of(
    sql: str, streams: Iterable[Path | Stream | Format] = (), rewrites: Rewrites | None = None, parts: bool = True
) -> Planned:
    """The plans of the queries in `sql`; raises `QueryError`. parts: wide sums may be made of sums of parts."""
    given = [load(s) if isinstance(s, Path) else s for s in streams]
    formats = [*shipped(), *(s for s in given if isinstance(s, Format))]
    known = {s.schema.name: s for s in given if isinstance(s, Stream)}
    queries: list[syntax.Query] = []
    for statement in parse(sql):
        if isinstance(statement, Create):
            if statement.name in known:
                raise QueryError(f"stream {statement.name} already exists; choose another name", statement.position)
            made = declared(statement, len(known) + 1, formats)
            if other := next((one for one in known.values() if _framed_otherwise(made, one)), None):
                position = statement.framing.position if statement.framing else statement.position
                why = f"{made.origin.format.name} has another FRAMING in stream {other.schema.name}; both need the same"
                raise QueryError(why, position)
            known[statement.name] = made
        elif any(statement.into.lower() == other.into.lower() for other in queries):
            raise QueryError(
                f"two results are named {statement.into}; give each its own name with INTO", statement.body[0].position
            )
        else:
            queries.append(statement)
    if not queries:
        raise QueryError("no query in the file")
    rewrites = rewrites or Rewrites()
    with deep():
        plans = [build(query, known) for query in queries]
        warnings = [line for plan in plans for line in constant_answers(plan)]
        plans = [rewrite(in_parts(plan) if parts and rewrites.parts else plan, rewrites) for plan in plans]
    return Planned(queries, plans, list(dict.fromkeys(warnings)))


def compile_queries(
    sql: str,
    streams: Iterable[Path | Stream | Format] = (),
    name: str | None = None,
    rewrites: Rewrites | None = None,
    clock_ns: float = planner.CLOCK_NS,
    capacity: int = planner.CAPACITY,
    windows: WindowOptions | None = None,
) -> Compiled:
    """One circuit for the queries in `sql`; raises `QueryError`, or ValueError for an option that names no result.

    streams: the streams that the text does not declare, and the message formats that its declarations name. name: of
    the circuit; default: that of the first result. A character that is illegal in a Verilog name becomes _.
    """
    rewrites, windows = rewrites or Rewrites(), windows or WindowOptions()
    planned = plans_of(sql, streams, rewrites)
    names = [query.into for query in planned.queries]
    if unknown := windows.of.keys() - set(names):
        raise ValueError(f"method for windows of {', '.join(sorted(unknown))}: no such result")
    name = re.sub(r"\W", "_", name or names[0], flags=re.ASCII)
    with deep():
        plans = list(zip(names, planned.plans, strict=True))
        circuit = planner.plan_circuit(name, plans, rewrites, clock_ns, capacity, windows)
    circuit.warnings = planned.warnings
    return Compiled(circuit, verilog(circuit, sql))


@contextmanager
def deep() -> Iterator[None]:
    """A plan is as deep as it has nodes, of which each takes a few calls."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(max(usual, CALLS * MOST_VALUES))
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)


def _framed_otherwise(one: Stream, other: Stream) -> bool:
    """Whether two streams of one message format differ in their framing, so that they cannot share one input."""
    mine, theirs = one.origin, other.origin
    return bool(mine and theirs) and mine.format == theirs.format and mine.framing != theirs.framing
