"""Copy the live part of a Parquet file to a new file: bytes are copied unchanged, and offsets are adjusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .. import wire
from ..errors import wire_error
from ..rewrite.chunks import MovedChunk
from ..rewrite.structs import MAGIC, Fields, row_groups_of, struct_list, structs, with_row_groups
from ..storage import LocalSource

LARGEST_RATIO = 0.5  # of a file that may be dead (cairo.partition.encoder.parquet.o3.rewrite.unused.ratio)
LARGEST_DEAD = 1 << 30  # bytes (…rewrite.unused.max.bytes)
STEP = 8 << 20


def is_due(dead: int, size: int) -> bool:
    """Return True if a file of `size` bytes with `dead` unused ones should be rewritten, by QuestDB's rule."""
    return dead > size * LARGEST_RATIO or dead > LARGEST_DEAD


@dataclass(slots=True)
class Compacted:
    """A file's row groups moved together.

    Of each row group its chunks come first, each with its Bloom filter and its page indexes after all of them.

    Attributes
    ----------
    footer : bytes
        The Thrift footer with the new offsets.
    size : int
        The offset of the footer.

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

    def data(self) -> Iterator[bytes]:
        """Yield the bytes before the footer, in pieces of at most 8 MiB."""
        yield MAGIC
        for piece in self._pieces:
            if isinstance(piece, bytes):
                yield piece
                continue
            offset, length = piece
            for at in range(offset, offset + length, STEP):
                yield self.source.read(at, min(STEP, offset + length - at))

    def _moved(self, struct: bytes) -> bytes:
        """Append one row group."""
        group, start = Fields(struct), self.size
        if wire.ROW_GROUP_COLUMNS not in group.places:
            raise wire_error(wire.MISSING_FIELD, 0, wire.ROW_GROUP_COLUMNS)
        chunks = [MovedChunk(chunk) for chunk in structs(struct, group.places[wire.ROW_GROUP_COLUMNS][0])]
        for chunk in chunks:
            chunk.move_pages(self._take((chunk.begin, chunk.size)))
            if (position := chunk.bloom_filter(self.source)) is not None:
                chunk.move_bloom_filter(self._take(position))
        for chunk in chunks:
            if chunk.column_index is not None:
                chunk.move_column_index(self._take(chunk.column_index))
            if chunk.offset_index is not None:
                index = chunk.shifted(self.source.read(*chunk.offset_index))
                chunk.move_offset_index(self._take(index), len(index))
        group.put(wire.ROW_GROUP_COLUMNS, struct_list([chunk.to_bytes() for chunk in chunks]))
        group.put(wire.ROW_GROUP_FILE_OFFSET, start)
        return group.to_bytes()

    def _take(self, piece: tuple[int, int] | bytes) -> int:
        """Append bytes, or a range of the old file; return their new offset."""
        at, length = self.size, len(piece) if isinstance(piece, bytes) else piece[1]
        last = self._pieces[-1] if self._pieces else b""
        if isinstance(piece, tuple) and isinstance(last, tuple) and sum(last) == piece[0]:
            self._pieces[-1] = (last[0], last[1] + length)
        else:
            self._pieces.append(piece)
        self.size += length
        return at
