-- Arithmetic and its corner cases: negative and very large numbers, division by zero.
SELECT Price * 3 - Volume AS A, Price div Volume AS B, Price % Volume AS C, -Price AS D
FROM Trades
WHERE NOT (Price < 0 AND Volume >= 100000) OR Symbol <> "NESN"
INTO Expressions
