"""The order in which tuples of several streams arrive on one wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from wirestream.arguments import UsageError
from wirestream.record.columns import words
from wirestream.schema.streams import Stream
from wirestream.schema.units import NANOSECONDS

LATEST = 2**63 - 1  # ns; a later time is as late in a merge


@dataclass(frozen=True)
class Arrival:
    """Tuples of streams. records: of each, in the order of their arrival. order: for each tuple of all the index of its
    stream in `records`."""

    records: dict[Stream, np.ndarray]
    order: np.ndarray

    def places(self, stream: Stream) -> np.ndarray:
        """The positions of a stream's tuples among all."""
        return np.flatnonzero(self.order == list(self.records).index(stream))

    def gathered(self, of_each: Mapping[Stream, np.ndarray]) -> np.ndarray:
        """Values of each stream's tuples, in the order of all."""
        found = np.zeros(len(self.order), np.int64)
        for stream, values in of_each.items():
            found[self.places(stream)] = values
        return found


def merged(records: Mapping[Stream, np.ndarray], attributes: Mapping[Stream, str | None]) -> Arrival:
    """Tuples in the order of their times, those of each stream in the order that they have. attributes: with the times
    of each stream; where one has none, the streams advance evenly."""
    streams = list(records)
    if all(attributes[stream] for stream in streams):
        keys = [np.maximum.accumulate(times(stream, records[stream], attributes[stream])) for stream in streams]
    else:
        keys = [np.arange(len(records[stream])) / max(1, len(records[stream])) for stream in streams]
    of = np.repeat(np.arange(len(streams)), [len(one) for one in keys])
    return Arrival(dict(records), of[np.argsort(np.concatenate(keys), kind="stable")] if streams else of)


def times(stream: Stream, records: np.ndarray, attribute: str) -> np.ndarray:
    """The times of tuples in ns, at most `LATEST` from 0."""
    each = NANOSECONDS[stream.unit_of(attribute) or stream.unit_of(stream.time)]
    most = LATEST // each
    values = records[attribute]
    return np.clip(values, -most, most).astype(np.int64) * each


def sorted_by(column: str, records: np.ndarray, stream: Stream) -> np.ndarray:
    """Records in the order of a field, those of one value in the order that they have. Raises `UsageError`."""
    names = [field.name for field in stream.schema.fields]
    if column not in names:
        raise UsageError(f"--order-by {column}: not a field of {stream.schema.name}; it has {', '.join(names)}")
    values = records[column]
    if values.dtype.kind == "V":
        pairs = words(values)
        return records[np.lexsort((pairs[:, 0].view(np.uint64), pairs[:, 1]))]
    return records[np.argsort(values, kind="stable")]
