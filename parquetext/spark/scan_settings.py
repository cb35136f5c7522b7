"""Settings that let Spark's scan of Parquet files read slices of their footers."""

from __future__ import annotations

import os
import pkgutil
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..private import keep
from .jar_build import EXTENSION, JAR, installed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_JARS, _EXTENSIONS = "spark.jars", "spark.sql.extensions"


def find_jar() -> Path | None:
    """Return the jar of this installation, or None; a jar within a zip is copied to a file."""
    if path := installed():
        return path
    try:
        content = pkgutil.get_data(__package__, f"jars/{JAR}")
    except OSError:
        return None
    return keep({JAR: content}) / JAR if content else None


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
    jar = find_jar()
    if jar is None:
        warnings.warn(
            "parquetext was installed without its jar, because there was no javac or no Spark when it was built: "
            "Spark's own scans parse whole footers. Run jvm/build.sh in a checkout, and install from there",
            stacklevel=3,
        )
        return {}
    before = {**_spark_defaults(), **wanted}
    return {_JARS: _longer(before.get(_JARS), str(jar)), _EXTENSIONS: _longer(before.get(_EXTENSIONS), EXTENSION)}


def add_scan(spark: SparkSession) -> None:
    """Add the scan to a classic session that was started without the extension. Repeated calls are cheap.

    A session with extensions or plugins is not changed: other engines would no longer recognize its scans.
    """
    jar = find_jar()
    others = (spark.conf.get(_EXTENSIONS, ""), spark.sparkContext.getConf().get("spark.plugins", ""))
    if jar is None or any(others):
        return
    from py4j.protocol import Py4JError

    try:
        if jar.name not in {path.rpartition("/")[2] for path in _jars_of(spark)}:
            spark.sql(f"ADD JAR '{jar}'")
        _in_jar(spark).addTo(spark._jsparkSession)
    except Py4JError as error:
        warnings.warn(f"Spark's own scans parse whole footers in this session: {error}", stacklevel=3)


def _jars_of(spark: SparkSession) -> list[str]:
    listed = spark.sparkContext._jsc.sc().listJars()
    return [listed.apply(position) for position in range(listed.size())]


def _in_jar(spark: SparkSession):
    """Return the jar's class that extends sessions, from any loader that has it."""
    thread = spark._jvm.java.lang.Thread.currentThread()
    before = thread.getContextClassLoader()
    thread.setContextClassLoader(spark._jsparkSession.sharedState().jarClassLoader())
    try:
        return spark._jvm.dev.parquetext.spark.ScanStrategy
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
