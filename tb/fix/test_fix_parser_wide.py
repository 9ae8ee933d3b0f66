"""fix_parser_wide: the tests of fix_parser at eight bytes a cycle, and a tag with different decimals by message."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb.fix.test_fix_parser import (  # noqa: F401
    CORES,
    bench,
    test_a_million_mutated,
    test_a_waiting_record_is_stable,
    test_decimal_quantities_and_long_strings,
    test_four_state,
    test_latency,
    test_mutated,
    test_payloads,
    test_reset_in_mid_message,
)
from tb.fix.traffic import by_hand
from wirestream.design import resolve
from wirestream.schema import fix
from wirestream.sim.bulk import build


@pytest.fixture(scope="module")
def width() -> int:
    return 64


def test_decimals_by_message(tmp_path):
    """A tag with different decimals in two messages has a converter for each."""
    described = fix.read(
        {
            "name": "prices",
            "messages": {
                "A": {"type": "A", "fields": {"P": {"tag": 44, "type": "price(2)"}, "Q": {"tag": 38, "type": "int"}}},
                "B": {
                    "type": "B",
                    "fields": {"P": {"tag": 44, "type": "price(8)"}, "Q": {"tag": 38, "type": "price(1)"}},
                },
            },
        }
    )
    file = tmp_path / "ws_fix_prices.v"
    file.write_text(fix.verilog(described, 64))
    core = resolve(CORES[64])
    prices = build(replace(core, core="wirestream:fix:fix_prices", toplevel=file.stem, sources=(*core.sources, file)))
    sent = [
        by_hand(text) for text in ("35=A|44=-1.5|38=7|", "35=B|44=-1.5|38=7|", "35=B|38=1234567.8|44=1234567890.5|")
    ]
    result = prices.run(sent, tmp_path)
    found = [
        (value >> 64, value >> shift & 0xFFFFFFFF) for value, shift in zip(result.item_values, (32, 0, 0), strict=True)
    ]
    assert result.items["kind"].tolist() == [0, 1, 1]
    assert found == [(2**64 - 150, 7), (2**64 - 150_000_000, 70), (123_456_789_050_000_000, 12_345_678)]
