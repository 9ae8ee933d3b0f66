-- Where the next trade is likely to be: bid and ask, each weighted by the size on the other side.
SELECT Symbol, (Bid * AskSize + Ask * BidSize) div (BidSize + AskSize) AS Micro
FROM Quotes
INTO MicroPrice
