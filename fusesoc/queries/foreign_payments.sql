-- Approved payments in other currencies, with their country.
CREATE INPUT STREAM Payments (
    Id uint64, Merchant string(8), Currency string(3), Amount decimal(12, 2), Fee decimal(7, 4) NULL, Country string(2) NULL,
    Due date NULL, Approved bool, Time timestamp(ms)
);
SELECT Id, Currency || ' ' || coalesce(Country, '??') AS Origin, Amount
FROM Payments
WHERE Currency NOT IN ('CHF', 'EUR') AND Approved
INTO ForeignPayments
