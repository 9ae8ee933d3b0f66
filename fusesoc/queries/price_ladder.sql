-- All trades of each minute, from the highest price to the lowest.
SELECT window_end, Time, Symbol, Price, Volume
FROM Trades [RANGE 60 SLIDE 60 WATTR Time]
WHERE Volume > 0
ORDER BY Price DESC, Symbol
INTO PriceLadder
