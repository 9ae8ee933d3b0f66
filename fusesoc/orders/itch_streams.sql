-- An ITCH feed, one message per datagram: new orders for each stock in 100 us, large bids, and the highest price of
-- four trades.
CREATE INPUT STREAM Adds FORMAT ITCH itch5.AddOrder (Locate, Time, Ref, Side, Shares, Stock, Price);
CREATE INPUT STREAM Sold FORMAT ITCH itch5.Trade (Time, Shares, Stock, Price);
SELECT Stock, count(*) AS Number, sum(Shares) AS Shares
FROM Adds [SIZE 100000 ADVANCE 50000 TIME]
GROUP BY Stock
INTO Offers;
SELECT Locate, Ref, Price FROM Adds WHERE Side = 'B' AND Shares > 900 INTO Bids;
SELECT max(Price) AS Most FROM Sold [SIZE 4 ADVANCE 1 TUPLES] INTO Highest
