-- Who talks to whom: first and last packet, packets and bytes.
SELECT SrcIp, DstIp, first(Time) AS Begun, last(Time) AS Latest, count(*) AS Packets, sum(Bytes) AS Bytes
FROM Packets [SIZE 200 ADVANCE 100 TUPLES]
GROUP BY SrcIp, DstIp
INTO Flows
