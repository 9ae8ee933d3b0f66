"""`make demo` with own data: rows that equal PySpark's, rows that a counter explains, and wrong calls."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tb import REPOSITORY
from tb.demo import FOLDER
from wirestream.record.comparison import Exit

SQL = """
CREATE INPUT STREAM Rides (Pickup timestamp(s), Zone string(3), Fare decimal(6, 2)) TIME Pickup;
SELECT Pickup, count(*) AS Rides, max(Fare) AS Most FROM Rides [RANGE 60 SLIDE 60 WATTR Pickup SLACK 5] INTO Busy;
SELECT Pickup, Zone, count(*) AS Rides FROM Rides [RANGE 60 SLIDE 60 WATTR Pickup SLACK 5] GROUP BY Zone INTO Zones
"""
ZONES = 30


def demo(*words: str) -> subprocess.CompletedProcess:
    call = [sys.executable, "-m", "tb.demo", *words]
    environment = os.environ | {"COLUMNS": "200"}
    return subprocess.run(call, cwd=REPOSITORY, env=environment, capture_output=True, text=True)


def test_own_data(tmp_path: Path) -> None:
    """The groups do not fit the second query's table, which a counter explains; the first one's rows are equal."""
    lines = ["Zone;fare;pickup;more"]
    for n in range(2000):
        lines.append(f"Z{n * 7 % ZONES}{'xx' * (n == 5)};{n % 90}.25;2026-03-01 10:{n // 60 % 60:02}:{n % 60:02};x")
    (tmp_path / "rides.csv").write_text("\n".join(lines))
    (tmp_path / "rides.sql").write_text(SQL)
    done = demo(str(tmp_path / "rides.sql"), "--data", str(tmp_path / "rides.csv"), "--groups", "16")
    assert done.returncode == Exit.EXPLAINED, done.stdout + done.stderr
    assert "texts of Zone cut to 3 bytes: 1, first row 6: 'Z5xx'" in done.stdout
    assert "INCOMPLETE Zones: " in done.stdout and "more entries with --groups" in done.stdout
    assert "Busy" not in done.stdout[done.stdout.index("INCOMPLETE") :]
    differences = (FOLDER / "Zones_differences.csv").read_text().splitlines()
    assert differences[0] == "only in,Pickup,Zone,Rides" and len(differences) > 100
    assert all(line.startswith("PySpark,2026-03-01T10:") for line in differences[1:])
    assert not (FOLDER / "Busy_differences.csv").exists()


def test_a_shipped_query_by_its_name():
    done = demo("price_ladder")
    assert done.returncode == 2
    assert done.stderr.startswith("make demo: no file price_ladder; there is fusesoc/queries/price_ladder.sql")
