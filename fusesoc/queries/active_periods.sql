-- The market between two pauses of five seconds: the bid with which it began, and that with which it ended.
SELECT Time, count(*) AS Quotes, first(Bid) AS Opened, last(Bid) AS Closed
FROM Quotes [SESSION GAP 5 WATTR Time]
INTO ActivePeriods
