-- The highest price of each symbol, and the volume traded.
SELECT Time, Symbol, max(Price) AS Top, sum(Volume) AS Volume, count(*) AS Trades
FROM Trades [RANGE 60 SLIDE 20 WATTR Time SLACK 10]
GROUP BY Symbol
HAVING count(*) >= 2
INTO TopBySymbol
