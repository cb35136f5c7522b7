"""Settings that let Spark's scan of Parquet files read slices of their footers."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from .jar_build import EXTENSION, JAR
from .scan_jar import NoJar, jar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_JARS, _EXTENSIONS = "spark.jars", "spark.sql.extensions"


def scan_settings(wanted: Mapping[str, str]) -> dict[str, str]:
    """Return settings for starting Spark so that its scans slice footers; they include the user's settings.

    Parameters
    ----------
    wanted : mapping of str to str
        The requested settings; others are read from ``spark-defaults.conf``, which these would hide.

    Returns
    -------
    dict of str to str
        ``spark.jars`` and ``spark.sql.extensions`` with ours added; empty, with a warning, if there is no jar.
    """
    try:
        path = jar()
    except NoJar as error:
        _warn(str(error))
        return {}
    before = {**_spark_defaults(), **wanted}
    return {_JARS: _longer(before.get(_JARS), path), _EXTENSIONS: _longer(before.get(_EXTENSIONS), EXTENSION)}


def add_scan(spark: SparkSession) -> None:
    """Add the scan to a classic session that was started without the extension. Repeated calls are cheap.

    A session with extensions or plugins is not changed: other engines would no longer recognize its scans.
    """
    if spark.conf.get(_EXTENSIONS, "") or spark.sparkContext.getConf().get("spark.plugins", ""):
        return
    from py4j.java_gateway import JavaPackage
    from py4j.protocol import Py4JError

    try:
        path = jar()
        if JAR not in {listed.rpartition("/")[2] for listed in _jars_of(spark)}:
            spark.sql(f"ADD JAR '{path}'")
        extensions = _in_jar(spark)
        if isinstance(extensions, JavaPackage):  # no such class
            raise NoJar(f"Spark has not loaded {path}")
        extensions.addTo(spark._jsparkSession)
    except NoJar as error:
        _warn(str(error))
    except Py4JError as error:
        _warn(str(getattr(error, "java_exception", error)).partition("\n")[0])


@cache
def _warn(reason: str) -> None:
    """Warn once of each reason: `session` and `ship` both look for the jar."""
    warnings.warn(f"Spark's own scans parse whole footers: {reason}", stacklevel=4)


def _jars_of(spark: SparkSession) -> list[str]:
    listed = spark.sparkContext._jsc.sc().listJars()
    return [listed.apply(position) for position in range(listed.size())]


def _in_jar(spark: SparkSession):
    """Return the jar's class that extends sessions, from any loader that has it."""
    assert spark._jvm is not None  # a classic session starts the JVM
    thread = spark._jvm.java.lang.Thread.currentThread()
    before = thread.getContextClassLoader()
    thread.setContextClassLoader(spark._jsparkSession.sharedState().jarClassLoader())
    try:
        return spark._jvm.dev.parquetext.spark.Extensions
    finally:
        thread.setContextClassLoader(before)


def _longer(listed: str | None, name: str) -> str:
    names = [each.strip() for each in (listed or "").split(",") if each.strip()]
    return ",".join(names if name in names else [*names, name])


def _spark_defaults() -> dict[str, str]:
    """Return the relevant settings of `spark-defaults.conf`."""
    import pyspark

    home = os.environ.get("SPARK_HOME") or pyspark.__path__[0]
    path = Path(os.environ.get("SPARK_CONF_DIR") or Path(home, "conf"), "spark-defaults.conf")
    found = {}
    for line in path.read_text().splitlines() if path.is_file() else ():
        name, _, value = line.strip().replace("=", " ", 1).replace("\t", " ").partition(" ")
        if name in (_JARS, _EXTENSIONS):
            found[name] = value.strip()
    return found
