"""Count the event pulses (`evt_*`) of a core."""

from __future__ import annotations

from collections import Counter

import cocotb

from tb.lib.tuplebus import cycle, next_cycle


class Events:
    """Watches every output `evt_<name>` of `dut`: `total` by name, and `log`, the (cycle, name) of every pulse.

    An event that is X fails the test.
    """

    def __init__(self, dut):
        self.total: Counter[str] = Counter()
        self.log: list[tuple[int, str]] = []
        self._dut = dut
        outputs = [output for output in dut if output._name.startswith("evt_")]
        assert outputs, "the core has no events"
        for output in outputs:
            cocotb.start_soon(self._watch(output))

    async def _watch(self, output) -> None:
        """Looks at the output after every edge of the clock, but sleeps while it is low, as most are."""
        name, clk, rst = output._name.removeprefix("evt_"), self._dut.clk, self._dut.rst
        low = False
        while True:
            await next_cycle(clk, *([output] if low else []))
            resets = rst.value
            if not resets.is_resolvable or int(resets):
                low = False
                continue
            low = not int(output.value)
            if not low:
                self.total[name] += 1
                self.log.append((cycle(), name))

    def take(self) -> dict[str, int]:
        """The totals since the last `take`, without zeros."""
        taken, self.total = dict(self.total), Counter()
        return taken
