-- Bytes sent by each source in the last five seconds, every second.
SELECT SrcIp, sum(Bytes) AS Bytes, max(Bytes) AS Largest
FROM Packets [RANGE 5 seconds SLIDE 1 second WATTR Time SLACK 20 ms]
GROUP BY SrcIp
INTO BytesPerSource
