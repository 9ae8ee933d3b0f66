"""Every clock crossing is constrained: the constraint files name existing registers, and no other path crosses."""

from __future__ import annotations

import json
import re

import pytest

from tb import REPOSITORY
from wirestream.design import resolve
from wirestream.measure.cores import cores
from wirestream.measure.lint import lint
from wirestream.measure.yosys import read, yosys

FOLDER = REPOSITORY / "constraints" / "cdc"
# The cores with clock crossings, and the registers at both ends: sources, first stage.
CROSSINGS = {
    "async_fifo": {
        "to_rd.stages_reg": {"clear_reg", "wr_gray_reg"},
        "to_wr.stages_reg": {"ask_reg", "ack_reg", "rd_gray_reg"},
    }
}
# Cores with two clocks and no crossing of their own: they contain the named core or are part of it; or the clocks are
# two phases of one.
BUILT_OF = {
    "axis_async_fifo": "async_fifo",
    "handshake_join": "async_fifo",
    "mii": "async_fifo",
    "ram_2clk": "async_fifo",
    "rgmii_tx": None,
    "trades_q3_mii": "async_fifo",
    "trades_q3_rgmii": "rgmii_tx",
}


def clocks(verilog: str) -> set[str]:
    """The clock ports of a module: inputs named clk, or with clk as a word in their name."""
    ports = verilog.split(");", 1)[0] if "#(" not in verilog else verilog
    return set(re.findall(r"^\s*input\s+wire\s+((?:\w+_)?clk(?:_\w+)?)\s*[,)]", ports, re.MULTILINE))


def test_every_core_with_two_clocks_is_known():
    two = {core.name for core in cores() if len(clocks(core.verilog.read_text())) > 1}
    assert two == CROSSINGS.keys() | BUILT_OF.keys()
    for name in CROSSINGS:
        assert {p.suffix for p in FOLDER.glob(f"{name}.*")} == {".xdc", ".sdc"}


@pytest.fixture(scope="module")
def netlist(tmp_path_factory) -> dict:
    folder = tmp_path_factory.mktemp("cdc")
    design = resolve("async_fifo").with_parameters(DATA_W=9, ADDR_W=4, STYLE="distributed")
    top = design.toplevel
    yosys(
        [*read(design), f"synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top {top}", "write_json n.json"],
        folder,
        "n",
    )
    return json.loads((folder / "n.json").read_text())["modules"][top]


def names(netlist: dict) -> dict[int, str]:
    """Net -> the source name, without index, of the register that drives it; else its shortest name."""
    found = {}
    order = sorted(netlist["netnames"].items(), key=lambda item: (not item[0].endswith("_reg"), len(item[0]), item[0]))
    for name, net in order:
        for bit in net["bits"]:
            if not net["hide_name"]:
                found.setdefault(bit, name)
    return found


def test_constraints_name_what_is_there(netlist):
    registers = {names(netlist).get(c["connections"]["Q"][0]) for c in flip_flops(netlist)} | {"ram.rd_data"}
    for sources in CROSSINGS["async_fifo"].values():
        assert sources <= registers
    xdc = re.sub(r"^#.*", "", (FOLDER / "async_fifo.xdc").read_text(), flags=re.MULTILINE)
    named = set(re.findall(r"[\w/]+_reg(?=\[|[\s}\]])", xdc)) - {"ram/mem_reg"}
    # Vivado names a register's cell after the signal, with the suffix _reg
    assert named and {n.replace("/", ".").removesuffix("_reg") for n in named} <= registers | {"m_data", "ram.rd_data"}
    sdc = re.sub(r"^#.*", "", (FOLDER / "async_fifo.sdc").read_text(), flags=re.MULTILINE)
    named = set(re.findall(r"\$FIFO\|([\w:|]+_reg)", sdc))
    assert named and {re.sub(r"\w+:", "", n).replace("|", ".") for n in named} <= registers


def flip_flops(netlist: dict) -> list[dict]:
    return [c for c in netlist["cells"].values() if re.fullmatch("FD[RSCP]E(_1)?", c["type"])]


def test_nothing_else_crosses(netlist):
    """Trace back from each flip-flop through logic to its sources: one of another clock may only feed the first stage
    of a synchroniser, directly."""
    signal, clock_of = names(netlist), {}
    driver = {}
    for cell in netlist["cells"].values():
        for pin, bits in cell["connections"].items():
            if cell["port_directions"][pin] == "output":
                driver.update((bit, cell) for bit in bits)
    for cell in flip_flops(netlist):
        clock_of[cell["connections"]["Q"][0]] = cell["connections"]["C"][0]
    crossed: dict[str, set[str]] = {}
    for cell in flip_flops(netlist):
        pins = cell["connections"]
        into = signal[pins["Q"][0]]
        for pin in ("D", "CE", "R", "S", "CLR", "PRE"):
            todo, seen, straight = list(pins.get(pin, [])), set(), True
            while todo:
                bit = todo.pop()
                if bit in seen or bit not in driver:
                    continue
                seen.add(bit)
                if bit in clock_of:
                    if clock_of[bit] != pins["C"][0]:
                        assert straight and pin == "D", f"logic between {signal[bit]} and {into}"
                        crossed.setdefault(into, set()).add(signal[bit])
                    continue
                straight = False
                source = driver[bit]
                if source["type"].startswith("RAM"):
                    assert into in ("m_data", "ram.rd_data") and pin == "D"
                    continue
                todo += [
                    b
                    for p, bits in source["connections"].items()
                    if source["port_directions"][p] == "input"
                    for b in bits
                ]
    assert crossed == CROSSINGS["async_fifo"]


@pytest.mark.parametrize("data_w", [8, 64])
def test_example_of_a_mac_that_cannot_wait_lints(data_w):
    lint(resolve("liteeth_mac").with_parameters(DATA_W=data_w, ADDR_W=11))
