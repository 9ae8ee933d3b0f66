"""The test benches. They are not part of the installed package: they run in a checkout."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
BUILD = REPOSITORY / "build"
