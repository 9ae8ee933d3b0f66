"""All passes in a row."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wirestream.compiler import planner, syntax
from wirestream.compiler.analysis import constant_answers
from wirestream.compiler.circuit import Circuit
from wirestream.compiler.lower import build
from wirestream.compiler.methods import WindowOptions
from wirestream.compiler.rewrite import Rewrites, rewrite
from wirestream.compiler.verilog import verilog
from wirestream.errors import QueryError
from wirestream.schema.declaration import Create
from wirestream.schema.formats import Format, shipped
from wirestream.schema.streams import Stream, declared, load


@dataclass(frozen=True)
class Compiled:
    """The circuit of one or more queries: what is known of it, and its Verilog."""

    circuit: Circuit
    verilog: str

    @property
    def module(self) -> str:
        return self.circuit.module


def compile_queries(
    sql: str,
    streams: Iterable[Path | Stream | Format] = (),
    name: str | None = None,
    rewrites: Rewrites | None = None,
    clock_ns: float = planner.CLOCK_NS,
    capacity: int = planner.CAPACITY,
    windows: WindowOptions | None = None,
) -> Compiled:
    """One circuit for the queries in `sql`; raises `QueryError`, and ValueError for options of what is not there.

    streams: those that the text does not declare itself, and the messages that it says streams are of. name: of the
    circuit, else that of the first result; what cannot stand in a name of Verilog becomes _.
    """
    given = [load(s) if isinstance(s, Path) else s for s in streams]
    formats = [*shipped(), *(s for s in given if isinstance(s, Format))]
    known = {s.schema.name: s for s in given if isinstance(s, Stream)}
    queries: list[syntax.Query] = []
    for statement in syntax.parse(sql):
        if isinstance(statement, Create):
            if statement.name in known:
                raise QueryError(f"stream {statement.name} is there already; take another name", statement.position)
            made = declared(statement, len(known) + 1, formats)
            if other := next((one for one in known.values() if _framed_otherwise(made, one)), None):
                position = statement.framing.position if statement.framing else statement.position
                raise QueryError(f"{made.origin.format.name} comes framed otherwise for {other.schema.name}", position)
            known[statement.name] = made
        elif any(statement.into.lower() == other.into.lower() for other in queries):
            raise QueryError(
                f"two results are called {statement.into}; name each with INTO", statement.body[0].position
            )
        else:
            queries.append(statement)
    if not queries:
        raise QueryError("a query is wanted, and here is none")
    rewrites, windows = rewrites or Rewrites(), windows or WindowOptions()
    if unknown := windows.of.keys() - {query.into for query in queries}:
        raise ValueError(f"windows of {', '.join(sorted(unknown))}: no result has that name")
    plans = [(query.into, build(query, known)) for query in queries]
    warnings = [line for _, plan in plans for line in constant_answers(plan)]
    plans = [(into, rewrite(plan, rewrites)) for into, plan in plans]
    name = re.sub(r"\W", "_", name or queries[0].into, flags=re.ASCII)
    circuit = planner.plan_circuit(name, plans, rewrites, clock_ns, capacity, windows)
    circuit.warnings = list(dict.fromkeys(warnings))
    return Compiled(circuit, verilog(circuit, sql))


def _framed_otherwise(one: Stream, other: Stream) -> bool:
    """Whether two streams are of messages that cannot come on one wire because of how they are framed."""
    mine, theirs = one.origin, other.origin
    return bool(mine and theirs) and mine.format == theirs.format and mine.framing != theirs.framing
