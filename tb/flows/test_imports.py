"""Each import contract of pyproject.toml breaks when an import that it forbids is added to a copy of the packages."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from tb import REPOSITORY

PACKAGES = ("tools/wirestream", "spark_golden", "tb")
FOR_TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from wirestream.compiler import drawing"


class Fault(NamedTuple):
    """line: added to `file`. message: that of lint-imports."""

    contract: str
    file: str
    line: str
    message: str


LAYERS, WIRESTREAM, GOLDEN = "layers of wirestream", "wirestream imports neither", "spark_golden imports neither"
FAULTS = {
    "upwards": Fault(
        LAYERS,
        "wirestream/schema/tuples.py",
        "from wirestream.compiler import syntax",
        "wirestream.schema.tuples -> wirestream.compiler.syntax",
    ),
    "sideways in a function": Fault(
        LAYERS,
        "wirestream/measure/cores.py",
        "def f():\n    from wirestream.host import send",
        "wirestream.measure.cores -> wirestream.host.send",
    ),
    "a new subpackage": Fault(LAYERS, "wirestream/attic.py", "", "- wirestream.attic"),
    "a circle for types": Fault(
        "no import circles",
        "wirestream/compiler/circuit.py",
        FOR_TYPES,
        "No cycles are allowed in wirestream.compiler",
    ),
    "the bench": Fault(WIRESTREAM, "wirestream/cli.py", "import tb.demo", "wirestream.cli -> tb.demo"),
    "the model": Fault(WIRESTREAM, "wirestream/cli.py", "import spark_golden.q3", "wirestream.cli -> spark_golden.q3"),
    "the model's subject": Fault(
        GOLDEN, "spark_golden/q3.py", "import wirestream.errors", "spark_golden.q3 -> wirestream.errors"
    ),
    "the model's bench": Fault(GOLDEN, "spark_golden/q3.py", "import tb.demo", "spark_golden.q3 -> tb.demo"),
}


def contracts() -> list[str]:
    config = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    return [contract["name"] for contract in config["tool"]["importlinter"]["contracts"]]


def test_faults_are_for_all_contracts():
    assert all(any(name.startswith(fault.contract) for fault in FAULTS.values()) for name in contracts())


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_contract_breaks(tmp_path: Path, fault: Fault):
    (name,) = (name for name in contracts() if name.startswith(fault.contract))
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    for package in PACKAGES:
        for path in (REPOSITORY / package).rglob("*.py"):
            copy = tmp_path / path.relative_to((REPOSITORY / package).parent)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    with (tmp_path / fault.file).open("a") as module:
        module.write(f"\n{fault.line}\n")
    command = [Path(sys.executable).parent / "lint-imports", "--no-cache", "--no-logo"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert f"{name} BROKEN" in done.stdout
    assert fault.message in done.stdout
