-- Fares, tips and the farthest ride of each zone that earned more than fifty in ten minutes.
CREATE INPUT STREAM Rides (
    Ride long, Zone smallint, Passengers smallint NULL, Distance decimal(7, 2), Fare decimal(9, 2), Tip decimal(7, 2) NULL,
    Card bool, Pickup timestamp(s), Time timestamp(s)
);
SELECT Time, Zone, sum(Fare) AS Fares, sum(Tip) AS Tips, max(Distance) AS Farthest, count(*) AS Rides
FROM Rides [RANGE INTERVAL '10' MINUTE SLIDE INTERVAL '5' MINUTE WATTR Time SLACK INTERVAL '1' MINUTE]
GROUP BY Zone
HAVING sum(Fare) > 50.00
INTO ZoneIncome
