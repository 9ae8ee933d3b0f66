"""The expected result for FIX payloads, from PySpark: the verdicts, and the records of the good messages.

`expected(cases)` computes it for several lists of payloads at once, and caches it under build/golden until they or the
rules change.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import yaml
from filelock import FileLock

from tb import BUILD, REPOSITORY
from tb.lib.sources import fingerprint

GOLDEN = BUILD / "golden"
ORDERS = REPOSITORY / "rtl" / "fix" / "orders.yml"
DEFAULTS = ORDERS.with_name("defaults.yml")  # spark_golden.fix reads it along with a description


@dataclass(frozen=True)
class Golden:
    """records: index of the message type, and the record as an integer of the width of the widest one, in the order of
    arrival. verdicts: the number of each."""

    records: list[tuple[int, int]]
    verdicts: Counter[str]


def expected(cases: Mapping[str, Sequence[bytes]], file: Path = ORDERS) -> dict[str, Golden]:
    """The result for each case, a list of payloads, by its name; `file` describes the messages."""
    place = kept(cases, file)
    GOLDEN.mkdir(parents=True, exist_ok=True)
    with FileLock(GOLDEN / "fix.lock"):
        if not place.exists():
            part, table = place.with_suffix(".part"), place.with_suffix(".parquet")
            part.write_text(json.dumps(_compute(cases, yaml.safe_load(file.read_text()), table)))
            part.rename(place)
    answers = json.loads(place.read_text())
    return {
        name: Golden([(kind, int(record, 16)) for kind, record in one["records"]], Counter(one["verdicts"]))
        for name, one in answers.items()
    }


def kept(cases: Mapping[str, Sequence[bytes]], file: Path) -> Path:
    """The file in which the result for these cases is cached."""
    packed = (len(one).to_bytes(4, "big") + one for payloads in cases.values() for one in (b"", *payloads))
    what = repr(list(cases)).encode() + b"".join(packed)
    return GOLDEN / f"fix-{fingerprint(what, __name__, files=[file, DEFAULTS])}.json"


def _compute(cases: Mapping[str, Sequence[bytes]], description: dict, table: Path) -> dict[str, dict]:
    """The results for all cases, in one job. table: a file for the payloads, those of each case after the other."""
    from pyspark.sql import functions as F

    from spark_golden.fix import messages
    from spark_golden.session import session

    payloads = [payload for one in cases.values() for payload in one]
    owner = [name for name, one in cases.items() for _ in one]
    pa.parquet.write_table(pa.table({"payload": pa.array(range(len(payloads))), "bytes": pa.array(payloads)}), table)
    text = session().read.parquet(str(table)).select("payload", F.decode("bytes", "ISO-8859-1").alias("text"))
    verdicts, values = messages(text, description)
    judged = verdicts.orderBy("payload", "message").toArrow().to_pylist()
    found: dict[tuple[int, int], dict[int, str]] = {}
    for row in values.toArrow().to_pylist():
        found.setdefault((row["payload"], row["message"]), {})[row["at"]] = row["read"]

    layouts = [_layout(message) for message in description["messages"].values()]
    types = [str(message["type"]) for message in description["messages"].values()]
    widest = max(sum(width for width, _, _ in layout) for layout in layouts)
    results: dict[str, dict] = {name: {"records": [], "verdicts": Counter()} for name in cases}
    for row in judged:
        case = results[owner[row["payload"]]]
        case["verdicts"][row["verdict"]] += 1
        if row["verdict"] == "message":
            kind = types.index(row["type"])
            record = _record(layouts[kind], found.get((row["payload"], row["message"]), {}), widest)
            case["records"].append((kind, hex(record)))
    return results


def _layout(message: dict) -> list[tuple[int, str, object]]:
    """Width in bits, type and default of every field of a record."""
    fields = list(message["fields"].values())
    for group in message.get("groups", {}).values():
        fields += [*group["fields"].values()] * group["entries"]
    widths = {"int": 32, "uint": 32, "char": 8}

    def width(kind: str) -> int:
        return 8 * int(kind[7:-1]) if kind.startswith("string") else widths.get(kind, 64)

    return [(width(t["type"]), t["type"], t.get("default")) for t in fields]


def _record(layout: list[tuple[int, str, object]], values: dict[int, str], widest: int) -> int:
    record = used = 0
    for place, (width, kind, default) in enumerate(layout):
        value = values.get(place, default)
        if kind.startswith("string") or kind == "char":
            bits = int.from_bytes(str(value).encode("latin-1").ljust(width // 8, b"\0"), "big")
        else:
            bits = int(value) % (1 << width)
        record, used = record << width | bits, used + width
    return record << widest - used
