"""Windows of a text in the words of Flink, Spark and ksqlDB.

All begin at the multiples of their distance, plus an offset, from 0 on: the window [n * slide + offset, … + size) for
each n. They are closed without slack, unless ksqlDB's GRACE PERIOD gives one.
"""

from __future__ import annotations

from spark_golden.declaration import NANOSECONDS
from spark_golden.tokens import Token, name_of, split, written
from spark_golden.window_clause import Duration, Window

# What the names of bounds mean: columns next to aggregates, which no text can name otherwise.
BEGIN, END, LAST = "#begin", "#end", "#last"
BOUNDS = {"window_start": BEGIN, "window.start": BEGIN, "windowstart": BEGIN, "window_end": END, "window.end": END,
          "windowend": END, "window_time": LAST}  # fmt: skip
OF_FUNCTIONS = {"START": "window_start", "END": "window_end", "ROWTIME": "window_time"}


def _call(tokens: list[Token], *functions: str) -> list[list[Token]] | None:
    """The arguments, if the tokens are a call of one of these functions."""
    words = [token.keyword for token in tokens]
    if len(words) < 3 or words[0] not in functions or words[1] != "(" or words[-1] != ")":
        return None
    return split(tokens[2:-1], ",")


def is_table(tokens: list[Token]) -> bool:
    return _call(tokens, "TABLE", "TUMBLE", "HOP") is not None


def of_table(tokens: list[Token]) -> tuple[list[Token], Window]:
    """The source and the window of TABLE(TUMBLE(TABLE Trades, DESCRIPTOR(Time), size)), or without the outer TABLE."""
    inner = tokens[2:-1] if tokens[0].keyword == "TABLE" else tokens
    source, time, *lengths = _call(inner, "TUMBLE", "HOP") or [[], []]
    attribute = _call(time, "DESCRIPTOR")
    if not attribute:
        raise ValueError(f"expected TUMBLE or HOP of a TABLE with a DESCRIPTOR, found '{written(tokens)}'")
    source = source[source[0].keyword == "TABLE" :]
    return source, _window(inner[0].keyword, name_of(attribute[0], "the time in DESCRIPTOR"), lengths)


def is_function(key: list[Token]) -> bool:
    return _call(key, "TUMBLE", "HOP", "WINDOW") is not None


def of_group(key: list[Token]) -> Window:
    """TUMBLE(Time, size), HOP(Time, slide, size), window(Time, size, slide)."""
    time, *lengths = _call(key, "TUMBLE", "HOP", "WINDOW")
    return _window(key[0].keyword, name_of(time, "the time of a window"), lengths)


def of_clause(tokens: list[Token]) -> Window:
    """TUMBLING (SIZE size) or HOPPING (SIZE size, ADVANCE BY slide), after WINDOW."""
    given = {}
    for part in _call(tokens, "TUMBLING", "HOPPING") or []:
        words = 1 if part[0].keyword == "SIZE" else 2  # ADVANCE BY and GRACE PERIOD
        given[part[0].keyword] = _length(part[words:])
    needed = {"SIZE", "ADVANCE"} if tokens[0].keyword == "HOPPING" else {"SIZE"}
    if given.keys() - {"GRACE"} != needed:
        raise ValueError(f"invalid WINDOW '{written(tokens)}'")
    return Window(True, given["SIZE"], given.get("ADVANCE", given["SIZE"]), slack=given.get("GRACE", 0), start=0)


def bounds(tokens: list[Token]) -> list[Token]:
    """The tokens with window_start for TUMBLE_START(…), and so on."""
    found, k = [], 0
    while k < len(tokens):
        function, _, bound = tokens[k].keyword.rpartition("_")
        if function in ("TUMBLE", "HOP") and bound in OF_FUNCTIONS:
            end = next(n for n in range(k, len(tokens)) if tokens[n].keyword == ")")
            found.append(Token("name", OF_FUNCTIONS[bound], tokens[k].line))
            k = end
        else:
            found.append(tokens[k])
        k += 1
    return found


def _window(function: str, attribute: str, lengths: list[list[Token]]) -> Window:
    order = {"TUMBLE": ("size", "offset"), "HOP": ("slide", "size", "offset"), "WINDOW": ("size", "slide", "offset")}
    given = dict(zip(order[function], map(_length, lengths), strict=False))
    if len(lengths) > len(order[function]) or "size" not in given:
        raise ValueError(f"wrong lengths of {function}")
    slide = given.get("slide", given["size"])
    offset = _nanoseconds(given["offset"]) % _nanoseconds(slide) if "offset" in given else 0
    return Window(True, given["size"], slide, attribute, start=Duration(offset, "ns"))


def _nanoseconds(length: Duration) -> int:
    return length.number * NANOSECONDS[length.word]


def _length(tokens: list[Token]) -> Duration:
    """INTERVAL '10' MINUTE, 10 MINUTES, or '10 minutes'."""
    words = " ".join(token.text.strip("'\"") for token in tokens if token.keyword != "INTERVAL").split()
    if len(words) != 2 or not words[0].isdigit() or words[1].lower() not in NANOSECONDS:
        raise ValueError(f"expected a length of time, found '{written(tokens)}'")
    return Duration(int(words[0]), words[1].lower())
