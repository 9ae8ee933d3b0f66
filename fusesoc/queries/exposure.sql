-- The value of each account's buy and sell orders in the last second, every half second; implausible prices excluded.
SELECT Placed, Account, Side, sum(Price * Quantity) AS Value, count(*) AS Orders
FROM Orders [RANGE 1000000 SLIDE 500000 WATTR Placed SLACK 1000]
WHERE Price > 0 AND Price < 1000000000000
GROUP BY Account, Side
INTO Exposure
