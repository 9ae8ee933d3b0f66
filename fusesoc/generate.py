"""The FuseSoC generator of compiler.core: one query to the files of its circuit."""

import os
import sys
from pathlib import Path

import yaml

try:
    from wirestream.compiler.compile import compile_queries
except ModuleNotFoundError:  # FuseSoC took another Python than the project's
    python = Path(__file__).resolve().parents[1] / ".venv" / "bin" / "python"
    if not python.exists() or Path(sys.executable) == python:
        sys.exit("the Python package wirestream is missing: run `make list` once, or pip install the repository")
    os.execv(python, [str(python), *sys.argv])
from wirestream.arguments import text_of
from wirestream.compiler.methods import WindowOptions
from wirestream.compiler.output import write
from wirestream.compiler.planner import CAPACITY, CLOCK_NS
from wirestream.compiler.rewrite import Rewrites
from wirestream.errors import QueryError
from wirestream.schema.streams import load, shipped

USED = {"query", "streams", "clock", "groups", "without", "windows", "luts", "ram_bits", "set"}


def main(config: dict) -> None:
    root, told = Path(config["files_root"]), config.get("parameters") or {}
    if "query" not in told or told.keys() - USED:
        sys.exit(
            f"parameters of the generator: query, and maybe {', '.join(sorted(USED - {'query'}))}; not {list(told)}"
        )
    file = root / told["query"]
    text = ""
    try:
        text = text_of(file)
        streams = [*shipped(), *(load(root / path) for path in told.get("streams", []))]
        rewrites = Rewrites.without(*told.get("without", []))
        clock_ns = 1000 / told["clock"] if "clock" in told else CLOCK_NS
        windows = WindowOptions.read(told.get("windows", []), told.get("luts"), told.get("ram_bits"))
        groups = told.get("groups", CAPACITY)
        compiled = compile_queries(text, streams, file.stem, rewrites, clock_ns, groups, windows)
        write(compiled, Path.cwd(), told.get("set"), config["vlnv"])
    except QueryError as error:
        sys.exit(f"{file}: {error.shown(text)}")
    except (OSError, ValueError) as error:
        sys.exit(f"{file}: {error}")


if __name__ == "__main__":
    main(yaml.safe_load(Path(sys.argv[1]).read_text()))
