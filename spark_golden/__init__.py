"""What PySpark says the rows are. Imports nothing of the compiler or of the tests, and knows nothing of the circuits.

The part of Spark that is delivered with a divided query (`wirestream.split`) and this package, which judges it, are two
implementations by intention.
"""

CACHE = "WIRESTREAM_BUILD"  # environment variable: the folder of `session.cache_folder`
NEEDED = "PySpark is missing: install the Python packages pyspark and pyarrow"
