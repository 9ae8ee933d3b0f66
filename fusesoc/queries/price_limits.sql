-- The lowest and the highest price of each side, and the first order of the window.
SELECT min(Price) AS Low, max(Price) AS High, first(OrderId) AS OrderId, last(Side) AS Side
FROM Orders [SIZE 20 ADVANCE 10 TUPLES]
INTO PriceLimits
