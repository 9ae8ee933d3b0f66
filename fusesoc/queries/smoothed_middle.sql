-- The middle between bid and ask, smoothed over four quotes of a symbol; 16 times the weighted sum.
SELECT wsum(Middle, [.5, .25, .125, .0625]) AS Smoothed
FROM (SELECT (Bid + Ask) div 2 AS Middle FROM Quotes WHERE Symbol = "UBSN" AND Ask > Bid)
     [SIZE 4 ADVANCE 1 TUPLES]
INTO SmoothedMiddle
