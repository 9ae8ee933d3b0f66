"""fix_parser: messages as QuickFIX encodes them, where it is installed: `.venv/bin/pip install -e ".[quickfix]"`, which
compiles it for half an hour."""

from __future__ import annotations

import random

import pytest

from tb.fix import golden
from tb.fix.test_fix_parser import Bench, check, design
from tb.lib.bulk.bulk import build
from wirestream.simulate import seed

quickfix = pytest.importorskip("quickfix", reason="QuickFIX is not installed", exc_type=ModuleNotFoundError)

COUNT = 5_000
VERSIONS = ("FIX.4.2", "FIX.4.4", "FIXT.1.1")


def text(g: random.Random, most: int) -> str:
    return "".join(g.choices("ABCXYZ0189=.- ", k=g.randrange(1, most + 1)))


def message(g: random.Random, number: int) -> bytes:
    """A new order with its parties, or a cancel request, with fields in a session's header and of no interest."""
    kind, made = g.choice("DF"), quickfix.Message()
    head = made.getHeader()
    header = {8: g.choice(VERSIONS), 35: kind, 49: "TRADER", 56: "VENUE", 34: str(number)}
    for tag, value in header.items():
        head.setField(tag, value)
    time = f"20260{g.randrange(1, 10)}{g.randrange(10, 29)}-{g.randrange(24):02}:59:{g.randrange(60):02}"
    fields = {11: text(g, 12), 54: g.choice("12"), 60: time + g.choice(["", ".123", ".123456789"]), 58: text(g, 40)}
    if kind == "F":
        fields |= {41: text(g, 12)}
    else:
        fields |= {55: text(g, 8), 38: str(g.randrange(10**9)), 40: g.choice("12")}
        fields |= {44: f"{g.randrange(-(10**8), 10**8) / 10 ** g.randrange(5):.{g.randrange(1, 9)}f}"}
    for tag, value in fields.items():
        made.setField(tag, value)
    for _ in range(g.randrange(5) if kind == "D" else 0):
        party = quickfix.Group(453, 448)
        party.setField(448, text(g, 6))
        if g.random() < 0.5:
            party.setField(452, str(g.randrange(100)))
        made.addGroup(party)
    if g.random() < 0.2:
        raw = f"{text(g, 9)}\x0110=000\x01"
        made.setField(95, str(len(raw)))
        made.setField(96, raw)
    return made.toString().encode("latin-1")


@pytest.fixture(scope="module")
def bench() -> Bench:
    return build(design())


def test_messages_of_quickfix(bench, tmp_path):
    g = random.Random(f"{seed()}/quickfix")
    messages = [message(g, number) for number in range(COUNT)]
    sent = [b"".join(messages[at : at + 3]) for at in range(0, COUNT, 3)]
    counted = check(bench, sent, golden.expected({"": sent})[""], tmp_path)
    assert +counted == {"message": COUNT}
