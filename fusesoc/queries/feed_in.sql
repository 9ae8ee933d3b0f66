-- The meters that feed power into the net, with the power in kilowatts.
CREATE INPUT STREAM Meters (
    Meter uint, Phase string(2), Energy decimal(12, 3) NULL, Power decimal(9, 2) NULL, Tariff smallint, Time timestamp(s)
);
SELECT Meter, Phase, CAST(-Power / 1000 AS decimal(9, 3)) AS Kilowatts, Time
FROM Meters
WHERE Power < 0
INTO FeedIn
