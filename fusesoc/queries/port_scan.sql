-- Sources that try ports far apart within ten seconds.
SELECT Time, SrcIp, count(*) AS Packets, max(DstPort) - min(DstPort) AS Span
FROM Packets [RANGE 10000 SLIDE 1000 WATTR Time SLACK 20]
WHERE Protocol = 6 AND TcpFlags = 2
GROUP BY SrcIp
HAVING max(DstPort) - min(DstPort) > 1000 AND count(*) >= 3
INTO PortScan
