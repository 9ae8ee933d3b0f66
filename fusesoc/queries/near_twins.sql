-- Buy and sell orders for nearly the same number of shares, from accounts with nearly the same number.
SELECT b.OrderId AS Buy, s.OrderId AS Sell, b.Quantity - s.Quantity AS More
FROM Orders [ROWS 12] AS b JOIN Orders [ROWS 12] AS s
    ON abs(b.Quantity - s.Quantity) + abs(b.Account - s.Account) < 40
WHERE b.Side = 'B' AND s.Side = 'S' AND b.Price > 0 AND s.Price > 0 AND b.Price < 100000000000 AND s.Price < 100000000000
INTO NearTwins
