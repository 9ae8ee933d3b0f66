"""No file has a phrase of tb/lib/phrases.py, and a phrase is found where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb.lib import phrases
from tb.lib.phrases import PHRASES, Phrase, check, find, main, tracked


def test_no_file_has_a_phrase_to_avoid(capsys):
    assert main([]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.example)
def test_each_phrase_is_found(phrase: Phrase):
    assert [instead for _, _, instead in find(f"One. {phrase.example.capitalize()}.")] == [phrase.instead]
    assert find(phrase.fine) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one\ntwo, each loss is told\n", 2),
        ("// each loss is\n//     told by its number\n", 1),
        ("# each loss\n# is\n\n#   told\n", 2),
        ("each **loss** is\ntold", 1),
        ('x = "one"\ny = (\n    "each loss is "\n    f"told {y}"\n)\n', 3),
        (" * | each loss is |\n", None),
        ("is_told = is, told\nis: told\n", None),
        ("the lines are\n// told apart, and one is\n// told its number\n", 2),
    ],
)
def test_a_phrase_may_run_over_the_end_of_a_line(text: str, line: int | None):
    assert [found for found, _, _ in find(text)] == ([] if line is None else [line])


def test_the_lines_printed(tmp_path: Path):
    (tmp_path / "a.md").write_text("A cycle\nbehind it.\n")
    first, second = "a cycle after, cycles after", "after it, downstream of it, followed by"
    assert check(["a.md", "deleted.md"], tmp_path) == [
        f"a.md:1: cycle behind -> {first}",
        f"a.md:2: behind it -> {second}",
    ]


def test_the_files_named_are_checked(monkeypatch, capsys, tmp_path: Path):
    for name in ("rtl/a.v", "rtl/sub/b.v", "docs/c.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("it is told\n")
    monkeypatch.setattr(phrases, "tracked", lambda: ["docs/c.md", "rtl/a.v", "rtl/sub/b.v"])
    monkeypatch.setattr(phrases, "check", lambda names: check(names, tmp_path))
    for argv, names in (
        ([], ["docs/c.md", "rtl/a.v", "rtl/sub/b.v"]),
        (["rtl/sub/"], ["rtl/sub/b.v"]),
        (["docs", "rtl/a.v"], ["docs/c.md", "rtl/a.v"]),
    ):
        assert main(argv) == 1
        assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == names
    with pytest.raises(SystemExit, match="2"):
        main(["rtl/su"])


def test_which_files_are_read():
    names = set(tracked())
    assert {"Makefile", "README.md", "docs/windows.md", "rtl/query/fold.core", "tools/wirestream/cli.py"} <= names
    assert not {"tb/lib/phrases.py", "requirements.lock", "docs/queries.svg", "docs/demo.png"} & names
