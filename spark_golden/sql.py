"""Compute a query's rows from its SQL text: Spark parses the expressions and computes the rows.

The oracle for queries without a hand-written golden, independent of the compiler. A text is cut into its clauses
(`clauses`); Spark evaluates the expressions in them (`expressions`) and computes their rows (`rows`). The Spark program
delivered with a split query (`wirestream.split`) and this one, which checks it, are intentionally two implementations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_golden.aggregates import SPREADS
from spark_golden.clauses import created, query
from spark_golden.declaration import Stream
from spark_golden.expressions import ORDER, SESSION, first_line
from spark_golden.rows import Evaluation
from spark_golden.session import session
from spark_golden.spelling import as_declared
from spark_golden.tokens import Token, lexed, split


@dataclass(frozen=True)
class Answer:
    """rows: with the columns of SELECT; in order if the query has ORDER BY, LIMIT or ROW_NUMBER(). replaced: what was
    rewritten for Spark, one line each."""

    rows: DataFrame
    replaced: list[str]


def evaluate(
    sql: str,
    streams: Mapping[str, Stream],
    frames: Mapping[str, DataFrame],
    constants: Mapping[str, int | str] | None = None,
) -> Answer:
    """The rows of a text with a single query; see `answers`."""
    found = answers(sql, streams, frames, constants)
    if len(found) != 1:
        raise ValueError(f"{len(found)} queries instead of one")
    return next(iter(found.values()))


def answers(
    sql: str,
    streams: Mapping[str, Stream],
    frames: Mapping[str, DataFrame],
    constants: Mapping[str, int | str] | None = None,
) -> dict[str, Answer]:
    """The rows of each query of a text, by its INTO, or `query`1, 2, … in the order of the text.

    streams: the streams that the text does not CREATE, or creates of messages. frames: the items of each stream in the
    form of `time_rules`: stream, session, seq, kind and the fields. constants: the value of each `$name`. Raises
    ValueError with one line for an invalid text.
    """
    streams = declared(sql, streams)
    found: dict[str, Answer] = {}
    for statement in _statements(sql):
        if statement[0].keyword == "CREATE":
            continue
        body, name = query(statement)
        evaluation = Evaluation(streams, frames, constants or {})
        if name:
            evaluation.replaced[f"INTO {name}: the result's name"] = None
        name = name or f"query{len(found) + 1}"
        if name in found:
            raise ValueError(f"two queries named {name}")
        try:
            with without_loss() if _uses_decimals(statement, frames) else nullcontext():
                rows = evaluation.body(as_declared(body, streams))
            frame = rows.frame.orderBy(SESSION, ORDER) if body[0].in_order else rows.frame
            found[name] = Answer(frame.select(*map(F.col, rows.names)), list(evaluation.replaced))
        except (AnalysisException, ParseException) as error:
            raise ValueError(first_line(error)) from error
    return found


def _uses_decimals(statement: list[Token], frames: Mapping[str, DataFrame]) -> bool:
    """Whether a query may read or write a decimal; weights are none of SQL."""
    if any(kind.startswith("decimal") for frame in frames.values() for _, kind in frame.dtypes):
        return True
    weights, words = False, {"DECIMAL", *map(str.upper, SPREADS)}
    for token in statement:
        weights = token.keyword == "[" or (weights and token.keyword != "]")
        if token.keyword in words or (token.kind == "number" and not token.text.isdigit() and not weights):
            return True
    return False


@contextmanager
def without_loss() -> Iterator[None]:
    """Expressions that are analysed inside keep all digits of decimals; quotients of integers then have fewer."""
    name = "spark.sql.decimalOperations.allowPrecisionLoss"
    session().conf.set(name, "false")
    try:
        yield
    finally:
        session().conf.unset(name)


def declared(sql: str, streams: Mapping[str, Stream]) -> dict[str, Stream]:
    """All streams that the queries of a text may read: `streams`, and the streams that the text creates. A stream
    created of messages (FORMAT) is one of `streams`."""
    creates = [statement for statement in _statements(sql) if statement[0].keyword == "CREATE"]
    made = [created(tokens) for tokens in creates if "FORMAT" not in [token.keyword for token in tokens]]
    return {**streams, **{stream.name: stream for stream in made}}


def _statements(sql: str) -> list[list[Token]]:
    return [statement for statement in split(lexed(sql), ";") if statement]
