-- What was traded of each symbol, in money, every five minutes.
SELECT Symbol, sum(Price * Volume) AS Turnover
FROM Trades [SIZE 300 ADVANCE 300 TIME]
GROUP BY Symbol
INTO Turnover
