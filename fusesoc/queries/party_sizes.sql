-- Rides of no, one, two, and three or more passengers, and how far they went.
CREATE INPUT STREAM Rides (
    Ride long, Zone smallint, Passengers smallint NULL, Distance decimal(7, 2), Fare decimal(9, 2), Tip decimal(7, 2) NULL,
    Card bool, Pickup timestamp(s), Time timestamp(s)
);
SELECT Time, least(coalesce(Passengers, 0), 3) AS Party, count(*) AS Rides, avg(Distance) AS Mean
FROM Rides [RANGE 10 minutes SLIDE 5 minutes WATTR Time SLACK 60]
GROUP BY Party
INTO PartySizes
