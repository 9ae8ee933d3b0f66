-- Query Q2 of R. Mueller, dissertation ETH 19163 (2010), section 7.1.2: the large trades of UBS.
SELECT Price, Volume
FROM Trades
WHERE Symbol = "UBSN" AND Volume > 100000
INTO LargeUBSTrades
