"""What can follow in a statement: commands, streams, columns, functions, words of the dialect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document

from wirestream import compiler
from wirestream.compiler.aggregates import FUNCTIONS, NAMES
from wirestream.compiler.scalars import SCALARS
from wirestream.shell.commands import COMMANDS
from wirestream.shell.session import Session

OF_FILES = ("load", "plan")


@cache
def words() -> tuple[str, ...]:
    """The words of the dialect, in the grammar's order."""
    grammar = files(compiler).joinpath("dialect.lark").read_text()
    return tuple(dict.fromkeys(re.findall(r'"([A-Z][A-Z_0-9]+)"i', grammar)))


@cache
def functions() -> dict[str, str]:
    """Functions and aggregates, and what they are."""
    found = {call: scalar.meaning for scalar in SCALARS.values() for call in scalar.calls}
    return found | {call: FUNCTIONS[name].meaning for call, name in NAMES.items()}


def candidates(before: str, session: Session) -> Iterator[tuple[str, str]]:
    """What can follow the text `before`, of which the last word is not complete, and what each is."""
    if command := re.match(r"\s*\\(\w*)$", before):
        yield from _beginning(command[1], ((name, command.text) for name, command in COMMANDS.items()))
        return
    if before.lstrip().startswith("\\"):
        if constant := re.match(r"\s*\\set\s+\$?(\w*)$", before):
            runtime = session.query.built.circuit.runtime if session.query else {}
            yield from _beginning(constant[1], ((f"{name}=", "constant") for name in runtime))
        return
    word = re.search(r"\w*$", before)[0]
    streams = [(name, "stream") for name in session.known]
    if re.search(r"\b(FROM|JOIN)\s+\w*$", before, re.IGNORECASE):
        yield from _beginning(word, streams)
        return
    if not word:
        return
    columns = [(f.name, f"{f.declared} of {name}") for name, s in _used(before, session) for f in s.schema.fields]
    calls = [(f"{name}(", meaning) for name, meaning in functions().items()]
    yield from _beginning(word, [*columns, *calls, *streams, *((one, "") for one in words())])


def _used(before: str, session: Session) -> list:
    """The streams that the text names, or all before it names one."""
    named = [(name, s) for name, s in session.known.items() if re.search(rf"\b{name}\b", before)]
    return named or list(session.known.items())


def _beginning(word: str, of: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Those that begin with a word in any case, each once."""
    seen = set()
    for text, what in of:
        if text.lower().startswith(word.lower()) and text not in seen:
            seen.add(text)
            yield text, what


class ShellCompleter(Completer):
    """`candidates`, and the names of files."""

    def __init__(self, session: Session):
        self._session = session
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterator[Completion]:
        before = document.text_before_cursor
        if path := re.match(rf"\s*\\(?:{'|'.join(OF_FILES)})\s+(?:\w+=)?(.*)$", before):
            yield from self._paths.get_completions(Document(path[1]), event)
            return
        size = len(re.search(r"\w*$", before)[0])
        for text, what in candidates(before, self._session):
            yield Completion(text, -size, display_meta=what)
