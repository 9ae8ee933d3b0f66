"""Chromium without a screen, which `make chromium` installs; None if it is missing."""

from __future__ import annotations

import shutil

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# The sandbox needs privileges that a container may lack. Only pages of this machine are opened.
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-sync")
