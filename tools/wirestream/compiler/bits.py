"""Operations on the bits of whole numbers, in two's complement of 64 bits: & | ^ ~ << >>."""

from __future__ import annotations

from collections.abc import Callable
from operator import and_, lshift, or_, rshift, xor

from wirestream.compiler import decimals
from wirestream.compiler.operations import Operations
from wirestream.compiler.plan import Constant, Value
from wirestream.compiler.types import LONG, MOST_BITS, Integer, of_bits
from wirestream.errors import Position, QueryError

OF_TWO = {"&": and_, "|": or_, "^": xor, "<<": lshift, ">>": rshift}
PLACES = LONG.width - 1  # the most that a number is shifted; of more places only the low bits count


def bitwise(operator: str) -> Callable[[Operations, list[Value], Position], Value]:
    """The lowering of & | ^ ~."""

    def lower(scope: Operations, values: list[Value], position: Position) -> Value:
        kinds = [_whole(value, operator, position) for value in values]
        return scope.compute(operator, *values, kind=_reach(operator, kinds))

    return lower


def shift(operator: str) -> Callable[[Operations, list[Value], Position], Value]:
    """The lowering of << and >>."""

    def lower(scope: Operations, values: list[Value], position: Position) -> Value:
        value, places = values
        kind, by = (_whole(each, operator, position) for each in values)
        if isinstance(places, Constant):
            places = Constant((places.value or 0) & PLACES, of_bits(PLACES.bit_length(), False))
            by = Integer(places.value, places.value)
        elif by.low < 0 or by.high > PLACES:
            places = bitwise("&")(scope, [places, Constant(PLACES, Integer(PLACES, PLACES))], position)
            by = places.type
        ends = [OF_TWO[operator](end, most) for end in (kind.low, kind.high) for most in (by.low, by.high)]
        reach = Integer(min(ends), max(ends))
        return scope.compute(operator, value, places, kind=reach if reach.within(LONG) else LONG)

    return lower


def leading(scope: Operations, value: Value, count: int, text: str) -> Value:
    """The number, which is not negative, with zeros below its `count` leading bits. text: what it is to the user."""
    rest = value.type.width - count
    if rest <= 0:
        return value
    kind, numbers = Integer(0, 2**rest - 1), iter(range(MOST_BITS))

    def step(operator: str, *values: Value) -> Value:
        return scope.compute(operator, *values, kind=kind, text=f".bits {next(numbers)} of {text}")

    below = filled(step, step(">>", value, decimals.number(count)), rest)
    return scope.compute("^", value, step("&", value, below), kind=value.type, text=text)


def filled(step: Callable[[str, Value, Value], Value], value: Value, width: int) -> Value:
    """The number of `width` bits with ones in all bits below its leading one. step: an operator on such numbers."""
    for n in range((width - 1).bit_length()):
        value = step("|", value, step(">>", value, decimals.number(2**n)))
    return value


def _whole(value: Value, operator: str, position: Position) -> Integer:
    kind = value.type
    if type(kind) is not Integer or not kind.within(LONG):
        raise QueryError(f"{operator} takes whole numbers of at most 64 bits, not {kind}", position)
    return kind


def _reach(operator: str, kinds: list[Integer]) -> Integer:
    """A type that holds every result."""
    if operator == "~":
        return Integer(~kinds[0].high, ~kinds[0].low)
    positive = [kind.high for kind in kinds if not kind.signed]
    if operator == "&" and positive:
        return Integer(0, min(positive))
    signed = len(positive) < 2
    return of_bits(max(kind.width - kind.signed for kind in kinds) + signed, signed)
