"""The commands `wirestream machine load`, `start`, `stop` and `status`, against a loader in Python."""

from __future__ import annotations

import re

import pytest

from tb import REPOSITORY
from tb.common.siphash import KEY
from tb.machine import shipped
from tb.machine.loader import EMPTY
from tb.machine.test_loading import HOST, Server, loader
from wirestream import cli


@pytest.fixture
def board(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("q1", "events"):
        (tmp_path / f"{name}.qm").write_text(shipped.text(name))
    (tmp_path / "key").write_text(f"{KEY.hex()}\n")
    with Server(loader()) as server:
        server.folder = tmp_path
        yield server


def test_life_of_a_program(board, capsys):
    to = f"--to {HOST}:{board.port} --slot 3"
    for line, said in (
        (f"status {to}", ["slot 3: empty, generation 0, epoch 0"]),
        (
            f"load q1.qm {to} --key key",
            ["loaded 15 bytes of code in 1 datagram", "slot 3: running, generation 1, epoch 0"],
        ),
        (f"stop {to} --key key", ["slot 3: stopped, generation 2, epoch 0"]),
        (f"start {to} --key key --generation 7", ["slot 3: running, generation 7, epoch 0"]),
        (f"status {to}", ["slot 3: running, generation 7, epoch 0"]),
        (
            f"load events.qm {to} --key key",
            ["loaded 62 bytes of code in 1 datagram", "slot 3: running, generation 8, epoch 0"],
        ),
    ):
        assert cli.main(["machine", *line.split()]) == 0
        assert capsys.readouterr().out.splitlines() == said
    events = shipped.program("events")
    assert board.board.slot[3].program[1] == events.init + events.delivery
    assert all(slot.state == EMPTY for k, slot in enumerate(board.board.slot) if k != 3)


@pytest.mark.parametrize(
    ("line", "status", "error"),
    [
        (
            "load q1.qm",
            1,
            "refused the request 'load' for slot 0: the tag is wrong: another key",
        ),
        ("load q1.qm --key key --address 192.168.1.10", 1, "refused the request 'load' for slot 0: the tag is wrong"),
        ("stop --key key", 1, "refused the request 'stop' for slot 0: start or stop of an empty slot"),
        ("status --slot 9", 1, "refused the request 'status' for slot 9: it has the slots 0 to 7"),
        ("load q1.qm --key q1.qm", 2, "q1.qm: not a key of 32 hexadecimal digits"),
        ("load q1.qm --key key --generation 0", 2, "generation 0: must be 1 to 4294967295"),
        ("load events.qm --key key --synopsis 4", 2, "events.qm: line"),
        ("load events.qm --key key --code 61", 2, "events.qm: "),
    ],
)
def test_errors(board, capsys, line, status, error):
    assert cli.main(["machine", *line.split(), "--to", f"{HOST}:{board.port}"]) == status
    assert error in capsys.readouterr().err
    assert all(slot.state == EMPTY for slot in board.board.slot)


def test_the_page(board, capsys):
    """The commands in docs/machine.md print what it shows."""
    page = (REPOSITORY / "docs" / "machine.md").read_text()
    (block,) = re.findall(r"^```text\n(wirestream .*?)^```", page, re.DOTALL | re.MULTILINE)
    (board.folder / "sliding_sum.qm").write_text(shipped.text("sliding_sum"))
    commands = block.replace("192.168.1.10:4001", f"{HOST}:{board.port}").split("wirestream ")[1:]
    assert len(commands) == 3
    for command in commands:
        line, *said = command.splitlines()
        assert cli.main(line.split()) == 0
        assert capsys.readouterr().out.splitlines() == said
