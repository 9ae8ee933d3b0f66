"""Parsing of command-line arguments, shared by several commands."""

from __future__ import annotations

import argparse
import re
from math import inf
from pathlib import Path


class UsageError(ValueError):
    """The request cannot be carried out; the message is one line."""


def text_of(path: Path) -> str:
    """The text of a file; raises OSError, or ValueError with a one-line message if the file is not UTF-8."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not UTF-8 text") from None


def scaled(text: str) -> float | None:
    """A number of at least 0 with an optional suffix k, M or G: ``20000``, ``20k``, ``1.5M``; None if malformed."""
    found = re.fullmatch(r"((?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)([kMG]?)", text)
    value = float(found[1]) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[found[2]] if found else inf
    return value if value < inf else None


def name_and_value(text: str) -> tuple[str, int | str]:
    """``NAME=VALUE`` from the command line; a numeric value is returned as a number."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    try:
        return name, int(value, 0)
    except ValueError:
        return name, value
