"""The scalar functions of the dialect as text for Spark.

Spark's parser gives the class of an operator and the name of a call; operands are text already, and integers of it are
DECIMAL(38,0).
"""

from __future__ import annotations

from collections.abc import Callable


def _listed(name: str) -> Callable[..., str]:
    return lambda *values: f"{name}({', '.join(values)})"


# By the class of Spark's expression.
OPERATORS: dict[str, Callable[..., str]] = {
    "IsNull": lambda x: f"({x} IS NULL)",
    "IsNotNull": lambda x: f"({x} IS NOT NULL)",
    "EqualNullSafe": lambda a, b: f"({a} <=> {b})",
    "In": lambda x, *values: f"({x} IN ({', '.join(values)}))",
}

# By the name of a call. Spark's parser makes a call of BETWEEN.
CALLS: dict[str, Callable[..., str]] = {
    "between": lambda x, low, high: f"({x} BETWEEN {low} AND {high})",
    "mod": lambda a, b: f"({a} % nullif({b}, 0))",
    "sign": lambda x: f"CAST(sign({x}) AS DECIMAL(38,0))",
    **{name: _listed(name) for name in ("coalesce", "nvl", "ifnull", "nullif", "abs", "least", "greatest")},
}
