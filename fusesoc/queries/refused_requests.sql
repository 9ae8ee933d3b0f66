-- The requests that got an error, and whose fault it was; missing icons do not count.
CREATE INPUT STREAM Requests (
    Client uint, Method string(6), Path string(16), Status smallint, Bytes uint NULL, Millis int, Secure bool,
    Time timestamp(ms)
);
SELECT Client, Method, Path,
       CASE WHEN Status >= 500 THEN 'server' WHEN Status IN (401, 403) THEN 'access' ELSE 'client' END AS Fault, Time
FROM Requests
WHERE Status BETWEEN 400 AND 599 AND NOT (Status = 404 AND Path LIKE '%.ico')
INTO RefusedRequests
