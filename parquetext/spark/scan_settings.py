"""Spark's own scan of Parquet files, given slices of their footers: the settings that install it."""

from __future__ import annotations

import os
import pkgutil
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..private import keep
from .jar import EXTENSION, JAR, installed

__all__ = ["add_scan", "find_jar", "scan_settings"]

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_JARS, _EXTENSIONS = "spark.jars", "spark.sql.extensions"


def find_jar() -> Path | None:
    """The jar of this installation, put into a file where the package comes from a zip; None where it has none."""
    if path := installed():
        return path
    try:
        content = pkgutil.get_data(__package__, f"jars/{JAR}")
    except OSError:
        return None
    return keep({JAR: content}) / JAR if content else None


def scan_settings(wanted: Mapping[str, str]) -> dict[str, str]:
    """What to set before Spark starts, so that its scans slice footers; what the user has set stays in it.

    Parameters
    ----------
    wanted : mapping of str to str
        The settings that were asked for; what they lack is taken from ``spark-defaults.conf``, which they would hide.

    Returns
    -------
    dict of str to str
        ``spark.jars`` and ``spark.sql.extensions``, longer by ours; nothing, and a warning, where there is no jar.
    """
    jar = find_jar()
    if jar is None:
        warnings.warn(
            "parquetext was installed without its jar, because there was no javac or no Spark when it was built: "
            "Spark's own scans parse whole footers. Run jvm/build.sh in a checkout, and install from there",
            stacklevel=3,
        )
        return {}
    before = _spark_defaults() | wanted
    return {_JARS: _longer(before.get(_JARS), str(jar)), _EXTENSIONS: _longer(before.get(_EXTENSIONS), EXTENSION)}


def add_scan(spark: SparkSession) -> None:
    """Let a classic session that was started without the extension slice footers; calling it again costs little.

    A session with extensions or plugins stays as it is: engines of their own would no longer know its scans.
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
    return [listed.apply(place) for place in range(listed.size())]


def _in_jar(spark: SparkSession):
    """The class of the jar that adds to sessions, whichever loader has it."""
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
    """The settings of `spark-defaults.conf`, as far as they concern us."""
    import pyspark

    home = os.environ.get("SPARK_HOME") or pyspark.__path__[0]
    path = Path(os.environ.get("SPARK_CONF_DIR") or Path(home, "conf"), "spark-defaults.conf")
    found = {}
    for line in path.read_text().splitlines() if path.is_file() else ():
        name, _, value = line.strip().replace("=", " ", 1).replace("\t", " ").partition(" ")
        if name in (_JARS, _EXTENSIONS):
            found[name] = value.strip()
    return found
