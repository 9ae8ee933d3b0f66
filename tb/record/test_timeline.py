"""The timeline agrees with the model of the punctuator; its pictures show every tuple; wrong calls say why."""

from __future__ import annotations

import random
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tb.lib.golden import TUPLE
from tb.lib.model import Punctuator, windows
from wirestream import cli
from wirestream.compiler.compile import compile_queries
from wirestream.record import timeline
from wirestream.record.timeline import ACCEPTED, AHEAD, LATE, Text, Timeline
from wirestream.sim.simulate import seed

SQL = "CREATE INPUT STREAM L (Time int, Price int); SELECT count(*) AS N FROM L {} INTO R"
WORDS = {"tuple": ACCEPTED, "late": LATE, "ahead": AHEAD, "resync": AHEAD, "punct": AHEAD}


@pytest.mark.parametrize("trial", range(20))
def test_what_happens_is_what_the_model_says(trial: int) -> None:
    generator = random.Random(f"{seed()}/timeline {trial}")
    size, slide, slack = generator.randrange(1, 90), generator.randrange(1, 60), generator.randrange(0, 40)
    start, far = generator.choice(("", " START 500")), generator.choice(("", " MAX_AHEAD 300 RESYNC 4"))
    sql = SQL.format(f"[RANGE {size} SLIDE {slide} WATTR Time SLACK {slack}{start}{far}]")
    (entry,) = compile_queries(sql).circuit.entries
    window, time, times = entry.window, 1000, []
    for _ in range(200):
        time += generator.choice((0, 1, 3, 10, generator.randrange(60)))
        times.append(time - generator.choice((0, 0, generator.randrange(50), generator.randrange(200))))
        if far and generator.random() < 0.05:
            times += [time + 5000 + generator.randrange(200)] * generator.choice((1, 2, 4))
            if generator.random() < 0.5:
                time = times[-1]
    made = Timeline(window, times)
    model = Punctuator(window.size, window.advance, window.slack, window.start, window.max_ahead, window.resync)
    for place, at in enumerate(times):
        names = [event.name for event in model.take(TUPLE, at)]
        wanted = "ahead" if "ahead" in names else names[-1]
        assert (made.fates[place], made.marks[place]) == (WORDS[wanted], model.watermark), (place, at)
    fresh = Punctuator(window.size, window.advance, window.slack, window.start, window.max_ahead, window.resync)
    rows, _ = windows(((1, TUPLE, at, 1) for at in times), fresh, "COUNT")
    closed = [(pane.end, pane.tuples, pane.closed) for pane in made.panes if pane.closed is not None]
    assert sorted(closed) == sorted((end, number, place) for _, end, number, place in rows)


def test_pictures(tmp_path: Path, capsys) -> None:
    """The words of the terminal, and an SVG with a mark for each tuple and a row for each closed window."""
    (tmp_path / "q.sql").write_text(SQL.format("[RANGE 60 SLIDE 60 WATTR Time SLACK 0 MAX_AHEAD 500]"))
    times = [1000, 1010, 1030, 990, 1019, 9000, 1090, 1085, 1100, 1160]
    (tmp_path / "t.csv").write_text("\n".join(["Time,Price", *(f"{time},1" for time in times)]))
    call = ["explain", "--timeline", str(tmp_path / "q.sql"), "--data", str(tmp_path / "t.csv")]
    assert cli.main([*call, "--svg", str(tmp_path / "t.svg")]) == 0
    out = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "o accepted 6 (* closes a window: its row leaves), x late 3, ^ too far ahead 1, - watermark" in " ".join(out)
    assert out[-7:-2] == [
        "from to tuples first closed by",
        "960 1020 2 no. 1 no. 3",
        "1020 1080 1 no. 3 no. 7",
        "1080 1140 2 no. 7 no. 10",
        "1140 1200 1 no. 10 open",
    ]
    assert out[-1] == f"drew {tmp_path / 't.svg'}"
    drawing = ElementTree.fromstring((tmp_path / "t.svg").read_text())
    titles = [title.text for title in drawing.iter("{http://www.w3.org/2000/svg}title")]
    told = [f"no. {n}: {time}" for n, time in enumerate(times, 1)]
    assert [title.partition(",")[0] for title in titles if title.startswith("no.")] == told
    assert "960 to 1020: 2 tuples, closed by no. 3" in titles and len(titles) == len(times) + 3


def test_the_terminal_shows_the_shape() -> None:
    (entry,) = compile_queries(SQL.format("[RANGE 10 SLIDE 10 WATTR Time SLACK 0]")).circuit.entries
    made = Timeline(entry.window, [0, 5, 12, 3, 19, 25])
    assert timeline.picture(made, 80, 6) == ["     *", "    o", "", "  *-", " o x", "o"]
    narrow = timeline.picture(Timeline(entry.window, list(range(0, 400, 4))), 20, 5)
    assert max(map(len, narrow)) == 20 and "*" in "".join(narrow)


def test_times_in_words() -> None:
    declared = "CREATE INPUT STREAM L (At timestamp(ms), Day date, N int) TIME At; SELECT N FROM L INTO R"
    (entry,) = compile_queries(declared).circuit.entries
    shown = [Text(entry.stream, name)(number) for name, number in (("At", 1500), ("Day", 1), ("N", 7))]
    assert shown == ["1970-01-01T00:00:01.500", "1970-01-02", "7"]


@pytest.mark.parametrize(
    ("window", "words", "message"),
    [
        ("", ["--data", "t.csv"], "no window with a RANGE in time, so nothing to draw"),
        ("[SIZE 3 ADVANCE 3 TUPLES]", ["--data", "t.csv"], "no window with a RANGE in time"),
        ("[SESSION GAP 3 WATTR Time]", ["--data", "t.csv"], "no window with a RANGE in time"),
        ("[RANGE 3 SLIDE 3 WATTR Time]", [], "no data: --data FILE"),
        ("[RANGE 3 SLIDE 3 WATTR Time]", ["--data", "none.csv"], "none.csv: no such file"),
        ("[RANGE 3 SLIDE 3 WATTR Time]", ["--data", "t.csv"], "no tuples of L"),
    ],
)
def test_wrong_calls(tmp_path: Path, monkeypatch, capsys, window: str, words: list[str], message: str) -> None:
    monkeypatch.chdir(tmp_path)
    sql = SQL.format(window) if window else "CREATE INPUT STREAM L (Time int, Price int); SELECT Price FROM L INTO R"
    Path("q.sql").write_text(sql)
    Path("t.csv").write_text("Time,Price\n")
    assert cli.main(["timeline", "q.sql", *words]) == 2
    error = capsys.readouterr().err
    assert re.match("wirestream timeline: ", error) and message in error and error.count("\n") == 1
