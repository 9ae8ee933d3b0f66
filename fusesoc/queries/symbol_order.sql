-- Strings are compared byte by byte; a proper prefix is less than the longer string.
SELECT Symbol, Symbol < $before AS Low, Symbol >= "X" AS High, Time
FROM Trades
WHERE Symbol > "ABBN" AND Symbol != "UBSN"
INTO SymbolOrder
