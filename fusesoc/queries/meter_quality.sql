-- Of every five minutes: readings without a power or below zero, and whether all had an energy.
CREATE INPUT STREAM Meters (
    Meter uint, Phase string(2), Energy decimal(12, 3) NULL, Power decimal(9, 2) NULL, Tariff smallint, Time timestamp(s)
);
SELECT Time, count(*) FILTER (WHERE Power IS NULL) AS Missing, count(*) FILTER (WHERE Power < 0) AS FeedIn,
       bool_and(Energy IS NOT NULL) AS Complete
FROM Meters [RANGE INTERVAL '5' MINUTE SLIDE INTERVAL '5' MINUTE WATTR Time SLACK INTERVAL '10' SECOND]
INTO MeterQuality
