-- The day and hour in which a ride of this year began, and its seconds.
CREATE INPUT STREAM Rides (
    Ride long, Zone smallint, Passengers smallint NULL, Distance decimal(7, 2), Fare decimal(9, 2), Tip decimal(7, 2) NULL,
    Card bool, Pickup timestamp(s), Time timestamp(s)
);
SELECT Ride, CAST(Pickup AS date) AS Day, hour(Pickup) AS Hour, CAST(Time AS long) - CAST(Pickup AS long) AS Seconds
FROM Rides
WHERE Pickup >= TIMESTAMP '2026-01-01 00:00:00' AND Pickup < Time
INTO RideTimes
