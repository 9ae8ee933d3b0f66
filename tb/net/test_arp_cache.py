"""arp_cache: every lookup and op matches a plain model of the table, to the cycle where the contract says so.

The model keeps entries as Python objects, and computes the entry to evict from them by the contract.
"""

from dataclasses import dataclass

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from tb.lib.bench import reset, rng, start
from tb.lib.events import Events
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle

ASK, UPDATE, INSERT, CLEAR, SET = 1, 2, 3, 4, 5
PENDING, KNOWN, STATIC = "pending", "known", "static"
LATENCY, OP_LATENCY, OP_WORST, SPACING = 6, 9, 24, 8
SMALL = {"REACHABLE_S": 6, "RETRIES": 2, "NEGATIVE_S": 3, "SECOND_TICKS": 16}


@dataclass
class Entry:
    ip: int
    kind: str
    mac: int = 0
    left: int = 0  # seconds
    new: bool = True
    due: bool = False


class Model:
    """The table by its contract; the order of a set is fixed, because the first of equal entries is evicted."""

    def __init__(self, entries: int, reachable: int, retries: int, negative: int):
        self.sets = entries // 8
        self.places: list[Entry | None] = [None] * entries
        self.reachable, self.retries, self.negative = reachable, retries, negative
        self.events: dict[str, int] = {}
        self.visited = entries // 2  # the first entry to be visited after reset

    def _event(self, name: str) -> None:
        self.events[name] = self.events.get(name, 0) + 1

    def _places(self, ip: int) -> range:
        first = ip % self.sets * 8
        return range(first, first + 8)

    def find(self, ip: int) -> Entry | None:
        found = [entry for entry in self.places if entry and entry.ip == ip]
        assert len(found) <= 1
        return found[0] if found else None

    def lookup(self, ip: int) -> tuple[bool, bool, int]:
        """(found, wanted, mac)"""
        entry = self.find(ip)
        if not entry:
            return False, True, 0
        return entry.kind != PENDING, entry.due, entry.mac

    def _age(self, entry: Entry | None) -> tuple:
        if entry is None:
            return (0,)
        return (1 if entry.kind == PENDING else 2, entry.left)

    def op(self, code: int, ip: int, mac: int) -> bool:
        """Whether to send a request."""
        entry = self.find(ip)
        if entry is None and code in (ASK, INSERT, SET):
            able = [
                place
                for place in self._places(ip)
                if not (old := self.places[place]) or (old.kind != STATIC and (code == SET or not old.new))
            ]
            if not able:
                self._event("full")
                return False
            place = min(able, key=lambda p: self._age(self.places[p]))
            if self.places[place] and self.places[place].kind == KNOWN:
                self._event("replaced")
            entry = self.places[place] = Entry(ip, PENDING, left=self.negative + self.retries + 1)
            if code == ASK:
                return True
        if entry is None:
            return False
        match code:
            case 1:
                ask, entry.due = entry.due, False
                return ask
            case 2 | 3:
                if entry.kind != STATIC:
                    entry.kind, entry.mac, entry.left, entry.new, entry.due = KNOWN, mac, self.reachable, True, False
            case 4:
                self.places[self.places.index(entry)] = None
            case 5:
                entry.kind, entry.mac, entry.left, entry.new, entry.due = STATIC, mac, 0, False, False
        return False

    def visit(self) -> None:
        place, self.visited = self.visited, (self.visited + 1) % len(self.places)
        entry = self.places[place]
        if not entry or entry.kind == STATIC:
            return
        left, was_new, entry.new = entry.left, entry.new, False
        entry.left -= 1
        if entry.kind == KNOWN:
            entry.due = left <= self.reachable // 2
        else:
            entry.due = left > self.negative and not was_new
        if not entry.left:
            self._event("aged" if entry.kind == KNOWN else "unanswered")
            self.places[place] = None


class Bench:
    def __init__(self, dut):
        self.dut = dut
        number = {name: dut_value(dut, name) for name in ("ENTRIES", "REACHABLE_S", "RETRIES", "NEGATIVE_S")}
        self.model = Model(*number.values())
        self.step = -(-dut_value(dut, "SECOND_TICKS") // number["ENTRIES"])
        self.events = Events(dut)
        self.noise = rng("noise")

    async def lookup(self, ip: int, space: int = SPACING) -> None:
        """One lookup, checked against the model; ends `space` cycles after it began."""
        dut, expected = self.dut, self.model.lookup(ip)
        dut.lookup_valid.value, dut.lookup_ip.value = 1, ip
        began = cycle()
        await RisingEdge(dut.clk)
        dut.lookup_valid.value = 0
        while True:
            await RisingEdge(dut.clk)
            if dut.lookup_done.value == 1:
                break
            assert cycle() - began < 20
        assert cycle() - began == LATENCY + 1  # sampled at the end of its cycle
        found, wanted = int(dut.lookup_found.value), int(dut.lookup_wanted.value)
        assert (found, wanted) == expected[:2], f"{ip:08x}"
        if found:
            assert int(dut.lookup_mac.value) == expected[2], f"{ip:08x}"
        dut.lookup_ip.value = self.noise.getrandbits(32)
        for _ in range(space - LATENCY - 1):
            await RisingEdge(dut.clk)

    async def op(self, code: int, ip: int, mac: int = 0) -> bool:
        """One op; returns op_ask, which must match the model. The model is updated when the op is done."""
        dut = self.dut
        dut.op_valid.value, dut.op_code.value, dut.op_ip.value, dut.op_mac.value = 1, code, ip, mac
        self.began = cycle()
        while True:
            await RisingEdge(dut.clk)
            if dut.op_done.value == 1:
                break
            assert cycle() - self.began < 100, "the op does not end"
        self.took = cycle() - self.began - 1
        dut.op_valid.value = 0
        asked = bool(int(dut.op_ask.value))
        expected = self.model.op(code, ip, mac)
        assert asked == expected, f"op {code} of {ip:08x}"
        dut.op_code.value, dut.op_ip.value = self.noise.getrandbits(3), self.noise.getrandbits(32)
        dut.op_mac.value = self.noise.getrandbits(48)
        await RisingEdge(dut.clk)
        return asked

    async def visit(self) -> None:
        """Let time pass until one entry has been visited."""
        self.dut.tick_ms.value = 1
        await ClockCycles(self.dut.clk, self.step)
        self.dut.tick_ms.value = 0
        await ClockCycles(self.dut.clk, 14)
        self.model.visit()

    async def second(self) -> None:
        for _ in self.model.places:
            await self.visit()

    async def check(self, addresses) -> None:
        for ip in addresses:
            await self.lookup(ip)
        assert self.events.take() == self.model.events
        self.model.events = {}


def dut_value(dut, name: str) -> int:
    return int(getattr(dut, name).value)


async def bench(dut) -> Bench:
    for name in ("tick_ms", "lookup_valid", "lookup_ip", "op_valid", "op_code", "op_ip", "op_mac"):
        getattr(dut, name).value = 0
    await start(dut)
    b = Bench(dut)
    await ClockCycles(dut.clk, dut_value(dut, "ENTRIES"))
    return b


@cocotb.test()
async def smoke(dut):
    """Learned, found, expired."""
    b = await bench(dut)
    await b.op(SET, 7, 0x020000000007)
    await b.op(INSERT, 8, 0x020000000008)
    await b.op(UPDATE, 9, 0x020000000009)
    assert await b.op(ASK, 10)
    await b.check((7, 8, 9, 10))
    await b.op(UPDATE, 10, 0x02000000000A)
    await b.op(CLEAR, 7)
    await b.check((7, 8, 9, 10))


@cocotb.test()
async def random_ops(dut):
    """Ops, lookups and time in random order, on few addresses, so that sets overflow."""
    b, generator = await bench(dut), rng("ops")
    addresses = [0x0A000000 + n for n in range(3 * len(b.model.places) // 2)]
    addresses += [0x0A000100 + n * b.model.sets for n in range(12)]  # all in one set
    for _ in range(1500):
        ip, what = generator.choice(addresses), generator.random()
        if what < 0.45:
            await b.lookup(ip, generator.randrange(SPACING, 12))
        elif what < 0.85:
            code = generator.choices((ASK, UPDATE, INSERT, CLEAR, SET), (8, 4, 6, 2, 1))[0]
            await b.op(code, ip, generator.getrandbits(48))
        else:
            for _ in range(generator.choice((1, 1, 1, len(b.model.places)))):
                await b.visit()
    await b.check(addresses)


@cocotb.test()
async def life_of_entries(dut):
    """Second by second: a pending entry is retried RETRIES times, silent, freed; a known one due in its second half."""
    b = await bench(dut)
    model = b.model
    assert await b.op(ASK, 1)
    assert not await b.op(ASK, 1)
    asked = []
    for _ in range(model.negative + model.retries + 2):
        await b.second()
        asked.append(await b.op(ASK, 1) if model.find(1) else None)
        assert not model.find(1) or not await b.op(ASK, 1), "requested twice in a second"
    assert asked.count(True) == model.retries and asked[-1] is None
    await b.check([1])
    await b.op(INSERT, 2, 5)
    await b.op(SET, 3, 6)
    for second in range(1, model.reachable + 1):
        await b.second()
        found, wanted, _ = model.lookup(2)
        assert found == (second < model.reachable)
        assert wanted == (second > model.reachable // 2 or not found)
        await b.check((2, 3))


@cocotb.test()
async def oldest_makes_room(dut):
    """A full set: new entries are protected, then the oldest is evicted; static ones stay; a set of them is full."""
    b = await bench(dut)
    stride = b.model.sets
    for n in range(8):
        await b.op(INSERT, n * stride, 0x100 + n)
    await b.op(INSERT, 8 * stride, 1)
    assert b.model.events.get("full")
    await b.second()
    await b.op(UPDATE, 0, 0x200)  # now the youngest
    await b.op(INSERT, 8 * stride, 1)
    assert b.model.events.get("replaced") == 1
    await b.check(n * stride for n in range(10))
    for n in range(20, 28):
        await b.op(SET, n * stride, n)
    for code in (SET, ASK, INSERT):
        await b.op(code, 30 * stride, 1)
    assert b.model.events["full"] == 3
    await b.op(INSERT, 20 * stride, 1)  # does not change a static one
    await b.check(n * stride for n in (*range(10), *range(20, 31)))


@cocotb.test()
async def latency_of_an_op(dut):
    """9 cycles alone; at most 24 while lookups come every 8 cycles, at every phase."""
    b, generator = await bench(dut), rng("latency")
    await b.op(SET, 1, 0x123456789ABC)
    for code in (ASK, INSERT, UPDATE, CLEAR):
        await b.op(code, 2, 1)
        assert b.took == OP_LATENCY, b.took

    async def lookups():
        while True:
            await b.lookup(1)  # its answer never changes

    task = cocotb.start_soon(lookups())
    for _ in range(200):
        await b.op(generator.choice((ASK, INSERT, UPDATE, CLEAR)), generator.randrange(2, 20), 1)
        assert b.took <= OP_WORST, b.took
        await ClockCycles(dut.clk, generator.randrange(1, 9))
    task.cancel()


@cocotb.test()
async def lookups_see_one_state(dut):
    """While an address alternates between two MACs, every lookup returns one of them, never a mixture."""
    b, generator = await bench(dut), rng("atomic")
    dut.lookup_ip.value = 2
    macs = (0x0, 0xFFFFFFFFFFFF)
    await b.op(INSERT, 2, macs[0])

    async def change():
        while True:
            for mac in macs:
                await b.op(INSERT, 2, mac)
                await ClockCycles(dut.clk, generator.randrange(1, 12))

    task = cocotb.start_soon(change())
    seen = set()
    for _ in range(300):
        dut.lookup_valid.value = 1
        await RisingEdge(dut.clk)
        dut.lookup_valid.value = 0
        await ClockCycles(dut.clk, 6)
        await RisingEdge(dut.clk)
        seen.add((int(dut.lookup_done.value), int(dut.lookup_found.value), int(dut.lookup_mac.value)))
        await ClockCycles(dut.clk, generator.randrange(0, 4) + 1)
    task.cancel()
    assert seen <= {(1, 1, mac) for mac in macs} | {(0, 1, mac) for mac in macs} and len(seen) == 2


@cocotb.test()
async def reset_forgets(dut):
    """Reset during an op and a lookup: no entry remains, not even while the entries are being freed."""
    b = await bench(dut)
    for at in range(1, 14):
        await b.op(SET, 5, 9)
        await b.op(SET, 40, 9)
        dut.op_valid.value, dut.op_code.value, dut.op_ip.value, dut.op_mac.value = 1, SET, 6, 9
        dut.lookup_valid.value, dut.lookup_ip.value = at % 2, 5
        await RisingEdge(dut.clk)
        dut.lookup_valid.value = 0
        await ClockCycles(dut.clk, at)
        dut.op_valid.value = 0
        await reset(dut, 1)
        b.model = Model(len(b.model.places), b.model.reachable, b.model.retries, b.model.negative)
        b.events.take()
        for ip in (40, 5, 6, 40, 5):
            await b.lookup(ip)
        await b.check((5, 6, 40))


@pytest.mark.parametrize("entries", [8, 32])
def test_arp_cache(entries):
    run("arp_cache", ENTRIES=entries, **SMALL)


def test_four_state():
    run_four_state("arp_cache", "smoke", ENTRIES=16, **SMALL)
