-- The value traded of each symbol, every five minutes.
SELECT Symbol, sum(Price * Volume) AS Turnover
FROM Trades [SIZE 300 ADVANCE 300 TIME]
GROUP BY Symbol
INTO Turnover
