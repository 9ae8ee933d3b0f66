"""What several commands read from their command lines."""

from __future__ import annotations

import argparse


def name_and_value(text: str) -> tuple[str, int | str]:
    """``NAME=VALUE`` from the command line; a value that is a number becomes one."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    try:
        return name, int(value, 0)
    except ValueError:
        return name, value
