-- How much is offered, on either side, over the last minute: an aggregate over a union.
SELECT Time, sum(Size) AS Offered, count(*) AS Offers, max(Price) AS Highest
FROM (SELECT Time, Bid AS Price, BidSize AS Size FROM Quotes WHERE Bid > 0
      UNION ALL
      SELECT Time, Ask AS Price, AskSize AS Size FROM Quotes WHERE Ask > 0)
     [RANGE 60 SLIDE 30 WATTR Time SLACK 6]
INTO OffersAWindow
