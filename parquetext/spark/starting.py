"""Start a Spark session that works on a laptop without settings, and uses a cluster's settings."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..private import keep
from .java import find_java_home
from .scan_settings import scan_settings
from .shipping import ship

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_DEFAULTS = {
    "spark.master": "local[*]",
    "spark.app.name": "parquetext",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.python.filterPushdown.enabled": "true",
}
# Also works if the machine's host name does not resolve.
_LOCAL_DEFAULTS = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
# Log errors only, from the start: `spark.log.level` applies later. The shell has a separate logger.
_LOGGING = b"""rootLogger.level = error
logger.shell.name = org.apache.spark.api.python.PythonGatewayServer
logger.shell.level = error
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{yy/MM/dd HH:mm:ss} %p %c{1}: %m%n%ex
"""


def session(**conf: Any) -> SparkSession:
    """Return a quiet Spark session whose executors have parquetext, and whose scans slice footers.

    Parameters
    ----------
    **conf
        Spark's settings. A name is Spark's (``**{"spark.sql.shuffle.partitions": 4}``), or has underscores for dots and
        lacks the first word: ``session(master="local[2]", driver_memory="2g")``.

    Returns
    -------
    pyspark.sql.SparkSession
        By default ``local[*]``. Under spark-submit, and if a session is active already, its settings are kept, and
        `conf` is added.

    Raises
    ------
    JavaNotFound
        If there is no Java on which Spark can start; the message contains the remedy.

    Examples
    --------
    >>> spark = parquetext.spark.session(sql_shuffle_partitions=2)
    >>> spark.conf.get("spark.sql.shuffle.partitions")
    '2'
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    wanted = {_spark_name(name): _spark_value(value) for name, value in conf.items()}
    if SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ:
        os.environ["JAVA_HOME"] = find_java_home()
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        if _is_shadowed():
            os.environ["PYTHONSAFEPATH"] = "1"
        settings = _defaults(wanted.get("spark.master", _DEFAULTS["spark.master"])) | wanted
        settings |= scan_settings(wanted)
        _quiet(settings)
    else:
        launched = SparkConf()
        settings = {name: value for name, value in _defaults().items() if not launched.contains(name)} | wanted
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    ship(spark)
    return spark


def _is_shadowed() -> bool:
    """Return True if the working directory, from which workers import first, has another package of our name."""
    here, package = Path.cwd(), Path(__file__).parents[1]
    return (here / package.name).is_dir() and here != package.parent


def _spark_name(name: str) -> str:
    dotted = name if "." in name else name.replace("_", ".")
    return dotted if dotted.startswith("spark.") else f"spark.{dotted}"


def _spark_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _quiet(settings: dict[str, str]) -> None:
    """Start the Java program so that it logs only errors, unless its options configure logging."""
    options = settings.get("spark.driver.extraJavaOptions", "")
    if "log4j" not in options:
        file = keep({"log4j2.properties": _LOGGING}) / "log4j2.properties"
        settings["spark.driver.extraJavaOptions"] = f"-Dlog4j2.configurationFile={file.as_uri()} {options}".strip()


def _defaults(master: str = "") -> dict[str, str]:
    return _DEFAULTS | (_LOCAL_DEFAULTS if master.startswith("local") else {})
