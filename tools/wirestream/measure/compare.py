"""Compare the area of our circuits with the papers' algorithms, transcribed literally and synthesised by the same
command. The papers' own figures are listed too, marked as such."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from wirestream.arguments import Parser
from wirestream.design import Design, build_dir, resolve
from wirestream.measure.synth import Measurement, SynthesisFailure, as_json, measure, positive, seeds_from_environment

SLIDE = SLACK = 60  # seconds, as in the WID paper's evaluation
SPEED = 8


@dataclass(frozen=True)
class Paper:
    """The paper's figures for one size: Virtex-6 XC6VLX240T-1, ISE 14.4, after place and route."""

    lut: int
    ff: int
    mhz: int


WID_PAPER = {  # by the number of windows; its table II
    11: Paper(1764, 1855, 160),
    21: Paper(3342, 3442, 157),
    31: Paper(5011, 4975, 157),
    41: Paper(6615, 6453, 158),
    51: Paper(7844, 8095, 157),
    61: Paper(9241, 9594, 157),
}
WID_COMPARED = (11, 61)


def wid_designs(windows: int, agg_w: int) -> tuple[Design, Design]:
    """The literal transcription and ours, for `windows` open windows and counts of `agg_w` bits."""
    common = {"RANGE": windows * SLIDE - SLACK, "SLIDE": SLIDE, "AGG_W": agg_w}
    literal = resolve("wid_literal").with_parameters(**common, N_WIN=windows)
    return literal, resolve("wid_ours").with_parameters(**common, SLACK=SLACK)


def wid(seeds: int, pnr: bool) -> list[tuple[int, int, Measurement, Measurement]]:
    """(windows, width of the counts, literal, ours) for every size of the comparison."""
    return [
        (windows, agg_w, *(measure(design, seeds, pnr) for design in wid_designs(windows, agg_w)))
        for windows in WID_COMPARED
        for agg_w in (32, 64)
    ]


def show(rows: list[tuple[int, int, Measurement, Measurement]], console: Console) -> None:
    table = Table(title="WID query circuit: COUNT, selection included", title_justify="left", box=None, pad_edge=False)
    for heading in ("windows", "count", "circuit"):
        table.add_column(heading)
    for heading in ("Virtex-6 LUT", "FF", "7-series LUT", "FF", "ECP5 COMB", "FF", f"ECP5 MHz (speed {SPEED})"):
        table.add_column(heading, justify="right")
    for windows, agg_w, literal, ours in rows:
        size = (str(windows), f"{agg_w} bit")
        for name, m in (("literal", literal), ("ours", ours)):
            table.add_row(*size, name, *cells(m), rate(m))
            size = ("", "")
        ratios = [b / a for a, b in zip(numbers(literal), numbers(ours), strict=True)]
        table.add_row("", "", "ours / literal", *(f"{ratio:.2f}" for ratio in ratios), style="bold")
        if agg_w == 32:
            paper = WID_PAPER[windows]
            figures = (str(paper.lut), str(paper.ff), "", "", "", "", f"({paper.mhz} on Virtex-6)")
            table.add_row("", "", "paper, by ISE *", *figures, style="dim")
        table.add_section()
    console.print(table)
    console.print("* Xilinx ISE 14.4, XC6VLX240T-1, after place and route: another tool, no like-for-like comparison.")
    console.print("  LUT: with inverters and the LUTs that pass a signal to a carry chain, as ISE counts them.")
    console.print("  Latency 4 cycles (literal and paper), 2 (ours); issue rate 1. Ours also flags overflow.")


def numbers(m: Measurement) -> list[float]:
    """LUT and FF of both families, COMB and FF of the ECP5, and the median clock rate if measured.

    LUTs are counted as a vendor's tool does: with inverters and with those in front of carry chains.
    """
    families = [m.cells[family] for family in ("xc6v", "xc7")]
    xilinx = [n for c in families for n in (c.lut + c.inv + c.through, c.ff)]
    placed = [m.ecp5["TRELLIS_COMB"], m.ecp5["TRELLIS_FF"]]
    return [*xilinx, *placed, *([m.timing[SPEED].median] if m.timing else [])]


def cells(m: Measurement) -> list[str]:
    return [str(n) for n in numbers(m)[:6]]


def rate(m: Measurement) -> str:
    if not m.timing:
        return "-"
    low, high = m.timing[SPEED].range
    return f"{m.timing[SPEED].median:.0f} ({low:.0f}-{high:.0f})"


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wirestream.measure.compare", description=__doc__)
    parser.add_argument("what", choices=["wid"], help="wid: the window aggregate of the Window-ID paper")
    parser.add_argument(
        "--seeds", type=positive, default=seeds_from_environment(), help="place-and-route runs (default: 5)"
    )
    parser.add_argument("--no-pnr", action="store_true", help="count cells only, without place and route")
    chosen = parser.parse_args(arguments)
    try:
        rows = wid(chosen.seeds, not chosen.no_pnr)
    except SynthesisFailure as failure:
        print(failure, file=sys.stderr)
        return 1
    result = [
        {"windows": n, "agg_w": w, "literal": as_json(a), "ours": as_json(b), "paper": vars(WID_PAPER[n])}
        for n, w, a, b in rows
    ]
    (build_dir() / "synth" / "compare.wid.json").write_text(json.dumps(result, indent=2) + "\n")
    show(rows, Console(width=max(140, Console().width)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
