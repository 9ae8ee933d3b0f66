-- Quotes of which both sides have a size: the better half, the thinner side, and whether the venue is a primary one.
WITH Sane AS (SELECT * FROM Quotes WHERE Bid BETWEEN 1 AND Ask - 1 AND 0 NOT IN (BidSize, AskSize))
SELECT Symbol, least(BidSize, AskSize) Thin, greatest(Bid, Ask - 10) AS Half, Venue IN ('XN', 'XL') `Primary`,
       CASE WHEN BidSize > AskSize THEN 'buy' WHEN BidSize < AskSize THEN 'sell' END AS Pressure, Time
FROM Sane
INTO TwoSided
