"""`wirestream split`: cuts a query in two; the part below the cut runs on the FPGA, the part above it on Spark.

========= ==================================================================================================
`query`   parses the text: the dialect, and further Spark SQL around it
`cuts`    the possible cuts, and the chip's query for each
`cost`    the cost of a cut: cells, memory, cycles, rows per second to Spark
`spark`   Spark's part, as the text of a job
`host`    the functions that such a job calls
`plan`    the choice, its reasons, and the files
`command` the command
========= ==================================================================================================

docs/split.md shows how to use it.
"""
