"""The modules around a circuit by what it is attached to: which are written, and that Verilator has no warning."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import yaml

from tb import REPOSITORY
from tb.queries.orders import QUERIES as ORDERS
from tb.queries.run import QUERIES, compiled
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.output import as_design, write
from wirestream.compiler.package import Attach, package
from wirestream.measure.lint import lint
from wirestream.schema.streams import shipped

OTHERS = {"DATA_W = 64": "DATA_W = 8", "MEMORY_W = 64": "MEMORY_W = 512", "ADDR_W = 32": "ADDR_W = 64",
          'FULL = "STALL"': 'FULL = "DROP"'}  # fmt: skip
WRITTEN = {Attach.ETHERNET: ["axis", "gmii"], Attach.HOST: ["host"], Attach.BOTH: ["host"]}


def built(name: str) -> Compiled:
    """A shipped query, or several joined by +."""
    if (file := ORDERS / f"{name}.sql").exists():
        return compile_queries(file.read_text(), shipped(), name)
    return compiled(*name.split("+"))


@pytest.mark.parametrize("attach", Attach)
def test_what_is_written(attach, tmp_path):
    """The circuit is the same; the .core file has a target for each module around it."""
    made = built("watch")
    names = [path.name for path in write(made, tmp_path, attach=attach)]
    modules = [f"ws_query_watch_{edge}" for edge in WRITTEN[attach]]
    assert names == ["ws_query_watch.v", *(f"{module}.v" for module in modules), "watch.json", "watch.core"]
    assert (tmp_path / "ws_query_watch.v").read_text() == made.verilog
    targets = yaml.safe_load((tmp_path / "watch.core").read_text().removeprefix("CAPI=2:\n"))["targets"]
    assert {name: target["toplevel"] for name, target in targets.items()} == {
        "default": "ws_query_watch", **dict(zip(WRITTEN[attach], modules, strict=True)),
    }  # fmt: skip
    described = json.loads((tmp_path / "watch.json").read_text())["package"]
    around = package(made.circuit, attach=attach)
    assert described["counters"] == list(around.counters) and described["registers"] == around.registers
    network = [name for name in around.counters if name.startswith(("udp_", "arp_", "mac_"))]
    assert bool(network) == (attach != Attach.HOST)
    assert ("query_datagram" in around.counters) == (attach != Attach.HOST)


def test_unknown_attachment():
    assert Attach.read("both") == Attach.read("BOTH") == Attach.BOTH
    with pytest.raises(ValueError, match="attach pcie: must be ETHERNET, HOST, BOTH"):
        Attach.read("pcie")


@pytest.mark.parametrize("attach", [Attach.HOST, Attach.BOTH])
@pytest.mark.parametrize("name", ["watch", "top_by_symbol", "venue_arbitrage", "watch+widest_spread", "feed_streams"])
def test_what_is_written_is_clean(name, attach, tmp_path):
    """Constants, an overflow stream, a JOIN, records of several lengths, a feed of two lines; both widths of memory."""
    whole = as_design(built(name), tmp_path / name, "_host", attach=attach)
    lint(whole)
    (file,) = (path for path in whole.sources if path.stem == whole.toplevel)
    text = file.read_text()
    for default, other in OTHERS.items():  # not by -G, for which Verilator warns of widths that it accepts otherwise
        assert text.count(f"parameter {default}") == 1
        text = text.replace(f"parameter {default}", f"parameter {other}")
    file.write_text(text)
    lint(whole)


def test_the_generator_takes_it(tmp_path):
    """FuseSoC's generator has the parameter `attach`; a wrong value stops it with a reason."""
    config = {"files_root": str(QUERIES), "vlnv": "wirestream:queries:mine:0.1.0"}
    done = {}
    for attach in ("host", "pcie"):
        (tmp_path / attach).mkdir()
        file = tmp_path / attach / "config.yml"
        file.write_text(yaml.safe_dump(config | {"parameters": {"query": "watch.sql", "attach": attach}}))
        command = [sys.executable, str(REPOSITORY / "fusesoc" / "generate.py"), str(file)]
        done[attach] = subprocess.run(command, cwd=tmp_path / attach, capture_output=True, text=True)
    assert done["host"].returncode == 0, done["host"].stderr
    assert (tmp_path / "host" / "ws_query_watch_host.v").exists()
    assert done["pcie"].returncode == 1 and "attach pcie: must be ETHERNET, HOST, BOTH" in done["pcie"].stderr
