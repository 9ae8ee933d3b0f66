-- Payments after the day on which they were due, and thirty days after it.
CREATE INPUT STREAM Payments (
    Id uint64, Merchant string(8), Currency string(3), Amount decimal(12, 2), Fee decimal(7, 4) NULL, Country string(2) NULL,
    Due date NULL, Approved bool, Time timestamp(ms)
);
SELECT Id, Amount, Due, CAST(Time AS date) AS Paid, Due + INTERVAL '30' DAY AS Reminder
FROM Payments
WHERE CAST(Time AS date) > Due
INTO Overdue
