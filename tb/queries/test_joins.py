"""A join from frames to frames: sessions that end while its rows wait, a constant, stalls at the output."""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain

from tb import BUILD
from tb.queries.ethernet import Board
from tb.queries.golden import expected
from tb.queries.run import compiled
from tb.queries.streams import CONSTANTS, data
from wirestream.schema.packets import frames, payloads
from wirestream.sim.bulk import RANDOM_AND_LONG

FOLDER = BUILD / "queries"


def test_sessions():
    """Every session begins with empty windows, after the rows of the previous one have left."""
    name, sessions = "venue_arbitrage", (100, 101)
    board = Board.of(compiled(name), FOLDER / f"{name}.gmii", CONSTANTS[name])
    records = data(board.stream.name)
    sent = (frames(payloads(board.stream, records, per_datagram=20, session=session)) for session in sessions)
    run = board.send(chain.from_iterable(sent), FOLDER / f"{name}.run", stalls=RANDOM_AND_LONG)
    wanted = Counter(tuple(row.items()) for row in json.loads((expected() / f"{name}.json").read_text()))
    assert Counter(run.rows()) == Counter({row: len(sessions) * count for row, count in wanted.items()}) and wanted
    counters = run.counters
    assert counters["query_row"] == len(sessions) * wanted.total()
    assert counters["query_accepted"] == counters["tuple_rx_tuple"] == len(sessions) * len(records)
    assert counters["tuple_rx_session"] == len(sessions)
    assert not any(
        count for name, count in counters.items() if name.endswith(("_lost", "_full", "bad_fcs", "_refused"))
    )
