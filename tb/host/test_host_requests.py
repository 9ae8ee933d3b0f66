"""host_requests: payloads of any length in turn, requests that fail, a stop at any time, exact latencies."""

from __future__ import annotations

from collections import deque

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng, start
from tb.lib.run import run, run_four_state


class Bench:
    """The core, a memory and the query; everything may pause. faults: addresses of beats that answer with an error.
    payloads: (bytes, tuser). done: (bad, error, cycle). first: the first cycle in which a signal was high."""

    def __init__(self, dut):
        self.dut, self.pins, self.g = dut, Pins(dut), rng("requests")
        self.bytes, self.longest = int(dut.DATA_W.value) // 8, int(dut.MAX_BYTES.value)
        self.memory, self.faults = rng("memory").randbytes(1 << 14), set()
        self.latency, self.pause, self.stall, self.hold = 5, 0.0, 0.0, False
        self.requests: deque = deque()
        self.payloads, self.done, self.first, self.now, self.flying, self.beats = [], [], {}, 0, 0, 0

    @classmethod
    async def setup(cls, dut) -> Bench:
        bench = cls(dut)
        bench.pins.drive(request_valid=0, enable=1, stop=0, clear=0, ar_ready=0, r_valid=0, m_axis_tready=0)
        await start(dut)
        cocotb.start_soon(bench._run())
        return bench

    async def _run(self) -> None:
        dut, g, pins = self.dut, self.g, self.pins
        beats, payload = deque(), b""
        while True:
            request = self.requests[0] if self.requests else None
            r_valid = bool(beats) and beats[0][0] <= self.now and not self.hold and g.random() >= self.pause
            shown = request or (g.getrandbits(12), g.getrandbits(32))
            pins.drive(
                request_valid=request is not None, request_address=shown[0], request_bytes=shown[1],
                ar_ready=g.random() >= self.pause, r_valid=r_valid, m_axis_tready=g.random() >= self.stall,
                r_data=beats[0][1] if r_valid else g.getrandbits(8 * self.bytes),
                r_error=beats[0][2] if r_valid else g.randrange(2),
            )  # fmt: skip
            await FallingEdge(dut.clk)
            for name in ("request_valid", "ar_valid", "r_valid", "m_axis_tvalid"):
                if int(getattr(dut, name).value):
                    self.first.setdefault(name, self.now)
            if request and int(dut.request_ready.value):
                self.requests.popleft()
            if r_valid:
                beats.popleft()
                self.first["last_r"] = self.now
                self.beats += 1
            if int(dut.ar_valid.value) and int(dut.ar_ready.value):
                address, length = int(dut.ar_addr.value), int(dut.ar_len.value) + 1
                assert address // 4096 == (address + length * self.bytes - 1) // 4096
                for at in range(address, address + length * self.bytes, self.bytes):
                    data = int.from_bytes(self.memory[at : at + self.bytes], "little")
                    beats.append((self.now + 1 + self.latency, data, at in self.faults))
            self.flying = len(beats)
            if int(dut.done.value):
                self.done.append((int(dut.done_bad.value), int(dut.done_error.value), self.now))
            if int(dut.m_axis_tvalid.value) and int(dut.m_axis_tready.value):
                data = int(dut.m_axis_tdata.value).to_bytes(len(dut.m_axis_tdata) // 8, "little")
                payload += data[: int(dut.m_axis_tkeep.value).bit_count()]
                if int(dut.m_axis_tlast.value):
                    self.payloads.append((payload, int(dut.m_axis_tuser.value)))
                    payload = b""
            await RisingEdge(dut.clk)
            self.now += 1

    async def until(self, condition, cycles: int = 4000) -> None:
        for _ in range(cycles):
            await RisingEdge(self.dut.clk)
            if condition():
                return
        raise AssertionError("not in time")

    def check(self, requests) -> None:
        """Those that do not fail, in turn, with their lengths; and every request is done as it should be."""
        wanted, done = [], []
        for address, size in requests:
            bad = address % self.bytes != 0 or not 0 < size <= self.longest
            error = not bad and any(address <= at < address + size for at in self.faults)
            done.append((bad, error))
            if not bad and not error:
                wanted.append((self.memory[address : address + size], size << 1))
        assert self.payloads == wanted
        assert [d[:2] for d in self.done] == done


@cocotb.test()
async def payloads(dut):
    """Any length, good requests and bad ones, errors of the memory; everything pauses; also in four states."""
    bench = await Bench.setup(dut)
    g, step = bench.g, bench.bytes
    for pause, stall, latency in ((0, 0, 0), (0.3, 0, 20), (0, 0.5, 3), (0.3, 0.3, 9)):
        bench.pause, bench.stall, bench.latency = pause, stall, latency
        bench.payloads, bench.done = [], []
        requests = []
        for n in range(14):
            size = g.choice((1, 7, 8, step, step + 1, bench.longest, 1 + g.randrange(bench.longest)))
            requests.append((g.randrange(60) * step, size))
            if n in (3, 4, 9):
                requests.append(g.choice(((3, 8), (0, 0), (step, bench.longest + 1), (step, 1 << 31))))
        bench.faults = {requests[5][0], requests[11][0] + requests[11][1] // step // 2 * step}
        bench.requests += requests
        await bench.until(lambda: len(bench.done) == len(requests), 20000)  # noqa: B023
        await ClockCycles(dut.clk, 40)
        await bench.until(lambda: not int(dut.m_axis_tvalid.value), 20000)
        bench.check(requests)


@cocotb.test()
async def latencies(dut):
    """Those of the header."""
    bench = await Bench.setup(dut)
    await ClockCycles(dut.clk, 10)
    bench.requests.append((0, 8))
    await bench.until(lambda: bool(bench.payloads))
    first, words = bench.first, 8 // (len(dut.m_axis_tdata) // 8)
    assert first["ar_valid"] - first["request_valid"] == 7
    assert first["m_axis_tvalid"] - first["last_r"] == 9 + words
    assert bench.done[0][2] - first["last_r"] == 6 + words


@cocotb.test()
async def a_query_that_stalls(dut):
    """No more is read than the buffer holds, and all arrives when the query goes on."""
    bench = await Bench.setup(dut)
    bench.stall = 1.0
    requests = [(0, bench.longest)] * 5
    bench.requests += requests
    await ClockCycles(dut.clk, 8 * bench.longest // (len(dut.m_axis_tdata) // 8))
    assert bench.beats == 2 * bench.longest // bench.bytes and len(bench.done) == 2
    bench.stall = 0.2
    await bench.until(lambda: len(bench.payloads) == 5, 20000)
    bench.check(requests)


@cocotb.test()
async def stopped(dut):
    """At any time: what was requested arrives, a payload that is not complete is dropped, those that are complete are
    output, and the next requests are as after a reset."""
    bench = await Bench.setup(dut)
    bench.latency = 12
    for at in range(5, 75, 5):
        bench.stall, bench.pause = bench.g.choice((0, 0.3)), bench.g.choice((0, 0.3))
        bench.payloads, bench.done = [], []
        bench.requests += [(0x400 * n, 24 * (n + 1)) for n in range(4)]
        await ClockCycles(dut.clk, at)
        bench.requests.clear()
        bench.pins.drive(stop=1, enable=bench.g.randrange(2))
        await ClockCycles(dut.clk, 2)
        await bench.until(lambda: int(dut.idle.value))
        assert not bench.flying and not int(dut.ar_valid.value)
        bench.pins.drive(clear=1)
        await RisingEdge(dut.clk)
        bench.pins.drive(clear=0, stop=0, enable=1)
        kept = sum(1 for bad, error, _ in bench.done)
        bench.requests += [(0x1000, 40), (0x1400, bench.longest)]
        await bench.until(lambda: len(bench.done) == kept + 2)  # noqa: B023
        await ClockCycles(dut.clk, 20)
        await bench.until(lambda: not int(dut.m_axis_tvalid.value), 20000)
        ends = [(bench.memory[a : a + n], n << 1) for a, n in ((0x1000, 40), (0x1400, bench.longest))]
        before = [(bench.memory[0x400 * n :][: 24 * (n + 1)], 48 * (n + 1)) for n in range(4)]
        assert bench.payloads == before[: len(bench.payloads) - 2] + ends
        assert kept <= len(bench.payloads) - 2 <= kept + 1


MATRIX = [
    {"DATA_W": 64, "ADDR_W": 20, "QUERY_W": 64, "QUEUE_W": 2, "MAX_BYTES": 256, "BURST": 8, "READ_W": 5},
    {"DATA_W": 256, "ADDR_W": 20, "QUERY_W": 8, "QUEUE_W": 3, "MAX_BYTES": 128, "BURST": 4, "READ_W": 4},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: f"{p['DATA_W']}-{p['QUERY_W']}")
def test_cocotb(parameters):
    run("host_requests", **parameters)


def test_four_state():
    run_four_state("host_requests", "payloads", **MATRIX[0])
