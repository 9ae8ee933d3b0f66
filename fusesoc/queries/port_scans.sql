-- Sources that opened TCP connections to five ports or more within a second, twice a second.
SELECT Time, SrcIp, count(DISTINCT DstPort) AS Ports, count(*) AS Packets
FROM Packets [RANGE 1000 SLIDE 500 WATTR Time SLACK 20]
WHERE Protocol = 6 AND TcpFlags & 18 = 2
GROUP BY SrcIp
HAVING count(DISTINCT DstPort) >= 5
INTO PortScans
