"""Every core is lint clean at its defaults and at other parameters, and can be used by a stock FuseSoC."""

import os
import subprocess
import sys
from importlib import import_module

import pytest
import yaml

from tb.lib.run import design
from wirestream.cores import Core, cores
from wirestream.design import REPOSITORY
from wirestream.lint import lint

ALL = cores()
OTHERS = [
    ("ram_sdp", {"DATA_W": 1, "ADDR_W": 2, "OUTPUT_REG": 1, "STYLE": "block"}),
    ("skid_buffer", {"DATA_W": 1}),
    ("commit_fifo", {"DATA_W": 1, "ADDR_W": 2, "OUTPUT_REG": 1}),
    ("frame_fifo", {"DATA_W": 64, "USER_W": 113, "OUTPUT_REG": 1}),
    ("frame_fifo", {"DATA_W": 8, "USER_W": 1, "ADDR_W": 12}),
    ("event_counters", {"N": 1}),
    ("event_counters", {"N": 50}),
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
    ("mac_gmii_rx", {"MAX_FRAME": 9018}),
    ("mac_xgmii_rx", {"MAX_FRAME": 9018}),
    ("mac_xgmii_rx", {"MAX_FRAME": 65535}),
    *(
        ("select_const", {"OP": op, "FIELD_SIGNED": signed, "VALUE": 7})
        for op in ("NE", "LT", "GE")
        for signed in (0, 1)
    ),
    ("gate", {"LATENCY": 2, "CLOSE_CYCLES": 1, "CLOSE_PLACES": 1, "TUPLE_PLACES": 3, "ROOM_W": 12}),
    ("gate", {"LATENCY": 40, "CLOSE_CYCLES": 20, "CLOSE_PLACES": 9, "ROOM_W": 4}),
    ("punctuator", {"RANGE": 7, "SLIDE": 3, "SLACK": 5, "MAX_AHEAD": 20, "RESYNC": 3, "START": 10}),
    ("punctuator", {"RANGE": 20, "SLIDE": 50, "SLACK": 0, "EMIT_EMPTY": 1}),
    ("punctuator", {"WATTR_SIGNED": 0}),
    ("entry", {"DATA_W": 1, "INTERVAL": 9, "LATENCY": 2, "TUPLE_PLACES": 5, "ROOM_W": 4}),
    ("constants", {"N": 33}),
    ("gmii_endpoint", {"N_PORTS": 1, "N_GROUPS": 1, "HEADERS": 0, "TIME_W": 1}),
    ("group_by", {"FAST": 1}),
    ("bank", {"SLOTS": 1, "AGGS": 3, "KINDS": "CNTLSTSUM", "SIGNEDS": 1, "SKEW": 1}),
    ("wid_aggregate", {"KINDS": "SUM", "SIGNEDS": 1, "SKEW": 1}),
    ("wid_aggregate", {"KINDS": "MIN", "RANGE": 20, "SLIDE": 50, "SLACK": 0}),
    (
        "wid_aggregate",
        {"AGGS": 2, "KINDS": "MAXFST", "SIGNEDS": 3, "RANGE": 64, "SLIDE": 64, "SLACK": 0, "EMIT_EMPTY": 1},
    ),
    ("pane_aggregate", {"METHOD": "SCAN", "KINDS": "SUMMIN", "SIGNEDS": 3, "RANGE": 100, "SLIDE": 30}),
    ("pane_aggregate", {"METHOD": "CONSTANT", "KINDS": "CNTSUM", "SIGNEDS": 1, "SKEW": 0}),
    ("trades_q3", {"MAX_AHEAD": 3600}),
    ("window_join", {"MATCH_LANES": 8, "TIME_W": 32, "R_TIME_LSB": 32, "S_TIME_LSB": 32}),
    ("handshake_join", {"CORES": 1, "SEGMENT": 1, "FORWARD": 0}),
    ("handshake_join", {"TIME_W": 32, "R_TIME_LSB": 32, "S_TIME_LSB": 32, "DROP": 1, "RESULT_CLOCK": 1}),
    ("fjoin_chain", {"UNITS": 64, "LANES": 1, "PAIRS": 0}),
]


@pytest.mark.parametrize("name", [core.name for core in ALL])
def test_defaults(name):
    lint(design(name))


@pytest.mark.parametrize(
    ("name", "parameters"), OTHERS, ids=["-".join([n, *(f"{k}={v}" for k, v in p.items())]) for n, p in OTHERS]
)
def test_other_parameters(name, parameters):
    core = yaml.safe_load(next(c for c in ALL if c.name == name).path.read_text())
    assert parameters.keys() <= core["parameters"].keys(), "a parameter that the core does not offer"
    lint(design(name).with_parameters(**parameters))


def fusesoc(target: str, *words: str, **environment: str) -> None:
    command = [sys.executable, "-m", "fusesoc.main", "run", f"--target={target}", *words]
    env = os.environ | environment
    done = subprocess.run(command, cwd=REPOSITORY, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["skid_buffer", "inet_checksum", "select_const", "gate"])
def test_fusesoc_simulates(name):
    """A core of each library: the others' tests come to the simulator by the same steps, without FuseSoC's command."""
    fusesoc("sim", name)


@pytest.mark.parametrize("core", ALL, ids=lambda core: core.name)
def test_every_core_has_what_fusesoc_needs_to_simulate_it(core: Core):
    targets = yaml.safe_load(core.path.read_text())["targets"]
    assert targets["sim"] == targets["default"] | {"flow": "ws_sim"}
    assert (REPOSITORY / "tb" / core.library / f"test_{core.name}.py").is_file()


@pytest.mark.parametrize("target", ["lint", "sim"])
def test_fusesoc_takes_parameters(target):
    fusesoc(target, "skid_buffer", "--DATA_W", "5")


@pytest.mark.parametrize("core", ALL, ids=lambda core: core.name)
def test_targets_have_the_options_of_their_flows(core: Core):
    """One of another flow would be passed over in silence."""
    for target in yaml.safe_load(core.path.read_text())["targets"].values():
        if options := target.get("flow_options"):
            flow = import_module(f"edalize.flows.{target['flow']}")
            assert options.keys() <= getattr(flow, target["flow"].capitalize()).get_flow_options().keys()


@pytest.mark.parametrize("core", ALL, ids=lambda core: core.name)
def test_default_target_needs_nothing_of_ours(core: Core):
    """No flow of ours, no path out of the core's folder, no parameter forced on users, every file there."""
    data = yaml.safe_load(core.path.read_text())
    target = data["targets"]["default"]
    assert target.keys() <= {"filesets", "toplevel", "parameters"}
    assert all(p.startswith("is_toplevel? (") for p in target.get("parameters", []))
    for name in target["filesets"]:
        files = data["filesets"][name]["files"]
        assert files
        for file in [next(iter(f)) if isinstance(f, dict) else f for f in files]:  # a dict: with its attributes
            assert ".." not in file and (core.path.parent / file).is_file(), file
    assert (core.path.parent / f"{target['toplevel']}.v").is_file()
    assert target["toplevel"] == f"ws_{core.name}"
