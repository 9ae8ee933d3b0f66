-- The middle between bid and ask, the spread, and the share of the bid in per cent if there is any size.
SELECT Symbol, Venue, (Bid + Ask) / 2.0 AS Middle, greatest(Ask - Bid, 0) AS Spread,
       BidSize * 100 div nullif(BidSize + AskSize, 0) AS Share
FROM Quotes
WHERE Bid <> 0 AND Ask <> 0
INTO MiddlePrices
