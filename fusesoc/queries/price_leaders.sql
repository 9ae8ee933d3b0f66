-- The five highest prices of the last five minutes, every minute; of equal ones those that came first.
SELECT window_end, Time, Symbol, Price
FROM Trades [RANGE 300 SLIDE 60 WATTR Time SLACK 10]
ORDER BY Price DESC
LIMIT 5
INTO PriceLeaders
