-- The turnover in each currency, the refused payments and the largest one in a minute.
CREATE INPUT STREAM Payments (
    Id uint64, Merchant string(8), Currency string(3), Amount decimal(12, 2), Fee decimal(7, 4) NULL, Country string(2) NULL,
    Due date NULL, Approved bool, Time timestamp(ms)
);
SELECT Time, Currency, sum(Amount) FILTER (WHERE Approved) AS Turnover, count(*) FILTER (WHERE NOT Approved) AS Refused,
       max(Amount) AS Largest
FROM Payments [RANGE 1 minute SLIDE 30 s WATTR Time SLACK 2 s]
GROUP BY Currency
INTO CurrencyTurnover
