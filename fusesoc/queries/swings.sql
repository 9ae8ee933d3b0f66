-- How far the price of each symbol has moved in the last minute, four times a minute.
SELECT Time, Symbol, first(Price) AS Opened, last(Price) AS Latest, last(Price) - first(Price) AS Move,
       count(*) AS Trades
FROM Trades [RANGE 60 SLIDE 15 WATTR Time]
GROUP BY Symbol
INTO Swings
