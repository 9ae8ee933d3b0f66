"""Order messages of Nasdaq ITCH 5.0, parsed with Spark's functions for byte strings."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

HEAD = {"Locate": 2, "Tracking": 2, "Time": 6}
ADD = {"Ref": 8, "Side": 1, "Shares": 4, "Stock": 8, "Price": 4}
EXECUTED = {"Ref": 8, "Shares": 4, "Match": 8}

# The fields of each type and their sizes in bytes, after the type byte.
MESSAGES = {
    "A": HEAD | ADD,
    "F": HEAD | ADD | {"Attribution": 4},
    "E": HEAD | EXECUTED,
    "C": HEAD | EXECUTED | {"Printable": 1, "Price": 4},
    "X": HEAD | {"Ref": 8, "Shares": 4},
    "D": HEAD | {"Ref": 8},
    "U": HEAD | {"Ref": 8, "NewRef": 8, "Shares": 4, "Price": 4},
    "P": HEAD | ADD | {"Match": 8},
}


def messages(packets: DataFrame) -> DataFrame:
    """packet, bytes → packet, verdict, type, values: the fields' values as hexadecimal text, in order."""
    kind = F.decode(F.substring("bytes", 1, 1), "ISO-8859-1")
    length, values, size = F.lit(None).cast("int"), F.array().cast("array<string>"), F.length("bytes")
    for name, fields in MESSAGES.items():
        length = F.when(kind == name, 1 + sum(fields.values())).otherwise(length)
        values = F.when(kind == name, _values(fields)).otherwise(values)
    verdict = (
        F.when(size == 0, "bad_length")
        .when(length.isNull(), "unknown")
        .when(size != length, "bad_length")
        .otherwise("message")
    )
    return packets.select("packet", verdict.alias("verdict"), kind.alias("type"), values.alias("values"))


def _values(fields: dict[str, int]) -> Column:
    found, at = [], 2
    for size in fields.values():
        found.append(F.hex(F.substring("bytes", at, size)))
        at += size
    return F.array(*found)
