-- The size offered in the last minute: one row for the bids and one for the asks.
SELECT Time, sum(BidSize) AS Offered, count(*) AS Offers, max(Bid) AS Highest
FROM Quotes [RANGE 60 SLIDE 30 WATTR Time SLACK 6] WHERE Bid > 0
UNION ALL
SELECT Time, sum(AskSize) AS Offered, count(*) AS Offers, max(Ask) AS Highest
FROM Quotes [RANGE 60 SLIDE 30 WATTR Time SLACK 6] WHERE Ask > 0
INTO OffersAWindow
