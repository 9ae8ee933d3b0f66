-- The three trades with the highest prices of each minute.
SELECT window_end, Time, Symbol, Price, Volume
FROM Trades [RANGE 60 SLIDE 60 WATTR Time SLACK 10]
WHERE Volume > 0
ORDER BY Price DESC, Volume DESC
LIMIT 3
INTO HighestTrades
