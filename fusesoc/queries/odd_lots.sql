-- Of each symbol the trades of less than a hundred shares, the others, and whether prices were positive.
SELECT Time, Symbol, count(*) FILTER (WHERE Volume BETWEEN 1 AND 99) AS Odd, count(*) FILTER (WHERE Volume >= 100) AS Whole,
       bool_and(Price > 0) AS Sound
FROM Trades [RANGE 240 SLIDE 120 WATTR Time SLACK 10]
GROUP BY Symbol
INTO OddLots
