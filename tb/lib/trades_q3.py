"""The design trades_q3 in the bulk bench: frames with items in; rows, counters and latencies out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np

from tb import REPOSITORY
from tb.lib.frames import arp_request
from tb.lib.golden import PUNCTUATION
from wirestream.schema.counters import counter_names
from wirestream.schema.packets import DEVICE, SENDER, Blocks, decode, frames, payloads, read_pcap
from wirestream.schema.tuples import Q3_RESULT, TRADES
from wirestream.sim import bulk
from wirestream.sim.bulk import Bench, BulkResult, build

VERILOG = REPOSITORY / "rtl" / "top" / "trades_q3" / "ws_trades_q3.v"
FIRST_SESSION = 7000  # session number of the results

INPUTS = {
    "local_mac": int.from_bytes(DEVICE.mac_bytes, "big"),
    "local_ip": int.from_bytes(DEVICE.ip_bytes, "big"),
    "netmask": 0xFFFFFF00,
    "gateway": 0,
    "local_port": DEVICE.port,
    "dst_ip": int.from_bytes(SENDER.ip_bytes, "big"),
    "dst_port": SENDER.port,
    "first_session": FIRST_SESSION,
    "tick_ms": 0,
}
# The first frame of every run, from which the design learns the address of the receiver of its results.
HELLO = arp_request(SENDER.ip, SENDER.mac, DEVICE.ip)


def datagrams(items: np.ndarray, per_datagram: int) -> tuple[Blocks, np.ndarray]:
    """The UDP payloads with `items` (dtype `golden.ITEM`), and the number of each item's datagram.

    Sessions are numbered from 100; each punctuation is in a separate datagram.
    """
    blocks, carrier, sent = [], [], 0
    for session in np.unique(items["session"]):
        mine = items[items["session"] == session]
        sequence, last = 0, 0
        ends = [*np.flatnonzero(mine["kind"] == PUNCTUATION), len(mine)]
        for end in ends:
            run, punctuation = mine[last:end], mine[end : end + 1]
            made = payloads(
                TRADES,
                run,
                per_datagram=per_datagram,
                session=100 + int(session),
                sequence=sequence,
                punctuation=punctuation[list(TRADES.dtype.names)] if len(punctuation) else None,
            )
            count = sum(len(block) for block in made)
            carrier += [sent + np.arange(len(run)) // per_datagram]
            carrier += [np.array([sent + count - 1])] if len(punctuation) else []
            blocks, sent, sequence, last = blocks + made, sent + count, sequence + count, end + 1
    return blocks, np.concatenate(carrier)


@dataclass(frozen=True)
class Q3Run:
    """One run of the design."""

    result: BulkResult

    @cached_property
    def decoded(self) -> np.ndarray:
        """All records of all result frames, see `packets.decode`."""
        return decode(read_pcap(self.result.folder / "out.pcap")[0], Q3_RESULT, others=True)

    @cached_property
    def rows(self) -> list[list[tuple[int, int]]]:
        """(Time, Number) in order of arrival, one list for each session that has rows."""
        rows = self.decoded[~self.decoded["punct"]]
        assert (rows["Flags"] == 0).all(), "a row carries a flag"
        assert (np.diff(self.decoded["session"]) >= 0).all(), "the results' sessions are out of order"
        return [
            [(int(r["Time"]), int(r["Number"])) for r in rows[rows["session"] == s]] for s in np.unique(rows["session"])
        ]

    @cached_property
    def counters(self) -> dict[str, int]:
        return dict(zip(counter_names(VERILOG), self.result.counters, strict=True))

    def latencies(self, closing: np.ndarray) -> np.ndarray:
        """Cycles from the last octet (FCS) of the frame that closes a window to the first octet (preamble) of the frame
        with its row. closing: for each row, in order, the number of the frame with the item that closes its window."""
        rows = self.decoded[~self.decoded["punct"]]
        out = self.result.log["first"][rows["frame"]].astype(np.int64)
        return out - self.result.sent_log["last"][1 + closing].astype(np.int64)


def bench(**parameters: int) -> Bench:
    return build("trades_q3", **parameters)


def play(design: Bench, sent: Path | Iterable[bytes], out: Path, faults: np.ndarray | None = None, **options) -> Q3Run:
    """Send HELLO, then frames without FCS or a pcap file of them, through the design.

    options: of `Bench.run`.
    """
    if faults is not None:
        faults = np.concatenate([np.zeros(1, faults.dtype), faults])
    sent = bulk.read_pcap(sent) if isinstance(sent, Path) else sent
    return Q3Run(design.run(chain([HELLO], sent), out, inputs=INPUTS, faults=faults, **options))


def play_items(design: Bench, items: np.ndarray, out: Path, per_datagram: int = 50, **options) -> Q3Run:
    """Send items in good frames."""
    blocks = frames(datagrams(items, per_datagram)[0])
    return play(design, (frame.tobytes() for block in blocks for frame in block), out, **options)


def golden_rows(rows: list[tuple[int, int, int, int]]) -> list[list[tuple[int, int]]]:
    """The rows of a golden (session, Time, Number, emitted) in the form of `Q3Run.rows`."""
    sessions = sorted({row[0] for row in rows})
    return [[(time, number) for s, time, number, _ in rows if s == session] for session in sessions]
