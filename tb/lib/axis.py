"""AXI4-Stream in tests: seeded source and sink (cocotbext-axi), `tuser` helpers, a protocol monitor."""

from __future__ import annotations

import logging
import random
from dataclasses import dataclass

import cocotb
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from tb.lib.bench import pauses, rng, scramble, start
from tb.lib.tuplebus import cycle, next_cycle

USER_W = 113  # tuser of a UDP payload stream without the port's index and the ingress time


@dataclass(frozen=True)
class Meta:
    """The metadata of a UDP payload in `tuser` above bit 0: addresses and ports as numbers, length in bytes.

    Not every stream has the last two fields: the index of the destination port in the receiver's list, and the ingress
    time.
    """

    length: int
    src_port: int
    src_ip: int
    dst_port: int
    dst_ip: int
    port_index: int = 0
    time: int = 0

    def pack(self, bad: bool = False) -> int:
        upper = self.time << 117 | self.port_index << 113
        upper |= self.dst_ip << 81 | self.dst_port << 65 | self.src_ip << 33 | self.src_port << 17
        return upper | self.length << 1 | bad

    @classmethod
    def unpack(cls, user: int) -> Meta:
        return cls(
            length=user >> 1 & 0xFFFF,
            src_port=user >> 17 & 0xFFFF,
            src_ip=user >> 33 & 0xFFFFFFFF,
            dst_port=user >> 65 & 0xFFFF,
            dst_ip=user >> 81 & 0xFFFFFFFF,
            port_index=user >> 113 & 0xF,
            time=user >> 117,
        )


@dataclass(frozen=True)
class Packet:
    """One packet that a sink received; `users` holds the value of tuser for each byte."""

    data: bytes
    users: tuple[int, ...]

    @property
    def bad(self) -> bool:
        return bool(self.users[-1] & 1)

    @property
    def meta(self) -> Meta:
        return Meta.unpack(self.users[-1])


def _quiet(dut, prefix: str) -> AxiStreamBus:
    logging.getLogger(f"cocotb.{dut._name}.{prefix}").setLevel(logging.WARNING)
    return AxiStreamBus.from_prefix(dut, prefix)


class Source(AxiStreamSource):
    """Drives `prefix`; `idle` is the probability of an idle cycle. Data that is not valid is random."""

    def __init__(self, dut, prefix: str = "s_axis", idle: float = 0.0):
        super().__init__(_quiet(dut, prefix), dut.clk, dut.rst)
        if idle:
            self.set_pause_generator(pauses(idle, rng(f"{prefix}/idle")))
        names = ("tdata", "tkeep", "tlast", "tid", "tdest", "tuser")
        signals = [getattr(self.bus, name) for name in names if hasattr(self.bus, name)]
        cocotb.start_soon(scramble(self.bus.tvalid, signals, self.clock, rng(f"{prefix}/scramble")))

    def put(self, data: bytes, *, bad: bool = False, user: int = 0) -> None:
        """Queue one packet; an empty one is one beat with tkeep 0. user: metadata of every beat, with bit 0 clear."""
        size = max(len(data), 1)
        keep = [1] * len(data) or [0]
        self.send_nowait(AxiStreamFrame(bytes(data) or b"\0", keep, tuser=[user] * (size - 1) + [user | bad]))


class Sink(AxiStreamSink):
    """Receives from `prefix`; `stall` is the probability that tready is low in a cycle."""

    def __init__(self, dut, prefix: str = "m_axis", stall: float = 0.0):
        super().__init__(_quiet(dut, prefix), dut.clk, dut.rst)
        if stall:
            self.set_pause_generator(pauses(stall, rng(f"{prefix}/stall")))

    async def get(self) -> Packet:
        return self._packet(await self.recv(compact=False))

    def get_all(self) -> list[Packet]:
        """Every packet received and not yet taken."""
        return [self._packet(self.recv_nowait(compact=False)) for _ in range(self.count())]

    def _packet(self, frame: AxiStreamFrame) -> Packet:
        lanes = self.byte_lanes
        keep = frame.tkeep
        kept = sum(keep)
        assert keep == [1] * kept + [0] * (len(keep) - kept) and len(keep) - kept <= lanes, "tkeep has a hole"
        users = tuple(frame.tuser)
        assert len({user >> 1 for user in users}) == 1, "metadata changed inside a packet"
        assert not any(user & 1 for user in users[:-lanes]), "tuser[0] was set before tlast"
        return Packet(bytes(frame.tdata[:kept]), users)


@dataclass(frozen=True)
class Span:
    """The cycles in which the first and the last beat of a packet were transferred."""

    first: int
    last: int


class Monitor:
    """Asserts in every cycle that a waiting beat stays valid and unchanged until it is accepted.

    Counts the `beats` transferred, the cycles in which valid data waited for ready (`refused`) and those with ready low
    (`unready`), inside and outside of packets; lists the `packets` transferred.
    """

    def __init__(self, dut, prefix: str):
        self.beats = self.refused = self.unready = 0
        self.packets: list[Span] = []
        self._dut, self._prefix = dut, prefix
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut, prefix = self._dut, self._prefix
        valid, ready, last = (getattr(dut, f"{prefix}_{s}") for s in ("tvalid", "tready", "tlast"))
        content = [getattr(dut, f"{prefix}_{s}", None) for s in ("tdata", "tkeep", "tlast", "tdest", "tuser")]
        content = [signal for signal in content if signal is not None]
        four_states = "verilator" not in cocotb.SIM_NAME.lower()
        waiting = first = None
        asleep = False  # valid is low and ready is high: nothing to check until one of them changes
        while True:
            await next_cycle(dut.clk, *((valid, ready, dut.rst) if asleep else ()))  # models drive at the edge
            asleep = False
            resets = dut.rst.value
            if not resets.is_resolvable or int(resets):
                waiting = first = None
                continue
            is_valid, is_ready = int(valid.value), int(ready.value)
            looks = waiting is not None or (is_valid and (four_states or not is_ready))
            now = [signal.value for signal in content] if looks else None
            if waiting is not None:
                assert is_valid, f"{prefix}_tvalid fell before its beat was taken"
                assert now == waiting, f"{prefix}: a waiting beat changed"
            if is_valid and four_states:
                assert all(v.is_resolvable for v in now[1:]), f"{prefix}: X on a valid beat"
            waiting = now if is_valid and not is_ready else None
            if is_valid and is_ready:
                first = cycle() if first is None else first
                if int(last.value):
                    self.packets.append(Span(first, cycle()))
                    first = None
            self.beats += is_valid and is_ready
            self.refused += is_valid and not is_ready
            self.unready += not is_ready
            asleep = is_ready and not is_valid


async def drained(bench, quiet: int) -> None:
    """Wait until `bench.source` has sent everything and `bench.output` has seen no beat for `quiet` cycles."""
    await bench.source.wait()
    since = 0
    while since < quiet:
        before = bench.output.beats
        await ClockCycles(bench.dut.clk, 1)
        since = since + 1 if bench.output.beats == before else 0


class Bench:
    """A core from s_axis to m_axis: its source and sink, and the monitors of both. lanes: bytes of the wider side."""

    def __init__(self, dut, idle: float, stall: float):
        self.dut = dut
        self.lanes = max(len(dut.s_axis_tkeep), len(dut.m_axis_tkeep))
        self.source, self.sink = Source(dut, "s_axis", idle), Sink(dut, "m_axis", stall)
        self.input, self.output = Monitor(dut, "s_axis"), Monitor(dut, "m_axis")

    @classmethod
    async def setup(cls, dut, idle: float = 0.0, stall: float = 0.0) -> Bench:
        dut.s_axis_tvalid.value = dut.m_axis_tready.value = 0
        await start(dut)
        return cls(dut, idle, stall)

    async def drained(self) -> None:
        """Wait until all input has been accepted and the output has been idle for some time."""
        await drained(self, 10 + 4 * self.lanes)

    async def check_packets(self, generator: random.Random) -> None:
        """Packets of many sizes, some bad, with 3 bits of metadata, leave unchanged and in order."""
        sent = []
        for size in (*range(4 * self.lanes + 1), *(generator.randrange(100) for _ in range(40))):
            data, bad, meta = generator.randbytes(size), generator.random() < 0.3, generator.getrandbits(3) << 1
            self.source.put(data, bad=bad, user=meta)
            sent.append((data, bad, meta))
        await self.drained()
        assert [(p.data, p.bad, p.users[0] & ~1) for p in self.sink.get_all()] == sent
