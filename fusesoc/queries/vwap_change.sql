-- From one weighted price to the next: a weighted sum over rows of windows.
SELECT wsum(Vwap, [1, -1]) AS Change
FROM (SELECT Time, sum(Price * Volume) div sum(Volume) AS Vwap
      FROM Trades [RANGE 120 SLIDE 60 WATTR Time SLACK 10]
      HAVING sum(Volume) > 0)
     [SIZE 2 ADVANCE 1 TUPLES]
INTO VwapChange
