"""Queries that cannot be built are refused with one line: the reason and the position in the text."""

import json

import pytest

from tb.compiler.refused import check_refused
from tb.queries.run import QUERIES
from wirestream import cli
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.package import package
from wirestream.compiler.rewrite import Rewrites
from wirestream.errors import QueryError
from wirestream.schema.streams import shipped

WINDOW = "[SIZE 4 ADVANCE 1 TUPLES]"
TUMBLE, BOUNDS = "TUMBLE(TABLE Trades, DESCRIPTOR(Time), INTERVAL '10' MINUTE)", "GROUP BY window_start, window_end"
W = "[RANGE 60 SLIDE 60 WATTR Time SLACK 10]"
COUNT = "SELECT count(*) AS n FROM Trades"
NUMBER = "ROW_NUMBER() OVER (PARTITION BY Symbol ORDER BY Price)"
EVENTS = "CREATE INPUT STREAM Ev (Ts long, Kind int, Due long) TIME Ts IN milliseconds; SELECT count(*) AS n FROM Ev"
REFUSED = [
    ("", "no query in the file", None),
    ("SELECT Price FROM Trades; SELECT Price FROM Trades", "two results are named Result", (1, 27)),
    ("SELECT Price FORM Trades", "unexpected 'Trades'; expected ',' or FROM", (1, 19)),
    ("SELECT Time Price Volume FROM Trades", "unexpected 'Volume'; expected ',' or FROM", (1, 19)),
    ("SELECT Time select FROM Trades", "as a name write it in backquotes: `select`", (1, 13)),
    ("SELECT Time AS `9` FROM Trades", "a name in backquotes has letters, digits and _", (1, 16)),
    ("SELECT Price FROM Trades /* one", "unexpected '/*'; a comment ends with */", (1, 26)),
    ("SELECT Price FROM Trades UNION SELECT Volume FROM Trades", "write UNION ALL, which keeps equal rows", (1, 32)),
    ("INSERT OVERWRITE x SELECT * FROM Trades", "unexpected 'OVERWRITE'; expected INTO", (1, 8)),
    ("INSERT INTO x SELECT * FROM Trades INTO y", "the result has two names, x and y", (1, 13)),
    ("SELECT Price FROM Trades WHERE Price > 3 ORDER BY Price", "ORDER BY without a window would never end", (1, 51)),
    ("SELECT Price FROM Trades LIMIT 3", "LIMIT and OFFSET without a window would never end", (1, 26)),
    (
        f"SELECT count(*) AS N FROM Trades {W} LIMIT 3 ORDER BY N",
        "HAVING, QUALIFY, ORDER BY, LIMIT, OFFSET, in this order",
        (1, 82),
    ),
    (f"SELECT count(*) AS N FROM Trades {W} SORT BY N", "unexpected 'SORT'; write ORDER BY", (1, 74)),
    (f"SELECT count(*) AS N FROM Trades {W} FETCH FIRST 3 ROWS ONLY", "unexpected 'FETCH'; write LIMIT 10", (1, 74)),
    (f"SELECT count(*) AS N FROM Trades {W} ORDER BY 2", "ORDER BY 2: not the place of a column of SELECT", (1, 83)),
    (f"SELECT * FROM Trades {W} ORDER BY 1 LIMIT 1", "ORDER BY 1: not the place of a column of SELECT", (1, 71)),
    (
        f"SELECT Price FROM Trades {W} ORDER BY Price",
        "ORDER BY Price of all tuples of a window, of which several are open at once; use a SLIDE of at "
        "least RANGE + SLACK, or add LIMIT",
        (1, 26),
    ),
    (
        "SELECT Price FROM Trades [RANGE 60 SLIDE 59 WATTR Time] ORDER BY Price",
        "of which several are open at once; use a SLIDE",
        (1, 26),
    ),
    (
        "SELECT Price FROM Trades [SIZE 30 ADVANCE 29 TUPLES] ORDER BY Price",
        "of which several are open at once; use an ADVANCE of at least SIZE, or add LIMIT",
        (1, 26),
    ),
    (
        "SELECT Price FROM Trades [SIZE 2000000 ADVANCE 2000000 TUPLES] ORDER BY Price",
        "ORDER BY Price of all tuples of a window; 2,000,000 are more than 1,048,576: use a smaller SIZE",
        (1, 26),
    ),
    (
        "SELECT Price FROM Trades [RANGE 60 SLIDE 60 WATTR Time] ORDER BY Price OFFSET 3",
        "ORDER BY Price OFFSET 3 of all tuples of a window in time: one longer than the sorter leaves as several runs, "
        "of which none has its first rows; add LIMIT",
        (1, 26),
    ),
    (
        "SELECT Price AS `Order` FROM Trades [RANGE 60 SLIDE 60 WATTR Time] ORDER BY Price",
        "Order is the name of the bytes that state the order of the rows; rename the field",
        None,
    ),
    (f"SELECT Price FROM Trades {W} ORDER BY Price LIMIT 300", "keeps 300 rows; the most is 256", (1, 26)),
    (f"SELECT Price FROM Trades {W} OFFSET 3", "OFFSET 3 of all tuples of a window in time: one longer", (1, 26)),
    ("SELECT Price FROM Trades [SIZE 300 ADVANCE 300 TUPLES] OFFSET 300", "OFFSET 300 leaves none of 300", (1, 26)),
    (
        "SELECT Price FROM Trades [SIZE 300 ADVANCE 299 TUPLES] ORDER BY Price OFFSET 1",
        "ORDER BY Price OFFSET 1 of all tuples of a window, of which several are open at once; use an ADVANCE of at",
        (1, 26),
    ),
    (
        "SELECT Price FROM Trades [SIZE 9 ADVANCE 2 TUPLES] ORDER BY Price LIMIT 3",
        "3 rows a window, but one ends every 2",
        (1, 26),
    ),
    (
        "SELECT Price FROM Trades [SIZE 9 ADVANCE 9 TUPLES] LIMIT 3 OFFSET 9",
        "OFFSET 9 leaves none of at most 9 rows",
        (1, 26),
    ),
    ("SELECT Price FROM Trades [SESSION GAP 9 WATTR Time] LIMIT 3", "of the tuples of a window with SESSION", (1, 26)),
    (f"SELECT Price FROM Trades {W} HAVING Price > 3 LIMIT 3", "a window needs an aggregate in SELECT", (1, 26)),
    (
        f"SELECT N FROM (SELECT count(*) AS N FROM Trades {W} ORDER BY N) WHERE N > 3",
        "ORDER BY in a sub-query without",
        (1, 98),
    ),
    (
        f"SELECT Symbol, count(*) AS N FROM Trades {W} GROUP BY Symbol LIMIT 3 OFFSET 80",
        "OFFSET 80 leaves none",
        (1, 42),
    ),
    (
        "SELECT Symbol, count(*) AS N FROM Trades [SIZE 50 ADVANCE 50 TUPLES] GROUP BY Symbol ORDER BY N LIMIT 9",
        "take 53 cycles, but one closes every 50 tuples; use ADVANCE 53",
        (1, 42),
    ),
    (
        f"SELECT Price FROM Trades {W} UNION ALL SELECT Price FROM Trades LIMIT 3",
        "of a UNION write them into sub-queries",
        (1, 1),
    ),
    (
        "SELECT t.Price FROM Trades [ROWS 4] AS t JOIN Quotes [ROWS 4] AS q ON t.Symbol = q.Symbol ORDER BY t.Price",
        "ORDER BY over a JOIN, whose pairs never end",
        (1, 100),
    ),
    ("SELECT Price FROM Trades EXCEPT SELECT 3 FROM Trades", "use a JOIN of the streams, or a condition", (1, 26)),
    ("SELECT sum(Price) OVER (PARTITION BY Symbol) FROM Trades", "runs OVER on Spark", (1, 8)),
    (
        "SELECT Price OVER (PARTITION BY Symbol) FROM Trades",
        "OVER follows a function: ROW_NUMBER() OVER (PART",
        (1, 14),
    ),
    (
        "SELECT sum(Price) OVER (PARTITION BY abs(Price) ORDER BY Time ROWS 9 PRECEDING) FROM Trades",
        "unexpected 'ROWS'; [SIZE 10 ADVANCE 1 TUPLES] slides over the last tuples",
        (1, 63),
    ),
    (f"SELECT Price, {NUMBER} AS n FROM Trades {W}", "ROW_NUMBER() of all tuples of a window; write QUALIFY", (1, 15)),
    (f"SELECT Price FROM Trades {W} QUALIFY {NUMBER} <= 3 OR Price > 5", "of all tuples of a window", (1, 74)),
    (f"SELECT Price FROM Trades {W} QUALIFY {NUMBER} <= $most", "of all tuples of a window", (1, 74)),
    (f"SELECT Price FROM Trades {W} QUALIFY {NUMBER} < 1", "at least 1, so none is at most 0", (1, 74)),
    (f"SELECT Price FROM Trades {W} QUALIFY {NUMBER} <= 257", "the most is 256 of a partition", (1, 26)),
    (f"SELECT Price FROM Trades {W} QUALIFY Price < 3", "without ROW_NUMBER(); select tuples with WHERE", (1, 80)),
    (f"SELECT Price FROM Trades {W} QUALIFY ROW_NUMBER() <= 3", "ROW_NUMBER() needs OVER (PARTITION BY", (1, 74)),
    (f"SELECT Price FROM Trades {W} WHERE {NUMBER} <= 3", "before they have a number; write QUALIFY", (1, 72)),
    (f"SELECT Price FROM Trades {W} ORDER BY {NUMBER} LIMIT 3", "only allowed in SELECT and QUALIFY", (1, 75)),
    (f"SELECT sum({NUMBER}) AS s FROM Trades {W}", "only allowed in SELECT and QUALIFY", (1, 12)),
    (f"SELECT Price FROM Trades QUALIFY {NUMBER} <= 3", "without a window would never end", (1, 34)),
    (f"SELECT DISTINCT Price FROM Trades {W} QUALIFY {NUMBER} <= 3", "of groups; ORDER BY … LIMIT 3 gives", (1, 83)),
    (f"SELECT Price FROM Trades {W} QUALIFY {NUMBER} <= 3 LIMIT 3", "the rows leave by partition", (1, 74)),
    (f"SELECT Price FROM Trades {W} LIMIT 3 QUALIFY {NUMBER} <= 3", "HAVING, QUALIFY, ORDER BY, LIMIT", (1, 74)),
    (
        f"SELECT a FROM (SELECT n AS a FROM (SELECT {NUMBER} AS n FROM Trades {W})) WHERE a < 4",
        "or WHERE in the query around it",
        (1, 43),
    ),
    (
        f"SELECT {NUMBER} AS a, ROW_NUMBER() OVER (PARTITION BY Symbol) AS b FROM Trades {W} QUALIFY a < 4",
        "two ROW_NUMBER() with different OVER",
        (1, 69),
    ),
    (
        f"SELECT Price FROM Trades {W} QUALIFY ROW_NUMBER() OVER (ORDER BY Price) <= 3",
        "without PARTITION BY: ORDER BY … LIMIT 3 gives the same rows",
        (1, 74),
    ),
    (
        f"SELECT Price FROM Trades {W} QUALIFY ROW_NUMBER() OVER (PARTITION BY window_end) <= 3",
        "without PARTITION BY: ORDER BY … LIMIT 3 gives the same rows",
        (1, 74),
    ),
    (
        f"SELECT Price FROM Trades {W} QUALIFY ROW_NUMBER() OVER (PARTITION BY 5) <= 3",
        "PARTITION BY a constant: all tuples are one group",
        (1, 106),
    ),
    (
        f"SELECT Price FROM Trades {W} QUALIFY ROW_NUMBER() OVER (PARTITION BY nullif(Price, 1)) <= 3",
        "may be null, and a key must have a value",
        (1, 106),
    ),
    (
        f"SELECT Price FROM Trades {W} QUALIFY ROW_NUMBER(Price) OVER (PARTITION BY Symbol) <= 3",
        "ROW_NUMBER() takes no column",
        (1, 74),
    ),
    (
        f"SELECT Price FROM Trades {W} QUALIFY dense_rank() OVER (PARTITION BY Symbol ORDER BY Price) <= 3",
        "DENSE_RANK() OVER (…); the only number of a row is ROW_NUMBER() OVER (…)",
        (1, 74),
    ),
    (
        f"SELECT Price FROM Trades [SESSION GAP 9 WATTR Time] QUALIFY {NUMBER} <= 3",
        "ROW_NUMBER() of the tuples of a window with SESSION",
        (1, 26),
    ),
    (
        f"SELECT Price FROM Trades [SIZE 50 ADVANCE 10 TUPLES] QUALIFY {NUMBER} <= 3",
        "50 rows of a window need 76 cycles to leave, but one closes every 10 tuples; use ADVANCE 76",
        (1, 26),
    ),
    (
        "SELECT t.Price FROM Trades [ROWS 4] t JOIN Quotes [ROWS 4] q ON t.Symbol = q.Symbol "
        "QUALIFY ROW_NUMBER() OVER (PARTITION BY t.Symbol) < 3",
        "ROW_NUMBER() over a JOIN, whose pairs never end",
        (1, 93),
    ),
    ("SELECT Price FROM TABLE(TUMBLE(TABLE Trades))", "a function of windows is TUMBLE(TABLE Trades, DESC", (1, 44)),
    ("SELECT Price FROM HOP(DATA => TABLE Trades)", "a function of windows is TUMBLE(TABLE Trades, DESC", (1, 23)),
    (f"SELECT count(*) FROM TABLE({TUMBLE})", "TUMBLE without GROUP BY window_start, window_end would", (1, 28)),
    (f"SELECT count(*) FROM {TUMBLE} GROUP BY window_start", "without GROUP BY window_start, window_end", (1, 22)),
    (f"SELECT count(*) FROM {TUMBLE.replace('DESCRIPTOR', 'TIMECOL')} {BOUNDS}", "write DESCRIPTOR(Time)", (1, 22)),
    (f"SELECT count(*) FROM {TUMBLE.replace('TUMBLE', 'HOP')} {BOUNDS}", "HOP takes Time, slide, size[, off", (1, 22)),
    (f"SELECT count(*) FROM {TUMBLE.replace('MINUTE', 'ms')} {BOUNDS}", "10 milliseconds is not a whole num", (1, 22)),
    (f"SELECT count(*) FROM {TUMBLE.replace('TUMBLE', 'SESSION')} {BOUNDS}", "joins tuples exactly a gap", (1, 22)),
    (
        f"SELECT count(*) FROM {TUMBLE.replace('TUMBLE', 'CUMULATE')} {BOUNDS}",
        "is neither TUMBLE nor HOP; a w",
        (1, 22),
    ),
    (f"SELECT count(*) FROM {TUMBLE} [RANGE 9 SLIDE 9 WATTR Time] {BOUNDS}", "two windows over one", (1, 83)),
    (f"SELECT window, count(*) FROM {TUMBLE} {BOUNDS}", "window is two times; write window.start or wind", (1, 8)),
    (f"SELECT window_time, count(*) FROM {TUMBLE} {BOUNDS}", "has no milliseconds; write window_end - 1", (1, 8)),
    (
        f"SELECT a.Price FROM Trades [ROWS 3] a JOIN {TUMBLE} b ON a.Symbol = b.Symbol",
        "is no window of a JOIN",
        (1, 44),
    ),
    (
        "SELECT a.Bid FROM Quotes [ROWS 3] a JOIN Quotes [ROWS 3] b ON a.Bid = b.Bid GROUP BY TUMBLE(Time, '9 s')",
        "GROUP BY TUMBLE(…) over tuples that are in a window already",
        (1, 86),
    ),
    ("SELECT count(*) FROM Trades GROUP BY SESSION(Time, INTERVAL '9' SECOND)", "joins tuples exactly a", (1, 38)),
    ("SELECT count(*) FROM Trades GROUP BY TUMBLE(Time, 9)", "a length of time, as in INTERVAL '10'", (1, 51)),
    ("SELECT count(*) FROM Trades GROUP BY window(Time, '9 lots')", "or '10 minutes'", (1, 51)),
    ("SELECT count(*) FROM Trades GROUP BY TUMBLE(2, '9 s')", "TUMBLE(…) takes a column with the time", (1, 38)),
    (
        "SELECT TUMBLE_END(Time, '8 s') AS E, count(*) FROM Trades GROUP BY TUMBLE(Time, '9 s')",
        "TUMBLE_END has other arguments than GROUP BY TUMBLE(…)",
        (1, 8),
    ),
    (
        "SELECT count(*) FROM Trades [RANGE 9 SLIDE 9 WATTR Time] GROUP BY TUMBLE(Time, '9 s')",
        "over tuples that are in a window already",
        (1, 67),
    ),
    ("SELECT window_start, count(*) FROM Trades [SESSION GAP 9 WATTR Time]", "session is the least time", (1, 8)),
    ("SELECT count(*) FROM Trades WINDOW SESSION (9 SECONDS)", "joins tuples exactly a gap apart", (1, 29)),
    ("SELECT count(*) FROM Trades WINDOW HOPPING (SIZE 9 SECONDS)", "SIZE 30 SECONDS, ADVANCE BY 10", (1, 29)),
    ("SELECT count(*) FROM Trades WINDOW TUMBLING (SIZE 9, ADVANCE BY 3)", "TUMBLING (SIZE 10 SECONDS)", (1, 29)),
    ("SELECT count(*) FROM Trades WINDOW JUMPING (SIZE 9)", "JUMPING is neither TUMBLING nor HOPPING", (1, 29)),
    ("SELECT count(*) FROM Trades WINDOW TUMBLING (SIZE 9) EMIT CHANGES", "when it ends: write EMIT FINAL", (1, 59)),
    ("SELECT Price FROM Trades EMIT ALL", "EMIT ALL; the rows of a window leave once, when it ends", (1, 31)),
    ("WITH a AS (SELECT Price FROM a) SELECT Price FROM a", "a of WITH reads itself", (1, 6)),
    ("WITH RECURSIVE a AS (SELECT 1 FROM a) SELECT * FROM a", "a query of WITH cannot read itself", (1, 16)),
    (
        "WITH a AS (SELECT Price FROM Trades), a AS (SELECT Time FROM Trades) SELECT * FROM a",
        "WITH names two queries a",
        (1, 39),
    ),
    ("SELECT Price FROM Trades t [SIZE 4 ADVANCE 1 TUPLES]", "unexpected '['; a window comes before the name", (1, 28)),
    ("SELECT x.Price FROM Trades t", "unknown column x.Price; known: Symbol, Price", (1, 8)),
    ("SELECT Trades.Price FROM Trades AS t", "unknown column Trades.Price; known: Symbol, Price", (1, 8)),
    ("WITH a AS (SELECT Price FROM Trades) SELECT Time FROM a", "unknown column Time; known: Price", (1, 45)),
    ("SELECT `price` FROM Trades", "unknown column price; known: Symbol, Price, Volume, Time; Price is", (1, 8)),
    ("SELECT aa FROM (SELECT Price AS aA, Volume AS Aa FROM Trades)", "aa may mean aA or Aa, which differ in", (1, 8)),
    ("SELECT Price FROM `trades`", "unknown stream trades; known: Orders, Packets, Quotes, Trades", (1, 19)),
    (
        "SELECT symbol FROM Trades [ROWS 4] AS t JOIN Quotes [ROWS 4] AS q ON T.symbol = Q.symbol",
        "Symbol is a column of both sides",
        (1, 8),
    ),
    (f"{COUNT} [SIZE 99 ADVANCE 99 TUPLES] GROUP BY 'x'", "GROUP BY a constant: all tuples are one group", (1, 71)),
    (f"{COUNT} [SIZE 99 ADVANCE 99 TUPLES] GROUP BY n", "GROUP BY count(…), an aggregate of each group", (1, 71)),
    (f"{COUNT} [SIZE 99 ADVANCE 99 TUPLES] GROUP BY sum(Price)", "GROUP BY sum(…), an aggregate of", (1, 71)),
    (
        "SELECT nullif(Price, 3) AS Key, count(*) FROM Trades [SIZE 99 ADVANCE 99 TUPLES] GROUP BY Key",
        "may be null, and a key must have a value; filter out nulls in a sub-query, or replace them with coalesce",
        (1, 8),
    ),
    (
        "SELECT sum(Price), sum(Price) FROM Trades [SIZE 4 ADVANCE 1 TUPLES]",
        "two columns are named sum_Price; rename one with AS",
        (1, 20),
    ),
    ("SELECT Price\nFROM", "unexpected end of text; expected '(', TABLE or a name", (2, 5)),
    ("SELECT Price FROM Trades WHERE Price ? 3", "unexpected '?'", (1, 38)),
    ("SELECT Price FROM Trades WHERE Price\0", r"unexpected '\x00'", (1, 37)),
    ("SELECT Price, FROM Trades", "unexpected 'FROM'; expected '*' or an expression", (1, 15)),
    ("SELECT Price + AS x FROM Trades", "unexpected 'AS'; expected an expression", (1, 16)),
    ("SELECT Price FROM Trades WHERE Symbol = 'UBSN", "a string must end on its line, with '", (1, 41)),
    ("SELECT Price FROM Trades WHERE Symbol == 'UBSN'", "write = for equality", (1, 40)),
    ("SELECT Price FROM Trades WHERE Symbol = UBSN", "Time; a string needs quotes: 'UBSN'", (1, 41)),
    (f"SELECT Price * 1.{'0' * 38} AS p FROM Trades", "a decimal has at most 38 digits", (1, 16)),
    (
        f"SELECT Price * .{'0' * 20}1 * .{'0' * 19}1 AS p FROM Trades",
        "41 digits after the point; the most is 38",
        (1, 39),
    ),
    ("SELECT SUM(Price AS int) AS p FROM Trades", "SUM(… AS …); only CAST has a type", (1, 8)),
    ("SELECT Price + INTERVAL '3' DAY AS x FROM Trades", "to a timestamp, or days to a date, not to int32", (1, 14)),
    ("SELECT INTERVAL '3' DAY AS x FROM Trades", "an INTERVAL is added to a time", (1, 8)),
    ("SELECT DATE '2026-01-31 05:00' > DATE 'May' AS x FROM Trades", "'2026-01-31 05:00' is a time of a day", (1, 8)),
    ("SELECT TIMESTAMP 'May' > 1 AS x FROM Trades", "'May' is no timestamp; write '2026-01-31 12:00:00.123'", (1, 8)),
    ("SELECT TIME '12:00' AS x FROM Trades", "TIME in front of a string; write TIMESTAMP '2026", (1, 8)),
    ("SELECT EXTRACT(ERA FROM Time) AS x FROM Trades", "write EXTRACT(HOUR FROM Time)", (1, 8)),
    ("SELECT hour(Price) AS x FROM Trades", "a part of a day of a timestamp, not of int32", (1, 8)),
    ("SELECT CAST(Price AS float) AS p FROM Trades", "unknown type 'float'", (1, 8)),
    ("SELECT CAST(Symbol AS int) AS p FROM Trades", "no CAST of string(4) to int32", (1, 8)),
    ("SELECT sum(CAST(Price AS string(8))) AS p FROM Trades [SIZE 4 ADVANCE 1 TUPLES]", "no CAST of int32 to", (1, 12)),
    ("SELECT Price FROM Trades WHERE Price BETWEEN 1 OR 2", "unexpected 'OR'; expected an operator", (1, 48)),
    ("SELECT Price FROM Trades WHERE Price IN 1", "unexpected '1'; expected '('", (1, 41)),
    (
        "SELECT Price FROM Trades WHERE Price IN (1, Symbol)",
        "the values of IN must be of one kind, not int32 and",
        (1, 32),
    ),
    ("SELECT Price FROM Trades WHERE Price BETWEEN 1 AND Symbol", "cannot compare int32 with string(4) by <=", (1, 32)),
    ("SELECT abs(Price) FILTER (WHERE TRUE) AS x FROM Trades", "FILTER is for aggregates", (1, 8)),
    (f"SELECT count(*) FILTER (WHERE Price) AS n FROM Trades {WINDOW}", "expected a condition, not int32", (1, 31)),
    (f"SELECT count(*) FILTER (WHERE max(Price) > 1) AS n FROM Trades {WINDOW}", "max is only allowed in", (1, 31)),
    ("SELECT NULL AS x FROM Trades", "NULL needs another value that gives it a type, as in ELSE or coalesce", (1, 8)),
    ("SELECT coalesce(NULL, NULL) AS x FROM Trades", "NULL needs another value that gives it a type", (1, 17)),
    ("SELECT nullif(Price) AS x FROM Trades", "nullif takes 2 values: nullif(x, y)", (1, 8)),
    ("SELECT least(Price) AS x FROM Trades", "least takes 2 or more values: least(x, y, 9)", (1, 8)),
    ("SELECT abs(Symbol) AS x FROM Trades", "ABS takes a number, not string(4)", (1, 8)),
    ("SELECT sign(Price > 1) AS x FROM Trades", "SIGN takes a number, not bool", (1, 8)),
    ("SELECT greatest(Price > 1, FALSE) AS x FROM Trades", "GREATEST takes numbers or strings, not conditions", (1, 8)),
    ("SELECT least(Price, Symbol) AS x FROM Trades", "the values of LEAST must be of one kind, not int32", (1, 8)),
    ("SELECT Price & 1.5 AS p FROM Trades", "& takes whole numbers of at most 64 bits, not decimal(2, 1)", (1, 8)),
    ("SELECT ~Symbol AS p FROM Trades", "~ takes whole numbers of at most 64 bits, not string(4)", (1, 8)),
    ("SELECT Price >> (Price * Time * 2) AS p FROM Trades", ">> takes whole numbers of at most 64 bits, not", (1, 14)),
    ("SELECT Price FROM Trades WHERE Symbol LIKE Symbol", "LIKE takes a constant pattern: Symbol LIKE 'A%'", (1, 32)),
    ("SELECT Price FROM Trades WHERE Price LIKE '1%'", "LIKE takes a string, not int32", (1, 32)),
    ("SELECT Price FROM Trades WHERE Symbol LIKE '1\\a'", "in a pattern of LIKE a backslash precedes", (1, 32)),
    (
        f"SELECT Price FROM Trades WHERE Symbol NOT LIKE '{'_' * 64}'",
        "the pattern has 65 positions; the most is",
        (1, 32),
    ),
    ("SELECT left(Symbol, Price) AS s FROM Trades", "positions in a string must be constant whole numbers", (1, 8)),
    ("SELECT substring(Symbol, 5) AS s FROM Trades", "this part of a string(4) is always empty", (1, 8)),
    ("SELECT right(Symbol, 0) AS s FROM Trades", "this part of a string(4) is always empty", (1, 8)),
    ("SELECT upper(Price) AS s FROM Trades", "UPPER takes a string, not int32", (1, 8)),
    ("SELECT Symbol || Price AS s FROM Trades", "CONCAT takes a string, not int32", (1, 8)),
    (
        "SELECT instr(Symbol, Symbol) AS n FROM Trades",
        "the string to find must be a constant: instr(Symbol, 'A')",
        (1, 8),
    ),
    (
        f"SELECT Symbol{' || Symbol' * 63} AS s FROM Trades",
        "CONCAT of 256 characters; the most is 255",
        (1, 8),
    ),
    ("SELECT split_part(Symbol, ', ', 2) AS s FROM Trades", "split_part takes a constant separator of one", (1, 8)),
    ("SELECT split_index(Symbol, Symbol, 2) AS s FROM Trades", "split_index takes a constant separator of", (1, 8)),
    ("SELECT split_part(Symbol, '.', Price) AS s FROM Trades", "positions in a string must be constant whole", (1, 8)),
    ("SELECT split_part(Symbol, '.', 0) AS s FROM Trades", "split_part counts the parts from 1: split_part(Sy", (1, 8)),
    ("SELECT split_index(Symbol, '.', -1) AS s FROM Trades", "split_index counts the parts from 0: split", (1, 8)),
    ("SELECT split_index(Symbol, '.', 4) AS s FROM Trades", "this part of a string(4) is always empty", (1, 8)),
    ("SELECT split_part(Price, '.', 1) AS s FROM Trades", "SPLIT_PART takes a string, not int32", (1, 8)),
    ("SELECT regexp_extract(Symbol, Symbol) AS s FROM Trades", "REGEXP_EXTRACT takes a constant pattern: reg", (1, 8)),
    (
        "SELECT regexp_extract(Symbol, '(A)', Price) AS s FROM Trades",
        "must be constant whole numbers: regexp",
        (1, 8),
    ),
    (
        "SELECT regexp_extract(Symbol, 'A') AS s FROM Trades",
        "the pattern has no group 1; 0 is all that",
        (1, 8),
    ),
    ("SELECT regexp_extract(Symbol, '(A)', -1) AS s FROM Trades", "the pattern has no group -1", (1, 8)),
    ("SELECT regexp_extract(Symbol, '(A|B)*') AS s FROM Trades", "extracts: a group that is repeated", (1, 8)),
    ("SELECT regexp_extract(Symbol, '(A*)+B', 0) AS s FROM Trades", "a repetition of what may be empty", (1, 8)),
    ("SELECT regexp_extract(Symbol, '(?:A+A*B?)+', 0) AS s FROM Trades", "repetitions in repetitions", (1, 8)),
    ("SELECT regexp_extract(Symbol, '(A++)') AS s FROM Trades", "no circuit matches: a possessive quantifier", (1, 8)),
    ("SELECT regexp_extract(Symbol, '([ab]{63})') AS s FROM Trades", "has 65 positions; the most is 64", (1, 8)),
    ("SELECT date_format(Price, 'HH') AS n FROM Trades", "DATE_FORMAT takes a date or a timestamp, not int32", (1, 8)),
    (
        "SELECT date_format(DATE '2026-01-31', Symbol) AS n FROM Trades",
        "DATE_FORMAT takes a constant pattern: da",
        (1, 8),
    ),
    (
        "SELECT date_format(DATE '2026-01-31', 'yy') AS n FROM Trades",
        "no yy in a pattern; known: yyyy, MM, dd, HH,",
        (1, 8),
    ),
    ("SELECT date_format(DATE '2026-01-31', 'HH[:mm]') AS n FROM Trades", "[ in a pattern needs quotes", (1, 8)),
    ("""SELECT date_format(DATE '2026-01-31', "HH'h") AS n FROM Trades""", "a quote is not closed", (1, 8)),
    (
        "SELECT date_format(DATE '2026-01-31', 'yyyy-MM-dd HH:mm:ss yyyy-MM-dd HH:mm') AS n FROM Trades",
        "DATE_FORMAT makes 1 to 32 characters, not 36",
        (1, 8),
    ),
    ("SELECT xxhash64(Price) AS n FROM Trades", "XXHASH64 takes a bigint, since an int has another hash", (1, 8)),
    ("SELECT crc32(Price) AS n FROM Trades", "CRC32 takes a string, not int32", (1, 8)),
    ("SELECT substring(Symbol) AS s FROM Trades", "substring takes 2 to 3 values: substring(s, 2, 3)", (1, 8)),
    (
        "SELECT Price FROM Trades WHERE regexp_like(Symbol, 'a(?=b)')",
        "no circuit matches: a group that begins",
        (1, 32),
    ),
    ("SELECT Price FROM Trades WHERE regexp_like(Symbol, 'a\\1')", r"no circuit matches: \1", (1, 32)),
    ("SELECT Price FROM Trades WHERE regexp_like(Symbol, '(a')", "no circuit matches: ( without )", (1, 32)),
    ("SELECT Price FROM Trades WHERE regexp_like(Symbol, 'a{70}')", "{70}; at most 64 times", (1, 32)),
    ("SELECT Price FROM Trades WHERE regexp_like(Symbol, '^a|b')", "enclose the alternatives in parentheses", (1, 32)),
    ("SELECT Price FROM Trades WHERE rlike(Symbol, '[ab]{63}')", "the pattern has 65 positions; the most", (1, 32)),
    ("SELECT Price FROM Trades WHERE Symbol RLIKE Symbol", "REGEXP_LIKE takes a constant pattern", (1, 32)),
    ("SELECT instr('A' IN Symbol) AS n FROM Trades", "instr(… IN …); write position('A' IN Symbol)", (1, 8)),
    ("SELECT position('A' IN 3) AS n FROM Trades", "unexpected '3'; expected '(', a name or a string", (1, 24)),
    ("SELECT Price FROM Trades WHERE Symbol LIKE $word", "LIKE takes a constant pattern", (1, 32)),
    ("SELECT DISTINCT Price FROM Trades", "DISTINCT without a window would never end", (1, 17)),
    (f"SELECT DISTINCT * FROM Trades {W}", "SELECT DISTINCT *; name the columns", (1, 1)),
    (f"SELECT DISTINCT max(Price) AS M FROM Trades {W}", "SELECT DISTINCT of groups; GROUP BY the columns", (1, 1)),
    (f"SELECT DISTINCT Time FROM Trades {W}", "GROUP BY Time, the windowing attribute", (1, 17)),
    (f"SELECT last(DISTINCT Price) FROM Trades {W}", "last(DISTINCT …); count, sum, avg take DISTINCT", (1, 8)),
    (f"SELECT count(DISTINCT Price, Symbol) FROM Trades {W}", "count(DISTINCT …) takes one column", (1, 8)),
    (f"SELECT count(DISTINCT *) FROM Trades {W}", "unexpected '*'; expected an expression", (1, 23)),
    (f"SELECT abs(DISTINCT Price) AS A FROM Trades {W}", "abs(DISTINCT …); DISTINCT is for aggregates", (1, 8)),
    (
        f"SELECT last(Price), count(DISTINCT Volume) FROM Trades {W[:-1]} EMIT_EMPTY]",
        "an aggregate that depends on the order of arrival, and DISTINCT, percentiles or estimates in one SELECT with "
        "EMIT_EMPTY: last(Price); write two queries",
        (1, 21),
    ),
    (
        "SELECT count(DISTINCT Price) FROM Trades [SESSION GAP 5 WATTR Time SLACK 5]",
        "DISTINCT values of a SESSION; count them in a window with RANGE",
        (1, 8),
    ),
    (
        "SELECT Symbol, count(DISTINCT Price) FROM Trades [SIZE 60 ADVANCE 60 TUPLES] GROUP BY Symbol",
        "the 42 rows of a window take 100 cycles, but one closes every 60 tuples; use ADVANCE 100",
        (1, 50),
    ),
    (f"SELECT approx_count_distinct() AS D FROM Trades {W}", "has the form approx_count_distinct(User)", (1, 8)),
    (f"SELECT approx_count_distinct(Price, Volume) FROM Trades {W}", "is a constant, such as 0.05", (1, 37)),
    (f"SELECT approx_count_distinct(Price, .01) FROM Trades {W}", "is at least 0.0173 and less than 0.391", (1, 37)),
    (f"SELECT approx_count_distinct(Price, 1{'0' * 400}) FROM Trades {W}", "it is at least 0.0173 and less", (1, 37)),
    (f"SELECT approx_count_distinct(Price, 1) FROM Trades {W}", "with a deviation of 1; it is at least", (1, 37)),
    (f"SELECT approx_count_distinct(DISTINCT Price) FROM Trades {W}", "count, sum, avg take DISTINCT", (1, 8)),
    (
        "CREATE INPUT STREAM E (t timestamp(s)); SELECT approx_count_distinct(t) FROM E [SIZE 9 ADVANCE 9 TUPLES]",
        "takes numbers, dates, strings and conditions, not a timestamp(s)",
        (1, 48),
    ),
    (
        "SELECT approx_count_distinct(Price) FROM Trades [SESSION GAP 5 WATTR Time SLACK 5]",
        "approx_count_distinct of a SESSION; count them in a window with RANGE",
        (1, 8),
    ),
    (
        "SELECT approx_count_distinct(Price) FROM Trades [SIZE 60 ADVANCE 60 TUPLES]",
        "a window of 512 registers needs 530 cycles to close, but one closes every 60 tuples; use ADVANCE 530 or a",
        (1, 49),
    ),
    (
        "SELECT approx_count_distinct(Price, 0.3) FROM Trades [SIZE 20 ADVANCE 10 TUPLES]",
        "a window of 16 registers needs 34 cycles to close, but one closes every 10 tuples; use ADVANCE 34",
        (1, 54),
    ),
    (f"SELECT Price FROM Trades {W} ORDER BY 'a'", "ORDER BY of what is the same for all tuples of a window", (1, 75)),
    (f"SELECT Price FROM Trades {W} ORDER BY window_end", "is the same for all tuples of a window; name a", (1, 75)),
    ("SELECT Price FROM Trades LEFT JOIN Quotes ON TRUE", "only the inner join is supported: JOIN … ON", (1, 26)),
    ("SELECT Price AS select FROM Trades", "unexpected 'select'; expected a name", (1, 17)),
    ("SELECT Price AS end FROM Trades", "unexpected 'end'; expected a name", (1, 17)),
    ("SELECT IF(Price > 1, 2) AS x FROM Trades", "IF takes a condition and two values: IF(Price > 9, 1, 0)", (1, 8)),
    ("SELECT IF(Price, 2, 3) AS x FROM Trades", "IF and CASE take a condition, not int32", (1, 11)),
    ("SELECT CASE WHEN Price THEN 2 END AS x FROM Trades", "IF and CASE take a condition, not int32", (1, 18)),
    ("SELECT CASE Price WHEN 'a' THEN 2 END AS x FROM Trades", "cannot compare int32 with string(1) by =", (1, 24)),
    (
        "SELECT CASE Price WHEN 1 THEN Symbol WHEN 2 THEN 3 END AS x FROM Trades",
        "the values of IF and CASE must be of one kind, not string(4) and uint2",
        (1, 50),
    ),
    ("SELECT IF(Price > 1, TRUE, Price) AS x FROM Trades", "must be of one kind, not bool and int32", (1, 28)),
    ("SELECT CASE IF(Price > 1, 2, 3) WHEN 2 THEN 4 END AS x FROM Trades", "compute it in a sub-query", (1, 13)),
    ("SELECT CASE Price END AS x FROM Trades", "unexpected 'END'; expected WHEN", (1, 19)),
    ("SELECT CASE WHEN Price > 1 AS x FROM Trades", "unexpected 'AS'; expected THEN", (1, 28)),
    ("SELECT CASE WHEN Price > 1 THEN 2 AS x FROM Trades", "unexpected 'AS'; expected ELSE, END or WHEN", (1, 35)),
    ("SELECT IF(Price > 1, sum(Price), 0) AS x FROM Trades", "sum without a window would never end", (1, 22)),
    ("SELECT Price FROM Trades WHERE IF(Price > 1, 2, 3)", "expected a condition, not uint2", (1, 32)),
    (
        f"SELECT CASE {'WHEN Price > 1 THEN 2 ' * 100} END AS x FROM Trades",
        "nested, or chained, deeper than 100",
        (1, 2020),
    ),
    ("SELECT cbrt(Price) AS p FROM Trades", "unknown function cbrt; known: count, sum", (1, 8)),
    ("SELECT Price FROM Trades WHERE median(Price) > 1", "median is only allowed in SELECT or HAVING", (1, 32)),
    (f"{COUNT} [RANGE 60]", "SLIDE and WATTR are missing; a window is [RANGE 600 SLIDE 60 WATTR Time", (1, 43)),
    (f"{COUNT} [RANGE 60 WATTR Time]", "SLIDE is missing; a window is [RANGE 600 SLIDE 60 WATTR Time", (1, 54)),
    (
        f"{COUNT} [RANGE 60 WATTR Time]",
        "60], in a JOIN [ROWS 64] or [RANGE 60 WATTR Time SLACK 10 ROWS 256]; SLIDE",
        (1, 54),
    ),
    (f"{COUNT} [RANGE 60 WATTR Time SLACK 5]", "SLIDE equal to RANGE makes windows adjacent", (1, 62)),
    (f"{COUNT} [RANGE 60 SLIDE 60", "WATTR is missing; a window is [RANGE", (1, 52)),
    (f"{COUNT} [RANGE 60 WATTR Time ROWS x]", "unexpected 'x'; expected a whole number", (1, 60)),
    (f"{COUNT} [SIZE 60 TUPLES]", "unexpected 'TUPLES'; expected ADVANCE; a window is [SIZE", (1, 43)),
    (f"{COUNT} [SESSION GAP 5]", "WATTR is missing; a window is [SESSION GAP 30 WATTR Time SLACK 60]", (1, 48)),
    (f"{COUNT} [TUMBLING 60]", "unexpected 'TUMBLING'; a window is [RANGE", (1, 35)),
    (f"{COUNT} [ROWS 5]", "this window needs a JOIN; without one write [RANGE", (1, 34)),
    ("SELECT wsum(Price, [.5, x]) AS n FROM Trades", "unexpected 'x'; expected a weight", (1, 25)),
    (
        f"{COUNT} [RANGE 9 SLIDE 1 WATTR Time SLACK 2147483638]",
        "2147483648 is too large; over Time the most is 2147483647",
        (1, 34),
    ),
    (f"{COUNT} [RANGE 9 SLIDE 1 WATTR Time START 2147483648]", "START: 2147483648 is too large; over Time", (1, 34)),
    (
        f"{COUNT} [RANGE 9 SLIDE 1 WATTR Time MAX_AHEAD 2147483648]",
        "MAX_AHEAD: 2147483648 is too large; over Time",
        (1, 34),
    ),
    (
        "SELECT max(Wide) FROM (SELECT Time, CAST(Price AS decimal(20, 0)) AS Wide FROM Trades)"
        " [RANGE 9 SLIDE 1 WATTR Time SLACK 5000]",
        "5,009 windows are open at once; each needs a copy of what follows, and the most is 4,096",
        (1, 88),
    ),
    (
        f"{COUNT} [SESSION GAP 2147483647 WATTR Time SLACK 1]",
        "GAP and SLACK: 2147483648 is too large; over Time",
        (1, 34),
    ),
    (
        f"{EVENTS} [RANGE 9 SLIDE 1 WATTR Ts SLACK 4611686018427387895]",
        "4611686018427387905 is too large; over Ts the most is 4611686018427387904",
        (1, 108),
    ),
    (f"{COUNT} [RANGE 1500 ms SLIDE 1 WATTR Time]", "1500 milliseconds is not a whole number of seconds", (1, 34)),
    (f"{EVENTS} [RANGE 1 s SLIDE 5 us WATTR Ts]", "5 microseconds is not a whole number of milliseconds", (1, 108)),
    (f"{EVENTS} [SIZE 1 s ADVANCE 5 us TIME]", "milliseconds, the unit of the stream's time", (1, 108)),
    (f"{EVENTS} [RANGE 1 s SLIDE 5 WATTR Due]", "the unit of Due is unknown", (1, 108)),
    (
        f"{EVENTS[:-2]} (SELECT Ts + 1 AS At FROM Ev) [RANGE 1 s SLIDE 5 WATTR At]",
        "write 1 second as a number",
        (1, 136),
    ),
    (f"{COUNT} [RANGE INTERVAL '1.5' SECOND SLIDE 1 WATTR Time]", "INTERVAL '10' SECOND", (1, 41)),
    (f"{COUNT} [RANGE INTERVAL '1' SLIDE 1 WATTR Time]", "expected a unit of time, such as ms", (1, 54)),
    (f"{COUNT} [SIZE 5 s ADVANCE 1 TUPLES]", "SIZE and ADVANCE of TUPLES have no unit", (1, 34)),
    ("CREATE INPUT STREAM T (a int) TIME b; SELECT a FROM T", "TIME b is not a field; known: a", (1, 31)),
    ("CREATE INPUT STREAM T (a timestamp(us)) TIME a IN ms; SELECT a FROM T", "the unit us by its type", (1, 1)),
    (
        "CREATE INPUT STREAM T (a date) TIME a; SELECT count(*) AS n FROM T [RANGE 30 hours SLIDE 1 day WATTR a]",
        "30 hours is not a whole number of days",
        (1, 68),
    ),
    ("CREATE INPUT STREAM T (a int) TIME a IN weeks; SELECT a FROM T", "expected a unit of time", (1, 41)),
    (
        f"{EVENTS.replace('count(*) AS n', 'a.Kind')} [RANGE 1 WATTR Ts ROWS 9] AS a JOIN Trades [RANGE 1 WATTR Time "
        "ROWS 9] AS b ON a.Kind = b.Price",
        "must have the same unit, not Ts in milliseconds and Time in seconds",
        (1, 144),
    ),
    (f"{COUNT} [RANGE 9 SLIDE 1 WATTR Time RESYNC 256]", "RESYNC 256: must be 1 to 255", (1, 34)),
    (f"{COUNT} [SIZE 2147483647 ADVANCE 1 TUPLES]", "SIZE + ADVANCE is 2147483648; the most is 2147483647", (1, 34)),
    ("SELECT Price / 2 AS p FROM Trades", "div truncates toward zero", (1, 14)),
    ("SELECT Prise FROM Trades", "unknown column Prise; known: Symbol, Price, Volume, Time", (1, 8)),
    ("SELECT Price FROM Trade", "unknown stream Trade; known: Orders, Packets, Quotes, Trades", (1, 19)),
    ("SELECT Price, Volume AS Price FROM Trades", "two columns are named Price", (1, 15)),
    ("SELECT Price FROM Trades WHERE Price", "expected a condition, not int32", (1, 32)),
    ("SELECT Price FROM Trades WHERE Price AND TRUE", "AND, OR and NOT take conditions", (1, 32)),
    ("SELECT Price FROM Trades WHERE Symbol = 3", "cannot compare string(4) with uint2 by =", (1, 39)),
    ("SELECT Symbol + 1 AS x FROM Trades", "+ takes numbers, not string(4)", (1, 15)),
    (f"SELECT {' * '.join(['Price'] * 9)} AS x FROM Trades", "the most is 256", (1, 70)),
    ("SELECT sum(Price) AS s FROM Trades", "sum without a window would never end", (1, 8)),
    ("SELECT Price FROM Trades GROUP BY Price", "GROUP BY without a window would never end", (1, 35)),
    ("SELECT Price FROM Trades HAVING Price > 1", "HAVING needs an aggregate", (1, 39)),
    (f"SELECT Price FROM Trades {WINDOW}", "a window needs an aggregate", (1, 26)),
    (f"SELECT Price, count(*) AS n FROM Trades {WINDOW}", "Price is neither aggregated nor a key; write last", (1, 8)),
    (f"SELECT Volume, count(*) FROM Trades {WINDOW} GROUP BY Symbol", "aggregated nor a key (Symbol); write", (1, 8)),
    (
        "SELECT Price, count(*) AS n FROM Trades [RANGE 9 SLIDE 9 WATTR Time]",
        "neither aggregated nor a key nor the windowing attribute (Time); write last(Price)",
        (1, 8),
    ),
    (f"SELECT mode(Price) AS n FROM Trades {WINDOW}", "unknown function mode; known: count, sum", (1, 8)),
    ("SELECT median(Price) AS n FROM Trades [SESSION GAP 9 WATTR Time]", "median over sessions; run it on", (1, 39)),
    (
        f"SELECT median(Price) AS n FROM Trades {WINDOW} GROUP BY Symbol",
        "the 42 rows of a window take 140 cycles, but one closes every 1 tuples; use ADVANCE 140, or fewer --groups",
        (1, 39),
    ),
    (
        f"SELECT median(Price) FILTER (WHERE Price > 9) AS n FROM Trades {WINDOW}",
        "without nulls and FILTER, percentiles of windows of up to 4,096 tuples of the input, or of 1,024 rows of a",
        (1, 64),
    ),
    (
        f"SELECT median(Price div Volume) AS n FROM Trades {WINDOW}",
        "without nulls and FILTER, percentiles of windows",
        (1, 50),
    ),
    ("SELECT median(Price) AS n FROM Trades [SIZE 4097 ADVANCE 9 TUPLES]", "closes every 9 tuples; use ADV", (1, 39)),
    (
        "SELECT median(Price) AS n, median(Price) FILTER (WHERE Volume > 0) AS f FROM Trades "
        "[SIZE 200 ADVANCE 20 TUPLES]",
        "one closes every 20 tuples; use ADVANCE",
        (1, 85),
    ),
    (
        "SELECT median(Price) AS n, count(DISTINCT Volume) AS d FROM Trades [SIZE 200 ADVANCE 9 TUPLES]",
        "the 84 rows of a window take 193 cycles, but one closes every 9 tuples; use ADVANCE 193",
        (1, 68),
    ),
    (
        "SELECT Symbol, median(Price) AS n FROM Trades [RANGE 9 SLIDE 9 WATTR Time] GROUP BY Symbol, Volume "
        "ORDER BY n, Symbol LIMIT 3",
        "not in the order of their first tuples; add Volume to ORDER BY, so that no two are equal",
        (1, 47),
    ),
    (
        "SELECT sum(n) AS s FROM (SELECT Symbol, median(Price) AS n FROM Trades [RANGE 9 SLIDE 9 WATTR Time] "
        "GROUP BY Symbol) [SIZE 4 ADVANCE 4 TUPLES]",
        "reads groups with percentiles, which are not in the order of their first tuples; run it on Spark",
        (1, 72),
    ),
    ("SELECT median(Price) AS n FROM Trades", "median without a window would never end", (1, 8)),
    (f"SELECT median(Symbol) AS n FROM Trades {WINDOW}", "median takes numbers, not a string(4)", (1, 8)),
    (
        f"SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY Symbol) AS n FROM Trades {WINDOW}",
        "percentile_disc takes numbers and times, not a string(4)",
        (1, 8),
    ),
    (f"SELECT median(Price, 0.5) AS n FROM Trades {WINDOW}", "median has the form median(Price)", (1, 8)),
    (f"SELECT percentile(Price) AS n FROM Trades {WINDOW}", "percentile has the form percentile(Price, 0.9)", (1, 8)),
    (
        f"SELECT percentile_cont(0.5) AS n FROM Trades {WINDOW}",
        "form percentile_cont(0.9) WITHIN GROUP (ORDER BY",
        (1, 8),
    ),
    (
        f"SELECT percentile_disc(Price, 0.5) AS n FROM Trades {WINDOW}",
        "form percentile_disc(0.9) WITHIN GROUP (ORDER BY",
        (1, 8),
    ),
    (
        f"SELECT percentile(0.5) WITHIN GROUP (ORDER BY Price) AS n FROM Trades {WINDOW}",
        "form percentile(Price, 0.9)",
        (1, 8),
    ),
    (
        f"SELECT max(0.5) WITHIN GROUP (ORDER BY Price) AS n FROM Trades {WINDOW}",
        "WITHIN GROUP is for percentile_disc",
        (1, 8),
    ),
    (
        f"SELECT abs(0.5) WITHIN GROUP (ORDER BY Price) AS n FROM Trades {WINDOW}",
        "WITHIN GROUP is for aggregates",
        (1, 8),
    ),
    (
        f"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY Price, Time) AS n FROM Trades {WINDOW}",
        "unexpected ','; expected ')'",
        (1, 57),
    ),
    (f"SELECT percentile_cont(DISTINCT 0.5) AS n FROM Trades {WINDOW}", "percentile_cont has the form", (1, 8)),
    (f"SELECT median(DISTINCT Price) AS n FROM Trades {WINDOW}", "median(DISTINCT …); count, sum, avg take", (1, 8)),
    (f"SELECT percentile(Price, 1.01) AS n FROM Trades {WINDOW}", "percentile of 1.01; a share is 0 to 1", (1, 26)),
    (f"SELECT percentile(Price, -0.5) AS n FROM Trades {WINDOW}", "percentile of -0.5; a share is 0 to 1", (1, 26)),
    (f"SELECT approx_percentile(Price) AS n FROM Trades {WINDOW}", "form approx_percentile(Price, 0.9) or", (1, 8)),
    (
        f"SELECT approx_percentile(Price, 1, 0) AS n FROM Trades {WINDOW}",
        "is 1 to 1,048,576; an error of less",
        (1, 36),
    ),
    (f"SELECT approx_percentile(Price, 1, Volume) AS n FROM Trades {WINDOW}", "a constant, such as 1000", (1, 36)),
    (
        f"SELECT approx_percentile(Price * Price * Price, 1) AS n FROM Trades {WINDOW}",
        "approx_percentile takes numbers of at most 64 bits, not a",
        (1, 8),
    ),
    (f"SELECT percentile(Price, $share) AS n FROM Trades {WINDOW}", "is a constant, such as 0.9; of several", (1, 26)),
    (f"SELECT percentile(Price, Volume) AS n FROM Trades {WINDOW}", "is a constant, such as 0.9; of several", (1, 26)),
    (
        f"SELECT percentile(Price, {'0.' + '1' * 19}) AS n FROM Trades {WINDOW}",
        "20 digits before the point and 19 after",
        (1, 8),
    ),
    (f"SELECT sum(Symbol) AS n FROM Trades {WINDOW}", "sum takes numbers, not a string(4)", (1, 8)),
    (f"SELECT bit_or(Symbol) AS n FROM Trades {WINDOW}", "bit_or takes integers that fit a long, not a", (1, 8)),
    (f"SELECT bit_or(Price > 3) AS n FROM Trades {WINDOW}", "bit_or takes integers that fit a long, not a", (1, 8)),
    (f"SELECT every(Price) AS n FROM Trades {WINDOW}", "bool_and takes conditions, not a int32", (1, 8)),
    (f"SELECT bit_and(Price > 3) AS n FROM Trades {WINDOW}", "bit_and takes integers that fit a long, not a", (1, 8)),
    (f"SELECT bit_xor(Price * .5) AS n FROM Trades {WINDOW}", "bit_xor takes integers that fit a long, not a", (1, 8)),
    ("SELECT corr(Time * 9, Price) AS n FROM Trades [RANGE 9 SLIDE 9 WATTR Time]", "needs 259 bits; the", (1, 8)),
    (f"SELECT corr(Price) AS n FROM Trades {WINDOW}", "corr takes two columns", (1, 8)),
    ("SELECT stddev(Price * Price) AS n FROM Trades [RANGE 9 SLIDE 9 WATTR Time]", "256; CAST an operand", (1, 8)),
    (f"SELECT var_pop(Symbol) AS n FROM Trades {WINDOW}", "var_pop takes numbers, not a string(4)", (1, 8)),
    (f"SELECT covar_pop(Price) AS n FROM Trades {WINDOW}", "covar_pop takes two columns", (1, 8)),
    (f"SELECT variance(Price, Time) AS n FROM Trades {WINDOW}", "var_samp takes one column", (1, 8)),
    (f"SELECT var_pop(Price * Price * Price * Price) AS n FROM Trades {WINDOW}", "bits; the most is 256", (1, 8)),
    (f"SELECT max_by(Time) AS n FROM Trades {WINDOW}", "max_by takes two columns", (1, 8)),
    (
        f"SELECT min_by(Time, concat(Symbol, Symbol, Symbol, Symbol) || Symbol) AS n FROM Trades {WINDOW}",
        "min_by of a int32 by a string(20) needs twice the bits of the wider one, 320; the most is 256",
        (1, 8),
    ),
    (
        "SELECT max_by(Price, Volume) AS n FROM Trades [SESSION GAP 9 WATTR Time SLACK 1]",
        "max_by(Price, Volume) goes by order of arrival, which sessions do not keep with SLACK 1",
        (1, 47),
    ),
    (f"SELECT bit_or(Price * Price * 9) AS n FROM Trades {WINDOW}", "bit_or takes integers that fit a long", (1, 8)),
    (f"SELECT wsum(Price) AS n FROM Trades {WINDOW}", "wsum, and only wsum, takes weights", (1, 8)),
    (f"SELECT wsum(Price, [.1]) AS n FROM Trades {WINDOW}", "not a multiple of 2**-24", (1, 8)),
    (f"SELECT count(*) AS n FROM Trades {WINDOW} GROUP BY Symbol", "needs 48 cycles to close", (1, 34)),
    ("SELECT count(*) AS n FROM Trades [SIZE 0 ADVANCE 1 TUPLES]", "at least 1", (1, 34)),
    ("SELECT count(*) AS n FROM Trades [RANGE 9 SLIDE 9 WATTR Symbol]", "is a string(4), not a number", (1, 34)),
    ("SELECT Price FROM Trades UNION ALL SELECT Volume FROM Trades", "the same columns in the same order", (1, 1)),
    ("CREATE INPUT STREAM T (a float); SELECT a FROM T", "unknown type 'float'", (1, 24)),
    ("CREATE INPUT STREAM T (a decimal(39, 2)); SELECT a FROM T", "a decimal has 1 to 38 digits", (1, 24)),
    ("CREATE INPUT STREAM T (a numeric(4, 5)); SELECT a FROM T", "a decimal has 1 to 38 digits", (1, 24)),
    ("CREATE INPUT STREAM T (a timestamp(m)); SELECT a FROM T", "a timestamp has a unit, timestamp(s)", (1, 24)),
    ("CREATE INPUT STREAM T (a int, Time date NULL); SELECT a FROM T", "Time is the time attribute of T", (1, 1)),
    ("CREATE INPUT STREAM T (Flags int, a int NULL); SELECT a FROM T", "Flags is the name of the byte", (1, 1)),
    (
        "CREATE INPUT STREAM T (a int NULL); SELECT count(*) AS n FROM T [RANGE 9 SLIDE 9 WATTR a]",
        "the windowing attribute a may be null",
        (1, 65),
    ),
    (
        "CREATE INPUT STREAM T (a decimal(4)); SELECT count(*) AS n FROM T [RANGE 9 SLIDE 9 WATTR a]",
        "the windowing attribute a is a decimal(4, 0), not a number",
        (1, 67),
    ),
    (
        "CREATE INPUT STREAM T (k int, a timestamp(s), b timestamp(ms)); "
        "SELECT p.k FROM T [RANGE 9 WATTR a ROWS 16] AS p JOIN T [RANGE 9 WATTR b ROWS 16] AS q ON p.k = q.k",
        "must have the same unit, not a in seconds and b in milliseconds",
        (1, 121),
    ),
    ("SELECT count(*) AS n FROM Trades [RANGE 9 SLIDE 9 WATTR Time] GROUP BY Time", "the windowing attribute", (1, 72)),
    (
        "SELECT count(*) AS n FROM Trades [RANGE 9 SLIDE 9 WATTR Time EMIT_EMPTY] GROUP BY Symbol",
        "an empty window has no groups",
        (1, 34),
    ),
    (
        "SELECT count(*) AS n FROM Trades [RANGE 9 SLIDE 9 WATTR Time] GROUP BY Symbol, Symbol",
        "Symbol is named twice",
        (1, 72),
    ),
    (
        "SELECT count(*) AS n FROM (SELECT Price div Volume AS Q, Time FROM Trades) [RANGE 9 SLIDE 9 WATTR Time] "
        "GROUP BY Q",
        "Q may be null",
        (1, 114),
    ),
    (
        "SELECT count(*) AS n FROM (SELECT Price AS Time FROM Trades) [RANGE 9 SLIDE 9 WATTR Time] INTO x; "
        "SELECT count(*) AS n FROM (SELECT Time + 1 AS Time FROM Trades) [RANGE 9 SLIDE 9 WATTR Time]",
        "the windowing attribute Time is computed",
        (1, 163),
    ),
    (
        "SELECT max(n) AS m FROM (SELECT Time, count(*) AS n FROM Trades [RANGE 9 SLIDE 9 WATTR Time]) "
        "[RANGE 9 SLIDE 9 WATTR Time]",
        "a window in time over the rows of another window",
        (1, 95),
    ),
    (
        "SELECT sum(a) AS m FROM (SELECT Price AS a FROM Trades UNION ALL SELECT Volume AS a FROM Trades) "
        "[SIZE 4 ADVANCE 1 TUPLES]",
        "whose order is not promised",
        (1, 98),
    ),
    (
        "SELECT Price AS a FROM Trades UNION ALL SELECT Bid AS a FROM Quotes",
        "the query reads 2 streams (Quotes, Trades)",
        (1, 1),
    ),
    (
        "SELECT count(*) AS n FROM Trades [RANGE 9 SLIDE 9 WATTR Time] "
        "UNION ALL SELECT count(*) AS n FROM Trades [RANGE 8 SLIDE 8 WATTR Time]",
        "2 windows in time, not one",
        (1, 1),
    ),
    ("CREATE INPUT STREAM T (a int, a int); SELECT a FROM T", "two fields are named a", (1, 1)),
    ("SELECT count(*) AS n FROM Trades [SESSION GAP 9 SLACK 3]", "unexpected 'SLACK'; expected", (1, 49)),
    ("SELECT count(*) AS n FROM Trades [SESSION GAP 0 WATTR Time]", "at least 1", (1, 34)),
    ("SELECT count(*) AS n FROM Trades [SESSION GAP 9 WATTR Time EMIT_EMPTY]", "so none is empty", (1, 34)),
    (
        "SELECT count(*) AS n FROM Trades [SESSION GAP 9 WATTR Time SLACK 3 MAX_AHEAD 11]",
        "MAX_AHEAD must be at least SLACK + GAP = 12",
        (1, 34),
    ),
    (
        "SELECT count(*) AS n FROM Trades [SESSION GAP 9 WATTR Time] GROUP BY Symbol",
        "select one key with WHERE",
        (1, 70),
    ),
    ("SELECT wsum(Price, [1]) AS n FROM Trades [SESSION GAP 9 WATTR Time]", "for one window per core", (1, 42)),
    ("SELECT last(Price) AS n FROM Trades [SESSION GAP 9 WATTR Time SLACK 1]", "sessions do not keep", (1, 37)),
    (
        "SELECT count(*) AS n FROM Trades [SESSION GAP 1 WATTR Time SLACK 64]",
        "65 sessions may be open at once; the most is 64",
        (1, 34),
    ),
    (
        "SELECT count(*) AS n FROM Trades [SESSION GAP 9 WATTR Time] WHERE Price > 1 "
        "UNION ALL SELECT count(*) AS n FROM Trades [SESSION GAP 9 WATTR Time] WHERE Price > 2",
        "a UNION of sessions over different tuples",
        (1, 1),
    ),
    (
        "SELECT count(*) AS n FROM Trades [SESSION GAP 9 WATTR Time] WHERE Price > 1 "
        "UNION ALL SELECT Volume AS n FROM Trades",
        "a UNION of sessions over different tuples",
        (1, 1),
    ),
]


@pytest.mark.parametrize(("sql", "words", "place"), REFUSED, ids=[sql.replace("\n", " ")[:50] for sql, _, _ in REFUSED])
def test_refused(sql, words, place):
    check_refused(sql, words, place)


SELECTED = "SELECT Price FROM Trades WHERE"
LARGE = {
    "ORs": f"{SELECTED} {' OR '.join(f'Price = {n}' for n in range(1000))}",
    "aggregates": f"SELECT {', '.join(f'sum(Price + {n}) AS s{n}' for n in range(1100))} FROM Trades {WINDOW}",
    "having": f"SELECT count(*) AS n FROM Trades {WINDOW} WHERE {' OR '.join(f'Price = {n}' for n in range(300))} "
    f"HAVING {' OR '.join(f'count(*) = {n}' for n in range(300))}",
    "percentiles": f"SELECT {', '.join(f'percentile(Price, 0.{n}) AS p{n}' for n in range(101, 300))} FROM Trades "
    "[RANGE 60 SLIDE 60 WATTR Time]",
    "variances": f"SELECT {', '.join(f'var_pop(Price + {n}) AS s{n}' for n in range(60))} FROM Trades "
    "[RANGE 60 SLIDE 60 WATTR Time]",
}


def test_the_advance_of_an_error_is_long_enough():
    """However many tables of groups take part, which each need some distance."""
    compile_queries(
        "SELECT median(Price) AS n, count(DISTINCT Volume) AS d FROM Trades [SIZE 200 ADVANCE 193 TUPLES]", shipped()
    )


def test_a_query_that_computes_much():
    """The percentiles of 1 to 99 percent, whose plan is deeper than Python's stack usually is."""
    each = ", ".join(f"percentile_disc(0.{n:02}) WITHIN GROUP (ORDER BY Price) AS p{n}" for n in range(1, 100))
    compiled = compile_queries(f"SELECT {each} FROM Trades [RANGE 60 SLIDE 60 WATTR Time]", shipped())
    assert len(compiled.circuit.results[0].schema.fields) == 99


@pytest.mark.parametrize("sql", LARGE.values(), ids=LARGE)
def test_a_query_that_computes_too_much(sql):
    with pytest.raises(QueryError, match="the query computes more than 1,024 values: each operator") as refused:
        compile_queries(sql, shipped())
    assert refused.value.position


DEEP = {
    "NOT": f"{SELECTED} {'NOT ' * 3000} Price = 1",
    "a sum": f"{SELECTED} Price = {' + '.join(['Volume'] * 2000)}",
    "sub-queries": f"SELECT Price FROM {'(SELECT Price FROM ' * 500} Trades {')' * 500}",
}


@pytest.mark.parametrize("sql", DEEP.values(), ids=DEEP)
def test_a_query_that_is_too_deep(sql):
    with pytest.raises(QueryError, match="deeper than 100") as refused:
        compile_queries(sql, shipped())
    assert refused.value.position


def test_conditions_in_a_row_are_a_tree_of_little_depth():
    """Parentheses do not count."""
    conditions = " OR ".join(f"Price = {n} AND Volume > {n}" for n in range(64))
    compiled = compile_queries(f"{SELECTED} {'(' * 2000}{conditions}{')' * 2000}", shipped())
    assert compiled.circuit.results[0].latency <= 2


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("Price > 3000000000", "Price > 3000000000 is always false: Price is -2147483648 to 2147483647"),
        ("3000000000 >= Price", "3000000000 >= Price is always true"),
        ("Price = 2147483648", "Price = 2147483648 is always false"),
        ("Price <> -2147483649", "Price <> -2147483649 is always true"),
        ("Price < -2147483648", "Price < -2147483648 is always false"),
        ("Price % 10 = 10", "(Price % 10) = 10 is always false: Price % 10 is -9 to 9"),
        ("Symbol = 'UBSNX'", "CAST(Symbol AS string(5)) = 'UBSNX' is always false: Symbol has"),
        ("'ROG.S' <> Symbol", "'ROG.S' <> CAST(Symbol AS string(5)) is always true: Symbol has"),
        ("Symbol = 'UBSN' AND Symbol < 'UBSNX'", ""),
        ("Price <= 2147483646 AND Price >= -2147483647 AND 2 < 1 AND Price <> 2147483647", ""),
    ],
)
def test_a_constant_answer_is_a_warning(condition, said, tmp_path, capsys):
    query = tmp_path / "q.sql"
    query.write_text(f"{SELECTED} {condition}")
    assert cli.main(["explain", str(query)]) == 0
    shown = capsys.readouterr().out
    assert f"warning {said}" in shown if said else "warning" not in shown


def wide(count: int) -> str:
    return f"CREATE INPUT STREAM Wide ({', '.join(f'a{n} long' for n in range(count))});"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (f"{wide(183)} SELECT a0 FROM Wide", "a tuple of Wide has 1464 bytes; at most 1456 fit a datagram"),
        (
            f"{wide(90)} SELECT {', '.join(f'a{n} AS a{n}, a{n} AS b{n}' for n in range(90))}, "
            "a0 AS c, a1 AS d, a2 AS e FROM Wide INTO Wider",
            "a row of Wider has 1464 bytes",
        ),
    ],
)
def test_what_is_wider_than_a_datagram(sql, said):
    compiled = compile_queries(sql, shipped())
    with pytest.raises(QueryError, match=said):
        package(compiled.circuit)


def test_the_widest_record():
    package(compile_queries(f"{wide(182)} SELECT * FROM Wide", shipped()).circuit)


def test_unknown_rewrite():
    with pytest.raises(ValueError, match="unknown rewrite speed"):
        Rewrites.without("speed")


def test_runtime_constants_are_ports():
    compiled = compile_queries("SELECT Price FROM Trades WHERE Price > $limit AND Symbol = $symbol", shipped())
    assert {name: str(kind) for name, kind in compiled.circuit.runtime.items()} == {
        "limit": "int32",
        "symbol": "string(4)",
    }
    assert "input  wire [31:0] const_limit," in compiled.verilog


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"limt": 3}, r"the query has no constant \$limt"),
        ({"limit": 2**31}, "2147483648 does not fit int32: -2147483648 to 2147483647"),
        ({"limit": "x"}, "'x' does not fit int32"),
        ({"symbol": "UBS Zurich"}, "'UBS Zurich' does not fit string"),
    ],
)
def test_values_of_constants(values, words):
    compiled = compile_queries("SELECT Price FROM Trades WHERE Price > $limit AND Symbol = $symbol", shipped())
    with pytest.raises(ValueError, match=words):
        package(compiled.circuit, values)


def test_one_constant_has_one_type():
    sql = "SELECT Price FROM Trades WHERE Price > $x AND Symbol = $x"
    with pytest.raises(QueryError, match="is used as int32 and as string"):
        compile_queries(sql, shipped())


def test_the_longest_window():
    compile_queries(f"{COUNT} [RANGE 9 SLIDE 1 WATTR Time SLACK 2147483637 START 2147483647 RESYNC 255]", shipped())


def test_circuits_have_names_that_verilog_knows():
    """For any name of the query's file."""
    compiled = compile_queries("SELECT Price FROM Trades", shipped(), "2 my-query.ä")
    assert compiled.circuit.name == "2_my_query__" and "module ws_query_2_my_query__ (" in compiled.verilog


def test_command_shows_the_place(tmp_path, capsys):
    query = tmp_path / "q.sql"
    query.write_text("SELECT Symbol,\n       Prise FROM Trades")
    assert cli.main(["explain", str(query)]) == 2
    said = capsys.readouterr().err
    assert "line 2, column 8: unknown column Prise" in said
    assert said.endswith("           Prise FROM Trades\n           ^\n")
    assert cli.main(["explain", str(tmp_path / "none.sql")]) == 2
    assert "none.sql: No such file" in capsys.readouterr().err
    query.write_text("SELECT Price FROM Trades")
    assert cli.main(["explain", str(query), "--svg", str(tmp_path / "none" / "q.svg")]) == 1
    assert "q.svg: No such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("described", "said"),
    [
        ("{name: T, id: 1}", "a stream needs name, id and fields, and may have time"),
        ("{name: T, id: 1, fields: {a: int}, at: a}", "and may have time"),
        ("{name: T, id: 1, fields: [a], message: orders.Order, at: a}", "and may have message and moldudp64"),
        ("{name: T, id: 1, fields: {a: int}", "expected ',' or '}'"),
        ("{name: T, id: x, fields: {a: int}}", "id: x is not a number from 0 to 65535"),
        ("{name: T, id: 65536, fields: {a: int}}", "id: 65536 is not a number"),
        ("{name: [T], id: 1, fields: {a: int}}", "['T'] is not a name"),
        ("{name: T, id: 1, fields: {a b: int}}", "a b is not a name"),
        ("{name: T, id: 1, fields: {a: 5}}", "unknown type '5'"),
        ("{name: T, id: 1, fields: [a]}", "fields: must be a mapping of names to types"),
        ("{name: T, id: 1, fields: {}}", "fields: must be a mapping of names to types"),
        ("{name: T, id: 1, fields: {a: int}, message: orders.Order}", "fields: must be a list of names"),
        ("{name: T, id: 1, fields: {a: int}, time: b}", "time: b is not a field"),
        ("{name: T, id: 1, fields: {a: int}, unit: ms}", "unit: ms is not a unit of the time attribute"),
        (
            "{name: T, id: 1, fields: {a: int}, time: a, unit: weeks}",
            "weeks is not a unit of the time",
        ),
    ],
)
def test_streams_that_are_described_wrong(tmp_path, capsys, described, said):
    query, stream = tmp_path / "q.sql", tmp_path / "t.yml"
    query.write_text("SELECT a FROM T")
    stream.write_text(described)
    assert cli.main(["explain", str(query), "--stream", str(stream)]) == 2
    error = capsys.readouterr().err
    assert "t.yml: " in error and said in error and error.count("\n") == 1


def test_command_writes_a_core(tmp_path, capsys):
    query = tmp_path / "large.sql"
    query.write_text("SELECT Price FROM Trades WHERE Volume > $least INTO Large")
    assert cli.main(["compile", str(query), "--set", "least=3", "-o", str(tmp_path)]) == 0
    assert "latency 1 cycle," in capsys.readouterr().out
    assert "wirestream:queries:large:0.1.0" in (tmp_path / "large.core").read_text()
    for module in ("ws_query_large", "ws_query_large_axis", "ws_query_large_gmii"):
        assert f"module {module} " in (tmp_path / f"{module}.v").read_text()
    assert json.loads((tmp_path / "large.json").read_text())["package"]["registers"] == {"least": 0, "COMMIT": 4}


def test_command_draws(tmp_path, capsys):
    picture = tmp_path / "q.svg"
    queries = [str(QUERIES / f"{name}.sql") for name in ("vwap", "candles")]
    assert cli.main(["explain", *queries, "--name", "two", "--svg", str(picture)]) == 0
    said = capsys.readouterr().out
    assert "VolumeWeightedPrice  latency" in said and "LUT" in said
    assert "VolumeWeightedPrice" in picture.read_text()


def test_streams_of_several_kinds_are_not_packaged():
    sql = """CREATE INPUT STREAM Cancels FORMAT FIX orders.OrderCancelRequest (ClOrdID);
    SELECT ClOrdID FROM Cancels INTO One; SELECT Bid FROM Quotes INTO Two"""
    with pytest.raises(QueryError, match="FIX orders and tuples cannot share one input"):
        package(compile_queries(sql, shipped()).circuit)


def test_files_are_blamed_by_their_own_name(tmp_path, capsys):
    """A wrong stream or a missing table is reported under its own name, not the query's; nothing is written."""
    query, stream, out = tmp_path / "q.sql", tmp_path / "wrong.yml", tmp_path / "out"
    query.write_text("SELECT Price FROM Trades")
    stream.write_text("streams: [a: {")
    for command in (["explain"], ["split", "--rate", "1M"]):
        assert cli.main([*command, str(query), "--stream", str(stream)]) == 2
        assert capsys.readouterr().err.startswith(f"wirestream {command[0]}: {stream}: ")
    assert cli.main(["split", str(query), "--rate", "1M", "--table", f"T={tmp_path / 'none.csv'}", "-o", str(out)]) == 2
    assert capsys.readouterr().err == f"wirestream split: {tmp_path / 'none.csv'}: No such file or directory\n"
    assert not out.exists()


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ("SELECT Prise\nFROM Trades INTO B", (1, 8)),
        ("-- one\nSELECT Price\nFORM Trades", (3, 6)),
        ("SELECT Price FROM", (1, 18)),
    ],
)
def test_an_error_is_shown_in_its_own_file(tmp_path, capsys, wrong, place):
    """With several files: the second, or the first at its end, where it must not run into the second."""
    good, bad = tmp_path / "good.sql", tmp_path / "bad.sql"
    good.write_text("SELECT Price\nFROM Trades INTO A\n")
    bad.write_text(wrong)
    for files in ([good, bad], [bad, good]):
        assert cli.main(["explain", *map(str, files)]) == 2
        first, shown, _ = capsys.readouterr().err.splitlines()
        assert first.startswith(f"{bad}: line {place[0]}, column {place[1]}: ")
        assert shown.strip() == wrong.splitlines()[place[0] - 1]
