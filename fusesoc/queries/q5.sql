-- Query Q5 of R. Mueller, dissertation ETH 19163 (2010), section 7.1.2: the average price of each symbol in the last
-- ten minutes, every minute.
SELECT Symbol, avg (Price) AS AvgPrice
FROM Trades [SIZE 600 ADVANCE 60 TIME]
GROUP BY Symbol
INTO PriceAverages
