-- A Nasdaq feed on lines A and B: new orders for each stock in 100 ms, and executions of more than 2000 shares.
CREATE INPUT STREAM Adds FORMAT ITCH itch5.AddOrder (Time, Ref, Side, Shares, Stock, Price)
  FRAMING MOLDUDP64 REORDER 32 GAP_MS 10;
CREATE INPUT STREAM Executed FORMAT ITCH itch5.OrderExecuted (Time, Ref, Shares)
  FRAMING MOLDUDP64 REORDER 32 GAP_MS 10;
SELECT Stock, count(*) AS Number, sum(Shares) AS Shares
FROM Adds [SIZE 100000000 ADVANCE 50000000 TIME]
GROUP BY Stock
INTO Offers;
SELECT Time, Ref, Shares FROM Executed WHERE Shares > 2000 INTO Fills
