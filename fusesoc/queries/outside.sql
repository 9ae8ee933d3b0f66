-- Packets from outside a network that the operator sets, by its first and last address.
SELECT SrcIp, DstIp, DstPort, Bytes
FROM Packets
WHERE NOT (SrcIp >= $low AND SrcIp <= $high)
INTO Outside
