-- Sums, differences and comparisons of up to 158 bits, which take more than one cycle of a fast clock.
SELECT Symbol, Price * Price * Volume * Volume + Time - Price * Price * Volume * Volume AS Back,
       Price * Price * Volume * Volume - Volume >= Time * Time * Price * Price AS More,
       Price * Price * Volume * Volume * Time + Time * Time > Time * Time * Time AS Most
FROM Trades
WHERE Price * Volume * Volume + Time < Time * Time * Price
INTO WideSums
