-- By how much large trades exceed a size that the trader sets, on average: constants inside an aggregate.
SELECT Time, avg(Excess) AS Excess, count(*) AS Trades
FROM (SELECT Time, Volume - $size AS Excess FROM Trades WHERE Volume > $size)
     [RANGE 120 SLIDE 60 WATTR Time SLACK 10]
INTO AverageTrade
