-- Orders above a value, in whole units of money; Price * Quantity has 96 bits.
SELECT OrderId, Account, Price * Quantity div 100000000 AS Value
FROM Orders
WHERE Price * Quantity > 500000000000000
INTO LargeOrders
