"""Compile queries of fusesoc/queries or of a test, simulate them, and check their rows and latencies."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from tb import BUILD
from tb.queries.golden import expected
from tb.queries.streams import CONSTANTS, CREATE, QUERIES, arrival, data
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.description import describe
from wirestream.compiler.methods import WindowOptions
from wirestream.compiler.output import as_design
from wirestream.compiler.rewrite import Rewrites
from wirestream.schema.streams import shipped
from wirestream.sim import simulate


def text(name: str) -> str:
    return (QUERIES / f"{name}.sql").read_text()


def without_repeated_streams(texts: Iterable[str]) -> Iterator[str]:
    """The texts of queries, each stream declared once."""
    known: set[str] = set()
    for sql in texts:
        repeated = [found[0] for found in CREATE.finditer(sql) if found[1] in known]
        known |= {found[1] for found in CREATE.finditer(sql)}
        yield functools.reduce(lambda sql, create: sql.replace(create, ""), repeated, sql)


def compiled(*names: str, without: Sequence[str] = (), **options) -> Compiled:
    """One circuit for queries of fusesoc/queries. options: of `compile_queries`; windows: of `WindowOptions.read`."""
    sql = "\n;\n".join(without_repeated_streams(map(text, names)))
    name = "_".join(names) if len(names) < 3 else f"{names[0]}_to_{names[-1]}"
    options["windows"] = WindowOptions.read(options.get("windows", ()))
    return compile_queries(sql, shipped(), name, Rewrites.without(*without), **options)


def environment(
    description: dict,
    folder: Path,
    rows: Sequence[Path | None],
    constants: Mapping[str, int | str],
    tuples: Callable[[str], np.ndarray] = data,
    order: Callable[[], Iterable[str]] = arrival,
    ordered: bool = False,
) -> dict[str, str]:
    """Write the files that the bench reads; returns its environment variables. rows: the expected ones of each result.
    tuples: those of a stream, by its name. order: the stream's name of each tuple, in order of arrival. ordered:
    whether the expected rows of tuples are in the order of arrival."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [entry["stream"]["name"] for entry in description["entries"]]
    streams = [str(folder / f"{name}.npy") for name in names]
    for name, file in zip(names, streams, strict=True):
        np.save(file, tuples(name))
    found = [str(path) if path else None for path in rows]
    file = folder / "circuit.json"
    content = {"description": description, "streams": streams, "rows": found, "constants": dict(constants)}
    content["ordered"] = ordered
    if description["grace"] is not None:  # a join, whose rows depend on the order of arrival
        content["arrival"] = [names.index(name) for name in order() if name in names]
    file.write_text(json.dumps(content))
    return {"CIRCUIT": str(file)}


def check(*names: str, without: Sequence[str] = (), **options) -> None:
    """Raise unless the queries, in one circuit, output PySpark's rows with the latency that the compiler states."""
    built = compiled(*names, without=without, **options)
    folder = BUILD / "queries" / "-".join((built.circuit.name, *without, *options.get("windows", ())))
    constants = {k: v for name in names for k, v in CONSTANTS.get(name, {}).items()}
    rows = [expected() / f"{name}.json" for name in names]
    assert all(json.loads(path.read_text()) for path in rows), "a query without rows tests nothing"
    simulated(built, folder, rows, constants, ordered=True)


def simulated(
    built: Compiled,
    folder: Path,
    rows: Sequence[Path | None],
    constants: Mapping[str, int | str],
    **given,
) -> None:
    """Raise unless the circuit outputs the rows with the latency that the compiler states; see `environment`."""
    env = environment(describe(built.circuit), folder, rows, constants, **given)
    simulate.simulate(as_design(built, folder), "tb.queries.circuit", env=env)


def environment_of(name: str, described: Path) -> dict[str, str]:
    """The environment variables of the bench for a query of fusesoc/queries; described: its description."""
    rows, folder = [expected() / f"{name}.json"], BUILD / "queries" / f"{name}.fusesoc"
    return environment(json.loads(described.read_text()), folder, rows, CONSTANTS.get(name, {}))
