-- The trades of some symbols in a band of prices or of at least ten thousand shares, with a class of their size.
SELECT Symbol, Price, CASE WHEN Volume >= 10000 THEN 'block' WHEN Volume BETWEEN 100 AND 9999 THEN 'round' ELSE 'odd' END Size,
       abs(Price - 1500) AS Away, Time
FROM Trades
WHERE Symbol IN ('UBSN', 'NESN', 'ROG') AND (Price BETWEEN 500 AND 2500 OR Volume >= 10000)
INTO NotableTrades
