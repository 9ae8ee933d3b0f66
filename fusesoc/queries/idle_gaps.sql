-- How long Nestle was not traded: from the last trade of a busy period to the first of the next. Time of a session is
-- its end, 25 after the last trade.
SELECT first(Last) AS Since, last(Begin) - first(Last) AS Idle
FROM (SELECT Time - 25 AS Last, min(Time) AS Begin
      FROM (SELECT * FROM Trades WHERE Symbol = "NESN") [SESSION GAP 25 WATTR Time SLACK 15]
      WHERE Volume > 0) [SIZE 2 ADVANCE 1 TUPLES]
INTO IdleGaps
