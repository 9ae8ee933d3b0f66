-- The share of TCP packets that open a connection (SYN, no ACK), in percent: a flood drives it up.
SELECT Time, 100 * sum(Syn) div count(*) AS Percent
FROM (SELECT Time, TcpFlags div 2 % 2 * (1 - TcpFlags div 16 % 2) AS Syn FROM Packets WHERE Protocol = 6)
     [RANGE 2000 SLIDE 500 WATTR Time SLACK 20]
INTO SynRatio
