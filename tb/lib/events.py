"""Counts the event pulses (`evt_*`) of a core."""

from __future__ import annotations

from collections import Counter

import cocotb

from tb.lib.tuplebus import cycle, next_cycle


class Events:
    """Watches every output `evt_<name>` of `dut`: `total` counts pulses by name, `log` lists (cycle, name) of each.

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
        """Sample the output in every cycle, but sleep while it is low, as most events are."""
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
        """The totals since the last call of `take`, without zeros."""
        taken, self.total = dict(self.total), Counter()
        return taken
