"""Steps on a mapped netlist (Yosys JSON, one flat module) between synthesis and place and route.

- `use_output_registers` moves a register directly after a block RAM into the RAM's own output register, which Yosys
  does not do.
- `use_multiplier_registers` does the same for the register after a multiplier block.
- `add_shell` puts a register on every port, so that place and route times exactly the paths of the core.
- `Names` finds the names of cells in the Verilog source.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

Module = dict  # the JSON of one module: ports, cells, netnames
CLOCK = "clk"

# Names that Yosys derives for cells and nets of its own (pass autoname).
MADE_BY_SYNTHESIS = re.compile(r"_(LUT\d|CCU2C|PFUMX|L6MUX21|TRELLIS_\w+|DP16KD|MULT18X18D)_")

# The pipeline register of ws_ram_sdp, by its name in that core.
OUTPUT_REGISTER = "gen_output_reg.output_reg"


class NetlistFailure(RuntimeError):
    """The netlist does not meet the requirements of a step."""


@dataclass(frozen=True)
class RamKind:
    """A block RAM type: its read ports, and the parameter that selects the output register of each.

    outputs: for each side (A, B) the prefix of its data output pins. register: the parameter and the value that
    selects the register. enable: the output register's clock enable.
    """

    outputs: dict[str, tuple[str, ...]]
    register: dict[str, tuple[str, str]]
    enable: dict[str, str]


_XILINX_RAM = RamKind(
    outputs={"A": ("DOADO", "DOPADOP"), "B": ("DOBDO", "DOPBDOP")},
    register={"A": ("DOA_REG", f"{1:032b}"), "B": ("DOB_REG", f"{1:032b}")},
    enable={"A": "REGCEAREGCE", "B": "REGCEB"},
)
RAM_KINDS = {
    "DP16KD": RamKind(
        outputs={"A": ("DOA",), "B": ("DOB",)},
        register={"A": ("REGMODE_A", "OUTREG"), "B": ("REGMODE_B", "OUTREG")},
        enable={"A": "OCEA", "B": "OCEB"},
    ),
    "RAMB18E1": _XILINX_RAM,
    "RAMB36E1": _XILINX_RAM,
}


def plain_register(cell: dict, enabled: bool = False) -> tuple[int | str, int | str] | None:
    """(input, output) of a register that loads in every cycle, or with `enabled` when its enable pin CE is high, and is
    never set or reset; else None."""
    pins = {pin: bits[0] for pin, bits in cell["connections"].items() if bits}
    match cell["type"]:
        case "TRELLIS_FF":
            parameters = cell["parameters"]
            runs = parameters.get("CEMUX", "1").strip() in ("1", "CE" if enabled else "1")
            clocked = parameters.get("CLKMUX", "CLK") == "CLK"
            if runs and clocked and pins.get("LSR", "0") == "0" and "M" not in pins:
                return pins["DI"], pins["Q"]
        case "FDRE" if pins.get("CE") == "1" and pins.get("R") == "0":
            return pins["D"], pins["Q"]
    return None


def enable(register: dict) -> int | str:
    """The net that enables a plain register of the ECP5, "1" if it always runs."""
    return register["connections"]["CE"][0] if register["parameters"].get("CEMUX", "1").strip() == "CE" else "1"


def driven(cell: dict) -> list[int | str]:
    """The nets that a cell drives."""
    directions = cell["port_directions"]
    return [bit for pin, bits in cell["connections"].items() if directions.get(pin) == "output" for bit in bits]


def loads_of(module: Module) -> dict[int | str, list[str]]:
    """The cells that each net drives, one entry for every pin; "" is a port."""
    loads: dict[int | str, list[str]] = defaultdict(list)
    for name, cell in module["cells"].items():
        for pin, bits in cell["connections"].items():
            if cell["port_directions"].get(pin) == "input":
                for bit in bits:
                    loads[bit].append(name)
    for port in module["ports"].values():
        if port["direction"] == "output":
            for bit in port["bits"]:
                loads[bit].append("")
    return loads


def use_output_registers(module: Module) -> tuple[set[str], set[str]]:
    """Move registers after block RAMs into them; returns the RAMs (cells) changed, and those that should have been.

    A RAM is changed only if each of its output bits drives a plain register and nothing else. It should be changed if
    it belongs to a ws_ram_sdp with OUTPUT_REG = 1, unless that is deeper than one block, which puts a multiplexer in
    between.
    """
    cells = module["cells"]
    loads = loads_of(module)
    rams = {name: cell for name, cell in cells.items() if cell["type"] in RAM_KINDS}
    changed = set()
    for ram, cell in rams.items():
        kind = RAM_KINDS[cell["type"]]
        outputs = {
            side: [
                (pin, index)
                for pin, bits in cell["connections"].items()
                if pin.rstrip("0123456789") in starts
                for index, bit in enumerate(bits)
                if loads[bit]
            ]
            for side, starts in kind.outputs.items()
        }
        registers: dict[tuple[str, int], str] = {}  # (pin, index) -> the register's cell
        for pin, index in [place for places in outputs.values() for place in places]:
            users = loads[cell["connections"][pin][index]]
            if len(users) == 1 and users[0] and plain_register(cells[users[0]]):
                registers[pin, index] = users[0]
        # A wide port uses the outputs of both sides together: change both or none.
        if not registers or len(registers) < sum(map(len, outputs.values())):
            continue
        for (pin, index), register in registers.items():
            cell["connections"][pin][index] = plain_register(cells.pop(register))[1]
        for side, places in outputs.items():
            if places:
                parameter, value = kind.register[side]
                cell["parameters"][parameter] = value
                cell["connections"][kind.enable[side]] = ["1"]
        changed.add(ram)

    wanted = set()
    for net in module["netnames"]:
        if net == OUTPUT_REGISTER or net.endswith(f".{OUTPUT_REGISTER}"):
            memory = net.removesuffix(OUTPUT_REGISTER) + "mem."
            blocks = {ram for ram in rams if ram.startswith(memory)}
            readers = [{cell for bit in driven(cells[block]) for cell in loads[bit]} for block in blocks]
            if len(set().union(*readers)) == sum(map(len, readers)):  # otherwise a multiplexer selects a block
                wanted |= blocks
    return changed, wanted


def use_multiplier_registers(module: Module) -> int:
    """Move registers directly after ECP5 multipliers into them; returns the number of multipliers changed.

    A multiplier is changed if each used bit of its product drives a plain register and nothing else, and all of these
    registers have the same enable or none.
    """
    cells = module["cells"]
    loads = loads_of(module)
    changed = 0
    for cell in [cell for cell in cells.values() if cell["type"] == "MULT18X18D"]:
        pins = cell["connections"]
        product = [pin for pin in pins if pin[0] == "P" and pin[1:].isdigit() and loads[pins[pin][0]]]
        readers = {pin: loads[pins[pin][0]] for pin in product}
        if not all(
            len(users) == 1 and users[0] and plain_register(cells[users[0]], True) for users in readers.values()
        ):
            continue
        enables = {enable(cells[register]) for (register,) in readers.values()}
        if len(enables) != 1:
            continue
        for pin, (register,) in readers.items():
            moved = cells.pop(register)["connections"]
            pins[pin], pins["CLK0"] = moved["Q"], moved["CLK"]
        pins |= {"CE0": [enables.pop()], "RST0": ["0"]}
        cell["port_directions"] |= dict.fromkeys(("CLK0", "CE0", "RST0"), "input")
        cell["parameters"] |= {"REG_OUTPUT_CLK": "CLK0", "REG_OUTPUT_CE": "CE0", "REG_OUTPUT_RST": "RST0"}
        cell["parameters"]["CLK0_DIV"] = "ENABLED"
        changed += 1
    return changed


def add_shell(module: Module) -> int:
    """Put an ECP5 register between every port bit and the core; returns the number of registers.

    The outer side of these registers is unconnected, so only paths of the core are timed, and the number of ports is
    not limited.
    """
    if CLOCK not in module["ports"]:
        raise NetlistFailure(f"the top level has no port named {CLOCK}")
    clock = module["ports"][CLOCK]["bits"]
    next_net = 1 + max(bit for net in module["netnames"].values() for bit in net["bits"] if isinstance(bit, int))
    registers = 0
    for name, port in module["ports"].items():
        if name == CLOCK:
            continue
        inner, outer = port["bits"], list(range(next_net, next_net + len(port["bits"])))
        next_net += len(outer)
        for index, (core, pin) in enumerate(zip(inner, outer, strict=True)):
            data, output = (pin, core) if port["direction"] == "input" else (core, pin)
            label = f"port {name}[{index}]" if len(inner) > 1 else f"port {name}"
            module["cells"][label] = {
                "hide_name": 0,
                "type": "TRELLIS_FF",
                "parameters": {"CEMUX": "1 ", "CLKMUX": "CLK", "GSR": "DISABLED", "REGSET": "RESET"},
                "attributes": {"keep": "1"},
                "port_directions": {"CLK": "input", "DI": "input", "Q": "output"},
                "connections": {"CLK": clock, "DI": [data], "Q": [output]},
            }
        registers += len(outer)
        port["bits"] = outer
    return registers


class Names:
    """The names of a mapped netlist's registers in the Verilog source, and where it declares them."""

    def __init__(self, module: Module):
        self._net: dict[int, tuple[str, str]] = {}  # net -> name and place in the source
        by_depth = sorted(module["netnames"].items(), key=lambda item: (item[0].count("."), item[0]))
        for name, net in by_depth:
            source = net["attributes"].get("src", "")
            if net["hide_name"] or not source or MADE_BY_SYNTHESIS.search(name):
                continue
            file, _, position = source.split("|")[-1].rpartition(":")
            place = f"{file.rpartition('/')[2]}:{position.split('.')[0]}"
            for index, bit in enumerate(net["bits"]):
                self._net.setdefault(bit, (f"{name}[{index}]" if len(net["bits"]) > 1 else name, place))
        self._registers = {
            name: cell["connections"]["Q"][0]
            for name, cell in module["cells"].items()
            if cell["type"] == "TRELLIS_FF" and cell["connections"].get("Q")
        }

    def cell(self, name: str) -> str:
        """The name of the signal that a register holds; the own name of any other cell."""
        signal, place = self._net.get(self._registers.get(name), (name, ""))
        return f"{signal} ({place})" if place else signal

    def net(self, name: str) -> str:
        """The net's name in the source, or the name from which synthesis derived its own; "" if there is none."""
        if name.startswith("$"):
            return ""
        made = MADE_BY_SYNTHESIS.search(name)
        return f"{name[: made.start()]}…" if made else name
