"""The order of the rows of each window: ORDER BY, LIMIT and OFFSET, and ROW_NUMBER()."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F

from spark_golden.aggregates import is_aggregate
from spark_golden.clauses import NUMBER, Item, Order, Select
from spark_golden.declaration import INTEGER
from spark_golden.expressions import ORDER, SESSION, WINDOW, Shim
from spark_golden.tokens import Token


def orders(select: Select) -> list[list[Token]]:
    """The expressions of ORDER BY: the number of a column of SELECT alone is that column, and outside aggregates so is
    a name that one has."""
    named = {item.name: item.expression for item in select.items if item.expression}
    return [_by_names(order.expression, select.items, named) for order in select.order]


def in_order(frame: DataFrame, select: Select) -> DataFrame:
    """The rows that LIMIT and OFFSET leave of each window, in the order of the columns `#by`0, 1, …, then of ORDER."""
    by = [_directed(F.col(f"`#by{k}`"), order) for k, order in enumerate(select.order)]
    place = F.row_number().over(Over.partitionBy(SESSION, WINDOW).orderBy(*by, ORDER))
    frame = frame.withColumn("#place", place).where(F.col("#place") > select.offset)
    if select.limit is not None:
        frame = frame.where(F.col("#place") <= select.offset + select.limit)
    return frame.withColumn(ORDER, F.struct(WINDOW, "#place"))


def numbered(frame: DataFrame, select: Select, shim: Shim) -> DataFrame:
    """The tuples of each window with their NUMBER in their partition, in the order of the partitions' first tuples."""
    of_partition = Over.partitionBy(SESSION, WINDOW, *(F.expr(shim(key)) for key in select.over.partition))
    by = [_directed(F.expr(shim(order.expression)), order) for order in select.over.order]
    frame = frame.withColumn("#first", F.min(ORDER).over(of_partition))
    frame = frame.withColumn(NUMBER, F.row_number().over(of_partition.orderBy(*by, ORDER)).cast(INTEGER))
    return frame.withColumn(ORDER, F.struct(WINDOW, "#first", NUMBER))


def named_items(tokens: list[Token], items: list[Item]) -> list[Token]:
    """The tokens with the expressions of items in place of their names."""
    return _by_names(tokens, items, {item.name: item.expression for item in items if item.expression})


def _by_names(tokens: list[Token], items: list[Item], named: Mapping[str, list[Token]]) -> list[Token]:
    if len(tokens) == 1 and tokens[0].kind == "number":
        place = int(tokens[0].text)
        if not 1 <= place <= len(items) or items[place - 1].expression is None:
            raise ValueError(f"ORDER BY {place}: no such column")
        return items[place - 1].expression
    found: list[Token] = []
    inside, depth = 0, 0  # the depth of parentheses at which an aggregate ends, and the present one
    for token, after in zip(tokens, [*tokens[1:], None], strict=False):
        depth += {"(": 1, ")": -1}.get(token.keyword, 0)
        inside = 0 if depth < inside else inside
        call = token.kind == "name" and after is not None and after.keyword == "("
        if call and not inside and is_aggregate(token):
            inside = depth + 1
        replaced = token.kind == "name" and not call and not inside and token.text in named
        brackets = [Token("symbol", sign, token.line) for sign in "()"]
        found += [brackets[0], *named[token.text], brackets[1]] if replaced else [token]
    return found


def _directed(key: Column, order: Order) -> Column:
    direction = ("desc" if order.descending else "asc") + f"_nulls_{'last' if order.nulls_last else 'first'}"
    return getattr(key, direction)()
