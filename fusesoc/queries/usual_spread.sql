-- The spreads of 64 quotes, every 8 quotes: the median, the widest 5%, between two spreads on the line, and the widest.
SELECT last(Time) AS Time, median(Ask - Bid) AS Median,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY Ask - Bid) AS Wide, max(Ask - Bid) AS Widest
FROM Quotes [SIZE 64 ADVANCE 8 TUPLES]
INTO UsualSpread
