"""Sorting networks as layers of comparators: those that chapter 6 of R. Mueller's dissertation (ETH 19163) defines, and
those of ws_sort_best.vh. The benches compare them with the comparators of an elaborated ws_sort_network."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from wirestream.design import RTL

Pair = tuple[int, int]  # a comparator: the wire of its smaller output and that of its larger one
Layer = list[Pair]
Merge = Callable[[list[int], list[int]], list[Layer]]  # of two sorted lists of wires

MOST_LISTED = 32  # wires of the largest network of ws_sort_best.vh; "BEST" above is two of them and a merge


@cache
def network(kind: str, n: int) -> tuple[Layer, ...]:
    """The layers of ws_sort_network for n wires, from the input on; kind: as its parameter KIND.

    "EVEN_ODD" and "BITONIC" are those of the next power of two without the missing wires.
    """
    if kind == "TRANSPOSITION":
        return tuple([(i, i + 1) for i in range(layer % 2, n - 1, 2)] for layer in range(n if n > 2 else 1))
    if kind == "BEST":
        return listed()[n] if n <= MOST_LISTED else two_listed(n)
    whole = merge_sorter(list(range(1 << (n - 1).bit_length())), {"EVEN_ODD": even_odd_merge, "BITONIC": bitonic}[kind])
    return tuple(below(n, whole))


def comparators(kind: str, n: int) -> list[Pair]:
    """The comparators of that network, layer by layer."""
    return [pair for pairs in network(kind, n) for pair in pairs]


def merge_sorter(wires: list[int], merge: Merge) -> list[Layer]:
    """Sorted halves, merged (figure 6.1)."""
    if len(wires) == 1:
        return []
    low, high = halves(wires)
    return [*together(merge_sorter(low, merge), merge_sorter(high, merge)), *merge(low, high)]


def even_odd_merge(a: list[int], b: list[int]) -> list[Layer]:
    """EOM of two sorted lists of wires (figure 6.2)."""
    if len(a) == 1:
        return [[(a[0], b[0])]]
    merged = sorted(a + b)
    parts = together(even_odd_merge(a[::2], b[::2]), even_odd_merge(a[1::2], b[1::2]))
    return [*parts, list(zip(merged[1:-1:2], merged[2:-1:2], strict=True))]


def bitonic(a: list[int], b: list[int]) -> list[Layer]:
    """Two sorted lists of wires without crossings (figure 6.4b): compared end to end, then a bitonic sorter each."""
    return [list(zip(a, reversed(b), strict=True)), *together(bitonic_sorter(a), bitonic_sorter(b))]


def bitonic_sorter(wires: list[int]) -> list[Layer]:
    """BS of a bitonic sequence (figure 6.3)."""
    if len(wires) == 1:
        return []
    low, high = halves(wires)
    return [list(zip(low, high, strict=True)), *together(bitonic_sorter(low), bitonic_sorter(high))]


@cache
def listed() -> dict[int, tuple[Layer, ...]]:
    """The networks of ws_sort_best.vh by their number of wires."""
    text = (RTL / "sort" / "ws_sort_best.vh").read_text()
    tables = re.findall(r"(\d+): +best = \{(.*?)\};", text, re.DOTALL)
    return {int(n): tuple(layer(digits) for digits in re.findall(r'"(\w+)"', table)) for n, table in tables}


def layer(digits: str) -> Layer:
    """A layer of a table: of each wire the one that it is compared with, or its own number, as a digit in base 32."""
    return [(wire, int(digit, 32)) for wire, digit in enumerate(digits) if int(digit, 32) > wire]


def two_listed(n: int) -> tuple[Layer, ...]:
    """Two networks of the file, side by side, and an even-odd merge without the missing wires at both ends."""
    lower = (n + 1) // 2
    low, high = listed()[lower], [[(a + lower, b + lower) for a, b in pairs] for pairs in listed()[n - lower]]
    missing, wires = MOST_LISTED - lower, list(range(2 * MOST_LISTED))
    merge = [[(a - missing, b - missing) for a, b in pairs if a >= missing] for pairs in even_odd_merge(*halves(wires))]
    return (*together(low, high), *below(n, merge))


def halves(wires: list[int]) -> tuple[list[int], list[int]]:
    return wires[: len(wires) // 2], wires[len(wires) // 2 :]


def together(one: Iterable[Layer], other: Iterable[Layer]) -> list[Layer]:
    """Two networks side by side; both start at once."""
    one, other = list(one), list(other)
    most = max(len(one), len(other))
    return [sorted(a + b) for a, b in zip(*(side + [[]] * (most - len(side)) for side in (one, other)), strict=True)]


def below(n: int, layers: Iterable[Layer]) -> list[Layer]:
    """The part of a network on its first n wires."""
    return [[pair for pair in pairs if max(pair) < n] for pairs in layers]


def in_use(pairs: list[Pair], outputs: set[int]) -> list[set[int]]:
    """For each comparator, those of its outputs that these wires need at the end."""
    used, parts = set(outputs), []
    for pair in reversed(pairs):
        parts.append(used.intersection(pair))
        used |= set(pair) if parts[-1] else set()
    return parts[::-1]
