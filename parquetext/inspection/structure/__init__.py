"""The one list of structural checks, which `verify` and `layout` share: counts, places, pages, indexes and filters."""

from __future__ import annotations

from .chunk import StoredChunk, check_rows
from .structure import SIGNATURE_BYTES, Structure, behind_struct, check_counts, count_elsewhere, leaf_paths

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
