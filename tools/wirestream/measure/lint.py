"""Lint a design with Verilator, all warnings on and fatal."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from wirestream.arguments import Parser
from wirestream.design import Design, environment, resolve
from wirestream.inventory import note
from wirestream.measure.cores import cores

# Parameters to lint in addition to a core's defaults: widths, methods and options that elaborate other code.
MATRIX: tuple[tuple[str, dict[str, int | str]], ...] = (
    ("siphash", {"DATA_W": 64}),
    ("qm_loader", {"SLOTS": 8, "CODE_W": 10, "PROG_W": 12, "OPEN": 1}),
    ("qm_loader", {"SLOTS": 2, "CODE_W": 7, "PROG_W": 4}),
    ("qm_loader", {"SLOTS": 255}),
    ("ram_sdp", {"DATA_W": 1, "ADDR_W": 2, "OUTPUT_REG": 1, "STYLE": "block"}),
    ("skid_buffer", {"DATA_W": 1}),
    ("commit_fifo", {"DATA_W": 1, "ADDR_W": 2, "OUTPUT_REG": 1}),
    ("frame_fifo", {"DATA_W": 64, "USER_W": 113, "OUTPUT_REG": 1}),
    ("frame_fifo", {"DATA_W": 8, "USER_W": 1, "ADDR_W": 12}),
    ("event_counters", {"N": 1}),
    ("event_counters", {"N": 50}),
    ("axi_reader", {"TUPLE_W": 128, "COUNT_W": 40, "ADDR_W": 64}),
    ("axi_writer", {"COUNT_W": 40, "ADDR_W": 64}),
    ("host_drop", {"DATA_W": 1, "STREAMS": 16}),
    ("host_irq", {"TIMER_W": 1}),
    ("host_push", {"QUERY_W": 64, "MAX_BYTES": 16384}),
    ("host_requests", {"DATA_W": 1024, "ADDR_W": 64, "QUERY_W": 64, "QUEUE_W": 8, "MAX_BYTES": 16384}),
    ("host_ring", {"SLOT": 16, "DATA_W": 1024, "ADDR_W": 64}),
    ("host_ring", {"SLOT": 4096, "DATA_W": 64, "ADDR_W": 13}),
    ("host_port", {"RECORD_BYTES": 8, "DATA_W": 512, "ADDR_W": 64, "QUERY_W": 64, "FULL": "DROP", "STREAMS": 3}),
    ("host_port", {"RECORD_BYTES": 1000, "DATA_W": 64, "ADDR_W": 13, "FIFO_W": 12, "QUEUE_W": 8}),
    ("qm_core", {"W": 16, "FIELDS": 64, "FIFO_W": 6, "PROG_W": 12, "STACK_W": 8, "TB_W": 2, "SY_W": 3, "DROP": 1}),
    ("qm_core", {"FIELDS": 2, "FIFO_W": 1, "PROG_W": 4, "STACK_W": 2, "TB_W": 3, "SY_W": 2}),
    ("remainder", {"NUMBER_W": 10, "DIVISOR": 1}),
    ("remainder", {"NUMBER_W": 64, "DIVISOR": 1024}),
    ("udp_rx", {"DATA_W": 64}),
    ("udp_tx", {"DATA_W": 64}),
    ("tuple_rx", {"DATA_W": 64, "RECORD_BYTES": 24}),
    ("tuple_rx", {"DATA_W": 64, "RECORD_BYTES": 8}),
    ("tuple_rx", {"DATA_W": 8, "RECORD_BYTES": 8}),
    ("tuple_rx", {"DATA_W": 64, "N": 2, "RECORD_BYTES": 40, "EACH_BYTES": 40 << 16 | 16, "STREAM_ID": 2 << 16 | 1}),
    ("tuple_tx", {"DATA_W": 64, "RECORD_BYTES": 24}),
    ("tuple_tx", {"DATA_W": 64, "RECORD_BYTES": 8}),
    ("udp_rx", {"DATA_W": 64, "N_PORTS": 16, "N_GROUPS": 16, "TIME_W": 1, "STORE": 1}),
    ("udp_rx", {"N_PORTS": 3, "N_GROUPS": 2, "STORE": 1}),
    ("udp_tx", {"DATA_W": 64, "MAX_PAYLOAD": 8972, "HEADERS": 109}),
    ("verdict_slice", {"DATA_W": 64}),
    ("control_rx", {"DATA_W": 64}),
    ("control_tx", {"DATA_W": 64}),
    ("axis_arbiter", {"DATA_W": 64, "N": 16}),
    ("axis_async_fifo", {"DATA_W": 64}),
    ("udp_ip_stack", {"DATA_W": 64}),
    ("udp_ip_stack", {"DATA_W": 64, "N_PORTS": 1, "N_GROUPS": 1, "STORE": 0, "TIME_W": 1}),
    ("mac_gmii_rx", {"MAX_FRAME": 9026}),
    ("mac_xgmii_rx", {"MAX_FRAME": 9026}),
    ("mac_xgmii_rx", {"MAX_FRAME": 65535}),
    *(
        ("select_const", {"OP": op, "FIELD_SIGNED": signed, "VALUE": 7})
        for op in ("NE", "LT", "GE")
        for signed in (0, 1)
    ),
    ("gate", {"LATENCY": 2, "CLOSE_CYCLES": 1, "CLOSE_PLACES": 1, "TUPLE_PLACES": 3, "ROOM_W": 12}),
    ("gate", {"LATENCY": 40, "CLOSE_CYCLES": 20, "CLOSE_PLACES": 9, "ROOM_W": 6}),
    ("punctuator", {"RANGE": 7, "SLIDE": 3, "SLACK": 5, "MAX_AHEAD": 20, "RESYNC": 3, "START": 10}),
    ("punctuator", {"RANGE": 20, "SLIDE": 50, "SLACK": 0, "EMIT_EMPTY": 1}),
    ("punctuator", {"WATTR_SIGNED": 0}),
    ("entry", {"DATA_W": 1, "INTERVAL": 9, "LATENCY": 2, "TUPLE_PLACES": 5, "ROOM_W": 4}),
    ("constants", {"N": 33}),
    ("divide_const", {"DIVIDEND_W": 64, "DIVISOR": 7, "SIGNED": 0}),
    ("divide_const", {"DIVIDEND_W": 11, "DIVISOR": 1024, "REMAINDER": 0}),
    ("divide_const", {"DIVISOR": 1, "DATA_W": 1}),
    ("gmii_endpoint", {"N_PORTS": 1, "N_GROUPS": 1, "HEADERS": 0, "TIME_W": 1}),
    ("group_keys", {"TABLE": 1, "PANES": 3}),
    ("group_keys", {"TABLE": 2, "ENTRIES": 64}),
    ("group_keys", {"TABLE": 3, "ENTRIES": 64, "KEY_W": 6}),
    ("group_ranks", {"ROWS": 1, "KEY_W": 1, "DATA_W": 1, "COUNTS": 3, "COUNT_W": 40}),
    ("group_by", {"FAST": 1}),
    ("group_by", {"DISJOINT": 1}),
    ("group_by", {"DIRECT": 1, "HASH": 0, "CAPACITY": 512, "KEY_W": 9}),
    ("bank", {"SLOTS": 1, "AGGS": 3, "KINDS": "CNTLSTSUM", "SIGNEDS": 1, "SKEW": 1}),
    ("wid_aggregate", {"KINDS": "SUM", "SIGNEDS": 1, "SKEW": 1}),
    ("wid_aggregate", {"KINDS": "MIN", "RANGE": 20, "SLIDE": 50, "SLACK": 0}),
    (
        "wid_aggregate",
        {"AGGS": 2, "KINDS": "MAXFST", "SIGNEDS": 3, "RANGE": 64, "SLIDE": 64, "SLACK": 0, "EMIT_EMPTY": 1},
    ),
    ("pane_aggregate", {"METHOD": "SCAN", "KINDS": "SUMMIN", "SIGNEDS": 3, "RANGE": 100, "SLIDE": 30}),
    ("pane_aggregate", {"METHOD": "CONSTANT", "KINDS": "CNTSUM", "SIGNEDS": 1, "SKEW": 0}),
    ("icmp_echo", {"MAX_PAYLOAD": 8972}),
    ("icmp_echo", {"RATE": 7, "BURST": 1}),
    ("icmp_echo", {"RATE": 1000, "BURST": 1}),
    ("arp", {"ENTRIES": 8}),
    ("arp", {"ENTRIES": 64}),
    ("arp_cache", {"ENTRIES": 8, "REACHABLE_S": 2}),
    ("arp_cache", {"ENTRIES": 64, "REACHABLE_S": 4000}),
    ("igmp", {"N_GROUPS": 2}),
    ("igmp", {"N_GROUPS": 64, "OLDER_QUERIER_S": 1000}),
    ("registers", {"N_PORTS": 1, "N_GROUPS": 1, "N_COUNTERS": 1}),
    ("registers", {"N_PORTS": 16, "N_GROUPS": 16, "N_COUNTERS": 256}),
    ("udp_ip_stack", {"DATA_W": 64, "N_PORTS": 16, "N_GROUPS": 16, "MAX_FRAME": 9026}),
    ("axis_widen", {"DATA_W": 512, "USER_W": 1}),
    ("axis_narrow", {"DATA_W": 512, "USER_W": 1}),
    ("axis_arbiter", {"DATA_W": 64, "N": 1, "USER_W": 3}),
    ("axis_arbiter", {"DATA_W": 64, "N": 16, "USER_W": 3}),
    ("async_fifo", {"DATA_W": 1, "ADDR_W": 2, "SYNC_STAGES": 2}),
    ("async_fifo", {"DATA_W": 75, "ADDR_W": 5, "SYNC_STAGES": 8}),
    ("sync_fifo", {"DATA_W": 1, "ADDR_W": 2, "OUTPUT_REG": 1}),
    ("sync_fifo", {"DATA_W": 128, "ADDR_W": 11, "OUTPUT_REG": 0}),
    ("event_counters", {"N": 2}),
    ("event_counters", {"N": 64}),
    ("frame_fifo", {"DATA_W": 64, "USER_W": 113, "MAX_BYTES": 1472, "OUTPUT_REG": 1}),
    ("trades_q3", {"MAX_AHEAD": 3600}),
    ("window_join", {"MATCH_LANES": 8, "TIME_W": 32, "R_TIME_LSB": 32, "S_TIME_LSB": 32}),
    ("handshake_join", {"CORES": 1, "SEGMENT": 1, "FORWARD": 0}),
    ("handshake_join", {"TIME_W": 32, "R_TIME_LSB": 32, "S_TIME_LSB": 32, "DROP": 1, "RESULT_CLOCK": 1}),
    ("fjoin_chain", {"UNITS": 64, "LANES": 1, "PAIRS": 0}),
    ("less", {"KEY_W": 1}),
    ("top_k", {"K": 1, "KEY_W": 1, "DATA_W": 1}),
    ("top_k", {"K": 5, "SKIP": 3, "CLOSE_W": 9}),
    ("pane_top_k", {"SLACK": 0, "EACH": 3, "SKIP": 9, "KEY_W": 1, "DATA_W": 1}),
    ("pane_top_k", {"WATTR_W": 64, "PANE": 7, "PANES": 1, "K": 1, "NUMBER_W": 1}),
    ("merge_level", {"RUN": 16}),
    ("merge_level", {"RUN": 512}),
    ("merge_sort", {"LEVELS": 2, "UNIQUE": 1}),
    ("merge_lanes", {"P": 2, "SLACK": 2}),
    ("merge_lanes_tree", {"K": 2, "P": 16}),
    ("merge_lanes_sort", {"LEVELS": 2, "P": 2}),
    ("merge_lanes_sort", {"LEVELS": 11, "P": 8}),
    ("sorter", {"P": 4}),
    ("sorter", {"P": 2, "K": 2, "LEVELS": 2}),
    ("run_reader", {"ENDS": 0}),
    ("group_top_k", {"K": 1, "GROUPS": 2, "KEY_W": 1, "DATA_W": 1}),
    ("group_top_k", {"K": 7, "GROUPS": 1000}),
    ("encoder", {"N": 2}),
    ("ones", {"N": 3}),
    ("quantile_ranks", {"W": 5, "ADVANCE": 2, "QUANTILES": 3, "RANKS": 2 << 32 | 4 << 16}),
    ("quantile_ranks", {"W": 1024, "ADVANCE": 1000, "KEY_W": 1}),
    ("quantile_scan", {"W": 17, "INTERVAL": 8, "KEY_W": 1, "RANKS": 8}),
    ("sort_pcpi", {"N": 4, "KEY_W": 1, "SIGNED": 0}),
    ("sort_pcpi", {"N": 64, "KEY_W": 31, "STEP": 3, "FUNCT7": 127}),
    ("quantile_scan", {"W": 4096, "ADVANCE": 5000, "INTERVAL": 21, "QUANTILES": 2, "RANKS": 4095}),
    ("row_number", {"K": 1, "KEY_W": 1, "DATA_W": 1, "CLOSE_W": 1, "PARTITION_W": 1, "CAPACITY": 2, "WINDOWS": 1}),
    ("row_number", {"K": 5, "CAPACITY": 300, "WINDOWS": 4}),
    ("sort_key", {"FORM": "FLOAT", "NULLABLE": 1, "LAST": 1}),
    ("sort_key", {"FORM": "UNSIGNED", "W": 1, "DESC": 1}),
    ("comparator", {"PAYLOAD_W": 1, "SPLIT": 1}),
    ("sort_network", {"N": 2, "KEY_W": 1, "KIND": "TRANSPOSITION", "CIRCUIT": "COMBINATIONAL"}),
    ("sort_network", {"N": 13, "KIND": "BITONIC", "PAYLOAD_W": 5, "SPLIT": 1, "STABLE": 1, "STEP": 2}),
    ("sort_network", {"N": 33, "KIND": "BEST", "OUTPUTS": 1 << 16, "STEP": 99}),
    ("sort_network", {"N": 16, "KIND": "BITONIC", "CIRCUIT": "REUSED", "COMPARATORS": 4, "KEY_W": 1, "PAYLOAD_W": 1}),
    # Times of more than 32 bits, with others that have 32
    ("punctuator", {"WATTR_W": 64, "RANGE": 10**10, "SLIDE": 10**9, "SLACK": 0, "MAX_AHEAD": 10**12}),
    ("session_entry", {"WATTR_W": 64, "GAP": 10**10, "SLACK": 60, "MAX_AHEAD": 10**12}),
    ("session_aggregate", {"WATTR_W": 64, "GAP": 10**10, "SLACK": 60}),
    ("wid_aggregate", {"WATTR_W": 64, "RANGE": 10**10, "SLIDE": 10**9, "SLACK": 0}),
    ("pane_aggregate", {"WATTR_W": 64, "RANGE": 10**10, "SLIDE": 10**9, "SLACK": 60, "METHOD": "SCAN"}),
    ("pane_aggregate", {"WATTR_W": 64, "RANGE": 10**10 + 5, "SLIDE": 10**9, "SLACK": 60}),
    ("group_panes", {"WATTR_W": 64, "RANGE": 10**10, "SLIDE": 10**9, "SLACK": 0}),
    ("window", {"WATTR_W": 64, "UNIT": "TIME", "SIZE": 10**10, "ADVANCE": 10**9, "SLACK": 60, "COPIES": 11}),
    ("tuple_numbers", {"SIZE": 10**10, "ADVANCE": 50}),
    ("median_memory", {"KEY_W": 16, "ADDR_W": 13}),
    ("median_memory", {"KEY_W": 256, "ADDR_W": 64}),
)


class LintFailure(RuntimeError):
    """The linter found something."""


def lint(design: Design) -> None:
    """Raise `LintFailure` with Verilator's output unless `design` is clean under -Wall."""
    parameters = [f"-G{name}={value}" for name, value in design.literals.items()]
    command = ["verilator", "--lint-only", "-Wall", "--default-language", "1364-2005", "--top-module", design.toplevel]
    files = [*(f"-I{folder}" for folder in design.includes), *map(str, (*design.waivers, *design.sources))]
    result = subprocess.run([*command, *parameters, *files], env=environment(), capture_output=True, text=True)
    if result.returncode:
        raise LintFailure(f"{design.label}: lint failed\n{result.stderr}")
    print(f"{design.label}: lint clean")
    note("lint", design.label)


def configurations(names: Sequence[str] = ()) -> list[tuple[str, dict[str, int | str]]]:
    """Core and parameters of every lint run, or of those of these cores: the defaults of each, then `MATRIX`."""
    chosen = names or [core.name for core in cores()]
    return [(name, parameters) for name in chosen for parameters in ({}, *(p for n, p in MATRIX if n == name))]


def main(argv: Sequence[str] | None = None) -> None:
    parser = Parser(prog="python -m wirestream.measure.lint", description=__doc__.split("\n")[0])
    parser.add_argument("core", nargs="*", help="default: every core")
    known: dict[str, Design] = {}
    try:
        for name, parameters in configurations(parser.parse_args(argv).core):
            if name not in known:
                known[name] = resolve(name)
            lint(known[name].with_parameters(**parameters))
    except LintFailure as failure:
        raise SystemExit(str(failure)) from None


if __name__ == "__main__":
    main()
