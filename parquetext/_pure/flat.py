"""The flat footer (docs/formats.md, section 3): its writer, its reader, and the check of a whole payload."""

from __future__ import annotations

from .flat_read import GROUP, Node, Reader
from .flat_verify import verify
from .flat_write import write

__all__ = ["GROUP", "Node", "Reader", "verify", "write"]
