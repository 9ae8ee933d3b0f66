"""The queries of fusesoc/queries as programs of the query machine, and their rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from tb.lib.model import Punctuator
from tb.lib.tuplebus import TUPLE
from tb.queries.streams import CONSTANTS, QUERIES
from wirestream.compiler.bytecode.machine_code import MachineCode, compile_for_machine
from wirestream.compiler.bytecode.receiver import Receiver, Result
from wirestream.errors import QueryError
from wirestream.machine import words
from wirestream.machine.interpreter import Machine, Outcome
from wirestream.machine.limits import Limits
from wirestream.schema.streams import shipped

NAMES = sorted(path.stem for path in QUERIES.glob("*.sql"))


@cache
def compiled(name: str) -> MachineCode | QueryError:
    """The program of a query, or why there is none."""
    try:
        (code,) = of_text((QUERIES / f"{name}.sql").read_text(), CONSTANTS.get(name, {}))
    except QueryError as error:
        return error
    return code


def of_text(
    sql: str, constants: Mapping[str, int | str] | None = None, limits: Limits | None = None
) -> list[MachineCode]:
    return compile_for_machine(sql, shipped(), constants, limits)


@dataclass
class Run:
    """The rows of a program over records, the most cycles of each section, and how many rows the program sent."""

    rows: list[Result] = field(default_factory=list)
    cycles: Counter[str] = field(default_factory=Counter)
    sent: Counter[str] = field(default_factory=Counter)


def run(code: MachineCode, records: np.ndarray, machine: Machine | None = None) -> Run:
    found, receiver = Run(), Receiver(code.layout)
    for outcome in _outcomes(code, records, machine or Machine(code.program, code.limits)):
        for section, cycles in outcome.cycles.items():
            found.cycles[section] = max(found.cycles[section], cycles)
        for row in outcome.rows:
            found.sent[row.section] += 1
            found.rows += receiver.take(row)
    return found


def _outcomes(code: MachineCode, records: np.ndarray, machine: Machine) -> Iterator[Outcome]:
    """With the punctuations of the tests' own model of the punctuator."""
    tuples, window = words.tuples(records, code.stream, code.limits.width), code.window
    if window is None:
        yield from map(machine.tuple, tuples)
        return
    punctuator = Punctuator(
        window.size, window.advance, window.slack, window.start, window.max_ahead, window.resync, window.emit_empty
    )
    timed = replace(code.stream, time=window.attribute)
    for one, time in zip(tuples, records[window.attribute].tolist(), strict=True):
        for event in punctuator.take(TUPLE, time):
            if event.name == "punct":
                yield machine.punctuation(words.punctuation(timed, event.value, code.limits.width))
            elif event.name == "tuple":
                yield machine.tuple(one)
