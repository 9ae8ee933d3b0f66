-- The end of every half minute with fewer than two large trades, including those with none.
SELECT Time, count(Volume) AS Trades
FROM Trades [RANGE 30 SLIDE 30 WATTR Time SLACK 5 EMIT_EMPTY]
WHERE Volume > 1000
HAVING count(Volume) < 2
INTO QuietMarket
