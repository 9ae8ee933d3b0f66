"""Tuples of the streams that shipped queries declare; None is null. See `streams`."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from tb.queries.times import rising

NOW = 1_790_000_000  # seconds since 1970
YEAR = 1_767_225_600  # 2026 begins
DAY = 86_400


def _meters(generator: random.Random) -> Iterator[tuple]:
    energy = 10**9
    for time in rising(generator, NOW, (0, 0, 1, 2, 5, 9), 8, 60, 500, 300):
        energy += generator.randrange(2000)
        count = generator.choice((None, *[energy] * 6, generator.choice((0, -1, 10**12 - 1, 1 - 10**12))))
        power = generator.choice((generator.randrange(-(10**6), 4 * 10**6), generator.randrange(10**5), None))
        if generator.randrange(12) == 0:
            power = generator.choice((0, -1, 5, -1005, 3_000_000, -3_000_001, 10**9 - 1, 1 - 10**9))
        meter, tariff = generator.choice((1, 2, 17, 400_000, 2**32 - 1)), generator.choice((0, 1, 1, 2, 3, 4, -(2**15)))
        yield meter, generator.choice((b"L1", b"L2", b"L3")), count, power, tariff, time


PATHS = (b"/", b"/index.html", b"/api/v1/orders", b"/favicon.ico", b"/wp-login.php", b"/a/../etc/passwd", b"",
         b"/API/v2", b"/wp-content/x.js", b"/img/Logo.PNG")  # fmt: skip
STATUSES = (200, 200, 200, 204, 301, 304, 400, 401, 403, 404, 404, 500, 503, 599, 600, 0, -1, 2**15 - 1)


def _requests(generator: random.Random) -> Iterator[tuple]:
    for time in rising(generator, 1000 * NOW, (0, 0, 3, 40, 200, 900), 400, 3000, 40_000, 20_000):
        client = generator.choice((0x0A000001, 0xC0A80105, 2**32 - 1, generator.randrange(2**32)))
        sent = generator.choice((None, 0, 2**32 - 1, *(generator.randrange(10**6) for _ in range(5))))
        millis = generator.choice((0, generator.randrange(50), generator.randrange(100_000), -5, 2**31 - 1, -(2**31)))
        method = generator.choice((b"GET", b"GET", b"HEAD", b"POST", b"DELETE", b""))
        secure = generator.choice((0, 1, 255))
        yield client, method, generator.choice(PATHS), generator.choice(STATUSES), sent, millis, secure, time


def _rides(generator: random.Random) -> Iterator[tuple]:
    """A fare of many digits has a long distance, so that the quotient fits."""
    for number, time in enumerate(rising(generator, YEAR - 10_000, (0, 0, 2, 5, 20, 60), 50, 400, 4000, 1500)):
        distance = generator.choice((0, 1, *(generator.randrange(5000) for _ in range(6))))
        fare = generator.choice((0, generator.randrange(-500, 20_000), generator.randrange(300, 9000)))
        tip = generator.choice((None, None, 0, 1, generator.randrange(2000), fare // 5))
        if generator.randrange(25) == 0:
            distance, fare = 10**7 - 1, generator.choice((10**9 - 1, 1 - 10**9))
            tip = generator.choice((10**7 - 1, None))
        seconds = generator.choice((-30, 0, 1, generator.randrange(60, 3000), generator.randrange(20_000), 5_000_000))
        zone = generator.choice((1, 2, 4, 7, 161, 237, -(2**15), 2**15 - 1))
        passengers = generator.choice((None, 0, 1, 1, 1, 2, 3, 4, 6, -1, 2**15 - 1))
        yield 2**40 + number, zone, passengers, distance, fare, tip, generator.randrange(2), time - seconds, time


MERCHANTS = (b"COOP", b"Migros 2", b"A*SHOP", b" Kiosk ", b"x", b"*", b"EBAY*12", b"")


def _payments(generator: random.Random) -> Iterator[tuple]:
    for time in rising(generator, 1000 * NOW, (0, 0, 10, 100, 900, 5000), 1500, 20_000, 200_000, 90_000):
        number = generator.choice((0, 2**64 - 1, *(generator.randrange(2**64) for _ in range(6))))
        tiny, usual = (generator.randrange(1, most) for most in (200, 10**5))
        amount = generator.choice((tiny, tiny, usual, usual, -usual, 0, 10**12 - 1, 1 - 10**12))
        fee = generator.choice((None, 0, generator.randrange(10**5), 10**7 - 1, 1 - 10**7))
        today = time // (1000 * DAY)
        due = generator.choice((None, -700_000, today - 40, today - 1, today, today + 1, today + 30, 2_900_000))
        currency = generator.choice((b"CHF", b"CHF", b"EUR", b"USD", b"JPY", b""))
        country = generator.choice((None, b"CH", b"DE", b"U", b""))
        yield number, generator.choice(MERCHANTS), currency, amount, fee, country, due, generator.randrange(2), time


TUPLES: dict[str, Callable[[random.Random], Iterator[tuple]]] = {
    "Meters": _meters,
    "Requests": _requests,
    "Rides": _rides,
    "Payments": _payments,
}
