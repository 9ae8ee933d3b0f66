"""Streams of beats of P elements for the benches of merge_lanes and what is built of it.

An element is (key, payload), a beat a list of P of them; of a run, a list of whole beats, the last one has `last`.
"""

from __future__ import annotations

import random
from heapq import merge
from operator import itemgetter

from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import rng
from tb.sort import keys

Element = tuple[int, int]
Beat = list[Element]
Run = list[Beat]
QUIET = 80  # cycles without a beat after which nothing comes any more


class Lanes:
    """Packs and unpacks the beats of a core."""

    def __init__(self, dut):
        self.dut = dut
        self.p, self.key_w, self.payload_w = (int(getattr(dut, name).value) for name in ("P", "KEY_W", "PAYLOAD_W"))
        self.log_p = self.p.bit_length() - 1
        self.element_w = self.key_w + self.payload_w
        self.beat_w = self.p * self.element_w

    def pack(self, beat: Beat) -> int:
        return sum(
            (key << self.payload_w | payload) << lane * self.element_w for lane, (key, payload) in enumerate(beat)
        )

    def unpack(self, word: int) -> Beat:
        elements = (word >> lane * self.element_w & (1 << self.element_w) - 1 for lane in range(self.p))
        return [(element >> self.payload_w, element & (1 << self.payload_w) - 1) for element in elements]

    def beats(self, elements: list[Element]) -> Run:
        return [elements[at : at + self.p] for at in range(0, len(elements), self.p)]

    def drawn(self, g: random.Random, beats: int) -> list[Element]:
        """Unsorted, with keys that are often equal; payloads tell them apart."""
        found = keys.drawn(g, self.key_w, beats * self.p)
        return [(key, g.getrandbits(self.payload_w)) for key in found]

    def run(self, g: random.Random, beats: int) -> Run:
        return self.beats(sorted(self.drawn(g, beats), key=itemgetter(0)))

    def merged(self, runs: list[Run]) -> Run:
        """Of runs, one of each input: merged by key, equal keys in the order of the inputs."""
        return self.beats(list(merge(*([e for beat in run for e in beat] for run in runs), key=itemgetter(0))))


async def play(
    lanes: Lanes, streams: list[list[Run]], idle: float, stall: float, *, source: int = 0, sink: int | None = None
) -> list[tuple[int, bool, Beat]]:
    """The output for a stream of runs at each input: cycle, whether it is the last beat of a run, and the beat.

    source: cycles from a high s_ready to the beat. sink: those from a high m_ready to m_valid; None: a handshake, for
    which a beat must be stable while it waits.
    """
    dut, g = lanes.dut, rng(f"play {idle} {stall}")
    left = [[(beat is run[-1], beat) for run in stream for beat in run] for stream in streams]
    coming: list[list] = [[None] * (source - 1) for _ in streams]  # beats under way
    offered: list = [None] * len(streams)
    readies: list[bool] = []
    seen, waiting, quiet, now = [], None, 0, 0
    ready_before = [False] * len(streams)
    while quiet < QUIET:
        s_valid = s_last = s_data = 0
        for n, stream in enumerate(left):
            if source:
                send = bool(stream) and ready_before[n] and g.random() >= idle
                coming[n].append(stream.pop(0) if send else None)
                offered[n] = coming[n].pop(0)
            elif offered[n] is None and stream and g.random() >= idle:
                offered[n] = stream.pop(0)
            last, word = bool(g.getrandbits(1)), g.getrandbits(lanes.beat_w)
            if offered[n] is not None:
                last, word = offered[n][0], lanes.pack(offered[n][1])
            s_valid, s_last = s_valid | (offered[n] is not None) << n, s_last | last << n
            s_data |= word << n * lanes.beat_w
        dut.s_valid.value, dut.s_data.value = s_valid, s_data
        if hasattr(dut, "s_last"):
            dut.s_last.value = s_last
        dut.m_ready.value = ready = g.random() >= stall
        readies.append(ready)
        await FallingEdge(dut.clk)
        taken, item = int(dut.s_ready.value), None
        blocked = not source and not s_valid & taken
        for n in range(len(streams)):
            ready_before[n] = bool(taken >> n & 1)
            if not source and ready_before[n]:
                offered[n] = None
        if int(dut.m_valid.value):
            item = bool(int(dut.m_last.value)), lanes.unpack(int(dut.m_data.value))
        if sink is None:
            assert waiting is None or item == waiting, f"a waiting beat changed in cycle {now}"
            waiting = None if ready else item
            taken = ready
        else:
            assert item is None or (now >= sink and readies[now - sink]), f"a beat too late for m_ready in cycle {now}"
            taken = True
        if taken and item is not None:
            seen.append((now, *item))
        sent = s_valid != 0 or any(beat for some in coming for beat in some)
        quiet = 0 if item is not None or (sent and not blocked) else quiet + 1
        now += 1
        await RisingEdge(dut.clk)
    assert not any(left) and not any(offered)
    return seen


def flat(runs: list[Run]) -> list[tuple[bool, Beat]]:
    return [(n == len(run) - 1, beat) for run in runs for n, beat in enumerate(run)]
