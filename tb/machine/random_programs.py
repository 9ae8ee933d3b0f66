"""Random programs of the query machine as text, events for them, and mutants of their bytes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from wirestream.errors import QueryError
from wirestream.machine.bytecode import INSTRUCTIONS, UNITS, Instruction
from wirestream.machine.program import SECTIONS, Flags, Program

FIELDS = 4  # words of a tuple
DEEPEST = 9  # words on the stack
SIZE = 8  # words of the buffers that a program uses
PLAIN = [
    one
    for one in INSTRUCTIONS
    if not one.is_jump and one.group not in ("Buffers", "Transmission", "Aggregation") and one.name != "get_field"
    and not (one.name.startswith("get_field_") and int(one.name[-1]) >= FIELDS)
]  # fmt: skip
JUMPS = [one for one in INSTRUCTIONS if one.is_jump and one.name != "goto"]
EDGES = {16: (2**15 - 1, -(2**15)), 32: (2**31 - 1, -(2**31))}
ARGUMENTS = ('"per_tuple"', '"per_tuple", "manualclear"', '"per_punct"', '"@1s", "manualclear"')
MERGES = ((1, (2,)), (1, (5,)), (2, (4, 1)), (0, (3,)), (1, (6, 2)))


class Drawer:
    """Draws the lines of one section. units: of the instructions that it may have."""

    def __init__(self, random: Random, merge: tuple[int, tuple[int, ...]] | None, units: tuple[str, ...] = UNITS):
        self.random, self.merge = random, merge
        self.plain = [one for one in PLAIN if one.unit in units]
        self.lines: list[str] = []
        self.labels = 0

    def emit(self, text: str, label: str = "") -> None:
        self.lines.append(f"{label + ':' if label else '':<8}{text}")

    def label(self) -> str:
        self.labels += 1
        return f"l{self.labels}"

    def block(self, depth: int, parts: int, nested: int = 0) -> None:
        """Some lines after which the stack has as many words as before."""
        now = depth
        for _ in range(parts):
            draw = self.random.random()
            if draw < 0.08 and nested < 2 and now < DEEPEST - 2:
                self.choice(now, nested)
            elif draw < 0.14 and nested < 2 and now < DEEPEST - 3:
                self.loop(now, nested)
            elif draw < 0.3:
                now += self.access(now, depth)
            elif draw < 0.33:
                self.emit(self.random.choice(("send_tb", "send_sy", "send_tb", "clear_sy")))
            else:
                one = self.random.choice(self.plain)
                if depth <= now - one.pops and now - one.pops + one.pushes <= DEEPEST:
                    self.emit(f"{one.name} {self.operand(one)}".rstrip())
                    now += one.pushes - one.pops
        self.level(now, depth)

    def level(self, now: int, depth: int) -> None:
        while now > depth:
            if self.random.random() < 0.5:
                self.emit(f"istore {self.random.randrange(SIZE)}" if not self.merge else "pop")
            else:
                self.emit("pop")
            now -= 1

    def operand(self, one: Instruction) -> str:
        match one.operand:
            case "int8":
                return str(self.random.choice((-128, 127, -1, 0, 1, 3, 10)))
            case "int16":
                return str(self.random.choice((-(2**15), 2**15 - 1, 100, -5)))
            case "int32":
                return str(self.random.choice((-(2**31), 2**31 - 1, 10**6, self.random.getrandbits(31))))
        return ""

    def access(self, now: int, depth: int) -> int:
        """A load or a store; the words that it adds to the stack."""
        memory = self.random.choice(("", "_sy")) if not self.merge else ""
        if self.random.random() < 0.5 and now < DEEPEST - 1:
            if self.random.random() < 0.5:
                self.emit(f"iload{memory} {self.random.randrange(SIZE)}")
            else:
                self.index()
                self.emit(f"iload{memory}")
            return 1
        if now > depth and now < DEEPEST and not self.merge:
            if self.random.random() < 0.5:
                self.emit(f"istore{memory} {self.random.randrange(SIZE)}")
            else:
                self.index()
                self.emit(f"istore{memory}")
            return -1
        return 0

    def index(self) -> None:
        """Push an index; of two words at once the second one is gone when it is used."""
        if self.random.random() < 0.5:
            self.emit(f"ipushb {self.random.randrange(SIZE)}")
        else:
            self.emit(f"get_field_{self.random.randrange(FIELDS)}")
            self.emit(f"ipushb {SIZE - 1}")
            self.emit("iand")

    def choice(self, depth: int, nested: int) -> None:
        """One or the other of two blocks."""
        one, other, end = self.random.choice(JUMPS), self.label(), self.label()
        for _ in range(one.pops):
            self.emit(f"get_field_{self.random.randrange(FIELDS)}")
        self.emit(f"{one.name} {other}")
        self.block(depth, self.random.randrange(4), nested + 1)
        self.emit(f"goto {end}")
        self.emit("", other)
        self.block(depth, self.random.randrange(4), nested + 1)
        self.emit("", end)

    def loop(self, depth: int, nested: int) -> None:
        """A block as often as a constant says."""
        begin, end = self.label(), self.label()
        self.emit(f"ipushb {self.random.randrange(4)}")
        self.emit("dup", begin)
        self.emit(f"iflt {end}")
        self.block(depth + 1, self.random.randrange(1, 4), nested + 1)
        self.emit("idec")
        self.emit(f"goto {begin}")
        self.emit("pop", end)

    def merging(self, fill: bool) -> None:
        """The instruction merge, after a row is in the transmission buffer."""
        groups, codes = self.merge
        if fill:
            for at in range(groups + sum({5: 2, 6: 3}.get(code, 1) for code in codes)):
                self.emit(f"get_field_{self.random.randrange(FIELDS)}")
                if at < groups:
                    self.emit("iconst_2")
                    self.emit("irem")
                self.emit(f"istore {at}")
        for code in reversed(codes):
            self.emit(f"ipushb {code}")
        self.emit(f"ipushb {len(codes)}")
        self.emit(f"ipushb {groups}")
        self.emit("merge")


def draw(random: Random, units: tuple[str, ...] = UNITS) -> str:
    """A program, which ends and does not trap. units: of the instructions that it may have."""
    merge = random.choice(MERGES) if random.random() < 0.25 and "merge" in units else None
    arguments = random.choice(ARGUMENTS)
    of_messages = "per_tuple" not in arguments and random.random() < 0.5
    names = ["init"] * (random.random() < 0.4) + ["delivery"] + ["reception"] * (random.random() < 0.5)
    lines = []
    for name in names:
        section = Drawer(random, merge, units)
        section.block(0, random.randrange(2, 14))
        if merge and name != "init":
            by_message = name == "reception" and not of_messages
            section.merging(fill=not by_message)
            section.emit("send_sy")
        given = arguments if name == "delivery" else '"per_tuple"' if name == "reception" and of_messages else ""
        section.emit("clear_sy" if merge else "iconst_0")
        lines += [f".section {name}{', ' * bool(given)}{given}", *section.lines]
    return "\n".join([*lines, ""])


def tangle(random: Random) -> str:
    """A delivery section with jumps to anywhere, of which some are never or seldom taken: loops that overlap, with
    counters in the synopsis."""
    parts = random.randrange(3, 9)
    lines = [".section delivery"]
    for part in range(parts):
        target, counter, draw = f"l{random.randrange(parts + 1)}", random.randrange(4), random.random()
        lines.append(f"l{part}:")
        if draw < 0.2:
            jump = random.choice(("ifeq", "iflt", "ifgt", "ifnull"))
            lines += [f"get_field_{random.randrange(FIELDS)}", f"{jump} {target}"]
        elif draw < 0.75:
            lines += [f"iload_sy {counter}", "iinc", "dup", f"istore_sy {counter}"]
            lines += [f"ipushb {random.randrange(1, 9)}", f"if_icmplt {target}"]
            lines += ["iconst_0", f"istore_sy {counter}"] if random.random() < 0.6 else []
        elif draw < 0.85:
            lines.append(f"goto {target}")
        else:
            lines += ["iconst_0", f"istore_sy {counter}"]
    return "\n".join([*lines, f"l{parts}:"])


# ---- events


@dataclass(frozen=True)
class Event:
    kind: str  # a method of the interpreters
    words: tuple[int | None, ...] = ()


def word(random: Random, width: int) -> int | None:
    draw = random.random()
    if draw < 0.1:
        return None
    if draw < 0.3:
        return random.choice(EDGES[width])
    return random.randrange(-12, 13) if draw < 0.8 else random.randrange(-(2 ** (width - 1)), 2 ** (width - 1))


def events(random: Random, count: int, width: int, fields: int = FIELDS, longest: int = 16) -> list[Event]:
    found = []
    for _ in range(count):
        kind = random.choice(("tuple", "tuple", "tuple", "punctuation", "tick", "message"))
        size = {"tick": 0, "message": random.randrange(longest + 1)}.get(kind, fields)
        found.append(Event(kind, tuple(word(random, width) for _ in range(size))))
    return found


# ---- mutants


def mutant(program: Program, random: Random) -> Program | None:
    """The program with one or a few changes; None if it is not a program any more."""
    for _ in range(random.choice((1, 1, 2, 4))):
        try:
            program = (_other_bytes if random.random() < 0.3 else _other_instruction)(program, random)
        except QueryError:
            return None
    return program


def _other_bytes(program: Program, random: Random) -> Program:
    """With a byte, or the flags, changed."""
    name = random.choice([name for name in SECTIONS if program.code(name)])
    code = bytearray(program.code(name))
    at, flags = random.randrange(len(code)), program.flags
    match random.randrange(5):
        case 0:
            code[at] = random.randrange(256)
        case 1:
            code[at] ^= 1 << random.randrange(8)
        case 2:
            del code[at]
        case 3:
            code.insert(at, random.choice(INSTRUCTIONS).opcode)
        case 4:
            flags ^= random.choice((Flags.MANUALCLEAR, Flags.RECEIVE_TUPLES, Flags.PER_PUNCT | Flags.PER_TUPLE))
    return replace(program, **{name: bytes(code)}, flags=flags, places={}, stream=None)


def _other_instruction(program: Program, random: Random) -> Program:
    """With an instruction replaced by one of equal size and effect on the stack, or with another operand."""
    name = random.choice([name for name in SECTIONS if program.code(name)])
    code = bytearray(program.code(name))
    one = random.choice(list(program.decoded[name].values()))
    same = [
        other.opcode
        for other in INSTRUCTIONS
        if (other.size, other.pops, other.pushes)
        == (one.instruction.size, one.instruction.pops, one.instruction.pushes)
    ]
    if one.instruction.operand and random.random() < 0.6:
        code[one.next - 1] = (one.operand + random.choice((-4, -2, -1, 1, 2, 3, 8, 100))) & 0xFF
    else:
        code[one.address] = random.choice(same)
    return replace(program, **{name: bytes(code)}, places={}, stream=None)
