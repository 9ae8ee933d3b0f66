-- Sums, differences and comparisons of up to 127 bits, for which a fast clock has no time in one cycle.
SELECT Symbol, Price * Price * Volume * Volume + Time - Price * Price * Volume * Volume AS Back,
       Price * Price * Volume * Volume - Volume >= Time * Time * Price * Price AS More
FROM Trades
WHERE Price * Volume * Volume + Time < Time * Time * Price
INTO WideSums
