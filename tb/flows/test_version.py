"""The version is that of `wirestream.__version__` wherever it appears."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest
import yaml

from tb import REPOSITORY
from wirestream import __version__
from wirestream.cli import main

CORES = [path for folder in ("rtl", "fusesoc", "constraints", "tb") for path in (REPOSITORY / folder).rglob("*.core")]


def test_the_package_takes_it():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "wirestream.__version__"}


def test_every_core_has_it():
    versions = {path: yaml.safe_load(path.read_text())["name"].rsplit(":", 1)[1] for path in CORES}
    assert len(versions) > 200
    assert not {path for path, version in versions.items() if version != __version__}


def test_the_newest_release_of_the_changelog():
    headings = re.findall(r"^## (.*)", (REPOSITORY / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert re.fullmatch(rf"\[{re.escape(__version__)}\] - \d{{4}}-\d\d-\d\d", headings[1])


def test_the_command_prints_it(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"wirestream {__version__}\n"


def test_setuptools_reads_it():
    code = "from setuptools.config import pyprojecttoml as p; print(p.read_configuration('pyproject.toml')['project'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True)
    assert f"'version': '{__version__}'" in done.stdout, done.stderr
