"""Every documented range of a core's parameters is checked: each bound is violated once, and elaboration must fail with
a message that contains the parameter's name."""

import re
import subprocess

import pytest

from tb.lib.elaborate import stopped_by
from tb.lib.run import design
from wirestream.design import Design
from wirestream.measure.cores import LIBRARIES, cores
from wirestream.measure.parameters import violations
from wirestream.sim.simulate import icarus_installed

CORES = cores()

# Relations and conditions that a header states after the range: core, parameters that violate it, the one reported.
RELATIONS = (
    ("remainder", {"NUMBER_W": 8, "DIVISOR": 300}, "DIVISOR"),
    ("event_counters", {"N": 1, "TOTAL_W": 2}, "TOTAL_W"),
    ("tuple_rx", {"EACH_BYTES": 12}, "EACH_BYTES"),
    ("tuple_rx", {"EACH_BYTES": 24}, "EACH_BYTES"),
    ("fix_parser", {"FIELDS_W": 223}, "FIELDS_W"),
    ("fix_parser_wide", {"FIELDS_W": 223}, "FIELDS_W"),
    ("fix_stream", {"FIELDS_W": 223}, "FIELDS_W"),
    ("aggregate", {"KIND": "MIN", "FAST": 2}, "FAST"),
    ("aggregate", {"KIND": "SUM", "FAST": 1}, "FAST"),
    ("aggregate", {"KIND": "FST", "FAST": 1}, "FAST"),
    ("divide", {"FAST": 1, "BITS": 2}, "FAST"),
    ("divide_const", {"DIVISOR_W": 10}, "DIVISOR"),
    ("group_ranks", {"RANK_W": 31}, "RANK_W"),
    ("divide_const", {"DIVIDEND_W": 10, "DIVISOR": 513}, "DIVISOR"),
    ("group_by", {"CAPACITY": 241, "HASH": 0}, "CAPACITY"),
    ("group_keys", {"ENTRIES": 257}, "ENTRIES"),
    ("group_keys", {"ENTRIES": 48, "TABLE": 2}, "ENTRIES"),
    ("group_keys", {"ENTRIES": 16, "KEY_W": 5, "TABLE": 3}, "ENTRIES"),
    ("group_keys", {"PANES": 3}, "PANES"),
    ("group_by", {"FAST": 1, "VALUE_W": 1, "ACC_W": 1}, "ACC_W"),
    ("group_by", {"FAST": 1, "DISJOINT": 1}, "DISJOINT"),
    ("group_by", {"HASH": 1, "DISJOINT": 1}, "DISJOINT"),
    ("group_by", {"DIRECT": 1}, "CAPACITY"),
    ("group_by", {"DIRECT": 1, "CAPACITY": 4, "KEY_W": 2, "FAST": 1}, "DIRECT"),
    ("group_by", {"DIRECT": 1, "CAPACITY": 4, "KEY_W": 2, "DISJOINT": 1}, "DISJOINT"),
    ("group_by", {"KINDS": "SUMAVG"}, "KIND"),
    ("group_by", {"KINDS": "AMXSUM", "VALUE_W": 9}, "VALUE_W"),
    ("fold", {"KIND": "AMN", "VALUE_W": 9}, "VALUE_W"),
    ("quantile_ranks", {"QUANTILES": 2, "RANKS": 64 << 16 | 63}, "RANKS"),
    ("quantile_scan", {"W": 32, "RANKS": 15}, "W"),
    ("quantile_scan", {"W": 4096, "INTERVAL": 9}, "INTERVAL"),
    ("quantile_scan", {"QUANTILES": 10, "RANKS": 0}, "QUANTILES"),
    ("quantile_scan", {"QUANTILES": 2, "RANKS": 1024 << 16 | 63}, "RANKS"),
    ("window", {"SIZE": 8}, "COPIES"),
    ("window", {"UNIT": "TIME", "SLACK": 1}, "COPIES"),
    ("wsum", {"PARTS": 2, "PRODUCT_REG": 1}, "PARTS"),
    ("wsum", {"PARTS": 2, "WEIGHTS": 0x4213}, "PARTS"),
    ("bank", {"SKEW": 1, "VALUE_W": 1, "ACC_W": 1}, "ACC_W"),
    ("bank", {"KINDS": "SUMAVG"}, "KINDS"),
    ("bank", {"KINDS": "SUMAMX", "VALUE_W": 9}, "VALUE_W"),
    ("lane_bank", {"LANES": 2, "SLOTS": 3, "KINDS": "FSTLST"}, "SLOTS"),
    ("lane_bank", {"LANES": 2, "KINDS": "SUMAMX"}, "LANES"),
    ("entry", {"ROOM_W": 1}, "ROOM_W"),
    ("gate", {"CLOSE_PLACES": 300}, "ROOM_W"),
    ("group_panes", {"CAPACITY": 241, "HASH": 0}, "CAPACITY"),
    ("group_panes", {"KINDS": "FSTCNT", "SLACK": 1}, "SLACK"),
    ("group_panes", {"KINDS": "AMXCNT", "SLACK": 1}, "SLACK"),
    ("group_panes", {"RANGE": 60}, "RANGE"),
    ("pane_aggregate", {"KINDS": "FSTCNT"}, "SLACK"),
    ("pane_aggregate", {"KINDS": "AMNCNT"}, "SLACK"),
    ("pane_pick", {"KIND": "AMX", "NUMBER_W": 8}, "NUMBER_W"),
    ("session_aggregate", {"KINDS": "FSTCNT"}, "SLACK"),
    ("session_aggregate", {"KINDS": "AMXCNT"}, "SLACK"),
    ("session_fold", {"KIND": "AMX", "VALUE_W": 9}, "VALUE_W"),
    ("session_slots", {"SLOTS": 2}, "SLOTS"),
    ("pane_total", {"PANES": 2, "BLOCK": 2}, "BLOCK"),
    ("state_merge", {"SKEW": 1, "VALUE_W": 1, "ACC_W": 1}, "ACC_W"),
    ("state_merge", {"SKEW": 1, "REGISTERED": 0}, "SKEW"),
    ("punctuator", {"STEP": 7}, "STEP"),
    ("punctuator", {"MAX_AHEAD": 119}, "MAX_AHEAD"),
    ("punctuator", {"RANGE": 2**31 - 120}, "RANGE"),
    ("punctuator", {"WATTR_W": 64, "MAX_AHEAD": 2**62 + 1}, "MAX_AHEAD"),
    ("punctuator", {"WATTR_W": 64, "RANGE": 2**62, "SLIDE": 2**62, "SLACK": 2**62}, "RANGE"),
    ("punctuator", {"WATTR_W": 64, "RANGE": 2**62 - 119}, "RANGE"),
    ("punctuator", {"WATTR_W": 64, "SLACK": 2**31 - 1, "SLIDE": 2**31 - 1, "MAX_AHEAD": 2**31 - 1}, "MAX_AHEAD"),
    ("session_entry", {"WATTR_W": 64, "GAP": 2**62 - 59}, "GAP"),
    ("session_entry", {"WATTR_W": 40, "START": 2**39}, "START"),
    ("session_entry", {"MAX_AHEAD": 89}, "MAX_AHEAD"),
    ("watermark", {"MAX_AHEAD": 59}, "MAX_AHEAD"),
    ("tuple_numbers", {"STEP": 3}, "STEP"),
    ("sort_key", {"FORM": "FLOAT", "W": 33}, "W"),
    ("sort_network", {"CIRCUIT": "REUSED", "SPLIT": 1}, "SPLIT"),
    ("predicate", {"PREDICATE": "L1", "KEY_W": 33}, "KEY_W"),
    ("fjoin_chain", {"UNITS": 96}, "UNITS"),
    ("fjoin_chain", {"FIFO_W": 2}, "FIFO_W"),
    ("fjoin", {"PAIRS": 0, "BLOCK": 256, "UNITS": 1024, "DATA_W": 512}, "BLOCK"),
    ("fjoin", {"KEY_W": 66}, "KEY_W"),
    ("axi_reader", {"FIFO_W": 4}, "FIFO_W"),
    ("axi_reader", {"BURST": 256, "DATA_W": 256, "FIFO_W": 9}, "BURST"),
    ("axi_writer", {"FIFO_W": 4}, "FIFO_W"),
    ("axi_writer", {"BURST": 256, "DATA_W": 256, "FIFO_W": 9}, "BURST"),
    ("axi_writer", {"ADDR_W": 8}, "ADDR_W"),
    ("fjoin_writer", {"FIFO_W": 4}, "FIFO_W"),
    ("host_requests", {"READ_W": 4}, "READ_W"),
    ("host_port", {"BURST": 256, "DATA_W": 256}, "BURST"),
    ("fjoin_writer", {"BURST": 256, "DATA_W": 256, "FIFO_W": 9}, "BURST"),
    ("fjoin_writer", {"COUNT_W": 4}, "COUNT_W"),
    ("median_memory", {"READ_W": 4}, "READ_W"),
    ("median_memory", {"WRITE_W": 4}, "WRITE_W"),
    ("median_memory", {"KEY_W": 64, "BURST": 256, "READ_W": 9, "WRITE_W": 9}, "BURST"),
    ("window_join", {"PREDICATE": "L1", "FIFO_W": 3}, "FIFO_W"),
    ("join_entry", {"TIME_W": 5, "WINDOW": 20, "SLACK": 12}, "WINDOW"),
    ("join_time", {"TIME_W": 5, "WINDOW": 20, "SLACK": 12}, "WINDOW"),
    ("match_unit", {"TIME_W": 5, "WINDOW": 32}, "WINDOW"),
    ("match_unit", {"LANES": 2, "ROWS": 1023}, "ROWS"),
    ("fix_parser", {"DECIMALS": 0x0090}, "DECIMALS"),
    ("fix_parser_wide", {"DECIMALS": 0x0090}, "DECIMALS"),
)


def unnamed(cases: list[tuple[Design, str]]) -> list[str]:
    """The designs whose elaboration does not fail with the expected parameter. cases: designs with wrong parameters,
    each with the parameter that the message must contain."""
    answers = stopped_by([design for design, _ in cases])
    return [
        f"{one.label}: {message or 'elaborated'}"
        for (one, name), (module, message) in zip(cases, answers, strict=True)
        if not (module and "ERROR: %m" in message and re.search(rf"\b{name}\b", message))
    ]


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_bound_is_checked(library):
    """One value below and one above each range, and one that violates every other kind of bound."""
    cases = [
        (design(core.name).with_parameters(**{name: value}), name)
        for core in CORES
        if core.library == library
        for name, value in violations(f"ws_{core.name}")
    ]
    assert cases and not unnamed(cases)


def test_every_relation_is_checked():
    """Relations between parameters that the headers state in words."""
    assert not unnamed([(design(core).with_parameters(**values), name) for core, values, name in RELATIONS])


def test_what_stops_elaboration_is_told_apart():
    """Nothing, a check, or an error of Yosys, which does not count as a check."""
    core = design("skid_buffer")
    (none, check, error) = stopped_by([core, core.with_parameters(DATA_W=0), core.with_parameters(DEPTH=1)])
    assert none == ("", "") and check[0] == "ws_skid_buffer" and "DATA_W" in check[1]
    assert error[0] == "" and "does not have a parameter named 'DEPTH'" in error[1]


@pytest.mark.skipif(not icarus_installed(), reason="iverilog is not installed")
@pytest.mark.parametrize(
    ("core", "name", "value", "instance"),
    [
        ("ram_sdp", "ADDR_W", 25, "ws_ram_sdp"),
        ("sync_fifo", "STYLE", "lut", "ws_sync_fifo.fifo.ram"),
        ("itch_feed", "REORDER", 3, "ws_itch_feed.arbiter"),
    ],
)
def test_the_simulator_names_the_instance(core, name, value, instance, tmp_path):
    """The message that a user reads at time 0."""
    one = design(core).with_parameters(**{name: value})
    overrides = [word for key, literal in one.literals.items() for word in ("-P", f"{one.toplevel}.{key}={literal}")]
    files = [*(f"-I{folder}" for folder in one.includes), *map(str, one.sources)]
    subprocess.run(["iverilog", "-g2005", "-s", one.toplevel, *overrides, "-o", tmp_path / "sim", *files], check=True)
    output = subprocess.run(["vvp", "-n", tmp_path / "sim"], capture_output=True, text=True, check=True).stdout
    assert re.search(rf"^ERROR: {re.escape(instance)}: .*\b{name}\b", output, re.MULTILINE), output
