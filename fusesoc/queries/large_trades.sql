-- Trades of at least so many shares; the number can be changed while the circuit runs.
SELECT Symbol, Price, Volume, Time
FROM Trades
WHERE Volume >= $least
INTO LargeTrades
