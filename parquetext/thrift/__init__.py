"""parquet.thrift's structs as tables, and their bytes as Python values."""

from .tables import STRUCTS
from .values import Unknown, read, read_at, write

__all__ = ["STRUCTS", "Unknown", "read", "read_at", "write"]
