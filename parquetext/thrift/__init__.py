"""parquet.thrift's structs as tables, and their bytes as Python values."""

from .struct_tables import STRUCTS
from .values import Fields, Unknown, binary, integer, list_header, list_start, read, read_at, write

__all__ = ["STRUCTS", "Fields", "Unknown", "binary", "integer", "list_header", "list_start", "read", "read_at", "write"]
