-- How far the bids outweigh the asks, in percent; null without either.
SELECT Symbol, 100 * (BidSize - AskSize) div (BidSize + AskSize) AS Percent, Time
FROM Quotes
WHERE Venue = "XN"
INTO Imbalance
