"""Count the event pulses (`evt_*`) of a core."""

from __future__ import annotations

from collections import Counter

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from tb.lib.wire import cycle


class Events:
    """Watches every output `evt_<name>` of `dut`: `total` by name, and `log`, the (cycle, name) of every pulse.

    An event that is X fails the test.
    """

    def __init__(self, dut):
        self.total: Counter[str] = Counter()
        self.log: list[tuple[int, str]] = []
        self._dut = dut
        self._outputs = [(h._name.removeprefix("evt_"), h) for h in dut if h._name.startswith("evt_")]
        assert self._outputs, "the core has no events"
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        while True:
            await RisingEdge(self._dut.clk)
            await ReadOnly()
            if not self._dut.rst.value.is_resolvable or int(self._dut.rst.value):
                continue
            for name, output in self._outputs:
                if int(output.value):
                    self.total[name] += 1
                    self.log.append((cycle(), name))

    def take(self) -> dict[str, int]:
        """The totals since the last `take`, without zeros."""
        taken, self.total = dict(self.total), Counter()
        return taken
