-- The first ten seconds of each minute only: RANGE below SLIDE.
SELECT Time, count(*) AS Trades, first(Symbol) AS First, last(Symbol) AS Last
FROM Trades [RANGE 10 SLIDE 60 WATTR Time SLACK 10]
INTO FirstSeconds
