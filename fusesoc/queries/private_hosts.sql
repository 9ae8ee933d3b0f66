-- Packets from the private network 10/8 that are neither TCP nor UDP, or have all of FIN, PSH and URG.
SELECT SrcIp & 16777215 AS Host, TcpFlags & 63 AS Flags, Bytes, DstIp >> 16 AS Network
FROM Packets
WHERE SrcIp BETWEEN 167772160 AND 184549375 AND (Protocol NOT IN (6, 17) OR TcpFlags & 41 = 41)
INTO PrivateHosts
