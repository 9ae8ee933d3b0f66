-- The widest and the narrowest spread of each symbol at each venue.
SELECT Symbol, Venue, max(Ask - Bid) AS Widest, min(Ask - Bid) AS Narrowest
FROM Quotes [RANGE 100 SLIDE 50 WATTR Time SLACK 6]
GROUP BY Symbol, Venue
INTO WidestSpread
