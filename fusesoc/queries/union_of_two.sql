-- Two readings of one stream as one result; a trade may give two rows.
SELECT Symbol, Price AS X FROM Trades WHERE Price > 0
UNION ALL
SELECT Symbol, Volume - 5 AS X FROM Trades WHERE Volume > 7
INTO UnionOfTwo
