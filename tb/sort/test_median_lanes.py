"""median_lanes: every median against the model, latency and issue rate to the cycle, partial cycles, resets; and the
comparators that it takes."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb import BUILD
from tb.lib.bench import Pins, rng, start
from tb.lib.run import design, run, run_four_state
from tb.sort.quantiles import draw, sliding
from wirestream.measure.yosys import read, yosys

LATENCY, LANES, SIZE, MEDIAN = 6, 4, 8, 3
Cycle = tuple[list[int], bool]  # the keys of the first lanes, and eos


def cycles(g: random.Random, width: int, streams: int, idle: float) -> Iterator[Cycle]:
    """Streams of any length, which eos ends with their last tuples or after them."""
    for _ in range(streams):
        keys = draw(g, width, g.choice((0, 3, 4, 7, 8, 9, 11, g.randrange(200))))
        alone = len(keys) % LANES == 0 and g.random() < 0.5
        for at in range(0, len(keys), LANES):
            while g.random() < idle:
                yield [], False
            yield keys[at : at + LANES], not alone and at + LANES >= len(keys)
        if alone or not keys:
            while g.random() < idle:
                yield [], False
            yield [], True


async def play(dut, offered: list[Cycle], resets: frozenset[int] = frozenset()) -> int:
    """Offer these tuples and compare the outputs of every cycle; returns the number of medians."""
    g, pins, width = rng("noise"), Pins(dut), int(dut.KEY_W.value)
    stream: list[int] = []
    due: list[tuple[dict[int, int], bool]] = [({}, False)] * LATENCY
    found = 0
    for now, (keys, eos) in enumerate([*offered, *[([], False)] * LATENCY]):
        lanes = keys + [g.getrandbits(width) for _ in range(LANES - len(keys))]
        last = len(keys) - 1 if keys and eos else g.randrange(LANES)
        pins.drive(s_valid=int(bool(keys)), s_eos=int(eos), s_last=last, rst=int(now in resets))
        pins.drive(s_key=sum(key << width * lane for lane, key in enumerate(lanes)))
        before = len(stream)
        stream += keys
        medians = sliding(stream[max(before - SIZE + 1, 0) :], SIZE, [MEDIAN])
        first = len(keys) - len(medians)
        due.append(({first + at: median for at, (median,) in enumerate(medians)}, eos))
        await FallingEdge(dut.clk)
        wanted, ended = due.pop(0)
        valid, key = int(dut.m_valid.value), dut.m_key.value
        assert (valid, int(dut.m_eos.value)) == (sum(1 << lane for lane in wanted), ended), now
        for lane, median in wanted.items():
            assert int(key[width * (lane + 1) - 1 : width * lane]) == median, (now, lane)
        found += len(wanted)
        if eos or now in resets:
            stream = []
        if now in resets:
            due = [({}, False)] * LATENCY
        await RisingEdge(dut.clk)
    return found


async def setup(dut) -> int:
    dut.s_valid.value = dut.s_eos.value = 0
    await start(dut)
    return int(dut.KEY_W.value)


@cocotb.test()
async def four_tuples_in_every_cycle(dut):
    """One stream: all but the first seven tuples have a median."""
    keys = [key for _ in range(20) for key in draw(rng("stream"), await setup(dut), 40)]
    assert await play(dut, [(keys[at : at + LANES], False) for at in range(0, 800, LANES)]) == 793


@cocotb.test()
async def many_streams(dut):
    width = await setup(dut)
    assert await play(dut, list(cycles(rng("streams"), width, 60, idle=0))) > 200


@cocotb.test()
async def pauses_and_resets(dut):
    offered = list(cycles(rng("pauses"), await setup(dut), 60, idle=0.4))
    await play(dut, offered, frozenset(rng("resets").sample(range(len(offered)), 12)))


@pytest.mark.parametrize("key_w", [1, 5, 32, 70])
def test_median_lanes(key_w):
    run("median_lanes", KEY_W=key_w)


def test_four_state():
    run_four_state("median_lanes", "pauses_and_resets", KEY_W=9)


def test_comparators():
    """Four medians share 16 comparators; each has seven half ones of its own. Figure 6.25 has 10 and 7 for each."""
    core = design("median_lanes").with_parameters(KEY_W=1)
    folder = BUILD / "networks" / core.label
    script = [*read(core), "proc", "setattr -mod -set keep_hierarchy 1 *ws_comparator*", "flatten", "opt_clean"]
    yosys([*script, "write_json core.json"], folder, "core")
    modules = json.loads((folder / "core.json").read_text())["modules"]
    module = next(m for m in modules.values() if int(m["attributes"].get("top", "0"), 2))
    cells = module["cells"].values()
    read_bits = {
        bit
        for cell in cells
        for port, bits in cell["connections"].items()
        if cell["port_directions"][port] == "input"
        for bit in bits
    }
    read_bits |= set(module["ports"]["m_key"]["bits"])
    comparators = [cell["connections"] for cell in cells if "ws_comparator" in cell["type"]]
    used = Counter(sum(ports[name][0] in read_bits for name in ("low", "high")) for ports in comparators)
    assert used == {2: 16, 1: 28}
