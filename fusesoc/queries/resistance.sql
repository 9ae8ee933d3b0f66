-- The price range of the last five windows: a window of rows over windows of time.
SELECT max(High) AS Resistance, min(Low) AS Support, last(Time) AS Time
FROM (SELECT Time, max(Price) AS High, min(Price) AS Low FROM Trades [RANGE 60 SLIDE 20 WATTR Time SLACK 10])
     [SIZE 5 ADVANCE 1 TUPLES]
INTO Resistance
