"""Spark's part of a query as steps, and the text of the job that runs them.

A step makes a view. Windows of the dialect over a stream, or over the chip's selection, are evaluated directly
(`split.evaluate`); if they contain Spark functions, each tuple is assigned to its windows, and Spark groups them. The
rest is Spark SQL with the semantics of the dialect: `a DIV b` and `a % b` are null if b is 0, `avg` of integers is
`sum DIV count`, `first`, `last`, `max_by` and `min_by` go by arrival.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import sqlglot
from sqlglot import exp

from wirestream.compiler.lower import build
from wirestream.compiler.parse import parse
from wirestream.errors import QueryError
from wirestream.split.cuts import FROM_CHIP, Cut, Depth, attribute, clause, whole
from wirestream.split.expressions import (
    dialect,
    foreign,
    is_decimal,
    names,
    of_integers,
    outermost,
    replaced,
    spark,
    timestamp_unit,
)
from wirestream.split.query import Block, DividedQuery, Whole

WINDOWED, WHOLE = "Windowed", "Whole"  # views
TRUNCATED = {"s": "second", "ms": "millisecond"}  # timestamps by their units
# Those of Spark are doubles, or estimated in another way; sqlglot has no node for std.
OTHERS = (
    exp.ApproxDistinct,
    exp.VariancePop,
    exp.Variance,
    exp.StddevPop,
    exp.StddevSamp,
    exp.Stddev,
    exp.CovarPop,
    exp.CovarSamp,
    exp.Corr,
    exp.ApproxQuantile,
)
SPLIT_INDEX = "IF(length({0}) - length(replace({0}, {1}, '')) >= {2}, split_part({0}, {1}, {2} + 1), NULL)"
WINDOW, SESSION, ORDER = "_window", "_session", "_order"  # columns added to a stream's own
CHIP_FOLDER = "fpga"
JOB = '''"""{title}

{about}

    python {file} --pcap CAPTURE

with a Python that has wirestream[spark]. --log DIR reads a log of `wirestream receive` instead of a capture, --out DIR
writes the rows as Parquet.
"""

from pathlib import Path

from pyspark.sql import DataFrame

from wirestream.split.host import Job, main

HERE = Path(__file__).resolve().parent
CONSTANTS = {constants}
TABLES = {tables}


def rows(job: Job) -> DataFrame:
{steps}


if __name__ == "__main__":
    main(__doc__, rows, CONSTANTS, TABLES)
'''


@dataclass(frozen=True)
class Step:
    """job.method(view, *arguments), of `host.Job`; the last step's view is the result. arguments: as Python text."""

    view: str
    method: str
    arguments: tuple[str, ...]

    @property
    def line(self) -> str:
        return f"job.{self.method}({', '.join((literal(self.view), *self.arguments))})"


@dataclass(frozen=True)
class Rest:
    """Spark's part of a block. select: without FROM and WHERE. where: its conditions. window: evaluated by Spark."""

    block: Block
    select: exp.Select
    where: list[exp.Expression]
    window: str = ""

    @classmethod
    def of(cls, block: Block) -> Rest:
        return cls(block, with_results(block, lambda node: node), block.where, block.window)


def steps(query: DividedQuery, cut: Cut, finished: bool) -> list[Step]:
    """The steps for a cut. finished: Spark computes overflowing groups. Raises QueryError if no steps compute the
    rest."""
    found, rest = _read(query, cut, finished), _rest(query, cut)
    base, ordered, leaf = found[0].view, not finished, "" if cut.sql else query.leaf
    windowed = [n for n, part in enumerate(rest) if part.window]
    relation: exp.Expression = exp.to_table(base)
    if windowed:
        if finished:
            raise QueryError("a window on Spark over groups of the chip")
        below, rest = rest[: windowed[-1] + 1], rest[windowed[-1] + 1 :]
        found.append(_windowed(query, below, leaf if isinstance(leaf, Whole) else base))
        ordered = found[-1].method == "windows"
        rest, relation = [*([_by_window(query, below[0])] if ordered else []), *rest], exp.to_table(WINDOWED)
    elif isinstance(leaf, Whole):
        ordered = False
        if not leaf.lacks:
            found.append(_evaluated(query, WHOLE, leaf.plain))
            relation = exp.to_table(WHOLE)
        elif leaf.windowed:
            raise QueryError(f"{leaf.why}, and its windows exclude {leaf.lacks}; put that around a sub-query")
        else:
            relation = exp.Subquery(this=translated(leaf.tree.copy(), set(), False))
    if rest or isinstance(relation, exp.Subquery):
        text = _sql(rest, relation, ordered)
        if ordered and re.search(rf"\b{ORDER}\b", text) and relation.name != WINDOWED:
            found[0] = replace(found[0], arguments=(*found[0].arguments, "ordered=True"))
        found.append(Step(query.name, "sql", (quoted(text),)))
    return found


def _read(query: DividedQuery, cut: Cut, finished: bool) -> list[Step]:
    """The steps that read the inputs."""
    if not cut.sql:
        return [Step(name, "stream", (f'HERE / "{name.lower()}.yml"',)) for name in query.reads]
    arguments = [f'HERE / "{CHIP_FOLDER}" / "{query.name.lower()}.json"']
    arguments += [quoted(cut.sql)] if finished else []
    name = FROM_CHIP if f"INTO {FROM_CHIP}" in cut.sql else query.name
    return [Step(name, "finished" if finished else "chip", tuple(arguments))]


def _windowed(query: DividedQuery, below: list[Rest], base: str | Whole) -> Step:
    """The step for the blocks up to the last window on Spark."""
    lacks = base.lacks if isinstance(base, Whole) else ""
    if not lacks and all(whole(part.block) for part in below):
        source = f"({base.plain})" if isinstance(base, Whole) else base
        return _evaluated(query, WINDOWED, _dialect(below, source), of_streams=source not in (FROM_CHIP, query.name))
    if len(below) > 1 or isinstance(base, Whole):
        raise QueryError("a window over a sub-query, with functions of Spark in one; put these around the window")
    return _in_windows(query, below[0], base)


def _evaluated(query: DividedQuery, view: str, text: str, of_streams: bool = True) -> Step:
    """The step for a text of the dialect; an invalid text raises QueryError here, not in the job."""
    if of_streams:
        (statement,) = parse(text)
        build(statement, query.streams)
    return Step(view, "dialect", (quoted(text),))


def job(
    query: DividedQuery, cut: Cut, found: list[Step], file: str, constants: Mapping, tables: Mapping[str, Path]
) -> str:
    """The text of the job."""
    *before, last = [step.line for step in found]
    source = "what the board sends" if cut.sql else "the stream itself"
    return JOB.format(
        title=f"The part of {query.name} that Spark computes, written by `wirestream split`.",
        about=f"It reads {source} from a capture and shows the rows.",
        file=file,
        constants=json.dumps(dict(constants)),
        tables=json.dumps({name: str(path) for name, path in tables.items()}),
        steps=textwrap.indent("\n".join([*before, f"return {last}"]), "    "),
    )


def literal(value: str) -> str:
    return f'"{value}"' if value.isprintable() and not set(value) & set('"\\') else repr(value)


def quoted(text: str) -> str:
    """A multi-line string literal."""
    return repr(text) if "\\" in text or '"""' in text else f'"""\n{textwrap.indent(text, "    ")}\n"""'


def with_results(block: Block, changed) -> exp.Select:
    """A copy of a SELECT without FROM, JOIN and WHERE, with its columns, HAVING and ORDER BY changed."""
    select = block.select.copy()
    for name in ("from_", "joins", "where"):
        select.set(name, None)
    select.set("expressions", [_named(item, changed(item.copy())) for item in block.items])
    if block.having:
        select.set("having", exp.Having(this=exp.and_(*(changed(condition.copy()) for condition in block.having))))
    if "order" in block.last:
        select.set("order", changed(block.last["order"].copy()))
    return select


def _named(item: exp.Expression, value: exp.Expression) -> exp.Expression:
    name = item.alias_or_name
    plain = isinstance(value, exp.Alias) or name in ("", "*", value.name if isinstance(value, exp.Column) else "")
    return value if plain else exp.alias_(value, name)


def _rest(query: DividedQuery, cut: Cut) -> list[Rest]:
    """Spark's part of the blocks, from the base upward."""
    chain = query.chain
    if cut.depth == Depth.NOTHING:
        return [Rest.of(block) for block in chain]
    above = [Rest.of(block) for block in chain[cut.block + 1 :]]
    if cut.depth == Depth.WHOLE:
        return above
    block = chain[cut.block]
    if cut.depth == Depth.SELECT:
        return [replace(Rest.of(block), where=list(cut.left)), *above]
    made = {call: _value(names) for call, names in cut.measures.items()}
    select = with_results(block, lambda node: replaced(node, made))
    for name in ("group", "having"):
        select.set(name, None)
    return [Rest(block, select, [replaced(condition, made) for condition in cut.left]), *above]


def _value(parts: tuple[str, ...]) -> exp.Expression:
    """An aggregate from the parts that the chip computed."""
    first, *second = map(exp.column, parts)
    return exp.IntDiv(this=first, expression=second[0]) if second else first


# ---- Windows


def _dialect(parts: list[Rest], base: str) -> str:
    """Text of the dialect for blocks whose windows Spark evaluates."""
    for part in parts:
        block, window = part.block, f" {part.window}" if part.window else ""
        text = f"SELECT {', '.join(map(dialect, block.items))}\nFROM {base}{window}{clause('WHERE', part.where)}"
        keys = f"\nGROUP BY {', '.join(key.name for key in block.keys)}" if block.keys else ""
        base = f"({text}{keys}{clause('HAVING', block.having)})"
    return base[1:-1]


def _in_windows(query: DividedQuery, part: Rest, base: str) -> Step:
    """The step that assigns every tuple to its windows, with the additional columns `_session`, `_window` (the end, or
    a number) and `_order`."""
    spec = part.block.spec
    if spec.emit_empty:
        raise QueryError("EMIT_EMPTY with functions of Spark; put these around a sub-query with the window")
    time = attribute(query, part.block) if spec.in_time else ""
    where = " AND ".join(f"({_translated(condition, part.block)})" for condition in part.where)
    named = [f"{name}={literal(value)}" for name, value in (("time", time), ("where", where)) if value]
    return Step(WINDOWED, "windows", (literal(base), literal(part.window), *named))


def _translated(condition: exp.Expression, block: Block) -> str:
    return spark(translated(_bare(condition.copy()), set(block.columns), False))


def _by_window(query: DividedQuery, part: Rest) -> Rest:
    """The block over tuples in their windows."""
    block = part.block
    ends = {exp.column(attribute(query, block)): exp.column(WINDOW)} if block.spec.in_time else {}

    def of_window(node: exp.Expression) -> exp.Expression:
        node = _bare(node)
        kept = {call: exp.column(f"#{k}") for k, call in enumerate(dict.fromkeys(outermost(node)))}
        back = {column: call for call, column in kept.items()}
        return replaced(replaced(replaced(node, kept), ends), back)

    select = with_results(block, of_window)
    select.set("group", exp.Group(expressions=[exp.column(SESSION), exp.column(WINDOW), *map(_bare, block.keys)]))
    return Rest(block, select, [])


def _bare(node: exp.Expression) -> exp.Expression:
    """The expression with unqualified columns."""
    for column in list(node.find_all(exp.Column)):
        column.set("table", None)
    return node


# ---- Spark SQL


def _sql(rest: list[Rest], relation: exp.Expression, ordered: bool) -> str:
    """Nested blocks, the first over a relation whose rows may have an order."""
    if not rest:
        return relation.this.sql("spark", pretty=True)
    typed = not isinstance(relation, exp.Subquery)  # columns are of the dialect's types
    exact = {name for node in (rest[0].select, *rest[0].where) for name in names(node)} if typed else set()
    for n, part in enumerate(rest):
        block, select = part.block, part.select.copy()
        if part.where:
            select.set("where", exp.Where(this=exp.and_(*(condition.copy() for condition in part.where))))
        made = {i.alias_or_name for i in select.expressions if not foreign(i) and set(names(i)) <= exact}
        translated(select, exact, ordered and n == 0)
        exact = made
        if block.alias not in ("", relation.name):
            relation.set("alias", exp.TableAlias(this=exp.to_identifier(block.alias)))
        select.set("from_", exp.From(this=relation))
        select.set("joins", [join.copy() for join in block.joins] or None)
        relation = exp.Subquery(this=select)
    return spark(select, pretty=True)


def translated(tree: exp.Expression, exact: set[str], ordered: bool) -> exp.Expression:
    """The tree, changed in place to the semantics of the dialect. exact: columns of the dialect's types."""
    for node in reversed(list(tree.walk())):
        value = _meant(node, exact, ordered)
        if value is not node:
            if node is tree:
                return value
            node.replace(value)
    return tree


def _meant(node: exp.Expression, exact: set[str], ordered: bool) -> exp.Expression:
    match node:
        case exp.Column() if node.name.startswith("$"):
            return exp.Placeholder(this=node.name[1:])
        case exp.IntDiv() | exp.Mod():
            by = node.expression
            if isinstance(by, exp.Literal) and by.name != "0":
                return node
            return _inside(node, type(node)(this=node.this.copy(), expression=_or_null(by)))
        case exp.Cast() if unit := TRUNCATED.get(timestamp_unit(node)):
            time = exp.cast(node.this.copy(), "timestamp", dialect="spark")
            return exp.Anonymous(this="date_trunc", expressions=[exp.Literal.string(unit), time])
        case exp.Anonymous(expressions=[text, mark, n]) if node.name.lower() == "split_index":
            return sqlglot.parse_one(SPLIT_INDEX.format(*(part.sql("spark") for part in (text, mark, n))), read="spark")
        case exp.Div() if not of_integers(node):
            return _inside(node, exp.Div(this=node.this.copy(), expression=_or_null(node.expression)))
        case exp.Avg() if any(map(is_decimal, node.walk())):
            return node
        case exp.Avg() if not foreign(node.this) and set(names(node.this)) <= exact:
            total, number = exp.Sum(this=node.this.copy()), exp.Count(this=node.this.copy())
            return _inside(node, exp.IntDiv(this=total, expression=_or_null(number)))
        case exp.Count() if node.this is None:
            return exp.Count(this=exp.Star())
        case exp.First() | exp.Last() if not isinstance(node.parent, exp.IgnoreNulls | exp.RespectNulls | exp.Window):
            if not ordered:
                raise QueryError(f"{node.key} of rows without an order")
            known = exp.Not(this=exp.Is(this=node.this.copy(), expression=exp.Null()))
            order = exp.Case(ifs=[exp.If(this=known, true=exp.column(ORDER))])
            function = exp.ArgMin if isinstance(node, exp.First) else exp.ArgMax
            return function(this=node.this.copy(), expression=order)
        case exp.Func() if isinstance(node, OTHERS) or (isinstance(node, exp.Anonymous) and node.name.lower() == "std"):
            if not any(map(foreign, node.iter_expressions())) and set(names(node)) <= exact:
                name = node.sql("spark").partition("(")[0].lower()
                raise QueryError(f"{name} with functions of Spark; put these around a sub-query with the window")
        case exp.Anonymous() if node.name.lower() == "wsum":
            raise QueryError("wsum with functions of Spark; put these around a sub-query with the window")
    return node


def _inside(node: exp.Expression, value: exp.Expression) -> exp.Expression:
    """A value that replaces a node, in parentheses if the node is an operand."""
    return exp.paren(value) if isinstance(node.parent, exp.Binary | exp.Unary) else value


def _or_null(divisor: exp.Expression) -> exp.Expression:
    return exp.Nullif(this=divisor.copy(), expression=exp.Literal.number(0))
