"""A LiteX SoC with a query as a device: registers and DMA on its bus, the interrupt as a CSR event.

    python soc.py NAME FOLDER       of a query that `wirestream compile NAME.sql --attach host` has compiled

writes FOLDER/soc.v, and FOLDER/soc.json with the addresses of the CSRs.

A board has its processor or PCIe bridge as the bus's master; here it is a port, `host`, on which a test plays the host.
The query reads tuples from `main_ram` and writes rows to it. Its interrupt is the event `device` of an EventManager.
"""

from __future__ import annotations

import sys
from pathlib import Path

from litex.build.generic_platform import GenericPlatform, Pins
from litex.gen import LiteXModule
from litex.soc.integration.export import get_csr_json
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect import axi
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockDomain, ClockSignal, Instance, ResetSignal, Signal

REGISTERS, RAM = 0x3000_0000, 0x4000_0000
RAM_BYTES = 1 << 16
IO = [("clk", 0, Pins(1)), ("rst", 0, Pins(1)), ("irq", 0, Pins(1)),
      *axi.AXILiteInterface(32, 32).get_ios("host")]  # fmt: skip


class Query(LiteXModule):
    """ws_query_<name>_host. bus: its registers; dma: its memory port; ev.device: its interrupt."""

    def __init__(self, name: str):
        self.bus = axi.AXILiteInterface(data_width=32, address_width=32)
        self.dma = axi.AXIInterface(data_width=64, address_width=32, id_width=1)
        self.ev = EventManager()
        self.ev.device = EventSourceLevel(description="The query's interrupt is high.")
        self.ev.finalize()
        irq = Signal()
        self.comb += self.ev.device.trigger.eq(irq)
        ports = {"i_clk": ClockSignal("sys"), "i_rst": ResetSignal("sys"), "i_first_session": 1, "o_irq": irq}
        for channel in ("aw", "w", "b", "ar", "r"):
            lite, full = getattr(self.bus, channel), getattr(self.dma, channel)
            ports |= wires("h_axil", channel, lite, ("valid", "ready", *LITE[channel]), master=False)
            ports |= wires("m_axi", channel, full, ("valid", "ready", *FULL[channel]), master=True)
        self.specials += Instance(f"ws_query_{name}_host", p_MEMORY_W=64, p_ADDR_W=32, **ports)


LITE = {"aw": ("addr",), "w": ("data", "strb"), "b": ("resp",), "ar": ("addr",), "r": ("data", "resp")}
FULL = {"aw": ("id", "addr", "len", "size", "burst"), "w": ("data", "strb", "last"), "b": ("id", "resp")}
FULL |= {"ar": FULL["aw"], "r": ("id", "data", "resp", "last")}


def wires(port: str, channel: str, endpoint, signals: tuple[str, ...], master: bool) -> dict:
    """The ports of a channel of an Instance, which is the bus's master or its slave."""
    outward = (channel in ("aw", "w", "ar")) == master
    found = {}
    for signal in signals:
        direction = "o" if outward != (signal == "ready") else "i"
        wire = getattr(endpoint, signal)
        if signal == "addr" and port == "h_axil":
            wire = wire[:8]
        found[f"{direction}_{port}_{channel}{signal}"] = wire
    return found


class Clock(LiteXModule):
    def __init__(self, platform: GenericPlatform):
        self.cd_sys = ClockDomain()
        self.comb += [self.cd_sys.clk.eq(platform.request("clk")), self.cd_sys.rst.eq(platform.request("rst"))]


class Board(SoCMini):
    def __init__(self, name: str):
        platform = GenericPlatform("", IO)
        self.crg = Clock(platform)
        SoCMini.__init__(self, platform, 125_000_000, bus_standard="axi-lite")
        self.add_ram("main_ram", RAM, RAM_BYTES)
        self.query = Query(name)
        self.bus.add_slave("query", self.query.bus, SoCRegion(origin=REGISTERS, size=0x100, cached=False))
        self.bus.add_master("query", self.query.dma)
        host = axi.AXILiteInterface(data_width=32, address_width=32)
        self.comb += host.connect_to_pads(platform.request("host"), mode="slave")
        self.bus.add_master("host", host)
        self.comb += platform.request("irq").eq(self.query.ev.irq)


def main(name: str, folder: str) -> None:
    soc = Board(name)
    soc.finalize()
    soc.platform.get_verilog(soc, name="soc").write(str(Path(folder, "soc.v")))
    Path(folder, "soc.json").write_text(get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions))


if __name__ == "__main__":
    main(*sys.argv[1:])
