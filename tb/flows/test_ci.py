""".ci/run fails if a check that continuous integration must run cannot run."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tb import REPOSITORY


@pytest.mark.parametrize("installed", [True, False])
def test_without_the_second_simulator_it_fails(tmp_path: Path, installed: bool):
    """`make icarus` may fail on a user's machine; in CI the four-state runs would be skipped unnoticed."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tmp_path / ".ci").mkdir()
    shutil.copy(REPOSITORY / ".ci" / "run", tmp_path / ".ci" / "run")
    for tool in ("bash", "dirname", "date"):
        (tools / tool).symlink_to(shutil.which(tool))
    for stub in ("make", "iverilog") if installed else ("make",):
        (tools / stub).write_text(f'#!{shutil.which("sh")}\necho {stub} "$@"\n')
        (tools / stub).chmod(0o755)
    command, env = [str(tools / "bash"), ".ci/run"], os.environ | {"PATH": str(tools)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert (done.returncode == 0) == installed, done.stderr
    assert ("make test" in done.stdout) == installed
    assert ("iverilog is missing" in done.stderr) != installed
