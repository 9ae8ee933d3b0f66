-- The requests of each class of status, the slowest of them and the bytes sent.
CREATE INPUT STREAM Requests (
    Client uint, Method string(6), Path string(16), Status smallint, Bytes uint NULL, Millis int, Secure bool,
    Time timestamp(ms)
);
SELECT Time, Status div 100 AS Class, count(*) AS Requests, max(Millis) AS Slowest, sum(Bytes) AS Sent
FROM Requests [RANGE 10 seconds SLIDE 5 seconds WATTR Time SLACK 500 ms]
GROUP BY Class
INTO StatusClasses
