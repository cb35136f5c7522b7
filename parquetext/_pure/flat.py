"""The flat footer (docs/formats.md, section 3): writer, reader, conversion to Thrift, and verification."""

from __future__ import annotations

from .flat_read import GROUP, Reader
from .flat_thrift import chunk_structs, to_thrift
from .flat_verify import verify
from .flat_write import write
from .name_table import Node

__all__ = ["GROUP", "Node", "Reader", "chunk_structs", "to_thrift", "verify", "write"]
