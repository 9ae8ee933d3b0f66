-- The best bid and the best ask of a symbol over all venues, with the venue that quoted last.
SELECT Time, max(Bid) AS Bid, min(Ask) AS Ask, last(Venue) AS Venue
FROM Quotes [RANGE 30 SLIDE 10 WATTR Time SLACK 6]
WHERE Symbol = $symbol
INTO BestOfVenues
