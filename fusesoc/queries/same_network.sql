-- Sources of pings from a network, with a prefix of $bits bits, in which a connection has just been answered.
SELECT ping.SrcIp AS Pinger, ack.DstIp AS Target, ack.DstPort AS Port
FROM Packets [ROWS 10] AS ping JOIN Packets [ROWS 10] AS ack ON prefix(ping.SrcIp, $bits) = prefix(ack.DstIp, $bits)
WHERE ping.Protocol = 1 AND ack.TcpFlags = 18
INTO SameNetwork
