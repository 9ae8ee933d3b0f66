"""What several commands read from their command lines."""

from __future__ import annotations

import argparse
import re
from math import inf
from pathlib import Path


class UsageError(ValueError):
    """What the user asked for cannot be done; the message is one line."""


def text_of(path: Path) -> str:
    """The text in a file; OSError, or ValueError with one line if it is none."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: is not text in UTF-8") from None


def scaled(text: str) -> float | None:
    """A number from 0 on with k, M or G behind it if need be: ``20000``, ``20k``, ``1.5M``; None if it is none."""
    found = re.fullmatch(r"((?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)([kMG]?)", text)
    value = float(found[1]) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[found[2]] if found else inf
    return value if value < inf else None


def name_and_value(text: str) -> tuple[str, int | str]:
    """``NAME=VALUE`` from the command line; a value that is a number becomes one."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    try:
        return name, int(value, 0)
    except ValueError:
        return name, value
