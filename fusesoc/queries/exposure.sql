-- The value of each account's buy and sell orders in the last second, every half second; implausible prices excluded.
SELECT Placed, Account, Side, sum(Price * Quantity) AS Value, count(*) AS Orders
FROM Orders [RANGE 1 second SLIDE 500 ms WATTR Placed SLACK 1 ms]
WHERE Price > 0 AND Price < 1000000000000
GROUP BY Account, Side
INTO Exposure
