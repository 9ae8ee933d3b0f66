"""FIX messages for the tests of the parsers: from an independent encoder, mutated, and hand-made."""

from __future__ import annotations

import random
from collections.abc import Iterator

import simplefix

SOH = b"\x01"
VERSIONS = ("FIX.4.2", "FIX.4.4", "FIXT.1.1")


def message(version: str, kind: str, fields: list[tuple[int, object]]) -> bytes:
    """One message as simplefix encodes it; bytes under a data tag follow their length."""
    made = simplefix.FixMessage()
    made.append_pair(8, version)
    made.append_pair(35, kind)
    for tag, value in fields:
        made.append_pair(tag, value)
    return made.encode()


def framed(body: bytes, version: bytes = b"FIX.4.4") -> bytes:
    """`body`, from MsgType on, with its length and checksum; it may be anything."""
    text = b"8=%s\x019=%d\x01%s" % (version, len(body), body)
    return text + b"10=%03d\x01" % (sum(text) % 256)


def by_hand(text: str) -> bytes:
    """As `framed`, from a body with | for SOH."""
    return framed(text.replace("|", "\x01").encode("latin-1"))


def stamp(g: random.Random) -> str:
    day, month = g.choice([(29, 2), (31, 12), (1, 1), (28, 2), (1, 3), (30, 4), (g.randint(1, 28), g.randint(1, 12))])
    year = (
        g.choice([2000, 2024, 2096]) if (day, month) == (29, 2) else g.choice([2000, 2026, 2099, g.randint(2000, 2099)])
    )
    text = (
        f"{year}{month:02}{day:02}-{g.choice([0, 9, 23]):02}:{g.choice([0, 59, 30]):02}:{g.choice([0, 59, 60, 7]):02}"
    )
    digits = g.choice([0, 0, 3, 3, 6, 9])
    return text + (f".{g.randrange(10**digits):0{digits}}" if digits else "")


def price(g: random.Random, decimals: int) -> str:
    most = 10 ** (18 - decimals) - 1
    whole = g.choice([0, 1, 9, 42, most, g.randrange(most + 1), g.randrange(10_000)])
    places = g.choice([0, 0, 1, 2, decimals, decimals])
    text = f"{whole}.{g.randrange(10**places):0{places}}" if places else f"{whole}" + g.choice(["", "", "."])
    return g.choice(["", "", "-", "0"]) + text + (g.choice(["", "00"]) if "." in text else "")


def integer(g: random.Random, digits: int = 9, signed: bool = True) -> str:
    number = g.choice([0, 1, 10**digits - 1, g.randrange(10**digits), g.randrange(1000)])
    return g.choice(["", "", "-" if signed else "", "00"]) + str(number)


def name(g: random.Random, most: int) -> str:
    return "".join(g.choice("ABCxyz019 .=-é") for _ in range(g.choice([1, most, g.randint(1, most)])))


def random_fields(g: random.Random) -> tuple[str, list[tuple[int, object]]]:
    """A message type, mostly of rtl/fix/orders.yml, and fields for it in random order."""
    kind = g.choices(["D", "F", "AS", "8", "DD", "S"], [10, 4, 4, 1, 0.5, 0.5])[0]
    head = [(49, name(g, 5)), (56, name(g, 5)), (34, g.randrange(100_000)), (52, stamp(g))]
    fields: list[list[tuple[int, object]]] = [[(tag, name(g, 9))] for tag in g.sample((1, 58, 100, 21, 109, 5099), 2)]
    match kind:
        case "D":
            fields += [[(11, name(g, 12))], [(55, name(g, 8))], [(54, g.choice("123"))], [(38, integer(g))]]
            fields += [[(60, stamp(g))]]
            fields += [[(40, g.choice("12"))]] if g.random() < 0.7 else []
            fields += [[(44, price(g, 8))]] if g.random() < 0.7 else []
            if g.random() < 0.5:
                entries = g.choice([0, 1, 2, 3, 5])
                group: list[tuple[int, object]] = [(453, entries)]
                for _ in range(entries):
                    group.append((448, name(g, 6)))
                    group += [(447, "D")] if g.random() < 0.5 else []
                    group += [(452, integer(g, signed=False))] if g.random() < 0.7 else []
                fields.append(group)
        case "F":
            fields += [[(11, name(g, 12))], [(41, name(g, 12))], [(54, g.choice("123"))], [(60, stamp(g))]]
        case "AS":
            fields += [[(70, integer(g, 18))]]
            fields += [[(118, price(g, 2))]] if g.random() < 0.7 else []
            fields += [[(6, price(g, 4))]] if g.random() < 0.7 else []
    if g.random() < 0.2:
        raw = g.choice([SOH * g.randint(1, 9), b"10=123\x018=FIX.4.4\x01", g.randbytes(g.randint(1, 30))])
        length, data = g.choice([(95, 96), (354, 355)])
        fields.append([(length, len(raw)), (data, raw)])
    g.shuffle(fields)
    return kind, head[: g.randint(0, 4)] + [pair for group in fields for pair in group]


def good_message(g: random.Random) -> bytes:
    kind, fields = random_fields(g)
    return message(g.choice(VERSIONS), kind, fields)


ODD_VALUES = (
    *(
        "",
        "-",
        ".",
        "1.2.3",
        "1e5",
        "--1",
        "+1",
        "5-",
        "1x",
        "-0",
        "1" * 19,
        "9" * 10,
        "0.123456789",
        "65536",
        "999999",
    ),
    *(
        "255",
        "0",
        "20260230-00:00:00",
        "20260101-24:00:00",
        "20260101-00:00:61",
        "20260101-00:00:00.",
        "20260101-00:00",
    ),
    *("19991231-00:00:00", "20260101 00:00:00", "20261301-00:00:00", "20260100-00:00:00"),
    "20260101-00:00:00.1234567891",
)
ODD_FIELDS = (
    *("", "=", "=5", "44", "044=5", "4 4=5", "1234567=8", "999999=8", "0=1", "-1=2", "9=5", "35=D", "10=000"),
    *("8=FIX.4.2", "453=1", "453=300"),
)
ODD_PAIRS = (
    *("95=3 96=ab", "95=2 96=abc", "95=0 96=a", "95=3 58=abc", "95=x 96=a", "95=70000 96=a", "95=9999 96=a"),
    *("95=3 91=abc", "95=1 58=a", "95=003 96=a\x01c", "453=300 453=2", "96=a 95=1"),
    *("95=abc", "212=5x", "93=-5", "1184=3 1185=a\x01c", "41873=1 41874=a", "1401=9"),
    *("453=x 448=A", "453=1 452=7 448=A", "448=A 453=1", "453=2 448=A 55=B 448=B", "453=1 448=A 38=7 452=1"),
    *("453=2 448=A 58=x 448=B", "453=1 448=A 453=1", "453=-1", "453=99999"),
)


def mutated(g: random.Random) -> bytes:
    """A mutated message, often with a length and checksum that fit again."""
    whole = good_message(g)
    parts = whole.split(SOH)[:-1]
    body = parts[2:-1]
    at = g.randrange(len(body))
    match g.randrange(10):
        case 0:
            body.insert(at, body[g.randrange(len(body))])
        case 1:
            del body[at]
        case 2:
            odd = g.choice([*ODD_VALUES, "A" * g.randint(1, 40)])
            body[at] = body[at].split(b"=")[0] + b"=" + odd.encode()
        case 3:
            body[at] = g.choice(ODD_FIELDS).encode()
        case 4:
            body[at:at] = [b""] * g.randint(1, 9)  # an SOH storm
        case 5:
            body[at:at] = g.choice(ODD_PAIRS).encode().split(b" ")
        case 6:
            flipped = bytearray(SOH.join(body))
            flipped[g.randrange(len(flipped))] = g.choice([g.randrange(256), 1, ord("="), ord("0")])
            body = bytes(flipped).split(SOH)
        case 7:
            g.shuffle(body)
        case _:
            return damaged(g, whole)
    if g.random() < 0.3:
        return b"".join(part + SOH for part in (*parts[:2], *body, parts[-1]))
    version = g.choice([b"FIX.4.4", b"FIX.4.4", b"FIX.4.4", b"FIX.4.3", b"\0FIX.4.2", b"FIX.4.20"])
    return framed(b"".join(part + SOH for part in body), version)


def damaged(g: random.Random, whole: bytes) -> bytes:
    """A message with bits flipped, bytes deleted or inserted, or the end cut off, anywhere."""
    text = bytearray(whole)
    for _ in range(g.choice([1, 1, 2, 5])):
        at = g.randrange(len(text))
        match g.randrange(4):
            case 0:
                text[at] ^= 1 << g.randrange(8)
            case 1:
                del text[at]
            case 2:
                text.insert(at, g.choice([1, ord("="), g.randrange(256)]))
            case 3:
                del text[max(at, 8) :]
    return bytes(text)


RUBBISH = (SOH, SOH * 5, b"hello", b"44=1\x01", b"8=", b"8", b"10=000\x01")
RUBBISH += (b"93=2\x01", b"95=9000\x0196=x\x01", b"1184=65535\x01", b"8=FIX.4.4\x019=5\x0135=0\x01212=70\x01")


def payloads(g: random.Random, count: int, spoiled: float) -> Iterator[bytes]:
    """`count` messages, a share `spoiled` of them mutated, in payloads of one to five. If any are mutated, there is
    sometimes rubbish between them, a message cut in two by the end of a payload, or an empty payload."""
    done = 0
    while done < count:
        texts = [mutated(g) if g.random() < spoiled else good_message(g) for _ in range(g.choice([1, 1, 1, 2, 5]))]
        done += len(texts)
        if spoiled and g.random() < 0.1:
            texts.insert(g.randrange(len(texts) + 1), g.choice([*RUBBISH, g.randbytes(9)]))
        whole = b"".join(texts)
        if spoiled and g.random() < 0.05:
            cut = g.randrange(len(whole) + 1)
            yield whole[:cut]
            whole = whole[cut:]
        yield whole


GOOD = "35=D|11=A|55=B|54=1|38=5|60=20260101-00:00:00|"

# Bodies with their verdicts, by the rules of docs/fix.md.
BODIES = {
    GOOD: "message",
    "35=F|60=20260101-00:00:00.5|54=1|41=A|11=B|": "message",
    "35=AS|70=-999999999999999999|": "message",
    GOOD + "44=0.00000001|": "message",
    GOOD + "44=9999999999.99999999|": "message",
    GOOD + "44=10000000000|": "bad_value",
    GOOD + "44=0.000000001|": "bad_value",
    GOOD + "44=-1.5000000000|": "message",
    GOOD + "44=.|": "bad_value",
    GOOD + "44=1e5|": "bad_value",
    GOOD + "44=--1|": "bad_value",
    GOOD + "44=|": "malformed",
    GOOD + "44|": "malformed",
    GOOD + "|": "malformed",
    GOOD + "044=1|": "malformed",
    GOOD + "1000000=1|": "malformed",
    GOOD + "999999=1|": "message",
    GOOD + "54=1|": "repeated",
    GOOD + "9=5|": "repeated",
    GOOD + "35=D|": "repeated",
    GOOD + "58=a|58=b|": "message",
    GOOD + "41=x|": "message",  # not a field of this type
    GOOD + "41=|": "malformed",
    GOOD + "95=7|96=a\x0110=\x01b|": "message",
    GOOD + "95=7|96=a\x0110=\x01bc|": "malformed",
    GOOD + "95=3|58=abc|": "malformed",
    GOOD + "96=a|": "malformed",
    GOOD + "95=60000|96=a|": "truncated",
    GOOD + "453=1|448=P|452=3|": "message",
    GOOD + "453=3|448=P|452=3|448=Q|448=R|452=x|": "message",  # the third entry is ignored
    GOOD + "453=2|448=P|": "bad_group",
    GOOD + "453=x|": "bad_value",
    GOOD + "453=-1|448=P|": "bad_value",
    GOOD + "453=1.0|448=P|": "bad_value",
    GOOD + "453=300|": "bad_group",
    GOOD + "453=99999999|": "bad_group",
    GOOD + "453=0|": "message",
    GOOD + "453=1|453=1|448=P|": "repeated",
    GOOD + "453=1|448=P|453=1|": "repeated",
    GOOD + "448=P|": "bad_group",
    GOOD + "452=3|": "bad_group",
    GOOD + "453=0|452=3|": "bad_group",
    GOOD + "453=1|452=7|448=A|": "bad_group",
    GOOD + "448=A|453=1|": "bad_group",
    GOOD + "448=A|452=3|453=1|": "bad_group",
    GOOD + "453=2|448=A|44=1|448=B|": "bad_group",
    GOOD + "453=1|448=A|44=1|452=3|": "bad_group",
    GOOD + "453=1|44=1|448=A|": "bad_group",
    GOOD + "453=2|448=A|58=x|448=B|452=3|": "message",  # 58 is not described
    GOOD + "453=3|448=A|448=B|448=C|44=1|452=3|": "bad_group",  # in an ignored entry
    "35=F|60=20260101-00:00:00|54=1|41=A|11=B|452=x|453=2|453=y|": "message",  # not a group of this type
    GOOD + "95=abc|": "malformed",
    GOOD + "95=5x|": "malformed",
    GOOD + "95=-5|": "malformed",
    GOOD + "95=0|": "malformed",
    GOOD + "95=65536|": "malformed",
    GOOD + "1184=7|1185=a\x0110=\x01b|": "message",
    GOOD + "1401=3|1402=a\x01b|": "message",
    GOOD + "41873=3|41874=a\x01b|": "message",
    GOOD + "453=1|448=P|452=1|452=2|": "repeated",
    GOOD + "453=1|448=P|452=-1|": "bad_value",
    GOOD.replace("55=B|", ""): "missing",
    GOOD.replace("=B|", "=123456789|"): "bad_value",
    GOOD.replace("=5|", "=1000000000|"): "bad_value",
    GOOD.replace("=5|", "=-00999999999|"): "message",
    GOOD.replace("=5|", "=5.|"): "bad_value",
    GOOD.replace("0101-", "0229-"): "bad_value",
    GOOD.replace("20260101-", "20280229-"): "message",
    GOOD.replace(":00|", ":60|"): "message",
    GOOD.replace(":00|", ":61|"): "bad_value",
    GOOD.replace(":00|", ":00.|"): "bad_value",
    GOOD.replace(":00|", ":00.123456789|"): "message",
    GOOD.replace(":00|", ":00.1234567891|"): "bad_value",
    GOOD.replace("2026", "1999"): "bad_value",
    "35=8|": "unknown",
    "35=DD|": "unknown",
    "35=ABCD|": "unknown",
    "11=A|35=D|55=B|54=1|38=5|60=20260101-00:00:00|": "bad_header",
}
_whole = by_hand(GOOD)
# Payloads with their verdicts.
TEXTS = {
    _whole: ["message"],
    _whole * 5: ["message"] * 5,
    b"": [],
    b"8=": ["garbage"],
    b"8=F": ["truncated"],
    SOH: ["garbage"],
    SOH * 300: ["garbage"],
    b"\n" + _whole: ["garbage"],
    b"\n" + SOH + _whole + b"x" + _whole + SOH + _whole: ["garbage", "message", "garbage", "message"],
    _whole + b"8=": ["message", "garbage"],
    _whole[:-1]: ["truncated"],
    _whole[:-7] + _whole: ["truncated", "message"],
    _whole[:-8] + _whole: ["bad_length"],  # the second begins in the middle of a field
    _whole[:40]: ["truncated"],
    _whole[40:]: ["garbage"],
    _whole.replace(b"55=B", b"55=C"): ["bad_checksum"],
    _whole.replace(b"9=", b"9=0"): ["bad_checksum"],
    framed(GOOD.replace("|", "\x01").encode(), b"FIX.4.3"): ["bad_header"],
    framed(GOOD.replace("|", "\x01").encode(), b"FIX.4.20"): ["bad_header"],
    framed(GOOD.replace("|", "\x01").encode(), b"\0FIX.4.2"): ["bad_header"],
    framed(GOOD.replace("|", "\x01").encode(), b"FIXT.1.1"): ["message"],
}
for _length in (b"0", b"47", b"65582", b"x", b"-53", b"99999999999999999999"):
    _text = _whole[: _whole.index(b"9=") + 2] + _length + SOH + _whole[_whole.index(b"35=") : -7]
    TEXTS[_text + b"10=%03d\x01" % (sum(_text) % 256)] = ["bad_length"]
for _sum in (b"10=1\x01", b"10=0000\x01", b"10=abc\x01", b"10=999\x01"):
    TEXTS[_whole[:-7] + _sum] = ["bad_checksum"]

# A length before a message, between two, or at the end of a broken one covers nothing of the next message.
for _tag in (93, 95, 212, 445, 1184, 43110):
    for _number in (1, 2, 9, 100, 9_000, 65_535):
        _stated = b"%d=%d\x01" % (_tag, _number)
        TEXTS[_stated + _whole] = ["garbage", "message"]
        TEXTS[_whole + _stated + _whole] = ["message", "garbage", "message"]
        TEXTS[b"8=FIX.4.4\x019=5\x0135=0\x01" + _stated + _whole] = ["truncated", "message"]
TEXTS[b"95=9000\x0196=x\x01" + _whole] = ["garbage", "message"]
TEXTS[_whole + b"95=9000\x0196=" + _whole] = ["message", "garbage"]  # the second begins in the middle of a field
TEXTS[_whole + b"95=1\x0196=\x01" + _whole] = ["message", "garbage", "message"]
TEXTS[b"8=\x0195=9\x01" + _whole] = ["truncated", "message"]
TEXTS[b"8=\x0195=5\x0196=8=\x01\x01\x01\x01" + _whole] = ["truncated", "message"]

# Payloads with many events in a few bytes, with their verdicts.
STORMS = {
    b"8=" + SOH: ["truncated"],
    (b"8=" + SOH) * 100: ["truncated"] * 100,
    (b"8=" + SOH + b"10=" + SOH) * 100: ["malformed"] * 100,
    (b"8=" + SOH + b"10=" + SOH + SOH) * 100: ["malformed", "garbage"] * 100,
    (b"8=x" + SOH + b"10=x" + SOH) * 100: ["bad_header"] * 100,
    (b"8=x" + SOH + b"8=x" + SOH + b"10=x" + SOH + SOH) * 100: ["truncated", "bad_header", "garbage"] * 100,
    b"10=" + SOH + (b"1=2" + SOH) * 100 + _whole + b"10=000" + SOH + _whole: ["garbage", "message"] * 2,
    by_hand("35=8|"): ["unknown"],
    by_hand(GOOD + "95=2|96=" + "\x01\x01" + "|") * 9: ["message"] * 9,
    by_hand(GOOD + "95=1|95=1|96=a|"): ["malformed"],
}

TOKENS = (
    *(SOH, SOH, SOH * 3, b"x", b"=", b"8", b"8=", b"8=F\x01", b"8=\x01", b"10=", b"10=\x01", b"\x0110=1\x01"),
    *(b"\x0110=123\x01", b"1=2", b"9=5", b"35=D", b"95=1", b"95=2", b"95=12", b"95=5\x01", b"96=", b"96=\x01"),
    *(b"96=a\x01", b"96=8=\x0110", b"95=003\x0196=\x01\x01\x01", b"354=4\x01355=", b"453=1", b"448=P", b"452=3"),
    *(b"44=1.5", b"38=-7", b"60=x", b"93=2\x01", b"95=x\x01", b"95=9\x0196=a", b"10=000\x0195=9\x01"),
    *(b"453=2\x01448=A\x01", b"448=B\x01", b"452=3\x01", b"54=1\x01", b"8=\x0195=3\x0196="),
)


def crowded(g: random.Random, count: int) -> Iterator[bytes]:
    """`count` payloads of pieces of fields, alone, in and after good messages: many fields and messages end and begin
    in a few bytes."""
    good = by_hand(GOOD)
    for _ in range(count):
        pieces = b"".join(g.choice(TOKENS) for _ in range(g.randint(1, 14)))
        body = "".join(g.choice(TOKENS).decode() + g.choice(["", "|", "|", "|"]) for _ in range(g.randint(1, 4)))
        at = g.randrange(len(good))
        tail = g.choice([b"", pieces, good])
        yield g.choice([pieces, good[:at] + pieces + good[at:], by_hand(GOOD + body) + tail])
