-- The price of a share, or of all where none was traded, its direction from 100, and what the division leaves.
WITH Ratios AS (SELECT Symbol, Price div nullif(Volume, 0) AS Ratio, Price, mod(Price, Volume) Rest FROM Trades)
SELECT Symbol, coalesce(Ratio, Price, 0) AS Unit, sign(Ratio - 100) AS Direction, nvl(Rest, -1) AS Rest, Ratio IS NULL
FROM Ratios
WHERE Ratio IS DISTINCT FROM 0 AND (Rest IS NULL OR Rest NOT IN (1, 2, 3))
INTO UnitPrice
