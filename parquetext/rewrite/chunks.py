"""A column chunk's struct with new offsets for its pages, Bloom filter and page indexes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .. import kernels, wire
from ..errors import Malformed, Unsupported, wire_error
from ..pruning import find_bitset
from .segments import CHUNK, KEPT, OFFSET_INDEX, Claim
from .structs import Fields, struct_list, structs

DATA, DICTIONARY = wire.COLUMN_META_DATA_DATA_PAGE_OFFSET, wire.COLUMN_META_DATA_DICTIONARY_PAGE_OFFSET
PAGES = (DATA, wire.COLUMN_META_DATA_INDEX_PAGE_OFFSET, DICTIONARY)
BLOOM = (wire.COLUMN_META_DATA_BLOOM_FILTER_OFFSET, wire.COLUMN_META_DATA_BLOOM_FILTER_LENGTH)
COLUMN_INDEX_IDS = (wire.COLUMN_CHUNK_COLUMN_INDEX_OFFSET, wire.COLUMN_CHUNK_COLUMN_INDEX_LENGTH)
OFFSET_INDEX_IDS = (wire.COLUMN_CHUNK_OFFSET_INDEX_OFFSET, wire.COLUMN_CHUNK_OFFSET_INDEX_LENGTH)

FIRST_I64 = 1 << 4 | wire.TYPE_I64

Range = tuple[int, int]  # offset, length


class MovedChunk:
    """A ColumnChunk struct in which offsets are patched.

    Parameters
    ----------
    struct : bytes

    Attributes
    ----------
    begin, size : int
        The original offset of the chunk's first page, and the chunk's size in bytes according to the footer.
    column_index, offset_index : (offset, length) or None
        Their original locations.
    shift : int
        The distance in bytes by which the pages have moved.
    metadata : Fields
        Its ColumnMetaData.

    Raises
    ------
    Unsupported
        If the chunk has no metadata, or if its data is in another file.
    """

    def __init__(self, struct: bytes):
        self._chunk, self.shift = Fields(struct), 0
        if wire.COLUMN_CHUNK_META_DATA not in self._chunk.places or wire.COLUMN_CHUNK_FILE_PATH in self._chunk.places:
            raise Unsupported("a chunk without metadata, or in another file")
        begin, end = self._chunk.places[wire.COLUMN_CHUNK_META_DATA]
        self.metadata = Fields(struct[begin:end])
        self.begin = kernels.chunks.begin(self.metadata.number(DATA), self.metadata.number(DICTIONARY))
        self.size = self.metadata.number(wire.COLUMN_META_DATA_TOTAL_COMPRESSED_SIZE)
        self.column_index, self.offset_index = self._index(COLUMN_INDEX_IDS), self._index(OFFSET_INDEX_IDS)

    def bloom_filter(self, source) -> Range | None:
        """Return the original location of the Bloom filter, or None.

        If the footer has no length, read the filter's header.
        """
        offset, length = map(self.metadata.number, BLOOM)
        if offset <= 0:
            return None
        if length <= 0:
            position = find_bitset(source.read, source.size, offset, -1)
            length = position.offset + position.size - offset
        return offset, length

    def _index(self, ids: tuple[int, int]) -> Range | None:
        offset, length = map(self._chunk.number, ids)
        return (offset, length) if offset > 0 and length > 0 else None

    def claims(self, source, row_group: int, leaf: int) -> Iterator[Claim]:
        """Yield the original byte ranges of the chunk, its filter and its page indexes."""
        ranges = (
            (CHUNK, (self.begin, self.size)),
            (OFFSET_INDEX, self.offset_index),
            (KEPT, self.bloom_filter(source)),
            (KEPT, self.column_index),
        )
        for kind, position in ranges:
            if position is not None:
                yield Claim(position[0], sum(position), kind, row_group, leaf)

    def move_pages(self, begin: int) -> None:
        """Set the offset of the first page to `begin`, and shift all page offsets accordingly."""
        self.shift = begin - self.begin
        for fields, ids in ((self.metadata, PAGES), (self._chunk, (wire.COLUMN_CHUNK_FILE_OFFSET,))):
            for id in ids:
                if (offset := fields.number(id)) > 0:
                    fields.put(id, self._moved(offset))

    def move_bloom_filter(self, offset: int) -> None:
        self.metadata.put(BLOOM[0], offset)

    def move_column_index(self, offset: int) -> None:
        self._chunk.put(COLUMN_INDEX_IDS[0], offset)

    def move_offset_index(self, offset: int, length: int) -> None:
        """Set the location of the offset index that `shifted` returned."""
        self._chunk.put(OFFSET_INDEX_IDS[0], offset)
        self._chunk.put(OFFSET_INDEX_IDS[1], length)

    def shifted(self, offset_index: bytes) -> bytes:
        """Return the chunk's offset index with the new offsets of its pages."""
        fields = Fields(offset_index)
        position = fields.places.get(wire.OFFSET_INDEX_PAGE_LOCATIONS)
        if position is None:
            raise wire_error(wire.MISSING_FIELD, 0, wire.OFFSET_INDEX_PAGE_LOCATIONS)
        locations = [self._shifted_location(location) for location in structs(offset_index, position[0])]
        fields.put(wire.OFFSET_INDEX_PAGE_LOCATIONS, struct_list(locations))
        return fields.to_bytes()

    def _shifted_location(self, location: bytes) -> bytes:
        if location[0] == FIRST_I64:  # the field order that writers use
            offset, end = kernels.varint.decode64(location, 1)
            moved = kernels.varint.zigzag_encode(self._moved(kernels.varint.zigzag_decode(offset)))
            return b"".join((location[:1], kernels.varint.encode(moved), location[end:]))
        fields = Fields(location)
        fields.put(wire.PAGE_LOCATION_OFFSET, self._moved(fields.number(wire.PAGE_LOCATION_OFFSET)))
        return fields.to_bytes()

    def _moved(self, offset: int) -> int:
        """Return the new offset of a page; raise Malformed if it does not fit into 64 bits."""
        if not 0 <= offset + self.shift < 1 << 63:
            raise Malformed(f"a page at {offset} of a column chunk that begins at {self.begin}")
        return offset + self.shift

    def to_bytes(self, metadata: bytes | None = None) -> bytes:
        """Return the patched struct; if `metadata` is given, it replaces the ColumnMetaData."""
        self._chunk.put(wire.COLUMN_CHUNK_META_DATA, self.metadata.to_bytes() if metadata is None else metadata)
        return self._chunk.to_bytes()


def moved_group(group: Fields, chunks: Sequence[MovedChunk], structs: Iterable[bytes]) -> bytes:
    """Return a row group's struct with moved chunks, whose structs are `structs`."""
    group.put(wire.ROW_GROUP_COLUMNS, struct_list(list(structs)))
    if group.number(wire.ROW_GROUP_FILE_OFFSET) > 0 and chunks:
        group.put(wire.ROW_GROUP_FILE_OFFSET, chunks[0].begin + chunks[0].shift)
    return group.to_bytes()
