-- Orders as positions: sales are negative; those of the house's accounts are left out.
SELECT OrderId, CASE Side WHEN 'B' THEN Quantity ELSE -Quantity END AS Signed, sign(Quantity) AS Direction
FROM Orders
WHERE Account NOT IN (7, 42) AND Price > 0
INTO SignedOrders
