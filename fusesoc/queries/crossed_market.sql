-- Quotes that offer more than they ask: a fault of the feed, or money for the fastest.
SELECT Symbol, Venue, Bid - Ask AS Gain, Time
FROM Quotes
WHERE Bid >= Ask AND NOT (BidSize = 0 OR AskSize = 0)
INTO CrossedMarket
