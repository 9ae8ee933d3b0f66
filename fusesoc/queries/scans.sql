-- Of each network /16 that sends: packets to well-known ports, those that open a connection, and the largest to any other
-- port.
SELECT Time, SrcIp div 65536 Network, count(*) FILTER (WHERE DstPort IN (22, 23, 80, 443, 445, 3389)) AS Known,
       count(*) FILTER (WHERE TcpFlags % 4 BETWEEN 2 AND 3 AND Protocol = 6) AS Opened,
       max(Bytes) FILTER (WHERE NOT DstPort BETWEEN 1 AND 1023) AS Largest
FROM Packets [RANGE 2000 SLIDE 1000 WATTR Time SLACK 20]
GROUP BY Network
INTO Scans
