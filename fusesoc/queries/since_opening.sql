-- Trades from the opening of the exchange on, in windows counted from there; what comes before is late.
SELECT Time, count(*) AS Trades, avg(Price) AS Price
FROM Trades [RANGE 90 SLIDE 45 WATTR Time SLACK 10 START 1234]
INTO SinceOpening
