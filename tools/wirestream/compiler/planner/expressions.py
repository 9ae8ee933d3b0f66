"""Computation, selection and projection: operators merged into clock cycles, and operations of several cycles.

Combinational operators are merged into one clock cycle as long as their delays fit (`merge`); then a register follows.
Products, quotients, and what is too wide for a clock cycle by itself, are pipelined.
Delays are estimates in nanoseconds for an ECP5 at speed 8; `make synth` measures the result after place and route.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from math import ceil

from wirestream.compiler import cores
from wirestream.compiler.circuit import ZERO, Bus, Signal, part
from wirestream.compiler.plan import (
    Aggregate,
    Column,
    Compute,
    Constant,
    Filter,
    Plan,
    Project,
    Value,
    hidden,
    without_steps,
)
from wirestream.compiler.planner import strings
from wirestream.compiler.planner.needs import Step, before, made_by
from wirestream.compiler.planner.wiring import Wiring
from wirestream.compiler.texts import EDITS, MEASURES, PATTERNS, SHIFTS
from wirestream.compiler.types import Text, Type

OPS = {
    "+": "ADD",
    "-": "SUB",
    "=": "EQ",
    "<>": "NE",
    "<": "LT",
    "<=": "LE",
    ">": "GT",
    ">=": "GE",
    "and": "AND",
    "or": "OR",
    "not": "NOT",
    "beyond": "NE",
    "&": "AND",
    "|": "OR",
    "^": "XOR",
    "~": "NOT",
    "<<": "SHL",
    ">>": "SHR",
    **SHIFTS,
    "part": "SHR",
}
DIVISIONS = ("div", "%")
PIPELINED = ("*", *DIVISIONS, "root", "lookup", *strings.PIPELINED)
EQUALITIES = ("=", "<>", "beyond")
IN_PARTS = (*EQUALITIES, "+", "-", "<", "<=", ">", ">=")  # what ws_compute_wide can compute
REGISTER_NS = 1.2  # clock to output of a register, and setup of the next
SUM_NS, CARRY_NS = 1.2, 0.04  # of a sum or comparison, and the increment per bit
PLACE_NS, MOVED_NS = 0.5, 0.02  # of a shift: for each bit of the number of places, and of the value
EQUAL_NS, PAIR_NS = 1.0, 0.01  # of an equality, and the increment per bit
ROUNDING = 1e-6
LEAST_PART = 40  # bits that are added or compared in one cycle however fast the clock is: a sum of 32 bits in one part
DIVIDE_NS, DIVISOR_NS = 3.5, 0.05  # a cycle of ws_divide or ws_square_root, and per bit of the divisor or root
MOST_BLOCKS = 32  # multiplier blocks of a reciprocal, of the 156 of an ECP5-85
DIVIDE_CYCLES = 32  # between ends of time windows whose rows are divided, which keeps the divider small
LONG_W = 64  # bits of a value in a row


def chain(wiring: Wiring, steps: list[Step], bus: Bus, closed: bool) -> Bus:
    """The bus after all steps; closed: it ends in registers."""
    merge, clock_ns = wiring.rewrites.merge, wiring.clock_ns
    texts: list[str] = []
    begin = bus
    steps = _arranged(wiring, steps)

    def close(bus: Bus, wanted: set[str]) -> Bus:
        nonlocal begin
        begin = wiring.stage(texts or ["register"], wiring.register(bus, wanted), 1, [begin])
        texts.clear()
        return begin

    position = 0
    while position < len(steps):
        group = _side_by_side(wiring, steps[position:])
        needed, position = steps[position].before, position + len(group)
        behind = steps[position - 1].behind
        if _pipelined(wiring, group[0]):
            if bus.late(bus.columns) > 0:
                bus = close(bus, needed)
            elif texts:
                bus = wiring.stage(texts, bus, 0, [begin])
                texts.clear()
            bus = begin = _pipeline(wiring, group, bus, behind)
            continue
        delay = max(_delay(step, bus) for step in group)
        if merge and delay + REGISTER_NS > clock_ns and bus.late(bus.columns) > 0:
            bus = close(bus, needed)
        for step in group:
            bus = _simple(wiring, step, bus)
            if not (isinstance(step, Compute) and hidden(step.output.name)):
                texts.append(str(step))
        if not merge:
            bus = close(bus, behind)
    if closed and (bus.latency == 0 or bus.late(bus.columns) > 0):
        return close(bus, steps[-1].behind if steps else set(bus.columns))
    return wiring.stage(texts, bus, 0, [begin]) if texts else bus


def _pipelined(wiring: Wiring, step: Plan) -> bool:
    """Whether the step takes more than a cycle."""
    if not isinstance(step, Compute):
        return False
    if step.operator in IN_PARTS:
        return _width(step) > LEAST_PART and _alone(step) + REGISTER_NS > wiring.clock_ns + ROUNDING
    if step.operator in PATTERNS:
        return strings.match_stages(step, wiring.clock_ns - REGISTER_NS) > 0
    return step.operator in PIPELINED


def _arranged(wiring: Wiring, steps: list[Step]) -> list[Step]:
    """The steps with the computations between two others in rounds: first what the operations of several cycles need,
    then these, then what can run in parallel to them. A round needs the operations of the one before it."""
    if not wiring.rewrites.parallel:
        return steps
    runs = (list(run) for _, run in groupby(steps, lambda step: isinstance(step.node, Compute)))
    return [step for run in runs for step in _in_rounds(wiring, run)]


def _in_rounds(wiring: Wiring, run: list[Step]) -> list[Step]:
    long = [_pipelined(wiring, step.node) for step in run]
    if not any(long):
        return run
    makers = {name: n for n, step in enumerate(run) for name in made_by(step.node)}
    needs = [[makers[name] for name in _read([step.node]) if name in makers] for step in run]
    rounds: list[int] = []
    for found in needs:
        rounds.append(max((rounds[n] + long[n] for n in found), default=0))
    first: set[int] = set()  # what the operations of several cycles of their round need
    for n in reversed(range(len(run))):
        if long[n] or n in first:
            first.update(m for m in needs[n] if rounds[m] == rounds[n])
    order = sorted(range(len(run)), key=lambda n: (rounds[n], n not in first, not long[n]))
    if order == sorted(order):
        return run
    arranged, behind = [], run[-1].behind
    for node in (run[n].node for n in reversed(order)):
        if made_by(node) & behind:  # else only another query needs it
            arranged.append(Step(node, before(node, behind), behind))
            behind = arranged[-1].before
    return arranged[::-1]


def _read(steps: Iterable[Compute]) -> set[str]:
    """The columns that computations read."""
    return {v.name for step in steps for v in step.operands if isinstance(v, Column)}


def _side_by_side(wiring: Wiring, steps: list[Step]) -> list[Plan]:
    """The leading steps that can run in parallel: those within a clock cycle, or operations of several cycles and
    what does not need them; only one if `parallel` is off."""
    first = steps[0].node
    group = [first]
    if not wiring.rewrites.parallel or not isinstance(first, Compute):
        return group
    long = _pipelined(wiring, first)
    made, beside = made_by(first), set()
    for step in (s.node for s in steps[1:]):
        if not isinstance(step, Compute):
            break
        more = _pipelined(wiring, step)
        if (more and not long) or _read([step]) & (made | beside if more else made):
            break
        group.append(step)
        if more == long:
            made |= made_by(step)
        else:
            beside |= made_by(step)
    return group


# ---- within a clock cycle


def _delay(step: Plan, bus: Bus) -> float:
    """When the step's result settles, in ns after the clock edge."""
    if isinstance(step, Project):
        return bus.late(v.name for _, v in step.outputs if isinstance(v, Column))
    if isinstance(step, Filter):
        return bus.late([step.condition.name]) + 0.6
    ready = max([bus.delays.get(v.name, 0.0) for v in step.operands if isinstance(v, Column)], default=0.0)
    return ready + _alone(step)


def _alone(step: Compute) -> float:
    """How long a computation takes, in ns."""
    if step.operator == "cast":
        return 0.0
    if step.operator == "if":
        return 0.7
    if step.operator in ("and", "or", "not", "&", "|", "^", "~"):
        return 0.6
    if step.operator in ("<<", ">>"):
        value, places = step.operands
        return 0.0 if isinstance(places, Constant) else PLACE_NS * places.type.width + MOVED_NS * value.type.width
    if step.operator in SHIFTS:
        value, places = step.operands
        return 0.0 if isinstance(places, Constant) else PLACE_NS * places.type.width + MOVED_NS * value.type.width
    if step.operator == "part":
        return 0.0
    if step.operator in (*MEASURES, *EDITS):
        return strings.delay(step)
    if step.operator in PATTERNS:
        return strings.match_ns(step, step.operands[0].type.length)
    if step.operator in EQUALITIES:
        return EQUAL_NS + PAIR_NS * _width(step)
    return SUM_NS + CARRY_NS * _width(step)


def _width(step: Compute) -> int:
    """Of the widest operand, and of a sum or difference that is wider."""
    return max(v.type.width for v in (*step.operands, step.output))


def sum_bits(clock_ns: float) -> int:
    """Bits of the widest sum or comparison in a clock cycle."""
    return int((clock_ns - REGISTER_NS - SUM_NS + ROUNDING) / CARRY_NS)


def _simple(wiring: Wiring, step: Plan, bus: Bus) -> Bus:
    delay = _delay(step, bus)
    if isinstance(step, Project):
        columns = {
            c.name: wiring.value(bus, v) for c, v in step.outputs if not isinstance(v, Column) or v.name in bus.columns
        }
        delays = {c.name: bus.delays[v.name] for c, v in step.outputs if isinstance(v, Column) and v.name in bus.delays}
        return replace(bus, columns=columns, delays=delays)
    if isinstance(step, Filter):
        inputs = wiring.inputs(bus) | {"keep": bus.columns[step.condition.name].text}
        made = wiring.make(cores.Select(1, 0), inputs, {"m_valid": 1})
        return replace(bus, valid=made["m_valid"], delay=delay)
    width = step.output.type.width
    if step.operator == "cast":
        (value,) = step.operands
        signal = _fitted(wiring.value(bus, value), value.type, step.output.type)
        return replace(
            bus,
            columns=bus.columns | {step.output.name: signal},
            delays=bus.delays | {step.output.name: delay},
        )
    core, operands = _computation(wiring, step, bus)
    made = wiring.make(core, wiring.inputs(bus) | operands, {"y": width})
    columns = bus.columns | {step.output.name: Signal(made["y"], width)}
    return replace(bus, columns=columns, delays=bus.delays | {step.output.name: delay})


def _computation(wiring: Wiring, step: Compute, bus: Bus) -> tuple[cores.Core, dict[str, str]]:
    """Core and operands of an operation that takes less than a clock cycle."""
    if step.operator == "if":
        condition, *values = step.operands
        a, b = (_fitted(wiring.value(bus, v), v.type, step.output.type) for v in values)
        operands = {"condition": wiring.value(bus, condition).text, "a": a.text, "b": b.text}
        return cores.Choose(step.output.type.width, 1, 0), operands
    signed = any(v.type.signed for v in step.operands)
    if step.operator in PATTERNS:
        return strings.match(step, 0), {"a": wiring.value(bus, step.operands[0]).text}
    if step.operator in (*MEASURES, *EDITS):
        return strings.measure_or_edit(step), {"a": wiring.value(bus, step.operands[0]).text}
    if step.operator in SHIFTS:  # by bytes
        a, places = (wiring.value(bus, v) for v in step.operands)
        b = Signal(f"{{{places.text}, 3'h0}}", places.width + 3)
    elif step.operator == "part":
        a = wiring.value(bus, step.operands[0])
        before, count = (number.value for number in step.operands[1:])
        b = Signal("", a.width.bit_length(), value=a.width - 8 * (before + count))
    elif step.operator in ("<<", ">>"):  # the number of places is never negative
        signed = step.operands[0].type.signed
        a, b = (wiring.value(bus, v) for v in step.operands)
    else:
        a, b = (*(wiring.operand(bus, v, signed) for v in step.operands), ZERO)[:2]
    if step.operator == "beyond":  # in a long, all bits above bit 62 equal the sign
        a, b = a.above(LONG_W - 1), a.above(LONG_W - 1).resized(1, signed) if signed else ZERO
    core = cores.Compute(OPS[step.operator], a.width, b.width, step.output.type.width, int(signed), 1, 0)
    return core, {"a": a.text, "b": b.text}


def _fitted(signal: Signal, kind: Type, wanted: Type) -> Signal:
    """A value as one of a wider type: a number with its sign, a string with zeros after it."""
    if isinstance(wanted, Text) and signal.width < wanted.width:
        return Signal(f"{{{signal.text}, {wanted.width - signal.width}'h0}}", wanted.width)
    return signal.resized(wanted.width, kind.signed)


# ---- operations of several cycles


def _pipeline(wiring: Wiring, group: list[Compute], bus: Bus, behind: set[str]) -> Bus:
    """Operations in parallel; the slowest carries the tuple, and the results of the others are delayed."""
    long = [step for step in group if _pipelined(wiring, step)]
    operations = [_operation(wiring, step, bus, long) for step in long]
    latencies = [core.latency for core, *_ in operations]
    short = [step for step in group if not _pipelined(wiring, step)]
    beside = _beside(wiring, short, bus, max(latencies), behind)
    latency = max(*latencies, beside.latency)
    carrier = operations[latencies.index(max(latencies))][:2]
    passed = behind - {name for step in group for name in made_by(step)}
    kept = {name: signal for name, signal in bus.columns.items() if name in passed}
    results: dict[str, Signal] = {}
    for step, (core, operands, port, width) in zip(long, operations, strict=True):
        outputs = {port: width} | ({"y_null": 1} if step.makes_null else {})
        if (core, operands) == carrier:
            carried, made = wiring.through(core, bus, kept, operands, outputs)
        else:
            made = wiring.make(core, wiring.inputs(bus) | operands, outputs)
        found = {step.output.name: part(made[port], width, width)}
        signed = bool(getattr(core, "SIGNED", 0))
        found[step.output.name] = found[step.output.name].resized(step.output.type.width, signed)
        if step.makes_null:
            found[step.output.null] = Signal(made["y_null"], 1)
        results |= {column: wiring.delayed(signal, latency - core.latency) for column, signal in found.items()}
    if latency > max(latencies):
        carried = wiring.register(carried, kept, latency - max(latencies))
    carried = replace(carried, columns=carried.columns | results | beside.columns)
    shown = [*long, *(step for step in short if not hidden(step.output.name))]
    return wiring.stage([str(step).removeprefix(".") for step in shown], carried, latency, [bus])


def _beside(wiring: Wiring, steps: list[Compute], bus: Bus, cycles: int, behind: set[str]) -> Bus:
    """Computations in parallel to operations of `cycles`, or more if they take longer; no tuple goes with them."""
    wanted = behind & {name for step in steps for name in made_by(step)}
    side = replace(bus, valid=ZERO.text, punct=ZERO.text, eos=ZERO.text, latency=0)

    def later(names: set[str], count: int) -> Bus:
        columns = {n: wiring.delayed(signal, count) for n, signal in side.columns.items() if n in names}
        return replace(side, columns=columns, delays={}, latency=side.latency + count)

    for n, step in enumerate(steps):
        fits = wiring.rewrites.merge and _delay(step, side) + REGISTER_NS <= wiring.clock_ns
        if not fits and side.late(side.columns) > 0:
            side = later(wanted | _read(steps[n:]), 1)
        side = _simple(wiring, step, side)
    return later(wanted, max(cycles - side.latency, int(side.late(wanted) > 0)))


def _apart(wiring: Wiring, step: Plan, bus: Bus) -> int:
    """The least distance in cycles between two divisions or roots.

    Rows of windows in time are as far apart as the entry keeps the windows' ends, rows of windows of tuples as far as
    these tuples. Groups have a row per cycle, and the queues of a union do not keep distances.
    """
    step = without_steps(step)
    if not isinstance(step, Aggregate) or step.keys or not bus.exact:
        return 1
    if not step.window.in_time:
        return max(1, step.window.advance - bus.wait)
    wiring.close(DIVIDE_CYCLES + bus.wait)
    return DIVIDE_CYCLES


def _operation(wiring: Wiring, step: Compute, bus: Bus, group: list[Compute]) -> tuple[cores.Core, dict, str, int]:
    """The core and operands of an operation, and its output port with the width. group: operations in parallel."""
    if step.operator in PATTERNS:
        core = strings.match(step, strings.match_stages(step, wiring.clock_ns - REGISTER_NS))
        return core, {"a": wiring.value(bus, step.operands[0]).text}, "y", 1
    if step.operator in strings.PIPELINED:
        core = strings.PIPELINED[step.operator](step, wiring.clock_ns - REGISTER_NS)
        return core, {"a": wiring.value(bus, step.operands[0]).text}, "y", step.output.type.width
    if step.operator == "lookup":
        index, table = step.operands
        words = f"{table.type.width}'h{table.value:x}"
        core = cores.Lookup(1, index.type.width, step.output.type.width, words)
        return core, {"a": wiring.value(bus, index).text}, "y", core.Y_W
    if step.operator not in PIPELINED:
        core, operands = _computation(wiring, step, bus)
        most = sum_bits(wiring.clock_ns)
        wide = cores.ComputeWide(core.OP, core.A_W, core.B_W, core.Y_W, core.SIGNED, 1, max(most, LEAST_PART))
        return wide, operands, "y", core.Y_W
    if step.operator == "root":
        a = wiring.value(bus, step.operands[0])
        width = ceil(a.width / 2)
        fast = wiring.clock_ns < DIVIDE_NS + DIVISOR_NS * width
        return cores.SquareRoot(1, a.width, int(fast), _apart(wiring, step, bus)), {"a": a.text}, "y", width
    signed = any(v.type.signed for v in step.operands)
    a, b = (wiring.operand(bus, v, signed) for v in step.operands)
    if step.operator == "*":
        return cores.Multiply(1, a.width, b.width, int(signed)), {"a": a.text, "b": b.text}, "y", a.width + b.width
    if a.width < 2:
        a = Signal(f"{{1'b0, {a.text}}}", 2)
    remainder = any(other.operator == "%" and other.operands == step.operands for other in group)
    if by_constant := _reciprocal(step.operands[1], a.width, int(signed), int(remainder)):
        port, width = ("y", a.width) if step.operator == "div" else ("r", by_constant.DIVISOR_W)
        return by_constant, {"a": a.text}, port, width
    quotient = _quotient_width(step, a.width, group)
    port, width = ("y", quotient + signed) if step.operator == "div" else ("r", b.width)
    fast = wiring.clock_ns < DIVIDE_NS + DIVISOR_NS * b.width and min(quotient, b.width) > 1
    apart = _apart(wiring, step, bus)
    divide = cores.Divide(1, a.width, b.width, int(signed), quotient, int(fast), apart)
    return divide, {"a": a.text, "b": b.text}, port, width


def _reciprocal(divisor: Value, width: int, signed: int, remainder: int) -> cores.DivideConst | None:
    """The core that divides numbers of this width by a constant, if the constant is positive, and has a multiple among
    them, and the core no more than `MOST_BLOCKS`: a wide dividend takes a ws_divide, of few LUTs and many cycles."""
    if not isinstance(divisor, Constant) or not 0 < (divisor.value or 0) <= 2 ** (width - signed):
        return None
    core = cores.DivideConst(1, width, divisor.value.bit_length() + signed, divisor.value, signed, remainder)
    return core if core.blocks <= MOST_BLOCKS else None


def _quotient_width(step: Compute, dividend: int, group: list[Compute]) -> int:
    """Bits of the quotient's magnitude. For an average these are the bits of its values, fewer than the dividend's. A
    remainder has the quotient of the same operands in `group`, so that one core computes both."""
    quotients = [step, *(other for other in group if other.operands == step.operands)]
    kind = next((each.output.type for each in quotients if each.operator == "div"), None)
    return min(dividend, max(abs(kind.low), abs(kind.high)).bit_length() or 1) if kind else dividend
