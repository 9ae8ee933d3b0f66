"""Hashes of whole numbers, composed of products, shifts and exclusive ors of 64 bits.

Source: Y. Collet, the XXH64 algorithm of xxHash, for 8 bytes of input; the seed, and that a null leaves the hash as it
is, are Spark's.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from wirestream.compiler.operations import Operations
from wirestream.compiler.plan import Constant, Value, flag_of, is_null, label, not_null
from wirestream.compiler.types import LONG, Integer
from wirestream.errors import Position, QueryError

BITS = LONG.width
WORD = Integer(0, (1 << BITS) - 1)
SEED = 42
PRIMES = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
Step = Callable[[str, Value, Value], Value]  # an operator on two words, of which the lowest 64 bits stay


def xxhash64(scope: Operations, values: list[Value], position: Position) -> Value:
    """The hash of several is that of the last, with the hash of those before it as its seed."""
    found: Value = Constant(SEED, WORD)
    for place, value in enumerate(values, 1):
        if is_null(value):
            continue
        if value.type != LONG:
            raise QueryError("XXHASH64 takes a bigint, since an int has another hash: CAST(… AS bigint)", position)
        word = scope.compute("cast", not_null(value), kind=WORD, text=f".the bits of {label(value)}")
        steps = _steps(scope, f"xxhash64({', '.join(map(label, values[:place]))})")
        made, null = _of_word(steps, word, found), flag_of(value, "null")
        found = made if null is None else scope.choose(null, found, made, position=position, kind=WORD)
    return scope.compute("cast", found, kind=LONG, text=f"xxhash64({', '.join(map(label, values))})")


def _of_word(step: Step, word: Value, seed: Value) -> Value:
    one, two, three, four, five = (Constant(prime, WORD) for prime in PRIMES)

    def rotated(value: Value, places: int) -> Value:
        left, right = (Constant(n, Integer(n, n)) for n in (places, BITS - places))
        return step("|", step("<<", value, left), step(">>", value, right))

    def mixed(value: Value, places: int) -> Value:
        return step("^", value, step(">>", value, Constant(places, Integer(places, places))))

    begin = step("+", seed, Constant((five.value + 8) % 2**BITS, WORD))
    found = step("^", begin, step("*", rotated(step("*", word, two), 31), one))
    found = step("+", step("*", rotated(found, 27), one), four)
    found = step("*", mixed(found, 33), two)
    return mixed(step("*", mixed(found, 29), three), 32)


def _steps(scope: Operations, of: str) -> Step:
    """The operators on words. of: the hash that they are the steps of."""
    numbers = count(1)

    def step(operator: str, value: Value, other: Value) -> Value:
        if isinstance(value, Constant) and isinstance(other, Constant):  # a sum: what follows from the seed alone
            return Constant((value.value + other.value) % 2**BITS, WORD)
        return scope.compute(operator, value, other, kind=WORD, text=f".step {next(numbers)} of {of}")

    return step
