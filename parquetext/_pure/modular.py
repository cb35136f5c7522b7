"""The modular footer (docs/formats.md, section 16): its root, the chunks of a column, and the index of its schema."""

from __future__ import annotations

from .modular_arrays import pack
from .modular_chunks import Placement, statistics_directory
from .modular_names import SchemaIndex, hash_of
from .modular_root import read_root
from .modular_verify import verify_array, verify_struct

__all__ = [
    "Placement",
    "SchemaIndex",
    "hash_of",
    "pack",
    "read_root",
    "statistics_directory",
    "verify_array",
    "verify_struct",
]
