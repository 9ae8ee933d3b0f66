"""The processes of a run share one Java machine, but not the contents of their sessions."""

import os
import subprocess
import sys
import time
from pathlib import Path

from spark_golden.session import ROOT, SHARED
from tb import REPOSITORY
from tb.lib import tree

USE = """
import sys
from spark_golden.session import session
spark = session()
spark.udf.register("twice", lambda x: 2 * x, "int")
spark.range(5).createOrReplaceTempView(sys.argv[1])
rows = spark.sql(f"SELECT sum(twice(id)) AS s FROM {sys.argv[1]}").collect()
views = [table.name for table in spark.catalog.listTables()]
machine, partitions = spark._jvm.ProcessHandle.current().pid(), spark.conf.get("spark.sql.shuffle.partitions")
print(f"{machine} {rows[0].s} {' '.join(views)} {partitions}\\n", end="")
"""
START = f"""
import subprocess, sys
from spark_golden.session import share
share()
together = [subprocess.Popen([sys.executable, "-c", {USE!r}, name]) for name in ("a", "b")]
sys.exit(max(user.wait() for user in together))
"""


def test_two_processes_share_a_machine():
    env = {name: value for name, value in os.environ.items() if name != SHARED}
    run = subprocess.run([sys.executable, "-c", START], cwd=REPOSITORY, env=env, capture_output=True, text=True)
    users = sorted((line.split() for line in run.stdout.splitlines()), key=lambda user: user[2])
    assert run.returncode == 0 and [user[1:] for user in users] == [["20", "a", "2"], ["20", "b", "2"]], run.stderr
    (machine,) = {user[0] for user in users}
    end = time.monotonic() + 30
    while Path(f"/proc/{machine}/exe").exists():
        assert time.monotonic() < end, "the machine outlives the process that started it"
        time.sleep(0.1)


def test_another_checkout_has_its_own(tmp_path):
    """A copy may contain another golden; Spark's Python workers would import that of this checkout."""
    copy = tree.copy(tmp_path / "copy")
    (copy / "use.py").write_text(USE)
    shared = f"1 nonsense {ROOT}"  # no process listens on this port
    run = tree.python(copy, "use", "c", **{SHARED: shared})
    assert run.returncode == 0 and " 20 c 2\n" in run.stdout, run.stdout
