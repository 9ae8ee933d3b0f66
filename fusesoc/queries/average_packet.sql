-- The average size of the packets of each protocol.
SELECT Protocol, avg(Bytes) AS Bytes, count(*) AS Packets
FROM Packets [SIZE 2000 ADVANCE 2000 TIME]
GROUP BY Protocol
INTO AveragePacket
