"""The FuseSoC generator of compiler.core: compiles one query to the files of its circuit."""

import os
import sys
from pathlib import Path

import yaml

try:
    from wirestream.compiler.compile import compile_queries
except ModuleNotFoundError:  # FuseSoC runs another Python than the project's
    python = Path(__file__).resolve().parents[1] / ".venv" / "bin" / "python"
    if not python.exists() or Path(sys.executable) == python:
        sys.exit("the Python package wirestream is missing: run `make list` once, or pip install the repository")
    os.execv(python, [str(python), *sys.argv])
from wirestream.arguments import text_of
from wirestream.compiler.methods import WINDOW_ROWS, WindowOptions
from wirestream.compiler.output import write
from wirestream.compiler.package import Attach
from wirestream.compiler.planner import CAPACITY, CLOCK_NS
from wirestream.compiler.rewrite import Rewrites
from wirestream.errors import QueryError
from wirestream.schema.streams import load, shipped

USED = {"query", "streams", "clock", "groups", "without", "windows", "luts", "ram_bits", "window_rows", "set", "attach"}


def main(config: dict) -> None:
    root, given = Path(config["files_root"]), config.get("parameters") or {}
    if "query" not in given or given.keys() - USED:
        sys.exit(
            f"the generator's parameters are query and, optionally, {', '.join(sorted(USED - {'query'}))}; "
            f"not {', '.join(given) or 'none'}"
        )
    file = root / given["query"]
    text = ""
    try:
        text = text_of(file)
        streams = [*shipped(), *(load(root / path) for path in given.get("streams", []))]
        rewrites = Rewrites.without(*given.get("without", []))
        clock_ns = 1000 / given["clock"] if "clock" in given else CLOCK_NS
        sizes = given.get("luts"), given.get("ram_bits"), given.get("window_rows", WINDOW_ROWS)
        windows = WindowOptions.read(given.get("windows", []), *sizes)
        groups = given.get("groups", CAPACITY)
        compiled = compile_queries(text, streams, file.stem, rewrites, clock_ns, groups, windows)
        attach = Attach.read(given.get("attach", Attach.ETHERNET))
        write(compiled, Path.cwd(), given.get("set"), config["vlnv"], attach)
    except QueryError as error:
        sys.exit(f"{file}: {error.shown(text)}")
    except (OSError, ValueError) as error:
        sys.exit(f"{file}: {error}")


if __name__ == "__main__":
    main(yaml.safe_load(Path(sys.argv[1]).read_text()))
