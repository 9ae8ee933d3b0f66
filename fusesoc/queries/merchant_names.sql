-- Names of merchants of two words or with a star, in capitals, and the shard of the payment.
CREATE INPUT STREAM Payments (
    Id uint64, Merchant string(8), Currency string(3), Amount decimal(12, 2), Fee decimal(7, 4) NULL, Country string(2) NULL,
    Due date NULL, Approved bool, Time timestamp(ms)
);
SELECT upper(trim(Merchant)) AS Name, instr(Merchant, ' ') AS Space, Id % 16 AS Shard
FROM Payments
WHERE Merchant LIKE '% %' OR Merchant LIKE '_%*%'
INTO MerchantNames
