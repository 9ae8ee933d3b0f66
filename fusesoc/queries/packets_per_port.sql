-- Packets and bytes to each well-known port, every second.
SELECT Time, DstPort, count(*) AS Packets, sum(Bytes) AS Bytes
FROM Packets [RANGE 1000 SLIDE 1000 WATTR Time SLACK 20]
WHERE DstPort < 1024
GROUP BY DstPort
HAVING count(*) >= 2
INTO PacketsPerPort
