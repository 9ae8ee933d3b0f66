-- Whether the price of a share rises: its last two trades compared with the two before; 4 times the weighted sum.
SELECT wsum(Price, [.5, .25, -.25, -.5]) AS Momentum, last(Time) AS Time
FROM Trades [SIZE 4 ADVANCE 1 TUPLES]
WHERE Symbol = "ABBN"
INTO Momentum
