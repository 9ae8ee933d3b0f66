-- The quotes of symbols that begin with N or have an S before their last character, under names for a display.
SELECT Symbol || '.' || Venue AS Ticker, concat(left(Symbol, 3), '/', right(Symbol, 2)) AS Short,
       lower(Symbol) AS Small, upper(lower(Venue)) AS Capitals, substring(Symbol, 2, 2) AS Middle,
       substring(Symbol, -3, 2) AS Near, substring(Symbol, 3) AS Rest, trim('  ' || Symbol || ' ') AS Bare,
       rtrim(concat(Venue, ' ')) || '!' AS Closed, ltrim(concat(' ', Symbol, ' ')) || '!' AS Open,
       char_length(Symbol) AS Length, instr(Symbol, 'S') AS Place, locate('SN', Symbol) AS Ends,
       Symbol LIKE '%N%' AS HasN, Time
FROM Quotes
WHERE Symbol LIKE 'N%' OR Symbol LIKE '%S_' AND Venue NOT LIKE '_'
INTO Tickers
