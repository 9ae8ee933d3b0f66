-- Rides paid by card or with a tip, and the size of the tip.
CREATE INPUT STREAM Rides (
    Ride long, Zone smallint, Passengers smallint NULL, Distance decimal(7, 2), Fare decimal(9, 2), Tip decimal(7, 2) NULL,
    Card bool, Pickup timestamp(s), Time timestamp(s)
);
SELECT Ride, Tip, CASE WHEN Tip IS NULL THEN 'none' WHEN Tip * 5 >= Fare THEN 'high' ELSE 'usual' END AS Size, Card
FROM Rides
WHERE Card OR Tip IS NOT NULL
INTO Tips
