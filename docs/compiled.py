"""The tables of docs/machine.md about queries as programs of the query machine."""

from __future__ import annotations

from tb.machine import queries, shipped
from wirestream.compiler.bytecode.machine_code import MachineCode
from wirestream.compiler.bytecode.output import needs_of
from wirestream.errors import QueryError


def published() -> str:
    """Programs of the dissertation as queries, and by hand."""
    rows = ["| program | query over `Sensors` | bytes, compiled | published |", "|---|---|---|---|"]
    for name, sql in shipped.IN_SQL.items():
        (code,) = queries.of_text(shipped.in_sql(name))
        link = f"[{name}](../fusesoc/programs/{name}.qm)"
        query = sql.removeprefix("SELECT ").replace(" FROM Sensors", "")
        rows.append(f"| {link} | `{query}` | {code.program.size} | {shipped.PUBLISHED[name][0]} |")
    return "\n".join(["", *rows, "", ""])


def possible() -> str:
    """The shipped queries that have a program."""
    heads = ["query", "bytes", "messages", "cycles a tuple", "at a punctuation", "needs"]
    rows = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name, found in _all(MachineCode):
        needs = ", ".join(f"{size} {value}" for size, value in needs_of(found).items())
        closing = found.report.cycles["delivery"] if found.window else ""
        figures = [found.program.size, len(found.program.messages()), found.report.a_tuple, closing, needs]
        rows.append(f"| {' | '.join(map(str, [_link(name), *figures]))} |")
    return "\n".join(["", *rows, "", ""])


def refused() -> str:
    """The others, and why."""
    rows = ["| query | why not |", "|---|---|"]
    for name, found in _all(QueryError):
        message = found.message.replace("|", "\\|")
        rows.append(f"| {_link(name)} | {message} |")
    return "\n".join(["", *rows, "", ""])


def _all(kind: type) -> list[tuple[str, MachineCode | QueryError]]:
    found = ((name, queries.compiled(name)) for name in queries.NAMES)
    return [(name, one) for name, one in found if isinstance(one, kind)]


def _link(name: str) -> str:
    return f"[{name}](../fusesoc/queries/{name}.sql)"
