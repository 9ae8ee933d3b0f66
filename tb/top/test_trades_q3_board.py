"""trades_q3_board on each board: every port has a pin, and the design elaborates with the vendor's cells; for an ECP5 a
bitstream is built that meets its clock. Tests of the design at its pins: test_trades_q3_rgmii, test_trades_q3_gmii."""

import re
from pathlib import Path

import pytest

from tb import BUILD
from wirestream.design import Design, describe, from_edam
from wirestream.measure.bitstream import BitstreamFailure, Chip, build
from wirestream.measure.yosys import read, yosys

BOARDS = {
    "versa_ecp5": "trades_q3_rgmii",
    "nexys_video": "trades_q3_rgmii",
    "kc705": "trades_q3_gmii",
    "ml605": "trades_q3_gmii",
    "arty_a7": "trades_q3_mii",
}
PLACES = {  # in a constraints file: a pin and its port
    ".lpf": r'^LOCATE COMP "(?P<port>[^"]+)"\s+SITE "(?P<pin>\w+)";',
    ".xdc": r"^set_property -dict \{PACKAGE_PIN (?P<pin>\w+) .*\[get_ports \{(?P<port>[^}]+)\}\]",
    ".ucf": r'^NET "(?P<port>[^"]+)" LOC = "(?P<pin>\w+)"',
}
CLOCKS = {
    ".lpf": r'^FREQUENCY PORT "(\w+)" 125 MHZ;',
    ".xdc": r"^create_clock -period (?:8|10|40).000 \[get_ports (\w+)\]",
    ".ucf": r'^NET "(\w+)" TNM_NET = "rx_clk";\nTIMESPEC "TS_rx_clk" = PERIOD "rx_clk" 8 ns',
}
CELLS = {".lpf": "ecp5/cells_bb.v", ".xdc": "xilinx/cells_xtra.v", ".ucf": "xilinx/cells_xtra.v"}


@pytest.mark.parametrize("board", BOARDS)
def test_board(board, tmp_path):
    edam = describe(BOARDS[board], board)
    (file,) = [
        BUILD / f["name"] for f in edam["files"] if Path(f["name"]).suffix in PLACES and f["file_type"] != "user"
    ]
    design = from_edam(edam, BUILD)
    cells = CELLS[file.suffix]
    library = [cells.replace("cells_bb", "cells_sim").replace("cells_xtra", "cells_sim"), cells]
    words = yosys(
        [
            *(f"read_verilog -lib -nooverwrite +/{name}" for name in library),
            *read(design),
            "proc",
            f"portlist {design.toplevel}",
        ],
        tmp_path,
        "elaborate",
    )
    ports = set()
    for width, name in re.findall(r"^(?:input|output) (?:wire )?\[(\d+):0\] (\w+)$", words, re.MULTILINE):
        ports |= {f"{name}[{n}]" for n in range(int(width) + 1)} if int(width) else {name}
    places = [match.groupdict() for match in re.finditer(PLACES[file.suffix], file.read_text(), re.MULTILINE)]
    named = [place["port"].replace("<", "[").replace(">", "]") for place in places]
    assert sorted(named) == sorted(ports) and len(ports) > 15
    assert len({place["pin"] for place in places}) == len(places)
    clocks = set(re.findall(CLOCKS[file.suffix], file.read_text(), re.MULTILINE))
    assert clocks == {port for port in ports if re.fullmatch(r"clk|\w*rx_?clk\w*|\w*rxc|mii_tx_clk", port)}


PINS = "\n".join(f'LOCATE COMP "{port}" SITE "{pin}";' for port, pin in {"clk": "L20", "d": "T20", "q": "U20"}.items())


def small(tmp_path, frequency: int, top: str) -> tuple:
    """A design of a register, and its constraints."""
    source, pins = tmp_path / "small.v", tmp_path / "small.lpf"
    source.write_text(f"module {top} (input clk, d, output reg q); always @(posedge clk) q <= ~d ^ q; endmodule\n")
    pins.write_text(f'{PINS}\nFREQUENCY PORT "clk" {frequency} MHZ;\n')
    return source, pins


def test_bitstream(tmp_path):
    """A bitstream is built for a design, but not for one that misses its clock or has no pins."""
    chip = Chip("um-45k", "CABGA381", "8")
    source, pins = small(tmp_path, 125, "ws_small")
    design = Design("wirestream:test:small", "ws_small", (source,))
    made = build(design, chip, [pins])
    assert made.file.read_bytes()[:2] == b"\xff\x00" and [c.name for c in made.clocks] == ["clk"]
    assert made.clocks[0].reached > made.clocks[0].asked == 125
    _, fast = small(tmp_path, 5000, "ws_small")
    with pytest.raises(BitstreamFailure, match=r"clk reaches .* of 5000 MHz"):
        build(design, chip, [fast])
    with pytest.raises(BitstreamFailure, match="assigns its pins"):
        build(design, chip, [])


@pytest.mark.soak
def test_versa_ecp5():
    """125 MHz at the board's own speed grade, with its pins."""
    edam = describe(BOARDS["versa_ecp5"], "versa_ecp5")
    pins = [BUILD / f["name"] for f in edam["files"] if f.get("file_type") == "LPF"]
    made = build(from_edam(edam, BUILD), Chip(**edam["flow_options"]), pins)
    assert [clock.name for clock in made.clocks] == ["eth_rxc"]
