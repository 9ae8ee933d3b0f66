-- Trades per minute, with a limit on how far a time may jump: a single corrupt time is dropped; four consecutive times
-- that agree are accepted.
SELECT Time, count(*) AS Trades, sum(Volume) AS Volume
FROM Trades [RANGE 60 SLIDE 20 WATTR Time SLACK 10 MAX_AHEAD 200 RESYNC 4]
INTO PlausibleTrades
