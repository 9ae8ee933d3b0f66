"""Parsing of command-line arguments, shared by several commands."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import NoReturn

from wirestream.errors import QueryFileError

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130  # exit statuses


class UsageError(ValueError):
    """The request cannot be carried out; the message is one line."""


class Parser(argparse.ArgumentParser):
    """Reports a wrong argument in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: {message} (--help shows how to call it)\n")


def carry_out(prog: str, run: Callable[[], None], target: str | None = None) -> int:
    """Run a command; if it fails, print the reason.

    Exit status: 0 done; 1 failed; 2 something given to it is wrong: an argument, a query, a file; 130 interrupted.
    target: named by an OSError without a file.
    """
    try:
        run()
        sys.stdout.flush()
    except QueryFileError as error:
        print(error, file=sys.stderr)
        return USAGE
    except ValueError as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:  # nobody reads the output any more
        sys.stdout = None
        return FAILED
    except OSError as error:
        where = error.filename or target
        print(f"{prog}: {f'{where}: ' if where else ''}{error.strerror or error}", file=sys.stderr)
        return FAILED
    except RuntimeError as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print(f"{prog}: stopped", file=sys.stderr)
        return INTERRUPTED
    return DONE


def text_of(path: Path) -> str:
    """The text of a file that the user names; raises `UsageError`."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8 text") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


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
    return name, number_or_text(value)


def number_or_text(text: str) -> int | str:
    """A whole number, such as ``5`` or ``0x5``, else the text itself."""
    try:
        return int(text, 0)
    except ValueError:
        return text
