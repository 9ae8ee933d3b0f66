"""A memory behind an AXI4 port, cycle by cycle: independent channels, or one data bus as in front of a DRAM.

It takes the place of cocotbext-axi's RAM where every cycle counts: latency, pauses, the turnaround of a shared data
bus, refresh and errors are parameters. It asserts the rules of AXI4 that a master could break.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng

OKAY, SLVERR, DECERR = 0, 2, 3
PAGE = 4096  # bytes; no burst crosses a multiple
READ, WRITE = "r", "w"
# What a master may not change while it waits, by channel
CONTENT = {
    "ar": ("addr", "len", "size", "burst"),
    "aw": ("addr", "len", "size", "burst"),
    "w": ("data", "strb", "last"),
}


@dataclass(frozen=True)
class Timing:
    """How fast the memory is.

    latency: the least and the most cycles from an accepted AR to the first R beat, and from the last W beat to B; drawn
    for each burst. pause: probability that a channel waits in a cycle. open: bursts that are accepted and not yet
    served, of each direction. shared: R and W beats share one data bus. turnaround: cycles between beats of different
    directions on it. batch: after this many beats of a direction the other one has its turn if it waits; directions
    change between bursts. refresh: cycles without a beat, in each `period` cycles.
    """

    latency: tuple[int, int] = (1, 1)
    pause: float = 0.0
    open: int = 16
    shared: bool = False
    turnaround: int = 0
    batch: int = 64
    refresh: int = 0
    period: int = 780


# What a DRAM and its controller let pass: a beat a cycle less turnarounds and refresh
DRAM = Timing(latency=(20, 60), shared=True, turnaround=8, refresh=26)


@dataclass
class _Burst:
    address: int
    beats: int
    due: int = 0
    id: int = 0
    done: int = 0  # beats
    answer: int = OKAY


@dataclass
class Memory:
    """`size` bytes, initially random. Each cycle is `drive`, after the clock's edge, and `sample`, when all is settled.

    pins: the ports of the master, as `Pins`. A write burst is served when its address has been accepted. faults: ranges
    of addresses with the response that they give; what is written there is lost. id_w: width of the ids, 0 without
    them; bursts are served in order all the same. bursts: (channel, address, beats) in the order of acceptance. moved:
    cycles with an R beat and with a W beat. now: the number of the cycle.
    """

    pins: Pins
    data_w: int
    size: int = 1 << 16
    timing: Timing = Timing()
    faults: list[tuple[range, int]] = field(default_factory=list)
    id_w: int = 0
    prefix: str = "m_axi_"
    generator: random.Random = field(default_factory=lambda: rng("memory"))

    def __post_init__(self) -> None:
        self.bytes = bytearray(self.generator.randbytes(self.size))
        self.beat, self.now = self.data_w // 8, 0
        ids = ("id",) if self.id_w else ()
        self._content = {name: (*parts, *(ids if name != "w" else ())) for name, parts in CONTENT.items()}
        self.bursts: list[tuple[str, int, int]] = []
        self._handles: dict[str, object] = {}
        self.clear()

    def clear(self) -> None:
        """Forget what is in flight, as at a reset."""
        self._queue: dict[str, deque[_Burst]] = {READ: deque(), WRITE: deque()}
        self._answers: deque[_Burst] = deque()
        self._held: dict[str, tuple] = {}  # what waits at a channel of the master
        self._valid = {"r": False, "b": False}
        self._waits = False  # a W beat
        self._side, self._beats, self._free_at = READ, 0, 0
        self.moved: dict[str, list[int]] = {READ: [], WRITE: []}
        self._idle()

    def _idle(self) -> None:
        ready = {f"{self.prefix}{name}": 0 for name in ("arready", "awready", "wready", "rvalid", "bvalid")}
        self.pins.drive(**ready)

    def read(self, address: int, length: int) -> bytes:
        return bytes(self.bytes[address : address + length])

    def write(self, address: int, data: bytes) -> None:
        self.bytes[address : address + len(data)] = data

    # ---- Which side has the data bus in this cycle

    def _wants(self, side: str) -> bool:
        queue = self._queue[side]
        if side == READ:
            return bool(queue) and queue[0].due <= self.now
        return bool(queue) and (self._waits or queue[0].done > 0)

    def _sides(self) -> str:
        """The sides that may move a beat."""
        timing = self.timing
        if timing.refresh and self.now % timing.period < timing.refresh:
            return ""
        if not timing.shared:
            return READ + WRITE
        other = WRITE if self._side == READ else READ
        inside = self._valid["r"] or any(queue and queue[0].done for queue in self._queue.values())
        if not inside and self._wants(other) and (not self._wants(self._side) or self._beats >= timing.batch):
            self._side, self._beats, self._free_at = other, 0, self.now + timing.turnaround
        return self._side if self.now >= self._free_at else ""

    def _acts(self) -> bool:
        return not self.timing.pause or self.generator.random() >= self.timing.pause

    def _due(self) -> int:
        return self.now + self.generator.randint(*self.timing.latency)

    # ---- A cycle

    def drive(self) -> None:
        """The memory's outputs in this cycle."""
        sides, p = self._sides(), self.prefix
        self.pins.drive(
            **{
                f"{p}arready": int(len(self._queue[READ]) < self.timing.open and self._acts()),
                f"{p}awready": int(len(self._queue[WRITE]) < self.timing.open and self._acts()),
                f"{p}wready": int(WRITE in sides and bool(self._queue[WRITE]) and self._acts()),
            }
        )
        if not self._valid["r"]:
            queue = self._queue[READ]
            if READ in sides and queue and queue[0].due <= self.now and self._acts():
                burst = queue[0]
                at = burst.address + burst.done * self.beat
                word = {"rdata": int.from_bytes(self.read(at, self.beat), "little"), "rresp": self._answer(at)}
                word["rlast"] = int(burst.done + 1 == burst.beats)
                self._offer("r", burst, word)
            else:
                self._withdraw("r", {"rdata": self.data_w, "rresp": 2, "rlast": 1})
        if not self._valid["b"]:
            if self._answers and self._answers[0].due <= self.now and self._acts():
                self._offer("b", self._answers[0], {"bresp": self._answers[0].answer})
            else:
                self._withdraw("b", {"bresp": 2})

    def _offer(self, channel: str, burst: _Burst, word: dict[str, int]) -> None:
        self._valid[channel] = True
        if self.id_w:
            word[f"{channel}id"] = burst.id
        self.pins.drive(**{f"{self.prefix}{name}": value for name, value in word.items()})
        self.pins.drive(**{f"{self.prefix}{channel}valid": 1})

    def _withdraw(self, channel: str, widths: dict[str, int]) -> None:
        """Noise where nothing is valid."""
        if self.id_w:
            widths[f"{channel}id"] = self.id_w
        self.pins.drive(**{f"{self.prefix}{channel}valid": 0})
        self.pins.drive(**{f"{self.prefix}{name}": self.generator.getrandbits(w) for name, w in widths.items()})

    def _answer(self, address: int) -> int:
        return next((answer for bad, answer in self.faults if address in bad), OKAY)

    def _handle(self, name: str):
        if name not in self._handles:
            self._handles[name] = getattr(self.pins, f"{self.prefix}{name}")
        return self._handles[name]

    def _get(self, name: str) -> int:
        if name == "wdata":
            return self._written()
        return int(self._handle(name).value)

    def _written(self) -> int:
        """The data of a W beat. Only bytes without a strobe may be X, such as those before an array."""
        value = self._handle("wdata").value
        if getattr(value, "is_resolvable", True):
            return int(value)
        bits, strobes, last = str(value), self._get("wstrb"), self.beat - 1
        known = [bits[8 * n : 8 * n + 8] if strobes >> (last - n) & 1 else "0" * 8 for n in range(self.beat)]
        return int("".join(known), 2)

    def _accepted(self, channel: str) -> tuple[int, ...] | None:
        """What the master transfers in this cycle; it must hold what waits."""
        held = self._held.pop(channel, None)
        if not self._get(f"{channel}valid"):
            assert held is None, f"{channel}: withdrawn while it waited"
            return None
        content = tuple(self._get(f"{channel}{name}") for name in self._content[channel])
        assert held in (None, content), f"{channel}: changed while it waited"
        if self._get(f"{channel}ready"):
            return content
        self._held[channel] = content
        return None

    def sample(self) -> None:
        """The transfers of this cycle."""
        for channel, side in (("ar", READ), ("aw", WRITE)):
            if word := self._accepted(channel):
                self._queue[side].append(self._burst(channel, *word))
        if self._valid["r"] and self._get("rready"):
            self._valid["r"] = False
            self._moved(READ)
        word = self._accepted("w")
        self._waits = "w" in self._held
        if word:
            self._store(*word)
        if self._valid["b"] and self._get("bready"):
            self._valid["b"] = False
            self._answers.popleft()
        self.now += 1

    def _burst(self, channel: str, address: int, length: int, size: int, burst: int, id: int = 0) -> _Burst:
        beats = length + 1
        assert (1 << size, burst) == (self.beat, 1), f"{channel}: size {size}, burst {burst}"
        assert address % self.beat == 0 and address % PAGE + beats * self.beat <= PAGE, (
            f"{channel}: {address:#x}, {beats}"
        )
        assert address + beats * self.beat <= self.size, f"{channel}: {address:#x} is outside the memory"
        self.bursts.append((channel, address, beats))
        return _Burst(address, beats, self._due(), id)

    def _moved(self, side: str) -> None:
        burst = self._queue[side][0]
        burst.done += 1
        self._beats += 1
        self.moved[side].append(self.now)
        if burst.done == burst.beats:
            self._queue[side].popleft()

    def _store(self, data: int, strb: int, last: int) -> None:
        burst = self._queue[WRITE][0]
        at = burst.address + burst.done * self.beat
        assert bool(last) == (burst.done + 1 == burst.beats), "w: wlast"
        answer = self._answer(at)
        burst.answer = max(burst.answer, answer)
        if answer == OKAY:
            for n, value in enumerate(data.to_bytes(self.beat, "little")):
                if strb >> n & 1:
                    self.bytes[at + n] = value
        self._moved(WRITE)
        if last:
            burst.due = self._due()
            self._answers.append(burst)
            self._waits = bool(self._queue[WRITE])  # the next burst may follow at once


def attach(dut, model: type[Memory] = Memory, **settings) -> Memory:
    """A memory at the port m_axi of a simulated core, from the next edge of the clock on."""
    ids = len(dut.m_axi_arid) if hasattr(dut, "m_axi_arid") else 0
    memory = model(Pins(dut), len(dut.m_axi_rdata), id_w=ids, **settings)

    async def run() -> None:
        while True:
            await RisingEdge(dut.clk)
            if dut.rst.value != 0:  # or not driven yet
                memory.clear()
                continue
            memory.drive()
            await FallingEdge(dut.clk)
            memory.sample()

    cocotb.start_soon(run())
    return memory
