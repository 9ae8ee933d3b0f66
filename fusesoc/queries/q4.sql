-- Query Q4 of R. Mueller, dissertation ETH 19163 (2010), section 7.1.2: the weighted price of the last four trades of
-- UBS; 8 times the weighted sum, so that it is exact.
SELECT wsum (Price, [.5, .25, .125, .125]) AS Wprice
FROM (SELECT * FROM Trades WHERE Symbol = "UBSN") [SIZE 4 ADVANCE 1 TUPLES]
INTO WeightedUBSTrades
