-- Trades of at least a number of shares that can be changed while the circuit runs.
SELECT Symbol, Price, Volume, Time
FROM Trades
WHERE Volume >= $least
INTO LargeTrades
