"""Random valid queries over a stream.

random_tree.py writes a tree in SQL, random_rows.py evaluates it in PySpark; neither uses the compiler or Spark's
parser. Every value stays below 2**125, which DECIMAL(38,0) holds, and every value of a row within 64 bits for up to
`TUPLES` tuples. Open windows and groups stay within the circuit's limits.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain, product
from math import prod
from typing import TYPE_CHECKING

from tb import REPOSITORY
from tb.queries.random_tree import (
    APPLY,
    BITS,
    CALLS,
    COMPARE,
    ESTIMATE,
    INTEGERS,
    MEASURES,
    PERCENTILES,
    TEXTS,
    TIMES,
    WORDED,
    Expr,
    Limit,
    Order,
    Relation,
    Select,
    Source,
    Union,
    Window,
    hull,
    quoted,
    statement,
    text,
    whole,
)
from wirestream.schema.streams import Stream, load

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TRADES = REPOSITORY / "fusesoc" / "streams" / "trades.yml"
LONG = INTEGERS["long"]
TUPLES, WINDOWS, GROUPS = 4096, 10, 20  # at most: tuples in a window, open windows, groups in a window
COUNT = Expr("count", (), "number", (0, 2**63 - 1), (0, TUPLES))
VALUES = (0, 1, 2, 3, 7, 100, 250, -1, -6, -300, 1000, 100_000, 700_000_000, 5_000_000_000)
ACCURACIES = (1, 2, 10, 1000)
SHARES = ("0", "1", ".5", "0.1", "0.25", "0.90", ".75", "0.999")
WEIGHTS = ("1", "2", "-1", ".5", ".25", ".125", ".75", "-1.5", "0")
PLACES = (1, 3, 7, 31, 62, 63, 64)  # of a shift
LETTERS = "%%%__UBSNE"  # of a pattern of LIKE
SPREADS = ("var_pop", "var_samp")
BY_ARRIVAL = ("first", "last", "max_by", "min_by", "wsum")
MOST_SPREAD = 40_000_000  # of values of a variance, so that thousandths of it are a long
MOST_SCALE = 12  # of a product
MOST_TEXT = 64  # characters, and more than any string has
MOMENTS = {  # of comparisons, in ticks: beginnings, ends and leap days of years
    "timestamp(s)": (0, -1, 951_782_400, 951_868_799, 1_767_225_599, 4_102_444_800, -2_208_988_800),
    "timestamp(ms)": (0, 1500, 4_321, 10_000, 60_000),
    "date": (0, -1, 11_016, 19_782, 20_453, -25_567),
}
SHIFTS = (1000, -1000, 90_000, -86_400_000)  # of a time, in milliseconds
WORDS = ("UBSN", "UBSN", "UBSN", "NESN", "NESN", "ABBN", "X", "NE")


@dataclass(frozen=True)
class Drawn:
    """A query. spark: computes its rows from its stream's tuples, and if asked their sessions. constants: the value of
    each $name."""

    name: str
    sql: str
    spark: Callable[..., DataFrame]
    constants: dict[str, int | str]


def draw(seed: int, stream: Stream | None = None) -> Drawn:
    """The query of this seed over a stream (default: trades)."""
    drawing = _Draw(seed, stream or load(TRADES))
    relation, name = drawing.query(), f"R{seed}"
    written = statement(relation, name, drawing.rng)

    def spark(tuples: DataFrame, sessions: bool = False) -> DataFrame:
        from tb.queries.random_rows import rows  # Spark is loaded only when it is used

        return rows(relation, tuples, sessions)

    used = {k: value for k, value in drawing.constants.items() if re.search(rf"\${k}\b", written)}
    return Drawn(name, written, spark, used)


class _Draw:
    def __init__(self, seed: int, stream: Stream):
        self.seed, self.rng = seed, random.Random(f"query {seed}")
        self.source, self.names = Source(stream), 0
        (self.time,) = (c for c in self.source.scope if c.args == (stream.time,))
        self.constants: dict[str, int | str] = {}

    def often(self, share: float) -> bool:
        return self.rng.random() < share

    def name(self) -> str:
        self.names += 1
        return f"c{self.names}"

    def query(self) -> Relation:
        match self.rng.choice(("tuples", "union", "time", "time", "time", "tuple", "tuple", "both", "first")):
            case "tuples":
                made = self.plain(self.plain(self.source) if self.often(0.4) else self.source)
            case "union":
                made = self.union()
            case "time":
                made = self.windowed("time", self.below())
            case "tuple":
                made = self.windowed("tuples", self.below())
            case "first":
                made = self.first(self.rng.choice(("time", "tuples")), self.below())
            case _:
                made = self.windowed("tuples", self.windowed("time", self.below(), keyed=False), keyed=False)
        return self.plain(made) if self.often(0.2) else _whole(made)

    def below(self) -> Relation:
        return self.plain(self.source, timed=True) if self.often(0.5) else self.source

    def plain(self, source: Relation, timed: bool = False) -> Select:
        """A selection and projection. timed: it keeps the time, and a column with few values."""
        where = self.truth(source.scope, 2) if self.often(0.5) else None
        if self.often(0.15):
            return Select(source, (), where)
        items = [(self.name(), self.shown(source.scope, "number"))]
        items += [self.item(source.scope) for _ in range(self.rng.randint(0, 3))]
        items += [(self.time.args[0], self.time), (self.name(), self.shown(source.scope, "few"))] * timed
        return Select(source, self.shuffled(items), where)

    def union(self) -> Union:
        """Two selections and projections with columns of the same names and kinds."""
        scope, kinds = self.source.scope, ("number", "number", "few", "text", "truth")
        words = [c for c in scope if c.kind == "text"]
        names = [
            (self.name(), "number"),
            *((self.name(), self.rng.choice(kinds)) for _ in range(self.rng.randint(0, 2))),
        ]
        word = next(iter(self.rng.sample(words, len(words))), None)  # the same in both, so that the lengths are equal
        parts = []
        for _ in range(2):
            shown = (word if word and kind == "text" else self.shown(scope, kind) for _, kind in names)
            items = [(name, self.narrow(self.whole(value))) for (name, _), value in zip(names, shown, strict=True)]
            parts.append(Select(self.source, tuple(items), self.truth(scope, 1) if self.often(0.8) else None))
        return Union(tuple(parts))

    def windowed(self, unit: str, source: Relation, keyed: bool = True) -> Select:
        """Measures of windows; those in time need a source with the stream's time. keyed: with GROUP BY in some."""
        keys = self.keys(source.scope) if keyed and self.often(0.5) else []
        window = self.time_window(bool(keys)) if unit == "time" else self.tuple_window(bool(keys))
        where = self.truth(source.scope, 1) if self.often(0.3) else None
        known = MEASURES[:-1] if keys else MEASURES
        measures = [self.measure(source.scope, MEASURES[:5])]
        measures += [self.measure(source.scope, known) for _ in range(self.rng.randint(0, 3))]
        measures = [self.filtered(measure, source.scope) if self.often(0.2) else measure for measure in measures]
        measures = [_in_thousandths(measure) for measure in measures]
        counted = unit == "time" and self.often(0.25)
        if unit == "tuples" and not keys:
            known = (self.known(source.scope) for _ in range(2) if self.often(0.4))
            measures += [self.percentile(of, self.rng.choice((0, *ACCURACIES)) * (_bits(of.type) < 64)) for of in known]
        elif counted or (unit == "time" and not keys and self.often(0.3)):
            measures = self.without_order(measures) if window.emit_empty or self.often(0.5) else measures
            if counted:
                measures += [one for _ in range(self.rng.choice((1, 2, 2))) for one in self.counted(source.scope, keys)]
            ways = self.rng.choices((self.distinct, self.distinct, self.approximate), k=self.rng.choice((1, 2, 2)))
            if not keys and (not counted or self.often(0.3)):
                measures += [way(source.scope) for way in ways]
        scope = [*measures, *keys, *([self.time] if unit == "time" else [])]
        having = self.truth(scope, 1) if self.often(0.3) else None
        items = [(self.name(), self.narrow(measures[0])), *(self.item(scope) for _ in range(self.rng.randint(0, 3)))]
        items = self.shuffled(items)
        group = tuple(self.grouped(k, items) for k in keys)
        order, limit = self.order(scope, 8) if keys and not counted and self.often(0.4) else ((), None)
        return Select(source, items, where, window, tuple(keys), group, having, order, limit)

    def first(self, unit: str, source: Relation) -> Select:
        """The first tuples of windows."""
        window = self.time_window(keyed=True) if unit == "time" else self.tuple_window(keyed=False)
        where = self.truth(source.scope, 1) if self.often(0.3) else None
        items = [(self.name(), self.shown(source.scope, "number")), *(self.item(source.scope) for _ in range(2))]
        of_tuples = (window.advance, window.size) if unit == "tuples" else (8,)
        order, limit = self.order(source.scope, *of_tuples)
        return Select(source, self.shuffled(items), where, window, order=order, limit=limit)

    def order(self, scope: list[Expr], most: int, held: int = WINDOWS) -> tuple[tuple[Order, ...], Limit]:
        """Of up to two expressions, and up to `most` rows. held: a window has at least so many."""
        of = (self.rng.choice(scope) if self.often(0.5) else self.shown(scope, "number") for _ in range(2))
        keys = [key for key in of if _reads(key) and self.often(0.7)]  # a number would be the place of a column
        orders = tuple(Order(key, self.often(0.5), self.often(0.5)) for key in keys)
        return orders, Limit(self.rng.randint(1, most), min(self.rng.choice((0, 0, 0, 1, 2)), held - 1))

    def distinct(self, scope: list[Expr]) -> Expr:
        """A measure of DISTINCT values, which are few."""
        of = self.bucket(scope)
        if of.kind != "number" or of.scale or self.often(0.4):
            return replace(COUNT, op="count distinct", args=(of,))
        return replace(of, op=self.rng.choice(("sum distinct", "avg distinct")), args=(of,), null=True)

    def approximate(self, scope: list[Expr]) -> Expr:
        """An estimate of the number of values."""
        numbers = [value for value in scope if value.kind == "number" and not value.scale]
        of = self.rng.choice(numbers) if numbers and self.often(0.5) else self.bucket(scope)
        of = self.truth(scope, 0) if of.scale else of
        return replace(COUNT, op=ESTIMATE, args=(of, self.rng.choice(("0.3", "0.2"))), data=(0, 2**33))

    def shuffled(self, items: list[tuple[str, Expr]]) -> tuple[tuple[str, Expr], ...]:
        """The items in random order, without duplicate names or expressions."""
        items = list({(value, value.args == (name,)): (name, value) for name, value in dict(items).items()}.values())
        return tuple(self.rng.sample(items, len(items)))

    def time_window(self, keyed: bool) -> Window:
        """RANGE is a multiple of SLIDE, or not a multiple, or less."""
        slide, slack = self.rng.choice((10, 20, 45, 60)), self.rng.choice((0, 0, 5, 12, 30))
        size = self.rng.choice((slide, 3 * slide, slide // 2, self.rng.randint(1, 6 * slide)))
        ahead = slack + slide + self.rng.choice((0, 30)) if self.often(0.2) else 0
        start = self.rng.choice((0, 500, 1000, 1030)) if self.often(0.25) else None
        empty = not keyed and start is None and self.often(0.25)
        size = min(size, WINDOWS * slide - slack)
        return Window("time", size, slide, self.time.args[0], slack, start, ahead, self.rng.choice((2, 5, 16)), empty)

    def tuple_window(self, keyed: bool) -> Window:
        """SIZE is more or less than ADVANCE."""
        advance = self.rng.randint(60, 90) if keyed else self.rng.choice((1, 1, 2, 3, 10))
        return Window("tuples", self.rng.randint(1, 2 * advance + 4), advance)

    def keys(self, scope: list[Expr]) -> list[Expr]:
        """One or two columns or expressions with few values."""
        keys, groups = [], 1
        made = [replace(value, op="key", args=(value,)) for value in (self.bucket(scope) for _ in range(2))]
        for key in self.rng.sample([*scope, *made], len(scope) + len(made)):
            values = _values([key])
            if not key.null and groups * values < GROUPS and len(keys) < 2 and key not in keys:
                keys, groups = [*keys, key], groups * values
        return keys

    def bucket(self, scope: list[Expr]) -> Expr:
        """An expression with few values, for a key."""
        kind, words = self.rng.choice(("few", "few", "band", "truth", "text")), _of_kind(scope, "text")
        if kind == "truth":
            return self.truth(scope, 0)
        if kind == "text" and words:
            word = self.rng.choice(words)
            return replace(word, op=self.rng.choice(("upper", "lower")), args=(word,))
        if kind == "band":
            return self.choice(self.truth(scope, 0), *map(self.literal, self.rng.sample((0, 1, 7), 2)))
        few = self.shown(scope, "few")
        zero = self.literal(0)
        return Expr("coalesce", (few, zero), "number", few.type, few.data) if few.null else few

    def grouped(self, key: Expr, items: tuple[tuple[str, Expr], ...]) -> str:
        """How GROUP BY names a key: by its expression, or as a column of SELECT by name or number."""
        shown = [(quoted(name), str(n)) for n, (name, value) in enumerate(items, 1) if value == key]
        return self.rng.choice([text(key), *chain(*shown)])

    def filtered(self, measure: Expr, scope: list[Expr]) -> Expr:
        return replace(measure, op="filter", args=(measure, self.truth(scope, 1)))

    def measure(self, scope: list[Expr], known: tuple[str, ...]) -> Expr:
        op = self.rng.choice(known)
        words = [c for c in scope if c.kind == "text"]
        if op == "count" and self.often(0.6):
            return COUNT
        if op in ("first", "last") and words and self.often(0.3):
            of = self.rng.choice(words)
            return replace(of, op=op, args=(of,))
        if op in ("bool_and", "bool_or"):
            return Expr(op, (self.truth(scope, 1),), null=True)
        if op in ("max_by", "min_by"):
            of, by = self.rng.choice(scope), self.narrow(self.number(scope, 1))
            of = self.narrow(of) if of.kind == "number" else of
            return replace(of, op=op, args=(of, by), null=True)
        times = [c for c in scope if c.kind in TIMES and c != self.time]
        if op in ("min", "max", "first", "last") and len(known) > 5 and times and self.often(0.4):
            of = self.moment(scope, self.rng.choice(times).kind)
            return replace(of, op=op, args=(of,), null=True)
        of = self.number(scope, self.rng.choice((0, 1, 2)))
        if of.scale and op in ("bit_or", "bit_xor", "bit_and", "wsum", *SPREADS):
            of = self.whole(of)
        made = replace(of, op=op, args=(of,), null=op != "count")
        bits = max(63, _bits(of.type) + 32)  # of the sum
        if op == "count":
            made = replace(made, type=COUNT.type, data=COUNT.data, scale=0)
        elif op == "avg" and of.scale:
            longer = {"type": _times(of.type, 4), "data": _times(of.data, 4)}
            made = replace(made, scale=of.scale + 4, **longer)
        elif op == "sum":
            made = replace(made, type=(-(2**bits), 2**bits), data=hull([TUPLES * v for v in (0, *of.data)]))
        elif op in ("bit_or", "bit_xor", "bit_and"):
            if not LONG[0] <= of.type[0] <= of.type[1] <= LONG[1]:
                return replace(of, op="max", args=(of,), null=True)
            made = replace(made, type=_of_bits(of.type), data=_of_bits(of.data))
        elif op in SPREADS:
            if of.data[1] - of.data[0] >= MOST_SPREAD or _bits(of.type) > 64 or _bits(of.data) > 40:
                of = self.apply("%", of, self.literal(1_000_003))
            made = replace(of, op=op, args=(of,), null=True, type=LONG, data=(0, 1000 * (of.data[1] - of.data[0]) ** 2))
        elif op == "wsum":
            weights = tuple(self.rng.choices(WEIGHTS, k=self.rng.randint(1, 4)))
            most = sum(map(abs, whole(weights)))
            wide, real = (most * max(map(abs, r)) for r in (of.type, of.data))
            made = replace(made, args=(of, weights), type=(-wide, wide), data=(-real, real))
        return (
            made if max(_bits(made.type), bits * (op == "avg")) < 125 else replace(of, op="max", args=(of,), null=True)
        )

    def known(self, scope: list[Expr]) -> Expr:
        """A number that is never null."""
        of = self.narrow(self.number(scope, 1))
        if of.scale and of not in self.source.scope:
            of = self.whole(of)
        return replace(of, op="coalesce", args=(of, self.literal(0)), null=False) if of.null else of

    def without_order(self, measures: list[Expr]) -> list[Expr]:
        """The measures that do not go by the order of arrival, or a count if there are none."""
        kept = [m for m in measures if (m.args[0].op if m.op == "filter" else m.op) not in BY_ARRIVAL]
        return kept or [COUNT]

    def counted(self, scope: list[Expr], keys: list[Expr]) -> list[Expr]:
        """Percentiles of a number that may be null, with FILTER or without; it has few values in each group."""
        of = self.shown(scope, "few")
        if _values(keys) * _values([of]) > GROUPS:
            return []
        accuracy = self.rng.choice(ACCURACIES) if self.often(0.2) else 0
        made = [replace(self.percentile(of, accuracy), null=True) for _ in range(self.rng.randint(1, 3))]
        return [self.filtered(one, scope) if self.often(0.3) else one for one in made]

    def percentile(self, of: Expr, accuracy: int) -> Expr:
        """Its scale is that of the share more. accuracy: of an approximate one."""
        op, share = self.rng.choice(PERCENTILES), self.rng.choice(SHARES)
        if accuracy:
            return replace(of, op="approx_percentile", args=(of, share, accuracy), data=hull([0, *of.data]))
        if op in ("median", "percentile"):
            made = replace(of, op=op, args=(of, ".5" if op == "median" else share, False))
        else:
            made = replace(of, op=op, args=(of, share, self.often(0.5)))
        more = 0 if op == "percentile_disc" else len(made.args[1].partition(".")[2].rstrip("0"))
        return replace(made, scale=of.scale + more, type=_times(of.type, more), data=_times(of.data, more))

    # ---- expressions over the columns and measures of a scope

    def item(self, scope: list[Expr]) -> tuple[str, Expr]:
        """A column under its own name, or an expression under a new one."""
        if self.often(0.5):
            found = self.rng.choice(scope)
            shown = self.narrow(found)
            return found.args[0] if shown.op == "column" and self.often(0.7) else self.name(), shown
        kinds = {c.kind for c in scope} & TIMES.keys()
        return self.name(), self.shown(scope, self.rng.choice(("number", "number", "number", "truth", *sorted(kinds))))

    def shown(self, scope: list[Expr], kind: str) -> Expr:
        """An expression for a column of a row. kind: number, truth, a time, or few (a number with few values)."""
        if kind == "few":
            number = self.whole(self.rng.choice(_of_kind(scope, "number")))
            return self.apply("%", number, self.literal(self.rng.choice((2, 3, 5))))
        if kind in TIMES:
            return self.moment(scope, kind)
        return self.truth(scope, 1) if kind == "truth" else self.narrow(self.number(scope, 2))

    def narrow(self, value: Expr) -> Expr:
        """The value if it stays within 64 bits for the stream, else an expression of it that does."""
        if value.kind != "number" or value.scale or LONG[0] <= value.data[0] <= value.data[1] <= LONG[1]:
            return value
        if self.often(0.5):
            return self.apply("%", value, self.literal(1_000_003))
        return self.apply("div", value, self.literal(2 ** (_bits(value.data) - 60)))

    def whole(self, value: Expr) -> Expr:
        """The digits of a number before the point."""
        return self.apply("div", value, self.literal(1)) if value.scale else value

    def moment(self, scope: list[Expr], kind: str) -> Expr:
        """A time that is one of the columns, moved, or chosen."""
        a, b = (self.rng.choice(_of_kind(scope, kind)) for _ in range(2))
        if kind != "date" and self.often(0.3):
            a = replace(a, op="shift", args=(a, self.rng.choice(SHIFTS)))
        if a == b or self.often(0.4):
            b = Expr("literal", (self.rng.choice(MOMENTS[kind]),), kind)
        match self.rng.choice(("", "", "if", "coalesce", "greatest")):
            case "":
                return a
            case "if":
                return self.choice(self.truth(scope, 0), a, b)
            case op:
                return replace(a, op=op, args=(a, b), null=a.null and b.null)

    def number(self, scope: list[Expr], depth: int) -> Expr:
        """An expression over at least one column, rarely the time."""
        numbers = _of_kind(scope, "number")
        if depth and self.often(0.06) and (words := _of_kind(scope, "text")):
            word = self.edited(self.rng.choice(words))
            return Expr("char_length", (word,), "number", (0, MOST_TEXT), (0, MOST_TEXT), word.null)
        a = self.rng.choice([c for c in numbers if c != self.time or self.often(0.2)] or numbers)
        if depth == 0 or self.often(0.25):
            return a
        a = self.number(scope, depth - 1)
        if self.often(0.08):
            return replace(a, op="neg", args=(a,), type=_reach("-", (0, 0), a.type), data=_reach("-", (0, 0), a.data))
        if self.often(0.15) and (found := self.of_scale(scope, a)):
            return found
        if self.often(0.1) and _in_a_long(a):
            return self.of_bits(a, scope, depth)
        if self.often(0.1):
            b = self.other(a, VALUES) if self.often(0.5) else self.number(scope, depth - 1)
            return self.choice(self.truth(scope, 0), a, b)
        if self.often(0.15):
            return self.call(scope, a)
        op, b = self.rng.choice(("+", "-", "*", "div", "%")), self.number(scope, depth - 1)
        if a == b or self.often(0.5):
            b = self.other(a, VALUES if self.often(0.1) else VALUES[1:])  # rarely 0
        if op == "*" and a.scale + b.scale > MOST_SCALE:
            return a
        made = self.apply(op, *((b, a) if self.often(0.2) else (a, b)))
        return a if _wide(made) or (op != "*" and _wide(*_aligned(a, b))) else made

    def of_scale(self, scope: list[Expr], a: Expr) -> Expr | None:
        """A CAST of a number, or a quotient of a field and a decimal, if its value fits."""
        if self.often(0.5):
            return self.cast(a)
        fields = [c for c in scope if c in self.source.scope]
        decimals = [c for c in fields if c.scale] + [self.literal(v, 2) for v in (7, 300, 12_345)]
        b = self.rng.choice(decimals)
        if a not in fields or a == b:
            return None
        (before, after), (j, t) = self.digits(a), self.digits(b)
        left, digits = min(before + t, 38), min(max(6, after + j + t + 1), 38)
        if (excess := left + digits - 38) > 0:
            digits -= excess // 2 + 1
        more = digits + t - after
        most = [max(map(abs, _times(r, more))) for r in (a.type, a.data)]
        reach = {"type": (-most[0], most[0]), "data": (-most[1], most[1])}
        made = Expr("/", (a, b), "number", null=a.null or b.null or b.type[0] <= 0, scale=digits, **reach)
        return None if more < 0 or max(map(_bits, (made.type, made.data))) > 120 else made

    def digits(self, a: Expr) -> tuple[int, int]:
        """The digits of a field or a literal before and after the point; an integer counts as one of 20 digits."""
        if a.op == "literal":
            length = max(len(str(abs(a.args[0]))), a.scale)
            return length - a.scale, a.scale
        if not a.scale:
            return 20, 0
        digits, scale = self.source.stream.schema.field(a.args[0]).arguments
        return digits - scale, scale

    def cast(self, a: Expr) -> Expr | None:
        """To a type that holds the values."""
        scale = self.rng.choice((0, 0, 1, 2, 6))
        data = _times(a.data, scale - a.scale)
        digits = len(str(max(map(abs, data)))) + self.rng.choice((0, 1, 5))
        reach = LONG if scale == 0 else (1 - 10**digits, 10**digits - 1)
        if digits > 36 or not reach[0] <= data[0] <= data[1] <= reach[1]:
            return None
        kind = f"decimal({max(digits, scale)}, {scale})" if scale else "bigint"
        return replace(a, op="cast", args=(a, kind), scale=scale, type=reach, data=data)

    def call(self, scope: list[Expr], a: Expr) -> Expr:
        """A function of a number, and of others."""
        op = self.rng.choice(CALLS)
        if op == "abs":
            return replace(a, op=op, args=(a,), type=_magnitude(a.type), data=_magnitude(a.data))
        if op == "sign":
            return Expr(op, (a,), "number", (-1, 1), (-1, 1), a.null)
        b = self.number(scope, 1) if self.often(0.6) else self.literal(self.rng.choice(VALUES), min(a.scale, 2))
        x, y = _aligned(a, b)
        if _wide(x, y):
            return a
        if op == "nullif":
            return replace(a, op=op, args=(a, b), null=True)
        reach = {"type": hull(x.type + y.type), "data": hull(x.data + y.data)}
        return Expr(op, (a, b), "number", null=a.null and b.null, scale=x.scale, **reach)

    def of_bits(self, a: Expr, scope: list[Expr], depth: int) -> Expr:
        """An operation on the bits of a number of at most 64 bits."""
        op = self.rng.choice((*BITS, "~"))
        if op == "~":
            return replace(a, op=op, args=(a,), type=_reach("-", (-1, -1), a.type), data=_reach("-", (-1, -1), a.data))
        b = self.number(scope, depth - 1)
        if a == b or self.often(0.5) or not _in_a_long(b):
            b = self.other(a, PLACES if op in ("<<", ">>") else VALUES)
        reach = LONG if op == "<<" else _of_bits(hull(a.type + b.type))
        return Expr(op, (a, b), "number", reach, reach, a.null or b.null)

    def edited(self, a: Expr) -> Expr:
        """A string, or a function of it that is never empty."""
        if self.often(0.4):
            return a
        op = self.rng.choice(TEXTS)
        literals = {
            "left": (self.rng.randint(1, 5),),
            "right": (self.rng.randint(1, 5),),
            "substring": (self.rng.choice((-3, -2, -1, 0, 1)), self.rng.randint(1, 4)),
            "concat": (self.rng.choice((" ", "NE", "_", "s B")),),
        }
        of_kind = "text" if op == "concat" else "number"
        args = (a, *(Expr("literal", (value,), of_kind) for value in literals.get(op, ())))
        made = Expr(op, args[:: self.rng.choice((1, -1))] if op == "concat" else args, "text", null=a.null)
        return self.edited(made) if self.often(0.3) else made

    def other(self, a: Expr, values: list[int] | tuple[int, ...] = VALUES) -> Expr:
        """A number, as a literal or as a $name, for the other operand of `a`. Of a decimal it is often one."""
        value = self.rng.choice(values)
        if a.scale:
            return self.literal(value, self.rng.choice((0, 1, 2, a.scale)))
        if self.often(0.2) and (a in self.source.scope or a.op == "count") and a.type[0] <= value <= a.type[1]:
            return replace(a, op="constant", args=(self.constant(value), value), data=(value, value))
        return self.literal(value)

    def constant(self, value: int | str) -> str:
        name = f"k{self.seed}_{len(self.constants)}"  # unique among the queries of one circuit
        self.constants[name] = value
        return name

    @staticmethod
    def literal(value: int, scale: int = 0) -> Expr:
        return Expr("literal", (value,), "number", (value, value), (value, value), scale=scale)

    @staticmethod
    def apply(op: str, a: Expr, b: Expr) -> Expr:
        null = a.null or b.null or (op in ("div", "%") and b.type[0] <= 0 <= b.type[1])
        x, y = (a, b) if op == "*" else _aligned(a, b)
        scale = {"*": a.scale + b.scale, "div": 0}.get(op, x.scale)
        return Expr(op, (a, b), "number", _reach(op, x.type, y.type), _reach(op, x.data, y.data), null, scale)

    def choice(self, condition: Expr, a: Expr, b: Expr) -> Expr:
        """One of two values of a kind, or of one value and null."""
        if self.often(0.25):
            return replace(a, op="if", args=(condition, a), null=True)
        x, y = _aligned(a, b)
        if _wide(x, y):
            return replace(a, op="if", args=(condition, a, a))
        reach = {"type": hull(x.type + y.type), "data": hull(x.data + y.data)}
        return Expr("if", (condition, a, b), a.kind, null=a.null or b.null, scale=x.scale, **reach)

    def worded(self, scope: list[Expr]) -> Expr:
        """A condition that is written in words."""
        op = self.rng.choice(WORDED)
        a = self.number(scope, 1)
        if op == "is null" and a.null:
            return Expr(op, (a,))
        op = "in" if op == "is null" else op
        others = [self.number(scope, 0) if self.often(0.3) else self.other(a) for _ in range(self.rng.randint(2, 5))]
        others = [self.literal(7) if _wide(*_aligned(a, b)) else b for b in others]
        if op == "distinct":
            return Expr(op, (a, others[0]))
        others = others if op == "in" else others[:2]
        return Expr(op, (a, *others), null=any(part.null for part in (a, *others)))

    def truth(self, scope: list[Expr], depth: int) -> Expr:
        op = self.rng.choice(("and", "or", "or", "or", "not", "=", "<>", "if")) if depth and self.often(0.5) else ""
        if not op and self.often(0.15):
            return self.worded(scope)
        if op == "not":
            a = self.truth(scope, depth - 1)
            return Expr(op, (a,), null=a.null)
        if op == "if":
            return self.choice(*(self.truth(scope, depth - 1) for _ in range(3)))
        if op:
            a, b = (self.truth(scope, depth - 1) for _ in range(2))
            if op in ("and", "or") and self.often(0.05):
                b = Expr("literal", (op == "and",))
            return Expr(op, (a, b), null=a.null or b.null)
        a = self.rng.choice([c for c in scope if c.kind != "number"] + [self.number(scope, 1)] * 3)
        if a.kind == "truth":
            return a
        if a.kind in TIMES:
            b = self.moment(scope, a.kind)
            if a == b or self.often(0.6):
                b = Expr("literal", (self.rng.choice(MOMENTS[a.kind]),), a.kind)
            return Expr(self.rng.choice([*COMPARE]), (a, b), null=a.null or b.null)
        if a.kind == "text":
            if self.often(0.3):
                pattern = "".join(self.rng.choices(LETTERS, k=self.rng.randint(1, 5)))
                made = self.edited(a)
                op = self.rng.choice(("like", "like", "not like"))
                return Expr(op, (made, Expr("literal", (pattern,), "text")), null=a.null)
            word, op = self.rng.choice(WORDS)[: a.type[1]], self.rng.choice(("=", "<>", "<=", ">"))
            runs = self.often(0.25) and a in self.source.scope
            b = Expr("constant", (self.constant(word), word), "text") if runs else Expr("literal", (word,), "text")
            return Expr(op, (a, b), null=a.null)
        b = self.number(scope, 1)
        if a == b or self.often(0.7) or _wide(*_aligned(a, b)):
            b = self.other(a, [v for v in VALUES if a.data[0] <= v <= a.data[1]] or VALUES)
        likely = ("<", "<=", "<>") if b.data[0] > 100_000 else (">", ">=", "<>") if b.data[1] <= 1 else [*COMPARE][:5]
        op = self.rng.choice([*(likely if self.often(0.85) else COMPARE)])
        return Expr(op, (a, b), null=a.null or b.null)


def _whole(made: Relation) -> Relation:
    """In half of the queries for the first tuples in an order, of windows that are open one at a time: all tuples."""
    if not (isinstance(made, Select) and made.of_tuples and made.order and made.window):
        return made
    window, limit = made.window, made.limit
    one_by_one = window.size + window.slack <= window.advance
    return replace(made, limit=Limit(None, 0)) if one_by_one and not limit.offset and limit.count % 2 else made


def _of_kind(scope: list[Expr], kind: str) -> list[Expr]:
    return [column for column in scope if column.kind == kind]


def _values(columns: list[Expr]) -> int:
    """How many different combinations of values they have, at most."""
    return prod({"text": 5, "truth": 2}.get(c.kind, (c.type[1] - c.type[0]) // 10**c.scale + 1) for c in columns)


def _times(values: tuple[int, int], power: int) -> tuple[int, int]:
    """Times a power of ten, rounded away from zero."""
    if power >= 0:
        return values[0] * 10**power, values[1] * 10**power
    return values[0] // 10**-power, -(-values[1] // 10**-power)


def _aligned(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """The ranges of two numbers with equally many digits after the point."""
    scale = max(a.scale, b.scale)
    x, y = (
        replace(v, type=_times(v.type, scale - v.scale), data=_times(v.data, scale - v.scale), scale=scale)
        for v in (a, b)
    )
    return x, y


def _wide(*values: Expr) -> bool:
    """Whether Spark's decimals may not hold them."""
    return any(_bits(reach) >= 125 for value in values for reach in (value.type, value.data))


def _reads(value: Expr) -> bool:
    """Whether it depends on a column."""
    return value.op == "column" or any(_reads(arg) for arg in value.args if isinstance(arg, Expr))


def _in_thousandths(measure: Expr) -> Expr:
    """A variance as an integer; other measures as they are."""
    inner = measure.args[0] if measure.op == "filter" else measure
    return replace(measure, op="thousandths", args=(measure,)) if inner.op in SPREADS else measure


def _magnitude(values: tuple[int, int]) -> tuple[int, int]:
    return 0, max(map(abs, values))


def _of_bits(values: tuple[int, int]) -> tuple[int, int]:
    """Whatever has no more bits than these numbers."""
    most = max(max(v, ~v).bit_length() for v in values)
    return -(2**most) if values[0] < 0 else 0, 2**most - 1


def _bits(values: tuple[int, int]) -> int:
    return max(abs(v).bit_length() for v in values)


def _in_a_long(value: Expr) -> bool:
    return not value.scale and LONG[0] <= value.type[0] <= value.type[1] <= LONG[1]


def _reach(op: str, a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """The range of an operation's result for operands in the ranges a and b."""
    if op in APPLY:
        return hull([APPLY[op](x, y) for x, y in product(a, b)])
    most = max(-a[0], a[1])
    if op == "%":
        most = max(0, min(most, max(-b[0], b[1]) - 1))
    return -most, most
