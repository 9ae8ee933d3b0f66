-- Of each account the shares ordered on either side, the average price of its larger orders, and whether it only sells.
SELECT Account, sum(Quantity) FILTER (WHERE Side = 'B') Bought, sum(Quantity) FILTER (WHERE Side = 'S') AS Sold,
       avg(Price) FILTER (WHERE Quantity >= 100) AS Price, coalesce(sum(Quantity) FILTER (WHERE Side = 'B'), 0) = 0 AS Sells
FROM Orders [SIZE 64 ADVANCE 64 TUPLES]
GROUP BY Account
INTO OrderMix
