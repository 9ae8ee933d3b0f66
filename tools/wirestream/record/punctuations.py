"""The punctuations of a window in time, as the punctuator makes them of a stream's tuples (docs/windows.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from wirestream.compiler.syntax import Window


class Punctuations:
    """Those of one session. counts: of tuples that are `late` or too far `ahead`, which are dropped."""

    def __init__(self, window: Window):
        self.window = window
        self.counts: Counter[str] = Counter()
        self._start: int | None = None
        self._watermark = 0
        self._newest: int | None = None  # of the accepted tuples
        self._far: list[int] = []  # the tuples that are ahead, in a row

    def before(self, time: int) -> tuple[list[int], bool]:
        """The punctuations that a tuple of this time causes, which precede it, and whether it is accepted."""
        window, found = self.window, []
        if self._start is None:
            begin = (time - window.slack) // window.advance * window.advance
            self._start = self._watermark = max(0, begin) if window.start is None else window.start
            found.append(self._start)
            first = True
        else:
            first = False
        if time < self._watermark:
            self._far = []
            self.counts["late"] += 1
            return found, False
        if window.max_ahead and not first and time > self._watermark + window.max_ahead:
            self.counts["ahead"] += 1
            self._far.append(time)
            if max(self._far) - min(self._far) > window.max_ahead:
                self._far = [time]
            if len(self._far) == window.resync:
                found += self._passed(min(self._far) - window.slack)
                self._far = []
            return found, False
        self._far = []
        found += self._passed(time - window.slack)
        self._newest = time if self._newest is None else max(self._newest, time)
        return found, True

    def _passed(self, mark: int) -> Iterator[int]:
        """The boundaries that the watermark passes: all while a window may hold a tuple, then only the last end."""
        window, low = self.window, self._watermark
        if mark <= low:
            return
        self._watermark = mark
        held = low if self._newest is None else self._newest + window.size
        each = mark if window.emit_empty else max(low, min(mark, held))
        yield from self._boundaries(low, each)
        last = mark - (mark - self._start - window.size) % window.advance
        if last > each and last >= self._start + window.size:
            yield last
            each = last
        yield from self._boundaries(each, mark)

    def _boundaries(self, low: int, high: int) -> Iterator[int]:
        """The starts and ends of windows above `low`, up to `high`."""
        window, found = self.window, set()
        for origin in (self._start, self._start + window.size):
            first = origin + max(0, (low - origin) // window.advance + 1) * window.advance
            found |= set(range(first, high + 1, window.advance))
        yield from sorted(found - {self._start})
