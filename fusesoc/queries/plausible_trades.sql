-- Trades a minute, with a limit on how far a time may leap: a single corrupt one is dropped, and after four in a row
-- that agree the exchange is believed.
SELECT Time, count(*) AS Trades, sum(Volume) AS Volume
FROM Trades [RANGE 60 SLIDE 20 WATTR Time SLACK 10 MAX_AHEAD 200 RESYNC 4]
INTO PlausibleTrades
