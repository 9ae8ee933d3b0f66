-- TCP packets to and from a host, in sessions that end after 40 milliseconds of silence.
SELECT Time, Time - 40 - min(Time) AS Lasted, count(*) AS Packets, sum(Bytes) AS Bytes, avg(Bytes) AS Mean
FROM Packets [SESSION GAP INTERVAL '40' MILLISECOND WATTR Time SLACK 20 ms]
WHERE Protocol = 6 AND (SrcIp = $host OR DstIp = $host)
INTO Conversations
