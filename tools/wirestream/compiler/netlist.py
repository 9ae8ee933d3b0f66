"""A module under construction: its wires, instances, assignments and events."""

from __future__ import annotations

from collections.abc import Iterable

from wirestream.compiler.circuit import Instance, Reference
from wirestream.compiler.verilog import range_of

DATA_W, KEEP_W = Reference("DATA_W"), Reference("DATA_W/8")
AXIS = {"tdata": DATA_W, "tkeep": KEEP_W, "tvalid": 1, "tready": 1, "tlast": 1}


def port_line(name: str, width: int) -> str:
    """The declaration of a port. width: positive for an input; for an output minus its width, or 0 for one bit."""
    return f"{'input ' if width > 0 else 'output'} wire {range_of(abs(width))}{name}"


def own_core(module_name: str) -> str:
    """The core name of a module that the compiler generates."""
    return f"queries:{module_name.removeprefix('ws_')}"


class Netlist:
    """wires: their widths. assigned: wires or ports, each with its expression. events: wires that pulse, in order.
    payloads: the AXI4-Stream that the front reads."""

    payloads = "s_axis"

    def __init__(self) -> None:
        self.wires: dict[str, int | Reference] = {}
        self.instances: list[Instance] = []
        self.assigned: list[tuple[str, str]] = []
        self.events: list[str] = []

    def wire(self, name: str, width: int | Reference = 1) -> str:
        self.wires[name] = width
        return name

    def event(self, *names: str) -> None:
        for name in names:
            self.events.append(self.wire(name))

    def add(self, core: str, name: str, parameters: dict, ports: dict) -> None:
        self.instances.append(Instance(core, name, parameters, {"clk": "clk", "rst": "rst"} | ports))

    def receive(self, name: str, core: str, parameters: dict, ports: dict, events: Iterable[str]) -> None:
        """Add a core that reads the payloads, and its events."""
        own = {f"evt_{event}": f"{name}_{event}" for event in events}
        self.event(*own.values())
        self.add(core, name, parameters, axis_ports("s", self.payloads, f"{self.payloads}_tuser") | ports | own)


def axis_ports(port: str, wire: str, user: str) -> dict[str, str]:
    """The ports of an AXI4-Stream side, connected to the wires of the same names."""
    return {f"{port}_axis_{signal}": f"{wire}_{signal}" for signal in AXIS} | {f"{port}_axis_tuser": user}
