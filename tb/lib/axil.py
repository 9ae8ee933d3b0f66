"""AXI4-Lite in tests (cocotbext-axi)."""

from __future__ import annotations

import logging

import cocotb
from cocotb.task import resume
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

from tb.lib.bench import pauses, rng, scramble


class BusError(Exception):
    """The slave answered with an error."""


class Bus:
    """AXI4-Lite in tests; a transport for `Registers`, which runs in its own thread (`cocotb.task.bridge`).

    pause: probability that a channel waits in a cycle, independent for each. Data that is not valid is random.
    """

    def __init__(self, dut, pause: float = 0.0, prefix: str = "s_axil"):
        logging.getLogger(f"cocotb.{dut._name}.{prefix}").setLevel(logging.WARNING)
        master = self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, prefix), dut.clk, dut.rst)
        write, read = master.write_if, master.read_if
        for name, channel in (
            *(("aw", write.aw_channel), ("w", write.w_channel), ("b", write.b_channel)),
            *(("ar", read.ar_channel), ("r", read.r_channel)),
        ):
            if pause:
                channel.set_pause_generator(pauses(pause, rng(f"axil/{name}")))
        for name, content in (("aw", ("awaddr",)), ("w", ("wdata", "wstrb")), ("ar", ("araddr",))):
            valid, *signals = (getattr(dut, f"{prefix}_{signal}") for signal in (f"{name}valid", *content))
            cocotb.start_soon(scramble(valid, signals, dut.clk, rng(f"axil/{name}/scramble")))

    async def read(self, address: int) -> tuple[int, int]:
        """The response and the word."""
        answer = await self.master.read(address, 4)
        return int(answer.resp), int.from_bytes(answer.data, "little")

    async def write(self, address: int, value: int, size: int = 4) -> int:
        """Write the `size` low bytes of `value` at any byte address; returns the response."""
        answer = await self.master.write(address, value.to_bytes(size, "little"))
        return int(answer.resp)

    @resume
    async def read32(self, address: int) -> int:
        response, value = await self.read(address)
        if response:
            raise BusError(f"read {address:#05x}: {response}")
        return value

    @resume
    async def write32(self, address: int, value: int) -> None:
        if response := await self.write(address, value):
            raise BusError(f"write {address:#05x}: {response}")
