"""A circuit as JSON, for programs that drive it: its ports, records, windows, constants, promises.

::

    {"module": "ws_query_q3",
     "grace": 4, or null,
     "constants": {"limit": {"width": 32, "type": "int32"}},                    the ports const_<name>
     "entries": [{"prefix": "s", "stream": {name, id, fields}, "close_cycles": 2, "tuple_gap": 1, "interval": 1,
                  "reset_cycles": 1,
                  "window": {unit, attribute, size, advance, slack, start, max_ahead, resync, emit_empty} or null,
                  "step": distance of the boundaries above the start, or null: that of the windows,
                  "where": cycles from <prefix>_where_data to <prefix>_where, or null: no condition}],
     "results": [{"prefix": "m", "stream": {name, id, fields}, "entry": 0,
                  "latency": 2, "exact": true, "early": 0, "wait": 0, "closing_rows": 1,
                  "tuple_rows": 0, "sifted": false, "sides": null, "pairs": null, "order": "arrival",
                  "scale": {column: power of two}}],
     "spills":  [{"prefix": "o", "stream": {name, id, fields}, "copies": 1}]}

`unit`: time, or session, whose GAP is `size`. `exact`: every row leaves after exactly `latency` cycles; else up to
`early` cycles earlier, or later when it waits in a union. `wait`: the most cycles later, even if `exact`, which
other rows of the window take. `closing_rows`, `tuple_rows`: the most rows, one per cycle, that a punctuation and that
a tuple cause; `sifted`: any of them may be missing, even the first.
`fields`: each with its type, as ["Price", "int"], or ["Mean", "long null"] if the record has flags for it (see
docs/wire-format.md); the bytes of flags are the last fields, and if `order` is true, then the bytes whose order is that
of the rows; it is missing where rows always leave in their order.
`grace`: with a JOIN, for how many cycles after the cycle in which `ready` fell tuples may still arrive; `sides`: the
entries of R and S that a result's JOIN reads; `pairs`: the most pairs that a tuple makes there, one per cycle. A tuple
that finds the join idle has its first pair within `latency`, before conditions that follow the join.
`order`: "arrival": rows leave in the order of arrival of their tuples; "sorted": in the order of their windows, and in
a window in that of ORDER BY, or by partitions and numbers of rows; a column: the end of their windows, which never
falls from row to row; null: no promised order.
`scale`: the columns that are a weighted sum, each multiplied by that power of two.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import asdict, replace

from wirestream.compiler.circuit import GRACE, Circuit, Entry, Result
from wirestream.compiler.ordered import Numbered, Sort
from wirestream.compiler.plan import Aggregate, Column, Filter, Input, Join, Plan, Project, Union, walk
from wirestream.schema.fields import Field
from wirestream.schema.tuples import FLAGS_IN_A_BYTE, Schema

SORTED = "sorted"  # an `order`


def describe(circuit: Circuit) -> dict:
    return {
        "module": circuit.module,
        "grace": GRACE if circuit.joins else None,
        "constants": {name: {"width": k.width, "type": str(k)} for name, k in sorted(circuit.runtime.items())},
        "entries": [_entry(entry) for entry in circuit.entries],
        "results": [_result(result, circuit) for result in circuit.results],
        "spills": [{"prefix": s.prefix, "stream": _schema(s.schema), "copies": s.copies} for s in circuit.spills],
    }


def load_schema(described: dict, fallible: Container[str] = ()) -> Schema:
    """The schema of a `stream` of the description. fallible: the nullable columns of a result in a description of an
    earlier version, in which the types do not say it."""
    fields = tuple(Field.of(name, declared) for name, declared in described["fields"])
    fields = tuple(replace(field, nullable=field.nullable or field.name in fallible) for field in fields)
    flags = -(-sum(field.nullable for field in fields) // FLAGS_IN_A_BYTE)
    order = fields[-1].arguments[0] if described.get("order") else 0
    return Schema(described["name"], described["id"], fields[: len(fields) - flags - bool(order)], order)


def _schema(schema: Schema) -> dict:
    fields = [[field.name, field.declared] for field in schema.in_record]
    return {"name": schema.name, "id": schema.stream_id, "fields": fields} | ({"order": True} if schema.order else {})


def _entry(entry: Entry) -> dict:
    window = None
    if entry.window:
        window = asdict(entry.window)
        del window["position"]
    return {
        "prefix": entry.prefix,
        "stream": _schema(entry.stream.schema),
        "close_cycles": entry.close_cycles,
        "tuple_gap": entry.tuple_gap,
        "interval": entry.interval,
        "reset_cycles": entry.reset_cycles,
        "window": window,
        "step": entry.step,
        "where": entry.verdict and entry.verdict.latency,
    }


def _result(result: Result, circuit: Circuit) -> dict:
    closing, each = result.bus.rows
    plan = list(walk(result.plan))
    return {
        "prefix": result.prefix,
        "stream": _schema(result.schema),
        "entry": circuit.entries.index(result.entry),
        "latency": result.latency,
        "exact": result.bus.exact,
        "early": result.bus.early,
        "wait": result.bus.wait,
        "closing_rows": closing,
        "tuple_rows": each,
        "sifted": result.bus.gaps
        or any(
            isinstance(n, Filter) and any(isinstance(m, Aggregate | Join | Numbered) for m in walk(n)) for n in plan
        ),
        **_joined(plan, circuit),
        "order": order(result.plan),
        "scale": scales(result.plan),
    }


def order(plan: Plan) -> str | None:
    """See above. Neither a union nor a join promises an order."""
    nodes = list(walk(plan))
    if any(isinstance(node, Union | Join) for node in nodes):
        return None
    if any(isinstance(node, Sort | Numbered) for node in nodes):
        return SORTED
    aggregates = [node for node in nodes if isinstance(node, Aggregate)]
    if not aggregates:
        return "arrival"
    end = aggregates[-1].end
    found = [c.name for c, v in plan.outputs if v == end] if end and isinstance(plan, Project) else []
    return found[0] if found else None


def _joined(plan: list[Plan], circuit: Circuit) -> dict:
    """`sides` and `pairs`. In a self-join a tuple is compared with both windows."""
    joins = [node for node in plan if isinstance(node, Join)]
    if not joins:
        return {"sides": None, "pairs": None}
    read = [next(node.stream for node in walk(side) if isinstance(node, Input)) for side in joins[0].inputs]
    plain = {entry.stream: n for n, entry in enumerate(circuit.entries) if entry.window is None}
    return {"sides": [plain[stream] for stream in read], "pairs": joins[0].window.rows * (3 - len(set(read)))}


def scales(plan: Plan) -> dict[str, int]:
    """The columns of a result that are a plain weighted sum, and the exponent of the power of two in each."""
    measures = {m.output.name: m.scale for node in walk(plan) if isinstance(node, Aggregate) for m in node.measures}
    if not isinstance(plan, Project):
        return {}
    return {c.name: measures[v.name] for c, v in plan.outputs if isinstance(v, Column) and measures.get(v.name)}
