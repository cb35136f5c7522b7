"""The data source "parquetext", `spark.read.format("parquetext")`, and its reads as jobs on Spark before 4.1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy_names import lazy_names

__all__ = ["ParquetextSource"]

if TYPE_CHECKING:
    from .datasource import ParquetextSource as ParquetextSource
else:  # not in Spark 3.5, which has no data sources in Python
    __getattr__, __dir__ = lazy_names(globals(), {"ParquetextSource": "datasource"})
