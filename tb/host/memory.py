"""The memory of a host in tests: that of tb.lib.memory, with bounds for writes and notes of what happened."""

from __future__ import annotations

from dataclasses import dataclass, field

from tb.lib import memory
from tb.lib.memory import DECERR, OKAY, SLVERR, Timing
from tb.lib.tuplebus import cycle

__all__ = ["DECERR", "OKAY", "SLVERR", "Memory", "Timing"]
CHANNELS = ("ar", "r", "aw", "w", "b")


@dataclass
class Memory(memory.Memory):
    """writable: where writes are allowed; anything else fails the test. hold: while true, nothing is accepted or
    answered. first: the cycle in which a channel was first valid since `mark`. starts: (channel, address, cycle) of the
    bursts since then; answers: the cycles of the B responses."""

    writable: list[range] | None = None
    hold: bool = False
    first: dict[str, int] = field(default_factory=dict)
    starts: list[tuple[str, int, int]] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)

    def mark(self) -> None:
        for notes in (self.first, self.starts, self.answers):
            notes.clear()

    @property
    def idle(self) -> bool:
        """Nothing is in flight."""
        return not self._answers and not any(self._queue.values())

    def _acts(self) -> bool:
        return not self.hold and super()._acts()

    def sample(self) -> None:
        for name in CHANNELS:
            if self._get(f"{name}valid"):
                self.first.setdefault(name, cycle())
        if self._valid["b"]:
            self.answers.append(cycle())
        super().sample()

    def _burst(self, channel: str, address: int, *rest: int):
        self.starts.append((channel, address, cycle()))
        return super()._burst(channel, address, *rest)

    def _store(self, data: int, strb: int, last: int) -> None:
        burst = self._queue[memory.WRITE][0]
        at = burst.address + burst.done * self.beat
        places = [at + n for n in range(self.beat) if strb >> n & 1]
        assert self.writable is None or all(any(p in part for part in self.writable) for p in places), hex(at)
        super()._store(data, strb, last)
