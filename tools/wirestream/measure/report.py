"""Sweep our circuits over the sizes of the papers' figures and draw these figures with our curves: docs/report.md.

Measured points are kept in build/report and reused as long as their sources, their parameters and the tools are the
same. With --quick or --figure the page and its pictures go to build/report too.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from wirestream.arguments import Parser
from wirestream.measure.compare import SPEED
from wirestream.measure.curves import PRECISE, QUANTITIES, Numbers, Sweep
from wirestream.measure.drawing import draw
from wirestream.measure.points import measure, measured, tools
from wirestream.measure.sweeps import SWEEPS
from wirestream.measure.synth import PROCESSES, SynthesisFailure, positive

HEAD = """\
# The papers' figures, with our curves

Written by `make report`; do not edit. Tools: {tools}.

- Cells are those of a Virtex-6, as in most papers. LUTs include inverters, LUTs that pass a signal to a carry chain,
  and LUTs used as memory ([testing.md](testing.md#measuring)).
- Clocks are after place and route: the papers' on a Virtex-6, of sorting networks on a Virtex-5; all others on an
  ECP5-85 at speed {speed}, {seeds}. All circuits except the joins take a tuple a cycle.
- Differences below 10% count as equal.
"""


def table(sweep: Sweep, quantity: str, found: dict[str, Numbers]) -> list[str]:
    """The numbers and their ratios, one line for each size; clocks of different devices have no ratio."""
    columns = {c.name: found[c.name][quantity] for c in sweep.curves if quantity in found[c.name]}
    if not columns:
        return []
    for ours, theirs in sweep.ratios:
        if {ours, theirs} <= columns.keys() and (quantity != "mhz" or "paper" not in (ours, theirs)):
            both = [size for size, number in columns[theirs].items() if number and size in columns[ours]]
            columns[f"{ours} / {theirs}"] = {size: columns[ours][size] / columns[theirs][size] for size in both}
    rows = [[sweep.axis, *columns], ["---:"] * (1 + len(columns))]
    digits = 3 if quantity in PRECISE else 2
    rows += [[str(size), *(shown(column.get(size), digits) for column in columns.values())] for size in sweep.sizes]
    return [f"\n**{QUANTITIES[quantity]}**\n", *(f"| {' | '.join(row)} |" for row in rows)]


def shown(number: float | None, digits: int = 2) -> str:
    if number is None:
        return ""
    return f"{number:.0f}" if number >= 100 or number == int(number) else f"{number:.{digits}g}"


def page(sweeps: dict[str, Sweep], found: dict[str, dict[str, Numbers]], seeds: int) -> str:
    runs = f"the median of {seeds} seeds" if seeds > 1 else "one seed"
    parts = [HEAD.format(tools=tools(), speed=SPEED, seeds=runs).rstrip()]
    for name, sweep in sweeps.items():
        parts += [f"\n## {sweep.title}\n", sweep.text.rstrip()]
        for picture, shows in sweep.pictures.items():
            parts.append(f"\n![{'; '.join(QUANTITIES[q] for q in shows)}](report/{picture}.svg)")
            parts += [line for quantity in shows for line in table(sweep, quantity, found[name])]
    return "\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wirestream.measure.report", description=__doc__)
    parser.add_argument("--figure", choices=SWEEPS, help="the figures of one paper instead of all")
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="folder for all figures (default: report in the build folder)"
    )
    parser.add_argument("--quick", action="store_true", help="two sizes of each curve, cells only")
    parser.add_argument(
        "--seeds", type=positive, default=1, help="place-and-route runs for each clock rate (default: %(default)s)"
    )
    parser.add_argument(
        "--jobs", type=positive, default=PROCESSES, help="tools that run in parallel (default: %(default)s)"
    )
    chosen = parser.parse_args(arguments)
    sweeps = {chosen.figure: SWEEPS[chosen.figure]} if chosen.figure else SWEEPS
    if chosen.quick:
        sweeps = {name: replace(sweep, sizes=sweep.sizes[:2], timed=()) for name, sweep in sweeps.items()}
    try:
        found = {name: measure(sweep, chosen.seeds, chosen.jobs) for name, sweep in sweeps.items()}
    except SynthesisFailure as failure:
        print(failure, file=sys.stderr)
        return 1
    output = measured() if chosen.quick or chosen.figure else chosen.output or measured()
    (output / "report").mkdir(parents=True, exist_ok=True)
    for name, sweep in sweeps.items():
        for picture, shows in sweep.pictures.items():
            draw(sweep, shows, found[name], output / "report" / f"{picture}.svg")
    (output / "report.md").write_text(page(sweeps, found, chosen.seeds))
    print(output / "report.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
