"""What a test run has shown, noted as it happens: every simulation, proof and lint run that was good.

Nothing is noted unless a test run asks for it: the variable `FOLDER` of the environment then names the folder of the
notes, which has a file for each process. `tb.lib.inventory` compares them with the file in the tree.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

FOLDER = "WIRESTREAM_INVENTORY"


def note(kind: str, label: str, names: Iterable[str] = ()) -> None:
    """Note that `label` (a `Design.label`: the core and its parameters) was good.

    kind: what was run, such as ``proof``. names: the tests that ran and passed; without them the whole counts as one.
    """
    folder, test = os.environ.get(FOLDER), os.environ.get("PYTEST_CURRENT_TEST")
    if folder and test:
        line = json.dumps([kind, label, list(names), test.split("::")[0]])
        with (Path(folder) / f"{os.getpid()}.jsonl").open("a") as file:
            file.write(line + "\n")
