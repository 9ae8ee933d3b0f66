"""Query Q3 of Oge et al., MCSoC 2013, section IV: trades of UBS over the past 10 minutes, every minute.

SELECT Time, count(*) AS Number
FROM Trades [RANGE 600 seconds SLIDE 60 seconds WATTR Time SLACK 60 seconds]
WHERE Symbol = "UBSN"
"""

from __future__ import annotations

from spark_golden.query import Query


def q3(start: int | None = None, max_ahead: int = 0, resync: int = 16) -> Query:
    """Q3 with the given time rules; `spark_golden.run` computes its rows."""
    return Query(600, 60, 60, "COUNT", b"UBSN", start, max_ahead, resync)
