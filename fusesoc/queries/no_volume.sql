-- All columns of trades without a volume.
SELECT *
FROM Trades
WHERE Volume = 0
INTO NoVolume
