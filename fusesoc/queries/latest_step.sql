-- The step to the latest trade of each short window; of a window with one trade its price.
SELECT Time, wsum(Price, [1, -1]) AS Step, count(*) AS Trades
FROM Trades [RANGE 40 SLIDE 10 WATTR Time SLACK 12]
INTO LatestStep
