"""Session windows from frames to frames: the condition is evaluated before the entry, and drops are counted."""

from __future__ import annotations

import json
from collections import Counter

from tb import BUILD
from tb.queries.ethernet import Board
from tb.queries.golden import expected
from tb.queries.run import compiled
from tb.queries.streams import CONSTANTS, data
from wirestream.sim.bulk import RANDOM

FOLDER = BUILD / "queries"


def test_rows():
    """With a constant in the condition, late tuples, and stalls that fill the queue of the rows."""
    name = "conversations"
    board = Board.of(compiled(name), FOLDER / f"{name}.gmii", CONSTANTS[name])
    records = data(board.stream.name)
    run = board.play(records, FOLDER / f"{name}.run", per_datagram=5, gaps="0.5:3000", stalls=RANDOM)
    wanted = [tuple(row.items()) for row in json.loads((expected() / f"{name}.json").read_text())]
    assert Counter(run.rows()) == Counter(wanted) and wanted
    counters = run.counters
    assert counters["query_row"] == len(wanted) and counters["query_late"] > 0
    host = CONSTANTS[name]["host"]
    selected = (records["Protocol"] == 6) & ((records["SrcIp"] == host) | (records["DstIp"] == host))
    accepted = counters["query_accepted"]  # selected and not late
    assert selected.sum() - counters["query_late"] <= accepted <= selected.sum()
    assert counters["tuple_rx_tuple"] == len(records)
    assert not any(count for name, count in counters.items() if name.endswith(("_lost", "_full", "bad_fcs")))
