-- Cancelled orders and how long they lived, from the last 64 new orders and the last 64 cancel requests.
CREATE INPUT STREAM NewOrders FORMAT FIX orders.NewOrderSingle (ClOrdID, Symbol, Side, OrderQty, Price, TransactTime);
CREATE INPUT STREAM Cancels FORMAT FIX orders.OrderCancelRequest (OrigClOrdID, ClOrdID, TransactTime);
SELECT o.Symbol, o.OrderQty, c.TransactTime - o.TransactTime AS Lived
FROM NewOrders [ROWS 64] AS o JOIN Cancels [ROWS 64] AS c ON o.ClOrdID = c.OrigClOrdID
WHERE o.OrderQty > 100
INTO Withdrawn
