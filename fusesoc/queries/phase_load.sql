-- Average, greatest and least power on each phase in a minute, and how many readings had none.
CREATE INPUT STREAM Meters (
    Meter uint, Phase string(2), Energy decimal(12, 3) NULL, Power decimal(9, 2) NULL, Tariff smallint, Time timestamp(s)
);
SELECT Time, Phase, avg(Power) AS Mean, max(Power), min(Power) AS Least, count(*) - count(Power) AS Missing
FROM Meters [RANGE 60 seconds SLIDE 30 seconds WATTR Time SLACK 10 seconds]
GROUP BY Phase
INTO PhaseLoad
