-- Quotes whose spread is wider than the trader accepts, in hundredths of a percent of the bid.
SELECT Symbol, Venue, (Ask - Bid) * 10000 div Bid AS Spread, Time
FROM Quotes
WHERE (Ask - Bid) * 10000 div Bid > $most
INTO SpreadAlarm
