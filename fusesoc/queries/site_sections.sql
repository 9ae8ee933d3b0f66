-- How many of a hundred requests went to each part of a site, and the bytes sent.
CREATE INPUT STREAM Requests (
    Client uint, Method string(6), Path string(16), Status smallint, Bytes uint NULL, Millis int, Secure bool,
    Time timestamp(ms)
);
SELECT substring(Path, 2, 3) AS Section, count(*) AS Requests, sum(coalesce(Bytes, 0)) AS Sent
FROM Requests [SIZE 100 ADVANCE 100 TUPLES]
GROUP BY Section
INTO SiteSections
