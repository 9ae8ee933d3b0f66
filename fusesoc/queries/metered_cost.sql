-- The cost of each reading by its tariff; a missing one costs nothing.
CREATE INPUT STREAM Meters (
    Meter uint, Phase string(2), Energy decimal(12, 3) NULL, Power decimal(9, 2) NULL, Tariff smallint, Time timestamp(s)
);
SELECT Meter, coalesce(Energy, 0) * CASE Tariff WHEN 1 THEN 0.2815 WHEN 2 THEN 0.219 ELSE 0.25 END AS Cost,
       Energy IS NULL AS Missing, Time
FROM Meters
WHERE Tariff BETWEEN 1 AND 3
INTO MeteredCost
