-- The miles per hour of rides that took longer than an hour or were implausibly fast.
CREATE INPUT STREAM Rides (
    Ride long, Zone smallint, Passengers smallint NULL, Distance decimal(7, 2), Fare decimal(9, 2), Tip decimal(7, 2) NULL,
    Card bool, Pickup timestamp(s), Time timestamp(s)
);
WITH Timed AS (SELECT Ride, Distance, CAST(Time AS long) - CAST(Pickup AS long) AS Seconds FROM Rides WHERE Time > Pickup)
SELECT Ride, Seconds, CAST(Distance * 3600 / Seconds AS decimal(12, 1)) AS Speed
FROM Timed
WHERE Seconds > 3600 OR Distance * 36 > Seconds
INTO RideSpeeds
