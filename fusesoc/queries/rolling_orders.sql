-- The latest 120 orders, after every seventh: least and greatest price, mean quantity, and last account.
SELECT min(Price) AS Low, max(Price) AS High, avg(Quantity) AS Mean, last(Account) AS Account
FROM Orders [SIZE 120 ADVANCE 7 TUPLES]
WHERE Side = "B"
INTO RollingOrders
