"""The text of a section of a program while it is written, and where its words are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

LEAST, MOST = -(2**31), 2**31 - 1  # of a word
WORD_BITS = 32


@dataclass
class Space:
    """Words of the transmission buffer or the synopsis. load, store: the instructions. used: words taken so far."""

    load: str
    store: str
    used: int = 0

    def take(self, words: int = 1) -> int:
        self.used += words
        return self.used - words


def synopsis(used: int = 0) -> Space:
    return Space("iload_sy", "istore_sy", used)


def buffer(used: int = 0) -> Space:
    return Space("iload", "istore", used)


@dataclass
class Section:
    """name, arguments: of its directive. scratch: where intermediate results are kept; None: nowhere."""

    name: str
    arguments: tuple[str, ...] = ()
    scratch: Space | None = None
    lines: list[str] = field(default_factory=list)
    _labels: int = 0

    def op(self, name: str, operand: object = "", note: str = "") -> None:
        text = f"        {name:<11} {operand}".rstrip()
        self.lines.append(f"{text:<32}# {note}" if note else text)

    def ops(self, *names: str) -> None:
        for name in names:
            self.op(*name.split())

    def push(self, number: int, note: str = "") -> None:
        self.op("ipush", number, note)

    def note(self, text: str) -> None:
        self.lines.append(f"# {text}")

    def label(self) -> str:
        self._labels += 1
        return f"l{self._labels}"

    def mark(self, label: str) -> None:
        """The label is here. One that nothing jumps to is left out."""
        if any(line.split("#")[0].split()[1:2] == [label] for line in self.lines):
            self.lines.append(f"{label}:")

    def here(self) -> str:
        """A label for a loop."""
        label = self.label()
        self.lines.append(f"{label}:")
        return label

    def guarded(self, jump: str, body: Callable[[], None]) -> None:
        """The body, which a jump with the word on the stack leaves out."""
        skip = self.label()
        self.op(jump, skip)
        body()
        self.mark(skip)

    @property
    def text(self) -> str:
        given = ", ".join(f'"{one}"' for one in self.arguments)
        return "\n".join([f".section {self.name}{', ' * bool(given)}{given}", *self.lines])
