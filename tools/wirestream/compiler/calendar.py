"""The parts of timestamps and dates: year, month, day, hour and their like, in UTC.

Days are counted from March 1 of a year that begins a cycle of 400 years, and of 146,097 days, so that February 29 is
the last day of a year and all counts are unsigned. Source: the proleptic Gregorian calendar of ISO 8601.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from wirestream.compiler import decimals
from wirestream.compiler.builder import Builder
from wirestream.compiler.plan import Column, Value
from wirestream.compiler.times import DAY
from wirestream.compiler.types import Date, Integer, Timestamp
from wirestream.errors import Position, QueryError
from wirestream.schema.fields import UNITS

MINUTE, HOUR = 60, 3600  # seconds
CYCLE_DAYS, CYCLE_YEARS = 146_097, 400
TO_MARCH = 719_468  # days from March 1 of the year 0 to January 1 of 1970
THURSDAY = 4  # of January 1 of 1970, from Sunday
OPERATORS = {"+": "plus", "-": "minus", "*": "times", "div": "by", "%": "modulo"}  # in the names of columns


@dataclass(frozen=True)
class Unsigned:
    """An unsigned number of a time, with the operators of integers. of: the time. name: of what the number is; a column
    that the user does not see is named by it."""

    scope: Builder
    value: Value
    of: str
    name: str

    def named(self, name: str) -> Unsigned:
        return Unsigned(self.scope, self.value, self.of, name)

    def made(self, operator: str, other: Unsigned | int, most: int) -> Unsigned:
        """The number with a name that says how it is made. most: its greatest value."""
        name = f"{self.name} {OPERATORS[operator]} {other if isinstance(other, int) else other.name}"
        operand = decimals.number(other) if isinstance(other, int) else other.value
        text = f".{name} of {self.of}"
        value = self.scope.compute(operator, self.value, operand, kind=Integer(0, most), text=text)
        return Unsigned(self.scope, value, self.of, name)

    def div(self, divisor: int) -> Unsigned:
        return self.made("div", divisor, self.value.type.high // divisor)

    def mod(self, divisor: int) -> Unsigned:
        return self.made("%", divisor, min(self.value.type.high, divisor - 1))

    def minus(self, other: Unsigned | int, most: int) -> Unsigned:
        """A difference that is not negative."""
        return self.made("-", other, most)

    def __add__(self, other: Unsigned | int) -> Unsigned:
        more = other if isinstance(other, int) else other.value.type.high
        return self.made("+", other, self.value.type.high + more)

    def __mul__(self, factor: int) -> Unsigned:
        return self.made("*", factor, self.value.type.high * factor)

    def below(self, limit: int) -> Column:
        text = f".{self.name} below {limit} of {self.of}"
        return self.scope.compute("<", self.value, decimals.number(limit), text=text)


def _since(scope: Builder, value: Value, cycle: int, name: str) -> tuple[Unsigned, int]:
    """The time since the beginning of a cycle of years before all times, and how many cycles that is before 1970.
    cycle: its length in units of the time."""
    cycles = max(0, -(value.type.low // cycle))
    kind = Integer(0, value.type.high + cycles * cycle)
    moved = decimals.number(cycles * cycle)
    whole = scope.compute("+", decimals.unscaled(value), moved, kind=kind, text=f".{name} of {value}")
    return Unsigned(scope, whole, str(value), name), cycles


def _seconds(scope: Builder, value: Value, position: Position) -> tuple[Unsigned, int]:
    """The seconds, see `_since`."""
    if not isinstance(value.type, Timestamp):
        raise QueryError(f"a part of a day of a timestamp, not of {value.type}", position)
    unit = 10 ** UNITS[value.type.unit]
    ticks, cycles = _since(scope, value, CYCLE_DAYS * DAY * unit, "ticks")
    return (ticks.div(unit) if unit > 1 else ticks).named("seconds"), cycles


def fraction(scope: Builder, value: Value, digits: int) -> Unsigned:
    """So many digits of the fraction of a second of a timestamp."""
    own = UNITS[value.type.unit]
    if not own:
        return Unsigned(scope, decimals.number(0), str(value), "fraction")
    ticks, _ = _since(scope, value, CYCLE_DAYS * DAY * 10**own, "ticks")
    found = ticks.mod(10**own)
    if digits < own:
        found = found.div(10 ** (own - digits))
    return found * 10 ** (digits - own) if digits > own else found


def _days(scope: Builder, value: Value, position: Position) -> tuple[Unsigned, int]:
    """The days, see `_since`."""
    if isinstance(value.type, Timestamp):
        seconds, cycles = _seconds(scope, value, position)
        return seconds.div(DAY).named("days"), cycles
    if not isinstance(value.type, Date):
        raise QueryError(f"a part of a date or a timestamp, not of {value.type}", position)
    return _since(scope, value, CYCLE_DAYS, "days")


class _Date:
    """A date by the year since March. year: of its cycle, 0 to 399; day: of the year, 0 to 365; month: 0 to 11."""

    def __init__(self, scope: Builder, value: Value, position: Position):
        days, self.cycles = _days(scope, value, position)
        since = days + TO_MARCH
        self.cycle, within = since.div(CYCLE_DAYS).named("cycle"), since.mod(CYCLE_DAYS).named("day of the cycle")
        leap_days = within.div(1460).minus(within.div(36_524), 100) + within.div(146_096)
        # Without its leap days, a cycle has years of 365 days.
        self.year = within.minus(leap_days.named("leap days"), CYCLE_DAYS - 1).div(365).named("year of the cycle")
        before = (
            (self.year * 365 + self.year.div(4)).minus(self.year.div(100), CYCLE_DAYS).named("days before the year")
        )
        self.day = within.minus(before, 365).named("day of the year")
        self.month = (self.day * 5 + 2).div(153).named("month from March")

    @property
    def next_year(self) -> Unsigned:
        """1 in January and February, which are in the year after the one that began in March."""
        scope, month = self.month.scope, self.month
        values = map(decimals.number, (0, 1))
        text = f".years more of {month.of}"
        more = scope.compute("if", month.below(10), *values, kind=Integer(0, 1), text=text)
        return Unsigned(scope, more, month.of, "years more")


def _month(scope: Builder, date: _Date, text: str) -> Value:
    month = date.month
    values = (month + 3).value, month.minus(9, 3).value
    return scope.compute("if", month.below(10), *values, kind=Integer(1, 12), text=text)


def _day(scope: Builder, date: _Date, text: str) -> Value:
    before = (date.month * 153 + 2).div(5).named("days before the month")
    day = date.day.minus(before, 30)
    return scope.compute("+", day.value, decimals.number(1), kind=Integer(1, 31), text=text)


def _year(scope: Builder, date: _Date, text: str) -> Value:
    year = (date.cycle * CYCLE_YEARS + date.year + date.next_year).named("year").value
    before = date.cycles * CYCLE_YEARS
    kind = Integer(-before, year.type.high - before)
    return scope.compute("-", year, decimals.number(before), kind=kind, text=text)


def _of_date(part: Callable[[Builder, _Date, str], Value], name: str) -> Part:
    def lower(scope: Builder, values: list[Value], position: Position) -> Value:
        (value,) = values
        return part(scope, _Date(scope, value, position), f"{name}({value})")

    return lower


def _weekday(scope: Builder, values: list[Value], position: Position) -> Value:
    """A cycle has whole weeks."""
    days, _ = _days(scope, values[0], position)
    weekday = (days + THURSDAY).mod(7).named("weekday")
    return scope.compute("+", weekday.value, decimals.number(1), kind=Integer(1, 7), text=f"dayofweek({values[0]})")


def _of_day(unit: int, count: int, name: str, scope: Builder, values: list[Value], position: Position) -> Value:
    (value,) = values
    seconds, _ = _seconds(scope, value, position)
    units = seconds.div(unit) if unit > 1 else seconds
    return scope.compute("%", units.value, decimals.number(count), kind=Integer(0, count - 1), text=f"{name}({value})")


Part = Callable[[Builder, list[Value], Position], Value]
PARTS: dict[str, tuple[Part, str]] = {
    "year": (_of_date(_year, "year"), "the year"),
    "month": (_of_date(_month, "month"), "the month, 1 to 12"),
    "day": (_of_date(_day, "day"), "the day of the month"),
    "dayofweek": (_weekday, "the day of the week, from 1 for Sunday to 7"),
    "hour": (partial(_of_day, HOUR, 24, "hour"), "the hour, 0 to 23"),
    "minute": (partial(_of_day, MINUTE, 60, "minute"), "the minute"),
    "second": (partial(_of_day, 1, 60, "second"), "the second"),
}
