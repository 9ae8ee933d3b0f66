"""The comparators of an elaborated ws_sort_network, and the fewest that are known."""

from __future__ import annotations

import json
from pathlib import Path

from tb import BUILD
from tb.lib.run import design
from wirestream.compiler.sorting_networks import Layer, Pair, comparators, network
from wirestream.measure.yosys import read, yosys

# The fewest comparators known for 1 to 32 wires: Knuth, The Art of Computer Programming 3, section 5.3.4, to 16 wires;
# for more, Networks/Sorters of B. Dobbelaere's SorterHunter. No network of up to 12 wires can have fewer.
FEWEST = [0, 1, 3, 5, 9, 12, 16, 19, 25, 29, 35, 39, 45, 51, 56, 60]
FEWEST += [71, 77, 85, 91, 99, 106, 114, 120, 130, 138, 147, 155, 164, 172, 180, 185]


def elaborated(n: int, kind: str) -> list[Pair]:
    """The comparators of ws_sort_network as Yosys elaborates it, in an order in which each follows those before it."""
    sorter = design("sort_network").with_parameters(N=n, KIND=kind, KEY_W=1, CIRCUIT="COMBINATIONAL")
    folder: Path = BUILD / "networks" / sorter.label
    script = [*read(sorter), "proc", "setattr -mod -set keep_hierarchy 1 *ws_comparator*", "flatten", "opt_clean"]
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


def markdown() -> str:
    """The sizes of the tables next to the fewest comparators known, for docs/sorting.md."""
    rows = []
    for wires in (range(2, 12), range(12, 22), range(22, 33)):
        rows += ["| N | " + " | ".join(map(str, wires)) + " |", "|---|" + "--:|" * len(wires)]
        rows.append("| comparators | " + " | ".join(str(len(comparators("BEST", n))) for n in wires) + " |")
        rows.append("| fewest known | " + " | ".join(str(FEWEST[n - 1]) for n in wires) + " |")
        rows += ["| layers | " + " | ".join(str(len(network("BEST", n))) for n in wires) + " |", ""]
    return "\n".join(rows)


def earliest(pairs: list[Pair]) -> list[Layer]:
    """The same comparators in as few layers as possible; equal for networks that differ in their order alone."""
    free: dict[int, int] = {}
    layers: list[Layer] = []
    for pair in pairs:
        at = max(free.get(wire, 0) for wire in pair)
        free |= dict.fromkeys(pair, at + 1)
        layers += [[]] * (at == len(layers))
        layers[at] = sorted([*layers[at], pair])
    return layers
