-- One order in eight, chosen by a hash; its product is as wide as any value can be.
SELECT OrderId, Price, Quantity
FROM Orders
WHERE OrderId * Price % 1000003 % 8 = 0
INTO SampledOrders
