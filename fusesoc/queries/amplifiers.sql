-- Large answers of DNS and NTP servers, which attackers request with the addresses of their victims.
SELECT SrcIp, DstIp, Bytes FROM Packets WHERE Protocol = 17 AND SrcPort = 53 AND Bytes > 512
UNION ALL
SELECT SrcIp, DstIp, Bytes FROM Packets WHERE Protocol = 17 AND SrcPort = 123 AND Bytes > 468
INTO Amplifiers
