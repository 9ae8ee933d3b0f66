"""A record of every simulation, proof and lint run that passed in a test run.

Recording is off by default. A test run enables it with the environment variable `FOLDER`, which names the folder of
the records, one file per process. `tb.lib.inventory` compares them with the file in the tree.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

FOLDER = "WIRESTREAM_INVENTORY"


def note(kind: str, label: str, names: Iterable[str] = ()) -> None:
    """Record that `label` (a `Design.label`: the core and its parameters) passed.

    kind: what ran, such as ``proof``. names: the tests that passed; without names the run counts as one test.
    """
    folder, test = os.environ.get(FOLDER), os.environ.get("PYTEST_CURRENT_TEST")
    if folder and test:
        line = json.dumps([kind, label, list(names), test.split("::")[0]])
        with (Path(folder) / f"{os.getpid()}.jsonl").open("a") as file:
            file.write(line + "\n")
