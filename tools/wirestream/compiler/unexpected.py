"""What to say of a text that the grammar does not take: what could have stood there, or what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterable

# What a person would call the grammar's terminals. Many begin an expression or go on with one; that is said in a word.
TERMINALS = {"NAME": "a name", "INTEGER": "a whole number", "STRING": "a string", "WEIGHT": "a weight", "LPAR": "'('",
             "RPAR": "')'", "LSQB": "'['", "RSQB": "']'", "COMMA": "','", "SEMICOLON": "';'", "STAR": "'*'",
             "DOLLAR": "'$'", "DOT": "'.'", "MINUS": "'-'", "MESSAGES": "FIX, BINARY or ITCH",
             "UNIT": "seconds, minutes or hours", "$END": "the end"}  # fmt: skip
BEGIN = {"NAME", "INTEGER", "STRING", "LPAR", "DOLLAR", "MINUS", "TRUE", "FALSE"}
GO_ON = {"COMPARE", "AND", "OR", "SIGN", "STAR", "TIMES", "LPAR", "DOT"}

ONLY_INNER = "JOIN … ON is the inner join, and the only one"
NO_END = "rows leave as they are made, and there is no last one"
INSTEAD = {
    "BETWEEN": "write a >= 1 AND a <= 9",
    "IN": "write a = 1 OR a = 2",
    "LIKE": "strings are compared whole, with =",
    "IS": "a condition that is null is not true",
    "DISTINCT": "a window with GROUP BY has each value once",
    "ORDER": NO_END,
    "LIMIT": NO_END,
    **dict.fromkeys(("INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS"), ONLY_INNER),
    "==": "equality is =",
    "`": "names stand bare",
    "/*": "a comment begins with --",
    "'": "a string ends on its line, with '",
    '"': 'a string ends on its line, with "',
    ".": "numbers are whole",
}

# The forms of a window by their first word, and what must be in one.
FORMS = {
    "RANGE": "[RANGE 600 SLIDE 60 WATTR Time SLACK 60]",
    "SIZE": "[SIZE 600 ADVANCE 60 TIME] or [SIZE 4 ADVANCE 1 TUPLES]",
    "SESSION": "[SESSION GAP 30 WATTR Time SLACK 60]",
}
OF_A_JOIN = "of a JOIN [ROWS 64] or [RANGE 60 WATTR Time SLACK 10 ROWS 256]"
NEEDED = {"RANGE": ("SLIDE", "WATTR"), "SIZE": ("ADVANCE",), "SESSION": ("GAP", "WATTR")}


def unexpected(text: str, at: int, wanted: Iterable[str] = ()) -> str:
    """One line about what stands at offset `at`, where the terminals `wanted` could."""
    word = re.match(r"\.\d+|\w+|==|/\*|\S|", text[at:])[0]
    if window := _open_window(text[:at]):
        return _of_window(window.upper().split()[1:], word, wanted)
    key = "==" if text[at - 1 : at + 1] == "==" else "." if re.match(r"\.\d", word) else word.upper()
    return _found(word) + (f"; {INSTEAD[key]}" if key in INSTEAD else _could(set(wanted)))


def _found(word: str) -> str:
    return f"{word!r} is not expected" if word else "the text ends"


def _could(wanted: set[str]) -> str:
    """What could stand there."""
    words = []
    if wanted >= BEGIN:
        wanted, words = wanted - BEGIN - {"NOT"}, ["an expression"]
    elif wanted >= {"SIGN", "TIMES"}:
        wanted, words = wanted - GO_ON, ["an operator"]
    words = sorted([TERMINALS.get(name, name) for name in wanted] + words)
    return f"; here could stand {', '.join(words)}" if words else ""


def _open_window(before: str) -> str:
    """What of a window stands before a position in it, "[" apart; a list of weights, behind a comma, is none."""
    outside, bracket, inside = before.rpartition("[")
    return f"[ {inside}" if bracket and "]" not in inside and not outside.rstrip().endswith(",") else ""


def _of_window(words: list[str], word: str, wanted: Iterable[str]) -> str:
    """About `word` behind the words of a window."""
    first = (words or [""])[0]
    if first not in FORMS:
        return f"{_found(word)}; a window is {', '.join(FORMS.values())}, {OF_A_JOIN}"
    form = FORMS[first] + (f", {OF_A_JOIN}" if first == "RANGE" else "")
    lacks = [need for need in NEEDED[first] if need not in words] if word in ("]", "") and "ROWS" not in words else []
    if not lacks:
        return f"{_found(word)}{_could(set(wanted))}; a window is {form}"
    aside = "; with SLIDE as long as RANGE windows stand side by side" if "SLIDE" in lacks else ""
    return f"{' and '.join(lacks)} {'is' if len(lacks) == 1 else 'are'} missing; a window is {form}{aside}"
