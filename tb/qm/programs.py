"""Programs and events for qm_core as packets of the bulk bench (ws_qm_bench.v), and what the interpreter makes of
them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tb.machine.random_programs import Event
from wirestream.machine.bytecode import INSTRUCTIONS
from wirestream.machine.interpreter import Machine, Trap
from wirestream.machine.limits import Limits
from wirestream.machine.microcode import WORDS, Image, translate
from wirestream.machine.program import Program
from wirestream.machine.words import Word

KINDS = {"tuple": 0, "punctuation": 1, "tick": 2, "message": 3}
PROGRAM, BOUNDS, SWAP, REPORT = range(4)
ABSENT = {one.name for one in INSTRUCTIONS if not WORDS[one.opcode]}  # what the core does not have


@dataclass(frozen=True)
class Core:
    """The parameters of a core."""

    W: int = 32
    FIELDS: int = 8
    FIFO_W: int = 2
    PROG_W: int = 9
    STACK_W: int = 4
    TB_W: int = 4
    SY_W: int = 4

    @property
    def limits(self) -> Limits:
        sizes = {"stack": self.STACK_W, "buffer": self.TB_W, "synopsis": self.SY_W}
        return Limits(width=self.W, fields=self.FIELDS, **{name: 1 << size for name, size in sizes.items()})

    @property
    def nulls(self) -> int:
        return max(self.FIELDS, 1 << self.TB_W)

    def packed(self, words: Iterable[int]) -> bytes:
        return b"".join((word & (1 << self.W) - 1).to_bytes(self.W // 8, "little") for word in words)

    def unpacked(self, packet: bytes) -> list[int]:
        size = self.W // 8
        return [int.from_bytes(packet[at : at + size], "little") for at in range(0, len(packet), size)]


@dataclass
class Packets:
    """Packets and their tuser."""

    core: Core
    data: list[bytes] = field(default_factory=list)
    user: list[int] = field(default_factory=list)

    def add(self, words: Sequence[Word], kind: int, command: bool = False, bad: bool = False) -> None:
        nulls = sum((word is None) << k for k, word in enumerate(words[: self.core.nulls]))
        self.data.append(self.core.packed(word or 0 for word in words))
        self.user.append(command << self.core.nulls + 3 | nulls << 3 | kind << 1 | bad)

    def event(self, event: Event) -> None:
        self.add(event.words, KINDS[event.kind])

    def load(self, image: Image, at: int, bank: int, generation: int) -> None:
        """A program, and the request to run it."""
        beats, mask = -(-36 // self.core.W), (1 << self.core.W) - 1
        parts = [word >> self.core.W * k & mask for word in image.words for k in range(beats)]
        self.add([at, *parts], PROGRAM, command=True)
        self.add([bank, *image.bounds], BOUNDS, command=True)
        self.add([1 << 8 | bank << 7 | image.flags, generation], SWAP, command=True)

    def report(self) -> None:
        self.add([0], REPORT, command=True)


@dataclass(frozen=True)
class Seen:
    """A row: generation, section, epoch, words."""

    generation: int
    section: str
    epoch: int
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Report:
    """Since a program was loaded."""

    cycles: int
    traps: int
    dropped: int
    bad: int


SECTIONS = ("init", "delivery", "reception")


def results(core: Core, packets: Iterable[bytes], users: Iterable[int]) -> Iterator[Seen | Report]:
    """What the bench has sent."""
    for packet, user in zip(packets, users, strict=True):
        words = core.unpacked(packet)
        if user >> 11:
            yield Report(words[0], words[1] >> 8, words[1] >> 4 & 15, words[1] & 15)
            continue
        epoch, *values, nulls = words
        signed = [value - (value >> core.W - 1 << core.W) for value in values]
        count = len(values)
        shown = tuple(None if nulls >> count - 1 - k & 1 else word for k, word in enumerate(signed))
        yield Seen(user >> 3 & 255, SECTIONS[user >> 1 & 3], epoch, shown)


def expected(core: Core, program: Program, generation: int, events: Iterable[Event]) -> Iterator[Seen | Report]:
    """The rows and the report of a program, as the interpreter has them; messages that it does not take send nothing.
    A `Report` request is an event of kind "report"."""
    machine, cycles, traps = Machine(program, core.limits), 0, 0
    for event in events:
        if event.kind == "report":
            yield Report(cycles, traps, 0, 0)
            continue
        call = getattr(machine, event.kind)
        try:
            outcome = call(*([0] if event.kind == "tick" else [event.words]))
        except Trap as trap:
            outcome, traps = trap.outcome, traps + 1
        for row in outcome.rows:
            if row.section != "forward":
                yield Seen(generation, row.section, row.epoch, row.words)
        cycles += sum(spent for section, spent in outcome.cycles.items() if section != "forward")


def image_of(program: Program, at: int) -> Image | None:
    """None: it has an instruction that the core does not have."""
    return None if program.uses(*ABSENT) else translate(program, at)
