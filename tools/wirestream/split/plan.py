"""The choice among the cuts of a query, the reason for each operator's place, and the files of both parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from wirestream.compiler.output import write
from wirestream.errors import QueryError
from wirestream.schema.streams import Stream
from wirestream.split import cost, spark
from wirestream.split.cost import Chip, Load, Priced, si
from wirestream.split.cuts import Cut, Depth, Operator, cuts, operators
from wirestream.split.query import DividedQuery, parse

FPGA, SPARK = "FPGA", "Spark"


@dataclass(frozen=True)
class Plan:
    """cuts: all cuts, first the one that leaves all to Spark. best: the chosen cut; steps: Spark's steps for it."""

    query: DividedQuery
    load: Load
    constants: Mapping[str, int | str]
    tables: Mapping[str, Path]
    cuts: list[Priced]
    best: Priced
    steps: list[spark.Step]

    @cached_property
    def operators(self) -> list[tuple[Operator, str, str]]:
        """Each operator with where it runs, and why."""
        found = []
        for operator in operators(self.query):
            here = self.best.cut.has(operator)
            found.append((operator, FPGA if here else SPARK, self._gain(operator) if here else self._why(operator)))
        return found

    @property
    def left(self) -> bool:
        """Whether Spark computes anything but overflowing groups."""
        return len(self.steps) > 1

    def _gain(self, operator: Operator) -> str:
        if operator.depth == Depth.WHOLE:
            return ""
        if operator.text.startswith(("WHERE", "HAVING")):
            return "fewer rows reach Spark"
        if not self.best.groups or operator.block != self.best.cut.block:
            return "one row per window reaches Spark"
        return f"{self.best.groups} groups fit{', Spark computes the others' * self.finished}"

    def _why(self, operator: Operator) -> str:
        if operator.lacks:
            return f"the chip does not support {operator.lacks}" if " " not in operator.lacks else operator.lacks
        with_it = [priced for priced in self.cuts if priced.cut.has(operator)]
        if not with_it:
            return self._below(operator)
        nearest = with_it[0]
        if nearest.refused or nearest.short:
            return nearest.refused or nearest.short
        if nearest.to_do > self.best.to_do:
            return f"{si(nearest.to_do)} rows/s would reach Spark instead of {si(self.best.to_do)}"
        return "without it as many rows reach Spark, from a smaller circuit"

    def _below(self, operator: Operator) -> str:
        chain, every = self.query.chain, operators(self.query)
        if operator.depth == Depth.SELECT and any(b.window and b.spec.in_time for b in chain[operator.block :]):
            return "Spark decides lateness, which needs all tuples"
        lacking = [n for n, other in enumerate(every) if other.lacks]
        if all(every[n].block == operator.block and n > every.index(operator) for n in lacking):
            return "belongs to the rest of its SELECT"
        return "its input is computed on Spark"

    @property
    def finished(self) -> bool:
        """Whether Spark computes the groups that overflow on the chip."""
        return finishes(self.best)

    @property
    def files(self) -> tuple[str, str]:
        """Names of the chip's query, "" if it has none, and of Spark's job."""
        name = self.query.name.lower()
        return f"{name}_fpga.sql" * bool(self.best.cut.sql), f"{name}_spark.py"

    def write(self, folder: Path) -> list[Path]:
        """Write both parts, and return their files."""
        folder.mkdir(parents=True, exist_ok=True)
        chip, host = self.files
        about = spark.job(self.query, self.best.cut, self.steps, folder / host, self.constants, self.tables)
        texts = {host: about}
        if chip:
            circuit = self.best.built.circuit
            values = {name: value for name, value in self.constants.items() if name in circuit.runtime}
            written = write(self.best.built, folder / spark.CHIP_FOLDER, values)
            schema = circuit.results[0].schema
            texts |= {chip: f"{self.best.cut.sql}\n", f"{schema.name.lower()}.yml": _yml(Stream(schema))}
        else:
            written = []
            texts |= {f"{name.lower()}.yml": _yml(self.query.streams[name]) for name in self.query.reads}
        for name, text in texts.items():
            (folder / name).write_text(text)
        return [*(folder / name for name in texts), *written]


def _yml(stream: Stream) -> str:
    schema = stream.schema
    fields = "".join(f"  {field.name}: {field.declared}\n" for field in schema.fields)
    time = f"time: {stream.time}\n" if stream.time else ""
    unit = f"unit: {stream.declared_unit}\n" if stream.declared_unit else ""
    return f"name: {schema.name}\nid: {schema.stream_id:#x}\nfields:\n{fields}{time}{unit}"


def finishes(priced: Priced) -> bool:
    circuit = priced.built.circuit if priced.built else None
    return bool(priced.cut.grouped and circuit and circuit.spills and not cost.not_finished(priced.cut, circuit))


def divide(
    text: str,
    streams: Iterable[Stream],
    load: Load,
    chip: Chip,
    constants: Mapping[str, int | str] | None = None,
    tables: Mapping[str, Path] | None = None,
    name: str = "Result",
) -> Plan:
    """The cheapest cut of a query that fits and keeps up. name: of the result, if the text has no INTO. Raises
    QueryError if the text cannot be parsed, or cannot be computed by chip and Spark."""
    constants, tables = constants or {}, tables or {}
    query = parse(text, {stream.schema.name: stream for stream in streams}, tables, name)
    if missing := [name for name in query.constants if name not in constants]:
        raise QueryError(f"${missing[0]} has no value; give one by --set {missing[0]}=…")
    found = []
    for cut in cuts(query):
        priced, steps = cost.priced(cut, query, load, chip, constants, _top(query, cut)), []
        try:
            steps = spark.steps(query, cut, finishes(priced))
        except QueryError as error:
            priced = replace(priced, refused=priced.refused or error.message)
        found.append((priced, steps))
    fitting = [(priced, steps) for priced, steps in found if not priced.refused]
    if not fitting:
        raise QueryError(found[0][0].refused)
    able = [both for both in fitting if not both[0].short] or fitting
    best, steps = min(reversed(able), key=lambda both: both[0].rank)  # of equal cuts, that with more on the chip
    return Plan(query, load, constants, tables, [priced for priced, _ in found], best, steps)


def _top(query: DividedQuery, cut: Cut) -> bool:
    """Whether nothing is left for Spark."""
    return cut.depth == Depth.WHOLE and cut.block == len(query.chain) - 1
