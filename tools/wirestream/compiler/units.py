"""The pass after `spelling`: spans with a unit become numbers in units of the windowing attribute.

The attribute has the unit of the field that it comes from, through sub-queries and names after AS. No other pass sees a
unit, so the windows are checked here too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wirestream.compiler.syntax import JoinWindow, Name, Query, Select, Source, Span, Window
from wirestream.errors import QueryError
from wirestream.schema.streams import Stream
from wirestream.schema.units import DEFAULT, NANOSECONDS, plural

TIMES = {Window: ("size", "advance", "slack", "start", "max_ahead"), JoinWindow: ("near", "slack")}
MOST_RESYNC = 255  # of ws_watermark
MOST_TUPLES = 2**31 - 1  # SIZE + ADVANCE of a window


def resolve(query: Query, streams: Mapping[str, Stream]) -> Query:
    """The query without units; raises `QueryError`. An unknown stream is left to the next pass."""
    return replace(query, body=tuple(_select(select, streams) for select in query.body))


def resolved(window: Window | JoinWindow, unit: str | None) -> Window | JoinWindow:
    """The window without units; raises `QueryError`. unit: of its attribute, None if unknown."""
    times = {name: getattr(window, name) for name in TIMES[type(window)]}
    spans = {name: span for name, span in times.items() if isinstance(span, Span)}
    if spans and unit is None:
        why = f"the unit of {window.attribute} is unknown, as it is not the time attribute of a stream"
        raise QueryError(f"{why}; write {_words(next(iter(spans.values())))} as a number", window.position)
    window = replace(window, **{name: _number(span, unit, window) for name, span in spans.items()})
    if isinstance(window, Window):
        _check(window)
    return window


def text(window: Window | JoinWindow) -> str:
    """The text of a resolved window."""
    if isinstance(window, JoinWindow):
        times = f"RANGE {window.near} WATTR {window.attribute} SLACK {window.slack} " if window.attribute else ""
        return f"[{times}ROWS {window.rows}]"
    if not window.in_time:
        return f"[SIZE {window.size} ADVANCE {window.advance} TUPLES]"
    start = "" if window.start is None else f" START {window.start}"
    ahead = f" MAX_AHEAD {window.max_ahead} RESYNC {window.resync}" if window.max_ahead else ""
    options = f"{start}{ahead}{' EMIT_EMPTY' * window.emit_empty}]"
    if window.attribute is None:
        return f"[SIZE {window.size} ADVANCE {window.advance} TIME{options}"
    first = f"SESSION GAP {window.size}" if window.session else f"RANGE {window.size} SLIDE {window.advance}"
    return f"[{first} WATTR {window.attribute} SLACK {window.slack}{options}"


def _number(span: Span, unit: str, window: Window | JoinWindow) -> int:
    number, over = divmod(span.number * NANOSECONDS[span.unit], NANOSECONDS[unit])
    if over:
        of = f", the unit of {window.attribute}" if window.attribute else ", the unit of the stream's time"
        raise QueryError(f"{_words(span)} is not a whole number of {plural(unit)}{of}", window.position)
    return number


def _words(span: Span) -> str:
    return f"{span.number} {plural(span.unit).removesuffix('s' * (span.number == 1))}"


def _check(window: Window) -> None:
    position = window.position
    if window.size < 1 or window.advance < 1:
        raise QueryError("the length and the distance of windows must be at least 1", position)
    if not window.in_time and window.size + window.advance > MOST_TUPLES:
        raise QueryError(f"SIZE + ADVANCE is {window.size + window.advance}; the most is {MOST_TUPLES}", position)
    if window.session and window.emit_empty:
        raise QueryError("EMIT_EMPTY with SESSION: a session begins with a tuple, so none is empty", position)
    if not 1 <= window.resync <= MOST_RESYNC:
        raise QueryError(f"RESYNC {window.resync}: must be 1 to {MOST_RESYNC}", position)
    apart, name = (window.size, "GAP") if window.session else (window.advance, "SLIDE")
    if window.max_ahead and window.max_ahead < window.slack + apart:
        raise QueryError(f"MAX_AHEAD must be at least SLACK + {name} = {window.slack + apart}", position)


def _select(select: Select, streams: Mapping[str, Stream]) -> Select:
    sides = [source and _source(source, streams) for source in (select.source, select.other)]
    windows = [side.window for side in sides if side and isinstance(side.window, JoinWindow) and side.window.attribute]
    if len(windows) == 2:
        found = [_unit(side, side.window.attribute, streams) for side in sides]
        if None not in found and len(set(found)) > 1:
            names = " and ".join(f"{w.attribute} in {plural(unit)}" for w, unit in zip(windows, found, strict=True))
            raise QueryError(f"the times of a JOIN must have the same unit, not {names}", windows[1].position)
    return replace(select, source=sides[0], other=sides[1])


def _source(source: Source, streams: Mapping[str, Stream]) -> Source:
    if source.subquery is not None:
        source = replace(source, subquery=tuple(_select(select, streams) for select in source.subquery))
    if source.window is None:
        return source
    attribute = source.window.attribute
    if attribute is None:
        stream = streams.get(source.first_stream)
        attribute = stream and stream.time
    return replace(source, window=resolved(source.window, _unit(source, attribute, streams)))


def _unit(source: Source, attribute: str | None, streams: Mapping[str, Stream]) -> str | None:
    """The unit of a column of a stream or a sub-query; None if unknown."""
    if source.stream is not None:
        return streams[source.stream].unit_of(attribute) if source.stream in streams else DEFAULT
    units = {_unit(arm.source, _passed(arm, attribute), streams) for arm in source.subquery}
    return units.pop() if len(units) == 1 else None


def _passed(select: Select, attribute: str | None) -> str | None:
    """The column of the source that a SELECT passes on as `attribute`."""
    for item in select.items:
        if item.expression is None:
            return attribute
        if isinstance(item.expression, Name) and attribute == (item.alias or item.expression.name):
            return item.expression.name
    return None
