-- The highest price of every symbol in the last two minutes, when it was first paid, and for how many.
SELECT Time, Symbol, max(Price) AS High, max_by(Time, Price) AS Since, max_by(Volume, Price) AS Volume
FROM Trades [RANGE 120 SLIDE 60 WATTR Time SLACK 0]
GROUP BY Symbol
INTO FirstHighs
