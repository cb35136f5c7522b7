"""Ship the driver's copy of this package to a session's executors."""

from __future__ import annotations

import hashlib
import os
import site
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..private import keep
from .jar_build import zipped
from .parallelism import parallelism
from .scan_settings import add_scan
from .versions import has_data_source
from .workers import check_workers

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import DataSource

_PACKAGE = __name__.partition(".")[0]
_ON_WORKERS_PATH = (".zip", ".egg", ".jar")  # the names that Spark puts there
_SHIPPED = (".py", ".so")


def ship(spark: SparkSession) -> None:
    """Send the package of this process to the executors of a session, and register the data source.

    A package in a directory, installed or a source tree, is sent as a zip, and so is the wheel or zip that it was
    imported from. Executors prefer it to an installed package. Nothing is sent if they have the package already:
    through `--py-files`, or in local mode if it is installed or on PYTHONPATH. Calling it again costs nothing, and
    updates the number of cores for the data source.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A session, local or on a cluster. The server of a Spark Connect session receives the package as an artifact,
        which only the workers of this session import.

    Raises
    ------
    OSError
        If the zip cannot be written.
    Unsupported
        If the workers' Python has no pyarrow. A local session's workers run this Python unless `PYSPARK_PYTHON` is set.

    Notes
    -----
    Executors with the architecture of the compiled kernels run them (they are copied from the zip to a private
    directory of the executor's user), others run the pure-Python twin. pyarrow must be installed on the executors.

    Examples
    --------
    >>> parquetext.spark.ship(spark)
    >>> spark.read.format("parquetext").load(os.path.abspath("lake")).count()
    9
    """
    if is_connect(spark):
        _send(spark)
        return
    context = spark.sparkContext
    check_workers(context)
    if not (_is_on_local_path(context) or _is_submitted(context)):
        archive = _archive()
        if archive.name not in _shipped_to(context.applicationId):
            context.addPyFile(str(archive))
            _shipped_to(context.applicationId).add(archive.name)
    add_scan(spark)
    if has_data_source():
        _register(spark, _source(spark))


def _send(spark: Any) -> None:  # a session of Spark Connect
    archive = _archive()
    if archive.name not in _shipped_to(spark.session_id):
        spark.addArtifact(str(archive), pyfile=True)
        _shipped_to(spark.session_id).add(archive.name)
    if has_data_source():
        spark.dataSource.register(_source(spark))


def _source(spark: SparkSession) -> type[DataSource]:
    """Return the data source class with the parallelism: a data source cannot access the session's settings."""
    from .source import ParquetextSource

    message = {"parallelism": parallelism(spark), "__module__": ParquetextSource.__module__}
    return type(ParquetextSource.__name__, (ParquetextSource,), message)


def is_connect(spark: SparkSession) -> bool:
    """Return True for a session of Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def _register(spark: SparkSession, source: type[DataSource]) -> None:
    """Register a data source, also in a session of `newSession`: Spark looks the name up in the active one."""
    sessions = getattr(spark._jvm, "org.apache.spark.sql.classic.SparkSession")
    before = sessions.getActiveSession()
    sessions.setActiveSession(spark._jsparkSession)
    try:
        spark.dataSource.register(source)
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


@cache
def _shipped_to(application: str) -> set[str]:
    return set()


def _package_directory() -> Path | None:
    """Return the package's directory, or None if it is in an archive."""
    directory = Path(__file__).parents[1]
    return directory if directory.is_dir() else None


def _package_archive() -> Path:
    loader: Any = __spec__.loader
    return Path(loader.archive)


def _is_on_local_path(context: SparkContext) -> bool:
    """Return True if workers run on this machine and import the package from the same path."""
    directory = _package_directory()
    master = context.master or ""
    if directory is None or not (master == "local" or master.startswith("local[")):
        return False
    same_python = context.pythonExec == os.environ.get("PYSPARK_PYTHON") == sys.executable
    installed = {*site.getsitepackages()} if same_python else set()
    return str(directory.parent) in installed | {*os.environ.get("PYTHONPATH", "").split(os.pathsep)}


def _is_submitted(context: SparkContext) -> bool:
    """Return True if `--py-files` has already added the archive to the workers' path."""
    if _package_directory() is not None or _package_archive().suffix not in _ON_WORKERS_PATH:
        return False
    submitted = context.getConf().get("spark.submit.pyFiles", "").split(",")
    return _package_archive().name in {path.rpartition("/")[2] for path in submitted}


@cache
def _archive() -> Path:
    """Return the package as a zip."""
    directory = _package_directory()
    content = _zipped(directory) if directory else _package_archive().read_bytes()
    name = f"{_PACKAGE}-{hashlib.sha256(content).hexdigest()[:16]}.zip"
    return keep({name: content}) / name


def _zipped(directory: Path) -> bytes:
    paths = [path for path in sorted(directory.rglob("*")) if path.suffix in _SHIPPED]
    return zipped(((path.relative_to(directory.parent).as_posix(), path.read_bytes()) for path in paths), level=1)
