-- Large trades below New York's bid for the same symbol: the last 16 of each are compared.
SELECT t.Symbol, t.Price, q.Bid, q.Bid - t.Price AS Below
FROM Trades [ROWS 16] AS t JOIN Quotes [ROWS 16] AS q ON t.Symbol = q.Symbol
WHERE t.Volume >= 100000 AND q.Venue = 'XN' AND t.Price < q.Bid
INTO TradeThrough
