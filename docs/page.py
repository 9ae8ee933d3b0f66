"""Run a board with its page, stream trades at it, and take a picture of the page in Chromium, docs/page.png:
`python -m docs.page`. Not part of `make docs`, since no two runs look the same.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time

from PIL import Image
from playwright.sync_api import sync_playwright

from docs.terminals import running
from tb import REPOSITORY
from tb.board.chromium import CHROMIUM, OPTIONS

PICTURE = REPOSITORY / "docs" / "page.png"
BOARD = ["-m", "wirestream.host.board", "fusesoc/queries/candles.sql", "--page"]
SENDER = ["tools/send_trades.py", "--tunnel", "--count", "60000", "--rate", "4000", "--trades-per-second", "8"]
SECONDS = 12  # of trades, until the picture is taken
COLOURS = 64  # of the picture, for a small file


def main() -> int:
    with running(BOARD, "page") as (process, said):
        while "Ctrl-C" not in said.read_text():
            if process.poll() is not None:
                raise SystemExit(f"the board did not start: {said.read_text()}")
            time.sleep(0.5)
        url = re.search(r"http://\S+", said.read_text())[0]
        with sync_playwright() as driver, subprocess.Popen([sys.executable, *SENDER], cwd=REPOSITORY) as sender:
            page = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS).new_page()
            page.set_viewport_size({"width": 1400, "height": 900})
            page.goto(url)
            page.wait_for_timeout(1000 * SECONDS)
            picture = Image.open(io.BytesIO(page.screenshot()))
            picture.quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURE, optimize=True)
            sender.terminate()
    return 0


if __name__ == "__main__":
    sys.exit(main())
