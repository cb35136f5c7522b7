"""parquet.thrift's structs as tables, and their bytes as Python values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import homes_of, lazy_names

_HOMES = homes_of(
    """
    struct_tables: STRUCTS
    values: Fields Unknown binary i32_of integer list_header list_start read read_at write
    """
)

__all__ = list(_HOMES)

if TYPE_CHECKING:
    from .struct_tables import STRUCTS
    from .values import Fields, Unknown, binary, i32_of, integer, list_header, list_start, read, read_at, write
else:
    __getattr__, __dir__ = lazy_names(globals(), _HOMES)
