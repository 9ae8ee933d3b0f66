"""Wrong calls of every command: the exit status, and one line that says why, with the place in a query below it."""

from __future__ import annotations

import gzip
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from tb import REPOSITORY
from wirestream import cli

FAILED, USAGE = 1, 2
OWN = """\
CREATE INPUT STREAM Own (Key string(3), Value decimal(5, 2), At int) TIME At;
SELECT At, count(*) AS N FROM Own [RANGE 10 SLIDE 10 WATTR At] INTO Per
"""
ROWS = "Key,Value,At\na,1.5,1\n"
TEXTS = {
    "q.sql": "SELECT Symbol, Price FROM Trades WHERE Price > $limit INTO High",
    "own.sql": OWN,
    "two.sql": "SELECT Price FROM Trades INTO A; SELECT Volume FROM Trades INTO B",
    "fix.sql": "CREATE INPUT STREAM O FORMAT FIX orders.NewOrderSingle (Symbol); SELECT Symbol FROM O INTO R",
    "join.sql": "SELECT Bid FROM Trades [ROWS 4] JOIN Quotes [ROWS 4] ON Trades.Symbol = Quotes.Symbol INTO Both",
    "empty.sql": "",
    "typo.sql": "SELECT Symbol, Price FORM Trades",
    "column.sql": "SELECT Symbol,\n       Prise FROM Trades",
    "stream.sql": "SELECT Price FROM Trads",
    "twice.sql": "SELECT Price FROM Trades INTO R; SELECT Volume FROM Trades INTO R",
    "good.csv": ROWS,
    "empty.csv": "",
    "heading.csv": "Key,Value,At\n",
    "no_heading.csv": "a,1.5,1\nb,2,15\n",
    "lacking.csv": "Key,Value\na,1.5\n",
    "word.csv": ROWS + "b,x,15\n",
    "large.csv": ROWS + "b,2,99999999999\n",
    "ragged.csv": ROWS + "b,15\n",
    "quote.csv": ROWS + '"b,2,15\n',
    "broken.ndjson": '{"Key": "a", "Value": 1, "At": 1}\n{"Key": "b", "Val\n',
    "list.ndjson": "[1, 2]\n",
    "data.xlsx": "",
    "plain.csv.gz": ROWS,
    "good.qm": ".stream Trades\n.section delivery\nget_Price\nistore 0\nsend_tb",
    "own.qm": '.stream Own (Key string(3), Value decimal(5, 2), At int)\n.section delivery, "@5s"\nget_At\npop',
    "punctual.qm": '.stream Own (Key int, Time int)\n.section delivery, "per_punct"\nget_Key\npop',
    "typo.qm": ".stream Trades\n.section delivery\n        get_Prise",
    "loop.qm": ".section delivery\na:\n        goto    a",
    "trap.qm": ".stream Own (At int)\n.section delivery\nget_At\niload",
    "large.qm": ".stream Own (At long)\n.section delivery\nget_At+1\niload",
    "time.csv": "Key,Time\n1,1\n",
    "stream.yml": "{name: T, id: x, fields: {a: int}}",
    "own.yml": "{name: Own, id: 9, fields: {Key: string(3), At: int}}",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """A folder with files of all kinds; FILE is one of them."""
    folder = tmp_path_factory.mktemp("wrong")
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    (folder / "short.qmb").write_bytes(b"\0\0")
    (folder / "code.qmb").write_bytes(bytes.fromhex("00 00 00 01 00 04 0000 0000 01"))
    (folder / "good.qmb").write_bytes(bytes.fromhex("00 00 00 01 00 04 0000 0000 e8"))
    for name in ("garbage.sql", "garbage.csv", "garbage.ndjson", "garbage.parquet", "garbage.csv.gz", "garbage.pcap"):
        (folder / name).write_bytes(bytes(range(255, -1, -1)) * 9)
    (folder / "cut.csv.gz").write_bytes(gzip.compress(ROWS.encode())[:-9])
    pyarrow.parquet.write_table(pa.table({"Key": ["a"], "Value": [1.5], "At": [1]}), folder / "cut.parquet")
    (folder / "cut.parquet").write_bytes((folder / "cut.parquet").read_bytes()[:-1])
    for name in ("folder", "folder.sql", "folder.csv"):
        (folder / name).mkdir()
    return folder


@pytest.fixture
def here(files, monkeypatch) -> None:
    monkeypatch.chdir(files)
    monkeypatch.setenv("WIRESTREAM_BUILD", str(files / "build"))


# The commands, with options, and how a query or file of data follows them.
OF_QUERIES = (
    "explain",
    "compile -o out",
    "timeline --data good.csv",
    "split --rate 1M",
    "board",
    "receive --seconds 1",
    "registers",
    "send --tunnel --data good.csv",
)
OF_DATA = (
    "infer",
    "timeline own.sql --data",
    "send own.sql --tunnel --data",
    "sql -c \\q --load",
    "machine run own.qm --data",
)

# A query file with options, and what one or another command says.
QUERIES = [
    ("none.sql", "none.sql: No such file or directory", "no file none.sql"),
    ("folder.sql", "folder.sql: Is a directory", "no file folder.sql"),
    ("garbage.sql", "garbage.sql: not UTF-8 text"),
    ("empty.sql", "empty.sql: no query in the file", "empty.sql: 0 queries in the text; split takes one"),
    (
        "typo.sql",
        "typo.sql: line 1, column 27: unexpected 'Trades'; expected ',' or FROM",
        "typo.sql: Invalid expression",
    ),
    (
        "column.sql",
        "column.sql: line 2, column 8: unknown column Prise; known: ",
        "column.sql: unknown column Prise; known: ",
    ),
    (
        "stream.sql",
        "stream.sql: line 1, column 19: unknown stream Trads; known: ",
        "stream.sql: Trads is neither a stream (",
    ),
    (
        "twice.sql",
        "two results are named R; give each its own name with INTO",
        "twice.sql: 2 queries in the text; split takes",
    ),
    ("own.sql --stream none.yml", "none.yml: No such file or directory"),
    ("own.sql --stream garbage.sql", "garbage.sql: not UTF-8 text"),
    ("own.sql --stream stream.yml", "stream.yml: id: x is not a number from 0 to 65535"),
]
DATA = [
    ("none.csv", "none.csv: no such file", "no file none.csv"),
    ("folder.csv", "folder.csv: Is a directory", "no file folder.csv"),
    ("garbage.csv", "garbage.csv: not text: it has a byte 0"),
    ("garbage.ndjson", "garbage.ndjson: line 1: not UTF-8 text"),
    ("garbage.parquet", "garbage.parquet: not a Parquet file, or one that was cut or damaged: "),
    ("garbage.csv.gz", "garbage.csv.gz: not a gzip file, or a damaged one: "),
    ("data.xlsx", "data.xlsx: the name must end in one of .csv, .tsv, .parquet, "),
    ("empty.csv", "empty.csv: it is empty"),
    ("ragged.csv", "ragged.csv: row 2 has 2 of 3 cells"),
    ("quote.csv", "quote.csv: row 2 has 1 of 3 cells"),
    ("broken.ndjson", "broken.ndjson: line 2: not JSON from character 14 on"),
    ("list.ndjson", "list.ndjson: line 1: not a JSON object"),
    ("cut.parquet", "cut.parquet: not a Parquet file, or one that was cut or damaged: "),
    ("cut.csv.gz", "cut.csv.gz: the file was cut: its gzip data has no end"),
    ("plain.csv.gz", "plain.csv.gz: not a gzip file, or a damaged one: "),
]
CALLS = [
    ("", USAGE, "wirestream: no command given; one of compile, explain, "),
    ("compil q.sql", USAGE, "wirestream: unknown command compil; one of compile, explain, "),
    ("place q.sql", USAGE, "`wirestream place` is now `wirestream split`"),
    # ---- compile, explain, split, timeline
    ("explain", USAGE, "the following arguments are required: query"),
    ("explain q.sql --nonsense", USAGE, "unrecognized arguments: --nonsense"),
    ("explain q.sql --chip ecp6", USAGE, "unknown chip ecp6; one of ecp5-25, ecp5-45"),
    ("explain q.sql --clock nan", USAGE, "--clock nan: must be more than 0"),
    ("explain q.sql --clock fast", USAGE, "argument --clock: invalid float value: 'fast'"),
    ("explain q.sql --groups 0", USAGE, "--groups 0: must be at least 1"),
    ("explain q.sql --window-rows 1", USAGE, "--window-rows 1: must be 2 to 1,048,576"),
    ("explain q.sql --luts -5", USAGE, "--luts -5: must be at least 0"),
    ("explain q.sql --ram-bits -5", USAGE, "--ram-bits -5: must be at least 0"),
    ("explain q.sql --windows fast", USAGE, "unknown method for windows fast; one of auto, replicate"),
    ("explain q.sql --windows No=wid", USAGE, "method for windows of No: no such result"),
    ("explain q.sql --without all", USAGE, "unknown rewrite all; known: fold, merge"),
    ("explain q.sql --svg none/q.svg", FAILED, "none/q.svg: No such file or directory"),
    ("explain q.sql --svg folder", FAILED, "folder: Is a directory"),
    ("compile q.sql", USAGE, "the following arguments are required: -o/--output"),
    ("compile q.sql -o good.csv", FAILED, "good.csv: File exists"),
    ("compile q.sql -o out --attach pcie", USAGE, "attach pcie: must be ETHERNET, HOST, BOTH"),
    ("compile q.sql -o out --set limit", USAGE, "'limit' is not NAME=VALUE"),
    ("compile q.sql -o out --set no=1", USAGE, "the query has no constant $no"),
    ("compile q.sql -o out --set limit=high", USAGE, "'high' does not fit int32: -2147483648 to 2147483647"),
    ("compile q.sql -o out --set limit=99999999999", USAGE, "99999999999 does not fit int32"),
    ("split q.sql", USAGE, "the following arguments are required: --rate"),
    ("split q.sql --rate -1", USAGE, "'-1' is not a number of more than 0, such as 500k or 2M"),
    ("split q.sql --rate 1M", USAGE, "$limit has no value; give one by --set limit="),
    ("split two.sql --rate 1M", USAGE, "2 queries in the text; split takes one"),
    ("split q.sql --rate 1M --chip ecp6", USAGE, "argument --chip: invalid choice: 'ecp6'"),
    ("split q.sql --rate 1M --luts -1", USAGE, "--luts -1: must be at least 0"),
    ("split q.sql --rate 1M --brams -1", USAGE, "--brams -1: must be at least 0"),
    ("split q.sql --rate 1M --groups 0", USAGE, "--groups 0: must be more than 0"),
    ("split q.sql --rate 1M --selectivity 3", USAGE, "--selectivity 3: must be 0 to 1"),
    ("split q.sql --rate 1M --set limit=1 --table T=none.csv", USAGE, "none.csv: No such file or directory"),
    ("split q.sql --rate 1M --set limit=1 --table T=good.csv", USAGE, "--table T: the query does not read it"),
    ("split q.sql --rate 1M --set limit=1 -o good.csv", FAILED, "good.csv: File exists"),
    ("timeline own.sql", USAGE, "no data: --data FILE"),
    ("timeline q.sql --data good.csv", USAGE, "q.sql: no window with a RANGE in time, so nothing to draw"),
    ("timeline own.sql --data good.csv --tuples 0", USAGE, "--tuples must be at least 1"),
    ("timeline own.sql --data good.csv --svg none/t.svg", FAILED, "none/t.svg: No such file or directory"),
    ("timeline own.sql --data heading.csv", USAGE, "no tuples of Own"),
    # ---- data of a stream
    ("infer", USAGE, "the following arguments are required: file"),
    ("infer heading.csv", USAGE, "heading.csv: no rows, so no types"),
    ("infer good.csv --name a-b", USAGE, "--name a-b: not a name"),
    ("send own.sql --tunnel", USAGE, "no data: --data FILE, or --data - for standard input"),
    (
        "send own.sql --tunnel --data no_heading.csv",
        USAGE,
        "; its first line must name the columns",
    ),
    ("send own.sql --tunnel --data lacking.csv", USAGE, "lacking.csv: no column At; it has Key, Value and needs Key, "),
    ("send own.sql --tunnel --data word.csv", USAGE, "word.csv: row 2: Value is 'x', not a decimal(5, 2)"),
    ("send own.sql --tunnel --data large.csv", USAGE, "large.csv: row 2: At is '99999999999', not a 32-bit integer"),
    ("send own.sql --tunnel --data No=good.csv", USAGE, "--data No=good.csv: the query reads Own"),
    (
        "send join.sql --tunnel --data good.csv",
        USAGE,
        "of which stream? Write STREAM=good.csv; the query reads",
    ),
    ("send join.sql --tunnel --data Trades=good.csv", USAGE, "no data of Quotes: --data Quotes=FILE"),
    ("send own.sql --tunnel --data good.csv --data a.csv", USAGE, "--data a.csv: Own has good.csv already"),
    ("send own.sql --tunnel --data good.csv --order-by No", USAGE, "--order-by No: not a field of Own; it has Key, "),
    ("send fix.sql --tunnel --data good.csv", USAGE, "O has messages, not tuples; `wirestream orders` sends them"),
    ("send own.sql --tunnel --data - --close", USAGE, "--data - excludes --pcap, --close"),
    # ---- what sends
    ("send 127.0.0.1:4000", USAGE, "no file 127.0.0.1:4000; generated trades are sent by `wirestream trades`"),
    ("send own.sql", USAGE, "no destination; give --to HOST:PORT, --tunnel, or --pcap FILE (--help shows examples)"),
    ("send own.sql --data good.csv --to nowhere", USAGE, "'nowhere' is not HOST:PORT, such as 127.0.0.1:4100"),
    ("send own.sql --data good.csv --to :4000", USAGE, "':4000' is not HOST:PORT"),
    ("send own.sql --data good.csv --to a.invalid:4000", FAILED, "a.invalid:4000: "),
    ("send own.sql --data good.csv --tunnel 127.0.0.1:70000", USAGE, "'127.0.0.1:70000' is not HOST:PORT"),
    (
        "send own.sql --data good.csv --tunnel --pcap a.pcap",
        USAGE,
        "--pcap: not allowed with argument --tunnel",
    ),
    ("send own.sql --data good.csv --pcap a.pcap --to a:1", USAGE, "'a' is not an IPv4 address"),
    ("send own.sql --data good.csv --pcap none/a.pcap", FAILED, "none/a.pcap: No such file or directory"),
    ("send own.sql --data good.csv --pcap folder", FAILED, "folder: Is a directory"),
    ("send own.sql --data good.csv --tunnel --rate -5", USAGE, "--rate '-5': not a rate, such as 20000, 5kpps"),
    ("send own.sql --data good.csv --tunnel --rate 0x", USAGE, "--rate '0x': not a rate"),
    ("send own.sql --data good.csv --tunnel --rate 1x --lose 0.1", USAGE, "--rate …x excludes --lose"),
    ("send own.sql --data good.csv --tunnel --lose 2", USAGE, "--lose 2.0: must be a share from 0 to 1"),
    ("send own.sql --data good.csv --tunnel --depth 0", USAGE, "--depth 0: must be 1 to 63"),
    ("send own.sql --data good.csv --tunnel --session -1", USAGE, "--session -1: must fit 32 bits"),
    ("send own.sql --data good.csv --tunnel --per-datagram 0", USAGE, "must be 1 to 91 to fit"),
    ("send own.sql --data good.csv --tunnel --per-datagram 99", USAGE, "must be 1 to 91 to fit"),
    ("send own.sql --data good.csv --tunnel --close soon", USAGE, "--close: the time is 'soon', not a 32-bit integer"),
    ("trades", USAGE, "no destination; give HOST:PORT, --tunnel, or --pcap FILE"),
    ("trades 127.0.0.1:0", USAGE, "'127.0.0.1:0' is not HOST:PORT"),
    ("trades a.invalid:9 --count 1", FAILED, "a.invalid:9: "),
    (
        "trades --tunnel --data good.csv",
        USAGE,
        "good.csv: no column Symbol, Price, Volume, Time; it has Key",
    ),
    ("trades --tunnel --capture none.pcap", USAGE, "none.pcap: No such file or directory"),
    ("trades --tunnel --capture garbage.pcap", USAGE, "garbage.pcap: not a pcap file"),
    ("trades --tunnel --count -1", USAGE, "--count -1: must be at least 0"),
    ("trades --tunnel --seed -1", USAGE, "--seed -1"),
    ("trades --tunnel --trades-per-second nan", USAGE, "rate more than 0"),
    ("trades --tunnel --share 2", USAGE, "share from 0 to 1"),
    ("trades --tunnel --late 99999", USAGE, "99999 late and 0 absurd trades need a stream of more than 10000 trades"),
    ("trades --tunnel --session 4294967296", USAGE, "must fit 32 bits"),
    ("trades --tunnel --close 2147483648", USAGE, "--close: the time is '2147483648', not a 32-bit integer"),
    ("trades --pcap none/a.pcap --count 1", FAILED, "none/a.pcap: No such file or directory"),
    ("orders", USAGE, "no destination; give HOST:PORT"),
    ("orders --tunnel --format xml", USAGE, "argument --format: invalid choice: 'xml'"),
    ("orders --tunnel --bare", USAGE, "--bare needs --format itch"),
    ("orders --tunnel --format itch --bare --per-datagram 2", USAGE, "one message per datagram"),
    ("orders --tunnel --seed -1", USAGE, "--count and --seed must be at least 0"),
    ("orders --tunnel --cancels 2", USAGE, "--cancels from 0 to 1"),
    ("orders --tunnel --rate fast", USAGE, "--rate 'fast': not a rate"),
    ("orders 127.0.0.1:65535 --format itch --lines 2", USAGE, "port 65535 is the last, but line B needs the next one"),
    ("orders --pcap none/a.pcap", FAILED, "none/a.pcap: No such file or directory"),
    # ---- what sorts
    ("sort good.csv", USAGE, "the following arguments are required: STREAM, --by"),
    ("sort good.csv none.yml --by Key", USAGE, "none.yml: No such file or directory"),
    ("sort good.csv own.yml --by Price", USAGE, "--by Price: Own has Key, At"),
    ("sort none.csv own.yml --by Key", USAGE, "none.csv: no such file"),
    ("sort heading.csv own.yml --by Key --csv folder", FAILED, "folder: Is a directory"),
    ("sort garbage.pcap own.yml --by Key", USAGE, "garbage.pcap: not a pcap file"),
    ("sort folder own.yml --by Key", USAGE, "folder: no log in this folder"),
    ("sort good.csv own.yml --by Key --limit -1", USAGE, "--limit -1: must be 0 to 4294967295"),
    ("sort good.csv own.yml --by Key --csv a.csv --parquet b", USAGE, "--csv does not go with --parquet"),
    # ---- what receives
    ("receive two.sql --result No", USAGE, "no result No; known: A, B"),
    ("receive q.sql --listen nowhere", USAGE, "'nowhere' is not HOST:PORT"),
    ("receive q.sql --listen 127.0.0.1:{port}", FAILED, "127.0.0.1:{port}: Address already in use"),
    ("receive q.sql --tunnel 127.0.0.1:{port}", FAILED, "127.0.0.1:{port}: Address already in use"),
    ("receive q.sql --tunnel --board nowhere", USAGE, "'nowhere' is not HOST:PORT"),
    ("receive q.sql --capture none.pcap --me 192.168.1.300:1", USAGE, "192.168.1.300"),
    ("receive q.sql --capture none.pcap", USAGE, "none.pcap: No such file or directory"),
    ("receive q.sql --capture garbage.pcap", USAGE, "garbage.pcap: not a pcap file"),
    ("receive q.sql --capture garbage.pcap --log log", USAGE, "--log does not go with --capture"),
    ("receive q.sql --log good.csv", FAILED, "good.csv: File exists"),
    ("receive q.sql --log log --fsync often", USAGE, "fsync 'often': must be each, never, or milliseconds such as 100"),
    ("receive q.sql --csv folder", FAILED, "folder: Is a directory"),
    ("receive q.sql --chart No", USAGE, "No"),
    ("receive q.sql --count -1", USAGE, "--count -1: must be at least 0"),
    ("receive q.sql --seconds nan", USAGE, "--seconds nan: must be at least 0"),
    ("receive q.sql --idle -1", USAGE, "--idle -1: must be at least 0"),
    # ---- boards and the shell
    ("board q.sql --in a.pcap", USAGE, "--in needs --out, and --out needs --in"),
    ("board q.sql --in none.pcap --out b.pcap", USAGE, "none.pcap: no such file"),
    ("board q.sql --in a.pcap --out b.pcap --page", USAGE, "--page is for a board on a network"),
    ("board q.sql --page 70000", USAGE, "--page 70000: must be a port"),
    ("board q.sql --page high", USAGE, "argument --page: invalid int value: 'high'"),
    ("board q.sql --session -1", USAGE, "--session -1: must be an unsigned 32-bit number"),
    ("board q.sql --attach pcie", USAGE, "argument --attach: invalid choice: 'pcie'"),
    ("board q.sql --attach host --tap", USAGE, "are for a board with a network: --attach both"),
    ("board q.sql --attach both --in a.pcap --out b.pcap", USAGE, "--in is for a board without a host"),
    ("board q.sql --attach host --full wait", USAGE, "argument --full: invalid choice: 'wait'"),
    ("board q.sql --attach host --memory-bytes 1", USAGE, "--memory-bytes 1: must be at least 65536"),
    ("board q.sql --set limit", USAGE, "argument --set: 'limit' is not NAME=VALUE"),
    ("board q.sql --set no=1", USAGE, "no: no such register or bit"),
    ("board q.sql --set limit=high", USAGE, "$limit: 'high' does not fit int32"),
    ("registers q.sql --at nowhere", USAGE, "'nowhere' is not HOST:PORT"),
    ("registers q.sql --at a.invalid:1", FAILED, "a.invalid:1: "),
    ("registers q.sql --at 127.0.0.1:{port} none=1", USAGE, "none: no such register or bit"),
    ("registers q.sql --at 127.0.0.1:{port} $no", USAGE, "$no: no such constant in the query; it has $limit"),
    ("registers q.sql --at 127.0.0.1:{port} $no=1", USAGE, "$no: no such constant in the query; it has $limit"),
    ("registers q.sql --at 127.0.0.1:{port} $limit=high", USAGE, "$limit: 'high' does not fit int32"),
    ("registers q.sql --at 127.0.0.1:{port} local_ip=1.2.3", USAGE, "local_ip: Expected 4 octets in '1.2.3'"),
    ("sql --format xml", USAGE, "argument --format: invalid choice: 'xml'"),
    ("sql --rows -1", USAGE, "--cache and --rows must be at least 0"),
    ("sql --cache -1", USAGE, "--cache and --rows must be at least 0"),
    ("sql --groups 0", USAGE, "--groups 0: must be at least 1"),
    ("sql --stream none.yml", USAGE, "none.yml: No such file or directory"),
    ("sql --load empty.sql -c \\q", USAGE, "empty.sql: no query in the file"),
    ("sql --load typo.sql -c \\q", USAGE, "typo.sql: line 1, column 27: unexpected 'Trades'"),
    ("sql --load a-b=good.csv -c \\q", USAGE, "a-b is not a name of a stream"),
    # ---- the query machine
    ("machine", USAGE, "wirestream machine: the following arguments are required: COMMAND"),
    ("machine link", USAGE, "argument COMMAND: invalid choice: 'link'"),
    ("machine asm", USAGE, "the following arguments are required: program"),
    ("machine asm none.qm", USAGE, "wirestream machine asm: none.qm: No such file or directory"),
    ("machine asm none.qmb", USAGE, "none.qmb: No such file or directory"),
    ("machine asm good.csv", USAGE, "good.csv: the name must end in .qm, .qmb or .sql"),
    ("machine asm garbage.sql", USAGE, "garbage.sql: not UTF-8 text"),
    ("machine asm q.sql", USAGE, "q.sql: line 1, column 1: $limit has no value: a program needs it, --set limit=VALUE"),
    ("machine asm q.sql --set limit=high", USAGE, "q.sql: line 1, column 1: $limit: 'high' does not fit int32"),
    ("machine asm q.sql --set no=1", USAGE, "q.sql: no query has the constant $no"),
    ("machine run q.sql --set limit=1 --data good.csv", USAGE, "good.csv: no column Symbol, Price, Volume, Time"),
    ("machine run q.sql --set limit=1 --slide 5", USAGE, "--of, --slide and --unverified are for programs that are no"),
    ("compile q.sql --machine -o out", USAGE, "q.sql: line 1, column 1: $limit has no value"),
    ("compile q.sql --machine -o out --set limit=1 --rate 12M", USAGE, "up to 12 cycles a tuple allow 10.42 M tuples"),
    ("compile q.sql --machine -o out --set limit=1 --rate fast", USAGE, "--rate fast: not a number of tuples a second"),
    ("compile q.sql --machine -o good.csv --set limit=1", FAILED, "good.csv: File exists"),
    ("machine asm typo.qm", USAGE, "typo.qm: line 3, column 9: unknown field Prise; Trades has Symbol, Price, Volume"),
    ("machine asm good.qm --stream none.yml", USAGE, "none.yml: No such file or directory"),
    ("machine asm good.qm --width 24", USAGE, "a word of 24 bits: must be 16 or 32"),
    ("machine asm good.qm -o none/a.qmb", FAILED, "none/a.qmb: No such file or directory"),
    ("machine dis short.qmb", USAGE, "short.qmb: 2 bytes, but the header alone has 10"),
    ("machine dis code.qmb", USAGE, "code.qmb: delivery, byte 0: no instruction has the code 0x01"),
    ("machine verify loop.qm", USAGE, "loop.qm: line 3, column 9: no bound is proven for this loop"),
    ("machine verify good.qm --budget 5", USAGE, "good.qm: line 5, column 1: delivery takes up to 6 cycles, of 5"),
    ("machine verify good.qm --budget 0", USAGE, "--budget 0: must be at least 1"),
    ("machine verify good.qm --rate 50M", USAGE, "good.qm: line 4, column 1: delivery takes up to 6 cycles, of 2"),
    ("machine verify good.qm --rate fast", USAGE, "--rate fast: not a number of tuples a second, such as 500k"),
    ("machine verify good.qm --rate 200M", USAGE, "--rate 200M: more than a tuple a cycle at 125 MHz"),
    ("machine verify good.qm --rate 1M --budget 9", USAGE, "--rate excludes --budget"),
    ("machine verify good.qm --clock 0", USAGE, "--clock 0: must be more than 0"),
    ("machine verify good.qm --slots 3.5", USAGE, "argument --slots: invalid int value: '3.5'"),
    ("machine verify good.qm good.qm --slots 1", USAGE, "2 programs, and the machine has 1 slots"),
    ("machine verify good.qm good.qm --budget 11", USAGE, "the programs together take up to 12 cycles a tuple, of 11"),
    ("machine verify good.qm --fields 2", USAGE, "good.qm: a tuple has 4 words, and the machine takes 2"),
    ("machine load good.qm", USAGE, "the following arguments are required: --to"),
    ("machine load good.qm --to 1.2.3.4", USAGE, "--to '1.2.3.4' is not HOST:PORT, such as 192.168.1.10:4001"),
    ("machine load good.qm --to 1.2.3.4:5 --slot 256", USAGE, "--slot 256: must be 0 to 255"),
    ("machine load good.qm --to 1.2.3.4:5 --key none.key", USAGE, "none.key: No such file or directory"),
    ("machine load good.qm --to 1.2.3.4:5 --key typo.qm", USAGE, "typo.qm: not a key of 32 hexadecimal digits"),
    ("machine load good.qm --to 1.2.3.4:5 --address here", USAGE, "--address 'here' is not an IPv4 address"),
    ("machine load loop.qm --to 1.2.3.4:5", USAGE, "loop.qm: line 3, column 9: no bound is proven for this loop"),
    ("machine status --to 127.0.0.1:9 --timeout 0.1", FAILED, "no reply from 127.0.0.1:9 to 1 request"),
    ("machine status --to 127.0.0.1:9 --timeout 0", USAGE, "--timeout 0: must be more than 0 and below 3600"),
    ("machine run good.qm", USAGE, "no data: --data FILE"),
    ("machine run good.qm --data good.csv", USAGE, "good.csv: no column Symbol, Price, Volume, Time; it has Key"),
    ("machine run good.qm --data none.csv", USAGE, "none.csv: no such file"),
    ("machine run good.qm --data No=good.csv", USAGE, "--data No=good.csv: the query reads Trades"),
    ("machine run good.qm --data good.csv --of No", USAGE, "--of No: no such stream; known: Orders, Packets"),
    ("machine run good.qmb --data good.csv", USAGE, "the program names no stream: --of NAME"),
    ("machine run good.qm --data good.csv --rows -1", USAGE, "--rows -1: must be at least 0"),
    ("machine run own.qm --data good.csv", USAGE, "Own has no time attribute, so no time passes for the period"),
    ("machine run trap.qm --data good.csv", USAGE, "trap.qm: line 4, column 1: iload -2147483648 to 2147483647: "),
    ("machine run trap.qm --unverified --data good.csv --slide 5", USAGE, "--slide 5: must be at least 1, of a stream"),
    ("machine run punctual.qm --data time.csv", USAGE, "the program runs at punctuations: --slide N"),
    ("machine run punctual.qm --data time.csv --slide 0", USAGE, "--slide 0: must be at least 1, of a stream"),
    (
        "machine run large.qm --unverified --data large.csv",
        FAILED,
        "tuple 2: trap: line 4, column 1: iload 1215752191: of 16 words",
    ),
    # ---- the cores
    ("cores --markdown none/c.md", FAILED, "none/c.md: No such file or directory"),
    ("path bin", USAGE, "argument folder: invalid choice: 'bin'"),
]
# Modules that are called by `python -m` or make.
MODULES = [
    ("wirestream.measure.synth", "no_core", USAGE, "no core named 'no_core'; `wirestream cores` lists them"),
    ("wirestream.measure.synth", "none.sql", USAGE, "none.sql: No such file or directory"),
    ("wirestream.measure.synth", "typo.sql", USAGE, "typo.sql: line 1, column 27: unexpected 'Trades'"),
    ("wirestream.measure.synth", "udp_rx DATA_W", USAGE, "'DATA_W' is not NAME=VALUE"),
    ("wirestream.measure.synth", "udp_rx NO=1", USAGE, "NO: no such parameter; udp_rx has ADDR_W, DATA_W"),
    ("wirestream.measure.synth", "udp_rx --seeds 0", USAGE, "--seeds: '0' is not an integer of at least 1"),
    ("wirestream.measure.formal", "no_core", USAGE, "no_core has no properties; docs/cores.md shows which cores have"),
    ("wirestream.measure.lint", "no_core", USAGE, "no core named 'no_core'; `wirestream cores` lists them"),
    ("wirestream.measure.parameters", "no_core", USAGE, "no core named no_core; `wirestream cores` lists them"),
    ("wirestream.measure.fingerprint", "no_core", USAGE, "no core named 'no_core'; `wirestream cores` lists them"),
    ("wirestream.measure.compare", "panes", USAGE, "invalid choice: 'panes'"),
    ("wirestream.measure.report", "--figure none", USAGE, "argument --figure: invalid choice: 'none'"),
    ("wirestream.compiler.join_planner", "", USAGE, "the following arguments are required: predicate, --rates"),
    ("wirestream.schema.fix", "none.yml", USAGE, "none.yml: No such file or directory"),
]
SCRIPTS = [
    ("send_trades.py", "nowhere", USAGE, "send_trades.py: 'nowhere' is not HOST:PORT"),
    ("send_orders.py", "nowhere", USAGE, "send_orders.py: 'nowhere' is not HOST:PORT"),
    ("recv_results.py", "none.sql", USAGE, "recv_results.py: none.sql: No such file or directory"),
    ("board_registers.py", "none.sql", USAGE, "board_registers.py: none.sql: No such file or directory"),
]
# make adds a line of its own, and its exit status is always 2.
MAKE = [
    ("demo QUERY=missing.sql", "make demo: no file missing.sql"),
    ("demo QUERY={files}/typo.sql", "typo.sql: line 1, column 27: unexpected 'Trades'; expected ',' or FROM"),
    ("demo QUERY={files}/empty.sql", "empty.sql: no query in the file"),
    ("demo QUERY={files}/q.sql", "q.sql: $limit has no value; make demo … ARGS='--set limit=…'"),
    ("demo QUERY=fusesoc/orders/feed_streams.sql ATTACH=host", "the lines of a feed are those of a network; leave out"),
    ("demo QUERY={files}/own.sql DATA=none.csv", "make demo: none.csv: no such file"),
    ("demo QUERY={files}/own.sql DATA=No=none.csv", "make demo: --data No=none.csv: the query reads Own"),
    ("demo ARGS=--nonsense", "make demo: unrecognized arguments: --nonsense"),
    ("demo ARGS=--tuples=0", "make demo: --tuples must be at least 1"),
    ("board QUERY=missing.sql", "board: missing.sql: No such file or directory"),
    ("test CORE=nonsense", "no test for CORE=nonsense; `make list` shows the cores"),
    ("synth", "no CORE given: make synth CORE=udp_rx; `make list` shows the cores"),
    ("synth CORE=nonsense", "no core named 'nonsense'; `wirestream cores` lists them"),
    ("formal CORE=nonsense", "nonsense has no properties; docs/cores.md shows which cores have"),
    ("waves", "no CORE given: make waves CORE=skid_buffer; `make list` shows the cores"),
    ("waves CORE=nonsense", "no test for CORE=nonsense; `make list` shows the cores"),
    ("report ARGS=--figure=none", "argument --figure: invalid choice: 'none'"),
]


def status_of(run: Callable[[], int | None]) -> int:
    try:
        return run() or 0
    except SystemExit as end:  # by argparse
        return end.code


def check(error: str, *messages: str) -> None:
    """One of the messages, in one line, or above the line of a query with a caret."""
    lines = error.splitlines()
    assert lines and any(message in lines[0] for message in messages), error
    assert len(lines) == 1 or (len(lines) == 3 and lines[2].strip() == "^"), error


@pytest.mark.parametrize("case", QUERIES, ids=[query for query, *_ in QUERIES])
@pytest.mark.parametrize("command", OF_QUERIES, ids=[command.split()[0] for command in OF_QUERIES])
def test_queries(here, capsys, command: str, case: tuple[str, ...]) -> None:
    (query, *messages), (name, *options) = case, command.split()
    assert status_of(lambda: cli.main([name, *query.split(), *options])) == USAGE
    check(capsys.readouterr().err, *messages)


@pytest.mark.parametrize("case", DATA, ids=[file for file, *_ in DATA])
@pytest.mark.parametrize("command", OF_DATA, ids=[command.split()[0] for command in OF_DATA])
def test_files_of_data(here, capsys, command: str, case: tuple[str, ...]) -> None:
    file, *messages = case
    assert status_of(lambda: cli.main([*command.split(), file])) == USAGE
    check(capsys.readouterr().err, *messages)


@pytest.mark.parametrize(("call", "status", "message"), CALLS, ids=[call for call, *_ in CALLS])
def test_calls(here, capsys, call: str, status: int, message: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as used:
        used.bind(("127.0.0.1", 0))
        port = str(used.getsockname()[1])
        words = [word.replace("{port}", port) for word in call.split()]
        assert status_of(lambda: cli.main(words)) == status
    check(capsys.readouterr().err, message.replace("{port}", port))


@pytest.mark.parametrize("call", ["infer good.csv", "explain own.sql"])
def test_nobody_reads_the_output(files, call: str) -> None:
    """Not an error to talk about."""
    ours, theirs = os.pipe()
    os.close(ours)
    words = [sys.executable, "-m", "wirestream.cli", *call.split()]
    done = subprocess.run(words, cwd=files, stdout=theirs, stderr=subprocess.PIPE, text=True)
    os.close(theirs)
    assert done.returncode == FAILED and not done.stderr


def test_every_command_is_called() -> None:
    called = {call.split()[0] for call, *_ in CALLS if call} | {call.split()[0] for call in (*OF_QUERIES, *OF_DATA)}
    assert called >= cli.COMMANDS.keys()
    targets = re.findall(r"^(\w+): .*\[?(?:QUERY|CORE|ARGS)=", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    assert {call.split()[0] for call, _ in MAKE} >= set(targets) - {"lint"}  # it lints all Python first; see MODULES


@pytest.mark.parametrize(("module", "words", "status", "message"), MODULES)
def test_modules(here, capsys, module: str, words: str, status: int, message: str) -> None:
    assert status_of(lambda: import_module(module).main(words.split())) == status
    check(capsys.readouterr().err, message)


@pytest.mark.parametrize(("script", "words", "status", "message"), SCRIPTS)
def test_scripts(files, script: str, words: str, status: int, message: str) -> None:
    call = [sys.executable, str(REPOSITORY / "tools" / script), *words.split()]
    done = subprocess.run(call, cwd=files, capture_output=True, text=True)
    assert done.returncode == status
    check(done.stderr, message)


@pytest.mark.parametrize(("call", "message"), MAKE, ids=[call for call, _ in MAKE])
def test_make(files, call: str, message: str) -> None:
    words = [word.replace("{files}", str(files)) for word in call.split()]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    call = ["make", "-s", f"PYTHON={sys.executable}", *words]
    done = subprocess.run(call, cwd=REPOSITORY, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if not re.match(r"make: \*\*\* .* Error \d", line)]
    check("\n".join(lines), message)
