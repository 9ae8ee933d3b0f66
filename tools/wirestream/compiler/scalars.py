"""The scalar functions of the dialect: what each is, and the operators of a plan that compute it.

This is the compiler's only list of them: the parser knows their names from here, and docs/dialect.md its table. What a
function is in Spark's part of a divided query is in `wirestream.split.functions`, and in the oracle in
`spark_golden/functions.py`. `Scope` gives the values of the operands; a function that needs no operator of its own is
composed of `Operations.choose`, `Operations.compare` and their like.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from wirestream.compiler import bits, date_format, hashes, texts
from wirestream.compiler.calendar import PARTS
from wirestream.compiler.operations import Operations
from wirestream.compiler.plan import Constant, Value, flag_of, is_null, not_null
from wirestream.compiler.types import BOOLEAN, Boolean, Integer
from wirestream.errors import Position, QueryError


@dataclass(frozen=True)
class Scalar:
    """A function, or an operator that is not a symbol.

    name: in the syntax tree. least, most: the number of operands; most 0: any. meaning, example: for docs/dialect.md.
    lower: its value, from the scope, the operands and a position for errors. written: not as a call, but by a rule of
    the grammar. also: other names of the call.
    """

    name: str
    least: int
    most: int
    meaning: str
    example: str
    lower: Callable[[Operations, list[Value], Position], Value]
    written: bool = False
    also: tuple[str, ...] = ()

    @property
    def calls(self) -> tuple[str, ...]:
        """Its names as a call."""
        return self.also if self.written else (self.name, *self.also)

    @property
    def takes(self) -> str:
        """The number of values in words."""
        if not self.most:
            return f"{self.least} or more values"
        return f"{self.least}{f' to {self.most}' if self.most > self.least else ''} value{'s' * (self.most > 1)}"

    def accepts(self, operands: int) -> bool:
        return self.least <= operands and (not self.most or operands <= self.most)


def _is_null(scope: Operations, values: list[Value], position: Position) -> Value:
    (value,) = values
    return flag_of(value, "null") or Constant(False, BOOLEAN)


def _coalesce(scope: Operations, values: list[Value], position: Position) -> Value:
    """The first value that is not null: of the last two first."""
    *others, found = scope.of_one_type(values, "COALESCE", position)
    for value in reversed([other for other in others if not is_null(other)]):
        null = flag_of(value, "null")
        found = value if null is None else scope.choose(null, found, not_null(value), position=position)
    return found


def _nullif(scope: Operations, values: list[Value], position: Position) -> Value:
    value, other = values
    equal = not_null(scope.compare("=", value, other, position))
    return scope.choose(equal, Constant(None, value.type), value, position=position)


def _distinct(scope: Operations, values: list[Value], position: Position) -> Value:
    """Where one of them is null, whether the other is not; elsewhere whether they differ."""
    left, right = values
    nulls = [flag_of(value, "null") for value in values]
    if not any(nulls):
        return scope.compare("<>", left, right, position)
    if any(map(is_null, values)):
        return scope.invert(nulls[is_null(left)] or Constant(False, BOOLEAN))
    unequal = scope.compare("<>", not_null(left), not_null(right), position)
    differ = scope.compute("and", unequal, scope.none(nulls), hidden=True)
    if not all(nulls):  # of a value that is never null, the other differs if it is null
        return scope.compute("or", differ, next(filter(None, nulls)))
    return scope.compute("or", differ, scope.compute("<>", *nulls, hidden=True))


def _in(scope: Operations, values: list[Value], position: Position) -> Value:
    """Whether any is equal; if none is, null if the value or any of the list is null. One AND with the flag of the
    value's null is enough for all comparisons."""
    value, *others = scope.of_one_type(values, "IN", position)
    null, of_list = flag_of(value, "null"), [flag_of(other, "null") for other in others]
    known = [other for other in others if not is_null(other)]
    if is_null(value) or not known:
        return Constant(None, BOOLEAN)
    equal = []
    for other in known:
        same = scope.compare("=", not_null(value), not_null(other), position)
        unknown = flag_of(other, "null")
        equal.append(scope.compute("and", same, scope.none([unknown]), hidden=True) if unknown else same)
    while len(equal) > 1:
        pairs = zip(equal[::2], equal[1::2], strict=False)
        equal = [scope.compute("or", *pair) for pair in pairs] + equal[len(equal) // 2 * 2 :]
    (found,) = equal
    if null:
        found = scope.compute("and", found, scope.none([null]))
    if unknown := scope.either(of_list):
        unknown = scope.compute("and", unknown, scope.none([found]), hidden=True)
    return scope.with_null(found, scope.either([null, unknown]))


def _between(scope: Operations, values: list[Value], position: Position) -> Value:
    value, low, high = values
    bounds = [scope.compare(sign, value, bound, position) for sign, bound in ((">=", low), ("<=", high))]
    return scope.logic("and", *bounds)


def _mod(scope: Operations, values: list[Value], position: Position) -> Value:
    return scope.arithmetic("%", *values, position)


def _abs(scope: Operations, values: list[Value], position: Position) -> Value:
    (value,) = values
    kind = _number(value, "ABS", position)
    if kind.low >= 0:
        return value
    zero = Constant(0, Integer(0, 0))
    negative = scope.compute("-", zero, value, kind=replace(kind, low=-kind.high, high=-kind.low))
    if kind.high <= 0:
        return negative
    kind = replace(kind, low=0, high=max(-kind.low, kind.high))
    return scope.choose(scope.compute("<", value, zero), negative, value, position=position, kind=kind)


def _sign(scope: Operations, values: list[Value], position: Position) -> Value:
    (value,) = values
    _number(value, "SIGN", position)
    signs = [Constant(sign, Integer(sign, sign)) for sign in (-1, 0, 1)]
    rest = scope.choose(scope.compute("=", value, signs[1]), *signs[1:], position=position)
    found = scope.choose(scope.compute("<", value, signs[1]), signs[0], rest, position=position)
    return scope.with_null(found, flag_of(value, "null"))


def _extreme(operator: str, name: str) -> Callable[[Operations, list[Value], Position], Value]:
    """The least or greatest of the values that are not null, in a tree of comparisons."""

    def lower(scope: Operations, values: list[Value], position: Position) -> Value:
        values = scope.of_one_type(values, name, position)
        if isinstance(values[0].type, Boolean):
            raise QueryError(f"{name} takes numbers or strings, not conditions", position)
        values = [value for value in values if not is_null(value)] or values[:1]
        while len(values) > 1:
            pairs = zip(values[::2], values[1::2], strict=False)
            values = [_of_two(scope, operator, *pair, position) for pair in pairs] + values[len(values) // 2 * 2 :]
        return values[0]

    return lower


def _of_two(scope: Operations, operator: str, a: Value, b: Value, position: Position) -> Value:
    """a where `operator` is true of a and b, or b is null; b where it is not, or a is null."""
    null_a, null_b = (flag_of(value, "null") for value in (a, b))
    if not (null_a or null_b):
        nearer = scope.compare(operator, a, b, position)
        return scope.choose(nearer, a, b, position=position, kind=_nearer(operator, a, b))
    first = scope.compare(operator, not_null(a), not_null(b), position)
    if null_a:
        first = scope.compute("and", first, scope.none([null_a]), hidden=True)
    if null_b:
        first = scope.compute("or", first, null_b, hidden=True)
    found = scope.choose(first, not_null(a), not_null(b), position=position)
    return scope.with_null(found, scope.compute("and", null_a, null_b, hidden=True) if null_a and null_b else None)


def _nearer(operator: str, a: Value, b: Value) -> Integer | None:
    """The type of the least or greatest of two numbers, which is narrower than both."""
    if type(a.type) is not Integer or type(b.type) is not Integer:
        return None
    least = min if operator == "<=" else max
    return Integer(least(a.type.low, b.type.low), least(a.type.high, b.type.high))


def _number(value: Value, name: str, position: Position) -> Integer:
    if not isinstance(value.type, Integer):
        raise QueryError(f"{name} takes a number, not {value.type}", position)
    return value.type


LENGTHS = ("character_length", "length", "len")
LEAST = "the least value that is not null"
SCALARS = {
    scalar.name: scalar
    for scalar in (
        Scalar("is null", 1, 1, "whether y has no value", "y IS NULL", _is_null, written=True),
        Scalar(
            "is distinct from",
            2,
            2,
            "whether they differ, where null differs from every value, but not from null; `a <=> b` is the opposite",
            "x IS DISTINCT FROM y",
            _distinct,
            written=True,
        ),
        Scalar("in", 2, 0, "whether x equals any of the values", "x IN (1, 2, 3)", _in, written=True),
        Scalar("between", 3, 3, "`x >= 1 AND x <= 9`", "x BETWEEN 1 AND 9", _between, written=True),
        Scalar(
            "coalesce",
            1,
            0,
            "the first value that is not null",
            "coalesce(y, 0)",
            _coalesce,
            also=("nvl", "ifnull"),
        ),
        Scalar("nullif", 2, 2, "x, but null where x = y", "nullif(x, y)", _nullif),
        Scalar("mod", 2, 2, "`x % y`", "mod(x, y)", _mod),
        Scalar("abs", 1, 1, "the number without its sign", "abs(x - y)", _abs),
        Scalar("sign", 1, 1, "-1, 0 or 1", "sign(x - y)", _sign),
        Scalar("least", 2, 0, LEAST, "least(x, y, 9)", _extreme("<=", "LEAST")),
        Scalar("greatest", 2, 0, LEAST.replace("least", "greatest"), "greatest(x, y, 1)", _extreme(">=", "GREATEST")),
        Scalar("&", 2, 2, "the bits that both have", "x & 3", bits.bitwise("&"), written=True),
        Scalar("|", 2, 2, "the bits that either has", "x | 3", bits.bitwise("|"), written=True),
        Scalar("^", 2, 2, "the bits that one of both has", "x ^ 3", bits.bitwise("^"), written=True),
        Scalar("~", 1, 1, "the bits that x has not", "~x", bits.bitwise("~"), written=True),
        Scalar(
            "<<",
            2,
            2,
            "x shifted to the left by y modulo 64 places, a number of 64 bits that wraps",
            "x << 3",
            bits.shift("<<"),
            written=True,
            also=("shiftleft",),
        ),
        Scalar(
            ">>",
            2,
            2,
            "x shifted to the right by y modulo 64 places, with its sign",
            "x >> 3",
            bits.shift(">>"),
            written=True,
            also=("shiftright",),
        ),
        Scalar(
            "like",
            2,
            2,
            "whether s matches a constant pattern: `%` any characters, `_` one, `\\%` and `\\_` themselves",
            "s LIKE 'A%'",
            texts.matches("like", "Symbol LIKE 'A%'"),
            written=True,
        ),
        Scalar(
            "regexp_like",
            2,
            2,
            "whether a constant regular expression of Java matches a part of s; no context, and at most 64 positions; "
            "also `s RLIKE '^A'` and `s REGEXP '^A'`",
            "regexp_like(s, '^A[0-9]+$')",
            texts.matches("regexp_like", "regexp_like(Symbol, '^A')"),
            also=("regexp", "rlike"),
        ),
        Scalar(
            "regexp_extract",
            2,
            3,
            "what the first group of a constant regular expression matches, or the group of a number, 0: all of it; "
            "empty where nothing matches; no context, and at most 64 positions",
            "regexp_extract(s, '([A-Za-z]+)[0-9 ]', 1)",
            texts.extract,
        ),
        Scalar("char_length", 1, 1, "the number of characters", "char_length(s)", texts.length, also=LENGTHS),
        Scalar("instr", 2, 2, "the first place of a constant string, from 1; 0: none", "instr(s, 'A')", texts.find),
        Scalar(
            "locate",
            2,
            2,
            "as `instr`, the constant first; also `position('A' IN s)`",
            "locate('A', s)",
            texts.locate,
            also=("position",),
        ),
        Scalar(
            "xxhash64",
            1,
            0,
            "Spark's 64-bit hash of bigints, with its seed 42",
            "xxhash64(CAST(x AS bigint))",
            hashes.xxhash64,
        ),
        Scalar("crc32", 1, 1, "the CRC-32 of the bytes, a number from 0 to 2^32 - 1", "crc32(s)", texts.crc32),
        Scalar(
            "substring",
            2,
            3,
            "characters from a constant place, at most so many; places from 1, or negative from the end",
            "substring(s, 2, 3)",
            texts.substring,
            also=("substr",),
        ),
        Scalar("left", 2, 2, "the first characters", "left(s, 2)", texts.left),
        Scalar("right", 2, 2, "the last characters", "right(s, 2)", texts.right),
        Scalar("upper", 1, 1, "in capitals (ASCII)", "upper(s)", texts.edit("upper"), also=("ucase",)),
        Scalar("lower", 1, 1, "in small letters (ASCII)", "lower(s)", texts.edit("lower"), also=("lcase",)),
        Scalar("trim", 1, 1, "without spaces at both ends", "trim(s)", texts.trim),
        Scalar("ltrim", 1, 1, "without spaces at the beginning", "ltrim(s)", texts.ltrim),
        Scalar("rtrim", 1, 1, "without spaces at the end", "rtrim(s)", texts.edit("rtrim")),
        Scalar(
            "split_index",
            3,
            3,
            "the part between separators of one character by its number, from 0; null beyond the last one",
            "split_index(s, 'A', 1)",
            texts.between("split_index", 0, "split_index(Symbol, '.', 0)"),
        ),
        Scalar(
            "split_part",
            3,
            3,
            "as `split_index`, from 1, and empty beyond the last one",
            "split_part(s, 'A', 3)",
            texts.between("split_part", 1, "split_part(Symbol, '.', 1)"),
        ),
        Scalar("concat", 2, 0, "one string after the other; also `s || t`", "concat(s, t)", texts.concat),
        *(Scalar(name, 1, 1, meaning, f"{name}(Time)", part) for name, (part, meaning) in PARTS.items()),
        Scalar(
            "date_format",
            2,
            2,
            f"the time as text, by a constant pattern of {date_format.KNOWN}; a year that does not have four digits is "
            "an overflow",
            """date_format(Time, "dd.MM.yyyy 'at' HH:mm:ss.SSS")""",
            date_format.lower,
        ),
    )
}
CALLS = {name: scalar for scalar in SCALARS.values() for name in scalar.calls}
