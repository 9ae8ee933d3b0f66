"""What several commands read from their command lines."""

from __future__ import annotations

import argparse
from pathlib import Path


def text_of(path: Path) -> str:
    """The text in a file; OSError, or ValueError with one line if it is none."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: is not text in UTF-8") from None


def name_and_value(text: str) -> tuple[str, int | str]:
    """``NAME=VALUE`` from the command line; a value that is a number becomes one."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    try:
        return name, int(value, 0)
    except ValueError:
        return name, value
