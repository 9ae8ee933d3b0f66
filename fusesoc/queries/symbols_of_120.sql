-- The share of each symbol in the last 120 trades, every 60 trades.
SELECT Symbol, count(*) AS Trades, avg(Volume) AS Average, last(Time) AS Latest
FROM Trades [SIZE 120 ADVANCE 60 TUPLES]
GROUP BY Symbol
INTO SymbolsOf120
