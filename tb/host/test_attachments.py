"""The figures of the three attachments, of one run: exact latencies of what the hardware does alone, least rates."""

from __future__ import annotations

from tb.host.attachments import measure


def test_attachments():
    found = measure()
    assert {name: found[name]["latency"] for name in ("DMA", "network")} == {"DMA": 54, "network": 200}
    assert found["registers"]["latency"] < 100  # with those of the bus master
    rates = {name: figures["bytes_a_cycle"] for name, figures in found.items()}
    assert 0.2 < rates["registers"] < 1 and rates["DMA"] > 3.3 and rates["network"] > 7.9
