-- Merchants with more than two tiny payments in a minute, and whether any was approved.
CREATE INPUT STREAM Payments (
    Id uint64, Merchant string(8), Currency string(3), Amount decimal(12, 2), Fee decimal(7, 4) NULL, Country string(2) NULL,
    Due date NULL, Approved bool, Time timestamp(ms)
);
WITH Tiny AS (SELECT Merchant, Approved, Time FROM Payments WHERE Amount BETWEEN 0.01 AND 1.99)
SELECT Time, Merchant, count(*) AS Payments, bool_or(Approved) AS Approved
FROM Tiny [RANGE 1 minute SLIDE 30 s WATTR Time SLACK 2 s]
GROUP BY Merchant
HAVING count(*) > 2
INTO CardTesting
