"""Messages for text that does not match the grammar: what was expected, or what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wirestream.compiler.window_forms import A_TABLE, A_WINDOW

# Readable names of the grammar's terminals. Those that begin or continue an expression are summarized in one word.
TERMINALS = {"NAME": "a name", "INTEGER": "a whole number", "STRING": "a string", "WEIGHT": "a weight", "LPAR": "'('",
             "RPAR": "')'", "LSQB": "'['", "RSQB": "']'", "COMMA": "','", "SEMICOLON": "';'", "STAR": "'*'",
             "DOLLAR": "'$'", "DOT": "'.'", "MINUS": "'-'", "MESSAGES": "FIX, BINARY or ITCH",
             "UNIT": "a unit of time, such as ms", "$END": "end of text",
             "_AND": "AND", "_OR": "OR", "_IN": "IN", "_TABLE": "TABLE", "RLIKE": "RLIKE", "DIRECTION": "ASC or DESC",
             "FIRST_OR_LAST": "FIRST or LAST"}  # fmt: skip
BEGIN = {"NAME", "INTEGER", "DECIMAL", "STRING", "LPAR", "DOLLAR", "MINUS", "TRUE", "FALSE", "NULL", "CASE", "TILDE"}
GO_ON = {"COMPARE", "IS", "STRING", "_IN", "BETWEEN", "LIKE", "RLIKE", "NOT", "_AND", "_OR", "VBAR", "CIRCUMFLEX",
         "AMPERSAND", "SHIFT", "CONCAT", "SIGN", "STAR", "TIMES", "LPAR", "DOT"}  # fmt: skip

OVER = "[SIZE 10 ADVANCE 1 TUPLES] slides over the last tuples; `wirestream split` runs OVER on Spark"
FRAMES = ("ROWS", "RANGE", "GROUPS")
ONLY_INNER = "only the inner join is supported: JOIN … ON"
LAST_CLAUSES = "the clauses of a SELECT end with GROUP BY, HAVING, QUALIFY, ORDER BY, LIMIT, OFFSET, in this order"
SETS = "use a JOIN of the streams, or a condition in WHERE"
INSTEAD = {
    "DISTINCT": "SELECT DISTINCT gives each row of a window once, and count(DISTINCT Price) counts each value once",
    **dict.fromkeys(("ORDER", "LIMIT", "OFFSET"), LAST_CLAUSES),
    "SORT": "write ORDER BY",
    "FETCH": "write LIMIT 10",
    **dict.fromkeys(("INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS", "NATURAL", "LATERAL"), ONLY_INNER),
    **dict.fromkeys(("EXCEPT", "INTERSECT", "MINUS"), SETS),
    "WINDOW": A_WINDOW,
    "OVER": "OVER follows a function: ROW_NUMBER() OVER (PARTITION BY Symbol ORDER BY Price DESC)",
    "WITHIN": "a JOIN has windows: FROM a [ROWS 64] JOIN b [ROWS 64] ON a.x = b.x",
    "QUALIFY": LAST_CLAUSES,
    "==": "write = for equality",
    "`": "a name in backquotes has letters, digits and _, and begins with none of the digits",
    "/*": "a comment ends with */",
    "'": "a string must end on its line, with '",
    '"': 'a string must end on its line, with "',
}

# Words that are names only in backquotes; see NAME in the grammar.
RESERVED = {"SELECT", "FROM", "JOIN", "ON", "WHERE", "GROUP", "HAVING", "UNION", "INTO", "AS", "AND", "OR", "NOT",
            "DISTINCT", "LIKE", "CASE", "WHEN", "THEN", "ELSE", "END"}  # fmt: skip

# The forms of a window by their first word, and the words that each requires.
FORMS = {
    "RANGE": "[RANGE 600 SLIDE 60 WATTR Time SLACK 60]",
    "SIZE": "[SIZE 600 ADVANCE 60 TIME] or [SIZE 4 ADVANCE 1 TUPLES]",
    "SESSION": "[SESSION GAP 30 WATTR Time SLACK 60]",
}
OF_A_JOIN = "in a JOIN [ROWS 64] or [RANGE 60 WATTR Time SLACK 10 ROWS 256]"
NEEDED = {"RANGE": ("SLIDE", "WATTR"), "SIZE": ("ADVANCE",), "SESSION": ("GAP", "WATTR")}


def unexpected(text: str, at: int, wanted: Iterable[str] = ()) -> str:
    """A one-line message about the word at offset `at`, where one of the terminals `wanted` was expected."""
    word = re.match(r"\.\d+|\w+|==|/\*|\S|", text[at:])[0]
    if window := _open_window(text[:at]):
        return _of_window(window.upper().split()[1:], word, wanted)
    if re.search(r"\bfrom\s+(table\s*\(\s*)?\w+\s*\([^()]*$", text[:at], re.IGNORECASE):
        return f"{_found(word)}; {A_TABLE}"
    if re.search(r"\bwith\s+recursive\s*$", text[:at], re.IGNORECASE):
        return f"{_found(word)}; a query of WITH cannot read itself"
    wanted = set(wanted)
    if wanted == {"ALL"}:
        return f"{_found(word)}; write UNION ALL, which keeps equal rows"
    if word == "[" and "JOIN" in wanted:
        return f"{_found(word)}; a window comes before the name, as in FROM Trades [SIZE 4 ADVANCE 1 TUPLES] AS t"
    if word.upper() in FRAMES and re.search(r"\bover\s*\(", text[:at], re.IGNORECASE):
        return f"{_found(word)}; {OVER}"
    key = "==" if text[at - 1 : at + 1] == "==" else "." if re.match(r"\.\d", word) else word.upper()
    if key in INSTEAD:
        return f"{_found(word)}; {INSTEAD[key]}"
    named = word.upper() in RESERVED and wanted & {"NAME", "ALIAS"} and not wanted >= BEGIN
    quoted = f"; as a name write it in backquotes: `{word}`" if named else ""
    return f"{_found(word)}{_could(wanted)}{quoted}"


def _found(word: str) -> str:
    return f"unexpected {word!r}" if word else "unexpected end of text"


def _could(wanted: set[str]) -> str:
    """What was expected."""
    words, wanted = [], wanted - {"ALIAS"}
    if wanted >= BEGIN:
        wanted, words = wanted - BEGIN - {"NOT"}, ["an expression"]
    elif wanted & {"SIGN", "VBAR"}:
        wanted, words = wanted - GO_ON, ["an operator"]
    words = sorted([TERMINALS.get(name, name) for name in wanted] + words)
    return f"; expected {' or '.join([', '.join(words[:-1]), words[-1]] if words[1:] else words)}" if words else ""


def _open_window(before: str) -> str:
    """The text of an unfinished window at the end of `before`, with "[" separated; "" if there is none. A "[" after a
    comma begins a list of weights."""
    outside, bracket, inside = before.rpartition("[")
    return f"[ {inside}" if bracket and "]" not in inside and not outside.rstrip().endswith(",") else ""


def _of_window(words: list[str], word: str, wanted: Iterable[str]) -> str:
    """A message about `word` after the first words of a window."""
    first = (words or [""])[0]
    if first not in FORMS:
        return f"{_found(word)}; a window is {', '.join(FORMS.values())}, {OF_A_JOIN}"
    form = FORMS[first] + (f", {OF_A_JOIN}" if first == "RANGE" else "")
    lacks = [need for need in NEEDED[first] if need not in words] if word in ("]", "") and "ROWS" not in words else []
    if not lacks:
        return f"{_found(word)}{_could(set(wanted))}; a window is {form}"
    aside = "; SLIDE equal to RANGE makes windows adjacent" if "SLIDE" in lacks else ""
    return f"{' and '.join(lacks)} {'is' if len(lacks) == 1 else 'are'} missing; a window is {form}{aside}"
