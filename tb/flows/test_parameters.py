"""The parameters of every core are in its `.core` file with the text of its header, and deviations are found. The hash
of a core's netlist shows whether a change of the Verilog changed the hardware."""

import shutil
from dataclasses import replace

import pytest
import yaml

from tb.lib.run import design
from wirestream.measure import parameters as measured
from wirestream.measure.cores import Core, cores
from wirestream.measure.fingerprint import fingerprint
from wirestream.measure.parameters import Parameter, description, evaluate, findings, main, rewrite, violations

ALL = {core.name: core for core in cores()}


@pytest.mark.parametrize("core", ALL.values(), ids=lambda core: core.name)
def test_core_file_says_what_the_header_says(core: Core):
    """The same as `make lint`."""
    assert not findings(core)


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("width of a word in bits, at least 1", ["at least 1"]),
        ("2**ADDR_W words, 1 to 24; at least 7 are described here", ["1 to 24"]),
        ("panes in a window, 1 to 65,536", ["1 to 65,536"]),
        ("width of tdata in bits: 8 (1 Gb/s) or 64 (10 Gb/s)", ["8 or 64"]),
        ("entries of the table, 8, 16, 32 or 64. Not 7", ["8, 16, 32 or 64"]),
        ('kind of memory, "auto", "block" or "distributed"', ['"auto", "block" or "distributed"']),
        ("numbers in the window: a power of two, 4 to 256", ["a power of two", "4 to 256"]),
        ("longest message, a multiple of DATA_W / 8, DATA_W / 4 to 8 * DATA_W", None),
        ("width of a sum, at least TERM_W and at least 2", ["at least TERM_W", "at least 2"]),
        ("width of waiting, more than NUMBER_W, at most 64", ["more than NUMBER_W", "at most 64"]),
        ("words of DATA_W bits, 6 to (DATA_W == 8 ? 14 : 11)", ["6 to (DATA_W == 8 ? 14 : 11)"]),
        ("1: the outputs are registers; 0: they follow the inputs", ["0 or 1"]),
        ("0: in LUTs; 1: in block RAM; 2: with registers", ["0, 1 or 2"]),
        ("seed of the hash functions, any", ["any"]),
        ("kind of memory, see ws_ram_sdp", []),
        ("the four bytes selected", []),
    ],
)
def test_ranges_are_read(text, bounds):
    found = Parameter("X", "", "1", text).bounds or ()
    expected = ["a multiple of DATA_W / 8", "DATA_W / 4 to 8 * DATA_W"] if bounds is None else bounds
    assert [str(bound) for bound in found] == expected


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2**(W - 1)", 128),
        ("W == 8 ? 14 : 11", 14),
        ("$clog2(W + 1)", 4),
        ("(W > 8 ? 1 : 0) + W / 3", 2),
        ("1,024", 1024),
    ],
)
def test_expressions_have_their_value(expression, value):
    assert evaluate(expression, {"W": 8}) == value


def test_every_bound_is_violated_once():
    assert violations("ws_ram_sdp") == [
        ("DATA_W", 0),
        ("ADDR_W", 0),
        ("ADDR_W", 25),
        ("OUTPUT_REG", -1),
        ("OUTPUT_REG", 2),
        ("STYLE", "?"),
    ]
    assert ("REORDER", 96) in violations("ws_line_arbiter") and ("DATA_W", 9) in violations("ws_axis_arbiter")


def test_a_reference_gives_words_and_range():
    assert description("ws_sync_fifo", "STYLE") == 'Kind of memory, "auto", "block" or "distributed"'
    assert description("ws_udp_echo", "N_PORTS") == "UDP ports to receive on, 1 to 16"


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the core event_counters in its own folder."""
    core = ALL["event_counters"]
    for path in (core.path, core.verilog):
        shutil.copy(path, tmp_path)
    monkeypatch.setattr(measured, "RTL", tmp_path)
    monkeypatch.setattr(measured, "HOME", tmp_path)
    measured.parameters.cache_clear()
    yield replace(core, path=tmp_path / core.path.name)
    measured.parameters.cache_clear()


@pytest.mark.parametrize(
    ("suffix", "old", "new", "message"),
    [
        ("core", "Number of events, 1 to 1024", "Events", "N: the description is 'Events', the header says 'Number of"),
        ("core", "# not offered: INDEX_W: follows from N\n", "", "INDEX_W: neither offered nor listed as not"),
        ("core", "# not offered: INDEX_W:", "# not offered: INDEX_W, N:", "N: both offered and listed as not offered"),
        ("core", "# not offered: INDEX_W:", "# not offered: INDEX_W, M:", "M: the module has no such parameter"),
        ("core", "datatype: int", "datatype: str", "N: the datatype is str"),
        ("core", "datatype: int", "datatype: int\n    default: 7", "N: the default is 7, the module's 8"),
        ("core", '"is_toplevel? (N)", ', "", "N: not a parameter of the default target"),
        ("v", ", 1 to 1024", "", "N: the header gives no range"),
        ("v", "//              INDEX_W  follows from N\n", "", "INDEX_W: not in the header"),
        (
            "v",
            "//              INDEX_W ",
            "//              INDEX_V ",
            "Parameters: the header names INDEX_V, which the",
        ),
    ],
)
def test_a_deviation_is_found(copy, suffix, old, new, message):
    path = copy.path if suffix == "core" else copy.verilog
    assert not findings(copy) and old in path.read_text()
    measured.parameters.cache_clear()
    path.write_text(path.read_text().replace(old, new, 1))
    found = findings(copy)
    assert found and found[0].startswith(f"{path.name}: {message}"), found


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("//              see ws_fix_parameters.vh\n", "", "ws_fix_stream.v: N_MESSAGES: not in the header"),
        (
            '    `include "ws_fix_parameters.vh"\n',
            "    parameter TYPES = 0\n",
            "ws_fix_stream.v: Parameters: the header names N_MESSAGES, N_FIELDS",
        ),
    ],
)
def test_a_shared_list_is_read(tmp_path, monkeypatch, old, new, said):
    """An include file with parameters, which describes them in its own header."""
    core = ALL["fix_stream"]
    for path in (core.path, core.verilog, core.path.with_name("ws_fix_parameters.vh")):
        shutil.copy(path, tmp_path)
    monkeypatch.setattr(measured, "RTL", tmp_path)
    monkeypatch.setattr(measured, "HOME", tmp_path)
    copied = replace(core, path=tmp_path / core.path.name)
    measured.parameters.cache_clear()
    assert not findings(copied) and measured.parameters("ws_fix_stream")["TYPES"].default == '"D"'
    measured.parameters.cache_clear()
    assert old in copied.verilog.read_text()
    copied.verilog.write_text(copied.verilog.read_text().replace(old, new))
    found = findings(copied)
    measured.parameters.cache_clear()
    assert found and found[0].startswith(said), found


def test_the_headers_words_are_written(copy):
    copy.path.write_text(copy.path.read_text().replace("Number of events, 1 to 1024", "Events\n      of\n      old", 1))
    rewrite(copy)
    assert not findings(copy)
    assert yaml.safe_load(copy.path.read_text())["parameters"]["N"]["description"] == "Number of events, 1 to 1024"


def test_the_command(capsys):
    with pytest.raises(SystemExit) as end:
        main(["ram_sdp", "skid_buffer"])
    assert not end.value.code and capsys.readouterr().out == "5 parameters of 2 cores agree with their headers\n"
    with pytest.raises(SystemExit, match="2"):
        main(["nothing"])
    assert "no core named nothing" in capsys.readouterr().err


def test_a_hash_is_of_the_hardware(tmp_path):
    """Moved lines and an added check keep the hash; another operator and another input change it."""
    one = design("remainder")
    text = ALL["remainder"].verilog.read_text()

    def changed(old: str, new: str) -> str:
        (tmp_path / "ws_remainder.v").write_text(text.replace(old, new, 1))
        assert text != (tmp_path / "ws_remainder.v").read_text()
        return fingerprint(replace(one, sources=(tmp_path / "ws_remainder.v",)))

    same = fingerprint(one)
    assert same == changed("module ws_remainder", "\n\nmodule ws_remainder")
    assert same == changed("\n);\n", "\n);\n    initial if (DIVISOR < 0) $finish;\n")
    assert same != changed("brought >= DIVISOR", "brought > DIVISOR")
    assert same != changed("!start && !rst", "!start")
