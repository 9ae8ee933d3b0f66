-- Packets per second, measured over every 50 packets; null if all arrived in the same millisecond.
SELECT 50000 div (max(Time) - min(Time)) AS Rate, min(Bytes) AS Smallest
FROM Packets [SIZE 50 ADVANCE 25 TUPLES]
INTO PacketRate
