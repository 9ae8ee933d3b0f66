"""Regular expressions as trees of `patterns`: those of Java that need neither memory nor context, over ASCII."""

from __future__ import annotations

from wirestream.compiler.patterns import ALL, Bytes, Either, Group, Repeat, Sequence, Tree
from wirestream.errors import QueryError

DIGITS, SPACES = frozenset(b"0123456789"), frozenset(b" \t\n\x0b\f\r")
LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
CLASSES = {"d": DIGITS, "w": DIGITS | LETTERS | frozenset(b"_"), "s": SPACES}
CLASSES |= {name.upper(): ALL - members for name, members in list(CLASSES.items())}
CONTROLS = {"t": 9, "n": 10, "f": 12, "r": 13}
DOT = ALL - frozenset(b"\r\n")
PLAIN = frozenset(map(chr, frozenset(range(32, 127)) - DIGITS - LETTERS))  # after a backslash they mean themselves
NOTHING = Sequence(())
MOST_TIMES = 64  # no pattern has more positions
TIMES = {"*": (0, None), "+": (1, None), "?": (0, 1)}  # the least and the most, None: any number
# $ is also before a line's end that ends the string.
END = Either((NOTHING, *(Sequence(tuple(Bytes(frozenset({c})) for c in end)) for end in (b"\n", b"\r", b"\r\n"))))


def regular(pattern: str) -> Tree:
    """The tree of a pattern that occurs anywhere in a string, unless ^ and $ say where."""
    return _Reader(pattern).whole()


class _Reader:
    """Recursive descent. at: the offset of the next character. groups: how many have begun."""

    def __init__(self, pattern: str):
        self.pattern, self.at, self.groups = pattern, 0, 0

    def whole(self) -> Tree:
        begins = self._took("^")
        found = self._either()
        ends = self._took("$")
        if self.at < len(self.pattern):
            self._refuse(f"{self.pattern[self.at]!r} at character {self.at + 1}")
        if (begins or ends) and isinstance(found, Either):
            self._refuse("^ or $ next to |; enclose the alternatives in parentheses")
        before = () if begins else (Repeat(Bytes(ALL), lazy=True),)
        return Sequence((*before, Group(found, 0), END if ends else Repeat(Bytes(ALL))))

    def _either(self) -> Tree:
        parts = [self._sequence()]
        while self._took("|"):
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _sequence(self) -> Tree:
        parts = []
        while self._next() not in ("", "|", ")", "$"):
            parts.append(self._repeated(self._single()))
        return Sequence(tuple(parts))

    def _repeated(self, part: Tree) -> Tree:
        while (sign := self._next()) and sign in "*+?{":
            self.at += 1
            least, most = self._times() if sign == "{" else TIMES[sign]
            if self._took("+"):
                self._refuse("a possessive quantifier")
            part = _repeated(part, least, most, lazy=self._took("?"))
        return part

    def _times(self) -> tuple[int, int | None]:
        text, closed, rest = self.pattern[self.at :].partition("}")
        least, comma, most = text.partition(",")
        if not closed or not least.isdigit() or (most and not most.isdigit()):
            self._refuse("{ without numbers")
        self.at = len(self.pattern) - len(rest)
        counts = int(least), int(most or least)
        if not counts[0] <= counts[1] <= MOST_TIMES:
            self._refuse(f"{{{text}}}; at most {MOST_TIMES} times")
        return counts[0], None if comma and not most else counts[1]

    def _single(self) -> Tree:
        letter = self._taken()
        match letter:
            case "(":
                plain = self._took("?")
                if plain and not self._took(":"):
                    self._refuse("a group that begins with (?")
                self.groups += not plain
                number = self.groups
                found = self._either()
                if not self._took(")"):
                    self._refuse("( without )")
                return found if plain else Group(found, number)
            case "[":
                return _bytes(self._members())
            case ".":
                return _bytes(DOT)
            case "\\":
                return _bytes(self._escaped())
            case "*" | "+" | "?" | "{" | "^":
                self._refuse(f"{letter} at character {self.at}")
        return _bytes(frozenset({ord(letter)}))

    def _members(self) -> frozenset[int]:
        negated, found = self._took("^"), frozenset()
        while not (found and self._took("]")):
            begin = self._member()
            if len(begin) == 1 and self._next() == "-" and self.pattern[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                (low,), (high, *others) = begin, self._member()
                if others or low > high:
                    self._refuse("a range of no single characters in their order")
                begin = frozenset(range(low, high + 1))
            found |= begin
        return ALL - found if negated else found

    def _member(self) -> frozenset[int]:
        letter = self._taken()
        if letter == "[" or (letter == "&" and self._next() == "&"):
            self._refuse(f"{letter} in brackets")
        return self._escaped() if letter == "\\" else frozenset({ord(letter)})

    def _escaped(self) -> frozenset[int]:
        letter = self._taken()
        if letter in CLASSES:
            return CLASSES[letter]
        if letter not in CONTROLS and letter not in PLAIN:
            self._refuse(f"\\{letter}")
        return frozenset({CONTROLS.get(letter, ord(letter))})

    def _next(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def _taken(self) -> str:
        if not (letter := self._next()):
            self._refuse("its end")
        self.at += 1
        return letter

    def _took(self, letter: str) -> bool:
        found = self._next() == letter
        self.at += found
        return found

    @staticmethod
    def _refuse(what: str) -> None:
        raise QueryError(f"the regular expression has what no circuit matches: {what}")


def _repeated(part: Tree, least: int, most: int | None, lazy: bool) -> Tree:
    if most is None and least <= 1:
        return Repeat(part, optional=not least, lazy=lazy)
    once = Either((NOTHING, part) if lazy else (part, NOTHING))
    more = (Repeat(part, lazy=lazy),) if most is None else (once,) * (most - least)
    return once if (least, most) == (0, 1) else Sequence((part,) * least + more)


def _bytes(members: frozenset[int]) -> Bytes:
    return Bytes(members, inside=0 in members)
