"""The aggregates: what each is in the dialect, and what it is to the cores that compute it.

This is the compiler's only list of them. An aggregate whose kind the cores know is a line here, one in Spark's part of
a divided query (`wirestream.split.evaluate`) and one in the oracle (`spark_golden/expressions.py`).
One that is made of others also has its parts in `composed`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wirestream.compiler.types import COUNT, LONG, Boolean, Decimal, Integer, Pair, Timestamp, Type, of_bits
from wirestream.schema.fields import MOST_DIGITS

SPREAD_DIGITS = 12  # of a variance, its root and a correlation, after the point


@dataclass(frozen=True)
class Kind:
    """A value of the parameters KIND and KINDS: how a core makes one number of many.

    adds: it is a sum or a count, of ACC_W bits; the number of any other has the width of a value. compares: values with
    one another. by_arrival: the order of the tuples matters. pairs: values are pairs, compared by their upper halves.
    """

    code: str
    adds: bool = False
    compares: bool = False
    by_arrival: bool = False
    pairs: bool = False

    @property
    def counts(self) -> bool:
        """It takes no value, and is never null."""
        return self.code == "CNT"

    @property
    def carries(self) -> bool:
        """A value goes through a carry chain."""
        return self.compares or (self.adds and not self.counts)


@dataclass(frozen=True)
class Domain:
    """The types of values that an aggregate takes. words: for a message."""

    words: str
    holds: Callable[[Type], bool]


NUMBERS = Domain("numbers", lambda kind: kind.kind == "number")
INTEGERS = Domain("integers", lambda kind: kind.kind == "number" and not isinstance(kind, Decimal))
LONGS = Domain(
    "integers that fit a long",
    lambda kind: INTEGERS.holds(kind) and kind.within(LONG),
)
NARROW = Domain("numbers of at most 64 bits", lambda kind: NUMBERS.holds(kind) and kind.within(LONG))
ORDERED = Domain("numbers and times", lambda kind: isinstance(kind, Integer))
CONDITIONS = Domain("conditions", lambda kind: isinstance(kind, Boolean))
VALUES = Domain("numbers, times and strings", lambda kind: not isinstance(kind, Boolean))
HASHED = Domain("numbers, dates, strings and conditions", lambda kind: not isinstance(kind, Timestamp))
ANY = Domain("anything", lambda _: True)


def _same(kind: Type) -> Type:
    return kind


def _of_its_bits(kind: Integer) -> Integer:
    return of_bits(kind.width, kind.signed)


def _rest(kind: Pair) -> Integer:
    return kind.rest


@dataclass(frozen=True)
class Function:
    """An aggregate of the dialect.

    meaning: for docs/dialect.md. kind: of the cores that compute it; None: it is made of others (`composed`), or has a
    core of its own. takes: the values. result: the type of the aggregate, from that of a value; of a sum it depends on
    the window, and of a weighted sum on the weights. also: other names of the call. columns: that it takes.
    """

    name: str
    meaning: str
    kind: Kind | None = None
    takes: Domain = NUMBERS
    result: Callable[[Type], Type] = _same
    also: tuple[str, ...] = ()
    columns: int = 1


@dataclass(frozen=True)
class Share:
    """Where a percentile is among values in ascending order, of which the first one has rank 0: at the rank
    (times * last + plus) / whole, where `last` is that of the last value.

    between: on the line from the value below to the one above; else it is the value below.
    """

    times: int
    plus: int
    whole: int
    between: bool


ROUNDED = f"rounded to a decimal({MOST_DIGITS}, {SPREAD_DIGITS})"
SPREAD = f"exact, and {ROUNDED}"
FUNCTIONS = {
    function.name: function
    for function in (
        Function("count", "number of values; `count()` of tuples", Kind("CNT", adds=True), ANY, lambda _: COUNT),
        Function("sum", "sum", Kind("SUM", adds=True)),
        Function("min", "least value", Kind("MIN", compares=True), ORDERED),
        Function("max", "greatest value", Kind("MAX", compares=True), ORDERED),
        Function("avg", "`sum(x) div count(x)`; of decimals the quotient with four digits more, rounded"),
        Function(
            "wsum",
            "weighted sum of the last values, `wsum(x, [weights])`: decimal weights, the first for the newest tuple; "
            "the result is scaled by a power of two, so that it is exact",
            takes=INTEGERS,
        ),
        Function("first", "value that arrived first", Kind("FST", by_arrival=True), VALUES),
        Function("last", "value that arrived last", Kind("LST", by_arrival=True), VALUES),
        Function(
            "max_by",
            "value of x where y is greatest, of several the one that arrived first: `max_by(x, y)`; where y is null, a "
            "tuple does not count",
            Kind("AMX", compares=True, by_arrival=True, pairs=True),
            ANY,
            _rest,
            columns=2,
        ),
        Function(
            "min_by",
            "value of x where y is least, as `max_by`",
            Kind("AMN", compares=True, by_arrival=True, pairs=True),
            ANY,
            _rest,
            columns=2,
        ),
        Function("bit_or", "bitwise OR, of numbers in two's complement", Kind("BOR"), LONGS, _of_its_bits),
        Function("bit_xor", "bitwise XOR, of numbers in two's complement", Kind("XOR"), LONGS, _of_its_bits),
        Function("bit_and", "bitwise AND, of numbers in two's complement", takes=LONGS),
        Function("bool_and", "whether all are true", takes=CONDITIONS, also=("every",)),
        Function("bool_or", "whether any is true", takes=CONDITIONS, also=("some", "any")),
        Function("var_pop", f"variance: the mean square minus the squared mean, {SPREAD}"),
        Function("var_samp", "`var_pop` times n / (n - 1), null of one value", also=("variance",)),
        Function("stddev_pop", f"standard deviation: the root of the exact variance `var_pop`, {ROUNDED}"),
        Function(
            "stddev_samp",
            f"the root of the exact variance `var_samp`, {ROUNDED}; null of one value",
            also=("stddev", "std"),
        ),
        Function("covar_pop", f"covariance of x and y, where neither is null, {SPREAD}: `covar_pop(x, y)`", columns=2),
        Function("covar_samp", "`covar_pop` times n / (n - 1), null of one pair: `covar_samp(x, y)`", columns=2),
        Function(
            "corr",
            f"correlation: covariance of x and y by their standard deviations, {SPREAD}; null where x or y has only "
            "one value: `corr(x, y)`",
            columns=2,
        ),
        Function(
            "percentile_disc",
            "first value in order up to which there is at least this share of all values: "
            "`percentile_disc(0.9) WITHIN GROUP (ORDER BY x)`, or ORDER BY x DESC",
            takes=ORDERED,
        ),
        Function(
            "percentile_cont",
            "value at this share of the way from the first to the last value in order, on the line between two values: "
            "`percentile_cont(0.9) WITHIN GROUP (ORDER BY x)`; exact, a decimal with as many digits more after the "
            "point as the share has",
        ),
        Function("percentile", "`percentile_cont` as `percentile(x, 0.9)`"),
        Function("median", "`percentile_cont(0.5)`"),
        Function(
            "approx_percentile",
            "`percentile_disc` of numbers with zeros below their leading bits, so that fewer values differ: "
            "`approx_percentile(x, 0.9, 1000)` is too small by less than 1 in 1000 of the value, without it 1 in 128",
            takes=NARROW,
            also=("percentile_approx",),
        ),
        Function(
            "approx_count_distinct",
            "number of different values, estimated by HyperLogLog: `approx_count_distinct(x)`, or with the relative "
            "standard deviation, 0.05 by default: `approx_count_distinct(x, 0.02)`",
            takes=HASHED,
            result=lambda _: COUNT,
        ),
    )
}
NAMES = {name: function.name for function in FUNCTIONS.values() for name in (function.name, *function.also)}
KINDS = {function.kind.code: function.kind for function in FUNCTIONS.values() if function.kind}
