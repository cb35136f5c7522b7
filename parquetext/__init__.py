"""Fast, extensible footers for Parquet files, readable by every reader of today."""

__version__ = "0.1.0"
