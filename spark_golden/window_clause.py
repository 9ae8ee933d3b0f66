"""Windows of a text of the dialect, in brackets."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from spark_golden.declaration import NANOSECONDS
from spark_golden.tokens import Token, name_of, written


@dataclass(frozen=True)
class Duration:
    """A time with a unit. word: the unit as in the text, in lower case."""

    number: int
    word: str

    def units(self, nanoseconds: int) -> int:
        """The time in units of that many nanoseconds; raises ValueError if it is not a multiple of them."""
        length = self.number * NANOSECONDS[self.word]
        if length % nanoseconds:
            raise ValueError(f"{self.number} {self.word} is not a multiple of the unit of the times")
        return length // nanoseconds


@dataclass(frozen=True)
class Window:
    """A window clause. attribute: None for the stream's own time. in_time: False for a tuple window. session: `size` is
    the GAP. Times without a unit are in units of the attribute.
    """

    in_time: bool
    size: int | Duration
    advance: int | Duration
    attribute: str | None = None
    slack: int | Duration = 0
    start: int | Duration | None = None
    max_ahead: int | Duration = 0
    resync: int = 16
    emit_empty: bool = False
    session: bool = False

    def __str__(self) -> str:
        if not self.in_time:
            return f"[SIZE {self.size} ADVANCE {self.advance} TUPLES]"
        if self.session:
            return f"[SESSION GAP {self.size} WATTR {self.attribute} SLACK {self.slack}]"
        return f"[RANGE {self.size} SLIDE {self.advance} WATTR {self.attribute} SLACK {self.slack}]"


@dataclass(frozen=True)
class JoinWindow:
    """The window of a side of a JOIN: the last `rows` tuples or, with an attribute, the tuples at most `near` apart;
    `rows` then only sizes the hardware's memory."""

    rows: int
    attribute: str | None = None
    near: int | Duration = 0
    slack: int | Duration = 0

    def __str__(self) -> str:
        if self.attribute is None:
            return f"[ROWS {self.rows}]"
        return f"[RANGE {self.near} WATTR {self.attribute} SLACK {self.slack} ROWS {self.rows}]"


def bracketed(tokens: list[Token]) -> Window | JoinWindow:
    wrong = ValueError(f"line {tokens[0].line}: invalid window '{written(tokens)}'")
    if tokens[-1].keyword != "]":
        raise wrong
    words, given = deque(tokens[1:-1]), {}
    try:
        while words:
            key = words.popleft().keyword
            if key in given or not key:
                raise wrong
            if key in ("TIME", "TUPLES", "SESSION", "EMIT_EMPTY"):
                given[key] = True
            elif key == "WATTR":
                given[key] = name_of([words.popleft()], "a column after WATTR")
            else:
                interval = words[0].keyword == "INTERVAL"
                if interval:
                    words.popleft()
                number = words.popleft()
                given[key] = int(number.text[1:-1] if interval and number.kind == "string" else number.text)
                if words and (unit := words[0].text.lower()) in NANOSECONDS:
                    given[key] = Duration(given[key], unit)
                    words.popleft()
                elif interval:
                    raise wrong
    except (IndexError, ValueError):
        raise wrong from None
    if given.keys() == {"ROWS"} or {"RANGE", "WATTR", "ROWS"} <= given.keys() <= {"RANGE", "WATTR", "SLACK", "ROWS"}:
        return JoinWindow(given["ROWS"], given.get("WATTR"), given.get("RANGE", 0), given.get("SLACK", 0))
    options = {"START", "MAX_AHEAD", "RESYNC", "EMIT_EMPTY"}
    for size, advance, needed, allowed in (
        ("RANGE", "SLIDE", {"WATTR"}, {"SLACK", *options}),
        ("SIZE", "ADVANCE", {"TIME"}, options),
        ("SIZE", "ADVANCE", {"TUPLES"}, set()),
        ("GAP", "GAP", {"SESSION", "WATTR"}, {"SLACK", *options} - {"EMIT_EMPTY"}),
    ):
        needed = {size, advance, *needed}
        if needed <= given.keys() <= needed | allowed:
            lengths = [n.number if isinstance(n, Duration) else n for n in (given[size], given[advance])]
            if min(lengths) < 1 or ("TUPLES" in given and any(isinstance(n, Duration) for n in given.values())):
                raise wrong
            names = ("SLACK", "START", "MAX_AHEAD", "RESYNC", "EMIT_EMPTY")
            more = {name.lower(): given[name] for name in names if name in given}
            if "SESSION" in given:  # may begin at any time
                return Window(True, given[size], 1, given["WATTR"], session=True, **more)
            return Window("TUPLES" not in given, given[size], given[advance], given.get("WATTR"), **more)
    raise wrong
