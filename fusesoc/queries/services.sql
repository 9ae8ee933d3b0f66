-- Packets and bytes of each kind of service.
SELECT Time,
       CASE WHEN DstPort = 53 OR SrcPort = 53 THEN 'dns' WHEN DstPort IN (80, 443, 8080) THEN 'web' ELSE 'any' END AS Service,
       count(*) AS Packets, sum(Bytes) AS Bytes
FROM Packets [RANGE 2 seconds SLIDE 1 second WATTR Time SLACK 20 ms]
GROUP BY Service
INTO Services
