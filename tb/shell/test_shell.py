"""`wirestream sql`: rows are those of the query, errors and Ctrl-C end only a statement, nothing is left running.

All tests that run a query use one circuit, whose constant is a register.
"""

from __future__ import annotations

import csv
import fcntl
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tb import BUILD, REPOSITORY
from wirestream.compiler.compile import compile_queries
from wirestream.record.arrival import Arrival
from wirestream.record.columns import Layout
from wirestream.record.comparison import Exit, judged
from wirestream.record.rows import Row
from wirestream.schema.packets import HEADERS
from wirestream.schema.streams import shipped
from wirestream.shell import check, circuits, command
from wirestream.shell.circuits import PROGRAM, Circuits, digest
from wirestream.shell.commands import COMMANDS
from wirestream.shell.completion import candidates
from wirestream.shell.output import JsonOutput, TableOutput
from wirestream.shell.running import ROOM, portions
from wirestream.shell.session import Query, Session
from wirestream.shell.statements import divided

QUERY = "SELECT Symbol, Price FROM Trades WHERE Price > $limit INTO Dear"
PROMPT = "wirestream>"
SHELL = [sys.executable, "-m", "wirestream.cli", "sql"]
LIMIT = 100
TRADES = [(f"S{n % 7}", 37 * n % 211, n, n) for n in range(500)]
DEAR = [[symbol, str(price)] for symbol, price, *_ in TRADES if price > LIMIT]
LONG = 400_000  # tuples, which take seconds


@pytest.fixture(scope="module", autouse=True)
def build_folder() -> Iterator[None]:
    """Processes that the tests start build where the tests do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WIRESTREAM_BUILD", str(BUILD))
        yield


@pytest.fixture(scope="module")
def trades(tmp_path_factory) -> Path:
    return written(tmp_path_factory.mktemp("data") / "trades.csv", TRADES)


@pytest.fixture(scope="module")
def many(tmp_path_factory) -> Path:
    """More trades than are sent before a test ends."""
    rows = ((symbol, price, 1, n) for n, (symbol, price, *_) in enumerate(TRADES * (LONG // len(TRADES))))
    return written(tmp_path_factory.mktemp("many") / "trades.csv", rows)


def written(path: Path, rows) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("Symbol", "Price", "Volume", "Time"), *rows])
    return path


def said(capsys, *words: str | Path) -> tuple[int, str, str]:
    """The exit status of a call, and its output and errors."""
    status = command.main([str(word) for word in words])
    return status, *capsys.readouterr()


def of_csv(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


# --- rows -----------------------------------------------------------------------------------------------------------


def test_rows_of_a_file(trades, capsys):
    status, out, err = said(
        capsys, "--load", trades, "--format", "csv", "-c", f"\\set limit={LIMIT}\n{QUERY};\n\\set limit=200\n\\send"
    )
    assert status == 0, err
    head = ["Symbol", "Price"]
    assert of_csv(out) == [head, *DEAR, head, *(row for row in DEAR if int(row[1]) > 200)]
    assert "500 tuples of Trades" in err and "Dear  latency 1 cycle" in err


def test_settings_of_a_running_board(trades, capsys):
    """A register of the board, a constant for the next query, and an index that is none."""
    text = f"\\set limit={LIMIT}\n{QUERY};\n\\set result_port=5001\n\\set least=3\n\\set local_port[x]=1"
    status, _, err = said(capsys, "--load", trades, "--format", "csv", "-c", text)
    assert status == 2 and "result_port = 5001 on the board\n" in err
    assert "least = 3 for queries with $least; the board has no such register\n" in err
    assert err.endswith("wirestream sql: local_port[x]: no such register\n")


def test_spark_nods(trades, capsys):
    """The rows of the second run are not those of the first; a constant that changes after the rows is an error."""
    text = f"\\set limit={LIMIT}\n{QUERY}; \\check\n\\set limit=200\n\\check"
    status, _, err = said(capsys, "--load", trades, "--rows", "1", "-c", text)
    assert f"EQUAL all {len(DEAR)} rows of the circuit are those of PySpark" in err
    assert status == 2 and "\\check: no data since \\set" in err


def test_rows_that_are_not_sparks(monkeypatch, tmp_path):
    built = compile_queries("SELECT Symbol, Price FROM Trades INTO R", shipped())
    (entry,), (result,) = built.circuit.entries, built.circuit.results
    records = np.zeros(2, result.schema.dtype)
    records["Symbol"], records["Price"] = [b"A", b"B"], [1, 2]
    golden: list[Row] = [(("Symbol", "A"), ("Price", 1)), (("Symbol", "C"), ("Price", None))]
    monkeypatch.setattr(check, "expected", lambda *_: ([golden], []))
    arrival = Arrival({entry.stream: np.zeros(0, entry.stream.schema.dtype)}, np.zeros(0, int))
    (one,), _ = check.compare(Query("", built), arrival, {}, {"R": [records]}, {}, tmp_path)
    assert judged([one], {})[0] == Exit.DIFFERENT
    assert check.shown(one) == [
        "R: 1 row only from the circuit",
        "  Symbol B, Price 2",
        "R: 1 row only from PySpark",
        "  Symbol C, Price null",
    ]


def test_groups_that_do_not_fit(tmp_path, capsys):
    """Their rows are missing, which the tuples that left explain; with more groups all rows are there."""
    rows = [(f"K{n % 30}", n, 1, n // 60) for n in range(600)]
    data = written(tmp_path / "trades.csv", rows)
    query = "SELECT Time, Symbol, count(*) AS N FROM Trades [RANGE 5 SLIDE 5 WATTR Time] GROUP BY Symbol INTO Kinds"
    text = f"{query};\n\\check"
    status, out, err = said(capsys, "--load", data, "--groups", "16", "--format", "csv", "-c", text)
    found = re.search(r"wirestream sql: INCOMPLETE Kinds: (\d+) rows missing, of groups that found no entry", err)
    assert status == Exit.EXPLAINED and len(of_csv(out)) == 1 + 30 - int(found[1])
    assert f"Kinds: {found[1]} rows only from PySpark" in err
    text = f"\\groups 32\n{query};\n\\check"
    status, out, err = said(capsys, "--load", data, "--groups", "16", "--format", "csv", "-c", text)
    assert status == 0 and "EQUAL all 30 rows" in err and "32 groups fit a GROUP BY" in err


def test_windows_longer_than_the_sorter(tmp_path, capsys):
    """Their rows are in order, and the shell says how many there were. A window that is open has sent a run."""
    rows = [(f"K{n % 3}", 7919 * n % 500, 1, n // 1500) for n in range(4100)]
    data = written(tmp_path / "trades.csv", rows)
    query = "SELECT Time, Price FROM Trades [RANGE 1 SLIDE 1 WATTR Time] ORDER BY Price DESC, Symbol INTO Sorted"
    status, out, err = said(capsys, "--load", data, "--format", "csv", "-c", f"{query};\n\\check")
    assert status == 0 and "EQUAL all 3,000 rows" in err, err
    ordered = sorted(rows, key=lambda row: (row[3], -row[1], row[0]))
    assert of_csv(out)[1:] == [[str(time), str(price)] for _, price, _, time in ordered[:3000]]
    assert "2 windows were longer than the sorter; their sorted runs were merged" in err
    assert "1,024 rows of windows that did not end are left out" in err


def test_rows_of_several_results():
    """A table says which result its rows are of; JSON names it in each."""
    file, other = Text(), Text()
    trades, quotes = (compile_queries(f"SELECT Time FROM {name}", shipped()) for name in ("Trades", "Quotes"))
    for out in (TableOutput(2, file), JsonOutput(other)):
        out.begin(["A", "B"])
        for name, built, values in (("A", trades, [1, 2]), ("B", quotes, [3]), ("A", trades, [4])):
            schema = built.circuit.results[0].schema
            records = np.zeros(len(values), schema.dtype)
            records["Time"] = values
            out.add(name, Layout(schema).table(records))
        out.finish()
    head, ruler = f"{'Time':>10}", 10 * "-"
    lines = ["A:", head, ruler, f"{1:>10}", f"{2:>10}", "B:", head, ruler, f"{3:>10}"]
    assert file.text.splitlines() == [*lines, "(3 rows of A, 1 not shown (--rows))", "(1 row of B)"]
    named = [(row["result"], row["Time"]) for row in map(json.loads, other.text.splitlines())]
    assert named == [("A", 1), ("A", 2), ("B", 3), ("A", 4)]


class Text:
    """A file that keeps what is printed to it."""

    def __init__(self):
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        """Nothing is buffered."""


def test_portions_of_datagrams():
    """Streams in turn share a portion; order and number of the datagrams stay."""
    shapes = [(1, 32), (1, 40), (100, 32), (1, 1472), (5, 900), (1, 32)]
    found = list(portions([np.zeros(shape, np.uint8) for shape in shapes]))
    lengths = [part.shape[1] for portion in found for part in portion for _ in part]
    assert lengths == [32, 40, *[32] * 100, 1472, *[900] * 5, 32]
    counts = [sum(map(len, portion)) for portion in found]
    sizes = [sum(len(part) * (part.shape[1] + HEADERS) for part in portion) for portion in found]
    assert counts == [30, 30, 30, 13, 3, 3] and max(sizes) <= ROOM


# --- wrong calls ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("\\rn", 2, "\\rn: no such command; \\help lists them"),
        ("\\run now", 2, "\\run now: \\run takes no argument"),
        ("\\load", 2, "\\load: [STREAM=]FILE is missing"),
        ("\\load none.csv", 2, "\\load none.csv: no file none.csv"),
        ("\\load none.sql", 2, "none.sql: No such file or directory"),
        ("\\set limit", 2, "\\set: 'limit' is not NAME=VALUE"),
        ("\\run", 2, "no query yet: type one, or \\load FILE.sql"),
        ("\\groups", 2, "\\groups: N is missing"),
        ("\\groups 0", 2, "\\groups 0: must be a number of at least 1"),
        ("\\send", 2, "no board is running: \\run starts it"),
        (QUERY, 2, "$limit has no value: \\set limit=VALUE"),
        (f"\\set limit=x\n{QUERY}", 2, "$limit: 'x' does not fit"),
        ("-- a comment; and\n  SELECT Prise FROM Trades", 2, "line 2, column 10: unknown column Prise"),
        ("CREATE INPUT STREAM Trades (a int)", 2, "line 1, column 1: stream Trades already exists"),
        ("SELECT Symbol FROM O INTO R", 2, "line 1, column 20: unknown stream O"),
    ],
)
def test_errors_end_a_script(text, status, message, capsys):
    """The first error: what follows is not carried out, its reason is one line, and where it is."""
    found, out, err = said(capsys, "-c", f"{text};\n\\help")
    assert found == status and not out
    lines = [line for line in err.splitlines() if line.startswith("wirestream sql: ")]
    assert len(lines) == 1 and message in lines[0], err


def test_files_for_streams(trades, tmp_path, capsys):
    """A file for a stream that exists, by its name; another one is inferred; messages have none."""
    (other := tmp_path / "meters.csv").write_text("Meter,Value,Time\na,1.5,1\nb;c,2,3\n")
    (queries := tmp_path / "q.sql").write_text("CREATE INPUT STREAM S (x int); SELECT x FROM S WHERE y > 1 INTO R")
    status, out, err = said(capsys, "-c", f"\\load Trades={trades}\n\\load {other}\n\\streams\n\\load {queries}")
    assert status == 2 and f"{queries}: line 1, column 54: unknown column y" in err
    assert "500 tuples of Trades" in err and "2 tuples of Meters" in err and "Value decimal(2, 1)" in err
    assert f"Meters (Meter string(3), Value decimal(2, 1), Time int) TIME Time IN s, data of {other}\n" in out
    assert f"Time int) TIME Time IN s, data of {trades}\n" in out
    fix = "CREATE INPUT STREAM O FORMAT FIX orders.NewOrderSingle (Symbol); SELECT Symbol FROM O INTO R"
    status, _, err = said(capsys, "-c", fix)
    assert (
        status == 2
        and "O has FIX messages, which the shell does not send: run the query with `wirestream board`" in err
    )
    join = "SELECT m.Time FROM Meters [ROWS 4] AS m JOIN Trades [ROWS 4] AS t ON m.Time = t.Time"
    status, _, err = said(capsys, "--load", other, "-c", join)
    assert status == 2 and "no data of Trades: \\load Trades=FILE" in err


# --- text -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found", "rest"),
    [
        ("SELECT 1;SELECT 2", ["SELECT 1"], "SELECT 2"),
        ("SELECT ';' -- a; b\n, `;` /* ; */ ;", ["SELECT ';' -- a; b\n, `;` /* ; */"], ""),
        ("\\run\n\\load a;b\nSELECT", ["\\run", "\\load a;b"], "SELECT"),
        ("\\run;", ["\\run"], ""),
        (";;  ; -- nothing\n", [], ""),
        ("/* open ; SELECT 1;", [], "/* open ; SELECT 1;"),
        ("SELECT 'it''s' FROM a;", ["SELECT 'it''s' FROM a"], ""),
    ],
)
def test_statements(text, found, rest):
    statements, left = divided(text)
    assert ([one.text for one in statements], left) == (found, rest)
    whole, left = divided(text, whole=True)
    assert [one.text for one in whole] == [*found, *[rest] * bool(rest)] and not left
    lines = text.splitlines()
    assert all(lines[one.line - 1][one.column - 1 :].startswith(one.text.splitlines()[0]) for one in whole)


def test_completion():
    session = Session.of([])
    session.take("CREATE INPUT STREAM Rooms (Room string(4), Heat decimal(4, 1), Time long)")

    def after(text: str) -> list[str]:
        return [one for one, _ in candidates(text, session)]

    assert after("\\ex") == ["explain"] and after("  \\") == list(COMMANDS)
    assert after("SELECT Sym FROM ro") == ["Rooms"] and after("SELECT x FROM Trades JOIN qu") == ["Quotes"]
    assert "Heat" in after("SELECT he") and "char_length(" in after("SELECT cha") and "count(" in after("SELECT cou")
    assert after("SELECT x FROM Rooms WHERE He") == ["Heat"]  # not Trades' columns
    assert "SLIDE" in after("SELECT x FROM Rooms [RANGE 5 SLI") and "WHERE" in after("SELECT x FROM Rooms wh")
    session.take(QUERY)
    assert after("\\set l") == ["limit="] == after("\\set $") and after("SELECT ") == []


# --- the kept circuits ----------------------------------------------------------------------------------------------


@pytest.fixture
def building(monkeypatch) -> list[Path]:
    """Programs of 1,000 bytes are built; their paths."""
    made: list[Path] = []

    def build(built, program: Path) -> None:
        program.write_bytes(bytes(1000))
        made.append(program)

    monkeypatch.setattr(circuits, "_build", build)
    return made


def test_the_least_recently_used_circuit_goes_first(tmp_path, building):
    kept = Circuits(tmp_path, 2500)
    a, b, c = (compile_queries(f"SELECT Price FROM Trades WHERE Price > {n} INTO R", shipped()) for n in range(3))
    for built in (a, b, a, c):
        with kept.board(built) as board:
            assert board.program.exists()
        time.sleep(0.01)
    assert len(building) == 3
    assert a in kept and c in kept and b not in kept
    with Circuits(tmp_path, 0).board(b) as board:
        assert sorted(tmp_path.glob(f"*/{PROGRAM}")) == [board.program]  # the one in use stays


def test_a_circuit_that_another_shell_is_about_to_start_stays(tmp_path, building):
    kept, one = Circuits(tmp_path, 0), Circuits(tmp_path)
    a, b = (compile_queries(f"SELECT Price FROM Trades WHERE Price > {n} INTO R", shipped()) for n in range(2))
    with one.board(a) as board, kept.board(b):
        assert board.program.exists()


def test_what_a_circuit_depends_on(monkeypatch, tmp_path):
    """The tools, the Verilog, the cores; not how the query is written."""
    text = "SELECT Price FROM Trades WHERE Price > 1 INTO R"
    built = compile_queries(text, shipped())
    known = digest(built)
    assert digest(compile_queries(text.replace(" WHERE", "\nWHERE"), shipped())) == known
    assert digest(compile_queries(text.replace("1", "2"), shipped())) != known
    (tmp_path / "ws_new.v").write_text("module")
    monkeypatch.setattr(circuits, "RTL", tmp_path)
    assert (other := digest(built)) != known
    monkeypatch.setattr(circuits, "COMPILER", (*circuits.COMPILER, "-O3"))
    assert digest(built) not in (known, other)


# --- processes ------------------------------------------------------------------------------------------------------


def test_two_shells_at_once(trades):
    """Each has the rows of its own constant."""
    shells = {}
    for limit in (100, 200):
        words = [*SHELL, "--load", str(trades), "--format", "csv", "-c", f"\\set limit={limit}\n{QUERY};\n\\send"]
        shells[limit] = subprocess.Popen(words, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    for limit, shell in shells.items():
        out, _ = shell.communicate(timeout=300)
        assert shell.returncode == 0
        rows = [["Symbol", "Price"], *(row for row in DEAR if int(row[1]) > limit)]
        assert of_csv(out) == rows + rows


def test_a_killed_shell_leaves_no_simulator(many, tmp_path):
    words = [*SHELL, "--load", str(many), "--format", "csv", "-c", f"\\set limit={LIMIT}\n{QUERY}"]
    temporary = {**os.environ, "TMPDIR": str(tmp_path)}
    shell = subprocess.Popen(words, cwd=REPOSITORY, env=temporary, stdout=subprocess.PIPE, text=True)
    assert shell.stdout.readline() == '"Symbol","Price"\n' and shell.stdout.readline() == '"S3",111\n'
    boards = boards_of(shell.pid)
    assert len(boards) == 1
    shell.kill()
    shell.wait()
    wait_for(lambda: not any(map(running, boards)))


def boards_of(parent: int) -> list[int]:
    """The simulators that a process has started."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(child) for child in children if PROGRAM in Path(f"/proc/{child}/comm").read_text()]


def running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(what: Callable[[], bool], seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.02)


class Terminal:
    """A shell in a terminal. A context manager, at whose end the shell must have ended."""

    def __init__(self, folder: Path):
        environment = {**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "XDG_STATE_HOME": str(folder)}
        self._end, terminal = pty.openpty()
        self.shell = subprocess.Popen(
            SHELL, cwd=REPOSITORY, env=environment, stdin=terminal, stdout=terminal, stderr=terminal,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(terminal)
        self._text = ""

    def __enter__(self) -> Terminal:
        self.until(PROMPT)
        return self

    def __exit__(self, *_: object) -> None:
        self.shell.kill()
        self.shell.wait()
        os.close(self._end)

    def until(self, pattern: str, seconds: float = 120.0) -> str:
        """What is shown up to a pattern, without colours and movements of the cursor."""
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self._text)):
            assert time.monotonic() < deadline, f"no {pattern} in {self._text}"
            if select.select([self._end], [], [], 0.1)[0]:
                self._text += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", os.read(self._end, 1 << 16).decode())
        shown, self._text = self._text[: found.end()], self._text[found.end() :]
        return shown

    def type(self, text: str) -> None:
        os.write(self._end, text.encode())

    def enter(self, text: str, pattern: str) -> str:
        """Enter a text, of which a pattern and another prompt must follow; what is shown before the prompt."""
        self.type(text + "\r")
        shown = self.until(pattern)
        self.until(PROMPT)
        return shown

    @property
    def boards(self) -> list[int]:
        return boards_of(self.shell.pid)


def test_terminal(trades, many, tmp_path):
    """A statement of two lines; an error and Ctrl-C end the statement, not the shell; \\q ends the simulator too."""
    whole = rf"\({len(DEAR)} rows, {len(DEAR) - 40} not shown"
    with Terminal(tmp_path) as terminal:
        terminal.enter("SELECT Prise FROM Trades;", "line 1, column 8: unknown column Prise")
        terminal.enter(f"\\load {trades}", "500 tuples of Trades")
        terminal.enter(f"\\set limit={LIMIT}", f"limit = {LIMIT}")
        shown = terminal.enter(QUERY.replace(" WHERE", "\rWHERE") + ";", whole)
        assert "...>" in shown and f"{DEAR[0][0]:<6}  {DEAR[0][1]:>10}\n" in shown
        terminal.enter("\\counters", r"tuple_rx_tuple +500")
        first = terminal.boards
        terminal.enter(f"\\load {many}", f"{LONG:,} tuples of Trades")
        terminal.type("\\run\r")
        terminal.until("Symbol +Price")
        (second,) = terminal.boards
        assert len(first) == 1 and not running(first[0])
        terminal.enter("\x03", "stopped")
        wait_for(lambda: not running(second))
        terminal.enter("\\counters", "no board is running")
        terminal.enter(f"\\load {trades}", "500 tuples of Trades")
        terminal.enter("\\run", whole)
        (third,) = terminal.boards
        terminal.type("\\q\r")
        assert terminal.shell.wait(60) == 0 and not running(third)
    assert QUERY.partition(" WHERE")[0] in (tmp_path / "wirestream" / "sql_history").read_text()


def test_ctrl_c_ends_a_script(many):
    words = [*SHELL, "--load", str(many), "-c", f"\\set limit={LIMIT}\n{QUERY}"]
    shell = subprocess.Popen(words, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    shell.stdout.readline()
    (board,) = boards_of(shell.pid)
    shell.send_signal(signal.SIGINT)
    _, err = shell.communicate(timeout=60)
    assert shell.returncode == 130 and err.endswith("wirestream sql: stopped\n") and not running(board)
