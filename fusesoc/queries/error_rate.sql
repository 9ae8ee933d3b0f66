-- Errors of the server per thousand requests, and requests without encryption.
CREATE INPUT STREAM Requests (
    Client uint, Method string(6), Path string(16), Status smallint, Bytes uint NULL, Millis int, Secure bool,
    Time timestamp(ms)
);
SELECT Time, count(*) FILTER (WHERE Status >= 500) * 1000 div count(*) AS Errors,
       count(*) FILTER (WHERE NOT Secure) AS Plain
FROM Requests [RANGE 10 seconds SLIDE 5 seconds WATTR Time SLACK 500 ms]
HAVING count(*) >= 5
INTO ErrorRate
