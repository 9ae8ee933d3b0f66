"""Windows in the words of Flink, Spark and ksqlDB, as the windows in brackets that give the same rows.

======================================================== =================================================
FROM TABLE(TUMBLE(TABLE Trades, DESCRIPTOR(Time), size)) Flink, with GROUP BY window_start, window_end
GROUP BY TUMBLE(Time, size)                              Flink, with TUMBLE_START(Time, size) and its like
GROUP BY window(Time, '10 minutes')                      Spark
FROM Trades WINDOW TUMBLING (SIZE 10 SECONDS)            ksqlDB
======================================================== =================================================

HOP, HOPPING, and window(Time, size, slide) slide. All of them begin at multiples of their distance, or at an offset
from these. So those that slide have a START: the first one that holds a tuple may begin long before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from wirestream.compiler.bounds import END, START, TIME, bound_of
from wirestream.compiler.syntax import (
    Call,
    Expression,
    Item,
    Literal,
    Name,
    RowNumber,
    Select,
    Span,
    Window,
    parts,
    placeless,
    rebuilt,
    renamed,
)
from wirestream.errors import Position, QueryError
from wirestream.schema.fields import ENCODING
from wirestream.schema.units import NANOSECONDS, unit_of

# The lengths that a function takes after the time, and how many of them it needs.
LENGTHS = {
    "tumble": (("size", "offset"), 1),
    "hop": (("slide", "size", "offset"), 2),
    "window": (("size", "slide", "offset"), 1),
}
# The names of bounds by those of their functions.
BOUNDS = {
    f"{function}_{name}": (function, bound)
    for function in ("tumble", "hop")
    for name, bound in (("start", START), ("end", END), ("rowtime", TIME))
}
CLAUSES = {"TUMBLING": "(SIZE 10 SECONDS)", "HOPPING": "(SIZE 30 SECONDS, ADVANCE BY 10 SECONDS)"}

A_WINDOW = "a window follows its stream in brackets: FROM Trades [RANGE 600 SLIDE 60 WATTR Time]"
A_TABLE = "a function of windows is TUMBLE(TABLE Trades, DESCRIPTOR(Time), INTERVAL '10' MINUTES), or HOP"
SESSIONS = "joins tuples exactly a gap apart; [SESSION GAP 30 WATTR Time] joins those that are less than it apart"


@dataclass(frozen=True)
class Windowing:
    """A function of windows, of the column `attribute`, before it becomes a window."""

    position: Position
    function: str
    attribute: str
    lengths: tuple[Expression, ...]

    @property
    def window(self) -> Window:
        """Raises `QueryError`."""
        names, needed = LENGTHS[self.function]
        if not needed <= len(self.lengths) <= len(names):
            takes = ", ".join(names[:needed]) + "".join(f"[, {name}]" for name in names[needed:])
            raise QueryError(f"{self.function.upper()} takes {self.attribute}, {takes}", self.position)
        spans = dict(zip(names, map(_span, self.lengths), strict=False))
        size = spans["size"]
        slide, start = spans.get("slide", size), 0 if "slide" in spans else None
        if offset := spans.get("offset"):
            offset, every = (span.number * NANOSECONDS[span.unit] for span in (offset, slide))
            start = Span(offset % max(1, every), "ns")
        return Window(self.position, "time", size, slide, self.attribute, start=start)


class Windowed(NamedTuple):
    """A function of windows of the tuples of a stream, by its name, or of a sub-query."""

    of: str | tuple[Select, ...]
    windowing: Windowing


def _span(length: Expression) -> Span:
    """INTERVAL '10' MINUTE, or '10 minutes'."""
    match length:
        case Literal(value=Span() as span):
            return span
        case Literal(value=bytes(text)) if found := re.fullmatch(r"\s*(\d+)\s+(\w+)\s*", text.decode(ENCODING)):
            if unit := unit_of(found[2]):
                return Span(int(found[1]), unit)
    raise QueryError("expected a length of time, as in INTERVAL '10' MINUTE or '10 minutes'", length.position)


# ---- After FROM


def of_table(position: Position, function: str, descriptor: str, attribute: str, *lengths: Expression) -> Windowing:
    """TUMBLE(TABLE Trades, DESCRIPTOR(Time), size), and HOP."""
    if function.lower() not in ("tumble", "hop"):
        why = SESSIONS if function.lower() == "session" else f"is neither TUMBLE nor HOP; {A_WINDOW}"
        raise QueryError(f"{function} of a TABLE {why}", position)
    if descriptor.lower() != "descriptor":
        raise QueryError(f"{descriptor}({attribute}); write DESCRIPTOR({attribute})", position)
    return Windowing(position, function.lower(), attribute, lengths)


def of_clause(position: Position, kind: str, given: Mapping[str, int | Span]) -> Window:
    """WINDOW TUMBLING (…) or HOPPING (…), of the stream's own time. given: SIZE, ADVANCE and GRACE."""
    if kind.upper() not in CLAUSES:
        why = SESSIONS if kind.upper() == "SESSION" else f"is neither TUMBLING nor HOPPING; {A_WINDOW}"
        raise QueryError(f"WINDOW {kind} {why}", position)
    hopping = kind.upper() == "HOPPING"
    if given.keys() - {"GRACE"} != {"SIZE", *(["ADVANCE"] * hopping)}:
        form = f"WINDOW {kind.upper()} {CLAUSES[kind.upper()]}"
        raise QueryError(f"write {form}; GRACE PERIOD 5 SECONDS may follow, and is SLACK", position)
    advance, start = (given["ADVANCE"], 0) if hopping else (given["SIZE"], None)
    return Window(position, "time", given["SIZE"], advance, slack=given.get("GRACE", 0), start=start)


# ---- A SELECT


def in_brackets(select: Select) -> Select:
    """The SELECT with its window in brackets; raises `QueryError`."""
    for side in (select.source, select.other) if select.other else ():
        if isinstance(side.window, Windowing):
            why = "is no window of a JOIN; write [ROWS 64] or [RANGE 60 WATTR Time ROWS 256]"
            raise QueryError(f"{side.window.function.upper()} {why}", side.window.position)
    windowing = select.source.window
    if isinstance(windowing, Windowing):
        if not {START, END} <= {bound_of(key) for key in (*select.group, *_partitions(select))}:
            name = windowing.function.upper()
            raise QueryError(f"{name} without GROUP BY window_start, window_end would never end", windowing.position)
        return _over(select, windowing)
    calls = [key for key in select.group if isinstance(key, Call) and key.function in (*LENGTHS, "session")]
    return _grouped(select, calls[0]) if calls else select


def _partitions(select: Select) -> list[Expression]:
    """The keys of PARTITION BY."""
    columns = [part for part in (*(item.expression for item in select.items), select.qualify) if part]
    numbers = (number for column in columns for number in parts(column) if isinstance(number, RowNumber))
    return [key for number in numbers for key in number.partition]


def _over(select: Select, windowing: Windowing) -> Select:
    return replace(select, source=replace(select.source, window=windowing.window))


def _in_small(call: Call) -> Expression:
    """The call for comparison: without positions, and with names in small letters."""
    return placeless(renamed(call, lambda name: replace(name, name=name.name.lower())))


def _grouped(select: Select, call: Call) -> Select:
    """The SELECT with a function of GROUP BY as its window."""
    name = call.function.upper()
    if call.function == "session":
        raise QueryError(f"GROUP BY SESSION(…) {SESSIONS}", call.position)
    if select.source.window is not None:
        raise QueryError(f"GROUP BY {name}(…) over tuples that are in a window already", call.position)
    if not call.arguments or not isinstance(call.arguments[0], Name):
        raise QueryError(f"{name}(…) takes a column with the time first: {name}(Time, …)", call.position)
    time, *lengths = call.arguments

    def bound(part: Expression) -> Expression:
        if not isinstance(part, Call) or part.function not in BOUNDS:
            return part
        function, bound = BOUNDS[part.function]
        if _in_small(replace(part, function=function)) != _in_small(call):
            raise QueryError(f"{part.function.upper()} has other arguments than GROUP BY {name}(…)", part.position)
        return Name(part.position, bound)

    def item(given: Item) -> Item:
        return given if given.expression is None else replace(given, expression=rebuilt(given.expression, bound))

    select = replace(
        select,
        items=tuple(map(item, select.items)),
        group=tuple(key for key in select.group if key is not call),
        having=select.having and rebuilt(select.having, bound),
    )
    return _over(select, Windowing(call.position, call.function, time.name, tuple(lengths)))


# ---- EMIT


def check_emit(word: str, body: tuple[Select, ...], position: Position) -> None:
    """Raise `QueryError` unless the rows of `body` are those of EMIT `word`: of a window, only FINAL."""
    if word.upper() != "FINAL" and (word.upper() != "CHANGES" or in_windows(body)):
        why = "the rows of a window leave once, when it ends: write EMIT FINAL, or leave it out"
        raise QueryError(f"EMIT {word}; {why}", position)


def in_windows(body: tuple[Select, ...]) -> bool:
    """Whether it, or a sub-query of it, aggregates over windows."""
    sources = [source for select in body for source in (select.source, select.other) if source]
    return any(isinstance(s.window, Window) or (s.subquery and in_windows(s.subquery)) for s in sources)
