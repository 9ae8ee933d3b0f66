"""Stores received result datagrams in a log on disk, and reads logs and captures in Spark.

==========  ============================================================================================
`log`       a segmented log of datagrams; `recv_results.py --log` writes it
`records`   records of fixed or variable length in a buffer, found and gathered with numpy
`pcap`      ranges of records of a pcap file; parses and verifies Ethernet, IPv4 and UDP
`datagrams` UDP payloads to columns: the rows of a stream, its punctuations, or the datagrams themselves
`columns`   the types of a stream's columns, in numpy, Arrow and Spark
`sources`   the Spark data sources `wirestream_log` (batch and streaming) and `wirestream_pcap`
`sequence`  analysis of sequence numbers: lost datagrams, repeats, sessions
`session`   the Spark session of a process
`tables`    records of a stream from tables, which `files` reads; `own` and `inference` are for a user's files
`oracle`    the rows that PySpark computes for a query, and `rows`, the form in which rows are compared
==========  ============================================================================================

docs/spark.md shows how to use them.
"""
