"""The reference rows of queries, computed by PySpark. Independent of the compiler, the tests and the circuits.

The Spark program delivered with a split query (`wirestream.split`) and this package, which checks it, are intentionally
two implementations.
"""

CACHE = "WIRESTREAM_BUILD"  # environment variable: the folder of `session.cache_folder`
NEEDED = "PySpark is missing: install the Python packages pyspark and pyarrow"
