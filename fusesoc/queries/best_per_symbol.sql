-- The three trades of each symbol with the highest prices, of each minute, with their places.
SELECT Time, Symbol, Price, Place
FROM (
    SELECT Time, Symbol, Price, ROW_NUMBER() OVER (PARTITION BY Symbol ORDER BY Price DESC) AS Place
    FROM Trades [RANGE 60 SLIDE 60 WATTR Time SLACK 10]
)
WHERE Place <= 3
INTO BestPerSymbol
