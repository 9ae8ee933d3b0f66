"""The synthesis flow counts the right cells, times the right paths, and fails when it should."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tb import REPOSITORY
from tb.lib.run import design as resolved
from wirestream.design import Design, environment
from wirestream.measure import synth
from wirestream.measure.netlist import NetlistFailure
from wirestream.measure.synth import (
    SynthesisFailure,
    check,
    main,
    map_ecp5,
    map_xilinx,
    measure,
    place_and_route,
    timing_of,
)
from wirestream.measure.yosys import YosysFailure

RAM = REPOSITORY / "rtl/common/ws_ram_sdp.v"

# Eight 3-input gates with a register each; two shift registers of 20 bits; 32 x 6 bits of LUT RAM; a block RAM of
# 512 x 18 bits with its output register.
KNOWN = """
module known (
    input clk,
    input [7:0] a, b, c, output reg [7:0] gate,
    input [1:0] d, output [1:0] late,
    input wr_en, rd_en, input [8:0] wr_addr, rd_addr, input [17:0] wr_data,
    output [5:0] small_data, output [17:0] large_data
);
    always @(posedge clk) gate <= a ^ b ^ c;

    reg [19:0] line0, line1;
    always @(posedge clk) begin
        line0 <= {line0, d[0]};
        line1 <= {line1, d[1]};
    end
    assign late = {line1[19], line0[19]};

    ws_ram_sdp #(.DATA_W(6), .ADDR_W(5), .STYLE("distributed")) small (
        .clk(clk), .wr_en(wr_en), .wr_addr(wr_addr[4:0]), .wr_data(wr_data[5:0]),
        .rd_en(rd_en), .rd_addr(rd_addr[4:0]), .rd_data(small_data));
    ws_ram_sdp #(.DATA_W(18), .ADDR_W(9), .OUTPUT_REG(1), .STYLE("block")) large (
        .clk(clk), .wr_en(wr_en), .wr_addr(wr_addr), .wr_data(wr_data),
        .rd_en(rd_en), .rd_addr(rd_addr), .rd_data(large_data));
endmodule
"""
KNOWN_PORT_BITS = 8 * 4 + 2 * 2 + 2 + 2 * 9 + 18 + 6 + 18

# A RAM named ws_ram_sdp whose output register cannot be that of the block RAM, since it has a clock enable.
WRONG_RAM = """
module wrong (input clk, wr_en, enable, input [8:0] addr, input [7:0] wr_data, output [7:0] rd_data);
    (* ram_style = "block", no_rw_check *) reg [7:0] mem [0:511];
    reg [7:0] read_reg;
    always @(posedge clk) begin
        if (wr_en) mem[addr] <= wr_data;
        read_reg <= mem[~addr];
    end
    generate if (1) begin : gen_output_reg
        reg [7:0] output_reg;
        always @(posedge clk) if (enable) output_reg <= read_reg;
    end endgenerate
    assign rd_data = gen_output_reg.output_reg;
endmodule
"""


def make(folder: Path, name: str, text: str, *more: Path) -> Design:
    source = folder / f"{name}.v"
    source.write_text(text)
    return Design(f"wirestream:test:{name}", name, (*more, source))


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    folder = tmp_path_factory.mktemp("known")
    return measure(make(folder, "known", KNOWN, RAM), seeds=1, build=folder), folder


@pytest.mark.parametrize("family", ["xc6v", "xc7"])
def test_counts_known_cells(known, family):
    cells = known[0].cells[family]
    assert (cells.lut, cells.inv, cells.lutram, cells.srl, cells.bram) == (8, 0, 4, 2, 0.5)
    # The gates' registers and the read register of the LUT RAM; the block RAM contains its own. Yosys ends an SRL in a
    # register if that costs no more, so the two shift registers may add two.
    assert cells.ff - 8 - 6 in (0, 2)


def test_counts_luts_in_front_of_carry_chains(tmp_path):
    """y + 1 needs no gates, but every bit of y passes through a LUT into the chain; a + b needs one LUT per bit."""
    text = "module {0} (input clk, input [15:0] a, b, output reg [15:0] y); always @(posedge clk) y <= {1}; endmodule"
    counter = map_xilinx(make(tmp_path, "counter", text.format("counter", "y + 1'b1")), tmp_path, "xc7")
    assert (counter.lut + counter.inv + counter.through, counter.ff) == (16, 16)
    adder = map_xilinx(make(tmp_path, "adder", text.format("adder", "a + b")), tmp_path, "xc7")
    assert (adder.lut, adder.through) == (16, 0)


def test_ecp5_cells_are_without_the_shell(known):
    ecp5 = known[0].ecp5
    assert ecp5["TRELLIS_FF"] == 8 + 2 * 20 + 6
    assert ecp5["DP16KD"] == 1
    netlist = json.loads((known[1] / "known/ecp5.json").read_text())["modules"]["known"]
    assert sum(name.startswith("port ") for name in netlist["cells"]) == KNOWN_PORT_BITS


def test_output_register_is_the_block_rams(known):
    assert known[0].output_registers == 1
    netlist = json.loads((known[1] / "known/ecp5.json").read_text())["modules"]["known"]
    ram = next(c for c in netlist["cells"].values() if c["type"] == "DP16KD")
    assert ram["parameters"]["REGMODE_B"] == "OUTREG"


@pytest.mark.parametrize(
    ("load", "left", "enable"),
    [
        ("y <= p;", 0, "1"),
        ("if (e) y <= p;", 0, "e"),
        (
            "begin if (e) y[15:0] <= p[15:0]; y[31:16] <= p[31:16]; end",
            32,
            None,
        ),  # two enables: not the multiplier's register
    ],
)
def test_register_behind_a_product_is_the_multipliers(tmp_path, load, left, enable):
    ports = "input clk, e, input [15:0] a, b, output reg [31:0] y"
    text = f"module product ({ports}); wire [31:0] p = a * b; always @(posedge clk) {load} endmodule"
    assert map_ecp5(make(tmp_path, "product", text), tmp_path).cells["TRELLIS_FF"] == left
    netlist = json.loads((tmp_path / "ecp5.json").read_text())["modules"]["product"]
    multiplier = next(c for c in netlist["cells"].values() if c["type"] == "MULT18X18D")
    assert (multiplier["parameters"].get("REG_OUTPUT_CLK") == "CLK0") == (enable is not None)
    if enable:
        pin = netlist["cells"]["port e"]["connections"]["Q"][0] if enable == "e" else enable
        assert multiplier["connections"]["CE0"] == [pin]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["skid_buffer", "DATA_W=x"], "DATA_W=x: must be an integer"),
        (["skid_buffer", "NOPE=3"], "NOPE: no such parameter; skid_buffer has DATA_W"),
        (
            ["{query}", "nope=3"],
            "nope: no such option of a query; valid: clock, groups, luts, ram_bits, window_rows, windows, without",
        ),
        (["{query}", "clock=fast"], "clock=fast: must be an integer of at least 1"),
        (["{query}", "ram_bits=x"], "ram_bits=x: must be an integer of at least 0"),
        (["{binary}"], "q.bin.sql: not UTF-8 text"),
    ],
)
def test_wrong_arguments(arguments, message, tmp_path, capsys):
    files = {"query": tmp_path / "q.sql", "binary": tmp_path / "q.bin.sql"}
    files["query"].write_text("SELECT Price FROM Trades")
    files["binary"].write_bytes(b"\xff")
    assert main([*(argument.format(**files) for argument in arguments), "--no-pnr"]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert message in line


def test_number_of_seeds_from_the_environment(monkeypatch, capsys):
    monkeypatch.setenv("SEEDS", "many")
    with pytest.raises(SystemExit):
        main(["skid_buffer"])
    assert "--seeds: 'many' is not an integer of at least 1" in capsys.readouterr().err


def test_times_both_speed_grades_and_names_the_path(known):
    timing = known[0].timing
    assert timing[8].median > timing[6].median > 100
    for t in timing.values():
        assert 1000 / t.median == pytest.approx(t.path.logic_ns + t.path.routing_ns, abs=0.02)
        assert t.path.start and t.path.end and t.path.nets
    saved = json.loads((known[1] / "known.json").read_text())
    assert saved["fmax"]["8"]["seeds"] == {"1": round(timing[8].median, 1)}


def test_required_rate(known):
    check(known[0], require=100)
    with pytest.raises(SynthesisFailure, match="2000 MHz required"):
        check(known[0], require=2000)


def test_path_is_named_as_in_the_source(tmp_path):
    text = """
module slow (input clk, input [15:0] a, output reg [15:0] y);
    reg [15:0] term_reg, sum_reg;
    always @(posedge clk) begin
        term_reg <= a;
        sum_reg <= ((term_reg + 16'd12345) ^ (term_reg >> 3)) + (term_reg + (term_reg >> 5));
        y <= sum_reg;
    end
endmodule
"""
    mapped = map_ecp5(make(tmp_path, "slow", text), tmp_path)
    path = timing_of({1: place_and_route(tmp_path, 8, 1)}, mapped.names).path
    assert path.start.startswith("term_reg[") and path.start.endswith("(slow.v:3)")
    assert path.end.startswith("sum_reg[")


def test_fails_without_a_timed_path(tmp_path):
    text = "module still (input clk, input a, output y); assign y = 1'b1; endmodule"
    mapped = map_ecp5(make(tmp_path, "still", text), tmp_path)
    with pytest.raises(SynthesisFailure, match="no path between registers was timed"):
        timing_of({1: place_and_route(tmp_path, 8, 1)}, mapped.names)


def test_fails_without_a_clock(tmp_path):
    text = "module gate (input a, output y); assign y = ~a; endmodule"
    with pytest.raises(NetlistFailure, match="no port named clk"):
        map_ecp5(make(tmp_path, "gate", text), tmp_path)


def test_fails_if_the_output_register_is_lost(tmp_path):
    with pytest.raises(SynthesisFailure, match="OUTPUT_REG did not become the output register of mem"):
        map_ecp5(make(tmp_path, "wrong", WRONG_RAM), tmp_path)


def test_fails_on_bad_source_and_unknown_parameter(tmp_path):
    with pytest.raises(SynthesisFailure, match="syntax error"):
        measure(make(tmp_path, "broken", "module broken (input clk; endmodule"), pnr=False, build=tmp_path)
    gate = make(tmp_path, "gate", "module gate (input clk, a, output y); assign y = ~a; endmodule")
    with pytest.raises(YosysFailure, match="NO_SUCH"):
        map_ecp5(gate.with_parameters(NO_SUCH=1), tmp_path)


def test_fails_if_place_and_route_fails(tmp_path):
    (tmp_path / "ecp5.json").write_text('{"modules": {}}')
    with pytest.raises(SynthesisFailure, match=r"place and route failed \(speed 8, seed 1\): .*\w"):
        place_and_route(tmp_path, 8, 1)


def test_core_too_large_is_reported_in_cells_only(tmp_path, monkeypatch):
    monkeypatch.setitem(synth.ECP5_CAPACITY, "TRELLIS_FF", 9)
    text = "module large (input clk, input [4:0] a, output [4:0] y); assign y = ~a; endmodule"
    result = measure(make(tmp_path, "large", text), seeds=1, build=tmp_path)
    assert "does not fit" in result.note and not result.timing
    with pytest.raises(SynthesisFailure, match="no clock rate"):
        check(result, 125)


def test_unknown_core_ends_with_one_line(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["no_such_core"])
    assert capsys.readouterr().err == "no core named 'no_such_core'; `wirestream cores` lists them\n"


def test_fusesoc_runs_the_flow():
    fusesoc = [str(Path(sys.executable).parent / "fusesoc"), "run", "--target=synth"]
    core = [resolved("skid_buffer").core, "--DATA_W", "4"]
    done = subprocess.run(
        [*fusesoc, *core], cwd=REPOSITORY, env={**environment(), "SEEDS": "1"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "skid_buffer.DATA_W=4" in done.stdout and "speed 8:" in done.stdout
