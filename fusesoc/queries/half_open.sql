-- Packets that open a TCP connection; a host matches them with the answers.
SELECT SrcIp, DstIp, SrcPort, DstPort
FROM Packets
WHERE Protocol = 6 AND TcpFlags div 2 % 2 = 1 AND TcpFlags div 16 % 2 = 0
INTO HalfOpen
