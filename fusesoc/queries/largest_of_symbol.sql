-- The largest trade of each symbol among the last two hundred trades, every hundred.
SELECT Symbol, Volume, Price
FROM Trades [SIZE 200 ADVANCE 100 TUPLES]
QUALIFY ROW_NUMBER() OVER (PARTITION BY Symbol ORDER BY Volume DESC, Price) = 1
INTO LargestOfSymbol
