"""Read the metadata sidecar `_pm` directly from its bytes, and write it."""

from __future__ import annotations

from .sidecar_file import map_file, open_untouched, release_mappings
from .sidecar_read import BLOOM_KINDS, Chunks, Column, Footer, Reader
from .sidecar_slice import Slices, runs
from .sidecar_write import Chunk, Writer, describe

__all__ = [
    "BLOOM_KINDS",
    "Chunk",
    "Chunks",
    "Column",
    "Footer",
    "Reader",
    "Slices",
    "Writer",
    "describe",
    "map_file",
    "open_untouched",
    "release_mappings",
    "runs",
]
