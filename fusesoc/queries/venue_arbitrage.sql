-- A symbol's bid in New York and ask in Zurich that are at most $band apart.
SELECT n.Symbol, n.Bid, z.Ask, n.Bid - z.Ask AS Gain, n.BidSize, z.AskSize
FROM Quotes [SIZE 24 ADVANCE 1 TUPLES] AS n JOIN Quotes [SIZE 24 ADVANCE 1 TUPLES] AS z ON abs(n.Bid - z.Ask) <= $band
WHERE n.Venue = 'XN' AND z.Venue = 'XS' AND n.Symbol = z.Symbol
INTO VenueArbitrage
