"""itch5: verdicts and tuples are PySpark's; latency, rate, stalls, resets, no X."""

from __future__ import annotations

import random
from collections import Counter

import cocotb
import pyarrow as pa
import pyarrow.parquet
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from spark_golden.itch import MESSAGES, messages
from tb import BUILD
from tb.lib.axis import Source
from tb.lib.bench import pauses, reset, rng, start
from tb.lib.events import Events
from tb.lib.run import run_four_state
from tb.lib.tuplebus import ItemMonitor
from wirestream.sim.bulk import NONE, RANDOM, RANDOM_AND_LONG, Bench, PacketFlag, build
from wirestream.sim.simulate import seed

LATENCY = 3  # cycles from a message's last word to its tuple
RECORD = 45  # bytes
TYPES = list(MESSAGES)
LENGTHS = {kind: 1 + sum(fields.values()) for kind, fields in MESSAGES.items()}
Rows = list[tuple[str, int, int]]  # verdict, kind and tuple; 0, 0 without a tuple


def message(g: random.Random, kind: str | None = None) -> bytes:
    """One of the order messages with random fields."""
    kind = kind or g.choice(TYPES)
    return kind.encode() + g.randbytes(LENGTHS[kind] - 1)


def packets(g: random.Random, count: int) -> list[bytes]:
    """Order messages, a fifth of them broken: too long, too short, empty, of another type, random."""
    made = []
    for _ in range(count):
        whole = message(g)
        others = (
            b"",
            whole[: g.randrange(len(whole))],
            whole + g.randbytes(g.randint(1, 70)),
            g.randbytes(1) + whole[1:],
        )
        made.append(g.choice(others) if g.random() < 0.2 else whole)
    return made


def every_length() -> list[bytes]:
    g = random.Random(1)
    return [kind.encode() + g.randbytes(n) for kind in (*TYPES, "S", "R") for n in (*range(70), 300)]


def golden(sent: list[bytes]) -> Rows:
    """The expected result for each packet, from PySpark."""
    from spark_golden.session import session

    table = BUILD / "golden" / "itch.parquet"
    table.parent.mkdir(parents=True, exist_ok=True)
    pa.parquet.write_table(pa.table({"packet": pa.array(range(len(sent))), "bytes": pa.array(sent)}), table)
    rows = messages(session().read.parquet(str(table))).orderBy("packet").toArrow().to_pylist()
    return [(row["verdict"], *(_tuple(row) if row["verdict"] == "message" else (0, 0))) for row in rows]


def _tuple(row: dict) -> tuple[int, int]:
    """The kind, and the fields in order: the time in 8 bytes, zeros after the last field."""
    names = list(MESSAGES[row["type"]])
    text = "".join(v.rjust(16, "0") if name == "Time" else v for name, v in zip(names, row["values"], strict=True))
    return TYPES.index(row["type"]), int(text.ljust(2 * RECORD, "0"), 16)


@pytest.fixture(scope="module", params=[8, 64, 512])
def bench(request) -> Bench:
    return build("itch5", DATA_W=request.param)


@pytest.fixture(scope="module")
def traffic() -> tuple[list[bytes], Rows]:
    sent = every_length() + packets(random.Random(f"{seed()}/itch"), 20_000)
    return sent, golden(sent)


@pytest.mark.parametrize("gaps, stalls", [(NONE, NONE), (RANDOM, RANDOM_AND_LONG)])
def test_packets(bench, traffic, tmp_path, gaps, stalls):
    sent, rows = traffic
    result = bench.run(sent, tmp_path, gaps=gaps, stalls=stalls, require_ready=stalls == NONE)
    tuples = [(kind, data) for verdict, kind, data in rows if verdict == "message"]
    assert list(zip(result.items["kind"].tolist(), result.item_values, strict=True)) == tuples
    assert result.events == Counter(verdict for verdict, _, _ in rows)


def test_latency(bench, tmp_path):
    sent = [message(random.Random(1), kind) for kind in TYPES * 5]
    result = bench.run(sent, tmp_path, require_ready=True)
    assert (result.item_cycles == result.sent_log["last"] + LATENCY).all()
    words = sum(-(-len(packet) // (bench.width("s_axis_tdata") // 8)) for packet in sent)
    assert result.sent_log["last"][-1] - result.sent_log["first"][0] == words - 1  # a word a cycle


def test_reset_in_mid_message(bench, tmp_path):
    """The message in progress is discarded; those after it are complete."""
    sent = [message(random.Random(1), "P")] * 200
    result = bench.run(sent, tmp_path, gaps=RANDOM, reset_at=range(100, 1000, 91))
    lost = int((result.sent_log["flags"] & PacketFlag.CUT != 0).sum())
    assert lost or bench.width("s_axis_tdata") == 512  # where a message is one word
    assert 200 - lost - 2 * len(range(100, 1000, 91)) <= result.received <= 200 - lost
    assert len(set(result.item_values)) == 1
    assert not result.events["unknown"] + result.events["bad_length"]


@cocotb.test()
async def smoke(dut):
    g = rng("smoke")
    sent = [message(g) for _ in range(20)]
    dut.s_axis_tvalid.value = 0
    await start(dut)
    source = Source(dut, idle=0.2)
    sink = ItemMonitor(dut, "m", dut.clk, pauses(0.3, g))
    events = Events(dut)
    source.put(sent[0])
    await RisingEdge(dut.s_axis_tvalid)
    await ClockCycles(dut.clk, 1)
    await reset(dut)
    events.take()
    sink.seen.clear()
    for packet in (*sent, b"A", b""):
        source.put(packet)
    await source.wait()
    await ClockCycles(dut.clk, 30)
    bodies = [(p[1:5] + bytes(2) + p[5:]).ljust(RECORD, b"\0") for p in sent]
    kinds = [TYPES.index(chr(p[0])) for p in sent]
    assert [(item.kind, item.data.to_bytes(RECORD, "big")) for item in sink.seen] == list(
        zip(kinds, bodies, strict=True)
    )
    assert dict(events.total) == {"message": 20, "bad_length": 2}


def test_four_state():
    run_four_state("itch5", "smoke", DATA_W=64)
