-- FIX messages on one wire: orders at high prices, and the cancellations in each millisecond.
CREATE INPUT STREAM NewOrders FORMAT FIX orders.NewOrderSingle (ClOrdID, Symbol, Side, OrderQty, Price, TransactTime);
CREATE INPUT STREAM Cancels FORMAT FIX orders.OrderCancelRequest (OrigClOrdID, ClOrdID, TransactTime);
SELECT Symbol, Side, OrderQty, Price FROM NewOrders WHERE Symbol = 'UBSN' AND Price > 1000000000 INTO Dear;
SELECT TransactTime, count(*) AS Number FROM Cancels [SIZE 1000000 ADVANCE 500000 TIME] INTO CancelRate
