-- Samples: the first two of every ten trades, summed.
SELECT sum(Price) AS Total, first(Symbol) AS First, last(Symbol) AS Last
FROM Trades [SIZE 2 ADVANCE 10 TUPLES]
INTO EveryTenth
