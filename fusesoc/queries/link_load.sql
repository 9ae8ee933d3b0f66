-- Kilobits in each tenth of a second, including those without packets.
SELECT Time, sum(Bytes) * 8 div 1000 AS Kilobits, count(*) AS Packets
FROM Packets [RANGE 100 SLIDE 100 WATTR Time SLACK 20 EMIT_EMPTY]
INTO LinkLoad
