-- Bursts of trading in UBS: three trades or more, each less than 20 seconds from the next.
SELECT Time, count(*) AS Trades, sum(Volume) AS Volume, sum(Price * Volume) div sum(Volume) AS Vwap
FROM Trades [SESSION GAP 20 WATTR Time SLACK 60 MAX_AHEAD 5 minutes]
WHERE Symbol = "UBSN"
HAVING count(*) > 2
INTO Bursts
