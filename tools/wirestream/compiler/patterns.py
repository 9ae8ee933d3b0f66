"""Patterns over strings as automata without empty steps, for ws_match_text: one state for each position of a pattern.

A pattern is a tree of `Bytes`, `Sequence`, `Either`, `Repeat` and `Group`; `automaton` numbers its positions and finds
which position may follow which (Glushkov's construction). `like` reads the pattern of LIKE.
"""

from __future__ import annotations

from dataclasses import dataclass

from wirestream.errors import QueryError

MOST_POSITIONS = 64  # of ws_match_text
ALL = frozenset(range(256))
ZERO = frozenset({0})  # what pads a string


@dataclass(frozen=True)
class Bytes:
    """One byte out of a set. inside: not a zero that pads the string."""

    members: frozenset[int]
    inside: bool = False


@dataclass(frozen=True)
class Sequence:
    parts: tuple[Tree, ...]


@dataclass(frozen=True)
class Either:
    parts: tuple[Tree, ...]


@dataclass(frozen=True)
class Repeat:
    """part any number of times. optional: 0 included. lazy: as few times as possible."""

    part: Tree
    optional: bool = True
    lazy: bool = False


@dataclass(frozen=True)
class Group:
    """A part in parentheses. number: from 1; 0: the whole pattern."""

    part: Tree
    number: int


Tree = Bytes | Sequence | Either | Repeat | Group


@dataclass(frozen=True)
class Automaton:
    """positions: the bytes that each matches. after: pairs of a position and one that may match the byte before it.

    first, last: the positions that may match the first and the last byte. group: of an automaton that extracts a group,
    the positions in it.
    """

    positions: tuple[Bytes, ...]
    after: frozenset[tuple[int, int]]
    first: frozenset[int]
    last: frozenset[int]
    group: frozenset[int] = frozenset()

    def __str__(self) -> str:
        return f"automaton of {len(self.positions)} positions"


# ---- LIKE


def like(pattern: str) -> Tree:
    """The tree of a pattern of LIKE: % for any bytes, _ for one byte; a backslash makes both plain characters."""
    parts: list[Tree] = []
    letters = iter(pattern)
    for letter in letters:
        if letter == "%":
            if not parts or parts[-1] != Repeat(Bytes(ALL)):
                parts.append(Repeat(Bytes(ALL)))
            continue
        if letter == "\\":
            following = next(letters, "")
            if following not in ("%", "_"):
                raise QueryError("in a pattern of LIKE a backslash precedes % or _")
            letter = following
        elif letter == "_":
            parts.append(Bytes(ALL, inside=True))
            continue
        parts.append(Bytes(frozenset({ord(letter)})))
    return Sequence(tuple(parts))


# ---- automata


def automaton(tree: Tree) -> Automaton:
    """The automaton of a tree and the zeros that pad a string."""
    whole = padded(tree)
    positions: list[Bytes] = []
    after: set[tuple[int, int]] = set()
    first, last, _ = _positions(whole, positions, after)
    return Automaton(tuple(positions), frozenset(after), frozenset(first), frozenset(last))


def padded(tree: Tree) -> Tree:
    """The tree with the zeros after a string, unless its end matches them."""
    ends_in_all = isinstance(tree, Sequence) and tree.parts and tree.parts[-1] == Repeat(Bytes(ALL))
    return tree if ends_in_all else Sequence((tree, Repeat(Bytes(ZERO))))


def _positions(tree: Tree, positions: list[Bytes], after: set[tuple[int, int]]) -> tuple[set[int], set[int], bool]:
    """Number the positions of a tree; its first and last ones, and whether it matches no bytes at all."""
    match tree:
        case Bytes():
            positions.append(tree)
            return {len(positions) - 1}, {len(positions) - 1}, False
        case Sequence(parts):
            first, last, empty = set(), set(), True
            for part in parts:
                begin, end, none = _positions(part, positions, after)
                after |= {(b, e) for b in begin for e in last}
                first, last = first | (begin if empty else set()), end | (last if none else set())
                empty = empty and none
            return first, last, empty
        case Either(parts):
            firsts, lasts, empties = zip(*(_positions(part, positions, after) for part in parts), strict=True)
            return set().union(*firsts), set().union(*lasts), any(empties)
        case Repeat(part, optional):
            first, last, empty = _positions(part, positions, after)
            after |= {(b, e) for b in first for e in last}
            return first, last, empty or optional
        case Group(part):
            return _positions(part, positions, after)
    raise AssertionError(tree)
