"""Functions of strings. A string is its bytes up to the zeros that pad it.

What has a constant position is wiring. Of the other functions the cores compute numbers, such as a string's length, and
a shifter moves the bytes: `right` and `ltrim` shift a string to its beginning, `concat` the second string to the end of
the first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from wirestream.compiler.extraction import extraction
from wirestream.compiler.operations import Operations
from wirestream.compiler.patterns import MOST_POSITIONS, Automaton, automaton, like
from wirestream.compiler.plan import Column, Constant, Value, flag_of, label, not_null
from wirestream.compiler.regular import regular
from wirestream.compiler.types import Integer, Text, of_bits
from wirestream.errors import Position, QueryError
from wirestream.schema.fields import ENCODING

PATTERNS = {"like": like, "regexp_like": regular}  # operators of a plan with a constant pattern, and what reads it
MEASURES = {"length": "LENGTH", "spaces": "SPACES", "find": "FIND"}  # of ws_text_measure
EDITS = {"upper": "UPPER", "lower": "LOWER", "rtrim": "RTRIM", "cut": "CUT", "until": "UNTIL"}  # of ws_text_edit
SHIFTS = {"bytes left": "SHL", "bytes right": "SHR"}
MOST_BYTES = 255  # of these cores


# ---- conditions and numbers


def matches(operator: str, example: str) -> Callable[[Operations, list[Value], Position], Value]:
    """The lowering of what matches a constant pattern. operator: of `PATTERNS`."""
    name = operator.upper()

    def lower(scope: Operations, values: list[Value], position: Position) -> Value:
        value, pattern = values
        _text(value, name, position)
        _check(name, pattern, example, lambda pattern: automaton_of(operator, pattern), position)
        return scope.truth(operator, value, pattern)

    return lower


@cache
def automaton_of(operator: str, pattern: bytes) -> Automaton:
    """operator: of `PATTERNS`."""
    return automaton(PATTERNS[operator](pattern.decode(ENCODING)))


@cache
def extraction_of(pattern: bytes, group: int) -> Automaton:
    return extraction(regular(pattern.decode(ENCODING)), group)


def _check(name: str, pattern: Value, example: str, made: Callable[[bytes], Automaton], position: Position) -> None:
    """Raise unless the pattern is a constant of which an automaton is made, of few positions. name: of the function."""
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, bytes):
        raise QueryError(f"{name} takes a constant pattern: {example}", position)
    try:
        needed = len(made(pattern.value).positions)
    except QueryError as error:
        raise QueryError(error.message, position) from None
    if needed > MOST_POSITIONS:
        raise QueryError(f"the pattern has {needed} positions; the most is {MOST_POSITIONS}", position)


def length(scope: Operations, values: list[Value], position: Position) -> Value:
    (value,) = values
    kind = _text(value, "CHAR_LENGTH", position)
    return scope.compute("length", value, kind=Integer(0, kind.length))


def find(scope: Operations, values: list[Value], position: Position) -> Value:
    """The first place of a constant string, from 1; 0 if it does not occur."""
    value, word = values
    kind = _text(value, "INSTR", position)
    if not isinstance(word, Constant) or not isinstance(word.value, bytes):
        raise QueryError("the string to find must be a constant: instr(Symbol, 'A')", position)
    return scope.compute("find", value, word, kind=Integer(0, kind.length))


def locate(scope: Operations, values: list[Value], position: Position) -> Value:
    word, value = values
    return find(scope, [value, word], position)


def crc32(scope: Operations, values: list[Value], position: Position) -> Value:
    (value,) = values
    _text(value, "CRC32", position)
    return scope.compute("crc32", value, kind=of_bits(32, False))


# ---- strings


def extract(scope: Operations, values: list[Value], position: Position) -> Value:
    """What a group of a constant pattern matches, by default the first group; empty if the pattern does not match."""
    value, pattern, *numbers = values
    kind = _text(value, "REGEXP_EXTRACT", position)
    example = "regexp_extract(Symbol, '^([A-Z]+)', 1)"
    group = _constant(numbers[0], example, position) if numbers else 1
    _check("REGEXP_EXTRACT", pattern, example, lambda pattern: extraction_of(pattern, group), position)
    text = f"regexp_extract({label(value)}, {pattern}, {group})"
    return scope.compute("extract", value, pattern, Constant(group, Integer(group, group)), kind=kind, text=text)


def edit(operator: str) -> Callable[[Operations, list[Value], Position], Value]:
    """The lowering of upper, lower and rtrim."""

    def lower(scope: Operations, values: list[Value], position: Position) -> Value:
        (value,) = values
        return scope.compute(operator, value, kind=_text(value, operator.upper(), position))

    return lower


def ltrim(scope: Operations, values: list[Value], position: Position) -> Value:
    (value,) = values
    kind = _text(value, "LTRIM", position)
    spaces = scope.compute("spaces", value, kind=Integer(0, kind.length))
    return scope.compute("bytes left", value, spaces, kind=kind, text=f"ltrim({label(value)})")


def trim(scope: Operations, values: list[Value], position: Position) -> Value:
    return ltrim(scope, [edit("rtrim")(scope, values, position)], position)


def substring(scope: Operations, values: list[Value], position: Position) -> Value:
    """As in Spark: from 1, from 0 as from 1, or from the end of the string if negative."""
    value, *numbers = values
    kind = _text(value, "SUBSTRING", position)
    begin, *count = (_constant(number, "substring(Symbol, 1, 2)", position) for number in numbers)
    count = count[0] if count else kind.length
    if begin >= 0:
        return _part(scope, value, max(begin - 1, 0), count, position)
    behind = max(-begin - count, 0)  # bytes of the string after the part
    if behind:
        value = scope.compute("cut", value, Constant(behind, of_bits(8, False)), kind=kind)
    return _last(scope, value, min(count, -begin), position)


def left(scope: Operations, values: list[Value], position: Position) -> Value:
    value, number = values
    _text(value, "LEFT", position)
    return _part(scope, value, 0, _constant(number, "left(Symbol, 2)", position), position)


def right(scope: Operations, values: list[Value], position: Position) -> Value:
    value, number = values
    _text(value, "RIGHT", position)
    return _last(scope, value, _constant(number, "right(Symbol, 2)", position), position)


def between(name: str, first: int, example: str) -> Callable[[Operations, list[Value], Position], Value]:
    """The lowering of split_index and split_part: of the parts between separators of one character the n-th. first: the
    number of the first part. Beyond the last part split_index is null, and split_part the empty string."""

    def lower(scope: Operations, values: list[Value], position: Position) -> Value:
        value, separator, number = values
        size = _text(value, name.upper(), position).length
        if not isinstance(separator, Constant) or not isinstance(separator.value, bytes) or len(separator.value) != 1:
            raise QueryError(f"{name} takes a constant separator of one character: {example}", position)
        before = _constant(number, example, position) - first
        if before < 0:
            raise QueryError(f"{name} counts the parts from {first}: {example}", position)
        found, text = value, f"{name}({label(value)}, {separator}, {before + first})"
        if before:
            nth = Constant(before, of_bits(8, False))
            place = scope.compute("find", value, separator, nth, kind=Integer(0, size), text=f".place before {text}")
            moved = scope.compute("bytes left", value, place, kind=value.type, text=f".bytes from {text} on")
            found = _part(scope, moved, 0, size - before, position, f".{text} and what follows")
        found = scope.compute("until", found, separator, kind=found.type, text=text)
        if not before:
            return found
        absent = scope.compare("=", not_null(place), Constant(0, Integer(0, 0)), position)
        if name == "split_index":
            return scope.with_null(found, scope.either([flag_of(found, "null"), absent]))
        empty = Constant(bytes(found.type.length), found.type)
        return scope.with_null(scope.choose(absent, empty, found, position=position), flag_of(found, "null"))

    return lower


def concat(scope: Operations, values: list[Value], position: Position) -> Value:
    total = sum(_text(value, "CONCAT", position).length for value in values)
    if total > MOST_BYTES:
        raise QueryError(f"CONCAT of {total} characters; the most is {MOST_BYTES}", position)
    found, *others = values
    for other in others:
        found = _joined(scope, found, other)
    return found


def _joined(scope: Operations, a: Value, b: Value) -> Value:
    if isinstance(a, Constant) and isinstance(b, Constant) and a.value is not None and b.value is not None:
        return Constant(a.value + b.value, Text(a.type.length + b.type.length))
    kind = Text(a.type.length + b.type.length)
    size = a.type.length
    places = Constant(size, Integer(size, size))
    if isinstance(a, Column):
        places = scope.compute("length", a, kind=Integer(0, size))
    moved = scope.compute("bytes right", _wider(scope, b, kind), places, kind=kind)
    return scope.compute("|", _wider(scope, a, kind), moved, kind=kind, text=f"({label(a)} || {label(b)})")


def _wider(scope: Operations, value: Value, kind: Text) -> Value:
    """The string padded with zeros."""
    if isinstance(value, Constant) and value.value is not None:
        return Constant(value.value.ljust(kind.length, b"\0"), kind)
    return scope.compute("cast", value, kind=kind, text=f"({label(value)} as {kind})")


def _part(scope: Operations, value: Value, before: int, count: int, position: Position, text: str = "") -> Value:
    """`count` bytes after the first `before`. text: what they are to the user; default: a substring."""
    size = value.type.length
    count = min(count, size - before)
    if count <= 0:
        raise QueryError(f"this part of a {value.type} is always empty", position)
    if count == size:
        return value
    if isinstance(value, Constant) and value.value is not None:
        return Constant(value.value[before : before + count], Text(count))
    numbers = (Constant(number, of_bits(8, False)) for number in (before, count))
    text = text or f"substring({label(value)}, {before + 1}, {count})"
    return scope.compute("part", value, *numbers, kind=Text(count), text=text)


def _last(scope: Operations, value: Value, count: int, position: Position) -> Value:
    """The last `count` bytes of the string: the bytes before them are shifted out."""
    size = value.type.length
    if count >= size or count <= 0:
        return _part(scope, value, 0, count, position)
    before = scope.compute("length", value, Constant(count, of_bits(8, False)), kind=Integer(0, size - count))
    moved = scope.compute("bytes left", value, before, kind=value.type, text=f"(the last {count} of {value})")
    return _part(scope, moved, 0, count, position)


def _text(value: Value, who: str, position: Position) -> Text:
    if not isinstance(value.type, Text):
        raise QueryError(f"{who} takes a string, not {value.type}", position)
    if value.type.length > MOST_BYTES:
        raise QueryError(f"{who} of {value.type}; the most is {MOST_BYTES} characters", position)
    return value.type


def _constant(value: Value, example: str, position: Position) -> int:
    if not isinstance(value, Constant) or type(value.type) is not Integer or value.value is None:
        raise QueryError(f"positions in a string must be constant whole numbers: {example}", position)
    return value.value
