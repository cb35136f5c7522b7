"""The flat footer (docs/formats.md, section 3): its writer, its reader, the way back to Thrift, and its check."""

from __future__ import annotations

from .flat_read import GROUP, Node, Reader
from .flat_thrift import chunk_structs, to_thrift
from .flat_verify import verify
from .flat_write import write

__all__ = ["GROUP", "Node", "Reader", "chunk_structs", "to_thrift", "verify", "write"]
