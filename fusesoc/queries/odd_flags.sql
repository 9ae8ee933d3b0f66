-- TCP packets with flags that no legitimate sender sets: none, SYN with FIN, or FIN with PSH and URG.
SELECT SrcIp, DstIp, DstPort, TcpFlags
FROM Packets
WHERE Protocol = 6 AND (TcpFlags = 0 OR TcpFlags % 4 = 3 OR TcpFlags = 41)
INTO OddFlags
