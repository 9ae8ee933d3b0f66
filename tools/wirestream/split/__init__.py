"""`wirestream split`: one query, cut in two: what is below the cut runs on the FPGA, what is above it on Spark.

========= ==================================================================================================
`query`   the text: the dialect, and around it what Spark's SQL has besides
`cuts`    where it can be cut, and the query of the chip for each cut
`cost`    what a cut costs: cells, memory, cycles, rows a second to Spark
`spark`   what is left for Spark, as the text of a job
`host`    what such a job calls
`plan`    the choice, its reasons, and the files
`command` the command
========= ==================================================================================================

docs/split.md shows how it is used.
"""
