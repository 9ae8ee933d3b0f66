-- The fee of each payment: one and a quarter percent, and its own or thirty-five cents.
CREATE INPUT STREAM Payments (
    Id uint64, Merchant string(8), Currency string(3), Amount decimal(12, 2), Fee decimal(7, 4) NULL, Country string(2) NULL,
    Due date NULL, Approved bool, Time timestamp(ms)
);
SELECT Id, CAST(Amount * 0.0125 + coalesce(Fee, 0.35) AS decimal(12, 2)) AS Charged, NOT Approved AS Refunded
FROM Payments
WHERE Amount > 0
INTO PaymentFees
