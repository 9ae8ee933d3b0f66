-- How long requests for each path take: the usual time, and that which at least 95% of them do not exceed.
CREATE INPUT STREAM Requests (
    Client uint, Method string(6), Path string(16), Status smallint, Bytes uint NULL, Millis int, Secure bool,
    Time timestamp(ms)
);
SELECT Time, Path, median(Millis) AS Usual, percentile_disc(0.95) WITHIN GROUP (ORDER BY Millis) AS Slow,
       count(*) AS Requests
FROM Requests [RANGE 2 seconds SLIDE 2 seconds WATTR Time SLACK 500 ms]
GROUP BY Path
INTO ResponseTimes
