"""Copy the checkout, to inject faults into the copy, and run pytest in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from spark_golden import CACHE
from tb import REPOSITORY
from wirestream.inventory import FOLDER


def copy(to: Path) -> Path:
    """Copy the checkout without its build products."""
    shutil.copytree(REPOSITORY, to, ignore=shutil.ignore_patterns("build", ".*", "__pycache__", "*.egg-info"))
    (to / ".venv").symlink_to(Path(sys.prefix))
    (to / "build").mkdir()
    (to / "build" / "FUSESOC_IGNORE").touch()
    return to


def python(tree: Path, *words: str, timeout: float | None = None, **variables: str) -> subprocess.CompletedProcess:
    """Run ``python -m`` `words` in a copy, as from a shell; returns stdout and stderr as one text."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_") and k != FOLDER}
    env |= {"PYTHONPATH": str(tree / "tools"), "PYTHONDONTWRITEBYTECODE": "1", CACHE: str(tree / "build")}
    env |= variables
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.run([sys.executable, "-m", *words], cwd=tree, env=env, text=True, timeout=timeout, **pipes)
