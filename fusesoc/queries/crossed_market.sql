-- Quotes whose bid is above their ask: an error of the feed, or an opportunity for arbitrage.
SELECT Symbol, Venue, Bid - Ask AS Gain, Time
FROM Quotes
WHERE Bid >= Ask AND NOT (BidSize = 0 OR AskSize = 0)
INTO CrossedMarket
