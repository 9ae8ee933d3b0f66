"""The possible cuts of a query, from the stream upward: the part below a cut is a query for the chip, the rest Spark's.

An operator on the chip has all its inputs there, so a cut is a position in the chain of blocks. In a block it may be

======== ======================================================================================================
SELECT   after the conditions of WHERE that the chip supports. Not below a window in time on Spark, because lateness
         depends on all tuples, including those that WHERE drops
GROUP    after the window and its aggregates (avg as sum and count), and the conditions of HAVING that the chip supports
WHOLE    after the block
======== ======================================================================================================

or NOTHING: Spark reads the stream itself. The chip supports what the compiler compiles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from sqlglot import exp

from wirestream.errors import QueryError
from wirestream.split.expressions import dialect, foreign, names, ordered, outermost, replaced, spark
from wirestream.split.query import Block, DividedQuery, Whole

FROM_CHIP = "FromChip"  # the chip's result, which Spark continues with
LEAF = -1  # the block of a part that is not cut


class Depth(IntEnum):
    NOTHING = 0
    SELECT = 1
    GROUP = 2
    WHOLE = 3


@dataclass(frozen=True)
class Operator:
    """block: its position in the chain. depth: that of the cuts with the operator on the chip. lacks: what the dialect
    does not support."""

    block: int
    depth: Depth
    text: str
    lacks: str = ""


@dataclass(frozen=True)
class Cut:
    """block: its position in the chain, or LEAF. sql: the chip's query, "" for none. measures: for GROUP, the names of
    the aggregates. grouped: it ends with a GROUP BY. left: conditions of the block that Spark evaluates."""

    block: int
    depth: Depth
    sql: str = ""
    measures: dict[exp.Expression, tuple[str, ...]] = field(default_factory=dict)
    grouped: bool = False
    left: tuple[exp.Expression, ...] = ()

    def has(self, operator: Operator) -> bool:
        below = (operator.block, operator.depth) <= (self.block, self.depth)
        return self.depth != Depth.NOTHING and below and not operator.lacks


def operators(query: DividedQuery) -> list[Operator]:
    """The operators of a query, from the stream upward."""
    found = []
    if isinstance(query.leaf, Whole):
        found.append(Operator(LEAF, Depth.WHOLE, query.leaf.plain or shown(query.leaf.tree), query.leaf.lacks))
    for n, block in enumerate(query.chain):
        for condition in block.where:
            lacks = _of_stream(block, condition) or foreign(condition)
            found.append(Operator(n, Depth.SELECT, f"WHERE {shown(condition)}", lacks))
        found += [Operator(n, Depth.WHOLE, shown(join), "a JOIN with a table") for join in block.joins]
        if block.aggregates or block.keys:
            text = ", ".join(map(shown, block.aggregates)) or "DISTINCT keys"
            keys = f" GROUP BY {', '.join(map(shown, block.keys))}" * bool(block.keys)
            lacks = _lacks(block) if block.window else "aggregates without a window, which never end"
            found.append(Operator(n, Depth.GROUP, f"{block.window}{keys}: {text}".strip(), lacks))
        for condition in block.having:
            found.append(Operator(n, Depth.GROUP, f"HAVING {shown(condition)}", foreign(condition)))
        lacks = next(filter(None, map(foreign, block.items)), "")
        found.append(Operator(n, Depth.WHOLE, f"SELECT {', '.join(map(shown, block.items))}", lacks))
        found += [Operator(n, Depth.WHOLE, shown(part), name.upper()) for name, part in block.last.items()]
    return found


def shown(part: exp.Expression) -> str:
    return spark(part).strip()


def cuts(query: DividedQuery) -> Iterator[Cut]:
    """All cuts, first the one that leaves all to Spark. They are not checked for whether they can be built."""
    yield Cut(LEAF, Depth.NOTHING)
    leaf = query.leaf
    if isinstance(leaf, Whole):
        if leaf.lacks:
            return
        if not _late(query, LEAF):
            yield Cut(LEAF, Depth.WHOLE, f"{leaf.plain}\nINTO {FROM_CHIP if query.chain else query.name}")
    below, chain = "", query.chain
    for n, block in enumerate(chain):
        source = block.source if isinstance(block.source, str) else f"({below or leaf.plain})"
        if not _late(query, n):
            yield from _of_block(query, n, block, source, last=n == len(chain) - 1)
        if not whole(block):
            return
        below = _text(query, block, source)


def _late(query: DividedQuery, n: int) -> bool:
    """Whether a block above decides which tuples are late."""
    return any(above.window and above.spec.in_time for above in query.chain[n + 1 :])


def _of_block(query: DividedQuery, n: int, block: Block, source: str, last: bool) -> Iterator[Cut]:
    if block.columns is None:
        return
    into = f"\nINTO {FROM_CHIP}"
    here = [c for c in block.where if not (_of_stream(block, c) or foreign(c))]
    left = [c for c in block.where if c not in here]
    if here and not (block.window and block.spec.in_time):
        yield Cut(n, Depth.SELECT, f"{_select(_read(query, block, left), source, here)}{into}", left=tuple(left))
    if block.aggregates and block.window and not (left or _lacks(block)):
        measures = {call: tuple(f"{part.key}_{k}" for part in _parts(call)) for k, call in enumerate(block.aggregates)}
        having = [c for c in block.having if not foreign(c)]
        sql = _text(query, block, source, _measured(query, block, measures), having)
        left = tuple(c for c in block.having if c not in having)
        yield Cut(n, Depth.GROUP, f"{sql}{into}", measures, bool(block.keys), left)
    if whole(block):
        into = f"\nINTO {query.name}" if last else into
        yield Cut(n, Depth.WHOLE, f"{_text(query, block, source)}{into}", grouped=bool(block.keys))


def _lacks(block: Block) -> str:
    """Why the chip cannot group and aggregate."""
    if not all(isinstance(key, exp.Column) for key in block.keys):
        return "GROUP BY an expression"
    return next(filter(None, map(foreign, block.aggregates)), "a JOIN with a table" * bool(block.joins))


def _parts(call: exp.Expression) -> list[exp.Expression]:
    """The aggregates that the chip computes for one: for an average, a sum and a count."""
    return [exp.Sum(this=call.this.copy()), exp.Count(this=call.this.copy())] if isinstance(call, exp.Avg) else [call]


def _measured(query: DividedQuery, block: Block, measures: dict) -> list[exp.Expression]:
    """The SELECT list of a cut after GROUP: the window's end and the keys, if they are used, and the parts."""
    ends = [attribute(query, block)] if block.spec.in_time else []
    asked = [name for name in (*ends, *(key.name for key in block.keys)) if name in block.outside_aggregates]
    parts = [
        exp.alias_(part.copy(), name)
        for call, made in measures.items()
        for part, name in zip(_parts(call), made, strict=True)
    ]
    return [*map(exp.column, asked), *parts]


def attribute(query: DividedQuery, block: Block) -> str:
    """The windowing attribute of a block with a window in time."""
    stream = query.streams[query.reads[0]]
    if block.spec.attribute is None and stream.time is None:
        raise QueryError(f"{stream.schema.name} has no time attribute; name one with WATTR")
    return block.spec.attribute or stream.time


def _read(query: DividedQuery, block: Block, left: list[exp.Expression]) -> list[str]:
    """The columns that the rest of a block reads; at least one."""
    parts = [*block.items, *left, *block.keys, *block.having, *block.joins, *block.last.values()]
    shared = any(join.args.get("using") or join.args.get("method") for join in block.joins)
    if shared or any(not isinstance(star.parent, exp.Count) for part in parts for star in part.find_all(exp.Star)):
        return list(block.columns)
    columns = (column for part in parts for column in part.find_all(exp.Column))
    read = {column.name for column in columns if column.table in ("", block.alias)}
    return [name for name in block.columns if name in read] or [block.columns[0]]


def whole(block: Block) -> bool:
    """Whether the dialect supports the whole block."""
    parts = (*block.where, *block.items, *block.having)
    return not (block.joins or block.last or any(map(foreign, parts)) or (block.aggregated and _lacks(block)))


def _of_stream(block: Block, condition: exp.Expression) -> str:
    """The part of a condition that is not on the stream's side of a JOIN with a table, or ""."""
    if not block.joins:
        return ""
    if any(join.side not in ("", "LEFT") or join.kind not in ("", "INNER", "OUTER", "CROSS") for join in block.joins):
        return "selection before this JOIN"
    for column in condition.find_all(exp.Column):
        if column.table != block.alias:
            return f"{column.sql('spark')}, which is not a column of {block.alias}"
    return ""


# ---- Text of the dialect


def _select(columns: list[str], source: str, where: list[exp.Expression]) -> str:
    return f"SELECT {', '.join(columns)}\nFROM {source}{clause('WHERE', where)}"


def _text(query: DividedQuery, block: Block, source: str, items: list | None = None, having: list | None = None) -> str:
    """The text of a block. items, having: replacements for its own.

    GROUP BY aggregates only columns, of a sub-query if necessary, because overflowing tuples have no other values.
    """
    items, having = block.items if items is None else items, block.having if having is None else having
    where, aggregates = block.where, [call for part in (*items, *having) for call in outermost(part)]
    values = dict.fromkeys(value for call in aggregates if not ordered(call) for value in _of(call))
    computed = [value for value in values if not isinstance(value, exp.Column | exp.Star)]
    if block.keys and block.spec and block.spec.in_time and computed:
        made = {value: exp.column(f"value_{k}") for k, value in enumerate(computed)}
        read = {*names(*block.keys, *(replaced(call, made) for call in aggregates)), attribute(query, block)}
        inner = [name for name in block.columns if name in read]
        inner += [f"{dialect(value)} AS {column.name}" for value, column in made.items()]
        source, where = f"({_select(inner, source, where)})", []
        items, having = ([replaced(part, made) for part in parts] for parts in (items, having))
    window = f" {block.window}" if block.window else ""
    text = f"SELECT {', '.join(map(dialect, items))}\nFROM {source}{window}{clause('WHERE', where)}"
    keys = f"\nGROUP BY {', '.join(key.name for key in block.keys)}" if block.keys else ""
    return f"{text}{keys}{clause('HAVING', having)}"


def _of(call: exp.Expression) -> list[exp.Expression]:
    """What an aggregate is of, without DISTINCT."""
    if isinstance(call.this, exp.Distinct):
        return call.this.expressions
    return [call.this] if isinstance(call.this, exp.Expression) else []


def clause(word: str, conditions: list[exp.Expression]) -> str:
    texts = (f"({dialect(c)})" if isinstance(c, exp.Or) else dialect(c) for c in conditions)
    return f"\n{word} {' AND '.join(texts)}" if conditions else ""
