"""Print a hash of each core's netlist, by which a change of its Verilog that must change no hardware is checked.

The netlist is the flat one of Yosys before it is mapped to cells of a device, at the core's default parameters. It is
canonical: places in the source and the numbers of what Yosys names itself do not enter the hash. Run the command before
and after the change, each in its checkout, and compare the lines.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence

from wirestream.design import Design, build_dir, resolve
from wirestream.measure.cores import cores
from wirestream.measure.netlist import Module
from wirestream.measure.yosys import YosysFailure, read, yosys

Bit = int | str  # of a net: its number, or a constant
ROUNDS = 16
PASSES = ("proc", "flatten", "opt -full", "memory_collect", "opt_clean -purge")


def digest(*what: object) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]


def canonical(module: Module) -> dict[str, list]:
    """Ports, nets and cells of a module of Yosys' JSON, whatever their order, numbers and places in the source.

    Every bit is called by a hash of the nets and ports in the source that it belongs to, and of the cell that drives
    it, which has a hash of its parameters and inputs: after `ROUNDS` rounds a hash depends on all cells so far away.
    """
    names: dict[Bit, list] = defaultdict(list)
    for kind in ("ports", "netnames"):
        for name, net in module[kind].items():
            if "$" not in name:  # else it is Yosys' name, or of a call of a function, with the line
                for index, bit in enumerate(net["bits"]):
                    names[bit].append((kind, name, index, net.get("direction"), kept(net)))
    cells = {
        name: (
            "" if "$" in name else name,
            cell["type"],
            {key: value for key, value in cell["parameters"].items() if key != "MEMID" or "$" not in value},
            kept(cell),
        )
        for name, cell in module["cells"].items()
    }
    drivers = {
        bit: (name, pin, index)
        for name, cell in module["cells"].items()
        for pin, bits in cell["connections"].items()
        if cell["port_directions"][pin] == "output"
        for index, bit in enumerate(bits)
    }
    first = {bit: digest(sorted(names[bit], key=str)) for bit in {*names, *drivers} if isinstance(bit, int)}
    labels = dict(first)

    def connected(name: str, *directions: str) -> dict[str, list]:
        cell = module["cells"][name]
        pins = {pin: bits for pin, bits in cell["connections"].items() if cell["port_directions"][pin] in directions}
        return {
            pin: [labels.get(bit, bit if isinstance(bit, str) else "") for bit in bits] for pin, bits in pins.items()
        }

    for _ in range(ROUNDS):
        hashes = {name: digest(cell, connected(name, "input", "inout")) for name, cell in cells.items()}
        labels = {
            bit: digest(first[bit], *((hashes[driver[0]], *driver[1:]) if (driver := drivers.get(bit)) else ()))
            for bit in first
        }
    return {
        "cells": sorted(digest(cell, connected(name, "input", "output", "inout")) for name, cell in cells.items()),
        "bits": sorted(labels.values()),
    }


def kept(thing: dict) -> dict:
    """The attributes but those that say where in the source it is."""
    return {name: value for name, value in thing.get("attributes", {}).items() if name != "src"}


def fingerprint(design: Design) -> str:
    """The hash of the netlist of `design`, in hexadecimal; raises YosysFailure."""
    folder = build_dir() / "fingerprint" / design.label
    yosys([*read(design), *PASSES, "write_json netlist.json"], folder, "netlist")
    (module,) = json.loads((folder / "netlist.json").read_text())["modules"].values()
    return digest(canonical(module))


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m wirestream.measure.fingerprint", description=__doc__)
    parser.add_argument("core", nargs="*", help="default: every core")
    failed = False
    for name in parser.parse_args(argv).core or [core.name for core in cores()]:
        try:
            print(fingerprint(resolve(name)), name, flush=True)
        except YosysFailure as failure:
            print("-" * 16, name, failure, flush=True)
            failed = True
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
