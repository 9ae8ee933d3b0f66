"""No file is too long to read in one sitting, as counted by tb/lib/lengths.py, and a file that is too long is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb.lib.lengths import code_lines, main, reason, too_long

HEADER = "// ws_long: long.\n//\n// Latency      1 cycle\n"
REASON = "// Length       one table\n"
BODY = "`default_nettype none\n\nmodule ws_long;\n"
FORMAL = "`ifdef FORMAL\n    assert property;\n`ifdef WIDE\n    wire w;\n`endif\n`endif\n"


def test_no_file_is_too_long():
    found = too_long()
    assert not found, "divide it, or give the reason in a Verilog file's header (docs/maintaining.md)"


def verilog(lines: int, reason: str = "") -> str:
    """A file with `lines` lines of code, and other lines that do not count."""
    code = "    wire [1:0] a; // one\n\n    /* two\n three */\n" * (lines - 3)
    return f"{HEADER}{reason}\n{BODY}{code}{FORMAL}endmodule\n"


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("tools/a/b.py", "\n" * 501, 501),
        ("tools/a/b.py", "\n" * 500, None),
        ("spark_golden/b.py", "#\n" * 501, 501),
        ("tb/b.py", "\n" * 501, None),
        ("rtl/a/ws_long.v", verilog(351), 351),
        ("rtl/a/ws_long.v", verilog(350), None),
        ("rtl/a/ws_long.v", verilog(351, REASON), None),
        ("rtl/a/ws_long.v", verilog(351) + REASON, 351),
        ("tb/a/ws_long.v", verilog(400), 400),
    ],
)
def test_what_is_too_long_is_found(tmp_path: Path, capsys, path: str, text: str, lines: int | None):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert main([str(tmp_path)]) == (lines is not None)
    output = capsys.readouterr().out
    assert output.startswith(f"{path}: {lines} lines") and output.count("\n") == 1 if lines else output == ""


def test_only_properties_are_left_out():
    branches = "`ifdef FORMAL\n    localparam N = 1;\n`else\n    localparam N = 2;\n`endif\n"
    assert code_lines("`ifdef WIDE\n    wire w;\n`endif\n") == 3
    assert code_lines(branches) == 2  # N = 2 and its `endif


@pytest.mark.parametrize(
    "line", ["// Length of the frame", "// Length      ", "//     Length  of the frame", "// Lengths  one"]
)
def test_a_reason_is_a_topic_of_the_header(line: str):
    assert reason(f"{HEADER}{line}\n\n{BODY}") == ""
    assert reason(f"{HEADER}{REASON}\n{BODY}") == "one table"
