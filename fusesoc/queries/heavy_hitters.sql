-- Sources above a number of bytes that the operator sets while the circuit runs.
SELECT Time, SrcIp, sum(Bytes) AS Bytes
FROM Packets [RANGE 1000 SLIDE 500 WATTR Time SLACK 20]
GROUP BY SrcIp
HAVING sum(Bytes) > $threshold
INTO HeavyHitters
