"""The prompt: statements of several lines, history, completion."""

from __future__ import annotations

import os
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import ThreadedCompleter
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from wirestream.shell.completion import ShellCompleter
from wirestream.shell.session import Session
from wirestream.shell.statements import divided

PROMPT, CONTINUED = "wirestream> ", "       ...> "


def prompt_of(session: Session) -> PromptSession:
    """A prompt whose Enter accepts complete statements, and otherwise begins a new line."""
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if divided(buffer.text)[1].strip():
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    return PromptSession(
        PROMPT,
        multiline=True,
        prompt_continuation=CONTINUED,
        key_bindings=keys,
        history=FileHistory(str(_history())),
        auto_suggest=AutoSuggestFromHistory(),
        completer=ThreadedCompleter(ShellCompleter(session)),
        complete_while_typing=False,
    )


def _history() -> Path:
    """The file of the user's history."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "wirestream"
    state.mkdir(parents=True, exist_ok=True)
    return state / "sql_history"
