"""qm_loader: latency to the cycle, the state of the slot in replies, back-pressure, reset, swaps that wait.

test_qm_loader_bulk.py has what it does with each message.
"""

from __future__ import annotations

from ipaddress import IPv4Address

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from tb.common.siphash import KEY
from tb.lib.axis import Meta, Monitor, Sink, Source
from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state
from tb.machine import shipped
from tb.machine.loader import LOAD, START, STATUS, STOP
from tb.qm.loads import ADDRESS, NONCE, model, request, traffic
from wirestream.machine.bytecode import BY_OPCODE
from wirestream.machine.loading import Reply
from wirestream.machine.microcode import WORDS

PORT, SENDER, SENDER_PORT = 4001, int(IPv4Address("192.168.1.7")), 5123
PROGRAMS = ("q1", "all_nodes", "sliding_sum", "control", "sampling")
LONG = [b"\x03" * 20, b"\x57" * 90, b"\xeb"]  # two fragments


class Bench:
    """`events`: (cycle, name) of writes, swaps and events."""

    def __init__(self, dut, idle: float = 0, stall: float = 0):
        self.dut, self.cycle, self.events = dut, 0, []
        self.idle, self.stall = idle, stall
        dut.key.value, dut.has_key.value = int.from_bytes(KEY, "little"), 1
        dut.nonce.value, dut.local_ip.value = int.from_bytes(NONCE), int.from_bytes(ADDRESS)
        dut.running.value, dut.epoch.value, dut.offset.value, dut.swap_ready.value = 1, 0, 0, 1

    async def start(self) -> Bench:
        self.dut.s_axis_tvalid.value, self.dut.m_axis_tready.value = 0, 0
        await start(self.dut)
        self.source, self.sink = Source(self.dut, idle=self.idle), Sink(self.dut, stall=self.stall)
        Monitor(self.dut, "s_axis")
        Monitor(self.dut, "m_axis")
        cocotb.start_soon(self._watch())
        return self

    async def _watch(self) -> None:
        names = ("prog_en", "bound_en", "swap_valid", "evt_done", "evt_replaced", "evt_abandoned", "evt_refused")
        while True:
            await FallingEdge(self.dut.clk)
            self.events += [(self.cycle, name) for name in names if int(getattr(self.dut, name).value)]
            if int(self.dut.s_axis_tvalid.value) and int(self.dut.s_axis_tready.value):
                self.events.append((self.cycle, "last" if int(self.dut.s_axis_tlast.value) else "byte"))
            if int(self.dut.m_axis_tvalid.value):
                self.events.append((self.cycle, "reply"))
            self.cycle += 1

    def send(self, datagrams: list[bytes]) -> None:
        for one in datagrams:
            meta = Meta(len(one), SENDER_PORT, SENDER, PORT, int.from_bytes(ADDRESS))
            self.source.put(one, user=meta.pack())

    async def ask(self, datagrams: list[bytes]) -> Reply:
        """The reply to the last one."""
        self.send(datagrams)
        packet = await self.sink.get()
        assert packet.users[0] == PORT << 49 | SENDER << 17 | SENDER_PORT << 1
        return Reply.unpack(packet.data)

    def when(self, name: str) -> int:
        """The first cycle with an event since the last datagram ended."""
        ended = max(cycle for cycle, found in self.events if found == "last")
        return min(cycle for cycle, found in self.events if found == name and cycle >= ended) - ended


def check(size: int) -> int:
    """Cycles of the check of `size` bytes of code, as the header of ws_qm_check has them."""
    return 2 * (35 + size) + 26 - (35 + size) % 8


def translation(parts: list[bytes]) -> int:
    """Cycles of the second pass, as the header of ws_qm_translate has them."""
    cycles = 5
    for part in parts:
        at = 0
        while at < len(part):
            one = BY_OPCODE[part[at]]
            cycles += 3 + len(WORDS[one.opcode]) + 2 * (one.size - 1) + 2 * one.is_jump
            at += one.size
    return cycles


@cocotb.test()
async def latency(dut):
    """From the last byte to the swap, and to the reply."""
    bench = await Bench(dut).start()
    reply = await bench.ask(request(STATUS, 0, 77))
    assert (reply.result, reply.generation, reply.nonce) == ("done", 77, int.from_bytes(NONCE))
    assert bench.when("reply") == 5
    for generation, name in enumerate(PROGRAMS, 1):
        program = shipped.program(name)
        parts = [program.init, program.delivery, program.reception]
        assert (await bench.ask(request(LOAD, 0, generation, parts))).result == "done"
        assert bench.when("swap_valid") == 1 + check(program.size) + translation(parts) + 1, name
        assert bench.when("reply") == bench.when("swap_valid") + 2
    assert (await bench.ask(request(STOP, 0, generation + 1))).state == "stopped"
    assert bench.when("swap_valid") == 4 + check(0) + 1


@cocotb.test()
async def state_of_the_slot(dut):
    bench = await Bench(dut).start()
    parts = [b"", shipped.program("q1").delivery, b""]
    assert (await bench.ask(request(START, 0, 1))).result == "no_program"
    assert (await bench.ask(request(LOAD, 0, 5, parts))).state == "running"
    dut.epoch.value, dut.offset.value = 7, 9
    reply = await bench.ask(request(STATUS, 0, 0))
    assert (reply.epoch, reply.offset, reply.current, reply.slots) == (7, 9, 5, 1)
    dut.running.value = 0
    assert (await bench.ask(request(STATUS, 0, 0))).state == "trapped"
    assert (await bench.ask(request(STOP, 0, 6))).state == "stopped"
    dut.running.value = 1
    assert (await bench.ask(request(START, 0, 7))).state == "running"
    dut.running.value = 0
    assert (await bench.ask(request(LOAD, 0, 8, parts))).result == "done"
    names = [name for _, name in bench.events if name.startswith("evt")]
    assert names == ["evt_refused", *["evt_done"] * 4], "a program that does not run is not replaced"


@cocotb.test()
async def swap_waits(dut):
    """Between two tuples: until then nothing changes, and the values are held."""
    bench = await Bench(dut).start()
    dut.swap_ready.value = 0
    bench.send(request(LOAD, 0, 0x1234, [b"", b"\xe8", b"\xeb"], bytes.fromhex("0006 0123 0456")))
    for _ in range(400):
        await RisingEdge(dut.clk)
    for _ in range(20):
        await FallingEdge(dut.clk)
        values = (dut.swap_valid, dut.swap_run, dut.swap_bank, dut.swap_flags, dut.swap_generation)
        assert [int(one.value) for one in values] == [1, 1, 1, 0x46, 0x34]
        assert (int(dut.swap_period.value), int(dut.swap_start.value)) == (0x123, 0x456)
        assert int(dut.busy.value) and not int(dut.m_axis_tvalid.value) and not int(dut.evt_done.value)
    dut.swap_ready.value = 1
    assert Reply.unpack((await bench.sink.get()).data).current == 0x1234


@cocotb.test()
async def under_stalls(dut):
    """Idle and back-pressure change no reply."""
    bench, random = Bench(dut, idle=0.3, stall=0.3), rng("traffic")
    await bench.start()
    board, expected = model(int(dut.PROG_W.value), code=1 << int(dut.CODE_W.value), slots=1), []
    for one in traffic(random, board, 60, 100):
        expected.append(board.datagram(one))
        bench.send([one])
    for reply in filter(None, expected):
        assert (await bench.sink.get()).data == reply
    await ClockCycles(dut.clk, 100)
    assert bench.sink.empty()


@cocotb.test()
async def reset_at_any_time(dut):
    """Nothing is left of a request: the slots are empty, and a program is loaded as after the boot."""
    bench, random = await Bench(dut).start(), rng("reset")
    assert (await bench.ask(request(LOAD, 0, 3, LONG))).result == "done"
    for _ in range(20):
        bench.send(request(LOAD, 0, 4, LONG))
        await ClockCycles(dut.clk, random.randrange(5, 700))
        bench.source.clear()
        await reset(dut)
        bench.sink.clear()
        reply = await bench.ask(request(STATUS, 0, 0))
        assert (reply.state, reply.current) == ("empty", 0)
        assert (await bench.ask(request(LOAD, 0, 2, LONG))).current == 2


@pytest.mark.parametrize(("slots", "code_w", "prog_w"), [(1, 8, 9), (1, 7, 8)])
def test_qm_loader(slots, code_w, prog_w):
    run("qm_loader", SLOTS=slots, CODE_W=code_w, PROG_W=prog_w)


def test_four_state():
    run_four_state("qm_loader", "state_of_the_slot")
