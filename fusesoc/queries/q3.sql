-- Query Q3 of R. Mueller, dissertation ETH 19163 (2010), section 7.1.2: how many trades of UBS there were in the last
-- ten minutes, every minute.
SELECT count () AS Number
FROM Trades [SIZE 600 ADVANCE 60 TIME]
WHERE Symbol = "UBSN"
INTO NumUBSTrades
