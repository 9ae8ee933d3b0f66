"""The scalar functions of the dialect in Spark's part of a divided query, by their names in the syntax tree."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as F

FUNCTIONS: dict[str, Callable[..., Column]] = {
    "is null": Column.isNull,
    "coalesce": F.coalesce,
}
