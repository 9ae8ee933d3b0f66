-- What each meter counted between its first and its last reading among 120.
CREATE INPUT STREAM Meters (
    Meter uint, Phase string(2), Energy decimal(12, 3) NULL, Power decimal(9, 2) NULL, Tariff smallint, Time timestamp(s)
);
SELECT Meter, last(Energy) - first(Energy) AS Used, count(Energy) AS Readings
FROM Meters [SIZE 120 ADVANCE 120 TUPLES]
GROUP BY Meter
INTO EnergyUsed
