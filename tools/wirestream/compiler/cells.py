"""Estimates of the cells that an instance of a core takes, without synthesis."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, gcd

Parameters = Mapping[str, int | str]
Ports = Mapping[str, str]

SRL_FROM = 3  # a delay of so many cycles, and no reset, is a shift register in a LUT
SEGMENT_W = 16  # bits of a session's sum that a cycle adds (ws_session_sum)
RING_FROM, BLOCK_FROM = 32, 35  # one of so many is a ring in a RAM (ws_delay); and of so many, in a block RAM
NUMBER = re.compile(r"(\d+)'([bdh])([0-9a-f_]+)")
BASES = {"b": 2, "d": 10, "h": 16}
MOST_COUNT = 40  # COUNT_W of ws_group_panes, if ACC_W is more


@dataclass(frozen=True)
class Cells:
    """lut: LUT1 to LUT6, those used as memory or shift register apart. ff: registers. ram_bits: of memory."""

    lut: float = 0.0
    ff: float = 0.0
    ram_bits: int = 0

    def __add__(self, other: Cells) -> Cells:
        return Cells(self.lut + other.lut, self.ff + other.ff, self.ram_bits + other.ram_bits)


def estimate(core: str, parameters: Parameters, ports: Ports) -> Cells:
    """The cells of one instance, in Virtex-6 and 7-series cells as `wirestream.measure.synth` counts them.

    core: as "query:compute". ports: the text on each port: numbers make logic smaller, and what stands behind an
    output that is "" is not built.

    Registers are counted in the Verilog of the core, but for the adders of a product. LUTs are a form in the widths
    that the structure of the core suggests, its coefficients fitted to Yosys 0.70 on cores alone:

    | core      | what was swept
    |-----------|------------------------------------------------------------------------------------------------
    | compute   | + = <> < >= of 8 to 64 bits, also of different widths, with a variable and with a number
    | multiply  | 17 to 96 bits by 12 to 64, and by numbers of 2 to 20 bits
    | divide    | 8 to 96 bits by 8 to 64, div and %, signed and not, and by a number; INTERVAL 1, 10, 32; FAST 0 and 1
    | window    | 1 to 12 copies, in time and of tuples, REGISTERED 0 to 2
    | aggregate | every kind, 16 to 96 bits, with flags and without, FAST 0 to 2
    | wsum      | 4 and 8 weights of 3 to 6 bits, values of 16 and 32
    | multiplex | 2 to 12 inputs of 32 to 96 bits
    | union     | 2 to 5 inputs of 64 and 96 bits, punctuations of 1 and 32
    | group_by  | 16 to 100 keys of 8 to 32 bits, 2 to 4 windows, every kind of aggregate, one and two; FAST = 0;
    |           | 256 and 1024 in a hash table
    | group_panes | 16 to 256 keys, 2 and 3 tables of panes, sums and a greatest value, and its parts alone
    | wire_join | 16 to 1024 rows, 1 to 8 lanes, tuples of 64 to 128 bits, EQ, BAND, L1, with times and without
    | session_aggregate | 1, 2, 3 and 8 sessions, one aggregate and two
    | wid_aggregate, pane_aggregate | 1 to 61 windows, 5 to 4096 panes, cut and not, 1 to 4 aggregates of every kind, of
    |           | values of 32 and 64 bits, SKEW 0 and 1

    What synthesis shares between instances is not seen: comparisons of a column with several numbers take less.
    """
    return FORMS[core](parameters, ports)


def number(text: str) -> int | None:
    """The value of a Verilog expression of numbers alone, side by side or single; else None."""
    value = 0
    for part in text.strip("{}").split(","):
        match = NUMBER.fullmatch(part.strip())
        if not match:
            return None
        value = value << int(match[1]) | int(match[3].replace("_", ""), BASES[match[2]])
    return value


def _used(ports: Ports, *names: str) -> int:
    """How many of the outputs lead anywhere."""
    return sum(ports.get(name) != "" for name in names)


def _changes(ports: Ports, *names: str) -> int:
    """How many of the inputs are not numbers."""
    return sum(number(ports.get(name, "")) is None for name in names)


def _wire(p: Parameters, ports: Ports, cycles: int) -> float:
    """Registers of a ws_delay that carries the wire through an instance."""
    control = sum(_changes(ports, f"s_{s}") * _used(ports, f"m_{s}") for s in ("valid", "punct", "eos"))
    data = p["DATA_W"] * _changes(ports, "s_data") * _used(ports, "m_data")
    if cycles >= RING_FROM:  # two pointers, and behind a block RAM registers; behind RAM in LUTs shift registers
        return bool(control + data) * (2 * (cycles - 3).bit_length() + 10) + (data if cycles >= BLOCK_FROM else 0)
    return control * cycles + (data * cycles if cycles < SRL_FROM else 0)


def _ring(p: Parameters, ports: Ports, cycles: int) -> int:
    """RAM bits of a ws_delay that carries the wire through an instance."""
    width = p["DATA_W"] * _changes(ports, "s_data") * _used(ports, "m_data")
    width += _used(ports, "m_valid", "m_punct", "m_eos")
    return width << (cycles - 3).bit_length() if cycles >= RING_FROM else 0


# ---- a form for each core


def _delay(p: Parameters, ports: Ports) -> Cells:
    return Cells(ff=_wire(p, ports, p["N"]), ram_bits=_ring(p, ports, p["N"]))


def _select(p: Parameters, ports: Ports) -> Cells:
    return Cells(lut=0.5, ff=_wire(p, ports, p["REGISTERED"]))


def _compute(p: Parameters, ports: Ports) -> Cells:
    """Each LUT compares two bits (three with a number), or adds one; adding a number is the carry chain's."""
    width = max(p["A_W"], p["B_W"])
    variables = _changes(ports, "a", "b")
    registers = _wire(p, ports, p["REGISTERED"]) + p["Y_W"] * p["REGISTERED"]
    match p["OP"]:
        case "ADD" | "SUB":
            lut = width if variables == 2 else 0
        case "EQ" | "NE" | "LT" | "LE" | "GT" | "GE":
            if variables == 1:
                width -= _idle(p["OP"], number(ports["b"]))
            lut = {2: 0.66, 1: 0.28, 0: 0.0}[variables] * width
        case "NOT":
            lut = 0  # taken into what follows
        case _:
            lut = 0.5 * min(p["A_W"], p["B_W"], p["Y_W"]) if variables == 2 else 0
    return Cells(lut, registers)


def _idle(operator: str, constant: int | None) -> int:
    """How many low bits a comparison with a number on the right need not look at: x >= 8 leaves three of them out."""
    if constant is None or operator in ("EQ", "NE"):
        return 0
    least = constant + (operator in ("GT", "LE"))
    return (least & -least).bit_length() - 1 if least else 0


def _multiply(p: Parameters, ports: Ports) -> Cells:
    """The tree of adders behind the multiplier blocks, which hold the registers of the products."""
    digit, carry_w = p.get("DIGIT", 17), p.get("CARRY_W", 48)
    width = p["A_W"] + p["B_W"]
    a_digits, b_digits = ceil(p["A_W"] / digit), ceil(p["B_W"] / digit)
    levels, parts = (a_digits + b_digits - 2).bit_length(), ceil(width / carry_w)
    products = a_digits * b_digits
    share = 1.0 if _changes(ports, "a", "b") == 2 else 0.55
    if products <= 2 and parts == 1:  # the blocks add two products themselves
        share = 0.0
    lut, ff = share * width * (0.1 + 0.27 * products), share * width * (1.3 + 0.44 * products)
    return Cells(lut, ff + _wire(p, ports, levels + parts))


def _divide(p: Parameters, ports: Ports) -> Cells:
    """Each step subtracts from as many bits of remainder as there can be, and chooses; the dividend's digits to come
    and the quotient's that are there are shift registers, of which the short ones are registers. A unit that makes
    several steps of one quotient has registers for all that it works on, and chooses what comes into them."""
    a, b, signed = p["A_W"], p["B_W"], p["SIGNED"]
    steps, fast, interval = p["QUOTIENT_W"], p["FAST"], p.get("INTERVAL", 1)
    quotient, rest = _used(ports, "y"), _used(ports, "r")
    divisor = number(ports.get("b", ""))
    latency = steps * (1 + fast) + (1 + signed) * (1 + 2 * fast) + fast
    wire, ring = _wire(p, ports, latency), _ring(p, ports, latency)
    if not quotient + rest + _used(ports, "y_null") or (divisor and not signed and divisor.bit_count() == 1):
        return Cells(ff=wire, ram_bits=ring)  # nothing, or wiring: digits of the dividend, and shift registers
    if divisor is not None:  # no remainder is more than the divisor
        b = max(divisor.bit_length(), 1)
    signs = signed * (a + b + (steps + 1) * quotient + b * rest)
    results = (steps + signed) * quotient + p["B_W"] * rest + _used(ports, "y_null")
    if interval > 1:
        run = max(interval // (1 + fast), 1)
        units = ceil(steps / run)
        bits = sum(min(a - steps + min((k + 1) * run, steps), b) for k in range(units))
        lut = units * (steps + b) + (1.6 if fast else 3.4) * bits + signs
        held = units * (steps + b + 3 + 2 * fast) + (1 + fast) * bits + signed * (a + b + 2)
    elif divisor is not None:
        bits = max(a - b, 0) * b
        lut, held = bits + b + signed * 0.8 * a, max(a - b, 0) * (b - 1)
        held += min(3, steps) * (1 + quotient)
    else:
        bits = sum(min(a - steps + k + 1, b) for k in range(steps))
        lut = 2 * bits - b * (not rest) + signs + b * (steps < a)  # the last: whether the quotient fits
        held = (1 + 2 * fast) * bits - b * (not rest) + b * ((1 + fast) * steps - 1 + signed) + 2
        held += min(3, steps) * (1 + quotient)
    if fast:  # of a sign the second cycle, and in front of the last the choice
        held += signed * (a + b + 2) + 2 * results
    return Cells(lut, held + results + wire, ring)


def _window(p: Parameters, ports: Ports) -> Cells:
    copies, size, advance, width = p["COPIES"], p["SIZE"], p["ADVANCE"], p["WATTR_W"]
    in_time, staged = p["UNIT"] == "TIME", p["REGISTERED"] > 1
    if in_time:  # the end that is next, and for each copy its begin and its distance to an end
        low = (copies * advance + size + p["SLACK"] - 1).bit_length() + staged
        ff = copies + width + 2 + (2 * copies * low if copies > 1 else low)
        lut = 1.3 * width + (3.7 if staged else 3.05) * copies * low if copies > 1 else 0.7 * width + 1.5 * low
        ff += (width + low + 1) * staged
    else:
        left = (max(size, advance) - 1).bit_length() + 1
        ff = 2 * left + (3 * copies if copies > 1 else 1)
        lut = 4 * copies + 3 * left if copies > 1 else 2 * left
    if p["REGISTERED"]:
        ff += (2 if in_time else 3) * copies + p["DATA_W"]
    if staged:
        ff += 2 + p["DATA_W"]
    return Cells(lut, ff)


def _aggregate(p: Parameters, ports: Ports) -> Cells:
    adds, counts, fast = p["KIND"] in ("CNT", "SUM"), p["KIND"] == "CNT", p["FAST"]
    width = p["ACC_W"] if adds else min(p["ACC_W"], p["VALUE_W"])
    flags = _used(ports, "result_overflow") + _used(ports, "result_null")
    lut = 2 + _end_lut(ports) + 7 * flags
    ff = width + 2 + flags + _end_ff(p, ports)
    if not fast:
        return Cells(lut + width * (2 if p["KIND"] in ("SUM", "MIN", "MAX") else 1), ff)
    # The row that waits for its number, and is 0 where there is none
    ff += 6 + _wire(p, ports, fast)
    lut += p["DATA_W"] * _used(ports, "m_data") * _changes(ports, "s_data")
    if not adds:  # the value, the best, and two comparisons
        return Cells(lut + 1.4 * width, ff + 2 * width)
    # The result, what parts below have come to, and the bits of a value that wait for those above
    part, value = width / fast, 0 if counts else p["VALUE_W"]
    ff += width + part * sum(range(1, fast + 1))
    ff += sum(n * min(max(value - n * part, 0), part) for n in range(1, fast))
    lut += width - part + (part if counts else width + max(value - part, 0))
    return Cells(lut, ff)


def _end_ff(p: Parameters, ports: Ports) -> float:
    """Registers of the row that leaves at the end of a sub-stream, beside its result."""
    data = (p["DATA_W"] + 1) * _used(ports, "m_data") * _changes(ports, "s_data")
    return 2 * _used(ports, "m_valid") + _used(ports, "m_punct", "m_eos") + data


def _end_lut(ports: Ports) -> float:
    return 2 * _used(ports, "m_valid", "m_punct", "m_data")


def _wsum(p: Parameters, ports: Ports) -> Cells:
    """Places of the chain: the oldest is a value, the next a bit or two wider, and so on up to the result's width."""
    n, value = p["N"], p["VALUE_W"]
    full = value + p["WEIGHT_W"] + (n - 1).bit_length()
    weights = number(str(p["WEIGHTS"])) or 0
    bits = p["WEIGHT_W"]
    each = [weights >> place * bits & (1 << bits) - 1 for place in range(n)]
    each = [weight - (weight >> bits - 1 << bits) for weight in each]
    digits = [(abs(weight) ^ 3 * abs(weight)).bit_count() for weight in each]  # with signs, so that -1 is one
    added = sum(max(count - 1, 0) for count in digits)
    sums = [min(value + 2, full)] * (n > 1) + [full] * max(n - 2, 0)
    lut = 2 * sum(sums) + 0.8 * added * value + 3 + _end_lut(ports)
    ff = value + sum(sums) + 3 + _end_ff(p, ports)
    if p["PRODUCT_REG"]:
        ff += n * value + _used(ports, "m_data") * p["DATA_W"] + 3 + _changes(ports, "null")
    if (parts := p.get("PARTS", 1)) > 1:  # the value's upper bits wait for the carry, and the lower bits of the row
        waits = (parts - 1) / 2
        ff += waits * (value + full) + parts * n + (parts - 1) * (_wire(p, ports, 1) + 3)
    return Cells(lut, ff)


def _multiplex(p: Parameters, ports: Ports) -> Cells:
    n = p["N"]
    each = ceil((n - 1) / 5) if p.get("SILENT") else ceil(n / 2) if n > 3 else 1  # a LUT6 takes six, chooses from three
    lut = p["DATA_W"] * each + 3.2 * n if n > 1 else 0
    return Cells(lut, _wire(p, ports, p.get("REGISTERED", 1)))


def _union(p: Parameters, ports: Ports) -> Cells:
    """Queues, the latest punctuations and the tree that finds the least, and the choice among the queues."""
    n, data, address = p["N"], p["DATA_W"], p.get("ADDR_W", 4)
    mark, levels = 1 + p["PUNCT_W"], (n - 1).bit_length()
    nodes = sum(1 for node in range(1, 1 << levels) if node << (levels - node.bit_length() + 1) < (1 << levels) + n)
    ends = _changes(ports, "s_eos")
    ff = n * (data + 1 + 4 * address + 2 * ends) + mark * (n + nodes + 1) + levels + 3 + n
    ff += _wire(p, ports, p.get("REGISTERED", 1))
    lut = (0.65 * n - 0.35) * data + 1.67 * mark * (n - 1) + 0.67 * mark + 5.3 * address * n
    return Cells(lut, ff, n * (data + 3) << address)


def _group_by(p: Parameters, ports: Ports) -> Cells:
    """The CAM or the hash table, and for each window a list and a table of each aggregate."""
    kinds = [p["KINDS"][n : n + 3] for n in range(0, len(p["KINDS"]), 3)]
    widths = [p["ACC_W"] if kind in ("CNT", "SUM") else p["VALUE_W"] for kind in kinds]
    return (_hashed_groups if p["HASH"] else _cam_groups)(p, kinds, widths)


def _cam_groups(p: Parameters, kinds: list[str], widths: list[int]) -> Cells:
    key, windows, entries = p["KEY_W"], p["WINDOWS"], p["CAPACITY"] + 10
    index = (entries - 1).bit_length()
    state = sum(width + 2 for width in widths)
    ff = entries * (key + windows + 5) + 4 * key + p["DATA_W"] + 3 * windows * state + sum(widths)
    ff += windows * (8 * index + 12) + 14 * index + 40
    chosen = sum(w + 2 for w, kind in zip(widths, kinds, strict=True) if kind in ("SUM", "MIN", "MAX"))
    lut = entries * (0.86 * key + 2.7 * windows + 0.73 * index) + windows * (1.35 * state + 2.0 * chosen) + 130
    return Cells(lut, ff, (key + windows * (index + state) + index) << index)


def _hashed_groups(p: Parameters, kinds: list[str], widths: list[int]) -> Cells:
    key, windows = p["KEY_W"], p["WINDOWS"]
    index = (2 * p["CAPACITY"] - 1).bit_length()
    adds = sum(w for w, kind in zip(widths, kinds, strict=True) if kind in ("CNT", "SUM"))
    others = sum(widths) - adds
    ff = 19 * key + 86 * index - 29 + p["DATA_W"] + sum(widths) + windows * (190 + 9.4 * adds + 12 * others)
    lut = 16.6 * key + 46 * index + 43 + windows * (61 + 3.4 * adds + 6 * others)
    return Cells(lut, ff, (2 * key + windows * (1 + index + sum(widths) + 3 * len(widths))) << index)


def _group_panes(p: Parameters, ports: Ports) -> Cells:
    """The panes' ends, the table of keys, for each open pane a table of states, and what makes windows of panes."""
    kinds = [p["KINDS"][n : n + 3] for n in range(0, len(p["KINDS"]), 3)]
    key, data, number, value = (p[name] for name in ("KEY_W", "DATA_W", "ACC_W", "VALUE_W"))
    pane = gcd(p["RANGE"], p["SLIDE"])
    panes, tables = p["RANGE"] // pane, ceil((2 * pane + p["SLACK"]) / pane)
    index = (2 * p["CAPACITY"] - 1).bit_length() if p["HASH"] else (p["CAPACITY"] + 9).bit_length()
    entries, age = 1 << index if p["HASH"] else p["CAPACITY"] + 10, (panes - 1).bit_length()

    at = {"UNIT": "TIME", "SIZE": pane, "ADVANCE": pane, "SLACK": p["SLACK"], "REGISTERED": 2}
    cells = _window(at | {"DATA_W": 0, "WATTR_W": p["WATTR_W"], "COPIES": tables}, {})
    if p["HASH"]:
        lut, ff = 16.6 * key + 46 * index + 43 + 30 * tables, 19 * key + 86 * index - 29 + 70 * tables
        memory = (2 * key + tables) << index
    else:
        lut = entries * (0.57 * key + 1.3 * tables + 6.2) + 190
        ff, memory = entries * (1.125 * key + tables + 4) + 8 * key + 337, key << index
    ff += 2 * data + key + 3 * p["WATTR_W"] + tables * (8 * index + 60) + 6 * age * (1 + 2 * len(kinds))
    lut += 60 * tables + 2 * age * (1 + 2 * len(kinds)) + 1.3 * p["WATTR_W"]
    for kind in kinds:
        if kind in ("CNT", "SUM"):  # a table's state and what brings the tables together, the ring, the sums
            bits, taken = (number, value) if kind == "SUM" else (min(number, MOST_COUNT), 0)
            sums = bits + age
            ff += tables * (5.75 * bits + 2 * taken + 48) + 2 * bits + 7.4 * sums
            lut += tables * (2.3 * bits + 25) + 2 * bits + 2.2 * sums + 30
            memory += (tables * (bits + 3) + sums << index) + bits * _group_ram((panes - 1) * entries)
        else:
            bits = value
            ff += tables * (7.5 * bits + 48) + number + 7 * bits
            lut += tables * (3.4 * bits + 25) + 2 * bits
            if kind != "LST":
                ff += 22 * bits + 118
                lut += (4.5 if kind == "FST" else 12.6) * bits + 88
            words = entries if kind == "LST" else 3 * entries + 3 * _group_ram(panes // 2 * entries)
            memory += (tables * (bits + 1) << index) + bits * words
    return cells + Cells(lut, ff, memory)


def _group_ram(words: int) -> int:
    """The words of a ws_group_ram, which rounds up to blocks, of which the four highest bits of the number stand."""
    blocks = (words + 511) >> 9
    low = max(0, blocks.bit_length() - 4)
    rounded = (blocks + (1 << low) - 1) >> low << low
    return rounded << 9 if rounded > 1 else 1 << (words - 1).bit_length()


@dataclass(frozen=True)
class _Several:
    """The aggregates of a core with several. seen: of each its own flag that it has taken a value; else they are one.

    left: flags that a sum has left its width lead anywhere.
    """

    kinds: list[str]
    value: int
    number: int
    skew: int
    seen: bool
    left: bool

    @classmethod
    def of(cls, p: Parameters, ports: Ports) -> _Several:
        kinds = [p["KINDS"][n : n + 3] for n in range(0, len(p["KINDS"]), 3)]
        seen, left = _changes(ports, "nulls") > 0, _used(ports, "result_overflows") > 0
        return cls(kinds, p["VALUE_W"], p["ACC_W"], p.get("SKEW", 0), seen, left)

    @property
    def valued(self) -> int:
        """Aggregates whose values wait in registers; FST and LST have them in shift registers."""
        return sum(kind in ("SUM", "MIN", "MAX") for kind in self.kinds)

    def bank(self, slots: int) -> Cells:
        """Of ws_bank, without the flag that a slot holds anything."""
        lut = ff = 0.0
        for kind in self.kinds:
            adds, ordered = kind in ("CNT", "SUM"), kind in ("FST", "LST")
            ff += slots * (self.seen and kind != "CNT")
            if adds:
                ff += slots * (self.number + self.left) + self.skew * (slots * (1 + self.seen) + self.number // 2)
                lut += slots * (self.number + 2 + self.value * (kind == "SUM")) + 32 * (kind == "SUM")
            else:
                ff += slots * (self.value + 1) + self.value * (not ordered)
                lut += slots * (self.value + 11 if ordered else 1.85 * self.value + 14)
        return Cells(lut, ff)


def _wid_aggregate(p: Parameters, ports: Ports) -> Cells:
    """The place of a tuple among the windows, an accumulator for each of these, and a row of the oldest."""
    several = _Several.of(p, ports)
    windows = ceil((p["RANGE"] + p["SLACK"]) / p["SLIDE"])
    distance = 1 + (max(p["RANGE"], p["SLIDE"], p["SLACK"]) - 1).bit_length()
    nulls = len(several.kinds) * several.seen
    ff = p["WATTR_W"] + 1 + distance + 2 * windows + 5 + 2 * several.valued * several.value + 2 * nulls
    ff += (2 + several.skew) * p["DATA_W"] * _used(ports, "m_data")
    lut = 1.0 * p["WATTR_W"] + 23 + 2.2 * windows
    if several.skew:  # what waits for the upper halves
        ff += 4 + sum(several.number // 2 if kind in ("CNT", "SUM") else several.value for kind in several.kinds)
    return Cells(lut, ff) + several.bank(windows)


def _tuple_numbers(p: Parameters, ports: Ports) -> Cells:
    """Two counters of tuples to come, the number of the next, and registers of what leaves."""
    left = max(p["SIZE"], p["ADVANCE"]).bit_length()
    data = p["DATA_W"] * _used(ports, "m_data")
    return Cells(2.6 * left + 8, 2 * p["NUMBER_W"] + 2 * left + 3 + data)


def _session_aggregate(p: Parameters, ports: Ports) -> Cells:
    """The slots of sessions with their times, and in each a state of every aggregate, which the one above may join."""
    several = _Several.of(p, ports)
    slots = (p["SLACK"] - 1) // p["GAP"] + 2 if p["SLACK"] else 1
    time, later = p["WATTR_W"], -(-p["ACC_W"] // SEGMENT_W) - 1  # segments of a sum, but one
    row = p["DATA_W"] * _used(ports, "m_data") + time * _used(ports, "m_end")
    ff = slots * (2 * time + 12) + (6 * time + 10 if slots > 1 else 2 * time + 1)
    lut = slots * time * (8.2 if slots > 1 else 5.2)
    ff += row + 3 * slots * later + later
    ff += several.valued * several.value + len(several.kinds) * several.seen
    told = _used(ports, "result_nulls")
    for kind in several.kinds:
        adds, counts = kind in ("CNT", "SUM"), kind == "CNT"
        ff += slots
        if adds:
            term = 1 if counts else several.value
            ff += slots * (several.number + 1.4 * term + 3 * later + 3 * several.left)
            ff += several.number + SEGMENT_W * later + several.left
            ff += (not counts and told) * (slots + 1)
            lut += slots * (2.1 * several.number + 1.8 * term) if slots > 1 else 1.2 * several.number + term
        else:
            ff += several.value + slots * (several.value + 1) + several.value + 1
            ff += (several.value + 1) * (later if later < SRL_FROM else 0)
            lut += slots * 3.4 * several.value if slots > 1 else 1.5 * several.value
    return Cells(lut, ff)


def _pane_aggregate(p: Parameters, ports: Ports) -> Cells:
    """The open panes, and behind them for each aggregate a pane buffer and what makes windows of it."""
    several, scan = _Several.of(p, ports), p["METHOD"] == "SCAN"
    period = gcd(p["RANGE"], p["SLIDE"]) if scan else p["SLIDE"]
    cut = p["RANGE"] % period
    panes = p["RANGE"] // period * (1 + (cut > 0)) + (cut > 0)
    whole, over = divmod(period + p["SLACK"], period)
    slots = whole * (1 + (cut > 0)) + (over > 0) + (0 < cut < over)
    age, address = panes.bit_length(), (panes - 1).bit_length()
    nulls = len(several.kinds) * several.seen
    data = p["DATA_W"] * _used(ports, "m_data")

    ff = p["WATTR_W"] + 2 * slots + age + 3 + 4 * (cut > 0) + several.valued * several.value + nulls + 7 + age
    lut = 0.9 * p["WATTR_W"] + 2.0 * slots + 0.8 * p["WATTR_W"] * (cut > 0)
    soon = not scan and not several.skew and all(kind in ("CNT", "SUM") for kind in several.kinds)
    ff += data * (2 if soon else 3)
    memory, control = 0, 5 * address + 10 if scan else 0
    for kind in several.kinds:
        adds = kind in ("CNT", "SUM")
        ff += age * (adds and several.left) + age * (several.seen and kind != "CNT")
        ff += (several.number if adds else several.value) + several.seen * (kind != "CNT") + several.left * adds
        if adds:
            total = several.number + address
            ff += (1 + (panes > 63)) * address + 6 + several.skew if not scan else 2 * address + 3
            if scan:
                ff += 2 * total + 1.5 * several.number + several.number // 2 * (not several.skew)
                ff += 2 * several.number * (address <= 5)
                lut += total + 30 + 7.5 * address
            else:
                ring = 2 if panes > 63 else 0 if panes > 33 else 1  # registers around it, its own, that of LUTs
                ff += total + (several.number * ring if panes > 1 else 0)
                lut += total + 14.4 * address
            memory += several.number << address
        else:
            value = several.value + (kind in ("FST", "LST"))
            if scan:
                ff += 5.3 * value + 2 * value * (address <= 5)
                lut += 4 * value + 42 + 7.5 * address
            elif panes < 3:  # no block
                ff += 4.7 * value
                lut += 4.3 * value
            else:
                ff += 8.6 * value + 92 + 6 * address + 2 * value * (address <= 5)
                lut += 10.5 * value + 160 + 4 * address + 100 * (address <= 5)
            memory += value << address
    return Cells(lut, ff + control, memory) + several.bank(slots)


def _wire_join(p: Parameters, ports: Ports) -> Cells:
    """Registers of a tuple: on its way in, in each lane of both match units, in pairs on their way out."""
    rows, lanes, key, time = p["ROWS"], p["MATCH_LANES"], p["KEY_W"], p.get("TIME_W", 0)
    tuple_w = 8 * ceil((key + time + max(p["R_W"], p["DATA_W"] - p["R_W"])) / 8)
    queued = p["DATA_W"] + 2 * key + 2 * time + 5
    compared = lanes * key
    lut = 77 + 3.8 * tuple_w + 2.1 * lanes * tuple_w + 0.15 * compared + (8 + 2.4 * lanes) * time
    ff = 570 + queued + 6.9 * tuple_w + 5.8 * lanes * tuple_w + 2.8 * compared + 11.4 * lanes * time
    more = {"BAND": (3.2, 4.1), "L1": (3.9, 2.2)}.get(p["PREDICATE"], (0, 0))
    memory = 2 * rows * tuple_w + (queued << (p["GRACE"] + 11).bit_length()) + 32 * (lanes + 1) * tuple_w
    return Cells(lut + more[0] * compared, ff + more[1] * compared, memory)


FORMS: dict[str, Callable[[Parameters, Ports], Cells]] = {
    "query:aggregate": _aggregate,
    "query:compute": _compute,
    "query:delay": _delay,
    "query:divide": _divide,
    "query:group_by": _group_by,
    "query:multiplex": _multiplex,
    "query:multiply": _multiply,
    "query:select": _select,
    "query:union": _union,
    "query:window": _window,
    "query:wsum": _wsum,
    "join:wire_join": _wire_join,
    "window:group_panes": _group_panes,
    "window:pane_aggregate": _pane_aggregate,
    "window:session_aggregate": _session_aggregate,
    "window:tuple_numbers": _tuple_numbers,
    "window:wid_aggregate": _wid_aggregate,
}
