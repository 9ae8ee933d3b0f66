-- Microseconds from one order of an account to its next.
SELECT last(Placed) - first(Placed) AS Gap, last(OrderId) AS OrderId
FROM Orders [SIZE 2 ADVANCE 1 TUPLES]
WHERE Account = $account
INTO OrderGaps
