-- How far the price of a share has moved: a cheap measure of volatility. RANGE is not a multiple of SLIDE.
SELECT Time, max(Price) - min(Price) AS Spread, (max(Price) + min(Price)) div 2 AS Middle
FROM Trades [RANGE 250 SLIDE 100 WATTR Time SLACK 5]
WHERE Symbol = "NESN" OR Symbol = "ABBN"
INTO PriceRange
