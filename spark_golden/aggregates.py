"""The aggregates of the dialect as text for Spark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from spark_golden import approximate, percentiles, spread
from spark_golden.declaration import INTEGER
from spark_golden.tokens import Token

MOST_SCALE = 24  # a weight is a multiple of 2**-24


def div(a: str, b: str) -> str:
    """a div b, null where b is 0; rounded toward zero like Spark's %."""
    return f"CAST(({a} - {a} % nullif({b}, 0)) / nullif({b}, 0) AS {INTEGER})"


def integer(value: str) -> str:
    return f"CAST({value} AS {INTEGER})"


def wsum(x: str, weights: str) -> str:
    """The weighted sum of the last values of x. weights: decimal numbers separated by commas, newest first."""
    try:
        fractions = [Decimal(w) for w in weights.replace(" ", "").split(",")]
    except InvalidOperation:
        raise ValueError(f"weights must be decimal numbers, not [{weights}]") from None
    scale = next((s for s in range(MOST_SCALE + 1) if all(w * 2**s % 1 == 0 for w in fractions)), None)
    if scale is None:
        raise ValueError(f"a weight of [{weights}] is not a multiple of 2**-{MOST_SCALE}")
    arrivals = f"collect_list(CASE WHEN {x} IS NOT NULL THEN struct(`#order` AS o, {x} AS x) END)"
    newest = f"slice(sort_array({arrivals}, false), 1, {len(fractions)})"
    terms = [f"coalesce(get({newest}, {k}).x, 0) * {integer(int(w * 2**scale))}" for k, w in enumerate(fractions)]
    return f"CASE WHEN count({x}) > 0 THEN {integer(' + '.join(terms))} END"


def by_arrival(function: str, x: str) -> str:
    return f"{function}({x}, CASE WHEN {x} IS NOT NULL THEN `#order` END)"


def first_by(first: str, x: str, y: str) -> str:
    """x of the first among those with the greatest or least y; y null is left out. first: `>` or `<`."""
    known = f"collect_list(CASE WHEN {y} IS NOT NULL THEN struct({y} AS y, `#order` AS o, {x} AS x) END)"
    before = f"a.y {first} b.y OR (a.y = b.y AND a.o < b.o)"
    return f"get(array_sort({known}, (a, b) -> CASE WHEN {before} THEN -1 ELSE 1 END), 0).x"


SPREAD = f"exact, with {spread.SCALE} digits after the point"


@dataclass(frozen=True)
class Aggregate:
    """text: that of the aggregate, from the texts of its columns. replaced: what of it Spark does not get as it is in
    the query. merged: the aggregate of Spark that makes one partial result of several, "" where there is none.
    in_order: by arrival. columns: how many it takes.
    """

    text: Callable[..., str]
    merged: str = ""
    in_order: bool = False
    replaced: str = ""
    columns: int = 1


# The only list of them: `windows` computes those with partial results.
AGGREGATES: dict[str, Aggregate] = {
    "count": Aggregate(lambda x: integer(f"count({x})"), "sum"),
    "sum": Aggregate(lambda x: f"sum({x})", "sum"),
    "min": Aggregate(lambda x: f"min({x})", "min"),
    "max": Aggregate(lambda x: f"max({x})", "max"),
    "avg": Aggregate(lambda x: div(f"sum({x})", integer(f"count({x})")), replaced="sum div count"),
    "first": Aggregate(lambda x: by_arrival("min_by", x), "min_by", True, "min_by the arrival, without nulls"),
    "last": Aggregate(lambda x: by_arrival("max_by", x), "max_by", True, "max_by the arrival, without nulls"),
    "max_by": Aggregate(lambda x, y: first_by(">", x, y), "", True, "by y, then by the arrival", 2),
    "min_by": Aggregate(lambda x, y: first_by("<", x, y), "", True, "by y, then by the arrival", 2),
    "bit_or": Aggregate(lambda x: integer(f"bit_or(CAST({x} AS BIGINT))"), "bit_or"),
    "bit_xor": Aggregate(lambda x: integer(f"bit_xor(CAST({x} AS BIGINT))"), "bit_xor"),
    "bit_and": Aggregate(lambda x: integer(f"bit_and(CAST({x} AS BIGINT))")),
    "bool_and": Aggregate(lambda x: f"bool_and({x})"),
    "bool_or": Aggregate(lambda x: f"bool_or({x})"),
    **{name: Aggregate(spread.text_of(*of), replaced=SPREAD) for name, of in spread.OF_ONE.items()},
    **{name: Aggregate(spread.text_of(*of), replaced=SPREAD, columns=2) for name, of in spread.OF_TWO.items()},
}

OF_DISTINCT = ("count", "sum", "avg")
SAME_IF_DISTINCT = ("min", "max", "bit_or", "bit_and", "bool_or", "bool_and")
SPREADS = (*spread.OF_ONE, *spread.OF_TWO)  # their results are decimals, whatever the operands
NAMES = (*AGGREGATES, *percentiles.NAMES, approximate.NAME, "wsum")
OTHER_NAMES = {"every": "bool_and", "some": "bool_or", "any": "bool_or"}


def is_aggregate(token: Token) -> bool:
    """Whether it is the name of one."""
    name = token.text.lower()
    return OTHER_NAMES.get(name, name) in NAMES
