"""Evaluates a query of the dialect over tuples in Spark, from its syntax tree.

The result is what a board with unlimited capacity would send. Integers are DECIMAL(38,0), in which sums and products
are exact; a value that exceeds it is an error of Spark, never a wrong row. docs/dialect.md defines the semantics. The
oracle (`spark_golden`) computes the same from Spark's own parser; the two intentionally share no code, so that one can
be tested against the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import reduce
from operator import add, and_, eq, ge, gt, le, lt, mul, ne, or_, sub

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from wirestream.compiler import bounds, distinct, joins, numbering, spelling, syntax
from wirestream.compiler.names import keys as keys_of
from wirestream.compiler.names import of_distinct
from wirestream.compiler.names import orders as orders_of
from wirestream.compiler.percentiles import BETWEEN, PERCENTILES
from wirestream.errors import QueryError
from wirestream.schema.fields import ENCODING
from wirestream.split import approximate, decimals, ordering, pairs, percentiles, windows
from wirestream.split.aggregates import AGGREGATES, IN_ORDER, OF_DISTINCT, OF_TWO, weighted
from wirestream.split.functions import FUNCTIONS, INTEGER, div, literal
from wirestream.split.windows import BEGIN, KIND, LAST, ORDER, SESSION, TUPLE, WINDOW, fields_of

INTEGERS = ("smallint", "int", "bigint")
MILLISECOND = {"ms": 1, "us": 1000}  # in units
INTERVALS = {"us": "microsecond", "ms": "millisecond", "s": "second"}  # units by their names in Spark
BINARY = {"+": add, "-": sub, "*": mul, "and": and_, "or": or_, "=": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
Constants = Mapping[str, int | str]


@dataclass(frozen=True)
class Items:
    """frame: tuples and punctuations, as described in `windows`. time: the time attribute. units: from
    `windows.units_of`."""

    frame: DataFrame
    time: str | None = None
    units: Mapping[str, str] = field(default_factory=dict)

    def unit(self, name: str) -> str:
        return self.units.get(name, "")


def evaluate(query: syntax.Query, items: Mapping[str, Items], constants: Constants) -> DataFrame:
    """The rows of a query: the columns of SELECT. items: by the name of their stream. Raises QueryError."""
    frames = [one.frame for one in items.values()]
    query = numbering.resolve(spelling.resolve(query, {name: fields_of(one.frame) for name, one in items.items()}))
    with decimals.without_loss(frames[0].sparkSession) if decimals.used(query, frames) else nullcontext():
        rows = _Evaluation(items, constants).union(query.body)
    if query.body[0].in_order:
        rows = rows.orderBy(SESSION, ORDER)
    return rows.select(*(f"`{name}`" for name in fields_of(rows)))


# ---- Expressions


@dataclass(frozen=True)
class Scope:
    """Resolves the names and calls of an expression.

    columns: for names outside aggregates; values: for names inside, None without aggregates. decimals: names of
    decimals. ordered: ORDER is meaningful. keys: the columns of the expressions of GROUP BY. frame: with the columns.
    number: ROW_NUMBER().
    """

    constants: Constants
    columns: Mapping[str, Column]
    values: Mapping[str, Column] | None = None
    decimals: frozenset[str] = frozenset()
    ordered: bool = True
    keys: Mapping[syntax.Expression, Column] = field(default_factory=dict)
    frame: DataFrame | None = None
    number: Column | None = None

    def __call__(self, node: syntax.Expression) -> Column:
        if self.keys and (key := self.keys.get(syntax.placeless(node))) is not None:
            return key
        match node:
            case syntax.Literal(value=bool(value) | (None as value)):
                return F.lit(value)
            case syntax.Literal(value=syntax.Span(number, unit)):
                return F.expr(f"INTERVAL '{number}' {INTERVALS.get(unit, unit)}")
            case syntax.Literal(value=Decimal() as value):
                return decimals.literal(value)
            case syntax.Literal(value=value):
                return literal(value.decode(ENCODING) if isinstance(value, bytes) else value)
            case syntax.Name(name=name, runtime=True):
                return literal(self._constant(node))
            case syntax.Name(name=name):
                if name not in self.columns:
                    raise QueryError(f"unknown column {name}; known: {', '.join(self.columns)}", node.position)
                return self.columns[name]
            case syntax.Operation(operator="not", operands=(operand,)):
                return ~self(operand)
            case syntax.Operation(operator="if", operands=(condition, value, *others)):
                value, *others = self._typed(value, *others)
                chosen = F.when(self(condition), value)
                return chosen.otherwise(others[0]) if others else chosen
            case syntax.Operation(operator=operator, operands=operands) if operator in FUNCTIONS:
                return FUNCTIONS[operator](*self._typed(*operands))
            case syntax.Cast(operand=operand, kind=kind):
                return decimals.cast(self(operand), kind)
            case syntax.Operation(operator=operator, operands=operands):
                return self._binary(operator, *self._typed(*operands))
            case syntax.Call(function=function, arguments=(address, bits)) if function in OF_ADDRESS:
                return OF_ADDRESS[function](self(address), self._number(bits))
            case syntax.RowNumber() if self.number is not None:
                return self.number
            case syntax.Call() if self.values is not None:
                return self._aggregate(node)
        raise QueryError(f"{node.function} is only allowed in SELECT or HAVING of a query with a window", node.position)

    def _typed(self, *nodes: syntax.Expression) -> list[Column]:
        """Operands. If one is a decimal, integers have the types with which Spark decides on the digits of results."""
        if not any(decimals.is_decimal(node, self.decimals) for node in nodes):
            return list(map(self, nodes))
        return [self._with_digits(node) for node in nodes]

    def _with_digits(self, node: syntax.Expression) -> Column:
        if isinstance(node, syntax.Literal) and node.value is not None:
            return decimals.literal(node.value)
        if isinstance(node, syntax.Name) and node.runtime:
            return decimals.literal(Decimal(self._constant(node)))
        return self(node) if decimals.is_decimal(node, self.decimals) else self(node).cast(decimals.BIGINT)

    @staticmethod
    def _binary(operator: str, a: Column, b: Column) -> Column:
        if operator == "div":
            return div(a, b)
        if operator in ("%", "/"):
            b = F.nullif(b, F.lit(0))
            return a % b if operator == "%" else a / b
        return BINARY[operator](a, b)

    def _constant(self, node: syntax.Name) -> int | str:
        if node.name not in self.constants:
            raise QueryError(f"${node.name} has no value", node.position)
        return self.constants[node.name]

    def _number(self, node: syntax.Expression) -> int:
        return self._constant(node) if isinstance(node, syntax.Name) else node.value

    def _aggregate(self, call: syntax.Call) -> Column:
        inside = replace(self, columns=self.values, values=None)
        taken = F.col(ORDER).isNotNull()  # a row without it stands for an empty window
        taken = taken if call.where is None else taken & inside(call.where)
        if call.function == "count" and not call.arguments:
            return F.count(F.when(taken, F.col(ORDER))).cast(INTEGER)
        if call.function in (*PERCENTILES, "approx_count_distinct"):
            return self._of_all_values(call, F.when(taken, inside(call.arguments[0])))
        if call.function not in (*AGGREGATES, "wsum") or len(call.arguments) != 1 + (call.function in OF_TWO):
            raise QueryError(f"no aggregate {call.function} of {len(call.arguments)} columns", call.position)
        if bool(call.weights) != (call.function == "wsum"):
            raise QueryError("wsum, and only wsum, takes weights", call.position)
        if call.function in IN_ORDER and not self.ordered:
            raise QueryError(f"{call.function} over a UNION, whose rows have no order", call.position)
        if call.unique:
            distinct.check(call)
        x, *others = (F.when(taken, inside(argument)) for argument in call.arguments)
        if call.function == "avg" and decimals.is_decimal(call.arguments[0], self.decimals):
            if call.unique:
                raise QueryError("avg(DISTINCT …) of decimals in Spark's part", call.position)
            return F.avg(x)
        if call.unique and call.function in distinct.CHANGED:
            return OF_DISTINCT[call.function](x)
        return weighted(x, call) if call.function == "wsum" else AGGREGATES[call.function](x, *others)

    def _of_all_values(self, call: syntax.Call, x: Column) -> Column:
        if call.function == "approx_count_distinct":
            return approximate.of_column(call, x)
        if call.function in BETWEEN and not decimals.is_decimal(call.arguments[0], self.decimals):
            x = x.cast(decimals.BIGINT)
        return percentiles.of_column(call, x, self.frame)


# Functions of an address, and a number of bits.
OF_ADDRESS: dict[str, Callable[[Column, int], Column]] = {
    "prefix": lambda x, bits: div(x, literal(2 ** (joins.ADDRESS_BITS - bits))),
    "suffix": lambda x, bits: x % literal(2**bits),
}


# ---- SELECT


@dataclass
class _Evaluation:
    """Rows are frames with the columns of SELECT, SESSION, ORDER, and before a window in time TIME, START, REACHED."""

    items: Mapping[str, Items]
    constants: Constants
    judged: dict[tuple[str, syntax.Window], DataFrame] = field(default_factory=dict)  # by stream and window in time
    unit: str = ""  # of the window in time

    def union(self, arms: tuple[syntax.Select, ...], above: syntax.Window | None = None) -> DataFrame:
        """above: the window in time over these rows; its attribute is one of their columns."""
        parts = [self.select(arm, above) for arm in arms]
        names = fields_of(parts[0])
        if any(fields_of(part) != names for part in parts):
            raise QueryError("the parts of a UNION must have the same columns in the same order", arms[0].position)
        if len(parts) == 1:
            return parts[0]
        return reduce(DataFrame.unionByName, (part.withColumn(ORDER, F.lit(0)) for part in parts))

    def select(self, select: syntax.Select, above: syntax.Window | None = None) -> DataFrame:
        select, window = of_distinct(select), select.source.window
        if above is not None and (window is not None or select.other is not None):
            raise QueryError("a window in time over the rows of a window", above.position)
        if select.other is not None:
            if select.sorted:
                raise QueryError("ORDER BY and LIMIT over a JOIN, whose pairs never end", select.position)
            return self._join(select)
        if isinstance(window, syntax.JoinWindow):
            raise QueryError("this window needs a JOIN", window.position)
        if window is None and (select.group or select.having is not None or select.sorted):
            raise QueryError("GROUP BY, HAVING, ORDER BY and LIMIT need a window", select.position)
        if above is not None:
            above = replace(above, attribute=_passed(select, above))
        elif window is not None and window.in_time:
            above = window = replace(window, attribute=window.attribute or self._time(select.source))
        below = self._read(select.source, above)
        scope = self._scope([below], {name: name for name in fields_of(below)})
        if select.where is not None:
            below = below.where(scope(select.where))
        if window is not None and (select.first or select.of_tuples):
            return self._tuples(select, window, below)
        if window is not None:
            return self._aggregate(select, window, below)
        hidden = [name for name in below.columns if name.startswith("#")]
        return below.select(*hidden, *_columns(select, scope, fields_of(below)))

    def _read(self, source: syntax.Source, window: syntax.Window | None) -> DataFrame:
        """The source after FROM: of a stream all tuples, or those accepted for a window in time."""
        if source.subquery is not None:
            return self.union(source.subquery, window)
        if source.stream not in self.items:
            raise QueryError(f"unknown stream {source.stream}; known: {', '.join(self.items)}", source.position)
        frame = self.items[source.stream].frame
        if window is None:
            return _exact(frame.where(F.col(KIND) == TUPLE).drop(KIND))
        if window.attribute not in fields_of(frame):
            raise QueryError(f"{source.stream} has no field {window.attribute}", window.position)
        key = source.stream, window
        if self.judged.keys() - {key}:
            raise QueryError("only one window in time, over one stream, is allowed; write two queries", source.position)
        if key not in self.judged:
            self.unit = self.items[source.stream].unit(window.attribute)
            self.judged[key] = windows.judged(frame, window, self.unit)
        return _exact(windows.accepted(self.judged[key]))

    def _aggregate(self, select: syntax.Select, window: syntax.Window, below: DataFrame) -> DataFrame:
        if window.in_time:
            select = replace(select, group=bounds.without(select.group, fields_of(below)))
        grouped = dict(enumerate(keys_of(select, fields_of(below))))
        columns = {key.name: f"#key{n}" for n, key in grouped.items() if isinstance(key, syntax.Name)}
        if select.group and (window.session or window.emit_empty):
            which = "SESSION" if window.session else "EMIT_EMPTY"
            raise QueryError(f"GROUP BY with {which}", window.position)
        if window.in_time:
            if window.attribute in columns:
                raise QueryError(f"GROUP BY {window.attribute}: a row already has its window's end", select.position)
            columns |= {window.attribute: WINDOW} | self._bounds(window)
        ordered = _ordered(select.source)
        if not (ordered or window.in_time):
            raise QueryError("a window of tuples over rows that have no order", window.position)
        of_tuple = self._scope([below], {name: name for name in fields_of(below)})
        written = [(n, key) for given in (grouped.values(), select.group) for n, key in enumerate(given)]
        keys = {syntax.placeless(k): F.col(f"`#key{n}`") for n, k in written if not isinstance(k, syntax.Literal)}
        frame = windows.windowed(below, window)
        frame = frame.withColumns({f"#key{n}": of_tuple(key) for n, key in grouped.items()})
        if window.emit_empty:
            (judged,) = self.judged.values()
            frame = windows.closed(judged, window).join(frame, [SESSION, WINDOW], "left")
        frame = self._with_bounds(frame, window)
        inside = {"values": of_tuple.columns, "ordered": ordered, "keys": keys, "frame": frame}
        scope = replace(self._scope([below], columns), **inside)
        kept = F.lit(True) if select.having is None else scope(select.having)
        order = F.struct(WINDOW, F.min(ORDER)).alias(ORDER)  # by window, then by arrival of the groups
        results, by = _results(select, scope, []), [scope(key) for key in orders_of(select)]
        rows = frame.groupBy(SESSION, WINDOW, BEGIN, LAST, *(f"`#key{n}`" for n in grouped))
        values = [column.alias(f"#{n}") for n, column in enumerate([*results.values(), *by])]
        rows = rows.agg(order, kept.alias("#kept"), *values).where("`#kept`")
        if select.sorted:
            rows = ordering.in_order(rows, select, [F.col(f"#{len(results) + n}") for n in range(len(by))])
        named = [F.col(f"#{n}").alias(name) for n, name in enumerate(results)]
        return rows.select(SESSION, ORDER, *named)

    def _tuples(self, select: syntax.Select, window: syntax.Window, below: DataFrame) -> DataFrame:
        """The first tuples of each window, or of each partition of it."""
        if window.session or window.emit_empty:
            raise QueryError("the first tuples of a window with SESSION or EMIT_EMPTY", window.position)
        if not (window.in_time or _ordered(select.source)):
            raise QueryError("a window of tuples over rows that have no order", window.position)
        frame, fields = self._with_bounds(windows.windowed(below, window), window), fields_of(below)
        scope = self._scope([below], {name: name for name in fields} | self._bounds(window))
        if select.first:
            number = select.first.number
            partition, keys = (list(map(scope, part)) for part in (number.partition, number.keys))
            frame = ordering.numbered(frame, select.first, partition, keys)
            scope = replace(scope, number=F.col(ordering.NUMBER).cast(INTEGER))
            frame = frame if select.qualify is None else frame.where(scope(select.qualify))
        else:
            frame = ordering.in_order(frame, select, [scope(key) for key in orders_of(select)])
        return frame.select(SESSION, ORDER, *_columns(select, scope, fields))

    def _bounds(self, window: syntax.Window) -> dict[str, str]:
        """The columns for the bounds of a window in time, by name."""
        columns = {bounds.END: WINDOW} | ({} if window.session else {bounds.START: BEGIN})
        return columns | ({bounds.TIME: LAST} if self.unit in MILLISECOND else {}) if window.in_time else {}

    def _with_bounds(self, frame: DataFrame, window: syntax.Window) -> DataFrame:
        before = {BEGIN: window.size, LAST: MILLISECOND.get(self.unit, 0), WINDOW: 0}
        for name, number in ((name, F.col(WINDOW) - length) for name, length in before.items()):
            time = windows.of_ticks(number, self.unit) if window.in_time and self.unit else number.cast(INTEGER)
            frame = frame.withColumn(name, time)
        return frame

    def _join(self, select: syntax.Select) -> DataFrame:
        """Pairs whose earlier tuple is in its window when the later one arrives. If both arrive together, such as in a
        self-join, the left one is the earlier."""
        sources = select.source, select.other
        aliases, by_rows = ([of(source) for source in sources] for of in (joins.alias_of, joins.window_of))
        if aliases[0] == aliases[1]:
            raise QueryError(f"both sides of a JOIN are named {aliases[0]}", sources[1].position)
        if replace(by_rows[0], attribute=None) != replace(by_rows[1], attribute=None):
            raise QueryError("both sides of a JOIN must have the same window", sources[1].position)
        frames = [self._side(n, source, alias) for n, (source, alias) in enumerate(zip(sources, aliases, strict=True))]
        of_sides = [fields_of(frame) for frame in frames]
        both = [name for names in of_sides for name in names]
        bare = [name.rpartition(".")[2] for name in both]
        known = dict(zip(both, both, strict=True))
        known |= {short: name for short, name in zip(bare, both, strict=True) if bare.count(short) == 1}
        scope, of_pairs = self._scope(frames, known), []
        in_time = by_rows[0].attribute is not None
        for condition in (*joins.conjuncts(select.on), *joins.conjuncts(select.where)):
            sides = {
                n
                for n, names in enumerate(of_sides)
                if not {known.get(r) for r in pairs.reads(condition)}.isdisjoint(names)
            }
            if len(sides) == 1 and not in_time:  # a window of tuples holds only selected ones
                (n,) = sides
                frames[n] = frames[n].where(scope(condition))
            else:
                of_pairs.append(scope(condition))
        if in_time:
            units = [self._unit(source, side) for source, side in zip(sources, by_rows, strict=True)]
            frames, paired = pairs.in_time(frames, by_rows, aliases, units)
        else:
            frames, paired = pairs.of_rows(frames, by_rows)
        same = F.col(f"{SESSION}0") == F.col(f"{SESSION}1")
        found = frames[0].join(frames[1], reduce(and_, [same, paired, *of_pairs]))
        hidden = F.col(f"{SESSION}0").alias(SESSION), F.lit(0).cast("bigint").alias(ORDER)
        return found.select(*hidden, *_columns(select, scope, both))

    def _side(self, n: int, source: syntax.Source, alias: str) -> DataFrame:
        """The tuples of a side of a JOIN, with the side's name, or its number, in the names of columns."""
        frame = self._read(source, None)
        named = [F.col(f"`{name}`").alias(f"{alias}.{name}") for name in fields_of(frame)]
        position = (2 * F.col(ORDER) + n).alias(f"{ORDER}{n}")
        return frame.select(F.col(SESSION).alias(f"{SESSION}{n}"), position, *named)

    def _unit(self, source: syntax.Source, window: syntax.JoinWindow) -> str:
        """The unit of a windowing attribute that is not a number in Spark, from the field that it is."""
        if source.subquery is None:
            return self.items[source.stream].unit(window.attribute)
        (select, *_) = source.subquery
        return self._unit(select.source, replace(window, attribute=_passed(select, window)))

    # ---- Names

    def _scope(self, frames: list[DataFrame], columns: Mapping[str, str]) -> Scope:
        """columns: the column of a frame for each name."""
        found = set().union(*map(decimals.columns_of, frames))
        found |= {name for name, column in columns.items() if column in found}
        known = {name: F.col(f"`{column}`") for name, column in columns.items()}
        return Scope(self.constants, known, decimals=frozenset(found), frame=frames[0])

    def _time(self, source: syntax.Source) -> str:
        """The time attribute of the stream that is read."""
        stream = source.first_stream
        if stream not in self.items or self.items[stream].time is None:
            raise QueryError(f"{stream} has no time attribute; name one with WATTR", source.position)
        return self.items[stream].time


def _ordered(source: syntax.Source) -> bool:
    """Whether the rows of a source have an order; those of a UNION or a JOIN have none."""
    if source.subquery is None:
        return True
    first, *others = source.subquery
    return not others and first.other is None and _ordered(first.source)


def _exact(frame: DataFrame) -> DataFrame:
    """The frame with integers that do not overflow."""
    kinds = dict(frame.dtypes)
    numbers = [name for name in fields_of(frame) if kinds[name] in INTEGERS]
    return frame.withColumns({name: F.col(f"`{name}`").cast(INTEGER) for name in numbers})


def _results(select: syntax.Select, scope: Scope, names: list[str]) -> dict[str, Column]:
    """The columns of SELECT by name. names: the columns that `*` stands for."""
    found: dict[str, Column] = {}
    for item in select.items:
        if item.expression is None and not names:
            raise QueryError("* with a window; name the columns", item.position)
        parts = [syntax.Name(item.position, name) for name in names] if item.expression is None else [item.expression]
        for part in parts:
            name = item.alias or (part.name.rpartition(".")[2] if isinstance(part, syntax.Name) else None)
            if name is None or name in found:
                problem = "an expression needs a name: … AS Name" if name is None else f"two columns are named {name}"
                raise QueryError(problem, item.position)
            found[name] = scope(part)
    return found


def _columns(select: syntax.Select, scope: Scope, names: list[str]) -> list[Column]:
    return [column.alias(name) for name, column in _results(select, scope, names).items()]


def _passed(select: syntax.Select, window: syntax.Window | syntax.JoinWindow) -> str:
    """The input column that a sub-query passes on as the windowing attribute."""
    for item in select.items:
        if item.expression is None:
            return window.attribute
        if isinstance(item.expression, syntax.Name) and window.attribute == (item.alias or item.expression.name):
            return item.expression.name
    raise QueryError(
        f"the windowing attribute {window.attribute} is computed or missing in a sub-query", select.position
    )
