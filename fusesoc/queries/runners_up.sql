-- The second and the third largest of the last 20 trades, after every fifth.
SELECT Symbol, Price, Volume
FROM Trades [SIZE 20 ADVANCE 5 TUPLES]
ORDER BY Volume DESC, Price
LIMIT 2 OFFSET 1
INTO RunnersUp
