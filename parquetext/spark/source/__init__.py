"""The data source "parquetext": `spark.read.format("parquetext")`."""

from __future__ import annotations

from .datasource import ParquetextSource

__all__ = ["ParquetextSource"]
