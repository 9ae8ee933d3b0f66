"""qm_core against the interpreter, in the bulk bench: rows, traps and cycles of the shipped programs and of random
ones."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tb.machine import shipped
from tb.machine.random_programs import Event, draw, events
from tb.machine.test_interpreter import BY_HAND, JUMPS, pushes
from tb.qm.programs import ABSENT, Core, Packets, Report, expected, image_of, results
from wirestream.machine.assembler import assemble
from wirestream.machine.bytecode import NAMES
from wirestream.machine.disassembler import disassemble
from wirestream.machine.program import Program
from wirestream.machine.verifier import verify
from wirestream.sim.bulk import NONE, RANDOM, build
from wirestream.sim.simulate import seed

REPORT = Event("report")
UNITS = ("",)  # of the instructions that the core has


class Trial:
    """Programs with their events, run one after the other in one simulation."""

    def __init__(self, core: Core, **parameters: int):
        self.core, self.packets = core, Packets(core)
        self.bench = build("qm_bench", **vars(core), **parameters)
        self.wanted: list[tuple[Program, list]] = []

    def add(self, program: Program, given: list[Event]) -> bool:
        """False if the core cannot run the program."""
        number = len(self.wanted)
        bank, half = number % 2, 1 << self.core.PROG_W - 1
        if (image := image_of(program, bank * half)) is None or len(image.words) >= half:
            return False
        self.packets.load(image, bank * half, bank, number % 256)
        for event in given:
            if event == REPORT:
                self.packets.report()
            else:
                self.packets.event(event)
        self.wanted.append((program, list(expected(self.core, program, number % 256, given))))
        return True

    def run(self, out: Path, gaps: str, stalls: str) -> None:
        done = self.bench.run(self.packets.data, out, tuser=self.packets.user, inputs={"started": 1}, gaps=gaps,
                              stalls=stalls)  # fmt: skip
        seen = list(results(self.core, done.packets, done.tuser))
        for number, (program, wanted) in enumerate(self.wanted):
            found, seen = seen[: len(wanted)], seen[len(wanted) :]
            assert found == wanted, f"program {number}, seed {seed()}:\n{disassemble(program)}"
        assert not seen


def reported(random: Random, given: list[Event]) -> list[Event]:
    """The events, with reports between some of them and at the end."""
    often = random.choice((0, 0.3, 1))
    return [one for event in given for one in (event, *[REPORT] * (random.random() < often))] + [REPORT]


def random_trial(seeds: range, core: Core, gaps: str, stalls: str, out: Path) -> int:
    trial, number = Trial(core), 0
    for one in seeds:
        random = Random(f"{seed()} {one}")
        program = assemble(draw(random, UNITS), limits=core.limits)
        number += trial.add(program, reported(random, events(random, 12, core.W)))
    trial.run(out, gaps, stalls)
    return number


@pytest.mark.parametrize(("gaps", "stalls"), [(NONE, NONE), (RANDOM, RANDOM)])
@pytest.mark.parametrize("width", [16, 32])
def test_random_programs(tmp_path, width, gaps, stalls):
    assert random_trial(range(300), Core(W=width), gaps, stalls, tmp_path) > 280


@pytest.mark.soak
def test_many_random_programs(tmp_path):
    count = first = 0
    while count < 10_000:
        print(f"seed {seed()}, programs from {first}")
        core = Core(W=(16, 32)[first // 1000 % 2], FIFO_W=1 + first // 2000 % 3)
        pauses = NONE if first // 1000 % 3 == 0 else RANDOM
        count += random_trial(range(first, first + 1000), core, pauses, pauses, tmp_path)
        first += 1000


def test_shipped_programs(tmp_path):
    core, random, ran = Core(), Random(seed()), set()
    trial = Trial(core)
    for name in shipped.NAMES:
        for _ in range(10):
            if trial.add(shipped.program(name), reported(random, events(random, 30, core.W, fields=5))):
                ran.add(name)
    trial.run(tmp_path, RANDOM, RANDOM)
    assert ran == {"all_nodes", "cold_nodes", "control", "q1", "sampling", "sliding_sum"}


FIELDS = (7, 8, None, 10)  # of BY_HAND
PAIRED = ("clear_sy", "iload_sy 1", "istore_sy 1", "iload 1", "istore 1", "iconst_1\niload_sy", "iconst_1\nistore_sy",
          "iconst_1\niload", "iconst_1\nistore", "dup", "swap", "dup_x1", "dup2_x1", "pop2", "iadd", "isub", "send_sy",
          "send_tb", "ladd", "lcmp", "i2l", "get_field_2", "ipushl 77")  # fmt: skip


def test_instructions(tmp_path):
    """Each instruction and jump by hand, as in the test of the interpreter."""
    trial, names = Trial(Core()), set()
    tests = [(text, before, after) for text, before, after, _ in BY_HAND]
    tests += [(f"{name} end\nipushb 9\nistore 9\nend:", stack, ()) for name, stack, _ in JUMPS]
    for text, before, after in tests:
        stores = [f"istore {k}" for k in range(len(after))]
        lines = [".section delivery", *pushes(before), text, *stores, "iconst_4\nistore 5\nsend_tb\nsend_sy"]
        if trial.add(assemble("\n".join(lines)), [Event("tuple", FIELDS), REPORT]):
            names.add(text.split()[0])
    assert names == NAMES - ABSENT - {f"get_field_{k}" for k in range(4, 8)}
    trial.run(tmp_path, NONE, NONE)


def test_successions(tmp_path):
    """Each two instructions one after the other, with words in both memories."""
    trial = Trial(Core())
    for one in PAIRED:
        for other in PAIRED:
            stores = [f"ipushb {k}\nistore {k}\nipushb {k + 20}\nistore_sy {k}" for k in range(2)]
            stack = [f"ipushb {k * k}" for k in range(8)]
            lines = [".section delivery", *stores, *stack, one, other, "istore 2\nistore 3\nsend_sy\nsend_tb"]
            trial.add(assemble("\n".join(lines)), [Event("tuple", FIELDS), REPORT])
    assert len(trial.wanted) == len(PAIRED) ** 2
    trial.run(tmp_path, NONE, NONE)


TRAPS = [
    "iconst_1\niadd",
    "pop",
    "iconst_1\nif_icmpeq end\nend:",
    "\n".join(["iconst_1"] * 17),
    "\n".join(["iconst_1"] * 16 + ["dup2"]),
    "ipushb 16\niload",
    "iconst_m1\niload_sy",
    "iconst_1\nipushw 256\nistore",
    "iconst_1\nipushb 16\nistore_sy",
    "again: goto again",
    "iconst_1\nistore 1\nagain: send_tb\ngoto again",
    "again: iconst_1\npop\niconst_1\npop\ngoto again",
]


def test_traps(tmp_path):
    """What a program does until it is stopped, and nothing afterwards; another one runs in its place."""
    core = Core()
    trial = Trial(core)
    tuples = [Event("tuple", (k, k, k, k)) for k in range(3)]
    for text in TRAPS:
        sends = "iconst_2\nistore 0\nsend_tb\n"
        assert trial.add(assemble(f".section delivery\n{sends}{text}"), [*tuples, REPORT])
        assert trial.add(assemble(f".section delivery\n{sends}"), [*tuples, REPORT])
    trial.run(tmp_path, RANDOM, RANDOM)
    reports = [one for _, wanted in trial.wanted for one in wanted if isinstance(one, Report)]
    assert [one.traps for one in reports] == [1, 0] * len(TRAPS)


UBSN = int.from_bytes(b"UBSN")
LONGEST = {  # a tuple for which the delivery takes the proven number of cycles
    "q1": (UBSN, 100, 7, 1),
    "sliding_sum": (0, 0, 3, 1),
}


def test_bounds_are_reached(tmp_path):
    trial = Trial(Core())
    for name, words in LONGEST.items():
        program = shipped.program(name)
        trial.add(program, [Event("tuple", words), REPORT])
        assert trial.wanted[-1][1][-1].cycles == verify(program).cycles["delivery"]
    trial.run(tmp_path, NONE, NONE)
