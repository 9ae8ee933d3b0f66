"""Decimals in Spark's part of a divided query, where integers are DECIMAL(38,0).

Spark decides the types of results from those of the operands; an integer counts as a BIGINT, and a literal has as many
digits as it needs. A query with decimals is analysed with spark.sql.decimalOperations.allowPrecisionLoss=false; without
that a quotient of integers has more digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from decimal import Decimal

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from wirestream.compiler import syntax
from wirestream.compiler.percentiles import PERCENTILES, digits_of, share_of
from wirestream.split import spread
from wirestream.split.functions import INTEGER

BIGINT = "decimal(20,0)"
WITHOUT_LOSS = "spark.sql.decimalOperations.allowPrecisionLoss"
# The operators and functions of decimals that have one, and the aggregates that have none.
OF_DECIMALS = ("+", "-", "*", "/", "%", "mod", "abs", "coalesce", "nullif", "least", "greatest")
INTEGERS = ("count", "bit_or", "bit_xor", "bit_and", "wsum", "approx_count_distinct")
TRUNCATED = {"timestamp(s)": "second", "timestamp(ms)": "millisecond"}
SPARK = {"smallint": "smallint", "int": "int", "long": "bigint", "bool": "boolean"}


def used(query: syntax.Query, frames: Iterable[DataFrame]) -> bool:
    """Whether a query reads or writes decimals."""
    return any(map(columns_of, frames)) or _written(query)


def _written(node: object) -> bool:
    if isinstance(node, tuple):
        return any(map(_written, node))
    if isinstance(node, syntax.Call):
        of_decimals = node.function in (*spread.FUNCTIONS, *PERCENTILES)
        return of_decimals or _written(node.arguments)  # weights are no decimals of SQL
    if isinstance(node, syntax.Cast) and node.kind.startswith("decimal"):
        return True
    if is_dataclass(node):
        return any(_written(getattr(node, field.name)) for field in fields(node))
    return isinstance(node, Decimal)


@contextmanager
def without_loss(spark: SparkSession):
    """Expressions that are analysed inside keep all digits."""
    before = spark.conf.get(WITHOUT_LOSS)
    spark.conf.set(WITHOUT_LOSS, "false")
    try:
        yield
    finally:
        spark.conf.set(WITHOUT_LOSS, before)


def columns_of(frame: DataFrame) -> frozenset[str]:
    """The columns that are decimals."""
    return frozenset(name for name, kind in frame.dtypes if kind.startswith("decimal") and kind != INTEGER)


def is_decimal(node: syntax.Expression, columns: Set[str]) -> bool:
    """Whether the value of an expression is a decimal. columns: the names of those."""
    match node:
        case syntax.Literal(value=value):
            return isinstance(value, Decimal)
        case syntax.Name(name=name):
            return name in columns
        case syntax.Cast(kind=kind):
            return kind.startswith("decimal")
        case syntax.Operation(operator="if", operands=(_, *parts)):
            return any(is_decimal(part, columns) for part in parts)
        case syntax.Operation(operator=operator, operands=parts) if operator in OF_DECIMALS:
            return any(is_decimal(part, columns) for part in parts)
        case syntax.Call(function="max_by" | "min_by" | "percentile_disc" | "approx_percentile", arguments=(value, *_)):
            return is_decimal(value, columns)
        case syntax.Call(function=function, arguments=(value, *_)) if function in PERCENTILES:
            return digits_of(share_of(node)) > 0 or is_decimal(value, columns)
        case syntax.Call(function=function, arguments=parts):
            of_decimals = function not in INTEGERS and any(is_decimal(part, columns) for part in parts)
            return of_decimals or function in spread.FUNCTIONS
    return False


def literal(value: Decimal | int) -> Column:
    """A number in the type of its digits."""
    _, digits, exponent = Decimal(value).as_tuple()
    scale = max(-exponent, 0)
    precision = max(len(digits) + max(exponent, 0), scale)
    return F.lit(Decimal(value)).cast(f"decimal({precision},{scale})")


def cast(x: Column, kind: str) -> Column:
    """CAST(x AS kind); null where the type does not hold the value."""
    if kind == "uint":
        whole = x.try_cast("bigint")
        return F.when(whole.between(0, 2**32 - 1), whole).cast(INTEGER)
    if kind == "uint64":
        return F.when((x > -1) & (x < _number(2**64)), F.greatest(F.floor(x), F.lit(0))).cast(INTEGER)
    if kind.startswith("timestamp"):
        time, unit = x.try_cast("timestamp"), TRUNCATED.get(kind)
        return F.date_trunc(unit, time) if unit else time
    found = x.try_cast(SPARK.get(kind, kind))
    return found.cast(INTEGER) if kind in SPARK and kind != "bool" else found


def _number(value: int) -> Column:
    return F.lit(Decimal(value)).cast(INTEGER)
