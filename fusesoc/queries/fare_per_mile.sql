-- The price of a mile, and what was paid with the tip.
CREATE INPUT STREAM Rides (
    Ride long, Zone smallint, Passengers smallint NULL, Distance decimal(7, 2), Fare decimal(9, 2), Tip decimal(7, 2) NULL,
    Card bool, Pickup timestamp(s), Time timestamp(s)
);
SELECT Ride, CAST(Fare / nullif(Distance, 0) AS decimal(9, 2)) AS PerMile, Fare + coalesce(Tip, 0) AS Paid, Time
FROM Rides
WHERE Fare > 0
INTO FarePerMile
