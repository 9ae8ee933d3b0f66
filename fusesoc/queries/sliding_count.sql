-- Query Q3 of Oge et al., MCSoC 2013, section IV: trades of UBS in the past ten minutes, every minute, with trades up
-- to a minute out of order.
SELECT Time, count(*) AS Number
FROM Trades [RANGE 600 seconds SLIDE 60 seconds WATTR Time SLACK 60 seconds]
WHERE Symbol = "UBSN"
INTO SlidingCount
