"""A test skips for what it has probed beforehand: a failure is no reason to skip."""

import ast
from pathlib import Path

import pytest

from tb import REPOSITORY

FILES = sorted((REPOSITORY / "tb").rglob("*.py"))
SKIP, IMPORT = "pytest.skip", "pytest.importorskip"


def unprobed(source: str) -> list[int]:
    """The lines that skip where something has failed: in an `except`, or around a block by `importorskip`, which also
    takes a broken module for a missing one unless `exc_type` says otherwise."""
    found = []
    for node in ast.walk(ast.parse(source)):
        calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
        if isinstance(node, ast.ExceptHandler):
            found += [call.lineno for call in calls if ast.unparse(call.func) in (SKIP, IMPORT)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == IMPORT:
            named = {word.arg: ast.unparse(word.value) for word in node.keywords}
            found += [node.lineno] if named.get("exc_type") != "ModuleNotFoundError" else []
    return found


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("if reason := unavailable():\n    pytest.skip(reason)", []),
        ("try:\n    run()\nexcept OSError as error:\n    if error:\n        pytest.skip(str(error))", [5]),
        ("pytest.importorskip('pty')", [1]),
        ("pytest.importorskip('pty', exc_type=ModuleNotFoundError)", []),
    ],
)
def test_what_is_found(source, lines):
    assert unprobed(source) == lines


def test_no_failure_is_a_skip():
    found = {str(path.relative_to(REPOSITORY)): unprobed(Path(path).read_text()) for path in FILES}
    assert not {path: lines for path, lines in found.items() if lines}
