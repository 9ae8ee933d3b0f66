-- Q5 with the average's parts, which a host divides: no divider on the chip.
SELECT Symbol, sum(Price) AS Total, count(Price) AS Number
FROM Trades [SIZE 600 ADVANCE 60 TIME]
GROUP BY Symbol
INTO PriceAverageParts
