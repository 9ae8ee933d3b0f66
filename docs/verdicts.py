"""The compiler's verdicts compared with synthesis: `python -m docs.verdicts --measure` writes verdicts.yml anew.

The file has what Yosys maps each query to on both kinds of chips, as `make synth` counts it without place and route.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml

from tb import REPOSITORY
from wirestream.compiler.chips import CHIPS, NETWORK, Chip, Use, taken
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.size import total
from wirestream.design import build_dir
from wirestream.measure import synth
from wirestream.schema.streams import shipped

QUERIES = REPOSITORY / "fusesoc" / "queries"
DATA = REPOSITORY / "docs" / "verdicts.yml"
HEAD = "# What Yosys maps queries to, by the inputs of a LUT; written by `python -m docs.verdicts --measure`.\n"
BOARD = "trades_q3"  # the design of a board with the query q3, also in the file
KINDS = {4: "ECP5", 6: "7-series"}
RESOURCES = {"lut": "LUT", "ff": "FF", "rams": "RAM"}
WITHIN = 0.15
SMALL = 0.003  # of the smallest chip: a difference that a verdict hardly shows


@dataclass(frozen=True)
class Comparison:
    """A query on one kind of chip."""

    name: str
    lut_inputs: int
    estimate: Use
    made: Use

    @property
    def chips(self) -> list[Chip]:
        return [chip for chip in CHIPS.values() if chip.lut_inputs == self.lut_inputs]

    def within(self, resource: str) -> bool:
        estimate, made, has = (getattr(use, resource) for use in (self.estimate, self.made, self.chips[0].has))
        return abs(estimate - made) <= max(WITHIN * made, SMALL * has)

    def fits(self, use: Use) -> list[str]:
        """The chips that hold a use with the network."""
        whole = use + NETWORK[self.lut_inputs]
        return [chip.name for chip in self.chips if max(chip.shares(whole).values()) <= 1]


def estimated(name: str) -> dict[int, Use]:
    """What the compiler estimates for a shipped query, by the inputs of a LUT."""
    cells = total(compile_queries((QUERIES / f"{name}.sql").read_text(), shipped(), name).circuit)
    return {inputs: taken(cells, inputs) for inputs in KINDS}


def measured(name: str) -> dict[int, Use]:
    """What Yosys maps it to, or the design of a board."""
    design = synth.of_core(BOARD, {}) if name == BOARD else synth.of_query(str(QUERIES / f"{name}.sql"))
    folder = build_dir() / "synth" / f"verdict_{name}"
    ecp5, xilinx = synth.map_ecp5(design, folder).cells, synth.map_xilinx(design, folder, "xc7")
    return {
        4: Use(ecp5["TRELLIS_COMB"], ecp5["TRELLIS_FF"], ecp5["DP16KD"], ecp5["MULT18X18D"]),
        6: Use(xilinx.luts, xilinx.ff, int(2 * xilinx.bram), xilinx.other.get("DSP48E1", 0)),
    }


def entries(path: Path = DATA) -> dict[str, dict[int, Use]]:
    """The contents of the file."""
    return {name: {n: Use(**use) for n, use in uses.items()} for name, uses in yaml.safe_load(path.read_text()).items()}


def write(found: dict[str, dict[int, Use]], path: Path = DATA) -> None:
    texts = (yaml.dump({name: {n: asdict(u) for n, u in found[name].items()}}, sort_keys=False) for name in found)
    path.write_text("\n".join([HEAD, *texts]))


def queries() -> list[str]:
    return [name for name in entries() if name != BOARD]


def comparisons() -> Iterator[Comparison]:
    """Every query of the file on both kinds of chips."""
    found = entries()
    for name in queries():
        uses, now = found[name], estimated(name)
        for inputs, made in uses.items():
            yield Comparison(name, inputs, now[inputs], made)


def network() -> dict[int, Use]:
    """What the design of a board takes, less what is estimated for its query."""
    board, query = entries()[BOARD], estimated("q3")
    return {n: board[n] - query[n] for n in KINDS}


def markdown() -> str:
    """The table of the page: each resource estimated and as made, and the smallest chip that holds the query."""
    heads = ["shipped query", "chips", *RESOURCES.values(), "smallest chip"]
    rows = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for one in comparisons():
        pairs = (f"{getattr(one.estimate, r):.0f} / {getattr(one.made, r):.0f}" for r in RESOURCES)
        smallest = next(iter(one.fits(one.estimate)), "none")
        rows.append(f"| `{one.name}` | {KINDS[one.lut_inputs]} | {' | '.join(pairs)} | {smallest} |")
    return "\n".join(rows) + "\n"


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m docs.verdicts", description=__doc__.split("\n")[0])
    parser.add_argument("--measure", nargs="*", metavar="QUERY", help="map these queries (default: all) again")
    chosen = parser.parse_args(argv).measure
    if chosen is not None:
        found = entries()
        for name in chosen or found:
            found[name] = measured(name)
            write(dict(sorted(found.items())))
    print(markdown(), end="")


if __name__ == "__main__":
    main()
