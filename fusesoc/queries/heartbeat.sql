-- A row every half minute, whether or not there was a trade, so that a silent feed is seen.
SELECT Time, count(*) AS Trades, sum(Volume) AS Volume, max(Price) AS Top
FROM Trades [RANGE 30 SLIDE 30 WATTR Time SLACK 5 EMIT_EMPTY]
INTO Heartbeat
