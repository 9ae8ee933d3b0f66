-- A host that opens a connection, and the answer within 2000 ms.
SELECT syn.SrcIp AS Client, ack.SrcIp AS Server, syn.Time, ack.Time - syn.Time AS Took
FROM Packets [RANGE 2000 WATTR Time SLACK 20 ROWS 256] AS syn
JOIN Packets [RANGE 2000 WATTR Time SLACK 20 ROWS 256] AS ack ON syn.SrcIp = ack.DstIp AND ack.SrcIp = syn.DstIp
WHERE syn.TcpFlags = 2 AND ack.TcpFlags = 18 AND ack.Time >= syn.Time
INTO Handshakes
