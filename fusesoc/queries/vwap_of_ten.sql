-- The volume-weighted price of every ten trades of a share that the trader selects.
SELECT sum(Price * Volume) div sum(Volume) AS Vwap, first(Time) AS Begun
FROM Trades [SIZE 10 ADVANCE 10 TUPLES]
WHERE Symbol = $symbol
INTO VwapOfTen
