"""Sorting networks as lists of layers of comparators, built as chapter 6 of the dissertation defines them, and the
comparators of an elaborated ws_sort_network."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tb import BUILD, REPOSITORY
from tb.lib.run import design
from wirestream.measure.yosys import read, yosys

Layer = list[tuple[int, int]]  # comparators, each the wire of its smaller output and that of its larger one

# The fewest comparators known for 1 to 32 wires: Knuth, The Art of Computer Programming 3, section 5.3.4, to 16 wires;
# B. Dobbelaere's list of the smallest networks for more. No network of up to 12 wires can have fewer.
FEWEST = [0, 1, 3, 5, 9, 12, 16, 19, 25, 29, 35, 39, 45, 51, 56, 60]
FEWEST += [71, 77, 85, 91, 99, 106, 114, 120, 130, 138, 147, 155, 164, 172, 180, 185]


def even_odd_merge(a: list[int], b: list[int]) -> list[Layer]:
    """EOM of two sorted lists of wires (figure 6.2)."""
    if len(a) == 1:
        return [[(a[0], b[0])]]
    merged = sorted(a + b)
    halves = together(even_odd_merge(a[::2], b[::2]), even_odd_merge(a[1::2], b[1::2]))
    return [*halves, list(zip(merged[1:-1:2], merged[2:-1:2], strict=True))]


def bitonic_merge(a: list[int], b: list[int]) -> list[Layer]:
    """Two sorted lists of wires without crossings (figure 6.4b): compared end to end, then a bitonic sorter each."""
    return [list(zip(a, reversed(b), strict=True)), *together(bitonic_sorter(a), bitonic_sorter(b))]


def bitonic_sorter(wires: list[int]) -> list[Layer]:
    """BS of a bitonic sequence (figure 6.3)."""
    if len(wires) == 1:
        return []
    low, high = wires[: len(wires) // 2], wires[len(wires) // 2 :]
    return [list(zip(low, high, strict=True)), *together(bitonic_sorter(low), bitonic_sorter(high))]


def together(one: list[Layer], other: list[Layer]) -> list[Layer]:
    """Two networks of as many layers side by side."""
    return [sorted(a + b) for a, b in zip(one, other, strict=True)]


def merge_sorter(wires: list[int], merge) -> list[Layer]:
    """Sorted halves, merged (figure 6.1)."""
    if len(wires) == 1:
        return []
    low, high = wires[: len(wires) // 2], wires[len(wires) // 2 :]
    return [*together(merge_sorter(low, merge), merge_sorter(high, merge)), *merge(low, high)]


def defined(kind: str, n: int) -> list[Layer]:
    """The network of that kind for n wires; it is that of the next power of two without the missing wires."""
    if kind == "TRANSPOSITION":
        return [[(i, i + 1) for i in range(layer % 2, n - 1, 2)] for layer in range(n if n > 2 else 1)]
    merge = {"EVEN_ODD": even_odd_merge, "BITONIC": bitonic_merge}[kind]
    whole = merge_sorter(list(range(1 << (n - 1).bit_length())), merge)
    return [[pair for pair in layer if max(pair) < n] for layer in whole]


def elaborated(n: int, kind: str) -> list[tuple[int, int]]:
    """The comparators of ws_sort_network as Yosys elaborates it, in an order in which each follows those before it."""
    network = design("sort_network").with_parameters(N=n, KIND=kind, KEY_W=1, CIRCUIT="COMBINATIONAL")
    folder: Path = BUILD / "networks" / network.label
    script = [*read(network), "proc", "setattr -mod -set keep_hierarchy 1 *ws_comparator*", "flatten", "opt_clean"]
    yosys([*script, "write_json network.json"], folder, "network")
    modules = json.loads((folder / "network.json").read_text())["modules"]
    module = next(m for m in modules.values() if int(m["attributes"].get("top", "0"), 2))
    wire = {bit: at for at, bit in enumerate(module["ports"]["s_data"]["bits"])}
    left = [cell["connections"] for cell in module["cells"].values() if "ws_comparator" in cell["type"]]
    found = []
    while ready := [ports for ports in left if ports["a"][0] in wire and ports["b"][0] in wire]:
        for ports in ready:
            low, high = (wire.pop(ports[name][0]) for name in ("a", "b"))
            wire |= {ports["low"][0]: low, ports["high"][0]: high}
            found.append((low, high))
        left = [ports for ports in left if ports not in ready]
    assert not left and [wire[bit] for bit in module["ports"]["m_data"]["bits"]] == list(range(n))
    return found


def best_sizes() -> dict[int, tuple[int, int]]:
    """The comparators and layers of each table of ws_sort_best.vh, by the number of wires."""
    text = (REPOSITORY / "rtl" / "sort" / "ws_sort_best.vh").read_text()
    sizes = {}
    for n, table in re.findall(r"(\d+): +best = \{(.*?)\};", text, re.DOTALL):
        layers = re.findall(r'"(\w+)"', table)
        moved = sum(int(digit, 32) != wire for layer in layers for wire, digit in enumerate(layer))
        sizes[int(n)] = (moved // 2, len(layers))
    return sizes


def markdown() -> str:
    """The sizes of the tables next to the fewest comparators known, for docs/sorting.md."""
    found = best_sizes()
    rows = []
    for wires in (range(2, 12), range(12, 22), range(22, 33)):
        rows += ["| N | " + " | ".join(map(str, wires)) + " |", "|---|" + "--:|" * len(wires)]
        rows.append("| comparators | " + " | ".join(str(found[n][0]) for n in wires) + " |")
        rows.append("| fewest known | " + " | ".join(str(FEWEST[n - 1]) for n in wires) + " |")
        rows += ["| layers | " + " | ".join(str(found[n][1]) for n in wires) + " |", ""]
    return "\n".join(rows)


def earliest(comparators: list[tuple[int, int]]) -> list[Layer]:
    """The same comparators in as few layers as possible; equal for networks that differ in their order alone."""
    free: dict[int, int] = {}
    layers: list[Layer] = []
    for pair in comparators:
        at = max(free.get(wire, 0) for wire in pair)
        free |= dict.fromkeys(pair, at + 1)
        layers += [[]] * (at == len(layers))
        layers[at] = sorted([*layers[at], pair])
    return layers


def in_use(comparators: list[tuple[int, int]], outputs: set[int]) -> list[set[int]]:
    """For each comparator, those of its outputs that these wires need at the end."""
    used, parts = set(outputs), []
    for pair in reversed(comparators):
        parts.append(used.intersection(pair))
        used |= set(pair) if parts[-1] else set()
    return parts[::-1]
