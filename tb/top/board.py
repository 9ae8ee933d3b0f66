"""Common parts of the tests of trades_q3 on a board's pins."""

from __future__ import annotations

import logging
import os

from cocotb.triggers import ClockCycles
from cocotbext.eth import GmiiFrame
from scapy.layers.inet import UDP
from scapy.layers.l2 import ARP, Ether

from tb.lib.frames import udp, with_fcs
from tb.lib.golden import CASES, expected, load
from tb.lib.trades_q3 import HELLO, datagrams, golden_rows
from tb.top.test_trades_q3 import rows
from wirestream.schema.packets import DEVICE
from wirestream.schema.tuples import Q3_RESULT, unpack

TICK = 50  # cycles of a simulated millisecond


def env() -> dict[str, str]:
    return {"GOLDEN": str(expected(CASES["start"]))}


async def wakes(dut, clock, button, pressed: int, tick: int = TICK) -> None:
    """After power-up and after the button: the PHY is in reset for 20 ms, the design 1 ms longer."""
    button.value = 1 - pressed
    await ClockCycles(clock, 25 * tick)
    button.value = pressed
    await ClockCycles(clock, 5)
    button.value = 1 - pressed
    held = []
    for _ in range(25 * tick):
        await ClockCycles(clock, 1)
        held.append((int(dut.phy_rst_n.value), int(dut.lights.value) & 1))
    woken(held, tick)
    await ClockCycles(clock, 200)  # the board announces itself


def woken(held: list[tuple[int, int]], tick: int) -> None:
    """Raise unless the PHY and then the design, as (running, running) a cycle, leave their resets in time."""
    phy, design = held.index((1, 0)), held.index((1, 1))
    assert held == [(0, 0)] * phy + [(1, 0)] * (design - phy) + [(1, 1)] * (len(held) - design)
    assert 19 * tick < phy < 21 * tick and design - phy == tick


async def asks_and_counts(source, sink, clock) -> None:
    """An ARP request for the board's address, then trades; the results are PySpark's rows."""
    for model in (source, sink):
        model.log.setLevel(logging.WARNING)
    golden = load(os.environ["GOLDEN"])
    sent = [udp(payload.tobytes()) for block in datagrams(golden.items, 20)[0] for payload in block]
    for frame in [HELLO, *sent]:
        await source.send(GmiiFrame(b"\x55" * 7 + b"\xd5" + with_fcs(frame)))
    await source.wait()
    await ClockCycles(clock, 3000)
    frames = [sink.recv_nowait(compact=False) for _ in range(sink.count())]
    assert all(frame.check_fcs() for frame in frames)
    answer, *results = (Ether(bytes(frame.get_payload())) for frame in frames)
    assert (answer[ARP].hwsrc, answer[ARP].psrc) == (DEVICE.mac, DEVICE.ip)
    payloads = [bytes(frame[UDP].payload)[: frame[UDP].len - 8] for frame in results]
    assert rows([unpack(payload, Q3_RESULT) for payload in payloads]) == golden_rows(golden.rows)
