"""Check the error message for a query that cannot be built."""

import pytest

from wirestream.compiler.compile import compile_queries
from wirestream.errors import QueryError
from wirestream.schema.streams import shipped


def check_refused(sql: str, words: str, place: tuple[int, int] | None) -> None:
    """The message is one line that contains `words`, with the line and column of the position in the text."""
    with pytest.raises(QueryError) as refused:
        compile_queries(sql, shipped())
    assert words in refused.value.message
    assert (refused.value.position and (refused.value.position.line, refused.value.position.column)) == place
    assert "\n" not in refused.value.message
