-- About how many hosts sent packets, and how many of them opened TCP connections, every two seconds.
SELECT Time, approx_count_distinct(SrcIp) AS Hosts,
       approx_count_distinct(SrcIp) FILTER (WHERE Protocol = 6 AND TcpFlags & 18 = 2) AS Opening, count(*) AS Packets
FROM Packets [RANGE 2000 SLIDE 2000 WATTR Time SLACK 20]
INTO Talkers
