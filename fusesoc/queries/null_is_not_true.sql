-- A condition that is null selects nothing, and neither does its negation.
SELECT Symbol, Price, Volume
FROM Trades
WHERE NOT Price div Volume > 0
INTO NullIsNotTrue
