"""The live part of a Parquet file as a file of its own: bytes are copied as they are, only their places change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..errors import Unsupported
from ..storage import LocalSource
from ..thrift import values
from .store_rows import MAGIC, row_groups_of, with_row_groups

__all__ = ["Compacted", "is_due"]

LARGEST_RATIO = 0.5     # of a file that may be dead (cairo.partition.encoder.parquet.o3.rewrite.unused.ratio)
LARGEST_DEAD = 1 << 30  # bytes (…rewrite.unused.max.bytes)
STEP = 8 << 20
PAGES = ("data_page_offset", "index_page_offset", "dictionary_page_offset")


def is_due(dead: int, size: int) -> bool:
    """Whether a file of `size` bytes, `dead` of which nobody needs, is worth writing anew; as QuestDB decides it."""
    return dead > size * LARGEST_RATIO or dead > LARGEST_DEAD


@dataclass(slots=True)
class Compacted:
    """A file's row groups moved together.

    Of each row group its chunks come first, then Bloom filters, column indexes and offset indexes.

    Attributes
    ----------
    footer : bytes
        The Thrift footer that says where everything is now.
    size : int
        Where it begins.

    Raises
    ------
    Malformed, Unsupported
        A footer that lacks something, or with chunks in other files.
    """

    source: LocalSource
    footer: bytes
    size: int = len(MAGIC)
    _pieces: list[tuple[int, int] | bytes] = field(default_factory=list)

    def __post_init__(self):
        self.footer = with_row_groups(self.footer, [self._moved(group) for group in row_groups_of(self.footer)])

    def _moved(self, struct: bytes) -> bytes:
        """One row group, behind what is there."""
        group = values.read("RowGroup", struct)
        chunks = group["columns"]
        shifts = [self._move_chunk(chunk) for chunk in chunks]
        for chunk in chunks:
            self._move(chunk["meta_data"], "bloom_filter")
        for chunk in chunks:
            self._move(chunk, "column_index")
        for chunk, shift in zip(chunks, shifts, strict=True):
            self._move_offset_index(chunk, shift)
        if "file_offset" in group and chunks:
            group["file_offset"] = _start(chunks[0]["meta_data"])
        return values.write("RowGroup", group)

    def data(self) -> Iterator[bytes]:
        """What stands before the footer, in pieces of at most 8 MiB."""
        yield MAGIC
        for piece in self._pieces:
            if isinstance(piece, bytes):
                yield piece
                continue
            offset, length = piece
            for at in range(offset, offset + length, STEP):
                yield self.source.read(at, min(STEP, offset + length - at))

    def _take(self, piece: tuple[int, int] | bytes) -> int:
        """Put bytes, or a range of the old file, behind what is there; where they are now."""
        at, length = self.size, len(piece) if isinstance(piece, bytes) else piece[1]
        last = self._pieces[-1] if self._pieces else b""
        if isinstance(piece, tuple) and isinstance(last, tuple) and sum(last) == piece[0]:
            self._pieces[-1] = (last[0], last[1] + length)
        else:
            self._pieces.append(piece)
        self.size += length
        return at

    def _move_chunk(self, chunk: dict) -> int:
        """How many bytes a chunk's pages move."""
        if "meta_data" not in chunk or "file_path" in chunk:
            raise Unsupported("a chunk without metadata, or in another file")
        metadata = chunk["meta_data"]
        start = _start(metadata)
        shift = self._take((start, metadata["total_compressed_size"])) - start
        for name in PAGES:
            if metadata.get(name, 0) > 0:
                metadata[name] += shift
        if chunk.get("file_offset", 0) > 0:
            chunk["file_offset"] += shift
        return shift

    def _move(self, struct: dict, what: str) -> None:
        """Copy what a struct says the place of; without its length it is left out."""
        offset, length = struct.get(f"{what}_offset", 0), struct.get(f"{what}_length", 0)
        if offset > 0 and length > 0:
            struct[f"{what}_offset"] = self._take((offset, length))
        else:
            struct.pop(f"{what}_offset", None)
            struct.pop(f"{what}_length", None)

    def _move_offset_index(self, chunk: dict, shift: int) -> None:
        offset, length = chunk.get("offset_index_offset", 0), chunk.get("offset_index_length", 0)
        if offset <= 0 or length <= 0:
            self._move(chunk, "offset_index")
            return
        index = values.read("OffsetIndex", self.source.read(offset, length))
        for page in index["page_locations"]:
            page["offset"] += shift
        made = values.write("OffsetIndex", index)
        chunk["offset_index_offset"], chunk["offset_index_length"] = self._take(made), len(made)


def _start(metadata: dict) -> int:
    """Where a chunk begins: with its dictionary page, if it has one."""
    dictionary = metadata.get("dictionary_page_offset", 0)
    return min(dictionary, metadata["data_page_offset"]) if dictionary > 0 else metadata["data_page_offset"]
