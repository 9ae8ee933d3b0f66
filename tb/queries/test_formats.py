"""Queries over FIX, ITCH and binary messages, from Scapy's frames to rows.

PySpark takes the same payloads apart (spark_golden/fix.py, itch.py, or here the binary ones) and computes the queries
from their text over what it found. FIX is encoded by simplefix.
"""

from __future__ import annotations

import json
import random
import struct
from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest
import yaml

from tb.fix.golden import ORDERS, expected
from tb.fix.traffic import message
from tb.lib.bulk.bulk import RANDOM
from tb.queries.ethernet import Board, Run, rows_in
from tb.queries.golden import computed, to_frame
from tb.queries.test_several_streams import frame
from wirestream import board, simulate
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.description import describe
from wirestream.compiler.errors import QueryError
from wirestream.compiler.package import package
from wirestream.compiler.streams import Stream, load, shipped
from wirestream.design import BUILD, REPOSITORY
from wirestream.fix import EVENTS
from wirestream.orders import stamp
from wirestream.packets import wire_times, write_pcap
from wirestream.tuples import START, Header

FOLDER = BUILD / "queries"
BEGIN = 1_767_258_000 * 10**9  # 2026-01-01 09:00:00 UTC, in ns


def text(name: str) -> str:
    """A text of fusesoc/orders."""
    return (REPOSITORY / "fusesoc" / "orders" / f"{name}.sql").read_text()


def built(name: str) -> Compiled:
    return compile_queries(text(name), shipped(), name)


def rows(name: str, made: Compiled, tuples: Mapping[str, list[tuple]], places: Mapping[str, list[int]]):
    """What Spark computes of the queries. tuples: of each stream, in the fields of its schema; places: in the order of
    arrival of all."""
    queries = "; ".join(part for part in text(name).split(";") if "CREATE" not in part)
    streams: dict[str, Stream] = {entry.stream.schema.name: entry.stream for entry in made.circuit.entries}
    records = {n: np.array(tuples[n], streams[n].schema.dtype) for n in streams}

    def answered():
        from spark_golden.sql import answers

        frames = {n: to_frame(records[n], np.array(places[n])) for n in streams}
        return {into: answer.rows for into, answer in answers(queries, streams, frames).items()}

    folder = computed(name, f"{text(name)}{[(n, r.tobytes()) for n, r in records.items()]}", [], answered)
    found = {
        path.stem: Counter(tuple(row.items()) for row in json.loads(path.read_text())) for path in folder.iterdir()
    }
    assert all(found.values())
    return found


def played(name: str, made: Compiled, payloads: list[bytes], wanted: Mapping[str, Counter]) -> Run:
    port = Board.of(made, FOLDER / f"{name}.gmii")
    run = port.send(map(frame, payloads), FOLDER / f"{name}.run", gaps="0.5:3000", stalls=RANDOM)
    for number, result in enumerate(made.circuit.results):
        assert Counter(run.rows(number)) == wanted[result.name], result.name
    assert not any(count for name, count in run.counters.items() if name.endswith(("_lost", "_full", "bad_fcs")))
    return run


# ---- FIX


def fix_payloads() -> list[bytes]:
    """New orders and cancels of the last ones; allocations and reports, which nobody reads; some of them broken."""
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


def fix_tuples(made: Compiled, records: list[tuple[int, int]]) -> tuple[dict[str, list[tuple]], dict[str, list[int]]]:
    """The tuples of the streams, and their places, of what Spark found in the payloads."""
    described = list(yaml.safe_load(ORDERS.read_text())["messages"].items())
    bits = {"int": 32, "uint": 32, "char": 8}
    widths, names = [], []
    for name, told in described:
        listed = [(field, one["type"]) for field, one in told["fields"].items()]
        listed += [(f"{f}{n}", one["type"]) for group in told.get("groups", {}).values()
                   for n in range(1, group["entries"] + 1) for f, one in group["fields"].items()]  # fmt: skip
        text = {f: 8 * int(t[7:-1]) for f, t in listed if t.startswith("string")}
        widths.append({f: text.get(f, bits.get(t, 64)) for f, t in listed})
        names.append(name)
    widest = max(sum(of.values()) for of in widths)
    streams = {e.stream.schema.name: e.stream for e in made.circuit.entries}
    tuples, places = {n: [] for n in streams}, {n: [] for n in streams}
    for place, (kind, record) in enumerate(records):
        fields, high = {}, widest
        for field, width in widths[kind].items():
            high -= width
            fields[field] = record >> high & (1 << width) - 1, width
        for name, stream in streams.items():
            if stream.origin.message.name == names[kind]:
                values = []
                for field in stream.schema.fields:
                    value, width = fields[field.name]
                    data = value.to_bytes(width // 8, "big")
                    values.append(data if field.type.startswith("string") else int.from_bytes(data, "big", signed=True))
                tuples[name].append(tuple(values))
                places[name].append(place)
    return tuples, places


def fix_wanted(name: str, made: Compiled, payloads: list[bytes]) -> tuple[dict[str, Counter], Counter[str]]:
    """PySpark's rows of each result, and what becomes of the messages: allocations are of a type that nobody reads."""
    golden = expected({"formats": payloads})["formats"]
    tuples, places = fix_tuples(made, golden.records)
    assert min(map(len, tuples.values())) > 200
    unread = Counter(unknown=sum(kind == 2 for kind, _ in golden.records))
    verdicts = golden.verdicts - Counter(message=unread["unknown"]) + unread
    assert verdicts["bad_checksum"] and verdicts["truncated"]
    return rows(name, made, tuples, places), verdicts


def fix_counted(counters: Mapping[str, int]) -> Counter[str]:
    return +Counter({event: counters[f"fix_{event}"] for event in EVENTS})


@pytest.mark.parametrize("name", ["fix_streams", "fix_join"])
def test_fix(name):
    """Orders and cancels side by side, and joined: a message that is not good makes no tuple, and is counted."""
    payloads, made = fix_payloads(), built(name)
    wanted, verdicts = fix_wanted(name, made, payloads)
    run = played(name, made, payloads, wanted)
    assert fix_counted(run.counters) == verdicts


def test_fix_at_ten_gigabits(tmp_path):
    """On the board eight bytes come a cycle, frame behind frame without a pause: none of them is dropped."""
    payloads, made = fix_payloads(), built("fix_streams")
    wanted, verdicts = fix_wanted("fix_streams", made, payloads)
    sent = list(map(frame, payloads))
    write_pcap(tmp_path / "in.pcap", sent, wire_times(sent))
    told, counters = board.play(board.Board.of(made), tmp_path / "in.pcap", tmp_path / "out.pcap")
    for number, result in enumerate(describe(made.circuit)["results"]):
        assert Counter(rows_in(tmp_path / "out.pcap", result)) == wanted[made.circuit.results[number].name]
    assert fix_counted(counters) == verdicts
    assert counters["udp_rx_delivered"] == len(payloads) and counters["mac_rx_good"] == told["frames_in"]
    assert not any(count for name, count in counters.items() if name.endswith(("_lost", "_full")))


# ---- ITCH

ITCH_FIELDS = {
    "Adds": ("A", {"Locate": 0, "Time": 2, "Ref": 3, "Side": 4, "Shares": 5, "Stock": 6, "Price": 7}),
    "Sold": ("P", {"Time": 2, "Shares": 5, "Stock": 6, "Price": 7}),
}  # of each stream the type, and the places of its fields in a message


def itch_payloads() -> list[bytes]:
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


def test_itch():
    """A message a datagram; of those types that are read."""
    from spark_golden.itch import messages
    from spark_golden.session import session

    payloads, made = itch_payloads(), built("itch_streams")
    packets = session().createDataFrame([(n, bytearray(p)) for n, p in enumerate(payloads)], "packet int, bytes binary")
    judged = sorted(messages(packets).collect(), key=lambda row: row["packet"])
    tuples, places = {n: [] for n in ITCH_FIELDS}, {n: [] for n in ITCH_FIELDS}
    for row in judged:
        for stream, (kind, fields) in ITCH_FIELDS.items():
            if row["verdict"] == "message" and row["type"] == kind:
                raw = {field: bytes.fromhex(row["values"][place]) for field, place in fields.items()}
                text = ("Side", "Stock")
                values = (v if field in text else int.from_bytes(v, "big") for field, v in raw.items())
                tuples[stream].append(tuple(values))
                places[stream].append(row["packet"])
    run = played("itch_streams", made, payloads, rows("itch_streams", made, tuples, places))
    verdicts = Counter(row["verdict"] for row in judged)
    assert Counter({v: run.counters[f"itch_{v}"] for v in verdicts}) == verdicts and len(verdicts) == 3
    assert run.counters["itch_unread"] == verdicts["message"] - sum(map(len, tuples.values())) > 0


# ---- the dissertation's

RECORD = 32  # bytes: MsgType and the fields of the longest message, 25 bytes, in whole words


def binary_payloads() -> list[bytes]:
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


def test_binary():
    """Messages of one length, their type first, in tuple datagrams; a type that nobody reads is counted."""
    from pyspark.sql import functions as F

    from spark_golden.session import session

    def number(first: int, size: int):
        value = F.conv(F.hex(F.substring("bytes", first, size)), 16, 10).cast("bigint")
        return F.when(value >= 1 << 8 * size - 1, value - (1 << 8 * size)).otherwise(value) if size < 8 else value

    payloads, made = binary_payloads(), built("binary_streams")
    cut = [bytearray(p[at : at + RECORD]) for p in payloads for at in range(16, len(p), RECORD)]
    table = session().createDataFrame(list(enumerate(cut)), "place int, bytes binary").withColumn("type", number(1, 1))
    order = table.where("type = 68").select("place", F.decode(F.substring("bytes", 10, 4), "ISO-8859-1"),
                                              number(15, 4), number(19, 4), number(23, 4))  # fmt: skip
    cancel = table.where("type = 70").select("place", number(10, 8), number(18, 4))
    found = {"NewOrders": sorted(order.collect()), "Cancels": sorted(cancel.collect())}
    tuples = {
        n: [tuple(v.encode() if isinstance(v, str) else v for v in row[1:]) for row in of] for n, of in found.items()
    }
    places = {n: [row[0] for row in of] for n, of in found.items()}
    run = played("binary_streams", made, payloads, rows("binary_streams", made, tuples, places))
    assert run.counters["binary_unknown"] == len(cut) - sum(map(len, tuples.values())) > 0
    assert run.counters["tuple_rx_tuple"] == len(cut)


# ---- what is refused

REFUSED = [
    (
        "CREATE INPUT STREAM A FORMAT FIX nothing.X (B); SELECT B FROM A",
        "unknown messages nothing; known: orders",
        (1, 34),
    ),
    ("CREATE INPUT STREAM A FORMAT FIX itch5.Trade (Time); SELECT Time FROM A", "unknown messages itch5", (1, 34)),
    ("CREATE INPUT STREAM A FORMAT FIX orders.X (B); SELECT B FROM A", "orders has no message X", (1, 34)),
    ("CREATE INPUT STREAM A FORMAT ITCH itch5.Trade (Time,\n Venue); SELECT Time FROM A", "no field Venue", (2, 2)),
    (
        "CREATE INPUT STREAM A FORMAT ITCH itch5.Trade (Time, Time); SELECT Time FROM A",
        "two fields are called",
        (1, 54),
    ),
    ("CREATE INPUT STREAM A FORMAT JSON a.B (C); SELECT C FROM A", "FIX, BINARY or ITCH", (1, 30)),
]


@pytest.mark.parametrize(("sql", "words", "place"), REFUSED)
def test_refused(sql, words, place):
    with pytest.raises(QueryError) as refused:
        compile_queries(sql, shipped())
    assert words in refused.value.message and (refused.value.place.line, refused.value.place.column) == place


def test_one_format_a_wire():
    sql = f"{text('itch_streams')}; SELECT Price FROM Trades INTO Prices"
    with pytest.raises(QueryError, match="ITCH itch5 and tuples do not come on one wire"):
        package(compile_queries(sql, shipped()).circuit)


def test_files(tmp_path):
    """A stream of messages in a .yml, and messages of one's own."""
    stream = tmp_path / "sold.yml"
    stream.write_text("{name: Sold, id: 9, message: itch5.Trade, fields: [Time, Price]}")
    made = load(stream)
    assert (made.time, [field.type for field in made.schema.fields]) == ("Time", ["long", "uint"])
    own = tmp_path / "own.yml"
    own.write_text("{name: own, format: BINARY, id: 3, messages: {Tick: {type: 1, fields: {Price: int}}}}")
    sql = "CREATE INPUT STREAM Ticks FORMAT BINARY own.Tick (Price); SELECT Price FROM Ticks INTO Prices"
    around = package(compile_queries(sql, [own], "own").circuit)
    assert "net:tuple_rx" in around.cores and "binary_unknown" in around.counters
    for wrong, words in (
        ("{name: own, format: BINARY, messages: {}}", "BINARY has name, id and messages"),
        ("{name: own, format: ITCH, messages: {T: {type: Q, fields: {A: int}}}}", "type must be one of A, F"),
        ("{name: own, format: BINARY, id: 3, messages: {T: {type: 1, fields: {A: float}}}}", "unknown type 'float'"),
        ("{name: Sold, id: 9, message: itch5.Trade, fields: [Venue]}", "no field Venue"),
    ):
        own.write_text(wrong)
        with pytest.raises(QueryError, match=words):
            load(own)
