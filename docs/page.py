"""Follow the walk of first-hour.md to the live page of a board, and take a picture of it in Chromium, docs/page.png:
`python -m docs.page`. Not part of `make docs`, since no two runs look the same.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import vega_datasets
from PIL import Image
from playwright.sync_api import sync_playwright

from docs.terminals import running
from tb import REPOSITORY
from tb.board.chromium import CHROMIUM, OPTIONS

PICTURE = REPOSITORY / "docs" / "page.png"
WALK = (REPOSITORY / "docs" / "first-hour.md").read_text()
DATA = Path(vega_datasets.__file__).parent / "_data" / "seattle-weather.csv"
SIZE = {"width": 1400, "height": 900}
COLOURS = 256  # of the picture, for a small file
SECONDS = 20  # of data, until the picture is taken


def commands(phrase: str) -> str:
    """The block of the walk with a phrase, without `make board`, which the script starts itself."""
    (block,) = (block for block in re.findall(r"^```\n(.*?)^```", WALK, re.MULTILINE | re.DOTALL) if phrase in block)
    return re.sub(r"^make board.*\n", "", block, flags=re.MULTILINE)


def prepared(folder: Path) -> dict:
    """Make the walk's files in a folder; arguments of `subprocess` for its further commands."""
    shutil.copy(DATA, folder / "weather.csv")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    shell = {"shell": True, "cwd": folder, "env": os.environ | {"PATH": path}}
    subprocess.run(commands("<<END"), check=True, **shell)
    return shell


def main() -> int:
    with TemporaryDirectory() as folder:
        shell = prepared(Path(folder))
        board = ["-m", "wirestream.host.board", f"{folder}/warmest.sql", "--page"]
        with running(board, "page") as (process, said):
            while "Ctrl-C" not in said.read_text():
                if process.poll() is not None:
                    raise SystemExit(f"the board did not start: {said.read_text()}")
                time.sleep(0.5)
            with sync_playwright() as driver, subprocess.Popen(commands("wirestream send"), **shell) as sender:
                page = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS).new_page(viewport=SIZE)
                page.goto(re.search(r"http://\S+", said.read_text())[0])
                page.wait_for_timeout(1000 * SECONDS)
                picture = Image.open(io.BytesIO(page.screenshot()))
                sender.terminate()
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURE, optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
