-- The five sources with the most bytes, twice a second.
SELECT Time, SrcIp, sum(Bytes) AS Bytes, count(*) AS Packets
FROM Packets [RANGE 1000 SLIDE 500 WATTR Time SLACK 20]
GROUP BY SrcIp
ORDER BY Bytes DESC
LIMIT 5
INTO TopSources
