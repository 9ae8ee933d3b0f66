"""A hash of 32 bits for numbers, dates, strings and conditions, composed of sums, shifts and exclusive ors.

The words of a value, from the last one to the first, are each mixed with the hash so far, which is 0 at first. As words
of 0 leave it at 0, a hash depends on the value, not on the bits of its type. At the end it is complemented, so that
that of 0 is not 0. A negative number v has the complement of the hash of -1 - v.

Source: T. Wang, Integer hash function, 2007, `hash32shift`, which begins with the complement.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from math import ceil

from wirestream.compiler import decimals
from wirestream.compiler.operations import Operations
from wirestream.compiler.plan import Column, Constant, Value
from wirestream.compiler.types import Integer, Text, of_bits

BITS = 32
BYTES = BITS // 8  # of a string in a word
WORD = of_bits(BITS, False)
ONES = Constant(WORD.high, WORD)
Step = Callable[[str, Value, Value], Value]  # an operator on words, of which the lowest bits stay


def of_value(scope: Operations, value: Column) -> Value:
    """The hash of a value."""
    bits, sign = value, None
    if value.type.signed:
        last = value.type.width - 1
        sign = scope.compute(">>", value, decimals.number(last), kind=Integer(-1, 0), text=f".sign of {value}")
        kind = of_bits(max(1, last), False)
        bits = scope.compute("^", value, sign, kind=kind, text=f".{value} without its sign")
    step = _steps(scope, value)
    last, *others = reversed(_words(scope, bits))
    hashed = _mixed(step, last)
    for word in others:
        hashed = _mixed(step, step("^", hashed, word))
    if sign:
        hashed = step("^", hashed, scope.resized(sign, WORD, f".sign of {value} in all bits"))
    return step("^", hashed, ONES)


def _words(scope: Operations, value: Column) -> list[Column]:
    """Of a number the lowest bits first, of a string its first bytes."""
    part = _part_of_text if isinstance(value.type, Text) else _part_of_bits
    parts = [part(scope, value, n) for n in range(ceil(value.type.width / BITS))]
    return [scope.resized(each, WORD, f".word {n} of {value}") for n, each in enumerate(parts)]


def _part_of_bits(scope: Operations, value: Column, place: int) -> Column:
    """From the word with this place on."""
    above = value.type.width - BITS * place
    return scope.compute(">>", value, decimals.number(BITS * place), kind=of_bits(above, False)) if place else value


def _part_of_text(scope: Operations, value: Column, place: int) -> Column:
    """The bytes of a word."""
    first, length = BYTES * place, min(BYTES, value.type.length - BYTES * place)
    if length < value.type.length:
        value = scope.compute("part", value, decimals.number(first), decimals.number(length), kind=Text(length))
    return value if length == BYTES else scope.resized(value, Text(BYTES), f".{value} in {BYTES} bytes")


def _mixed(step: Step, word: Value) -> Value:
    """All bits depend on all of the word's; that of 0 is 0."""

    def shifted(operator: str, places: int) -> Value:
        return step(operator, word, decimals.number(places))

    word = step("+", word, shifted("<<", 15))
    word = step("^", word, shifted(">>", 12))
    word = step("+", word, shifted("<<", 2))
    word = step("^", word, shifted(">>", 4))
    word = step("+", step("+", word, shifted("<<", 3)), shifted("<<", 11))  # times 2057
    return step("^", word, shifted(">>", 16))


def _steps(scope: Operations, value: Column) -> Step:
    numbers = count(1)

    def step(operator: str, one: Value, other: Value) -> Value:
        return scope.compute(operator, one, other, kind=WORD, text=f".step {next(numbers)} of the hash of {value}")

    return step
