-- Trades above a price of the symbol that a trader watches.
SELECT Price, Volume, Time
FROM Trades
WHERE Symbol = $symbol AND Price > $limit
INTO Watched
