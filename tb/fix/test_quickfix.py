"""fix_parser: messages encoded by QuickFIX, a FIX engine that shares no code with this project.

quickfix.txt has several hundred of them. `make soak` generates these again, and thousands more, if QuickFIX is
installed: `.venv/bin/pip install -e ".[quickfix]"`, which compiles C++ for half an hour.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tb.fix import golden
from tb.fix.test_fix_parser import Bench, check, design
from wirestream.sim.bulk import build
from wirestream.sim.simulate import seed

HEAD, *LINES = Path(__file__).with_name("quickfix.txt").read_text().splitlines()
HEADER = re.compile(r"# QuickFIX (\S+), seed (\S+), (\d+) messages: written by quickfix_vectors.py")
MANY = 5_000
ABSENT = "QuickFIX is not installed"


def field(message: bytes, tag: int) -> bytes | None:
    """The value of a message's first field with this tag."""
    found = re.search(rb"(?:^|\x01)%d=([^\x01]*)" % tag, message)
    return found and found[1]


@pytest.fixture(scope="module")
def bench() -> Bench:
    return build(design())


def compare(bench: Bench, messages: list[bytes], folder: Path) -> None:
    """Three messages a payload: every record is PySpark's, and only messages of unknown type are rejected."""
    sent = [b"".join(messages[at : at + 3]) for at in range(0, len(messages), 3)]
    counted = check(bench, sent, golden.expected({"": sent})[""], folder)
    assert +counted == Counter("unknown" if field(made, 35) == b"0" else "message" for made in messages)


def test_vectors(bench, tmp_path):
    messages = [line.replace("|", "\x01").encode("ascii") for line in LINES]
    assert len(messages) == int(HEADER.fullmatch(HEAD)[3]) >= 500
    assert {field(m, 35) for m in messages} == {b"D", b"F", b"AS", b"0"}
    assert {field(m, 8) for m in messages} == {b"FIX.4.2", b"FIX.4.4", b"FIXT.1.1"}
    assert {field(m, 453) for m in messages} == {None, b"1", b"2", b"3", b"4"}
    # Every field that orders.yml describes, and the data fields.
    for tag in (6, 11, 38, 40, 41, 44, 54, 55, 60, 70, 96, 118, 349, 355, 448, 452):
        assert sum(field(m, tag) is not None for m in messages) > 20, tag
    compare(bench, messages, tmp_path)


@pytest.mark.soak
def test_vectors_are_those_of_quickfix():
    pytest.importorskip("quickfix", reason=ABSENT, exc_type=ModuleNotFoundError)
    from tb.fix import quickfix_vectors

    _, of, count = HEADER.fullmatch(HEAD).groups()
    assert "\n".join([HEAD, *LINES, ""]) == quickfix_vectors.vectors(of, int(count))


@pytest.mark.soak
def test_messages_of_quickfix(bench, tmp_path):
    pytest.importorskip("quickfix", reason=ABSENT, exc_type=ModuleNotFoundError)
    from tb.fix import quickfix_vectors

    compare(bench, [made.encode("ascii") for made in quickfix_vectors.messages(seed(), MANY)], tmp_path)
