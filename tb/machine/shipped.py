"""The programs that the package contains, most of them from the dissertation."""

from __future__ import annotations

from wirestream.design import FUSESOC
from wirestream.machine.assembler import assemble
from wirestream.machine.limits import Limits
from wirestream.machine.program import Program

FOLDER = FUSESOC / "programs"
NAMES = sorted(path.stem for path in FOLDER.glob("*.qm"))
# Bytes of the code, with the header, and messages; of the listings in sections 3.2.5 to 3.4.3, and of Table 3.5.
PUBLISHED = {
    "sampling": (8, 18, 1),
    "control": (18, 28, 2),
    "ewma": (19, 29, 2),
    "merge": (15, 25, 1),
    "bins": (27, 37, 2),
    "events": (62, 72, 3),
    "adaptive": (64, 74, 3),
    "all_nodes": (10, 20, 1),
    "cold_nodes": (20, 30, 2),
    "most_light": (12, 22, 1),
}


def text(name: str) -> str:
    return (FOLDER / f"{name}.qm").read_text()


def program(name: str, limits: Limits | None = None) -> Program:
    return assemble(text(name), limits=limits)


# Programs of the dissertation as queries, with the bytes of their code; sections 3.2.6, 3.4.1, 3.4.2 and Table 3.5.
SENSORS = "CREATE INPUT STREAM Sensors (nodeid smallint, parent smallint, light smallint, temp smallint, Time int);"
IN_SQL = {
    "all_nodes": "SELECT nodeid, light, temp FROM Sensors",
    "cold_nodes": "SELECT nodeid, light FROM Sensors WHERE temp < 512 AND nodeid > 50",
    "most_light": "SELECT max(light) AS light FROM Sensors [SIZE 1 ADVANCE 1 TIME]",
    "merge": "SELECT parent, max(light) AS light FROM Sensors [SIZE 10 ADVANCE 10 TIME] GROUP BY parent",
    "bins": "SELECT (light - 512) div 10 AS bin, avg(temp) AS temp FROM Sensors [SIZE 30 ADVANCE 30 TIME]"
    " GROUP BY (light - 512) div 10",
    "events": "SELECT last(nodeid) AS nodeid FROM Sensors [SIZE 5 ADVANCE 1 TUPLES]"
    " HAVING last(temp) > min(temp) + min(temp) div 10",
}


def in_sql(name: str) -> str:
    """A program as a query, with its stream."""
    return f"{SENSORS}\n{IN_SQL[name]} INTO Result"
