-- The end of every half minute in which fewer than two large trades were made, silent ones among them.
SELECT Time, count(Volume) AS Trades
FROM Trades [RANGE 30 SLIDE 30 WATTR Time SLACK 5 EMIT_EMPTY]
WHERE Volume > 1000
HAVING count(Volume) < 2
INTO QuietMarket
