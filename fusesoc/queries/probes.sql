-- Requests that look for weak spots, by the network of their sender.
CREATE INPUT STREAM Requests (
    Client uint, Method string(6), Path string(16), Status smallint, Bytes uint NULL, Millis int, Secure bool,
    Time timestamp(ms)
);
SELECT Client >> 8 << 8 AS Network, lower(left(Path, 8)) AS Start, char_length(Path) AS Length, Time
FROM Requests
WHERE Path LIKE '/wp-%' OR Path LIKE '%.php' OR Path LIKE '%..%'
INTO Probes
