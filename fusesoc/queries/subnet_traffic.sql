-- Packets and bytes of each /16 of the sources.
SELECT Time, Net, count(*) AS Packets, sum(Bytes) AS Bytes
FROM (SELECT Time, SrcIp div 65536 AS Net, Bytes FROM Packets) [RANGE 3000 SLIDE 1500 WATTR Time SLACK 20]
GROUP BY Net
INTO SubnetTraffic
