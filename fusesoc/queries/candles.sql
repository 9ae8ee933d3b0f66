-- Open, high, low and close of every symbol in each minute, as a chart shows them.
SELECT Time, Symbol, first(Price) AS Open, max(Price) AS High, min(Price) AS Low, last(Price) AS Close,
       sum(Volume) AS Volume
FROM Trades [RANGE 60 SLIDE 60 WATTR Time SLACK 10]
GROUP BY Symbol
INTO Candles
