"""Read the metadata sidecar `_pm` directly from its bytes, and write it."""

from .sidecar_columns import describe
from .sidecar_file import map_file, open_untouched, release_mappings
from .sidecar_reader import BLOOM_KINDS, Chunks, Column, Footer, Reader
from .sidecar_slice import Slices, runs
from .sidecar_writer import Chunk, Writer

__all__ = ["BLOOM_KINDS", "Chunk", "Chunks", "Column", "Footer", "Reader", "Slices", "Writer", "describe", "map_file",
           "open_untouched", "release_mappings", "runs"]
