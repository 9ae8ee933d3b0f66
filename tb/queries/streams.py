"""The streams of fusesoc/streams and those that shipped queries declare, the tuples that the tests send on each, and
the constants of the tested queries.

Every stream has tuples out of order (most by less than the SLACK of its queries, some by more), jumps over empty
windows, single times far ahead, and the limits of its types. For every seed, values of rows stay within 64 bits and
windows have fewer than 20 groups.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from tb import REPOSITORY
from tb.queries import usage
from tb.queries.times import COUNT, rising
from wirestream.compiler.parse import parse
from wirestream.schema.streams import Stream, declared, shipped
from wirestream.schema.tuples import FLAG_NULL, Schema
from wirestream.sim import simulate

QUERIES = REPOSITORY / "fusesoc" / "queries"
CREATE = re.compile(r"^CREATE INPUT STREAM (\w+)[^;]*;\s*", re.MULTILINE)

# The values of `$name` in the tests, by query.
CONSTANTS: dict[str, dict[str, int | str]] = {
    "average_trade": {"size": 50_000},
    "best_of_venues": {"symbol": "NESN"},
    "conversations": {"host": 0x0A000001},
    "heavy_hitters": {"threshold": 10_000},
    "large_trades": {"least": 500_000},
    "order_gaps": {"account": 2**32 - 1},
    "outside": {"low": 0x0A000000, "high": 0x0AFFFFFF},
    "same_network": {"bits": 14},
    "spread_alarm": {"most": 20},
    "symbol_order": {"before": "UBSN"},
    "venue_arbitrage": {"band": 12},
    "vwap_of_ten": {"symbol": "UBSN"},
    "watch": {"symbol": "X", "limit": 2500},
}


@cache
def streams() -> dict[str, Stream]:
    """The streams by name: those of fusesoc/streams in order of their ids, then those that queries declare."""
    found = sorted(shipped(), key=lambda stream: stream.schema.stream_id)
    for path in sorted(QUERIES.glob("*.sql")):
        for text in CREATE.finditer(path.read_text()):
            found += [declared(create, len(found) + 1) for create in parse(text[0])]
    return {stream.schema.name: stream for stream in found}


def data(name: str) -> np.ndarray:
    """`COUNT` records of the stream `name`, in its schema's dtype; they depend only on the run's seed."""
    generator = random.Random(f"{simulate.seed()}/{name}")
    return to_records(streams()[name].schema, list((TUPLES | usage.TUPLES)[name](generator)))


def to_records(schema: Schema, tuples: list[tuple]) -> np.ndarray:
    """Tuples in the schema's dtype; None is null, with a value that is not zero, which a receiver must tolerate."""
    made = np.zeros(len(tuples), schema.dtype)
    for field, values in zip(schema.fields, zip(*tuples, strict=True), strict=True):
        noise = b"~" if field.kind == "string" else 1
        made[field.name] = [noise if value is None else value for value in values]
        if field.nullable:
            byte, bit = schema.place_of_flags(field.name)
            made[byte] |= np.array([FLAG_NULL << bit if value is None else 0 for value in values], np.uint8)
    return made


def arrival() -> list[str]:
    """The stream's name of each tuple, in order of arrival at a circuit: the streams alternate in runs. Those that no
    JOIN reads follow."""
    generator, left = random.Random(f"{simulate.seed()}/arrival"), dict.fromkeys(TUPLES, COUNT)
    order: list[str] = []
    while any(left.values()):
        name = generator.choice([name for name, count in left.items() if count])
        run = min(left[name], generator.choice((1, 1, 2, 5, 20)))
        order += [name] * run
        left[name] -= run
    return [*order, *(name for name in usage.TUPLES for _ in range(COUNT))]


def _trades(generator: random.Random) -> Iterator[tuple]:
    """All extreme prices but one have small volumes, so that turnovers fit."""
    both = generator.randrange(COUNT)
    for k, time in enumerate(rising(generator, 1200, (0, 0, 1, 2, 9, 30), 12, 80, 700, 300)):
        symbol = generator.choice((b"UBSN", b"UBSN", b"NESN", b"ABBN", b"X"))
        price = generator.randrange(5000)
        volume = generator.choice((0, 1, 100_000, 100_001, generator.randrange(10**6)))
        match generator.randrange(20):
            case 0:
                price = generator.choice((-(2**31), 2**31 - 1, generator.randrange(-(2**31), 2**31)))
                volume %= 7
            case 1 | 2:
                price = -generator.randrange(500)
            case 3:
                volume = generator.choice((2**31 - 1, generator.randrange(2**31)))
            case 4:
                volume = -generator.randrange(100)
        yield symbol, *((-(2**31), 2**31 - 1) if k == both else (price, volume)), time


def _quotes(generator: random.Random) -> Iterator[tuple]:
    """Prices follow a random walk; one spread in ten is zero or negative."""
    middle = 10_000
    for time in rising(generator, 500_000, (0, 1, 1, 2, 5, 20), 7, 40, 400, 150):
        middle = max(1000, middle + generator.randrange(-20, 21))
        bid = middle - generator.randrange(20)
        ask = bid + generator.choice((generator.randrange(-5, 1), *(generator.randrange(1, 40) for _ in range(9))))
        sizes = [generator.choice((0, generator.randrange(5000), generator.randrange(5000))) for _ in range(2)]
        match generator.randrange(30):
            case 0:
                bid = generator.choice((0, -(2**31), 2**31 - 1))
            case 1:
                ask = generator.choice((0, -(2**31), 2**31 - 1))
            case 2:
                sizes[generator.randrange(2)] = 2**32 - 1
            case 3:
                sizes = [0, 0]
        symbol = generator.choice((b"UBSN", b"NESN", b"ABBN", b"SIEGY6"))
        yield symbol, generator.choice((b"XN", b"XS", b"L")), bid, ask, *sizes, time


HOSTS = (0x0A000001, 0x0A000002, 0x0A010001, 0xC0A80001, 2**32 - 1)
SCANNER = 0xCB007107
SERVERS = (0x0A000002, 0x0A010001, 0xC0A80001)


def _packets(generator: random.Random) -> Iterator[tuple]:
    """Times pass 2**31. One packet in eight is from a host that scans ports. 80 packets have the same millisecond,
    after a jump, so that no time window has more rows than `handshakes` stores."""
    burst = None
    for k, time in enumerate(rising(generator, 2**31 - 20_000, (0, 0, 1, 5, 20, 60), 15, 90, 3000, 1500)):
        if k >= 700:
            time += 3000
        if 700 <= k < 780:
            time = burst = burst or time
        source, target = generator.choice(HOSTS), generator.choice(SERVERS)
        ports = [generator.randrange(1024, 65536), generator.choice((22, 53, 80, 123, 443, 8080))]
        flags, size = 0, generator.choice((0, 40, 1500, generator.randrange(40, 1500), generator.randrange(40, 1500)))
        protocol = generator.choice((6, 6, 6, 6, 6, 17, 17, 1))
        if generator.randrange(8) == 0:
            source, ports[1], protocol, flags, size = SCANNER, generator.randrange(1024, 65536), 6, 2, 40
        elif protocol == 6:
            flags = generator.choice((2, 18, 16, 16, 24, 24, 17, generator.choice((0, 3, 41, 255))))
        elif protocol == 17:
            ports = generator.choice((ports, [generator.choice((53, 123)), ports[0]]))
        elif generator.randrange(3) == 0:
            protocol, size = 255, 2**32 - 1
        yield source, target, *ports, protocol, flags, size, time


def _orders(generator: random.Random) -> Iterator[tuple]:
    """Extreme prices have quantities below 1,000, so that their products fit."""
    number = 2**40
    times = rising(generator, 1_700_000_000_000_000, (0, 3, 50, 700, 20_000, 200_000), 900, 5000, 2_000_000, 900_000)
    for time in times:
        number += generator.randrange(1, 1000)
        price = 10**10 + generator.randrange(-(10**9), 10**9)
        quantity = generator.choice((1, generator.randrange(1, 1000), generator.randrange(1, 200_000)))
        match generator.randrange(25):
            case 0:
                price = generator.choice((-(2**63), 2**63 - 1, generator.randrange(-(2**63), 2**63)))
                quantity = generator.choice((0, -1, 1, 999))
            case 1:
                quantity = generator.choice((-(2**31), 2**31 - 1))
                price %= 10**9
        account = generator.choice((1, 7, 42, 1001, 2**32 - 1))
        order = 2**63 - 1 if generator.randrange(100) == 0 else number
        yield order, account, generator.choice((b"B", b"S")), price, quantity, time


TUPLES: dict[str, Callable[[random.Random], Iterator[tuple]]] = {
    "Trades": _trades,
    "Quotes": _quotes,
    "Packets": _packets,
    "Orders": _orders,
}
