-- How often UBS was traded in the past ten minutes, every minute; trades may arrive up to a minute late.
SELECT Time, count(*) AS Number
FROM Trades [RANGE 600 SLIDE 60 WATTR Time SLACK 60 MAX_AHEAD 3600]
WHERE Symbol = "UBSN"
INTO UBSTrades
