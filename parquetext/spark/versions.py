"""The versions of Spark on which the jobs run, and the features that only some of them have."""

from __future__ import annotations

import importlib.util
import re

from ..errors import Unsupported

OLDEST = (3, 5)
SUPPORTED = "3.5 and 4.0 to 4.3"


def spark_version() -> tuple[int, int]:
    """Return the first two numbers of pyspark's version; ImportError with a remedy if it is not installed."""
    try:
        import pyspark
    except ImportError as error:
        message = f"jobs need pyspark: pip install 'parquetext[spark]' ({error})"
        raise ImportError(message, name=error.name) from None
    found = re.match(r"(\d+)\.(\d+)", pyspark.__version__)
    return (int(found[1]), int(found[2])) if found else OLDEST


def check_version() -> None:
    """Refuse a Spark that is older than the supported ones; newer ones are tried.

    Raises
    ------
    Unsupported
        If pyspark is too old, or needs a module that this Python lacks.
    """
    found = spark_version()
    if found < OLDEST:
        raise Unsupported(f"parquetext.spark supports Spark {SUPPORTED}; this is pyspark {found[0]}.{found[1]}")
    if found < (4, 0) and importlib.util.find_spec("distutils") is None:
        raise Unsupported("pyspark 3.5 needs setuptools on Python 3.12 or later: pip install setuptools")


def java_versions() -> tuple[int, int | None]:
    """Return the oldest and the newest Java on which this version works; None if no newest one is known."""
    found = spark_version()
    if found < (4, 0):
        return 8, 17  # its Arrow does not work on Java 21
    # Java 24 removed a function by which Hadoop finds the user; the Hadoop of Spark 4.2 does not need it.
    return 17, 23 if found < (4, 2) else None


def has_data_source() -> bool:
    """Return True if data sources in Python can get filters, as since Spark 4.1."""
    return spark_version() >= (4, 1)
