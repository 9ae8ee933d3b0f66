-- The price of a share, weighted by volume, over the last minute.
SELECT Time, sum(Price * Volume) div sum(Volume) AS Vwap
FROM Trades [RANGE 60 SLIDE 20 WATTR Time SLACK 10]
HAVING count(*) > 3
INTO VolumeWeightedPrice
