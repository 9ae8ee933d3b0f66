-- Bytes sent by each source in the last five seconds, every second.
SELECT SrcIp, sum(Bytes) AS Bytes, max(Bytes) AS Largest
FROM Packets [RANGE 5000 SLIDE 1000 WATTR Time SLACK 20]
GROUP BY SrcIp
INTO BytesPerSource
