-- Strings are compared byte by byte, a shorter one first where they agree.
SELECT Symbol, Symbol < $before AS Low, Symbol >= "X" AS High, Time
FROM Trades
WHERE Symbol > "ABBN" AND Symbol != "UBSN"
INTO SymbolOrder
