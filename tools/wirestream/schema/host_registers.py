"""The registers of the cores of library `host`: their descriptions, and the files written from them. From Python:

registers = Registers(transport, described=host_registers.description(HOST_PORT))
registers.ring_address, registers.ring_slots = 0x1000_0000, 1024
registers.ring = True
"""

from __future__ import annotations

from functools import cache

from wirestream.arguments import Parser
from wirestream.design import RTL
from wirestream.schema import registers
from wirestream.schema.registers import Description

FOLDER = RTL / "host"
HOST_PORT, SORTER, MEDIAN = "registers.yml", "sorter.yml", "median.yml"
HEADERS = {HOST_PORT: "ws_host_registers.vh", SORTER: "ws_sorter_registers.vh"}


@cache
def description(file: str = HOST_PORT) -> Description:
    """The registers of ws_host_port, ws_sorter or ws_median_memory."""
    return registers.load(FOLDER / file)


def header(file: str) -> str:
    """The text of the Verilog header of a description."""
    return registers.verilog(description(file), file)


def markdown(file: str = HOST_PORT) -> str:
    """The table of a description, for a page of docs."""
    return registers.table(description(file))


def main(arguments: list[str] | None = None) -> None:
    parser = Parser(prog="python -m wirestream.schema.host_registers", description="Write the Verilog headers.")
    parser.parse_args(arguments)
    for file, name in HEADERS.items():
        (FOLDER / name).write_text(header(file))
        print(FOLDER / name)


if __name__ == "__main__":
    main()
