"""The packed footer (docs/formats.md, section 15): its writer, its reader, and the way back to Thrift."""

from __future__ import annotations

from .packed_read import Reader
from .packed_thrift import to_thrift, verify
from .packed_write import write

__all__ = ["Reader", "to_thrift", "verify", "write"]
