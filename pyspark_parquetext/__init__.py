"""What Spark looks for by this name: the data source, without anybody having registered it."""

from parquetext.spark.versions import has_data_source

__all__ = []

if has_data_source():  # an error here would hide the data sources of all packages
    from parquetext.spark.source import ParquetextSource as DefaultSource

    __all__ += ["DefaultSource"]
