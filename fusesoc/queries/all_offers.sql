-- Large bids and asks as one stream of offers.
SELECT Symbol, Bid AS Price, BidSize AS Size, TRUE AS Buys FROM Quotes WHERE BidSize > 1000
UNION ALL
SELECT Symbol, Ask AS Price, AskSize AS Size, FALSE AS Buys FROM Quotes WHERE AskSize > 1000
INTO AllOffers
