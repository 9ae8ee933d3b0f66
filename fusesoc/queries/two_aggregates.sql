-- Two aggregates in parallel: R. Mueller, dissertation ETH 19163 (2010), section 7.3.8.
SELECT min(Price) AS Low, max(Price) AS High
FROM Trades [SIZE 600 ADVANCE 60 TIME]
WHERE Symbol = "UBSN"
INTO UBSPriceRange
