"""The memory of FJoin's machine in tests: cocotbext-axi's RAM with a latency, faults, and a protocol checker."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

import cocotb
from cocotb.queue import Queue
from cocotb.triggers import ReadOnly, RisingEdge, Timer
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiBus, AxiRam

from tb.lib.bench import CLOCK_NS, pauses, rng, scramble


class _Late:
    """Delays the bursts of a channel by the memory's latency; any number may be in flight."""

    def __init__(self, channel, ram: Ram):
        self._channel, self._ram, self._queue = channel, ram, Queue()
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        while True:
            burst = await self._channel.recv()
            self._queue.put_nowait((get_sim_time("ns") + self._ram.latency * CLOCK_NS, burst))

    async def recv(self):
        time, burst = await self._queue.get()
        left = time - get_sim_time("ns")
        if left > 0:
            await Timer(left, unit="ns")
        return burst

    def clear(self) -> None:
        self._channel.clear()
        self._queue = Queue()


@dataclass
class Ram:
    """`size` bytes at the port m_axi, initially random.

    latency: cycles from AR to the first beat, in addition to the model's own 3. pause: probability that a channel waits
    in a cycle, independently of the others. faults: ranges of addresses that answer with an error. Signals are random
    while not valid.
    """

    dut: object
    size: int = 1 << 16
    latency: int = 0
    pause: float = 0.0
    faults: list[range] = field(default_factory=list)

    def __post_init__(self) -> None:
        dut = self.dut
        logging.getLogger(f"cocotb.{dut._name}.m_axi").setLevel(logging.ERROR)
        self._ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, size=self.size)
        self.write(0, rng("memory").randbytes(self.size))
        reads, writes = self._ram.read_if, self._ram.write_if
        for port in (reads, writes):
            for name in ("_read", "_write"):
                if hasattr(port, name):
                    setattr(port, name, self._checked(getattr(port, name)))
        channels = {
            "ar": reads.ar_channel,
            "r": reads.r_channel,
            "aw": writes.aw_channel,
            "w": writes.w_channel,
            "b": writes.b_channel,
        }
        for name, channel in channels.items():
            if self.pause:
                channel.set_pause_generator(pauses(self.pause, rng(f"m_axi/{name}")))
        for name, content in (("r", ("rid", "rdata", "rresp", "rlast")), ("b", ("bid", "bresp"))):
            valid, *signals = (getattr(dut, f"m_axi_{signal}") for signal in (f"{name}valid", *content))
            cocotb.start_soon(scramble(valid, signals, dut.clk, rng(f"m_axi/{name}/scramble")))
        reads.ar_channel = _Late(reads.ar_channel, self)

    def _checked(self, access):
        async def checked(address: int, *rest):
            if any(address in bad for bad in self.faults):
                raise RuntimeError("a fault of this memory")
            assert address < self.size, f"address {address:#x} is outside the memory"
            return await access(address, *rest)

        return checked

    def read(self, address: int, length: int) -> bytes:
        return bytes(self._ram.read(address, length))

    def write(self, address: int, data: bytes) -> None:
        self._ram.write(address, data)


class Watch:
    """Asserts in every cycle that AR, AW and W are stable while they wait. bursts: (channel, address, beats)."""

    def __init__(self, dut, prefix: str = "m_axi_"):
        self.dut, self.bursts = dut, []
        self._channels = {}
        for name, content in (("ar", "id addr len"), ("aw", "id addr len"), ("w", "data strb last")):
            signals = [getattr(dut, f"{prefix}{name}{what}") for what in ("valid", "ready", *content.split())]
            self._channels[name] = signals
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        waiting: dict[str, list] = {}
        while True:
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            reset = self.dut.rst.value
            for name, (valid, ready, *content) in self._channels.items():
                now = [signal.value for signal in content] if valid.value == 1 else None
                assert now is None or all(value.is_resolvable for value in now[-1:]), f"{name}: X while valid"
                if reset == 0 and name in waiting:
                    assert now == waiting[name], f"{name}: changed while waiting"
                waiting.pop(name, None)
                if now is None or reset != 0:
                    continue
                if ready.value != 1:
                    waiting[name] = now
                elif name != "w":
                    self.bursts.append((name, int(now[1]), int(now[2]) + 1))
