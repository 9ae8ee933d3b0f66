-- The volume of each symbol in bands of its price.
SELECT Time, Symbol, Band, sum(Volume) AS Volume
FROM (SELECT Time, Symbol, Price div 1000 AS Band, Volume FROM Trades WHERE Price >= 0 AND Price < 4000)
     [RANGE 240 SLIDE 120 WATTR Time SLACK 10]
GROUP BY Symbol, Band
INTO PriceBands
