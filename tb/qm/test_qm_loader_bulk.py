"""qm_loader in the bulk bench: thousands of messages, most of them broken, against the loader in Python.

Every reply, every counter and every word that is written are those of the model: none changes another program.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tb.common.siphash import KEY
from tb.lib.axis import Meta
from tb.machine.loader import LOAD, REFUSALS, RUNNING, sections
from tb.qm.loads import ADDRESS, NONCE, model, traffic, words_of
from wirestream.sim.bulk import NONE, RANDOM, build
from wirestream.sim.simulate import seed

PORT, SENDER = 4001, 0xC0A80107
REPLY, PROG, BOUND, SWAP = 0, 1, 2, 3


def meta(payload: bytes, number: int) -> int:
    return Meta(len(payload), 1000 + number % 1000, SENDER, PORT, int.from_bytes(ADDRESS)).pack()


def play(out: Path, count: int, *, slots=1, code_w=8, prog_w=9, key=KEY, is_open=False, pauses=NONE, broken=0.6):
    """Broken and good messages; returns the counts."""
    board = model(prog_w, key=key, is_open=is_open, slots=slots, code=1 << code_w)
    sent, replies, swaps = [], [], []
    for number, payload in enumerate(traffic(Random(f"{seed()}/{slots}/{count}"), board, count, 1 << code_w, broken)):
        done = board.counts["done"]
        reply = board.datagram(payload)
        sent.append(payload)
        if reply:
            replies.append((reply, PORT << 48 | SENDER << 16 | 1000 + number % 1000))
        if board.counts["done"] > done:
            slot = board.slot[payload[6]]
            swaps.append((payload[6], payload[5], slot.generation & 0xFF, slot.state == RUNNING, slot.program))
    design = build("qm_loader_bulk", SLOTS=slots, CODE_W=code_w, PROG_W=prog_w, OPEN=int(is_open))
    settings = {"key": int.from_bytes(key or KEY, "little"), "has_key": key is not None}
    settings |= {"nonce": int.from_bytes(NONCE), "local_ip": int.from_bytes(ADDRESS)}
    tuser = [meta(payload, number) for number, payload in enumerate(sent)]
    result = design.run(sent, out, tuser=tuser, inputs=settings, gaps=pauses)
    assert replies_of(result.items) == replies
    names = [*REFUSALS.values(), "done", "replaced", "abandoned"]
    assert result.events == {name: board.counts[name] for name in names}
    replay(result.items, swaps, prog_w)
    return Counter(result.events)


def replies_of(items) -> list[tuple[bytes, int]]:
    """The replies and where they go."""
    found, reply = [], b""
    for one in items[items["kind"] == REPLY]["data"]:
        reply += one[-1:].tobytes()
        if one[-2]:
            found.append((reply, int.from_bytes(one[:8].tobytes())))
            reply = b""
    return found


def replay(items, swaps: list[tuple], prog_w: int) -> None:
    """What is written is never in the bank that runs, and at each swap the bank has the whole program."""
    bounds: dict[int, dict[int, int]] = {0: {}, 1: {}}
    memory: dict[int, dict[int, int]] = {0: {}, 1: {}}
    active: dict[int, int] = {}
    expected = iter(swaps)
    for one in items[items["kind"] != REPLY]:
        kind, data = int(one["kind"]), int.from_bytes(one["data"].tobytes())
        if kind == PROG:
            address = data >> 36
            bank = address >> prog_w - 1
            memory[bank][address] = data & (1 << 36) - 1
        elif kind == BOUND:
            bounds[data >> 38 & 1][data >> 36 & 3] = data & (1 << prog_w) - 1
        else:
            slot, how, generation, runs, program = next(expected)
            bank = data >> 47 & 1
            flags, period, start = data >> 40 & 0x7F, data >> 16 & 0xFFFF, data & 0xFFFF
            header, code = program
            parts = sections(bytes(11) + header, code)
            lowest = header[7] & 0x3E | (parts[0] != b"") | (parts[2] != b"") << 6
            assert (data >> 57, data >> 48 & 1, data >> 32 & 0xFF) == (slot, runs, generation)
            assert (flags, period, start) == (lowest, int.from_bytes(header[8:10]), int.from_bytes(header[10:12]))
            if how == LOAD:
                assert bank != active.get(slot, 0)
                image = words_of(parts, bank, prog_w)
                base = bank << prog_w - 1
                assert [memory[bank][base + k] for k in range(len(image.words))] == list(image.words)
                assert [bounds[bank][k] for k in range(4)] == list(image.bounds)
            else:
                assert bank == active[slot]
            active[slot] = bank
    assert next(expected, None) is None


@pytest.mark.parametrize(
    ("slots", "code_w", "prog_w", "pauses"), [(1, 8, 9, NONE), (1, 8, 9, RANDOM), (8, 8, 9, NONE), (3, 10, 12, RANDOM)]
)
def test_broken_messages(tmp_path, slots, code_w, prog_w, pauses):
    """Each reason occurs."""
    counts = play(tmp_path, 4000, slots=slots, code_w=code_w, prog_w=prog_w, pauses=pauses)
    assert all(counts[name] for name in (*REFUSALS.values(), "done", "replaced", "abandoned") if name != "locked")


def test_small_memory(tmp_path):
    """Programs of more words than a bank has are refused."""
    counts = play(tmp_path, 1000, code_w=7, prog_w=5, broken=0)
    assert counts["bad_code"] > 50 and counts["done"] > 50


def test_without_a_key(tmp_path):
    counts = play(tmp_path / "locked", 500, key=None, broken=0.2)
    assert counts["locked"] > 100 and not counts["done"]
    counts = play(tmp_path / "open", 500, key=None, is_open=True, broken=0.2)
    assert counts["done"] > 50 and not counts["locked"] and not counts["bad_tag"]


@pytest.mark.soak
def test_100_000_broken_messages(tmp_path):
    counts = play(tmp_path, 100_000, slots=8, pauses=RANDOM, broken=0.9)
    assert all(counts[name] for name in (*REFUSALS.values(), "done", "replaced", "abandoned") if name != "locked")
