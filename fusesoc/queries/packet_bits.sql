-- The fields of SYN packets taken apart: the network of the source, the bits in which both addresses differ, what the
-- handshake says, and the queue and the port's place in a mask of a receiver with sixteen queues.
SELECT SrcIp >> 8 AS Network, SrcIp ^ DstIp AS Differ, TcpFlags & 18 AS Handshake, TcpFlags | 1 << 7 AS Marked,
       ~DstPort & 65535 AS Inverse, (SrcIp ^ DstIp >> 16 ^ SrcPort) & 15 AS Queue, 1 << DstPort AS Mask,
       SrcIp << 40 AS Wrapped, -Bytes >> Protocol AS Scaled
FROM Packets
WHERE TcpFlags & 2 <> 0
INTO PacketBits
