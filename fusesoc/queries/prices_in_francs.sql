-- The prices of trades in francs, and what is left of the rounded lot.
SELECT Symbol, CAST(Price / 100.0 AS decimal(12, 2)) AS Francs, Volume - Volume div 100 * 100 AS Rest, Time
FROM Trades
WHERE Volume > 0 AND Symbol NOT IN ('X', 'Y')
INTO PricesInFrancs
