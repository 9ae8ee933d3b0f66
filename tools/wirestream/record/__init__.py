"""What stands behind a receiver of result datagrams: a log on disk, and Spark, which reads it and captures.

==========  ============================================================================================
`log`       a segmented log of datagrams; its writer is called by `recv_results.py --log`
`records`   records of fixed or varying length in a buffer, found and gathered with numpy
`pcap`      ranges of records of a pcap file, Ethernet, IPv4 and UDP parsed and verified
`datagrams` UDP payloads to columns: the rows of a stream, its punctuations, or the datagrams themselves
`columns`   the types of a stream's columns, in numpy, Arrow and Spark
`sources`   the Spark data sources `wirestream_log` (batch and streaming) and `wirestream_pcap`
`sequence`  what sequence numbers say: datagrams lost, repeats, sessions
`overflow`  the groups that found no room on the chip
==========  ============================================================================================

docs/spark.md shows how they are used.
"""
