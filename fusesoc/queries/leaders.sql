-- The symbol with the largest trade of the last ten minutes, and the time of the cheapest trade that was no correction.
SELECT Time, max_by(Symbol, Volume) AS Leader, max(Volume) AS Volume,
       min_by(Time, Price) FILTER (WHERE Volume > 0) AS Cheapest
FROM Trades [RANGE 600 SLIDE 60 WATTR Time SLACK 0]
INTO Leaders
