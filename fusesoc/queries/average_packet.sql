-- The average size of the packets of each protocol.
SELECT Protocol, avg(Bytes) AS Bytes, count(*) AS Packets
FROM Packets [SIZE 2 seconds ADVANCE 2 seconds TIME]
GROUP BY Protocol
INTO AveragePacket
