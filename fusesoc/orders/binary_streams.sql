-- The dissertation's multiplexed stream: the value of orders, and how many are cancelled.
CREATE INPUT STREAM NewOrders FORMAT BINARY exchange.NewOrder (Symbol, OrderQty, Price, TransactTime);
CREATE INPUT STREAM Cancels FORMAT BINARY exchange.OrderCancelRequest (OrigClOrdID, TransactTime);
SELECT Symbol, OrderQty * Price AS Value FROM NewOrders WHERE Symbol = 'UBSN' INTO Worth;
SELECT TransactTime, count(*) AS Number FROM Cancels [RANGE 20 SLIDE 10 WATTR TransactTime SLACK 3] INTO CancelRate
