"""The one list of structural checks, which `verify` and `layout` share: counts, places, pages, indexes and filters."""

from __future__ import annotations

from .chunk import StoredChunk, check_rows
from .counts import SIGNATURE_BYTES, behind_struct, check_counts
from .leaf_names import leaf_paths
from .structure import Structure, count_elsewhere

__all__ = [
    "SIGNATURE_BYTES",
    "StoredChunk",
    "Structure",
    "behind_struct",
    "check_counts",
    "check_rows",
    "count_elsewhere",
    "leaf_paths",
]
