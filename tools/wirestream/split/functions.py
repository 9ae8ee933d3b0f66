"""The scalar functions of the dialect in Spark's part of a divided query, by their names in the syntax tree."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as F

INTEGER = "decimal(38,0)"
FUNCTIONS: dict[str, Callable[..., Column]] = {
    "is null": Column.isNull,
    "is distinct from": lambda a, b: ~a.eqNullSafe(b),
    "in": Column.isin,
    "between": Column.between,
    "coalesce": F.coalesce,
    "nullif": F.nullif,
    "mod": lambda a, b: a % F.nullif(b, F.lit(0)),
    "abs": F.abs,
    "sign": lambda x: F.signum(x).cast(INTEGER),
    "least": F.least,
    "greatest": F.greatest,
}
