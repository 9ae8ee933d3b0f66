"""All passes in a row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wirestream.compiler import algebra, hardware, syntax
from wirestream.compiler.errors import QueryError
from wirestream.compiler.rewrite import Rewrites, rewrite
from wirestream.compiler.streams import Stream, declared, load
from wirestream.compiler.verilog import module_name, verilog


@dataclass(frozen=True)
class Compiled:
    """A query's circuit: what is known of it, and its Verilog."""

    circuit: hardware.Circuit
    verilog: str

    @property
    def module(self) -> str:
        return module_name(self.circuit)


def compile_query(
    sql: str,
    streams: Iterable[Path | Stream] = (),
    name: str | None = None,
    rewrites: Rewrites | None = None,
    clock_ns: float = hardware.CLOCK_NS,
    capacity: int = hardware.CAPACITY,
) -> Compiled:
    """The circuit of the one query in `sql`; raises `QueryError`.

    streams: those that the text does not declare itself. name: of the circuit, else that of the result.
    """
    known = {s.schema.name: s for s in (load(s) if isinstance(s, Path) else s for s in streams)}
    queries = []
    for statement in syntax.parse(sql):
        if isinstance(statement, syntax.Create):
            if statement.name in known:
                raise QueryError(f"stream {statement.name} is declared twice", statement.place)
            known[statement.name] = declared(statement, len(known) + 1)
        else:
            queries.append(statement)
    if len(queries) != 1:
        raise QueryError(f"one query is wanted, and here are {len(queries)}")
    (query,) = queries
    rewrites = rewrites or Rewrites()
    plan = rewrite(algebra.build(query, known), rewrites)
    circuit = hardware.plan_circuit(name or query.into, plan, rewrites, clock_ns, capacity)
    return Compiled(circuit, verilog(circuit, sql))
