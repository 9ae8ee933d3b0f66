"""Parsing of command-line arguments, shared by several commands."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from math import inf
from pathlib import Path

from wirestream.errors import QueryFileError


class UsageError(ValueError):
    """The request cannot be carried out; the message is one line."""


def carry_out(prog: str, run: Callable[[], None], target: str | None = None) -> int:
    """Run a command; if it fails, print the reason.

    Exit codes: 0 done, 1 failed, 2 wrong arguments, 130 interrupted. target: named by an OSError without a file.
    """
    try:
        run()
    except QueryFileError as error:
        print(error, file=sys.stderr)
        return 1
    except UsageError as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        where = error.filename or target
        print(f"{prog}: {f'{where}: ' if where else ''}{error.strerror or error}", file=sys.stderr)
        return 1
    except (RuntimeError, ValueError) as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{prog}: stopped", file=sys.stderr)
        return 130
    return 0


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
