-- Q5 with sum and count instead of the average; a host divides, so the chip needs no divider.
SELECT Symbol, sum(Price) AS Total, count(Price) AS Number
FROM Trades [SIZE 600 ADVANCE 60 TIME]
GROUP BY Symbol
INTO PriceAverageParts
