-- The imbalance of bids and asks over a window, for each symbol.
SELECT Time, Symbol, 100 * (sum(BidSize) - sum(AskSize)) div (sum(BidSize) + sum(AskSize)) AS Percent
FROM Quotes [RANGE 60 SLIDE 20 WATTR Time SLACK 6]
GROUP BY Symbol
INTO Pressure
