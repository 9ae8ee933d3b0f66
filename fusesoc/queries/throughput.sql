-- How many kilobits a second a response had; null if it took no time.
CREATE INPUT STREAM Requests (
    Client uint, Method string(6), Path string(16), Status smallint, Bytes uint NULL, Millis int, Secure bool,
    Time timestamp(ms)
);
SELECT Path, least(Millis, 60000) AS Millis, coalesce(Bytes, 0) * 8 div nullif(Millis, 0) AS Speed, Secure
FROM Requests
WHERE Method IN ('GET', 'HEAD') AND Bytes IS DISTINCT FROM 0
INTO Throughput
