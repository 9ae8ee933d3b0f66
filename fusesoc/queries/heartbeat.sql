-- A row every half minute, with or without trades, so that a silent feed is noticed.
SELECT Time, count(*) AS Trades, sum(Volume) AS Volume, max(Price) AS Top
FROM Trades [RANGE 30 SLIDE 30 WATTR Time SLACK 5 EMIT_EMPTY]
INTO Heartbeat
