"""What the live page shows of a running board, as JSON: its circuit, its counters and settings, its latest rows."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
import pyarrow as pa

from wirestream.arguments import number_or_text
from wirestream.compiler.compile import Compiled
from wirestream.compiler.drawing import draw
from wirestream.compiler.gates import counters_of_probes
from wirestream.compiler.types import Text
from wirestream.host.inputs import MirrorInput
from wirestream.host.remote import SHOWN, Remote
from wirestream.host.results import Results
from wirestream.record.columns import Layout, readable
from wirestream.schema.counters import harmless, meaning
from wirestream.schema.registers import description

KEPT = 5000  # rows
AT_ONCE = 500  # rows in a message
EXACT = 1 << 53  # integers of JSON, in a browser, up to here


@dataclass
class Feed:
    """A running board. Not for several threads at once.

    sql: its query. source: the frames that it sends. rows: (number, result, values) of the last `KEPT`; number: of the
    next row, counted from 0.
    """

    sql: str
    built: Compiled
    remote: Remote
    source: MirrorInput
    rows: deque[tuple[int, int, list]] = field(default_factory=lambda: deque(maxlen=KEPT))
    number: int = 0

    def __post_init__(self) -> None:
        circuit = self.built.circuit
        self._results = [Results(Layout(result.schema)) for result in circuit.results]
        self._counted = counters_of_probes(circuit)

    def about(self) -> dict:
        """What does not change: the names and meanings of everything, and the diagram."""
        circuit = self.built.circuit
        settings = {f"${name}": f"constant of the query, {kind}" for name, kind in sorted(circuit.runtime.items())}
        settings |= {name: _doc(name.partition("[")[0]) for name in SHOWN}
        return {
            "name": circuit.name,
            "sql": self.sql,
            "diagram": draw(circuit, rates=True),
            "probed": "counted by the simulator" if self.remote.passed() else "as far as the board has counters",
            "results": [_about(Layout(result.schema), result.entry.stream.time) for result in circuit.results],
            "counters": {n: {"meaning": meaning(n), "harmless": harmless(n)} for n in self.remote.counters()},
            "settings": settings,
        }

    def state(self) -> dict:
        """The counters, the tuples that have passed each of the circuit's probes, the settings. Without a simulator
        the counters tell the tuples of the inputs and of the results; those of the other probes are null."""
        counters = self.remote.counters()
        passed = self.remote.passed()
        if passed is None:
            passed = [counters.get(name) for name in self._counted]
        return {"counters": counters, "passed": passed, "settings": self.settings()}

    def settings(self) -> dict[str, str]:
        """The registers and constants, as text."""
        found = {name: self.remote.get(name) for name in SHOWN}
        found |= {f"${name}": value for name, value in self.remote.constants().items()}
        return {name: str(int(value) if isinstance(value, bool) else value) for name, value in found.items()}

    def receive(self) -> None:
        """Take the rows that have arrived."""
        blocks = self.source.read(0)
        for n, results in enumerate(self._results):
            for block in blocks:
                records = results.take(block)
                skipped = max(0, len(records) - KEPT)
                self.number += skipped
                for row in readable(results.stream.table(records[skipped:])).to_pylist():
                    self.rows.append((self.number, n, list(map(_plain, row.values()))))
                    self.number += 1

    def since(self, number: int) -> dict:
        """The rows from a number on, at most `AT_ONCE`, the latest; how many are left out; the number of the next."""
        number = min(number, self.number)
        found = [row for row in self.rows if row[0] >= number][-AT_ONCE:]
        first = found[0][0] if found else self.number
        lost = sum(session.lost for results in self._results for session in results.sessions.values())
        return {"rows": [row[1:] for row in found], "skipped": first - number, "next": self.number, "lost": lost}

    def set(self, name: str, text: str) -> None:
        """Set a register, or a constant $name; raises ValueError or TimeoutError with a one-line message."""
        constant = name.removeprefix("$")
        if constant == name and name not in SHOWN:
            raise ValueError(f"{name}: no such setting; known: {', '.join(SHOWN)}")
        if constant == name:
            self.remote.set(name, number_or_text(text))
        else:
            kind = self.built.circuit.runtime.get(constant)
            self.remote.set_constants({constant: text if isinstance(kind, Text) else number_or_text(text)})


def _doc(name: str) -> str:
    """What a register is for, or one of the bits of a register, of which its text has a part each."""
    if name in description().names:
        return description().names[name].doc
    register, _ = description().bits[name]
    return next(part for part in register.doc.split("; ") if part.startswith(f"{name}: ")).removeprefix(f"{name}: ")


def _about(layout: Layout, time: str | None) -> dict:
    """A result: the kinds of its columns, and the one with the time, if any."""
    empty = layout.table(np.zeros(0, layout.schema.dtype))
    kinds = {name: _kind(kind) for name, kind in zip(empty.column_names, empty.schema.types, strict=True)}
    return {"name": layout.schema.name, "columns": kinds, "time": time if time in kinds else None}


def _kind(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return "number"
    return "time" if pa.types.is_temporal(kind) else "text"


def _plain(value: object) -> object:
    """A value for JSON; numbers that a browser would round as text."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    return str(value) if isinstance(value, int) and abs(value) > EXACT else value
