"""The echo designs, with any MAC: their traffic, and the expected response to each frame."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from scapy.compat import raw
from scapy.layers.inet import ICMP, IP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from tb.lib import frames
from tb.lib.frames import LOCAL_IP, LOCAL_MAC, PEER_IP, PEER_MAC, REASONS, arp_request, mutated, verdict
from wirestream.sim.bulk import Bench, read_pcap
from wirestream.sim.simulate import seed


def ping(payload: bytes, number: int = 1) -> bytes:
    ether, ip = Ether(src=PEER_MAC, dst=LOCAL_MAC), IP(src=PEER_IP, dst=LOCAL_IP)
    return raw(ether / ip / ICMP(id=77, seq=number) / Raw(payload)).ljust(60, b"\0")


def traffic(count: int, number: int) -> list[bytes]:
    """Datagrams, pings and ARP requests of every form, 30% of them mutated; the first announces the peer."""
    generator = random.Random(number)
    sizes = [0, 1, 2, 17, 18, *(generator.randrange(300) for _ in range(12)), 1400]
    good = [f.data for size in sizes for f in frames.good_frames(generator.randbytes(size))]
    bad = [f.data for size in (8, 31, 60) for f in frames.bad_frames(generator.randbytes(size)) if not f.bad]
    other = [arp_request(), arp_request(target="192.168.1.11"), *(ping(generator.randbytes(n), n) for n in range(60))]
    drawn = [arp_request()]
    for _ in range(count - 1):
        frame = generator.choice(generator.choices((good, bad, other), (8, 3, 3))[0])
        drawn.append(mutated(frame, generator) if generator.random() < 0.3 else frame)
    return drawn


def play(
    bench: Bench, names: Sequence[str], ports: Sequence[int], sent: Sequence[bytes], folder: Path, **options
) -> Counter[str]:
    """Send `sent` through the design: each valid datagram returns once, in order, and nothing else; counts add up.

    names: of its counters; ports: those it listens on; options: of `bulk.Bench.run`. Returns the counters.
    """
    found = [verdict(frame.ljust(60, b"\0"), local_ports=ports) for frame in sent]
    result = bench.run(sent, folder, **options)
    counters = Counter(dict(zip(names, result.counters, strict=True)))

    # Received: each frame raises one event, that of the reference's reason; a surplus raises one more.
    assert counters["mac_rx_good"] == len(sent) == result.sent
    reasons = Counter(name for f in found for name in f.events)
    assert {n: counters[f"udp_rx_{n}"] for n in ("delivered", "surplus", *REASONS)} == {
        n: reasons[n] for n in ("delivered", "surplus", *REASONS)
    }
    # A delivered datagram is sent back, unless its sender's address is not resolved.
    assert counters["udp_rx_full"] == counters["udp_tx_bad"] == counters["udp_tx_oversize"] == 0
    assert counters["udp_tx_sent"] + counters["udp_tx_unresolved"] == counters["udp_rx_delivered"]
    # Copied to the other protocols: each copy raises one event there.
    copied = {
        "control_rx": ("arp", "icmp", "igmp", "bad_ip"),
        "arp": ("bad", "malformed", "conflict", "request", "reply", "ignored"),
        "icmp": ("reply", "limited", "full", "refused", "other", "bad"),
        "igmp": ("query", "busy", "other", "bad"),
    }
    total = {block: sum(counters[f"{block}_{name}"] for name in names) for block, names in copied.items()}
    assert total["control_rx"] == total["arp"] + total["icmp"] + total["igmp"]
    assert counters["control_rx_oversize"] == 0
    # Sent: each frame comes from one of the sources, and none is lost.
    assert counters["control_tx_sent"] == counters["icmp_reply"] + counters["arp_answered"] + counters["arp_asked"]
    assert counters["mac_tx_good"] == counters["udp_tx_sent"] + counters["control_tx_sent"] == result.received
    assert counters["mac_tx_underrun"] == counters["mac_tx_bad"] == 0

    returned = (f for f in read_pcap(folder / "out.pcap") if f[12:14] == b"\x08\x00" and f[23] == 17)
    expected = [f for f in found if f.delivered and f.src_ip == frames.ip_int(PEER_IP)]
    for n, want in enumerate(expected):
        for frame in returned:
            if frame[30:34] == want.src_ip.to_bytes(4, "big"):
                break
        else:
            pytest.fail(f"datagram {n} of {len(expected)} did not come back")
        assert frame[42 : 42 + len(want.payload)] == want.payload, f"seed {seed()}, datagram {n}"
        again = verdict(
            frame, local_mac=":".join(f"{b:02x}" for b in frame[:6]), local_ip=PEER_IP, local_ports=(want.src_port,)
        )
        assert again.reason == "delivered" and again.src_port == want.dst_port, f"seed {seed()}, datagram {n}"
    return counters
