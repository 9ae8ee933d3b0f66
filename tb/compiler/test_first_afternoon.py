"""Each text of a first afternoon compiles, or is refused with one line that says what to do."""

from pathlib import Path

import pytest
import yaml

from wirestream.compiler.compile import compile_queries
from wirestream.errors import QueryError
from wirestream.schema.streams import shipped

TEXTS = yaml.safe_load(Path(__file__).with_name("first_afternoon.yml").read_text())


@pytest.mark.parametrize("name", TEXTS)
def test_verdict(name):
    text, verdict = TEXTS[name]["text"], TEXTS[name]["verdict"]
    if verdict == "compiles":
        compile_queries(text, shipped())
        return
    with pytest.raises(QueryError) as refused:
        compile_queries(text, shipped())
    assert verdict in refused.value.message
    assert "\n" not in refused.value.message


def test_all_are_here():
    assert len(TEXTS) == 60
