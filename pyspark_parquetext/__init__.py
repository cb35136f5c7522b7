"""What Spark looks for by this name: the data source, without anybody having registered it."""

from parquetext.spark.source import ParquetextSource as DefaultSource

__all__ = ["DefaultSource"]
