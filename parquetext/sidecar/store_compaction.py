"""The live part of a Parquet file as a file of its own: bytes are copied as they are, only their places change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .. import kernels, wire
from ..errors import Unsupported, wire_error
from ..pruning.bloom import read_header
from ..storage import LocalSource
from ..thrift import values
from .store_rows import MAGIC, list_header, row_groups_of, structs, with_row_groups

__all__ = ["Compacted", "is_due"]

LARGEST_RATIO = 0.5  # of a file that may be dead (cairo.partition.encoder.parquet.o3.rewrite.unused.ratio)
LARGEST_DEAD = 1 << 30  # bytes (…rewrite.unused.max.bytes)
STEP = 8 << 20
BLOOM_HEADER_BYTES = 64  # and more than it has
DATA, DICTIONARY = wire.COLUMN_META_DATA_DATA_PAGE_OFFSET, wire.COLUMN_META_DATA_DICTIONARY_PAGE_OFFSET
PAGES = (DATA, wire.COLUMN_META_DATA_INDEX_PAGE_OFFSET, DICTIONARY)


def is_due(dead: int, size: int) -> bool:
    """Whether a file of `size` bytes, `dead` of which nobody needs, is worth writing anew; as QuestDB decides it."""
    return dead > size * LARGEST_RATIO or dead > LARGEST_DEAD


class Fields:
    """A Thrift struct whose values are read as integers, and replaced where they stand."""

    def __init__(self, data: bytes):
        self.data = data
        self.places = {id: (start, end) for id, _, _, start, end in kernels.thrift.fields(data)}
        self._new: dict[int, bytes] = {}

    def number(self, id: int) -> int:
        """An integer; 0 where there is none."""
        if id not in self.places:
            return 0
        return kernels.varint.zigzag_decode(kernels.varint.decode64(self.data, self.places[id][0])[0])

    def put(self, id: int, value: int | bytes) -> None:
        """Another value in a field that is there: an integer, or a value's bytes."""
        if isinstance(value, int):
            value = kernels.varint.encode(kernels.varint.zigzag_encode(value))
        self._new[id] = value

    def to_bytes(self) -> bytes:
        out, begin = [], 0
        for id, (start, end) in self.places.items():
            if id in self._new:
                out += [self.data[begin:start], self._new[id]]
                begin = end
        return b"".join((*out, self.data[begin:]))


@dataclass(slots=True)
class Compacted:
    """A file's row groups moved together.

    Of each row group its chunks come first, each with its Bloom filter and its page indexes behind all of them.

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

    def _moved(self, struct: bytes) -> bytes:
        """One row group, behind what is there."""
        group, start = Fields(struct), self.size
        if wire.ROW_GROUP_COLUMNS not in group.places:
            raise wire_error(wire.MISSING_FIELD, 0, wire.ROW_GROUP_COLUMNS)
        chunks = [Fields(chunk) for chunk in structs(struct, group.places[wire.ROW_GROUP_COLUMNS][0])]
        shifts = [self._move_pages(chunk) for chunk in chunks]
        for chunk, shift in zip(chunks, shifts, strict=True):
            self._move_indexes(chunk, shift)
        moved = b"".join((list_header(len(chunks)), *(chunk.to_bytes() for chunk in chunks)))
        group.put(wire.ROW_GROUP_COLUMNS, moved)
        group.put(wire.ROW_GROUP_FILE_OFFSET, start)
        return group.to_bytes()

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

    def _move_pages(self, chunk: Fields) -> int:
        """How many bytes a chunk's pages move."""
        if wire.COLUMN_CHUNK_META_DATA not in chunk.places or wire.COLUMN_CHUNK_FILE_PATH in chunk.places:
            raise Unsupported("a chunk without metadata, or in another file")
        begin, end = chunk.places[wire.COLUMN_CHUNK_META_DATA]
        metadata = Fields(chunk.data[begin:end])
        first = kernels.chunks.begin(metadata.number(DATA), metadata.number(DICTIONARY))
        shift = self._take((first, metadata.number(wire.COLUMN_META_DATA_TOTAL_COMPRESSED_SIZE))) - first
        for id in PAGES:
            if metadata.number(id) > 0:
                metadata.put(id, metadata.number(id) + shift)
        self._move_bloom(metadata)
        chunk.put(wire.COLUMN_CHUNK_META_DATA, metadata.to_bytes())
        if chunk.number(wire.COLUMN_CHUNK_FILE_OFFSET) > 0:
            chunk.put(wire.COLUMN_CHUNK_FILE_OFFSET, chunk.number(wire.COLUMN_CHUNK_FILE_OFFSET) + shift)
        return shift

    def _move_bloom(self, metadata: Fields) -> None:
        offset, length = (
            metadata.number(id)
            for id in (wire.COLUMN_META_DATA_BLOOM_FILTER_OFFSET, wire.COLUMN_META_DATA_BLOOM_FILTER_LENGTH)
        )
        if offset <= 0:
            return
        if length <= 0:  # older writers leave it to the filter's header
            bits, begin = read_header(self.source.read(offset, min(BLOOM_HEADER_BYTES, self.source.size - offset)))
            length = begin + bits
        metadata.put(wire.COLUMN_META_DATA_BLOOM_FILTER_OFFSET, self._take((offset, length)))

    def _move_indexes(self, chunk: Fields, shift: int) -> None:
        """The column index as it is, the offset index with its pages' places."""
        offset, length = (
            chunk.number(id) for id in (wire.COLUMN_CHUNK_COLUMN_INDEX_OFFSET, wire.COLUMN_CHUNK_COLUMN_INDEX_LENGTH)
        )
        if offset > 0 and length > 0:
            chunk.put(wire.COLUMN_CHUNK_COLUMN_INDEX_OFFSET, self._take((offset, length)))
        offset, length = (
            chunk.number(id) for id in (wire.COLUMN_CHUNK_OFFSET_INDEX_OFFSET, wire.COLUMN_CHUNK_OFFSET_INDEX_LENGTH)
        )
        if offset <= 0 or length <= 0:
            return
        index = values.read("OffsetIndex", self.source.read(offset, length))
        for page in index["page_locations"]:
            page["offset"] += shift
        made = values.write("OffsetIndex", index)
        chunk.put(wire.COLUMN_CHUNK_OFFSET_INDEX_OFFSET, self._take(made))
        chunk.put(wire.COLUMN_CHUNK_OFFSET_INDEX_LENGTH, len(made))
