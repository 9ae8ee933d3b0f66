"""Automata that extract a group of a regular expression, for ws_text_extract: the positions in the order in which they
are tried.

Where a string matches in several ways, Java takes the first that a search with backtracking finds: it tries the earlier
alternative first, and repeats as often as possible, or lazily as seldom. For each position this is an order of those
that may follow it. The numbers of the positions are in all these orders; an expression for which there are no such
numbers is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from typing import NoReturn

from wirestream.compiler.patterns import Automaton, Bytes, Either, Group, Repeat, Sequence, Tree, padded
from wirestream.errors import QueryError

Entries = tuple["int | None", ...]  # positions in the order in which they are tried; None: none of them


@dataclass(frozen=True)
class _Position:
    """`Bytes` with a number."""

    number: int


def extraction(tree: Tree, group: int) -> Automaton:
    """The automaton of a regular expression that extracts the group of this number; 0: all that matches."""
    whole = padded(tree)
    of_group = list(_groups(whole, group, repeated=False))
    if any(of_group) or len(of_group) > 1:
        _refuse("a group that is repeated; enclose the repetition in the parentheses: ([a-z]*)")
    if not of_group:
        raise QueryError(f"the pattern has no group {group}; 0 is all that matches")
    positions: list[Bytes] = []
    members: set[int] = set()
    numbered = _numbered(whole, group, positions, members)
    follow: list[Entries] = [()] * len(positions)
    _link(numbered, (None,), follow)
    first = _first(numbered)
    number = _numbers(positions, [first, *follow])

    def renumbered(some: Iterable[int | None]) -> frozenset[int]:
        return frozenset(number[p] for p in some if p is not None)

    return Automaton(
        tuple(positions[p] for p in sorted(number, key=number.get)),
        frozenset((number[p], number[q]) for q, entries in enumerate(follow) for p in entries if p is not None),
        renumbered(first),
        renumbered(p for p, entries in enumerate(follow) if None in entries),
        renumbered(members),
    )


def _groups(tree: Tree, group: int, repeated: bool) -> Iterator[bool]:
    """For each occurrence of the group whether it is in a repetition."""
    match tree:
        case Group(part, number):
            if number == group:
                yield repeated
            yield from _groups(part, group, repeated)
        case Repeat(part):
            yield from _groups(part, group, True)
        case Sequence(parts) | Either(parts):
            for part in parts:
                yield from _groups(part, group, repeated)


def _numbered(tree: Tree, group: int, positions: list[Bytes], members: set[int]) -> Tree | _Position:
    """The tree with numbers at its leaves. members: gets those of the group."""
    match tree:
        case Bytes():
            positions.append(tree)
            return _Position(len(positions) - 1)
        case Group(part, number):
            begin = len(positions)
            inner = _numbered(part, group, positions, members)
            if number == group:
                members |= set(range(begin, len(positions)))
            return inner
        case Repeat(part, optional, lazy):
            return Repeat(_numbered(part, group, positions, members), optional, lazy)
    return type(tree)(tuple(_numbered(part, group, positions, members) for part in tree.parts))


def _first(tree: Tree | _Position) -> Entries:
    """The positions for the first byte of a tree; None where it matches no bytes."""
    match tree:
        case _Position(number):
            return (number,)
        case Sequence(parts):
            found: Entries = (None,)
            for part in reversed(parts):
                found = _before(part, found)
            return found
        case Either(parts):
            return _once(entry for part in parts for entry in _first(part))
    entries = _first(tree.part)
    if None in entries:
        _refuse("a repetition of what may be empty")
    return _once((None, *entries) if tree.lazy else (*entries, None)) if tree.optional else entries


def _before(tree: Tree | _Position, following: Entries) -> Entries:
    """The positions for the next byte in front of a tree."""
    return _once(e for entry in _first(tree) for e in (following if entry is None else (entry,)))


def _link(tree: Tree | _Position, following: Entries, follow: list[Entries]) -> None:
    """Note of each position in the tree what may follow it. following: what may follow the tree."""
    match tree:
        case _Position(number):
            follow[number] = following
        case Sequence(parts):
            for part in reversed(parts):
                _link(part, following, follow)
                following = _before(part, following)
        case Either(parts):
            for part in parts:
                _link(part, following, follow)
        case Repeat(part, _, lazy):
            again = _first(part)
            _link(part, _once((*following, *again) if lazy else (*again, *following)), follow)


def _once(entries: Iterable[int | None]) -> Entries:
    """Without repetitions: what has failed once fails again."""
    return tuple(dict.fromkeys(entries))


def _numbers(positions: list[Bytes], orders: list[Entries]) -> dict[int, int]:
    """The new number of each position. Only those that may match the same byte have an order."""
    earlier: dict[int, set[int]] = {p: set() for p in range(len(positions))}
    for entries in orders:
        for p, q in combinations([e for e in entries if e is not None], 2):
            if positions[p].members & positions[q].members:
                earlier[q].add(p)
    try:
        return {p: n for n, p in enumerate(TopologicalSorter(earlier).static_order())}
    except CycleError:
        _refuse("repetitions in repetitions whose order depends on what precedes")


def _refuse(what: str) -> NoReturn:
    raise QueryError(f"the regular expression has what no circuit extracts: {what}")
