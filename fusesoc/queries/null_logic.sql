-- Conditions with an operand that may be null: null OR true is true, null AND false is false, others are null.
SELECT Price div Volume > 3 OR Price > 2000 AS Either, Price div Volume > 3 AND Price > 2000 AS Both,
       NOT Price % Volume = 1 AS Neither, Volume
FROM Trades
WHERE Symbol = "ABBN" OR Symbol = "X"
INTO NullLogic
