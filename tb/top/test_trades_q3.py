"""trades_q3, GMII to GMII: Scapy's frames in, result frames out, row by row as PySpark computes; every drop counted.

A few frames go through cocotb's bus models, cycle by cycle; long streams go through the bulk bench.
"""

import logging
import os
from collections import Counter
from dataclasses import replace

import cocotb
import numpy as np
import pytest
from cocotb.triggers import ClockCycles
from cocotbext.eth import GmiiFrame, GmiiSink, GmiiSource
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether

from tb import BUILD
from tb.lib.bench import reset, rng, start
from tb.lib.frames import (
    PEER_IP,
    PEER_MAC,
    PEER_PORT,
    bad_frames,
    cut_frames,
    good_frames,
    udp,
    verdict,
    with_fcs,
)
from tb.lib.golden import CASES, expected, load
from tb.lib.run import run, run_four_state
from tb.lib.trades_q3 import HELLO, INPUTS, bench, datagrams, golden_rows, play, play_items
from tb.lib.tuplebus import cycle
from wirestream.schema.packets import FCS, MAX_RECEIVED
from wirestream.schema.tuples import PUNCT, Q3_RESULT, START, TRADES, Header, pack, unpack
from wirestream.sim.bulk import FAULT, RANDOM, PacketFlag

LATENCY = 156  # cycles, last octet of the closing frame to first octet of the result's, as the core's header says
LIMIT = 3600  # MAX_AHEAD of the goldens that have one
SOUND = PacketFlag(0)

# ---- cocotb: a few frames, cycle by cycle


class Bench:
    async def start(self, dut):
        self.dut = dut
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.WARNING)
        for name, value in INPUTS.items():
            getattr(dut, name).value = value
        self.source = GmiiSource(dut.gmii_rxd, dut.gmii_rx_er, dut.gmii_rx_dv, dut.clk)
        await start(dut)
        self.sink = GmiiSink(dut.gmii_txd, dut.gmii_tx_er, dut.gmii_tx_en, dut.clk)  # outputs are X before the reset
        self.source.log.setLevel(logging.WARNING)
        self.sink.log.setLevel(logging.WARNING)
        await self.send_frame(HELLO)
        return self

    async def restart(self):
        """Reset, and send HELLO again."""
        await reset(self.dut)
        await self.send_frame(HELLO)

    async def send(self, items: np.ndarray, per_datagram: int = 1) -> None:
        """Send items in frames that Scapy builds."""
        for block in datagrams(items, per_datagram)[0]:
            for payload in block:
                await self.send_frame(udp(payload.tobytes()))

    async def send_frame(self, frame: bytes) -> None:
        await self.source.send(GmiiFrame(b"\x55" * 7 + b"\xd5" + with_fcs(frame)))

    async def results(self) -> list[tuple[Header, np.ndarray]]:
        """The output once all is idle: each frame checked and dissected by Scapy."""
        await self.source.wait()
        before = -1
        while before != self.sink.count():
            before = self.sink.count()
            await ClockCycles(self.dut.clk, 600)
        found = []
        while not self.sink.empty():
            frame = self.sink.recv_nowait()
            data = frame.get_payload()
            assert frame.check_fcs()
            packet = Ether(data)
            if ARP in packet:  # the answer to HELLO
                continue
            assert (packet.dst, packet[IP].dst, packet[UDP].dport) == (PEER_MAC, PEER_IP, PEER_PORT)
            again = packet.copy()
            del again[IP].chksum, again[UDP].chksum
            assert bytes(Ether(bytes(again))) == data, "a checksum is wrong"
            found.append(unpack(bytes(packet[UDP].payload)[: packet[UDP].len - 8], Q3_RESULT))
        return found


def rows(results: list[tuple[Header, np.ndarray]]) -> list[list[tuple[int, int]]]:
    """(Time, Number) by session, without punctuations."""
    sessions: dict[int, list] = {}
    for header, records in results:
        kept = records[:-1] if header.flags & PUNCT else records
        sessions.setdefault(header.session, []).extend((int(r["Time"]), int(r["Number"])) for r in kept)
    return [found for found in sessions.values() if found]


@cocotb.test()
async def golden_rows_come_back(dut):
    tb = await Bench().start(dut)
    for folder in os.environ["GOLDENS"].split(os.pathsep):
        golden = load(folder)
        await tb.restart()
        await tb.send(golden.items)
        found = await tb.results()
        assert rows(found) == golden_rows(golden.rows), folder
        assert not found or found[0][0].sequence == 0


@cocotb.test()
async def latency(dut):
    """From the last octet of the frame whose trade closes a window to the first of the result's frame."""
    tb = await Bench().start(dut)
    await tb.send(load(os.environ["GOLDENS"].split(os.pathsep)[0]).items)
    await tb.source.wait()
    await ClockCycles(dut.clk, 300)
    tb.sink.clear()
    first = trades(5_000, 5_579)
    payloads = [pack(Header(900, 1, 1, n, START), first[n : n + 1]) for n in range(2)]
    for payload in payloads:
        await tb.send_frame(udp(payload))
    await tb.source.wait()
    await ClockCycles(dut.clk, 300)
    closing = trades(5_580)
    await tb.send_frame(udp(pack(Header(900, 1, 1, 2, START), closing)))
    while int(dut.gmii_rx_dv.value) == 0:
        await ClockCycles(dut.clk, 1)
    while int(dut.gmii_rx_dv.value) == 1:
        await ClockCycles(dut.clk, 1)
    last_octet = cycle() - 1
    while int(dut.gmii_tx_en.value) == 0:
        await ClockCycles(dut.clk, 1)
    measured = cycle() - last_octet
    assert measured == LATENCY, f"{measured} cycles"
    assert rows(await tb.results()) == [[(5_520, 1)]]


@cocotb.test()
async def reset_in_mid_frame_and_window(dut):
    """A reset discards windows, session and the frame in progress; the next session is counted correctly."""
    tb = await Bench().start(dut)
    await tb.send_frame(udp(pack(Header(1, 1, 3, 0, START), trades(1000, 1010, 1020))))
    await tb.source.wait()
    await tb.send_frame(udp(pack(Header(1, 1, 3, 1, START), trades(1030, 1040, 1050))))
    await ClockCycles(dut.clk, 70)
    await reset(dut)
    await tb.source.wait()
    await ClockCycles(dut.clk, 100)
    await tb.send_frame(HELLO)
    await tb.send_frame(udp(pack(Header(1, 1, 2, 2, 0), trades(1060, 1070))))  # no session yet: dropped
    await tb.send_frame(udp(pack(Header(2, 1, 2, 0, START), trades(1060, 1070))))
    await tb.send_frame(udp(pack(Header(2, 1, 1, 1, START | PUNCT), trades(1680))))
    assert rows(await tb.results()) == [[(1560, 2), (1620, 2)]]


def trades(*times: int) -> np.ndarray:
    made = np.zeros(len(times), TRADES.dtype)
    made["Symbol"], made["Time"] = b"UBSN", times
    return made


SMOKE = ("start", "late", "restart", "punctuation")


def smoke_env() -> dict[str, str]:
    return {"GOLDENS": os.pathsep.join(str(expected(CASES[name])) for name in SMOKE)}


def configuration(**parameters) -> tuple[dict, dict]:
    return {"MAX_AHEAD": 0, **parameters}, smoke_env()


def test_cocotb():
    run("trades_q3", env=smoke_env(), MAX_AHEAD=0)


def test_four_state():
    run_four_state("trades_q3", "golden_rows_come_back", env=smoke_env(), MAX_AHEAD=0)


# ---- bulk


def check_golden(name: str, per_datagram: int, **options) -> None:
    case = CASES[name]
    golden = load(expected(case))
    played = play_items(
        bench(MAX_AHEAD=case.query.max_ahead),
        golden.items,
        BUILD / "runs" / f"trades_q3.{name}",
        per_datagram,
        **options,
    )
    assert played.rows == golden_rows(golden.rows), name
    counted = {n: played.counters[f"query_{n}"] for n in ("accepted", "late", "ahead", "resync", "discarded")}
    assert counted == {n: golden.summary[n] for n in counted}, name
    assert played.counters["query_lost"] == played.counters["udp_rx_full"] == 0


Q3_CASES = [
    name
    for name, case in CASES.items()
    if not case.soak and replace(case.query, max_ahead=0) == CASES["start"].query and case.query.max_ahead in (0, LIMIT)
]


@pytest.mark.parametrize("limit", [0, LIMIT])
def test_goldens(limit):
    """Every golden of Q3, a random number of trades in a datagram: each time rule, random faults, long streams."""
    generator = rng("goldens")
    names = [name for name in Q3_CASES if CASES[name].query.max_ahead == limit]
    assert len(names) > 5
    for name in names:
        check_golden(name, generator.randrange(1, 89), gaps=RANDOM if generator.random() < 0.5 else "none")


@pytest.mark.soak
def test_a_million_trades():
    check_golden("q3_1000000", 50)


class Traffic:
    """Frames sent to the design, and the expected values of its counters."""

    def __init__(self):
        self.frames: list[bytes] = []
        self.faults: list[tuple[int, int]] = []
        self.expected: Counter[str] = Counter()

    def send(self, frame: bytes, becomes: str = "accepted", flags: PacketFlag = SOUND, at: int = 0) -> None:
        """becomes: the tuple receiver's verdict on the payload, if the frame and its UDP datagram are good."""
        self.frames.append(frame)
        self.faults.append((int(flags), at))
        mac = self._mac(frame, flags)
        self.expected[f"mac_rx_{mac}"] += 1
        if mac == "no_preamble":
            return
        found = verdict(frame.ljust(60, b"\0"), bad=mac != "good")
        self.expected.update(f"udp_rx_{name}" for name in found.events)
        if found.delivered:
            self.expected[f"tuple_rx_{becomes}"] += 1

    @staticmethod
    def _mac(frame: bytes, flags: PacketFlag) -> str:
        if flags & PacketFlag.NO_PREAMBLE:
            return "no_preamble"
        if flags & PacketFlag.ERROR:
            return "error"
        if len(frame) > MAX_RECEIVED - FCS:
            return "oversize"
        if flags & PacketFlag.NO_PAD and len(frame) < 60:
            return "runt"
        return "bad_fcs" if flags & PacketFlag.BAD_FCS else "good"


def troubles(payload: bytes, header: Header, records: np.ndarray) -> list[tuple[bytes, str, PacketFlag, int]]:
    """Every fault of the datagram `payload`: (frame, verdict of the tuple receiver, flags, at)."""
    good = udp(payload)
    found = [(f.data, "accepted", PacketFlag.BAD_FCS if f.bad else SOUND, 0) for f in bad_frames(payload)]
    found += [(f.data, "accepted", PacketFlag.NO_PAD, 0) for f in cut_frames(payload)]
    found += [(good[:n], "accepted", PacketFlag.NO_PAD | PacketFlag.BAD_FCS, 0) for n in range(1, len(good), 7)]
    found += [(good, "accepted", PacketFlag.ERROR, n) for n in range(0, len(good), 11)]
    found += [(good, "accepted", PacketFlag.NO_PREAMBLE, 0), (udp(bytes(1600)), "accepted", SOUND, 0)]

    def datagram(becomes: str, data: bytes) -> None:
        found.append((udp(data), becomes, SOUND, 0))

    for byte, value in ((0, 0x58), (1, 0), (2, 2), (3, 0x84)):  # magic, version, an unknown flag
        datagram("bad_header", payload[:byte] + bytes([value]) + payload[byte + 1 :])
    datagram("wrong_stream", pack(replace(header, stream=2), records))
    datagram("wrong_session", pack(replace(header, session=header.session + 1, flags=0), records))
    for cut in range(1, TRADES.record_bytes):  # a partial tuple
        datagram("bad_length", payload[:-cut])
    datagram("bad_length", payload + b"\0")
    datagram("bad_length", payload[:10] + b"\0\0" + payload[12:])
    for size in range(16):  # a partial header
        datagram("bad_header", payload[:size])
    return found


def test_bad_input():
    """A stream of trades with every kind of bad frame in between: the rows are the same as without, each bad frame is
    counted once under its reason, and the good frame after it is delivered."""
    golden = load(expected(CASES["q3_5000"]))
    traffic, last = Traffic(), b""
    traffic.expected.update(mac_rx_good=1, udp_rx_arp=1)  # HELLO
    payloads = [row.tobytes() for block in datagrams(golden.items, 8)[0] for row in block]
    header, records = unpack(payloads[-1], TRADES)
    bad = troubles(payloads[-1], header, records)
    assert len(bad) < len(payloads), "each bad frame needs a good one after it"
    for number, payload in enumerate(payloads):
        if 0 < number <= len(bad):
            frame, becomes, flags, at = bad[number - 1]
            traffic.send(frame, becomes, flags, at)
        if number in (40, 41, 200):
            traffic.send(udp(last), "repeat")
        last = payload
        variants = good_frames(payload) if number % 10 == 0 else []
        traffic.send(variants[number // 10 % len(variants)].data if variants else udp(payload))
    played = play(
        bench(MAX_AHEAD=LIMIT),
        traffic.frames,
        BUILD / "runs" / "trades_q3.bad_input",
        faults=np.array(traffic.faults, FAULT),
    )
    seen = {name: count for name, count in played.counters.items() if name.startswith(("mac_rx", "udp_rx", "tuple_rx"))}
    seen = {n: c for n, c in seen.items() if c and n not in ("tuple_rx_tuple", "tuple_rx_session")}
    assert seen == dict(traffic.expected)
    assert played.rows == golden_rows(golden.rows)
    for reason in ("other_ip", "fragment", "ipv6", "bad_length", "bad_udp_checksum", "bad_ip_header", "not_ip"):
        assert seen[f"udp_rx_{reason}"], reason


def test_lost_and_reordered_datagrams():
    """Missing numbers are gaps, late ones reordered, later ones stale: exactly the trades accepted are counted."""
    times = np.arange(40_000, 40_000 + 400)
    made = [pack(Header(5, 1, 4, n, START if n < 8 else 0), trades(*times[4 * n : 4 * n + 4])) for n in range(100)]
    order = [n for n in range(100) if n not in (20, 21, 50)]
    order.insert(order.index(60), 50)  # ten late: accepted
    order.append(20)  # more than 63 late: stale
    closing = pack(Header(5, 1, 1, 100, PUNCT), trades(41_500))
    played = play(
        bench(MAX_AHEAD=0), [udp(made[n]) for n in order] + [udp(closing)], BUILD / "runs" / "trades_q3.reordered"
    )
    counters = played.counters
    assert (counters["tuple_rx_gap"], counters["tuple_rx_reordered"], counters["tuple_rx_stale"]) == (3, 1, 1)
    arrived = np.concatenate([times[4 * n : 4 * n + 4] for n in order[:-1]])
    ends = range(40_020 - 60 - 60 + 600, 41_501)
    assert played.rows == [
        [(e, n) for e in ends if e % 60 == 0 and (n := int(((arrived >= e - 600) & (arrived < e)).sum()))]
    ]
    assert counters["query_late"] == 0
