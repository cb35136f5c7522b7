"""This very package for a session's executors, however the driver came by it."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import site
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..private import keep

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["ship"]

_PACKAGE = __name__.partition(".")[0]
_SHIPPED = {".py", ".so", ".typed"}
_OLDEST_TIME = (1980, 1, 1, 0, 0, 0)  # of a zip: the same package gives the same bytes


def ship(spark: SparkSession) -> None:
    """Make the executors of a session import the package that this process runs, and register the data source.

    A package in a directory (installed, or a source tree) is sent as a zip, and so is a wheel or zip that it was
    imported from. Nothing is sent where executors have it anyway: in local mode, from an installation or PYTHONPATH.
    What is sent stands before an installation on the executors. Calling it again costs nothing.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic session, local or on a cluster.
    """
    context = spark.sparkContext
    if not _is_shipped(context):
        context.addPyFile(str(_archive()))
    _register(spark)


def _is_shipped(context) -> bool:
    if context.master.startswith("local[") or context.master == "local":
        parent = _package_directory() and str(_package_directory().parent)
        if parent in {*site.getsitepackages(), *os.environ.get("PYTHONPATH", "").split(os.pathsep)}:
            return True
    return _archive().name in (context._python_includes or ())


def _register(spark: SparkSession) -> None:
    if importlib.util.find_spec(f"{_PACKAGE}.spark.source"):
        from .source import ParquetextSource

        spark.dataSource.register(ParquetextSource)


def _package_directory() -> Path | None:
    """Where the package lies, unless in an archive."""
    directory = Path(__file__).parents[1]
    return directory if directory.is_dir() else None


def _archive() -> Path:
    """The package as a zip, which is what Spark puts on a worker's path."""
    directory = _package_directory()
    content = _zipped(directory) if directory else Path(_archive_file()).read_bytes()
    name = f"{_PACKAGE}-{hashlib.sha256(content).hexdigest()[:16]}.zip"
    return keep({name: content}) / name


def _archive_file() -> str:
    return __spec__.loader.archive


def _zipped(directory: Path) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in sorted(directory.rglob("*")):
            if path.suffix in _SHIPPED:
                name = path.relative_to(directory.parent).as_posix()
                info = zipfile.ZipInfo(name, _OLDEST_TIME)
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, path.read_bytes())
    return buffer.getvalue()
