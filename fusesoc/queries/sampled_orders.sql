-- One order in eight, selected by a hash whose product has the largest possible width.
SELECT OrderId, Price, Quantity
FROM Orders
WHERE OrderId * Price % 1000003 % 8 = 0
INTO SampledOrders
