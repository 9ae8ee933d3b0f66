-- How many trades, and of how many shares, there were in each step of a thousand of the price; what is out of range
-- counts at its end.
SELECT Time, greatest(-1, least(Price div 1000, 3)) Step, count(*), sum(Volume)
FROM Trades [RANGE 240 SLIDE 120 WATTR Time SLACK 10]
GROUP BY Step
HAVING Step IS NOT NULL
INTO PriceHistogram
