"""host_registers: every register of the map as the description says, actions, refusals, errors, generated files."""

from __future__ import annotations

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from tb.host.bench import MAP
from tb.host.memory import DECERR, SLVERR
from tb.lib.axil import Bus
from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state
from wirestream.schema import host_registers, registers

INPUTS = ("busy", "running", "errors", "status", "irq_pending", "head", "tail", "fifo_data", "requests_done",
          "requests_failed", "rows_dropped", "rows_lost", "stalled")  # fmt: skip
PULSES = ("start", "reset", "tail_valid", "request_valid", "push", "pop")
FIXED = ("ring_address", "head_address", "ring_slots")  # while a ring is running


async def begin(dut, pause: float = 0.0) -> tuple[Bus, list[dict[str, int]]]:
    """The bus, and the actions as they occur, with their values."""
    for name in INPUTS:
        getattr(dut, name).value = 0
    await start(dut)
    seen: list[dict[str, int]] = []

    async def watch() -> None:
        while True:
            await FallingEdge(dut.clk)
            for name in PULSES:
                if int(getattr(dut, name).value):
                    values = {v: int(getattr(dut, v).value) for v in ("tail_value", "push_last", "push_bytes")}
                    seen.append({"name": name} | values)

    cocotb.start_soon(watch())
    return Bus(dut, pause), seen


@cocotb.test()
async def every_register(dut):
    """Reset values, bits that exist, access, byte enables; addresses without a register; also in four states."""
    bus, _ = await begin(dut, 0.3)
    g = rng("registers")
    dut.status.value = 1 << 4  # a row waits
    offsets = {offset: register for register in MAP.registers for offset in register.offsets}
    for offset in range(0, 256, 4):
        register = offsets.get(offset)
        response, value = await bus.read(offset)
        if register is None:
            assert response == DECERR == await bus.write(offset, 1)
            continue
        assert response == (SLVERR if register.access == "wo" else 0), register.name
        if register.access == "rw" and not register.action:
            assert value == (register.reset[0] if offset == register.address else 0)
            if register.name == "control":
                continue
            mask = register.mask(offset)
            for _ in range(3):
                new = g.getrandbits(32)
                assert await bus.write(offset, new) == 0
                assert await bus.read(offset) == (0, new & mask)
            assert await bus.write(offset + 1, ~new >> 8 & 0xFF, 1) == 0
            assert await bus.read(offset) == (0, (new ^ 0xFF00) & mask)
        elif register.access == "ro":
            assert await bus.write(offset, 1) == SLVERR
    assert (await bus.read(MAP.names["id"].address))[1] == MAP.id
    assert (await bus.read(MAP.names["version"].address))[1] == MAP.version


@cocotb.test()
async def words_from_outside(dut):
    """Each input is the word of its name; the errors and the interrupts are cleared by ones."""
    bus, _ = await begin(dut)
    g = rng("inputs")
    dut.status.value = 1 << 4
    for name in (
        "head",
        "tail",
        "fifo_data",
        "requests_done",
        "requests_failed",
        "rows_dropped",
        "rows_lost",
        "stalled",
    ):
        value = g.getrandbits(32)
        getattr(dut, name).value = value
        assert await bus.read(MAP.names[name].address) == (0, value)
    dut.irq_pending.value, dut.busy.value, dut.running.value = 5, 1, 1
    assert await bus.read(MAP.names["irq_pending"].address) == (0, 5)
    assert (await bus.read(MAP.names["control"].address))[1] & 0b110 == 0b110
    for bit in range(8):
        dut.errors.value = 1 << bit
        await RisingEdge(dut.clk)
        dut.errors.value = 0
        assert await bus.read(MAP.names["errors"].address) == (0, (2 << bit) - 1)
    assert await bus.write(MAP.names["errors"].address, 0x5A) == 0
    assert await bus.read(MAP.names["errors"].address) == (0, 0xA5)


@cocotb.test()
async def actions(dut):
    """Each write that is an action is one pulse with its values; what is not possible is refused and gives none."""
    bus, seen = await begin(dut)

    async def act(name: str, value: int, index: int = 0) -> int:
        seen.clear()
        return await bus.write(MAP.names[name].address + 4 * index, value)

    assert await act("control", 0b0011) == 0 and [s["name"] for s in seen] == ["start"] and int(dut.enable.value)
    assert await act("control", 0b1110) == 0 and [s["name"] for s in seen] == ["reset"] and int(dut.write_head.value)
    assert await act("tail", 77) == 0 and seen[0]["name"] == "tail_valid" and seen[0]["tail_value"] == 77
    assert await act("request", 9) == 0 and seen[0]["name"] == "request_valid" and int(dut.request_bytes.value) == 9
    assert await act("push", 0x01020304) == 0 and (seen[0]["name"], seen[0]["push_last"]) == ("push", 0)
    assert int(dut.push_data.value) == 0x01020304
    for index in range(4):
        assert await act("push_last", 5, index) == 0
        assert [(s["name"], s["push_last"], s["push_bytes"]) for s in seen] == [("push", 1, index + 1)]
    dut.status.value = 1 << 5  # no place for a request
    assert await act("request", 9) == SLVERR and not seen
    dut.status.value = 0
    assert (await bus.read(MAP.names["fifo_data"].address))[0] == SLVERR and not seen
    dut.status.value = 1 << 4
    seen.clear()
    assert (await bus.read(MAP.names["fifo_data"].address))[0] == 0 and [s["name"] for s in seen] == ["pop"]
    dut.running.value = 1
    for name in FIXED:
        assert await act(name, 0x1000) == SLVERR and (await bus.read(MAP.names[name].address)) == (0, 0)
    assert await act("control", 0b0010) == SLVERR and not seen  # write_head would change
    assert await act("control", 0b1010) == 0 and not seen  # a ring is running already
    dut.running.value, dut.busy.value = 0, 1
    assert await act("control", 0b1010) == 0 and not seen  # a reset is under way


def test_cocotb():
    run("host_registers")


def test_four_state():
    run_four_state("host_registers", "every_register")


def test_the_generated_files_are_up_to_date():
    for file, name in host_registers.HEADERS.items():
        assert (host_registers.FOLDER / name).read_text() == host_registers.header(file), "run `make docs`"


def test_the_client_reads_and_writes_addresses():
    """The Python client takes the map as it is: an address is one value of two words."""
    words: dict[int, int] = {}

    class Memory:
        read32 = staticmethod(lambda address: words.get(address, 0))
        write32 = staticmethod(words.__setitem__)

    client = registers.Registers(Memory(), 0x100, host_registers.description())
    client.ring_address, client.ring = 0x12_3456_7000, True
    assert words == {0x130: 0x3456_7000, 0x134: 0x12, 0x114: 2} and client.ring_address == 0x12_3456_7000
