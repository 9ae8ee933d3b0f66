"""Write the generated parts of pages anew: `python -m docs.parts`. A part is between two lines that name it:

<!-- proven: written by `make docs` from the .core files; do not edit -->
<!-- end of proven -->
"""

from __future__ import annotations

import re
from collections.abc import Callable

from docs import compiled, programs, verdicts
from tb import REPOSITORY
from tb.sort import networks
from wirestream.compiler import predicates
from wirestream.machine import bytecode, loading, merging
from wirestream.measure import proven
from wirestream.schema import counters, host_registers

PARTS: dict[str, dict[str, Callable[[], str]]] = {  # page: the text of each part by its name
    "board.md": {"counters": counters.markdown},
    "host.md": {
        "registers": host_registers.markdown,
        "median": lambda: host_registers.markdown(host_registers.MEDIAN),
    },
    "joins.md": {"predicates": predicates.markdown},
    "machine.md": {
        "aggregates": merging.markdown,
        "instructions": bytecode.markdown,
        "programs": programs.markdown,
        "published": compiled.published,
        "possible": compiled.possible,
        "refused": compiled.refused,
        "replies": loading.replies,
        "requests": loading.requests,
    },
    "queries.md": {"verdicts": verdicts.markdown},
    "sort-machine.md": {"registers": lambda: host_registers.markdown(host_registers.SORTER)},
    "sorting.md": {"best": networks.markdown},
    "testing.md": {"proven": proven.markdown},
}


def written(page: str) -> str:
    """The text of a page of docs with its parts up to date."""
    text = (REPOSITORY / "docs" / page).read_text()
    for name, part in PARTS[page].items():
        text = _replaced(text, page, name, part())
    return text


def _replaced(text: str, page: str, name: str, part: str) -> str:
    lines = rf"(<!-- {name}: written by `make docs`[^\n]*-->\n).*?(<!-- end of {name} -->)"
    if len(re.findall(lines, text, re.DOTALL)) != 1:
        raise SystemExit(f"docs/{page} lacks the two lines around the part '{name}'")
    return re.sub(lines, lambda found: found[1] + part + found[2], text, flags=re.DOTALL)


if __name__ == "__main__":
    for page in PARTS:
        (REPOSITORY / "docs" / page).write_text(written(page))
        print(f"docs/{page}")
