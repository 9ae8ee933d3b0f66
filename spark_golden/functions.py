"""The scalar functions of the dialect as text for Spark.

Spark's parser gives the class of an operator and the name of a call; operands are text already, and integers of it are
DECIMAL(38,0).
"""

from __future__ import annotations

from collections.abc import Callable

# By the class of Spark's expression.
OPERATORS: dict[str, Callable[..., str]] = {
    "IsNull": lambda x: f"({x} IS NULL)",
    "IsNotNull": lambda x: f"({x} IS NOT NULL)",
}

# By the name of a call.
CALLS: dict[str, Callable[..., str]] = {
    "coalesce": lambda *values: f"coalesce({', '.join(values)})",
}
