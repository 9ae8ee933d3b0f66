"""`make demo`: compile queries, simulate their circuit from frame to frame, and compare its rows with Spark's.

`make demo QUERY=vwap.sql` runs any query, on a stream of fusesoc/streams or on one that it declares. For a stream of
messages, the demo sends those of send_orders.py, with losses on the lines of a feed, and PySpark parses them. With
`ATTACH=host` the circuit is a device of this machine: tuples from memory by DMA, rows to memory.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from spark_golden import CACHE, NEEDED
from tb import BUILD
from tb.host import demo as attached
from tb.lib.golden import TUPLE
from tb.lib.model import Punctuator
from tb.queries.ethernet import Board, Run
from tb.queries.streams import data
from wirestream.arguments import Parser, UsageError, name_and_value, text_of
from wirestream.compiler.circuit import Result
from wirestream.compiler.command import show
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.drawing import draw
from wirestream.compiler.planner import CAPACITY
from wirestream.compiler.syntax import Window
from wirestream.errors import QueryFileError, locate_errors
from wirestream.host import orders, trades
from wirestream.host.trouble import Trouble
from wirestream.record.arrival import Arrival
from wirestream.record.comparison import ENOUGH, STYLES, Comparison, Exit, judged, write_differences
from wirestream.record.invented import IN_A_GAP, IN_A_WINDOW, invented
from wirestream.record.oracle import expected
from wirestream.record.own import add_options, own_data
from wirestream.record.rows import Row
from wirestream.schema.counters import harmless, taken
from wirestream.schema.packets import DEVICE, Blocks, frames, interleaved, most_in_datagram
from wirestream.schema.streams import Stream, shipped
from wirestream.sim.bulk import BulkFailure
from wirestream.sim.verilate import locked

CLOCK_NS = 8
WITH_PORT, AS_DEVICE = "with a gigabit Ethernet port", "as a device of this machine"
FOLDER = BUILD / "demo"
QUERY = Path(__file__).with_suffix(".sql")
HEAD, TAIL, WRONG = 8, 4, 20  # rows shown: the first and last of all, and the first that differ
SLOW = "0.5:10000"  # pauses after frames, in cycles

console = Console(highlight=False)


@contextmanager
def step(text: str):
    """Show a step of the demo while it runs, and then its duration."""
    began = time.monotonic()
    with console.status(text):
        yield
    console.print(f"[green]✓[/] {text} [dim]{time.monotonic() - began:.1f} s[/]")


def main() -> int:
    options = arguments()
    if not find_spec("pyspark"):
        raise ValueError(NEEDED)
    os.environ.setdefault(CACHE, str(BUILD))
    with ExitStack() as held:
        with console.status("waiting for another demo in this checkout"):
            held.enter_context(locked(FOLDER))
        return demo(options)


def demo(options: argparse.Namespace) -> int:
    sql = options.sql
    for earlier in FOLDER.glob("*_differences.csv"):
        earlier.unlink()
    console.print(f"[bold]{escape(sql.strip())}[/]\n")
    with locate_errors([(options.query, sql)]):
        built = compile_queries(sql, shipped(), options.query.stem, capacity=options.groups)
    constants = dict(options.set)
    if missing := built.circuit.runtime.keys() - constants.keys():
        name = min(missing)
        raise UsageError(f"{options.query}: ${name} has no value; make demo … ARGS='--set {name}=…'")
    show(built)
    console.print()
    names = " and of ".join(dict.fromkeys(entry.stream.schema.name for entry in built.circuit.entries))
    origin = built.circuit.entries[0].stream.origin
    messages = origin is not None and not options.data
    if options.attach == "host" and origin and origin.framing:
        raise UsageError("the lines of a feed are those of a network; leave out ATTACH=host")
    how = "generating messages and parsing them with PySpark into" if messages else "generating"
    with step(f"{'reading' if options.data else how} tuples of {names}"):
        traffic = (of_messages if messages else of_tuples)(built, sql, options)
    by_host = options.attach == "host"
    with step(f"building the simulator of the circuit {AS_DEVICE if by_host else WITH_PORT}"):
        board = (attached.built if by_host else Board.of)(built, FOLDER / "circuit", constants)
    with step("computing the expected rows with PySpark"):
        wanted, replaced = expected(sql, traffic.tuples, traffic.places, constants, FOLDER)
    if by_host:
        with step("sending the tuples from memory by DMA, taking the rows from the ring"):
            run = attached.play(board, traffic.frames, FOLDER, constants)
    else:
        run = by_network(board, traffic)
    rows = [run.rows(number, host=True) for number in range(len(wanted))]
    results = list(zip(built.circuit.results, rows, wanted, strict=True))
    for result, rows, golden in results:
        show_rows(result.name, rows, golden, options.all)
    compared = [compare(built, run, *one) for one in results]
    for line in replaced:
        console.print(f"[dim]for Spark: {escape(line)}[/]")
    for number, spill in enumerate(built.circuit.spills):
        if lost := np.count_nonzero(~run.overflow(number)["punct"]):
            console.print(f"{lost:,} tuples of groups that did not fit left as stream {spill.schema.stream_id:#x}")
    if by_host:
        show_bursts(run)
    else:
        show_traffic(run)
    show_drops(run.counters)
    pictures = [FOLDER / "circuit.svg"]
    pictures[0].write_text(draw(built.circuit))
    shown_one = next(((r, rows, golden) for r, rows, golden in results if r.entry.window), None)
    if shown_one:
        result, rows, golden = shown_one
        records = traffic.tuples[result.entry.stream]
        if len(results) == 1 and not result.entry.stream.origin and not by_host:
            show_latency(run, result, rows, records, options.per_datagram)
        if plot(result, rows, records, golden, FOLDER / "demo.png"):
            pictures.append(FOLDER / "demo.png")
    console.print(f"\npicture   {', '.join(map(shown, pictures))}")
    if by_host:
        console.print(f"rows      {shown(attached.log_of(FOLDER))}, a log that Spark reads")
    else:
        console.print(f"packets   {shown(FOLDER / 'in.pcap')} → {shown(FOLDER / 'out.pcap')}")
    for one in compared:
        if one.missing or one.wrong:
            write_differences(one, path := FOLDER / f"{one.name}_differences.csv")
            console.print(f"all rows that differ are in {shown(path)}")
    status, lines = judged(compared, run.counters)
    for line in ["", *lines]:
        console.print(escape(line), style=STYLES[status])
    if status == Exit.EQUAL and (why := weakness(results, traffic, options)):
        console.print(f"[yellow]a weak check[/]: {why}")
    return status


def by_network(board: Board, traffic: Traffic) -> Run:
    with step("sending the tuples as UDP frames at line rate, receiving the rows"):
        run = play(board, traffic)
    if lost := run.counters["udp_rx_full"]:
        console.print(f"[dim]the rows need more bandwidth than the tuples: {lost} frames were dropped and counted[/]")
        with step("sending the tuples again with pauses between the frames"):
            run = play(board, traffic, gaps=SLOW)
    return run


def compare(
    built: Compiled, run: Run | attached.HostRun, result: Result, rows: list[Row], golden: list[Row]
) -> Comparison:
    spilled = [run.overflow(built.circuit.spills.index(spill)) for spill in result.spills]
    return Comparison.of(result, rows, golden, [records[~records["punct"]] for records in spilled])


def weakness(results: list[tuple[Result, list[Row], list[Row]]], traffic: Traffic, options: argparse.Namespace) -> str:
    """Why a comparison of few rows shows little, and what to do; empty if it has enough."""
    if (total := sum(len(rows) for _, rows, _ in results)) >= ENOUGH:
        return ""
    more = (
        "more of your data" if options.data else f'ARGS="--tuples {10 * options.tuples}", or DATA= with your own tuples'
    )
    result = results[0][0]
    records, window = traffic.tuples[result.entry.stream], result.entry.window
    if window and window.in_time and not window.session and len(records):
        marks, _ = watermarks(window, records)
        if (closed := (int(marks.max()) - int(marks[0])) // window.advance) < ENOUGH:
            windows = f"{closed} window{'s' * (closed != 1)}"
            return f"{total} rows, as the times of the tuples close only {windows}; try {more}"
    return f"{total} rows, as few tuples satisfy the conditions of the query; try {more}"


def arguments() -> argparse.Namespace:
    parser = Parser(prog="make demo", description=__doc__)
    parser.add_argument("query", type=Path, nargs="?", default=QUERY, help="a file with a query")
    parser.add_argument("--tuples", type=int, default=5_000, help="number of tuples or messages (default 5,000)")
    parser.add_argument("--seed", type=int, default=3, help="seed of the generator (default 3)")
    parser.add_argument(
        "--per-datagram", type=int, default=20, help="tuples or messages per datagram, at most (default 20)"
    )
    parser.add_argument(
        "--set", type=name_and_value, action="append", default=[], metavar="NAME=VALUE", help="value of a $constant"
    )
    parser.add_argument(
        "--groups", type=int, default=CAPACITY, help="groups that fit a GROUP BY (default: %(default)d)"
    )
    parser.add_argument(
        *("--attach",), choices=("ethernet", "host"), default="ethernet",
        help="the circuit's rows: over a gigabit Ethernet port, or by DMA (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--all", action="store_true", help="show all rows, not only the first and last")
    add_options(parser)
    options = parser.parse_args()
    if not options.query.is_file():
        named = Path("fusesoc", "queries", f"{options.query.stem}.sql")
        parser.error(f"no file {options.query}" + f"; there is {named}" * named.is_file())
    try:
        options.sql = text_of(options.query)
    except ValueError as error:
        parser.error(str(error))
    if options.groups < 1:
        parser.error("--groups must be at least 1")
    if options.tuples < 1 or not 1 <= options.per_datagram <= 40:
        parser.error("--tuples must be at least 1, --per-datagram 1 to 40")
    return options


def shown(path: Path) -> str:
    return str(path.relative_to(BUILD.parent))


@dataclass(frozen=True)
class Traffic:
    """The frames to send, and the tuples of each stream in them, with their positions in the order of arrival."""

    frames: Blocks
    tuples: dict[Stream, np.ndarray]
    places: dict[Stream, np.ndarray]


def of_tuples(built: Compiled, sql: str, options: argparse.Namespace) -> Traffic:
    """Traffic of tuple datagrams: the user's own tuples, or generated ones."""
    if options.data:
        arrival, losses = own_data(options, built.circuit.entries)
        for line in losses:
            console.print(f"[yellow]{escape(line)}[/]")
    else:
        arrival = generated(built, sql, options)
    records = {stream.schema: tuples for stream, tuples in arrival.records.items()}
    options.per_datagram = min(options.per_datagram, *map(most_in_datagram, records))
    blocks, _ = interleaved(records, arrival.order, per_datagram=options.per_datagram, session=100)
    return Traffic(frames(blocks), arrival.records, {stream: arrival.places(stream) for stream in arrival.records})


def of_messages(built: Compiled, sql: str, options: argparse.Namespace) -> Traffic:
    """Traffic of send_orders.py's messages; PySpark extracts the tuples, in the Java machine that `expected` uses."""
    from spark_golden.session import share, shared
    from tb.queries.orders import found

    if not shared():
        share(FOLDER / "spark.log")
    origin = built.circuit.entries[0].stream.origin
    make, wrap = orders.FORMATS[origin.format.kind.lower()]
    window = next((entry.window for entry in built.circuit.entries if entry.window), None)
    second = 1000 if origin.format.kind == "BINARY" else 10**9  # in the messages' units of time
    rate = (IN_A_GAP if window.session else IN_A_WINDOW) * second / window.size if window else orders.RATE
    made = make(options.tuples, seed=options.seed, rate=rate)
    troubles = [Trouble()]
    if origin.framing:
        troubles = [Trouble(lose=0.05, reorder=0.1, depth=3, seed=options.seed + line) for line in range(2)]
    elif origin.format.kind == "ITCH":
        wrap, options.per_datagram = orders.bare, 1
    sent = list(orders.on_lines(wrap(made, options.per_datagram), troubles))
    parsed = found(built.circuit, sent)
    streams = {entry.stream.schema.name: entry.stream for entry in built.circuit.entries}
    return Traffic(
        list(orders.in_frames(sent)),
        {stream: parsed.tuples[name] for name, stream in streams.items()},
        {stream: parsed.places[name] for name, stream in streams.items()},
    )


def generated(built: Compiled, sql: str, options: argparse.Namespace) -> Arrival:
    """Tuples from the project's generators, if they know the streams; else invented ones.

    Those of several streams are those of the tests, which have symbols and prices in common (at most 1,500 of each)."""
    entries = {entry.stream: entry for entry in built.circuit.entries}
    if not entries.keys() <= set(shipped()):
        return invented(built, sql, options.tuples, options.seed)
    count, (entry, *others) = options.tuples, entries.values()
    if others or entry.stream.schema.name != "Trades":
        records = {stream: data(stream.schema.name)[:count] for stream in entries}
    else:
        absurd = count // 500 if entry.window and entry.window.max_ahead else 0  # one would close every window
        records = {
            entry.stream: trades.generate(
                count, seed=options.seed, rate=2.0, disorder=60, late=count // 125, absurd=absurd
            )
        }
    return mixed(records, options.per_datagram, options.seed)


def mixed(sent: dict[Stream, np.ndarray], run: int, seed: int) -> Arrival:
    """Tuples in a random order of streams, in runs of `run` tuples."""
    of = np.repeat(np.arange(len(sent)), [len(records) for records in sent.values()])
    runs = np.concatenate([np.arange(len(records)) // run for records in sent.values()])
    _, run_of = np.unique(np.stack([of, runs]), axis=1, return_inverse=True)
    rank = np.random.default_rng(seed).permutation(run_of.max(initial=0) + 1) if len(sent) > 1 else np.arange(len(of))
    return Arrival(sent, of[np.argsort(rank[run_of], kind="stable")])


def play(board: Board, traffic: Traffic, **options) -> Run:
    """Send the frames in order. options: of `Bench.run`."""
    return board.send(traffic.frames, FOLDER, inputs={"line_b_port": DEVICE.port + 1, "groups": 0}, **options)


def show_rows(name: str, rows: list[Row], wanted: list[Row], everything: bool) -> None:
    """Show the circuit's rows in order, each marked if Spark has it too, then the rows that only Spark has.

    Of many rows, only the first and last and the first that differ are shown."""
    left = Counter(wanted)
    marked = []
    for row in rows:
        left[row] -= 1
        marked.append((row, "[green]=[/]" if left[row] >= 0 else "[bold red]not PySpark's[/]"))
    marked += [(row, "[bold red]only PySpark's[/]") for row in (+left).elements()]
    if not marked:
        console.print(f"\n[dim]{name}: no rows, neither from the circuit nor from PySpark[/]")
        return
    columns = (column for column, _ in marked[0][0])
    table = Table(*columns, "PySpark", title=f"{name}: rows of the circuit", title_justify="left")
    wrong = [place for place, (_, mark) in enumerate(marked) if "=" not in mark]
    ends = {*range(HEAD), *range(len(marked) - TAIL, len(marked))} - set(wrong)
    chosen = {*range(len(marked))} if everything else ends | set(wrong[:WRONG])
    left = 0
    for place, (row, mark) in enumerate(marked):
        left += place not in chosen
        if left and (place in chosen or place == len(marked) - 1):
            table.add_row(*("…" for _ in row), f"[dim]{left:,} more[/]")
            left = 0
        if place in chosen:
            table.add_row(*("null" if value is None else str(value) for _, value in row), mark)
    if len(wrong) > WRONG and not everything:
        table.caption, table.caption_justify = f"{len(wrong):,} rows differ; --all shows them", "left"
    console.print()
    console.print(table)


def show_traffic(run: Run) -> None:
    """Show the frames and tuples in and out."""
    counters, cycles = run.counters, int(run.result.sent_log["last"][-1] - run.result.sent_log["first"][0]) + 1
    seconds = cycles * CLOCK_NS * 1e-9
    count, kind = taken(counters)
    rows = sum(number for name, number in counters.items() if name.endswith("_row"))
    console.print(
        f"\nin   {counters['mac_rx_good']:,} frames, {count:,} {kind}"
        f" in {seconds * 1e3:.2f} ms of the wire: {count / seconds / 1e6:.1f} M {kind}/s"
        f"\nout  {counters['mac_tx_good']:,} frames, {rows:,} rows"
        f"\n     simulated at {run.result.cycles_per_second / 1e6:.1f} M cycles/s"
    )


def show_bursts(run: attached.HostRun) -> None:
    """Show what the device read and wrote, and how often it interrupted."""
    (count, kind), report = taken(run.counters), run.report
    rows = sum(number for name, number in run.counters.items() if name.endswith("_row"))
    console.print(
        f"\nin   {report['memory_read']:,} bytes by DMA, {count:,} {kind}"
        f"\nout  {report['memory_written']:,} bytes by DMA, {rows:,} rows, {report['interrupts']:,} interrupts"
        f"\n     simulated at {report['cycles'] / max(report['seconds'], 1e-9) / 1e6:.1f} M cycles/s"
    )


def show_drops(counters: Counter[str]) -> None:
    """Show all counters of drops and faults."""
    drops = Table("drops and faults", "", box=None, padding=(0, 3, 0, 0))
    losses = {name: count for name, count in counters.items() if not harmless(name)}
    for name, count in losses.items():
        if count:
            drops.add_row(name, f"[bold]{count:,}[/]")
    drops.add_row(f"[dim]the other {sum(not count for count in losses.values())}[/]", "[dim]0[/]")
    console.print()
    console.print(drops)


def watermarks(window: Window, records: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """The watermark after each tuple, and the tuple's fate: tuple (accepted), late, ahead or resync."""
    punctuator = Punctuator(window.size, window.advance, window.slack, window.start, window.max_ahead, window.resync)
    marks, fates = np.zeros(len(records), np.int64), []
    for place, at in enumerate(records[window.attribute]):
        fates.append(punctuator.take(TUPLE, int(at))[-1].name)
        marks[place] = punctuator.watermark
    return marks, fates


def show_latency(run: Run, result: Result, rows: list[Row], records: np.ndarray, per_datagram: int) -> None:
    """Show the latency from the frame with the tuple that closes a window to the frame with the window's row. The rows
    must have the window's end."""
    window = result.entry.window
    if not rows or window.attribute not in dict(rows[0]):
        return
    marks, _ = watermarks(window, records)
    sent = run.records(result.schema)
    sent = sent[~sent["punct"]]
    closing = np.searchsorted(marks, sent[window.attribute].astype(np.int64))
    ins = run.result.sent_log["last"][1 + closing // per_datagram].astype(np.int64)
    cycles = run.result.log["first"][sent["frame"]].astype(np.int64) - ins
    console.print(
        "\nlatency   last octet of the frame with the tuple that closes a window\n"
        "          → first octet of the frame with its row, at 125 MHz"
    )
    for name, value in (("least", cycles.min()), ("median", np.median(cycles)), ("most", cycles.max())):
        console.print(f"          {name:<6} {int(value):>6} cycles = {value * CLOCK_NS / 1e3:.2f} µs")


def plot(result: Result, received: list[Row], records: np.ndarray, wanted: list[Row], path: Path) -> bool:
    """Plot windows and values above, tuples and the watermark in order of arrival below. Time windows only."""
    window, found = result.entry.window, [dict(row) for row in received]
    numbers = [name for name, value in (found[0] if found else {}).items() if isinstance(value, int)]
    if window.attribute not in numbers or len(numbers) < 2:
        return False
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    value = next(name for name in numbers if name != window.attribute)
    marks, fates = watermarks(window, records)
    times, fate = records[window.attribute].astype(np.int64), np.array(fates)
    figure, (rows, arrivals) = plt.subplots(2, 1, figsize=(10, 8), layout="constrained")
    sides = ("circuit", found, "o", "#8fb8de"), ("PySpark", [dict(row) for row in wanted], "_", "k")
    for side, of_side, mark, colour in sides:
        ends, values = ([row[name] or 0 for row in of_side] for name in (window.attribute, value))
        rows.plot(ends, values, mark, linestyle="", color=colour, markersize=9, label=side)
    rows.legend()
    rows.set(title=f"{value}, by the window's end", xlabel=window.attribute, ylabel=value)
    position = np.arange(len(times))
    for name, kind, style in (
        ("tuples", "tuple", {"color": "#2b6cb0", "s": 3}),
        ("late: dropped", "late", {"color": "#d1495b", "s": 14, "marker": "x"}),
    ):
        arrivals.scatter(position[fate == kind], times[fate == kind], label=name, **style)
    arrivals.plot(position, marks, "k", linewidth=1, label="watermark")
    kept = times[fate == "tuple"]
    margin = max(1, int(np.ptp(kept)) // 20)
    if (ahead := fate == "ahead").any():
        arrivals.plot(position[ahead], np.full(ahead.sum(), kept.max() + margin // 2), "v", color="#d1495b",
                      label="too far ahead: dropped (off the scale)")  # fmt: skip
    bounds = (kept.min() - margin, kept.max() + margin)
    arrivals.set(title="Tuples as they arrive", xlabel="order of arrival", ylabel=window.attribute, ylim=bounds)
    arrivals.legend(loc="lower right", markerscale=2)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return True


if __name__ == "__main__":
    try:
        sys.exit(main())
    except QueryFileError as error:
        print(error, file=sys.stderr)
        sys.exit(Exit.USAGE)
    except UsageError as error:
        print(f"make demo: {error}", file=sys.stderr)
        sys.exit(Exit.USAGE)
    except (BulkFailure, ValueError) as failure:
        sys.exit(f"make demo: {failure}")
