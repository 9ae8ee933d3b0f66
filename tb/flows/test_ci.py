""".ci/run fails if a check that continuous integration must run cannot run."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tb import REPOSITORY


@pytest.mark.parametrize("missing", ["", "iverilog", "chromium"])
def test_without_an_optional_program_it_fails(tmp_path: Path, missing: str):
    """`make icarus` or `make chromium` may fail on a user's machine; in CI tests would be skipped unnoticed."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tmp_path / ".ci").mkdir()
    shutil.copy(REPOSITORY / ".ci" / "run", tmp_path / ".ci" / "run")
    for tool in ("bash", "dirname", "date"):
        (tools / tool).symlink_to(shutil.which(tool))
    for stub in {"make", "iverilog", "chromium"} - {missing}:
        (tools / stub).write_text(f'#!{shutil.which("sh")}\necho {stub} "$@"\n')
        (tools / stub).chmod(0o755)
    command, env = [str(tools / "bash"), ".ci/run"], os.environ | {"PATH": str(tools)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert (done.returncode != 0) == bool(missing), done.stderr
    assert ("make test" in done.stdout) != bool(missing)
    assert done.stderr.startswith(f"{missing} is missing" if missing else "")
