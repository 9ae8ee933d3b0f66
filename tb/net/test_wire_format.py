"""docs/wire-format.md: its example and its tables match tools/wirestream/schema/tuples.py."""

import re

from tb import REPOSITORY
from wirestream.schema.tuples import Q3_RESULT, TRADES, TupleFormatError, unpack

TEXT = (REPOSITORY / "docs/wire-format.md").read_text()


def example() -> bytes:
    """The payload built by the document's Python code."""
    names: dict = {}
    exec(re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)[1], names)
    return names["payload"]


def test_hex_dump_is_what_the_code_makes():
    payload = example()
    lines = [
        f"{at:04x}  {payload[at : at + 8].hex(' ')}  {payload[at + 8 : at + 16].hex(' ')}"
        for at in range(0, len(payload), 16)
    ]
    assert "```\n" + "\n".join(lines) + "\n```" in TEXT


def test_example_reads_back():
    header, records = unpack(example(), TRADES)
    assert (header.session, header.sequence, header.start, header.punct) == (7, 0, True, True)
    assert [tuple(r) for r in records.tolist()] == [(b"UBSN", 1525, 300, 57), (b"ABBN", 2210, 100, 61), (b"", 0, 0, 60)]


def test_stream_table_agrees_with_the_schemas():
    rows = re.findall(r"^\| [^|]+ \| (1|0x8001) \| (.+) \| (\d+) \|$", TEXT, re.MULTILINE)
    assert len(rows) == 2
    for (stream, fields, size), schema in zip(rows, (TRADES, Q3_RESULT), strict=True):
        assert (int(stream, 0), int(size)) == (schema.stream_id, schema.record_bytes)
        assert re.findall(r"(\w+) `([^`]+)`", fields) == [(f.name, f.type) for f in schema.in_record]


def test_every_reason_is_documented():
    for payload in (b"", example()[:8] + b"\0\2" + example()[10:], example()[:-1]):
        try:
            unpack(payload, TRADES)
        except TupleFormatError as error:
            assert f"`{error.reason}`" in TEXT
        else:
            raise AssertionError("a broken payload was taken")
