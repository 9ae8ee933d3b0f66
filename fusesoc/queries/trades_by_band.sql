/* Of each symbol the number, the shares and the range of prices of the trades in three bands,
   from which a volume profile is drawn. */
SELECT Time, Symbol,
       count(*) FILTER (WHERE Price < 1000) AS Low, sum(Volume) FILTER (WHERE Price < 1000) AS LowVolume,
       count(*) FILTER (WHERE Price BETWEEN 1000 AND 1999) AS Middle,
       sum(Volume) FILTER (WHERE Price BETWEEN 1000 AND 1999) AS MiddleVolume,
       count(*) FILTER (WHERE Price >= 2000) AS High, sum(Volume) FILTER (WHERE Price >= 2000) AS HighVolume,
       max(Price) FILTER (WHERE Volume > 0) - min(Price) FILTER (WHERE Volume > 0) AS Spread
FROM Trades [RANGE 240 SLIDE 120 WATTR Time SLACK 10]
GROUP BY Symbol
INTO TradesByBand
