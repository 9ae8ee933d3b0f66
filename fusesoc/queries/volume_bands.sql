-- Of each symbol the trades in three bands of their price, the volume of the highest band, and the average price unless
-- there are few trades.
SELECT Time, Symbol, count(CASE Band WHEN 'low' THEN 1 END) AS Low, count(CASE Band WHEN 'mid' THEN 1 END) AS Middle,
       count(CASE Band WHEN 'high' THEN 1 END) AS High, sum(IF(Band = 'high', Volume, 0)) AS HighVolume,
       CASE WHEN count(*) >= 4 THEN avg(Price) END AS Average
FROM (SELECT Time, Symbol, Price, Volume,
             CASE WHEN Price < 1000 THEN 'low' WHEN Price < 2000 THEN 'mid' ELSE 'high' END AS Band FROM Trades)
     [RANGE 240 SLIDE 120 WATTR Time SLACK 10]
GROUP BY Symbol
INTO VolumeBands
