"""The LiteX example is built, and simulated from its bus."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec

import pytest

from tb import BUILD, REPOSITORY
from tb.host.litex_soc import CSRS, LEAST
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.output import as_design
from wirestream.compiler.package import Attach
from wirestream.schema.streams import shipped
from wirestream.sim.simulate import simulate

NAME = "litex_rows"
SQL = f"SELECT Time, Price FROM Trades WHERE Price > {LEAST} INTO Rows"


def test_the_example():
    if not find_spec("litex"):
        pytest.skip("litex is not installed: no LiteX example; the extra dev has it")
    folder = BUILD / "host" / NAME
    query = as_design(compile_queries(SQL, shipped(), NAME), folder, "_host", attach=Attach.HOST)
    script = REPOSITORY / "docs" / "examples" / "litex" / "soc.py"
    subprocess.run([sys.executable, str(script), NAME, str(folder)], check=True, capture_output=True, cwd=folder)
    text = (folder / "soc.v").read_text()
    for file in folder.glob("*.init"):  # the simulator runs in another folder
        text = text.replace(f'"{file.name}"', f'"{file}"')
    (folder / "soc.v").write_text(text)
    soc = replace(query, toplevel="soc", sources=(*query.sources, folder / "soc.v"))
    simulate(soc, "tb.host.litex_soc", env={CSRS: str(folder / "soc.json")})
