-- Trades since the opening of the exchange, where the first window starts; earlier trades are late.
SELECT Time, count(*) AS Trades, avg(Price) AS Price
FROM Trades [RANGE 90 SLIDE 45 WATTR Time SLACK 10 START 1234]
INTO SinceOpening
