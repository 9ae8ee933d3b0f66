"""The sizes of a query machine, which are parameters of its core."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """width: bits of a word. stack, buffer, synopsis: words of each program. fields: words of a tuple. code: bytes of a
    program. slots: programs. watchdog: cycles after which a section is stopped. Raises ValueError for a size that no
    machine has.
    """

    width: int = 32
    stack: int = 16
    buffer: int = 16
    synopsis: int = 16
    fields: int = 64
    code: int = 256
    slots: int = 8
    watchdog: int = 4096

    def __post_init__(self) -> None:
        if self.width not in (16, 32):
            raise ValueError(f"a word of {self.width} bits: must be 16 or 32")
        for name in ("stack", "buffer", "synopsis"):
            size = getattr(self, name)
            if not 4 <= size <= 256 or size & (size - 1):
                raise ValueError(f"{name} of {size} words: must be a power of two, 4 to 256")

    @property
    def least(self) -> int:
        return -(1 << self.width - 1)

    @property
    def most(self) -> int:
        return (1 << self.width - 1) - 1

    def wrapped(self, number: int) -> int:
        """The word with the lowest bits of a number."""
        half = 1 << self.width - 1
        return (number + half & (half << 1) - 1) - half
