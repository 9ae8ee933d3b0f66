"""The wheel works outside the checkout: each command runs its smallest example in a separate environment."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tb import REPOSITORY
from tb.lib import tree
from wirestream.cli import COMMANDS

QUERY = "SELECT Symbol, Price / 100 AS P FROM Trades WHERE Price > $limit INTO High\n"
EXTRAS = ("", "[sim]")


class Away:
    """A folder outside the checkout, and a Python with the wheel installed."""

    def __init__(self, python: Path, folder: Path):
        self.python, self.folder = python, folder
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST", "WIRESTREAM"))}
        self.env["XDG_CACHE_HOME"] = str(folder / "cache")

    def run(self, *words: str, fails: bool = False) -> str:
        """Run Python and return its output."""
        done = subprocess.run(
            [self.python, *words], cwd=self.folder, env=self.env, text=True, capture_output=True, timeout=600
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    def wirestream(self, *words: str, fails: bool = False) -> str:
        return self.run(str(self.python.parent / "wirestream"), *words, fails=fails)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel, built from a copy, since a build leaves files in the tree."""
    copy, folder = tree.copy(tmp_path_factory.mktemp("copy") / "tree"), tmp_path_factory.mktemp("wheel")
    done = tree.python(copy, "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder), ".")
    assert not done.returncode, done.stdout
    (built,) = folder.glob("wirestream-*.whl")
    return built


def environment(folder: Path, *install: str) -> Path:
    """The Python of a new environment in which pip installs `install`."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, *install], check=True)
    return python


@pytest.fixture(scope="module")
def away(wheel, tmp_path_factory) -> Away:
    """An environment that sees the development packages, but not the checkout."""
    python = environment(tmp_path_factory.mktemp("environment") / "venv", "--no-deps", str(wheel))
    (packages,) = (python.parents[1] / "lib").glob("python*/site-packages")
    (packages / "development.pth").write_text(sysconfig.get_path("purelib") + "\n")
    place = Away(python, tmp_path_factory.mktemp("away"))
    (place.folder / "high.sql").write_text(QUERY)
    (place.folder / "plain.sql").write_text(QUERY.replace(" / 100", ""))
    return place


def test_it_is_the_wheel(away):
    """No module comes from the checkout, and the package contains each folder of the cores."""
    found = away.run("-c", "import wirestream, spark_golden; print(wirestream.__file__, spark_golden.__file__)")
    assert str(REPOSITORY) not in found
    page = "from wirestream.host.page import FILES, STATIC; print(*(STATIC / file for file in FILES.values()))"
    files = away.run("-c", page).split()
    assert len(files) == 3 and all(Path(file).is_file() for file in files)
    assert "rows" in away.run("-c", "from wirestream.schema.counters import meaning; print(meaning('query_row'))")
    for folder in ("rtl", "fusesoc", "constraints"):
        path = Path(away.wirestream("path", folder).strip())
        inside = {p.relative_to(path) for p in path.rglob("*") if p.is_file() and p.suffix != ".pyc"}
        listed = subprocess.run(["git", "ls-files", folder], cwd=REPOSITORY, capture_output=True, text=True).stdout
        assert {Path(line).relative_to(folder) for line in listed.split()} == inside


def test_queries(away):
    assert "latency" in away.wirestream("explain", "plain.sql", "--svg", "plain.svg")
    assert "ws_query_plain.v" in away.wirestream("compile", "plain.sql", "-o", "plain")
    assert {"plain.core", "ws_query_plain.v"} <= {path.name for path in (away.folder / "plain").iterdir()}
    assert "wirestream:common:demux" in away.wirestream("cores")
    for name in COMMANDS:
        assert f"usage: wirestream {name}" in away.wirestream(name, "--help")
    assert "is now `wirestream split`" in away.wirestream("place", "plain.sql", fails=True)
    assert "one of compile" in away.wirestream("compil", "plain.sql", fails=True)
    assert "$limit has no value" in away.wirestream("split", "high.sql", "--rate", "1M", "-o", "both", fails=True)


def test_from_packets_to_rows(away):
    """Both parts of a divided query, and the rows of the whole on the board, which is built in the user's cache."""
    away.wirestream("trades", "--pcap", "in.pcap", "--count", "200", "--rate", "0")
    away.wirestream("orders", "--pcap", "orders.pcap", "--count", "5")
    assert (away.folder / "orders.pcap").stat().st_size > 300
    away.wirestream("split", "high.sql", "--rate", "1M", "--set", "limit=9000", "-o", "both")
    board = away.wirestream(
        "board", "both/high_fpga.sql", "--in", "in.pcap", "--out", "out.pcap", "--set", "limit=9000", "--json"
    )
    assert (away.folder / "cache" / "wirestream" / "board").is_dir()
    received = away.wirestream("receive", "both/high_fpga.sql", "--capture", "out.pcap", "--csv", "rows.csv")
    rows = (away.folder / "rows.csv").read_text().splitlines()[1:]
    assert f"{len(rows)} rows" in received and f'"query_row": {len(rows)}' in board and len(rows) > 20
    away.run("both/high_spark.py", "--pcap", "out.pcap", "--out", "high")
    count = "import pyarrow.parquet as q; t = q.read_table('high'); print(t.num_rows, *t.column_names)"
    assert away.run("-c", count).split() == [str(len(rows)), "Symbol", "P"]


def test_builds_go_where_they_are_asked_to(away):
    no_capture = ["--in", "plain.sql", "--out", "o"]
    output = away.wirestream("--build-dir", "here", "board", "plain.sql", *no_capture, fails=True)
    assert "not a pcap file" in output and (away.folder / "here" / "board").is_dir()


@pytest.mark.parametrize("program", ["send_trades.py", "recv_results.py"])
def test_host_tools_start_without_spark_and_yosys(program):
    code = (
        "import runpy, sys; sys.argv = ['program', '--help']\n"
        f"try: runpy.run_path({str(REPOSITORY / 'tools' / program)!r})\n"
        "except SystemExit: pass\n"
        "print(*sorted({'pyspark', 'pyosys', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "numpy"


@pytest.mark.soak
@pytest.mark.parametrize("extra", EXTRAS)
def test_what_an_extra_installs_is_enough(wheel, tmp_path, extra):
    """Installed as by a user, with no other packages."""
    python = environment(tmp_path / "venv", f"wirestream{extra} @ file://{wheel}")
    place = Away(python, tmp_path)
    (tmp_path / "plain.sql").write_text(QUERY.replace(" / 100", ""))
    for words in (
        ("explain", "plain.sql"),
        ("compile", "plain.sql", "-o", "plain"),
        ("split", "plain.sql", "--rate", "1M", "--set", "limit=9000"),
        ("trades", "--pcap", "in.pcap", "--count", "20", "--rate", "0"),
        ("cores",),
        ("path", "rtl"),
    ):
        place.wirestream(*words)
    board = ("board", "plain.sql", "--in", "in.pcap", "--out", "out.pcap", "--set", "limit=9000")
    if not extra:
        assert "pip install 'wirestream[sim]'" in place.wirestream(*board, fails=True)
        return
    assert "query_row" in place.wirestream(*board)
    place.wirestream("receive", "plain.sql", "--capture", "out.pcap")
