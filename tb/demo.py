"""`make demo`: trades with 60 s of disorder through the simulated trades_q3, beside the same query in PySpark."""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from spark_golden.q3 import q3
from tb.lib.bulk.bulk import BulkFailure
from tb.lib.golden import UBSN, Case, Golden, Trades, compute, load
from tb.lib.model import Punctuator
from tb.lib.trades_q3 import Q3Run, bench, datagrams, play_items
from wirestream.counters import HARMLESS
from wirestream.design import BUILD

CLOCK_NS = 8
MAX_AHEAD = 3600  # seconds; a trade further ahead of the watermark is not believed
FOLDER = BUILD / "demo"
QUERY = """SELECT Time, count(*) AS Number
FROM Trades \\[RANGE 600 seconds SLIDE 60 seconds WATTR Time SLACK 60 seconds]
WHERE Symbol = "UBSN\""""

console = Console(highlight=False)


@contextmanager
def step(text: str):
    """Show what is being done, and afterwards how long it took."""
    began = time.monotonic()
    with console.status(text):
        yield
    console.print(f"[green]✓[/] {text} [dim]{time.monotonic() - began:.1f} s[/]")


@contextmanager
def quiet(log: Path):
    """What the Java machine of Spark says goes to a file; Python's own errors do not."""
    log.parent.mkdir(parents=True, exist_ok=True)
    kept = os.dup(2)
    with log.open("w") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def main() -> int:
    options = arguments()
    stream = Trades(
        options.trades,
        seed=options.seed,
        rate=options.rate,
        disorder=60,
        late=options.trades // 125,
        absurd=options.trades // 500,
    )
    case = Case("demo", q3(max_ahead=MAX_AHEAD), stream)
    console.print(f"[bold]{QUERY}[/]\n", markup=True)
    with step("building the simulator of trades_q3 from its Verilog"):
        design = bench(MAX_AHEAD=MAX_AHEAD)
    with step(f"computing the expected rows of {options.trades:,} trades with PySpark"):
        with quiet(FOLDER / "spark.log"):
            compute([case])
        golden = load(case.folder)
    with step("sending the trades as UDP frames at line rate, receiving the results"):
        run = play_items(design, golden.items, FOLDER, options.per_datagram)
    equal = show_windows(run, golden, options.all)
    show_traffic(run, golden)
    show_latency(run, golden, options.per_datagram)
    picture = FOLDER / "demo.png"
    draw(run, golden, picture)
    console.print(f"\npicture   {shown(picture)}\npackets   {shown(FOLDER / 'in.pcap')} → {shown(FOLDER / 'out.pcap')}")
    if equal:
        console.print(f"\n[bold green]EQUAL[/] all {len(golden.rows)} rows of the circuit are those of PySpark")
    else:
        console.print("\n[bold red]DIFFERENT[/] the circuit and PySpark disagree")
    return 0 if equal else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--trades", type=int, default=5_000, help="how many trades (default 5,000)")
    parser.add_argument("--seed", type=int, default=3, help="of the trade generator (default 3)")
    parser.add_argument("--rate", type=float, default=2.0, help="trades per second of stream time (default 2)")
    parser.add_argument("--per-datagram", type=int, default=50, help="trades in a datagram, 1 to 91 (default 50)")
    parser.add_argument("--all", action="store_true", help="show every window, not only the first and last")
    options = parser.parse_args()
    if options.trades < 1 or options.rate <= 0 or not 1 <= options.per_datagram <= 91:
        parser.error("--trades at least 1, --rate above 0, --per-datagram from 1 to 91")
    return options


def shown(path: Path) -> str:
    return str(path.relative_to(BUILD.parent))


def clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def show_windows(run: Q3Run, golden: Golden, everything: bool) -> bool:
    """The table of windows; True if both sides have the same rows in the same order."""
    hardware = [row for session in run.rows for row in session]
    spark = [(end, number) for _, end, number, _ in golden.rows]
    table = Table(
        "window's end", "circuit", "PySpark", "", title="UBSN trades in the 10 minutes before", title_justify="left"
    )
    ends = sorted({end for end, _ in hardware} | {end for end, _ in spark})
    by_end = dict(hardware), dict(spark)
    for place, end in enumerate(ends):
        counts = [numbers.get(end) for numbers in by_end]
        same = counts[0] == counts[1]
        if everything or not same or place < 8 or place >= len(ends) - 4:
            cells = ["-" if count is None else str(count) for count in counts]
            table.add_row(clock(end), *cells, "[green]=[/]" if same else "[bold red]≠[/]")
        elif place == 8:
            table.add_row("…", "…", "…", f"[dim]{len(ends) - 12} more[/]")
    console.print()
    console.print(table)
    return hardware == spark


def show_traffic(run: Q3Run, golden: Golden) -> None:
    """Frames and tuples in and out, and every counter of a drop or fault."""
    counters, cycles = run.counters, int(run.result.sent_log["last"][-1] - run.result.sent_log["first"][0]) + 1
    seconds = cycles * CLOCK_NS * 1e-9
    console.print(
        f"\nin   {counters['mac_rx_good']:,} frames, {counters['tuple_rx_tuple']:,} trades"
        f" in {seconds * 1e3:.2f} ms of the wire: {counters['tuple_rx_tuple'] / seconds / 1e6:.1f} M trades/s"
        f"\nout  {counters['mac_tx_good']:,} frames, {counters['query_row']:,} rows"
        f"\n     simulated at {run.result.cycles_per_second / 1e6:.1f} M cycles/s"
    )
    drops = Table("drops and faults", "", box=None, padding=(0, 3, 0, 0))
    losses = {name: count for name, count in counters.items() if name not in HARMLESS}
    for name, count in losses.items():
        if count:
            drops.add_row(name, f"[bold]{count:,}[/]")
    drops.add_row(f"[dim]the other {sum(not count for count in losses.values())}[/]", "[dim]0[/]")
    console.print()
    console.print(drops)
    console.print(
        f"[dim]PySpark calls {golden.summary['late']} trades late and {golden.summary['ahead']} too far ahead[/]"
    )


def show_latency(run: Q3Run, golden: Golden, per_datagram: int) -> None:
    if not golden.rows or len(golden.rows) != sum(map(len, run.rows)):
        return
    carrier = datagrams(golden.items, per_datagram)[1]
    cycles = run.latencies(carrier[[row[3] for row in golden.rows]])

    def both(cycles: int) -> str:
        return f"{cycles:>5} cycles = {cycles * CLOCK_NS / 1e3:.2f} µs"

    console.print(
        "\nlatency   last octet of the frame with the closing trade in\n"
        "          → first octet of the frame with the row out, at 125 MHz\n"
        f"          least  {both(int(cycles.min()))}\n"
        f"          median {both(int(np.median(cycles)))}\n"
        f"          most   {both(int(cycles.max()))}\n"
        "          [dim]A datagram is unpacked once its checksums are good, 16 cycles a trade.[/]"
    )


def draw(run: Q3Run, golden: Golden, path: Path) -> None:
    """Windows and their counts above, trades and the watermark in order of arrival below."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    query = q3(max_ahead=MAX_AHEAD)
    punctuator = Punctuator(query.range, query.slide, query.slack, max_ahead=query.max_ahead)
    times = golden.items["Time"].astype(np.int64)
    watermark, fate = np.zeros(len(times), np.int64), []
    for index, time_ in enumerate(times):
        fate.append(punctuator.take(0, int(time_))[-1].name)
        watermark[index] = punctuator.watermark
    fate = np.array(fate)
    hours = matplotlib.ticker.FuncFormatter(lambda seconds, _: clock(int(seconds))[:5])
    tick = max(60, int(np.ptp(times[fate == "tuple"])) // 8 // 60 * 60)

    figure, (counts, arrivals) = plt.subplots(2, 1, figsize=(10, 8), layout="constrained")
    hardware = [row for session in run.rows for row in session]
    counts.bar(*zip(*hardware, strict=True), width=50, color="#8fb8de", label="circuit") if hardware else None
    counts.plot([r[1] for r in golden.rows], [r[2] for r in golden.rows], "k_", markersize=9, label="PySpark")
    counts.set(title="UBSN trades of the last 10 minutes", xlabel="window's end", ylabel="trades")
    counts.xaxis.set_major_formatter(hours)
    counts.xaxis.set_major_locator(matplotlib.ticker.MultipleLocator(tick))
    counts.legend(loc="lower right")

    position = np.arange(len(times))
    for name, kept, style in (
        ("other trades", (fate == "tuple") & (golden.items["Symbol"] != UBSN), {"color": "#cccccc", "s": 2}),
        ("UBSN", (fate == "tuple") & (golden.items["Symbol"] == UBSN), {"color": "#2b6cb0", "s": 3}),
        ("late: dropped", fate == "late", {"color": "#d1495b", "s": 14, "marker": "x"}),
    ):
        arrivals.scatter(position[kept], times[kept], label=name, **style)
    arrivals.plot(position, watermark, "k", linewidth=1, label="watermark")
    top, bottom = times[fate == "tuple"].max(), times[fate != "ahead"].min()
    arrivals.plot(position[fate == "ahead"], np.full((fate == "ahead").sum(), top + 150), "v", color="#d1495b",
                  label="too far ahead: dropped (off the scale)")  # fmt: skip
    arrivals.set(
        title="Trades as they arrive", xlabel="order of arrival", ylabel="Time", ylim=(bottom - 100, top + 300)
    )
    arrivals.yaxis.set_major_formatter(hours)
    arrivals.yaxis.set_major_locator(matplotlib.ticker.MultipleLocator(tick))
    arrivals.legend(loc="lower right", markerscale=2)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BulkFailure as failure:
        sys.exit(f"demo: {failure}")
