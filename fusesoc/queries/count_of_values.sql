-- Aggregates ignore nulls; a window of nulls gives a row of nulls.
SELECT Time, count(*) AS Trades, count(Ratio) AS Ratios, sum(Ratio) AS Total, min(Ratio) AS Least, max(Ratio) AS Most,
       avg(Ratio) AS Average, first(Ratio) AS First, last(Ratio) AS Last
FROM (SELECT Time, Price div Volume AS Ratio FROM Trades WHERE Volume < 2) [RANGE 20 SLIDE 10 WATTR Time SLACK 10]
INTO CountOfValues
