"""The rows of a random query in PySpark, by docs/dialect.md and the time rules of this repository.

Numbers are DECIMAL(38,0): of a decimal the integer without its point, of a time its ticks. A row has hidden columns:
its session, `_seq`, its position in the order, and if the query has a time window, `_window` and `_end` of each window
that contains the row: rows are assigned to windows first, then selected.
"""

from __future__ import annotations

import operator
from decimal import Decimal
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F

from spark_golden import approximate
from spark_golden.query import Query
from spark_golden.session import session
from spark_golden.time_rules import ACCEPTED, judge, with_queries
from spark_golden.windows import windows_begun, windows_closed
from tb.queries.random_tree import (
    APPLY,
    BITS,
    CALLS,
    TIMES,
    Expr,
    Order,
    Relation,
    Select,
    Source,
    Union,
    Window,
    source_of,
    text,
    whole,
)

EXACT = "decimal(38,0)"
HIDDEN = ("session", "_seq", "_window", "_end")
MOST_PLACES = 1000  # more than a window has rows in an order
TICKS = {"timestamp(s)": F.unix_seconds, "timestamp(ms)": F.unix_millis, "date": F.unix_date}
OF_TICKS = {"timestamp(s)": F.timestamp_seconds, "timestamp(ms)": F.timestamp_millis, "date": F.date_from_unix_date}


def rows(relation: Relation, tuples: DataFrame, sessions: bool = False) -> DataFrame:
    """The rows of a query over `tuples` (stream, session, seq, kind and the fields); Booleans are 0 and 1, and decimals
    are text. sessions: with the session of each row."""
    window, closed = _time_window(relation), None
    columns = {c.args[0]: _read(c) for c in source_of(relation).scope if c.kind not in ("text", "truth")}
    tuples = tuples.withColumns(columns)
    if window:
        tuples, closed = _in_time(tuples, window)
    made = _rows(relation, tuples.withColumnRenamed("seq", "_seq"), closed)
    made = made.orderBy("session", "_seq") if _ranked(relation) else made
    return made.select(*map(_shown, relation.scope), *["session"] * sessions)


def _read(column: Expr) -> Column:
    """A field as an integer."""
    value = F.col(column.args[0])
    if column.kind in TIMES:
        value = TICKS[column.kind](value)
    elif column.scale:
        value = value * F.lit(Decimal(10**column.scale))
    return value.cast(EXACT)


def _shown(column: Expr) -> Column:
    """A column of the result."""
    name = column.args[0]
    value = F.col(name)
    if column.kind == "truth":
        value = value.cast("int")
    elif column.kind in TIMES:
        value = OF_TICKS[column.kind](value.cast("int" if column.kind == "date" else "long"))
    elif column.scale:
        power = F.lit(Decimal(10**column.scale)).cast(EXACT)
        whole, rest = (part.cast("string") for part in (_quotient(F.abs(value), power), F.abs(value) % power))
        value = F.concat(F.when(value < 0, "-").otherwise(""), whole, F.lit("."), F.lpad(rest, column.scale, "0"))
    return value.alias(name)


def _ranked(relation: Relation) -> bool:
    """Whether its rows have an order."""
    return isinstance(relation, Select) and (relation.limit is not None or _ranked(relation.source))


def _time_window(relation: Relation) -> Window | None:
    if not isinstance(relation, Select):
        return None
    return relation.window if relation.window and relation.window.unit == "time" else _time_window(relation.source)


def _in_time(tuples: DataFrame, w: Window) -> tuple[DataFrame, DataFrame]:
    """Each accepted tuple once for each closed window that contains it, and all closed windows (_window, _end)."""
    query = Query(w.size, w.advance, w.slack, start=w.start, max_ahead=w.max_ahead, resync=w.resync)
    tuples = tuples.withColumn("Time", F.col(w.attribute).cast("long"))
    judged = judge(with_queries(session(), tuples, [query]), "fold" if w.max_ahead else "window")
    last = judged.groupBy("session").agg(F.max("start").alias("start"), F.max(windows_closed("watermark")).alias("n"))
    end = F.col("start") + F.col("_window") * w.advance + w.size
    closed = last.where("n > 0").withColumn("_window", F.explode(F.sequence(F.lit(0), F.col("n") - 1)))
    closed = closed.select("session", "_window", end.alias("_end"))
    low, high = windows_closed("Time"), windows_begun("Time") - 1
    held = judged.where(F.col("verdict") == ACCEPTED)
    held = held.withColumn("_window", F.explode(F.when(low <= high, F.sequence(low, high))))
    held = held.withColumn("Time", F.col("Time").cast(EXACT))
    return held.join(F.broadcast(closed), ["session", "_window"]), closed


def _in_tuples(made: DataFrame, w: Window) -> DataFrame:
    """Each row once for each complete window that contains it."""
    of_session = Over.partitionBy("session")
    n, size, advance = F.col("_n"), F.lit(w.size), F.lit(w.advance)
    made = made.withColumn("_n", F.row_number().over(of_session.orderBy("_seq")) - 1)
    made = made.withColumn("_count", F.count("*").over(of_session))
    low, high = F.greatest(F.lit(0), F.floor((n - size) / advance) + 1), F.floor(n / advance)
    made = made.withColumn("_window", F.explode(F.when(low <= high, F.sequence(low, high))))
    return made.where(F.col("_window") * advance + size <= F.col("_count"))


def _rows(relation: Relation, tuples: DataFrame, closed: DataFrame | None) -> DataFrame:
    match relation:
        case Source():
            return tuples
        case Union(parts):
            first, second = (_rows(part, tuples, closed) for part in parts)
            return first.unionAll(second)
        case Select(source, items, where, window, _, _, having):
            made = _rows(source, tuples, closed)
            made = made.where(_value(where)) if where else made
            if relation.of_tuples:
                made = (made if window.unit == "time" else _in_tuples(made, window)).withColumn("_first", F.col("_seq"))
                made = _in_order(made.withColumn("_seq", F.col("_window")), relation)
            elif window:
                made = _aggregated(made, relation, closed)
                made = made.where(_value(having)) if having else made
                made = _in_order(made, relation) if relation.limit else made
            values = [_value(value).alias(name) for name, value in items] or [c.args[0] for c in source.scope]
            return made.select(*values, *(name for name in HIDDEN if name in made.columns))


def _in_order(made: DataFrame, select: Select) -> DataFrame:
    """The rows of each window, its number in `_seq`, that LIMIT and OFFSET leave; equal ones by `_first`."""
    by = [_directed(_value(order.key), order) for order in select.order]
    place = F.row_number().over(Over.partitionBy("session", "_seq").orderBy(*by, "_first"))
    first, count = select.limit.offset, select.limit.count
    made = made.withColumn("_place", place).where(F.col("_place") > first)
    made = made if count is None else made.where(F.col("_place") <= first + count)
    return made.withColumn("_seq", F.col("_seq") * MOST_PLACES + F.col("_place"))


def _directed(key: Column, order: Order) -> Column:
    if order.descending:
        return key.desc_nulls_last() if order.nulls_last else key.desc_nulls_first()
    return key.asc_nulls_last() if order.nulls_last else key.asc_nulls_first()


def _aggregated(made: DataFrame, select: Select, closed: DataFrame | None) -> DataFrame:
    """The measures of each window and group; the name of a column is its SQL."""
    keys = [_value(key.args[0]).alias(_name(key)) if key.op == "key" else _value(key) for key in select.keys]
    w, values = select.window, [value for _, value in select.items] + [select.having] * bool(select.having)
    values += [order.key for order in select.order]
    measures = {_name(m): m for value in values for m in value.measures()}
    columns = [*(_measure(m).alias(name) for name, m in measures.items()), F.min("_seq").alias("_first")]
    if w.unit == "tuples":
        made = _in_tuples(made, w).groupBy("session", "_window", *keys).agg(*columns)
    else:
        made = made.groupBy("session", "_window", "_end", *keys).agg(*columns)
        if w.emit_empty:
            counts = {n: F.coalesce(f"`{n}`", F.lit(0).cast(EXACT)) for n, m in measures.items() if not m.null}
            made = closed.join(made, ["session", "_window", "_end"], "left").withColumns(counts)
        made = made.withColumn(w.attribute, F.col("_end").cast(EXACT)).drop("_end")
    return made.withColumnRenamed("_window", "_seq")


def _measure(measure: Expr) -> Column:
    """Measures ignore nulls, but count(*) counts rows; wsum is scaled to integers by the least power of two."""
    taken = F.lit(True)
    if measure.op == "filter":
        measure, condition = measure.args
        taken = _value(condition)
    if not measure.args:
        return F.count(F.when(taken, 1)).cast(EXACT)
    value = F.when(taken, _value(measure.args[0]))
    order = F.when(value.isNotNull(), F.col("_seq"))
    match measure.op:
        case "count":
            return F.count(value).cast(EXACT)
        case "count distinct":
            return F.count_distinct(value).cast(EXACT)
        case "approx_count_distinct":
            bits = approximate.index_bits(measure.args[1])
            return F.udf(lambda values: approximate.estimate(values, bits), "bigint")(F.collect_set(value)).cast(EXACT)
        case "sum distinct":
            return F.sum_distinct(value)
        case "avg distinct":
            return _quotient(F.sum_distinct(value), F.count_distinct(value).cast(EXACT))
        case "avg" if measure.scale:
            return _nearest(F.sum(value) * _power(4), F.count(value).cast(EXACT))
        case "avg":
            return _quotient(F.sum(value), F.count(value).cast(EXACT))
        case "max_by" | "min_by":  # of equal ones the first
            by = F.when(taken, _value(measure.args[1]))
            order = F.col("_seq") * (-1 if measure.op == "max_by" else 1)
            return getattr(F, measure.op)(value, F.when(by.isNotNull(), F.struct(by, order)))
        case "first":
            return F.min_by(value, order)
        case "last":
            return F.max_by(value, order)
        case "percentile_disc":
            return _first_of_share(value, *measure.args[1:])
        case "approx_percentile":
            share, accuracy = measure.args[1:]
            return F.udf(lambda found: found and _in_bins(found, accuracy), EXACT)(_first_of_share(value, share, False))
        case "percentile_cont" | "percentile" | "median":
            return _percentile(value, *measure.args[1:], measure.scale - measure.args[0].scale)
        case "wsum":
            values = F.collect_list(F.when(value.isNotNull(), F.struct("_seq", value.alias("x"))))
            newest = [F.get(F.sort_array(values, asc=False), k)["x"] for k in range(len(measure.args[1]))]
            terms = zip(newest, whole(measure.args[1]), strict=True)
            return F.when(
                F.size(values) > 0, sum((F.coalesce(x, F.lit(0)) * w for x, w in terms), F.lit(0)).cast(EXACT)
            )
        case "bit_or" | "bit_xor" | "bit_and":
            return getattr(F, measure.op)(value.cast("long")).cast(EXACT)
        case "var_pop" | "var_samp":
            return _variance(value, measure.op == "var_samp")
        case "bool_and" | "bool_or":
            return getattr(F, measure.op)(value)
    return {"sum": F.sum, "min": F.min, "max": F.max}[measure.op](value)


def _percentile(value: Column, share: str, descending: bool, digits: int) -> Column:
    """percentile_cont in units of its last digit. digits: of the share, at most 3."""
    values = F.sort_array(F.collect_list(value), asc=not descending)
    last, parts, whole = F.size(values) - 1, int(Decimal(share) * 10**digits), 10**digits
    place, rest = F.call_function("div", last * parts, F.lit(whole)), (last * parts % whole).cast(EXACT)
    low, high = (F.get(values, F.least(place + above, last).cast("int")) for above in (0, 1))
    return (low * (whole - rest) + high * rest).cast(EXACT)


def _first_of_share(value: Column, share: str, descending: bool) -> Column:
    """percentile_disc."""
    values = F.sort_array(F.collect_list(value), asc=not descending)
    place = F.call_function("div", F.size(values) * int(Decimal(share) * 1000) + 999, F.lit(1000))
    return F.get(values, F.greatest(place - 1, F.lit(0)).cast("int"))


def _in_bins(value: Decimal, accuracy: int) -> Decimal:
    """The number without the bits that are less than an `accuracy`th of it."""
    size, width = abs(int(value)), 1
    while size // (2 * width) >= 2 ** (accuracy - 1).bit_length():
        width *= 2
    return Decimal((size - size % width) * (-1 if value < 0 else 1))


def _variance(value: Column, less: bool) -> Column:
    """In units of 10**-12, rounded half up."""
    n, total = F.count(value).cast(EXACT), F.sum(value)
    dividend, divisor = n * F.sum(value * value) - total * total, n * (n - int(less))
    return _quotient(dividend * 2 * F.lit(Decimal(10**12)).cast(EXACT) + divisor, 2 * divisor)


def _quotient(a: Column, b: Column) -> Column:
    """a div b for quotients up to 10**32: exact, since the remainder is subtracted first. (Spark's div has 64 bits.)"""
    return F.when(b != 0, ((a - a % b) / b).cast(EXACT))


def _nearest(a: Column, b: Column) -> Column:
    """a / b, rounded half away from zero."""
    size = _quotient(F.abs(a) * 2 + F.abs(b), F.abs(b) * 2)
    return F.when((a < 0) == (b < 0), size).otherwise(-size).cast(EXACT)


def _power(n: int) -> Column:
    return F.lit(Decimal(10**n)).cast(EXACT)


def _aligned(*values: Expr) -> list[Column]:
    """Values of one kind; numbers with equally many digits after the point."""
    scale = max(value.scale for value in values)
    return [_value(v) if v.scale == scale else _value(v) * _power(scale - v.scale) for v in values]


def _cast(a: Expr, scale: int) -> Column:
    if scale >= a.scale:
        return _value(a) * _power(scale - a.scale)
    return (_nearest if scale else _quotient)(_value(a), _power(a.scale - scale))


def _name(expr: Expr) -> str:
    """The column of a measure or a key."""
    return text(expr).replace("`", "'")


def _bits(op: str, a: Column, b: Column) -> Column:
    """Of longs: shifts count the places modulo 64."""
    a, b = a.cast("long"), b.cast("long")
    if op in ("<<", ">>"):
        b = F.pmod(b, F.lit(64)).cast("int")
    found = {
        "&": lambda: a.bitwiseAND(b),
        "|": lambda: a.bitwiseOR(b),
        "^": lambda: a.bitwiseXOR(b),
        "<<": lambda: F.call_function("shiftleft", a, b),
        ">>": lambda: F.call_function("shiftright", a, b),
    }
    return found[op]().cast(EXACT)


def _regular(pattern: str) -> str:
    """A pattern of LIKE as a regular expression; its other characters are letters."""
    return "^" + pattern.replace("%", "(?s:.*)").replace("_", "(?s:.)") + "$"


def _value(expr: Expr) -> Column:
    match expr.op, expr.args:
        case ("literal", (value,)) | ("constant", (_, value)):
            return F.lit(value) if expr.kind in ("text", "truth") else F.lit(Decimal(value)).cast(EXACT)
        case "column", (name,):
            return F.col(name)
        case "if", (condition, value, *others):
            value, *others = _aligned(value, *others)
            chosen = F.when(_value(condition), value)
            return chosen.otherwise(*others) if others else chosen
        case "key", _:
            return F.col(f"`{_name(expr)}`")
        case "cast", (a, _):
            return _cast(a, expr.scale)
        case "shift", (a, milliseconds):
            return _value(a) + F.lit(Decimal(milliseconds * TIMES[expr.kind] // 1000)).cast(EXACT)
        case "/", (a, b):
            return _nearest(_value(a) * _power(expr.scale + b.scale - a.scale), _value(b))
        case "char_length", (a,):
            return F.char_length(_value(a)).cast(EXACT)
        case "not", (a,):
            return ~_value(a)
        case "thousandths", (a,):
            return _quotient(_value(a), F.lit(Decimal(10**9)).cast(EXACT))
        case "neg", (a,):
            return 0 - _value(a)
        case "~", (a,):
            return -1 - _value(a)
        case op, (a, b) if op in BITS:
            return _bits(op, _value(a), _value(b))
        case "upper" | "lower" | "trim" as op, (a,):
            return getattr(F, op)(_value(a))
        case "left" | "right" | "substring" as op, (a, *numbers):
            return F.call_function(op, _value(a), *(F.lit(number.args[0]) for number in numbers))
        case "concat", args:
            return F.concat(*map(_value, args))
        case "like" | "not like" as op, (a, b):
            found = _value(a).rlike(_regular(b.args[0]))
            return found if op == "like" else ~found
        case "div", (a, b):
            return _quotient(*_aligned(a, b))
        case "%", (a, b):
            a, b = _aligned(a, b)
            return F.when(b != 0, a % b)
        case "*", (a, b):
            return _value(a) * _value(b)
        case op, (a, b) if op in APPLY:
            return APPLY[op](*_aligned(a, b))
        case "nullif", (a, b):
            same = F.coalesce(operator.eq(*_aligned(a, b)), F.lit(False))
            return F.when(~same, _value(a))
        case op, args if op in CALLS:
            return _called(op, *_aligned(*args))
        case "is null", (a,):
            return _value(a).isNull()
        case "distinct", (a, b):
            a, b = _aligned(a, b)
            return ~a.eqNullSafe(b)
        case "in", (a, *others):
            return reduce(operator.or_, [operator.eq(*_aligned(a, other)) for other in others])
        case "between", (a, low, high):
            return operator.ge(*_aligned(a, low)) & operator.le(*_aligned(a, high))
    return F.col(f"`{_name(expr)}`")


def _called(op: str, a: Column, *others: Column) -> Column:
    """A function of numbers, by what it is in terms of conditions."""
    match op:
        case "abs":
            return F.when(a < 0, 0 - a).otherwise(a)
        case "sign":
            return F.when(a > 0, F.lit(1)).when(a < 0, F.lit(-1)).when(a == 0, F.lit(0)).cast(EXACT)
        case "coalesce":
            return F.coalesce(a, *others)
    nearer = Column.__lt__ if op == "least" else Column.__gt__
    for other in others:
        a = F.when(other.isNull() | nearer(a, other), a).otherwise(other)
    return a
