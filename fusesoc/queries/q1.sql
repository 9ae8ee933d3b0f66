-- Query Q1 of R. Mueller, dissertation ETH 19163 (2010), section 7.1.2: the trades of UBS.
SELECT Price, Volume
FROM Trades
WHERE Symbol = "UBSN"
INTO UBSTrades
