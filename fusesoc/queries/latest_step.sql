-- The price change at the latest trade of each short window; the price itself if the window has one trade.
SELECT Time, wsum(Price, [1, -1]) AS Step, count(*) AS Trades
FROM Trades [RANGE 40 SLIDE 10 WATTR Time SLACK 12]
INTO LatestStep
