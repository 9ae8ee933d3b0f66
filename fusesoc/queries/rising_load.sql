-- Where the load rises over three windows, weighted against the two before.
SELECT wsum(Load, [1, -.5, -.5]) AS Rise, last(Time) AS Time
FROM (SELECT Time, sum(Bytes) AS Load FROM Packets [RANGE 500 SLIDE 500 WATTR Time SLACK 20])
     [SIZE 3 ADVANCE 1 TUPLES]
HAVING wsum(Load, [1, -.5, -.5]) > 0
INTO RisingLoad
