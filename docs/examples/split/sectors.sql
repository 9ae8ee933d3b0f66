-- What was traded of each sector in the last minute, every twenty seconds: the price of a share in francs, by volume.
SELECT w.Time, c.Sector, sum(w.Turnover) / sum(w.Volume) / 100 AS Price
FROM (SELECT Time, Symbol, sum(Price * Volume) AS Turnover, sum(Volume) AS Volume
      FROM Trades [RANGE 60 SLIDE 20 WATTR Time SLACK 10]
      WHERE Volume >= 100
      GROUP BY Symbol) AS w
JOIN Companies AS c ON w.Symbol = c.Symbol
WHERE c.Sector <> 'Banks'
GROUP BY w.Time, c.Sector
ORDER BY w.Time, c.Sector
INTO Sectors
