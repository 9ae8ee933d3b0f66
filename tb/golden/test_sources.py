"""A golden is recomputed when a source of the project that affects it has changed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spark_golden.join import Join
from tb import REPOSITORY
from tb.fix import golden as of_fix
from tb.join import golden as of_joins
from tb.lib.golden import CASES
from tb.lib.sources import fingerprint, sources
from tb.queries import golden as of_queries
from tb.window import sessions as of_sessions

GOLDENS = {  # the file or folder of a golden in the cache, and some sources that affect it
    "trades": (
        lambda: CASES["q3_5000"].folder,
        "wirestream/host/trades wirestream/schema/tuples spark_golden/run tb/lib/golden",
    ),
    "items": (lambda: CASES["late"].folder, "spark_golden/time_rules spark_golden/session wirestream/host/trades"),
    "joins": (lambda: of_joins.Case("one", Join(1, 1), ()).file, "tb/join/model spark_golden/join tb/join/golden"),
    "queries": (
        lambda: of_queries.folder_of("", "", ()),
        "spark_golden/operators wirestream/schema/fix tb/queries/streams",
    ),
    "fix": (lambda: of_fix.kept({}, of_fix.ORDERS), "spark_golden/session spark_golden/fix tb/__init__"),
    "sessions": (lambda: of_sessions.kept(b""), "spark_golden/windows wirestream/schema/tuples tb/lib/golden"),
}
CHANGED = [(name, source) for name, (_, sources_of) in GOLDENS.items() for source in sources_of.split()]


@pytest.mark.parametrize(("name", "source"), CHANGED, ids=["-".join(pair) for pair in CHANGED])
def test_a_golden_follows_its_sources(monkeypatch, name: str, source: str):
    read, location = Path.read_bytes, GOLDENS[name][0]
    file = REPOSITORY / ("tools" if source.startswith("wirestream") else "") / f"{source}.py"
    before = location()
    monkeypatch.setattr(Path, "read_bytes", lambda self: read(self) + b"#" * (self == file))
    assert location() != before


@pytest.mark.parametrize(
    "module", ["tb.lib.golden", "tb.join.golden", "tb.fix.golden", "tb.queries.golden", "tb.window.sessions"]
)
def test_all_that_python_loads_is_among_the_sources(module: str):
    show = f"import {module}, sys; print(*(getattr(m, '__file__', None) for m in sys.modules.values()), sep='\\n')"
    printed = subprocess.run([sys.executable, "-c", show], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    ours = tuple(f"{REPOSITORY}{os.sep}{folder}{os.sep}" for folder in ("tb", "spark_golden", "tools"))
    loaded = {Path(line) for line in printed.stdout.splitlines() if line.startswith(ours)}
    assert len(loaded) > 4 and loaded <= set(sources(module))


def test_imports_in_functions_and_data_files_count():
    assert REPOSITORY / "spark_golden" / "fix.py" in sources("tb.fix.golden")
    assert REPOSITORY / "spark_golden" / "dissertation.py" in sources("spark_golden.*")
    assert REPOSITORY / "tools" / "wirestream" / "compiler" / "dialect.lark" in sources("wirestream.compiler.parse")
    with pytest.raises(ValueError, match=r"no module of the project: spark_golden\.nonsense"):
        sources("spark_golden.query", "spark_golden.nonsense")


def test_spark_golden_imports_nothing_else_of_the_project():
    assert {file.parent for file in sources("spark_golden.*")} == {REPOSITORY / "spark_golden"}


def test_parts_are_kept_apart(tmp_path):
    """The same bytes, divided differently between files, give another fingerprint; a string counts as its bytes."""
    for name, content in (("a", "xy"), ("b", "x"), ("c", "yx")):
        (tmp_path / name).write_text(content)
    first, second = (
        fingerprint("", "spark_golden.query", files=[tmp_path / n for n in names]) for names in ("ab", "bc")
    )
    assert first != second and first == fingerprint(b"", "spark_golden.query", files=[tmp_path / n for n in "ab"])
