"""parquet.thrift's structs as tables, and their bytes as Python values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

_HOMES = {
    "STRUCTS": "struct_tables",
    "Fields": "values",
    "Unknown": "values",
    "binary": "values",
    "integer": "values",
    "list_header": "values",
    "list_start": "values",
    "read": "values",
    "read_at": "values",
    "write": "values",
}

__all__ = list(_HOMES)

if TYPE_CHECKING:
    from .struct_tables import STRUCTS as STRUCTS
    from .values import Fields as Fields
    from .values import Unknown as Unknown
    from .values import binary as binary
    from .values import integer as integer
    from .values import list_header as list_header
    from .values import list_start as list_start
    from .values import read as read
    from .values import read_at as read_at
    from .values import write as write
else:
    __getattr__, __dir__ = lazy_names(globals(), _HOMES)
