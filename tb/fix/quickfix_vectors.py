"""Writes quickfix.txt: FIX messages encoded by QuickFIX, one a line, with | for SOH.

It needs only QuickFIX: `python -m venv qf && qf/bin/pip install quickfix==1.16.0`, which takes half an hour to compile,
then `qf/bin/python tb/fix/quickfix_vectors.py`. The first line of the file names the version and the seed.
"""

from __future__ import annotations

import argparse
import random
from importlib.metadata import version
from pathlib import Path

import quickfix

FILE = Path(__file__).with_name("quickfix.txt")
COUNT = 600
BEGINS = ("FIX.4.2", "FIX.4.4", "FIXT.1.1")
DATA = ((95, 96), (354, 355), (348, 349))


def text(g: random.Random, most: int) -> str:
    return "".join(g.choices("ABCXYZ0189=.- ", k=g.randrange(1, most + 1)))


def time(g: random.Random) -> str:
    day, clock = f"20{g.randrange(100):02}{g.randrange(1, 13):02}{g.randrange(1, 29):02}", f"{g.randrange(24):02}"
    return f"{day}-{clock}:{g.randrange(60):02}:{g.randrange(61):02}" + g.choice(["", ".123", ".123456", ".123456789"])


def price(g: random.Random, decimals: int) -> str:
    """A number with at most `decimals` decimals, half of them as QuickFIX formats a float."""
    number = round(g.choice((-1, 1)) * g.randrange(10**8) / 10 ** g.randrange(6), decimals)
    return quickfix.Price(number).getString() if g.random() < 0.5 else f"{number:.{decimals}f}"


def message(g: random.Random, number: int) -> str:
    """A message of a type of rtl/fix/orders.yml, or a heartbeat, which is of none, with a session's header and further
    fields."""
    kind, made = g.choices(("D", "F", "AS", "0"), (6, 2, 2, 1))[0], quickfix.Message()
    head = made.getHeader()
    header = {8: g.choice(BEGINS), 35: kind, 49: "TRADER", 56: "VENUE", 34: str(number), 52: time(g)}
    for tag, value in header.items():
        head.setField(tag, value)
    fields, optional = {58: text(g, 40)}, {}
    match kind:
        case "D":
            fields |= {11: text(g, 12), 55: text(g, 8), 54: g.choice("12"), 60: time(g)}
            fields |= {38: str(g.choice((g.randrange(10**9), g.randrange(-(10**9) + 1, 0), 0)))}
            optional = {40: g.choice("12"), 44: price(g, 8)}
        case "F":
            fields |= {11: text(g, 12), 41: text(g, 12), 54: g.choice("12"), 60: time(g)}
        case "AS":
            fields |= {70: str(g.randrange(10**18))}
            optional = {118: price(g, 2), 6: price(g, 4)}
        case _:
            fields |= {112: text(g, 9)}
    for tag, value in (fields | {tag: value for tag, value in optional.items() if g.random() < 0.7}).items():
        made.setField(tag, value)
    for _ in range(g.randrange(5) if kind == "D" else 0):
        party = quickfix.Group(453, 448)
        party.setField(448, text(g, 6))
        if g.random() < 0.7:
            party.setField(452, str(g.randrange(10**9)))
        made.addGroup(party)
    if g.random() < 0.3:
        (length, data), raw = g.choice(DATA), g.choice((f"{text(g, 9)}\x0110=000\x01", "\x01" * g.randrange(1, 9)))
        made.setField(length, str(len(raw)))
        made.setField(data, raw)
    return made.toString()


def messages(seed: int | str, count: int) -> list[str]:
    g = random.Random(f"{seed}/quickfix")
    return [message(g, number) for number in range(count)]


def vectors(seed: int | str, count: int) -> str:
    """The file's text."""
    head = f"# QuickFIX {version('quickfix')}, seed {seed}, {count} messages: written by quickfix_vectors.py\n"
    return head + "".join(made.replace("\x01", "|") + "\n" for made in messages(seed, count))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", default="1", help="of the random choices (1)")
    parser.add_argument("--count", type=int, default=COUNT, help=f"messages ({COUNT})")
    chosen = parser.parse_args()
    FILE.write_text(vectors(chosen.seed, chosen.count))
