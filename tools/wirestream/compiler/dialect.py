"""Write the page of the dialect from the grammar: `python -m wirestream.compiler.dialect FILE`."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path

HEAD = """# The dialect

Written by `make docs` from [the grammar](../tools/wirestream/compiler/dialect.lark), which is what the compiler reads.
[Queries](queries.md) shows how to use it.

- `int` is signed with 32 bits, `uint` unsigned, `long` has 64, `string(n)` n bytes. What is computed is as wide as its
  range needs, up to 128 bits; in a row it takes 64, with a flag where they are too few.
- `div` and `%` truncate toward zero; with a divisor of 0 they are null. A condition that is null is not true.
- Aggregates: `count`, `sum`, `min`, `max`, `avg` (`sum div count`), `first`, `last`, and
  `wsum(column, [weights])`: decimal weights, the first for the newest tuple; the result is scaled by a power of two, so
  that it is exact. They leave out nulls; `count()` counts tuples.
- A session holds tuples of which each is less than GAP from the next one, in the order of time; the windowing attribute
  of its row is its end, the last time and a GAP. It is made of the tuples that WHERE selects.
- A JOIN gives the pairs that pass ON and of which the earlier tuple is in its window when the later one comes. What
  reads one side alone selects its tuples in front of a window of tuples, and pairs where windows are in time.
- Rows leave in the order of their tuples, and rows of windows in time in that of the windows' ends. The rows of a
  window's groups, of a UNION ALL and of a JOIN leave in no order that is promised.
- `$name` is a constant that a port of the circuit brings, as wide as what it stands beside.
- A row's flags stand behind its columns: two bits for each column that may overflow (the lower) or be null.

```
"""


def markdown() -> str:
    return HEAD + files(__package__).joinpath("dialect.lark").read_text() + "```\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(markdown())
    print(sys.argv[1])
