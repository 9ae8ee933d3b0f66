"""A test skips only after an explicit probe: a failure is not a reason to skip."""

import ast
from pathlib import Path

import pytest

from tb import REPOSITORY

FILES = sorted((REPOSITORY / "tb").rglob("*.py"))
SKIP, IMPORT = "pytest.skip", "pytest.importorskip"


def unprobed(source: str) -> list[int]:
    """The lines that skip after a failure: in an `except`, or by `importorskip`, which also skips for a broken module
    unless `exc_type` is ModuleNotFoundError."""
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
