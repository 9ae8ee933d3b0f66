"""registers: as registers.yml describes, word by word; atomic settings, counters of one instant; any handshake."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.task import bridge
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.axil import Bus, BusError
from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state
from wirestream.schema.registers import COUNTERS_AT, Register, RegisterError, Registers, description, to_number

OKAY, SLVERR, DECERR = 0, 2, 3
BYTES = 4096
NAMES = description().names


class Sweeps:
    """Outputs totals like event_counters, sweep after sweep; `shown` has the values of each complete sweep."""

    def __init__(self, dut):
        self.shown: list[list[int]] = []
        self._dut, self._size = dut, sizes(dut)["N_COUNTERS"]
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        generator = rng("sweeps")
        while True:
            values = [generator.getrandbits(64) for _ in range(self._size)]
            for index, value in enumerate(values):
                self._dut.stat_valid.value = 1
                self._dut.stat_index.value = index
                self._dut.stat_value.value = value
                await RisingEdge(self._dut.clk)
                if generator.random() < 0.2:
                    self._dut.stat_valid.value = 0
                    self._dut.stat_index.value = generator.randrange(self._size)
                    self._dut.stat_value.value = generator.getrandbits(64)
                    await RisingEdge(self._dut.clk)
            self.shown.append(values)


def sizes(dut) -> dict[str, int]:
    return {name: int(getattr(dut, name).value) for name in ("N_PORTS", "N_GROUPS", "N_COUNTERS")}


async def idle(dut) -> None:
    """Reset with idle inputs."""
    for signal in dut:
        if signal._name in ("stat_valid", *(f"s_axil_{name}" for name in ("awvalid", "wvalid", "arvalid"))):
            signal.value = 0
    dut.arp_set_ready.value = 1
    await start(dut)


async def begin(dut, pause: float = 0.0) -> Bus:
    await idle(dut)
    return Bus(dut, pause)


def words(dut) -> dict[int, Register]:
    """The register of every existing word, by byte offset."""
    there = {}
    for register in description().registers:
        offsets = register.offsets[: sizes(dut)[register.size]] if register.count else register.offsets
        there.update(dict.fromkeys(offsets, register))
    return there


def after_reset(dut, offset: int, register: Register) -> int:
    if register.name == "sizes":
        size = sizes(dut)
        return size["N_COUNTERS"] << 16 | size["N_GROUPS"] << 8 | size["N_PORTS"]
    place = (offset - register.address) // 4
    value = register.reset[place] if register.count else register.reset[0] >> 32 * place
    return value & 0xFFFFFFFF


@cocotb.test()
async def every_word_is_as_described(dut):
    """Every address of the 4 KB: value after reset, access, existing bits, and errors without a register."""
    bus = await begin(dut)
    there, generator = words(dut), rng("values")
    counters = range(COUNTERS_AT, COUNTERS_AT + 8 * sizes(dut)["N_COUNTERS"], 4)
    kept = {}
    for offset in range(0, BYTES, 4):
        register = there.get(offset)
        response, value = await bus.read(offset)
        if register is None:
            assert response == (OKAY if offset in counters else DECERR), hex(offset)
            assert await bus.write(offset, 0xFFFFFFFF) == (SLVERR if offset in counters else DECERR), hex(offset)
            continue
        assert response == (SLVERR if register.access == "wo" else OKAY), register.name
        assert value == (0 if register.access == "wo" else after_reset(dut, offset, register)), register.name
        written = generator.getrandbits(32)
        assert await bus.write(offset, written) == (SLVERR if register.access == "ro" else OKAY), register.name
        if register.access == "rw" and not register.action:
            kept[offset] = written & register.mask(offset)
        elif register.access == "ro":
            kept[offset] = value
    assert {offset: (await bus.read(offset))[1] for offset in kept} == kept  # each is its own word
    await reset(dut)
    for offset, register in there.items():
        if register.access != "wo":
            assert (await bus.read(offset))[1] == after_reset(dut, offset, register), register.name


@cocotb.test()
async def any_handshake(dut):
    """Concurrent reads and writes of any bytes, with independent pauses in every channel."""
    bus = await begin(dut, pause=0.5)
    generator = rng("transfers")
    stored = [o for o, r in words(dut).items() if r.access == "rw" and not r.action]
    for _ in range(120):
        writes, expected = {}, {}
        for offset in generator.sample(stored, 3):
            first = generator.randrange(4)
            writes[offset + first] = generator.randbytes(generator.randint(1, 4 - first))
        before = {offset: (await bus.read(offset))[1] for offset in {address & ~3 for address in writes}}
        for address, data in writes.items():
            old = bytearray(before[address & ~3].to_bytes(4, "little"))
            old[address & 3 : (address & 3) + len(data)] = data
            expected[address & ~3] = int.from_bytes(old, "little") & words(dut)[address & ~3].mask(address & ~3)
        others = generator.sample([o for o in stored if o not in expected], 3)
        tasks = [
            cocotb.start_soon(bus.write(address, int.from_bytes(data, "little"), len(data)))
            for address, data in writes.items()
        ]
        reads = [cocotb.start_soon(bus.read(offset)) for offset in others]
        assert [await task for task in tasks] == [OKAY] * 3
        assert [(await task)[0] for task in reads] == [OKAY] * 3
        assert {offset: (await bus.read(offset))[1] for offset in expected} == expected


@cocotb.test()
async def settings_reach_their_outputs(dut):
    bus = await begin(dut)
    registers = Registers(bus)
    size = sizes(dut)
    defaults = {name: int(getattr(dut, name).value) for name in OUTPUTS}
    for name, value in defaults.items():
        assert value == NAMES[name].reset[0], name
    assert int(dut.local_ports.value) == 4000 and int(dut.groups.value) == 0
    assert (int(dut.promiscuous.value), int(dut.ping.value)) == (0, 1)

    ports = [rng("ports").randrange(1 << 16) for _ in range(size["N_PORTS"])]
    groups = [f"239.1.2.{n}" for n in range(size["N_GROUPS"])]

    @bridge
    def write() -> dict:
        for name, value in OUTPUTS.items():
            setattr(registers, name, value)
        for n, port in enumerate(ports):
            registers.local_port[n] = port
        for n, group in enumerate(groups):
            registers.group[n] = group
        registers.promiscuous, registers.ping = True, False
        read = {name: getattr(registers, name) for name in OUTPUTS}
        assert [registers.group[n] for n in range(len(groups))] == groups
        assert registers.promiscuous and not registers.ping
        if size["N_PORTS"] < 16:
            with pytest.raises(BusError):
                registers.local_port[15] = 1
        return read

    assert await write() == OUTPUTS
    for name, value in OUTPUTS.items():
        assert int(getattr(dut, name).value) == to_number(NAMES[name].kind, NAMES[name].width, value), name
    assert int(dut.local_ports.value) == sum(port << 16 * n for n, port in enumerate(ports))
    assert int(dut.groups.value) == sum(to_number("ipv4", 32, g) << 32 * n for n, g in enumerate(groups))
    assert (int(dut.promiscuous.value), int(dut.ping.value)) == (1, 0)


OUTPUTS = {
    "local_mac": "02:11:22:33:44:55",
    "local_ip": "10.20.30.40",
    "netmask": "255.255.0.0",
    "gateway": "10.20.0.1",
    "result_ip": "10.20.30.41",
    "result_port": 0xA55A,
    "result_source_port": 0x5AA5,
}


@cocotb.test()
async def mac_address_changes_at_once(dut):
    bus = await begin(dut)
    before = int(dut.local_mac.value)
    address = NAMES["local_mac"].address
    await bus.write(address, 0x33445566)
    assert int(dut.local_mac.value) == before
    assert (await bus.read(address))[1] == 0x33445566
    seen = {before}

    async def watch():
        while True:
            await RisingEdge(dut.clk)
            seen.add(int(dut.local_mac.value))

    cocotb.start_soon(watch())
    await bus.write(address + 4, 0x1122)
    await ClockCycles(dut.clk, 3)
    assert seen == {before, 0x112233445566}


@cocotb.test()
async def arp_entries(dut):
    """Each command outputs one entry, however late it is accepted; an empty command or strobe outputs none."""
    bus = await begin(dut, pause=0.3)
    registers, seen, generator = Registers(bus), [], rng("arp")

    async def take():
        while True:
            dut.arp_set_ready.value = ready = generator.random() < 0.05
            await RisingEdge(dut.clk)
            if ready and int(dut.arp_set_valid.value):
                entry = (dut.arp_set_clear, dut.arp_set_ip, dut.arp_set_mac)
                seen.append(tuple(int(signal.value) for signal in entry))

    cocotb.start_soon(take())
    await bridge(registers.set_arp)("192.168.1.7", "02:00:00:00:00:07")
    await bridge(registers.clear_arp)("192.168.1.8")
    command = NAMES["arp_command"].address
    await bus.write(command, 0)
    await bus.write(command + 1, 0x030303, 3)
    for number in range(20):
        await bridge(registers.set_arp)(f"192.168.2.{number}", "02:00:00:00:00:08")
    await ClockCycles(dut.clk, 100)
    assert seen[:2] == [(0, 0xC0A80107, 0x020000000007), (1, 0xC0A80108, 0x020000000007)]
    assert seen[2:] == [(0, 0xC0A80200 + number, 0x020000000008) for number in range(20)]


@cocotb.test()
async def snapshot_is_one_sweep(dut):
    bus = await begin(dut)
    sweeps = Sweeps(dut)
    snapshot = NAMES["snapshot"].address
    number = sizes(dut)["N_COUNTERS"]
    assert await bus.read(snapshot) == (OKAY, 0)
    for _ in range(4):
        await ClockCycles(dut.clk, rng("when").randrange(2 * number))
        before = len(sweeps.shown)
        assert await bus.write(snapshot, rng("any").getrandbits(32)) == OKAY
        after = len(sweeps.shown)
        for _ in range(number + 10):
            done = await bus.read(snapshot)
            if done == (OKAY, 1):
                break
        assert done == (OKAY, 1)
        read = [await bus.read(COUNTERS_AT + 4 * n) for n in range(2 * number)]
        assert all(response == OKAY for response, _ in read)
        values = [low | high << 32 for (_, low), (_, high) in zip(read[::2], read[1::2], strict=True)]
        assert values in sweeps.shown[before : after + 2]  # the first that began after the write


@cocotb.test()
async def client_reads_counters(dut):
    bus = await begin(dut)
    sweeps = Sweeps(dut)
    counted, number = await bridge(Registers(bus).counters)(), sizes(dut)["N_COUNTERS"]
    described = [counter.name for counter in description().counters]
    assert list(counted) == [*described, *(f"counter_{n}" for n in range(len(described), number))][:number]
    assert list(counted.values()) in sweeps.shown


@cocotb.test()
async def client_names_errors(dut):
    bus = await begin(dut)
    registers = Registers(bus)
    with pytest.raises(RegisterError, match="read-only"):
        registers.id = 1
    with pytest.raises(RegisterError, match="nothing"):
        registers.nothing = 1
    assert await bridge(lambda: registers.id)() == description().id


@cocotb.test()
async def latency_and_rate(dut):
    await idle(dut)
    dut.s_axil_bready.value = 1
    dut.s_axil_rready.value = 1
    for valid, done, latency, period in (("ar", "r", 4, 5), ("aw", "b", 3, 4)):
        for channel in (valid, "w") if valid == "aw" else (valid,):
            getattr(dut, f"s_axil_{channel}valid").value = 1
        dut.s_axil_wstrb.value = 0
        getattr(dut, f"s_axil_{valid}addr").value = NAMES["local_ip"].address
        seen = []
        for cycle in range(24):
            await ReadOnly()
            if int(getattr(dut, f"s_axil_{done}valid").value):
                seen.append(cycle)
            await RisingEdge(dut.clk)
        for channel in ("ar", "aw", "w"):
            getattr(dut, f"s_axil_{channel}valid").value = 0
        assert seen[:4] == [latency + n * period for n in range(4)], (valid, seen)
        await ClockCycles(dut.clk, 8)


@pytest.mark.parametrize(("ports", "groups", "counters"), [(4, 4, 70), (16, 1, 3)])
def test_registers(ports, groups, counters):
    run("registers", N_PORTS=ports, N_GROUPS=groups, N_COUNTERS=counters)


def test_four_state():
    run_four_state("registers", "snapshot_is_one_sweep", N_COUNTERS=5)
