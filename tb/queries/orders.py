"""The queries of fusesoc/orders: messages to test them with, and the rows of PySpark.

PySpark parses the payloads (spark_golden/fix.py, itch.py, mold.py, or here for binary ones), and computes the queries
from their text over the tuples that it found. FIX is encoded by simplefix.
"""

from __future__ import annotations

import json
import random
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from tb import BUILD, REPOSITORY
from tb.fix import feed
from tb.fix.golden import ORDERS, expected
from tb.fix.traffic import message
from tb.queries import run
from tb.queries.golden import computed, declared, to_frame
from wirestream.compiler.circuit import Circuit
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.host.orders import generate_itch, mold, on_lines, stamp
from wirestream.host.trouble import Trouble
from wirestream.schema.streams import Stream, shipped
from wirestream.schema.tuples import START, Header
from wirestream.sim import simulate

QUERIES = REPOSITORY / "fusesoc" / "orders"
FORMATS = REPOSITORY / "fusesoc" / "formats"
Sent = tuple[int, bytes]  # the line (0 if there is only one) and a payload
BEGIN = 1_767_258_000 * 10**9  # 2026-01-01 09:00:00 UTC, in ns


def text(name: str) -> str:
    return (QUERIES / f"{name}.sql").read_text()


def built(name: str) -> Compiled:
    return compile_queries(text(name), shipped(), name)


# ---- messages, good and broken, of every query


def fix_payloads() -> list[bytes]:
    """New orders and cancels of recent ones; allocations and reports, which no query reads; some malformed."""
    g, now, last, payloads, held = random.Random(f"{simulate.seed()}/formats"), BEGIN, ["N0"], [], b""
    for number in range(900):
        now += g.choice((0, 1_000, 40_000, 300_000))
        head = [(49, "TRADER"), (56, "VENUE"), (34, number), (52, stamp(now))]
        kind = g.choices("DFA8", (10, 6, 1, 1))[0]
        match kind:
            case "D":
                last = [*last[-9:], f"N{number}"]
                fields = [
                    (11, last[-1]),
                    (55, g.choice(("UBSN", "NESN", "ROG"))),
                    (54, g.choice("12")),
                    (60, stamp(now)),
                ]
                fields += [(38, g.choice((100, g.randrange(1, 9000)))), (40, 2)]
                fields += [(44, f"{g.randrange(500, 4000) / 100:.2f}")] if g.random() < 0.9 else []
            case "F":
                fields = [(11, f"C{number}"), (41, g.choice(last)), (54, "1"), (60, stamp(now))]
            case "A":
                fields = [(70, number), (118, "1.25")]
            case _:
                fields = [(37, number)]
        made = message("FIX.4.4", "AS" if kind == "A" else kind, head + fields)
        if g.random() < 0.05:
            made = g.choice((made[:-3] + b"9" + made[-2:], made[: len(made) // 2], made.replace(b"49=", b"4x=")))
        held += made
        if len(held) > 900 or g.random() < 0.5:
            payloads.append(held)
            held = b""
    return [*payloads, held or b"end"]


def itch_payloads() -> list[bytes]:
    """Orders, trades, and messages that no query reads or of unknown type; some too long."""
    g, now, sent = random.Random(f"{simulate.seed()}/itch formats"), 34_200 * 10**9, []
    for number in range(800):
        now += g.choice((0, 500, 4_000, 30_000))
        kind = g.choices(b"APDZ", (8, 4, 2, 1))[0]
        head = bytes([kind]) + struct.pack(">HH", g.randrange(2**16), number) + now.to_bytes(6, "big")
        order = struct.pack(">QcI8sI", number, g.choice((b"B", b"S")), g.randrange(1, 2000),
                            g.choice((b"AAPL    ", b"MSFT    ", b"X       ")), g.randrange(10**6))  # fmt: skip
        body = {65: order, 80: order + struct.pack(">Q", number), 68: struct.pack(">Q", number)}.get(kind, b"?")
        sent.append(head + body + (b"!" if g.random() < 0.03 else b""))
    return sent


RECORD = 32  # bytes of a binary record: MsgType and the fields of the longest message, 25 bytes, in whole words


def binary_payloads() -> list[bytes]:
    """Tuple datagrams of new orders, cancels, and an unknown type."""
    g, now, sent = random.Random(f"{simulate.seed()}/binary formats"), 1000, []
    for sequence in range(200):
        records = []
        for _ in range(g.randrange(1, 7)):
            now += g.choice((0, 0, 1, 5))
            time, kind = now - g.randrange(3), g.choice((68, 68, 70, 70, 71))
            order = struct.pack(">q4sciii", g.getrandbits(40), g.choice((b"UBSN", b"NESN")), b"1", g.randrange(9000),
                                g.randrange(-500, 5000), time)  # fmt: skip
            cancel = struct.pack(">qqi", g.getrandbits(40), g.getrandbits(40), time)
            records.append((bytes([kind]) + (cancel if kind == 70 else order)).ljust(RECORD, b"\0"))
        header = Header(5, 16, len(records), sequence, START if sequence < 8 else 0)
        sent.append(header.pack() + b"".join(records))
    return sent


def feed_payloads() -> list[Sent]:
    """The traffic of send_orders.py on two lines, each with its own lost and delayed datagrams; some are corrupted."""
    g, sent = random.Random(f"{simulate.seed()}/feed formats"), []
    made = mold(generate_itch(2000, seed=simulate.seed()), per_datagram=7)
    for line, payload in on_lines(made, [Trouble(0.15, 0.05, 0.2, 3, simulate.seed() + line) for line in range(2)]):
        if g.random() < 0.03 and len(payload) > 30:
            payload = g.choice([payload[: g.randrange(len(payload))], payload[:22] + b"Z" + payload[23:]])
        sent.append((line, payload))
    return sent


def one_line(payloads: Callable[[], list[bytes]]) -> Callable[[], list[Sent]]:
    return lambda: [(0, payload) for payload in payloads()]


TRAFFIC: dict[str, Callable[[], list[Sent]]] = {
    "binary_streams": one_line(binary_payloads),
    "fix_join": one_line(fix_payloads),
    "fix_streams": one_line(fix_payloads),
    "feed_streams": feed_payloads,
    "itch_streams": one_line(itch_payloads),
}


# ---- what PySpark finds in the messages


@dataclass(frozen=True)
class Found:
    """tuples: those of each stream, by its name. places: their positions among the good messages of all types.

    counters: expected counts of messages, by the names of the circuit's counters.
    """

    tuples: dict[str, np.ndarray]
    places: dict[str, np.ndarray]
    counters: Counter[str]


def found(circuit: Circuit, sent: Sequence[Sent]) -> Found:
    """The tuples of a circuit's streams in the payloads of one wire."""
    streams = list(dict.fromkeys(entry.stream for entry in circuit.entries))
    origin = streams[0].origin
    if origin.framing:
        good, counters = _feed(streams, sent, origin.framing.reorder)
    else:
        kinds = {"FIX": _fix, "ITCH": _itch, "BINARY": _binary}
        good, counters = kinds[origin.format.kind](streams, [payload for _, payload in sent])
    tuples, places = {}, {}
    for stream in streams:
        name, fields = stream.schema.name, [field.name for field in stream.schema.fields]
        of = [(n, values) for n, (kind, values) in enumerate(good) if kind == stream.origin.message.name]
        tuples[name] = np.array([tuple(values[f] for f in fields) for _, values in of], stream.schema.dtype)
        places[name] = np.array([n for n, _ in of], np.int64)
    return Found(tuples, places, counters)


Good = list[tuple[str, dict[str, int | bytes]]]  # the name and the fields of each good message


def _read(streams: Sequence[Stream], good: Good) -> int:
    """The number of messages of a type that a query reads."""
    names = {stream.origin.message.name for stream in streams}
    return sum(name in names for name, _ in good)


def _fix(streams: Sequence[Stream], payloads: Sequence[bytes]) -> tuple[Good, Counter[str]]:
    """A good message of a type that no query reads counts as unknown."""
    golden, bits = expected({"formats": payloads})["formats"], {"int": 32, "uint": 32, "char": 8}
    layouts: list[tuple[str, dict[str, tuple[int, bool]]]] = []  # name; width of each field, and whether it is text
    for name, entry in yaml.safe_load(ORDERS.read_text())["messages"].items():
        listed = [(field, one["type"]) for field, one in entry["fields"].items()]
        listed += [(f"{f}{n}", one["type"]) for group in entry.get("groups", {}).values()
                   for n in range(1, group["entries"] + 1) for f, one in group["fields"].items()]  # fmt: skip
        text = {f: 8 * int(t[7:-1]) for f, t in listed if t.startswith("string")}
        layouts.append((name, {f: (text.get(f, bits.get(t, 64)), f in text or t == "char") for f, t in listed}))
    widest = max(sum(width for width, _ in layout.values()) for _, layout in layouts)
    good: Good = []
    for kind, record in golden.records:
        (name, layout), high, values = layouts[kind], widest, {}
        for field, (width, is_text) in layout.items():
            high -= width
            data = (record >> high & (1 << width) - 1).to_bytes(width // 8, "big")
            values[field] = data if is_text else int.from_bytes(data, "big", signed=True)
        good.append((name, values))
    unread = len(good) - _read(streams, good)
    verdicts = golden.verdicts - Counter(message=unread) + Counter(unknown=unread)
    return good, Counter({f"fix_{verdict}": count for verdict, count in verdicts.items()})


def _itch(streams: Sequence[Stream], payloads: Sequence[bytes]) -> tuple[Good, Counter[str]]:
    """One message per datagram."""
    from spark_golden.itch import messages
    from spark_golden.session import session

    packets = session().createDataFrame([(n, bytearray(p)) for n, p in enumerate(payloads)], "packet int, bytes binary")
    judged = sorted(messages(packets).collect(), key=lambda row: row["packet"])
    counters = Counter(f"itch_{row['verdict']}" for row in judged)
    good = _itch_fields(row for row in judged if row["verdict"] == "message")
    return good, counters + Counter(itch_unread=len(good) - _read(streams, good))


def _feed(streams: Sequence[Stream], sent: Sequence[Sent], reorder: int) -> tuple[Good, Counter[str]]:
    """MoldUDP64 on lines A and B."""
    rows, events = feed.golden(sent, reorder)
    good = _itch_fields(rows)
    of = {"itch": ("unknown", "bad_length"), "line": ("message", "duplicate", "gap", "lost", "session", "stale")}
    named = {event: f"{prefix}_{event}" for prefix, names in of.items() for event in names} | {"tuple": "itch_message"}
    counters = Counter({named.get(event, f"mold_{event}"): count for event, count in events.items()})
    return good, counters + Counter(itch_unread=len(good) - _read(streams, good))


def _itch_fields(rows: Iterable[Mapping]) -> Good:
    """Good messages of `spark_golden.itch`, by their names in the description of the format."""
    from spark_golden.itch import MESSAGES

    named = {one["type"]: name for name, one in yaml.safe_load((FORMATS / "itch5.yml").read_text())["messages"].items()}
    good: Good = []
    for row in rows:
        raw = {f: bytes.fromhex(v) for f, v in zip(MESSAGES[row["type"]], row["values"], strict=True)}
        values = {f: v if f in TEXTS else int.from_bytes(v, "big") for f, v in raw.items()}
        good.append((named[row["type"]], values))
    return good


TEXTS = ("Side", "Stock", "Attribution", "Printable")  # the fields of ITCH that are text


def _binary(streams: Sequence[Stream], payloads: Sequence[bytes]) -> tuple[Good, Counter[str]]:
    """Records of tuple datagrams, with MsgType in the first byte."""
    from pyspark.sql import functions as F

    from spark_golden.session import session

    cut = [
        (n, bytearray(r))
        for n, r in enumerate(p[at : at + RECORD] for p in payloads for at in range(16, len(p), RECORD))
    ]
    table = session().createDataFrame(cut, "place int, bytes binary")
    sizes, good = {"int": 4, "long": 8}, {}
    for name, entry in yaml.safe_load((FORMATS / "exchange.yml").read_text())["messages"].items():
        at, columns = 2, []
        for field, kind in entry["fields"].items():
            size = sizes.get(kind) or int(kind[7:-1])
            columns.append(F.hex(F.substring("bytes", at, size)).alias(field))
            at += size
        chosen = table.where(F.hex(F.substring("bytes", 1, 1)) == f"{entry['type']:02X}").select("place", *columns)
        for row in chosen.collect():
            raw = {field: bytes.fromhex(row[field]) for field in entry["fields"]}
            good[row["place"]] = (
                name,
                {
                    f: int.from_bytes(v, "big", signed=True) if entry["fields"][f] in sizes else v
                    for f, v in raw.items()
                },
            )
    ordered = [good[place] for place in sorted(good)]
    unknown = len(cut) - _read(streams, ordered)
    return ordered, Counter(binary_unknown=unknown, tuple_rx_tuple=len(cut))


def rows(name: str, sql: str, circuit: Circuit, given: Found) -> Path:
    """The folder with INTO.json for every query of a text: its rows as PySpark computes them."""
    streams = {entry.stream.schema.name: entry.stream for entry in circuit.entries}

    def answered():
        from spark_golden.sql import answers

        frames = {n: to_frame(given.tuples[n], given.places[n]) for n in streams}
        return {into: answer.rows for into, answer in answers(sql, declared(streams.values()), frames).items()}

    return computed(name, f"{sql}{[(n, r.tobytes()) for n, r in given.tuples.items()]}", [], answered)


def counted(folder: Path) -> dict[str, Counter]:
    """The rows in a folder of `rows`, by INTO."""
    return {p.stem: Counter(tuple(row.items()) for row in json.loads(p.read_text())) for p in folder.iterdir()}


def environment_of(name: str, described: Path) -> dict[str, str]:
    """The environment of the bench for the circuit of a query of fusesoc/orders; described: its description."""
    made, description = built(name), json.loads(described.read_text())
    given = found(made.circuit, TRAFFIC[name]())
    answers = rows(name, text(name), made.circuit, given)
    files = [answers / f"{result['stream']['name']}.json" for result in description["results"]]
    order = [
        one for _, one in sorted((at, stream) for stream, places in given.places.items() for at in places.tolist())
    ]
    folder = BUILD / "queries" / f"{name}.fusesoc"
    return run.environment(description, folder, files, {}, given.tuples.__getitem__, lambda: order)
