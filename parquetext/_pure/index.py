"""The footer index (docs/formats.md, section 7): its writer, and a reader of the Thrift footer that uses it."""

from __future__ import annotations

from .flat_read import Node
from .index_read import Reader
from .index_shape import GROUP
from .index_verify import verify
from .index_write import write

__all__ = ["GROUP", "Node", "Reader", "verify", "write"]
