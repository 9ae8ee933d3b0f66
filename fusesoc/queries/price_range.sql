-- How far the price of a share has moved: volatility for those who cannot wait for a standard deviation. RANGE is no
-- multiple of SLIDE.
SELECT Time, max(Price) - min(Price) AS Spread, (max(Price) + min(Price)) div 2 AS Middle
FROM Trades [RANGE 250 SLIDE 100 WATTR Time SLACK 5]
WHERE Symbol = "NESN" OR Symbol = "ABBN"
INTO PriceRange
