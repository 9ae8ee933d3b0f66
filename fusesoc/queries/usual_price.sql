-- The median of the last 16 prices of a share, and the price that at least nine tenths of them do not exceed.
SELECT median(Price) AS Median, percentile_disc(0.9) WITHIN GROUP (ORDER BY Price) AS High
FROM Trades [SIZE 16 ADVANCE 1 TUPLES]
WHERE Symbol = 'UBSN'
INTO UsualPrice
