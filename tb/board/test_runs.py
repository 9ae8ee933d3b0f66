"""Windows that come as several sorted runs: a host has their rows in order, whatever happens to the datagrams."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from tb.board.test_send_recv import datagram
from tb.queries.run import text
from wirestream.compiler.compile import compile_queries
from wirestream.host import recv
from wirestream.host.results import KEPT, NUMBERS, Results
from wirestream.record.columns import Layout
from wirestream.schema.packets import DEVICE, SENDER, frames, write_pcap
from wirestream.schema.streams import shipped
from wirestream.schema.tuples import PUNCT
from wirestream.sim.simulate import seed

RUN = 5  # rows of a run, at most
Sent = tuple[int, list[tuple], bool]  # a datagram: its number, rows, whether the last one is a punctuation


@pytest.fixture(scope="module")
def ladder() -> Layout:
    return Layout.of(compile_queries(text("price_ladder"), shipped(), "price_ladder").circuit)


def window(g: random.Random, layout: Layout, end: int, length: int) -> list[tuple]:
    """The rows of a window, in the order in which they leave: sorted runs, equal keys as they arrived."""
    size = layout.schema.order - 4
    keys = [bytes(g.choice(b"\0\0\x01\x7f\x80\xff") for _ in range(size)) for _ in range(length)]
    rows = [(end, n, b"UBSN", g.randrange(100), 1, end.to_bytes(4, "big") + key) for n, key in enumerate(keys)]
    return [row for at in range(0, length, RUN) for row in sorted(rows[at : at + RUN], key=lambda row: row[-1])]


def sent(g: random.Random, windows: list[list[tuple]], first: int = 0) -> Iterator[Sent]:
    """Datagrams of up to four rows, of which the last one of a window has its punctuation; the last window has none."""
    number = first
    for rows in windows:
        at = 0
        while at < len(rows):
            part = rows[at : at + g.randint(1, 4)]
            at += len(part)
            ends = at == len(rows) and rows is not windows[-1]
            yield number % NUMBERS, [*part, *([rows[-1]] if ends else [])], ends
            number += 1


def taken(layout: Layout, datagrams: list[Sent], session: int = 3) -> tuple[list[tuple], Results]:
    """The rows that a host has of these datagrams."""
    results = Results(layout)
    blocks = [datagram(layout, session, number, rows, PUNCT * ends) for number, rows, ends in datagrams]
    parts = [results.take(block) for block in blocks] + [results.rest()]
    return [tuple(row) for part in parts for row in part.tolist()], results


def in_order(rows: list[tuple], layout: Layout) -> list[tuple]:
    """By window and key; those of a window with equal keys stay as they are."""
    made = np.array(sorted(rows, key=lambda row: row[-1]), layout.schema.dtype)
    return [tuple(row) for row in made.tolist()]


def drawn(ladder: Layout, name: str, count: int = 40, first: int = 0) -> tuple[random.Random, list, list[Sent]]:
    g = random.Random(f"{seed()}/{name}")
    lengths = [g.choice((1, 2, RUN, RUN + 1, 3 * RUN, g.randrange(1, 60))) for _ in range(count)]
    windows = [window(g, ladder, 60 * (n + 1), length) for n, length in enumerate(lengths)]
    return g, windows, list(sent(g, windows, first))


def test_rows_of_several_runs(ladder):
    """The rows of the last window, which does not end, are left out and counted; so are the runs."""
    _, windows, datagrams = drawn(ladder, "runs")
    rows, results = taken(ladder, datagrams)
    ended = [row for rows in windows[:-1] for row in rows]
    assert rows == in_order(ended, ladder) != [tuple(row) for row in np.array(ended, ladder.schema.dtype).tolist()]
    assert results.unfinished == len(windows[-1])
    assert results.runs == sum(after[-1].rstrip(b"\0") < row[-1].rstrip(b"\0") for row, after in pairwise(ended)) > 0
    report = results.report()
    assert (report["runs"], report["unfinished"]) == (results.runs, results.unfinished)


def test_a_window_does_not_wait_for_the_next(ladder):
    _, windows, datagrams = drawn(ladder, "wait")
    results, ended = Results(ladder), 0
    for number, rows, ends in datagrams:
        found = results.take(datagram(ladder, 1, number, rows, PUNCT * ends))
        assert len(found) == (len(windows[ended]) if ends else 0)
        ended += ends


@pytest.mark.parametrize("first", [0, NUMBERS - 20])
def test_reordered_datagrams(ladder, first):
    """Also where their numbers wrap."""
    g, windows, datagrams = drawn(ladder, "reordered", first=first)
    late = sorted(range(1, len(datagrams)), key=lambda place: place + g.choice((0, 0, 0, 7)))
    rows, results = taken(ladder, [datagrams[0], *(datagrams[place] for place in late)])
    assert rows == in_order([row for rows in windows[:-1] for row in rows], ladder)
    assert results.sessions[3].reordered and not results.sessions[3].lost


def test_lost_datagrams(ladder):
    """All other rows are in order. Those after a missing datagram wait for it, but at most for `KEPT` others."""
    g, windows, datagrams = drawn(ladder, "lost")
    gone = set(g.sample(range(3, len(datagrams) - 3), 9))
    kept = [one for place, one in enumerate(datagrams) if place not in gone]
    rows, results = taken(ladder, kept)
    last = max(place for place, (_, _, ends) in enumerate(datagrams) if ends and place not in gone)
    came = [row for _, rows, ends in datagrams[: last + 1] for row in (rows[:-1] if ends else rows)]
    lost = [row for place in gone for row in (datagrams[place][1][:-1] if datagrams[place][2] else datagrams[place][1])]
    assert rows == in_order([row for row in came if row not in lost], ladder)
    assert results.sessions[3].lost == len(gone)
    results, waiting = Results(ladder), 0
    for number, rows, ends in kept:
        results.take(datagram(ladder, 1, number, rows, PUNCT * ends))
        waiting = max(waiting, results.unfinished)
    assert max(map(len, windows)) < waiting <= 4 * KEPT + max(map(len, windows))


def test_a_datagram_that_comes_too_late(ladder):
    """Its rows are not lost, although those of its window have been given."""
    windows = [in_order(window(random.Random(n), ladder, 60 * (n + 1), 3), ladder) for n in range(KEPT + 3)]
    datagrams = [(n, [*rows, rows[-1]], True) for n, rows in enumerate(windows)]
    rows, results = taken(ladder, [datagrams[0], *datagrams[2:], datagrams[1]])
    assert rows == [row for n, rows in enumerate(windows) if n != 1 for row in rows] + windows[1]
    assert results.unfinished == results.sessions[3].lost == 0


def test_a_session_that_stopped(ladder):
    """A missing datagram of a session is not awaited when the next session runs."""
    windows = [in_order(window(random.Random(n), ladder, 60 * (n + 1), 3), ladder) for n in range(KEPT)]
    datagrams = [(n, [*rows, rows[-1]], True) for n, rows in enumerate(windows)]
    results, found = Results(ladder), []
    for session, (number, rows, ends) in [(1, datagrams[0]), (1, datagrams[2]), *((2, one) for one in datagrams)]:
        found.append(results.take(datagram(ladder, session, number, rows, PUNCT * ends)).tolist())
    assert found[:2] == [windows[0], []] and found[-1] == windows[2] + windows[-1]
    assert found[2:-1] == windows[:-1] and results.unfinished == 0


def test_sessions_are_apart(ladder):
    """The second one begins while a window of the first is open."""
    _, windows, datagrams = drawn(ladder, "first", 5)
    _, others, more = drawn(ladder, "second", 5)
    results = Results(ladder)
    parts = [results.take(datagram(ladder, 1, n, rows, PUNCT * ends)) for n, rows, ends in datagrams]
    parts += [results.take(datagram(ladder, 2, n, rows, PUNCT * ends)) for n, rows, ends in more]
    wanted = [in_order([row for rows in one[:-1] for row in rows], ladder) for one in (windows, others)]
    assert [tuple(row) for part in parts for row in part.tolist()] == [row for rows in wanted for row in rows]
    assert results.unfinished == len(windows[-1]) + len(others[-1])


def test_recv_results(ladder, tmp_path, capsys):
    """The command writes them in order, without the bytes of the order, and says what it merged."""
    _, windows, datagrams = drawn(ladder, "recv")
    blocks = [datagram(ladder, 1, number, rows, PUNCT * ends) for number, rows, ends in datagrams]
    write_pcap(tmp_path / "t.pcap", frames(blocks, DEVICE, SENDER), np.zeros(len(blocks)))
    (tmp_path / "q.sql").write_text(text("price_ladder"))
    call = [str(tmp_path / "q.sql"), "--capture", str(tmp_path / "t.pcap"), "--csv", str(tmp_path / "t.csv")]
    assert recv.main(call) == 0
    lines = (tmp_path / "t.csv").read_text().splitlines()
    wanted = in_order([row for rows in windows[:-1] for row in rows], ladder)
    assert lines[0].replace('"', "") == "window_end,Time,Symbol,Price,Volume"
    assert [tuple(map(int, line.split(",")[:2])) for line in lines[1:]] == [row[:2] for row in wanted]
    out = capsys.readouterr().out
    assert "times a long window came as one more sorted run, which was merged" in out
    assert f"{len(windows[-1]):,} rows are left out, of windows that did not end" in out


def test_recv_results_without_an_output(ladder, tmp_path, capsys):
    """Without an output too, rows that waited for a lost datagram are not among those of windows that did not end."""
    _, windows, datagrams = drawn(ladder, "count", 5)
    blocks = [datagram(ladder, 1, number, rows, PUNCT * ends) for number, rows, ends in datagrams if number != 1]
    write_pcap(tmp_path / "t.pcap", frames(blocks, DEVICE, SENDER), np.zeros(len(blocks)))
    (tmp_path / "q.sql").write_text(text("price_ladder"))
    call = [str(tmp_path / "q.sql"), "--capture", str(tmp_path / "t.pcap"), "--quiet", "--json"]
    assert recv.main(call) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["rows"] == sum(map(len, windows)) - len(datagrams[1][1]) + datagrams[1][2]
    assert report["unfinished"] == len(windows[-1]) and report["lost"] == 1
