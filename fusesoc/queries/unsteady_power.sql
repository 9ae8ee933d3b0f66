-- The variance of ordinary powers in two minutes that have at least three of them, in whole watts.
CREATE INPUT STREAM Meters (
    Meter uint, Phase string(2), Energy decimal(12, 3) NULL, Power decimal(9, 2) NULL, Tariff smallint, Time timestamp(s)
);
WITH Ordinary AS (SELECT CAST(Power AS int) AS Watts, Time FROM Meters WHERE abs(Power) <= 30000)
SELECT Time, var_pop(Watts) AS Variance, avg(Watts) AS Mean
FROM Ordinary [RANGE 2 minutes SLIDE 1 minute WATTR Time SLACK 10 s]
HAVING count(*) >= 3
INTO UnsteadyPower
