"""Read one ColumnChunk of a Thrift footer into the members of pqx_chunk and pqx_places."""

from __future__ import annotations

from collections.abc import Mapping

from .. import wire
from . import varint
from .thrift import BOOLEANS, Walk

LARGEST_IN_MASK = 31

RANGES = (wire.TYPE_BINARY, wire.TYPE_LIST, wire.TYPE_STRUCT)  # their members are an offset and a length

Fields = Mapping[int, tuple[int, str]]
Members = dict[str, int]
Encodings = set[int | None]


def fields_of(struct: str, /, **names: str) -> dict[int, tuple[int, str]]:
    """Return a mapping from field id to (compact type, member).

    Each keyword is the type of the fields in its text, which are separated by spaces; ``field=member`` is a field whose
    member has another name.
    """
    pairs = ((type, *field.partition("=")) for type, text in names.items() for field in text.split())
    return {
        getattr(wire, f"{struct}_{field.upper()}"): (getattr(wire, f"TYPE_{type.upper()}"), member or field)
        for type, field, _, member in pairs
    }


def presence_of(fields: Fields) -> dict[str, int]:
    """Return the presence bits of the members of these fields."""
    return {
        f"{name}_offset" if type in RANGES else name: getattr(wire, f"PRESENT_{name.upper()}")
        for type, name in fields.values()
    }


CHUNK_FIELDS = fields_of(
    "COLUMN_CHUNK",
    binary="file_path encrypted_column_metadata=crypto",
    struct="crypto_metadata=crypto",
    i64="file_offset offset_index_offset column_index_offset",
    i32="offset_index_length column_index_length",
)
CHUNK_PRESENT = {
    "file_path_offset": wire.PRESENT_FILE_PATH,
    "file_offset": wire.PRESENT_FILE_OFFSET,
    "offset_index_offset": wire.PRESENT_OFFSET_INDEX,
    "column_index_offset": wire.PRESENT_COLUMN_INDEX,
    "crypto_offset": wire.PRESENT_CRYPTO,
}
METADATA_FIELDS = fields_of(
    "COLUMN_META_DATA",
    i32="type codec bloom_filter_length",
    i64="num_values total_uncompressed_size total_compressed_size data_page_offset index_page_offset"
    " dictionary_page_offset bloom_filter_offset",
    list="path_in_schema key_value_metadata=key_values",
)
METADATA_PRESENT = presence_of(METADATA_FIELDS)
STATISTICS_FIELDS = fields_of("STATISTICS", binary="max min max_value min_value", i64="null_count distinct_count")
STATISTICS_PRESENT = presence_of(STATISTICS_FIELDS) | {
    "is_max_value_exact": wire.PRESENT_MAX_EXACT_SET,
    "is_min_value_exact": wire.PRESENT_MIN_EXACT_SET,
}
STATISTICS_FIELDS |= fields_of("STATISTICS", true="is_max_value_exact is_min_value_exact")
EXACT = {"is_max_value_exact": wire.PRESENT_MAX_EXACT, "is_min_value_exact": wire.PRESENT_MIN_EXACT}
ENCODING_STATS_FIELDS = fields_of("PAGE_ENCODING_STATS", i32="page_type encoding")

# The nesting depth of a field of each struct, which reduces the depth allowed for its content.
IN_CHUNK, IN_METADATA, IN_STATISTICS, IN_PAGE_ENCODING_STATS = 5, 6, 7, 8


class ChunkReader:
    """A reader of Thrift structs that stores their fields as members, by tables of fields."""

    def __init__(self, data: memoryview):
        self.data, self.walk = data, Walk(data, 0, wire.MAX_DEPTH)

    # ---- values

    def number(self, type: int, at: int) -> tuple[int, int]:
        """Return a zigzag integer and the offset after it."""
        value, end = (varint.decode64 if type == wire.TYPE_I64 else varint.decode32)(self.data, at)
        return varint.zigzag_decode(value), end

    def binary(self, at: int) -> tuple[int, int, int]:
        """Return (offset, length, offset after it) of a binary value's bytes."""
        end = self.walk.skip(at, wire.TYPE_BINARY, 0)
        length, offset = varint.decode32(self.data, at)
        return offset, length, end

    def list_of(self, at: int, type: int, depth: int) -> tuple[int | None, int]:
        """Return (count, offset of the first item), or (None, the list's end) if the items have another type."""
        found, count, first = self.walk.list_header(at)
        if count and found != type:
            return None, self.walk.skip(at, wire.TYPE_LIST, depth)
        return count, first

    def field(self, id: int, type: int, at: int, fields: Fields, statistics: Members, depth: int) -> int:
        """Store a field in `statistics`; skip it if it is unknown, or if its type differs from the expected one."""
        expected, name = fields.get(id, (0, ""))
        if type in BOOLEANS and expected in BOOLEANS:
            statistics[name], end = type == wire.TYPE_TRUE, at
        elif type != expected:
            end = self.walk.skip(at, type, depth)
        elif type in (wire.TYPE_I16, wire.TYPE_I32, wire.TYPE_I64):
            statistics[name], end = self.number(type, at)
        elif type == wire.TYPE_BINARY:
            statistics[f"{name}_offset"], statistics[f"{name}_length"], end = self.binary(at)
        else:
            end = self.walk.skip(at, type, depth)
            statistics[f"{name}_offset"], statistics[f"{name}_length"] = at, end - at
        return end

    def struct(
        self, start: int, fields: Fields, statistics: Members, depth: int, range: str = "bytes"
    ) -> tuple[Members, int]:
        """Add the known fields of a struct and its range to `statistics`; return them and the end."""
        end = self.walk.each(start, lambda id, type, at: self.field(id, type, at, fields, statistics, depth))
        return statistics | {f"{range}_offset": start, f"{range}_length": end - start}, end

    # ---- a chunk

    def chunk(self, start: int) -> tuple[Members, int]:
        """Return the members of the ColumnChunk at `start`, and the offset after it."""
        fields: dict[str, int] = {}
        metadata: dict[str, int] = {}

        def read(id: int, type: int, at: int) -> int:
            nonlocal metadata
            if (id, type) != (wire.COLUMN_CHUNK_META_DATA, wire.TYPE_STRUCT):
                return self.field(id, type, at, CHUNK_FIELDS, fields, IN_CHUNK)
            metadata, at = self.metadata(at)
            return at

        end = self.walk.each(start, read)
        present = metadata.get("present", 0) | presence(fields, CHUNK_PRESENT)
        return metadata | fields | {"present": present, "chunk_offset": start, "chunk_length": end - start}, end

    def metadata(self, start: int) -> tuple[Members, int]:
        stats = None
        fields: dict[str, int] = {}
        statistics: dict[str, int] = {}
        encodings: set[int] = set()

        def read(id: int, type: int, at: int) -> int:
            nonlocal statistics, encodings, stats
            if (id, type) == (wire.COLUMN_META_DATA_STATISTICS, wire.TYPE_STRUCT):
                statistics, at = self.statistics(at)
            elif (id, type) == (wire.COLUMN_META_DATA_ENCODINGS, wire.TYPE_LIST):
                encodings, at = self.encodings(at, encodings)
            elif (id, type) == (wire.COLUMN_META_DATA_ENCODING_STATS, wire.TYPE_LIST):
                stats, at = self.data_page_encodings(at, stats)
            else:
                at = self.field(id, type, at, METADATA_FIELDS, fields, IN_METADATA)
            return at

        end = self.walk.each(start, read)
        present = wire.PRESENT_METADATA | presence(fields, METADATA_PRESENT) | statistics.get("present", 0)
        if is_fully_dictionary_encoded(encodings, stats):
            present |= wire.PRESENT_FULLY_DICTIONARY_ENCODED
        fields["encodings"] = sum(1 << encoding for encoding in encodings if 0 <= encoding <= LARGEST_IN_MASK)
        return statistics | fields | {"present": present, "metadata_offset": start, "metadata_length": end - start}, end

    def statistics(self, start: int, depth: int = IN_STATISTICS) -> tuple[Members, int]:
        """Return the members of the Statistics at `start`, whose fields are at a depth, and the offset after it."""
        fields, end = self.struct(start, STATISTICS_FIELDS, {}, depth, "statistics")
        exact = sum(bit for name, bit in EXACT.items() if fields.get(name))
        return fields | {"present": wire.PRESENT_STATISTICS | presence(fields, STATISTICS_PRESENT) | exact}, end

    def encodings(self, at: int, before: set[int]) -> tuple[set[int], int]:
        count, at = self.list_of(at, wire.TYPE_I32, IN_METADATA)
        if count is None:
            return before, at
        encodings = set()
        for _ in range(count):
            encoding, at = self.number(wire.TYPE_I32, at)
            encodings.add(encoding)
        return encodings, at

    def data_page_encodings(self, at: int, before: Encodings | None) -> tuple[Encodings | None, int]:
        """Return the encodings of the data pages in encoding_stats; None is that of an item without one."""
        count, at = self.list_of(at, wire.TYPE_STRUCT, IN_METADATA)
        if count is None:
            return before, at
        encodings: Encodings = set()
        for _ in range(count):
            fields, at = self.struct(at, ENCODING_STATS_FIELDS, {}, IN_PAGE_ENCODING_STATS)
            if fields.get("page_type") in (wire.PAGE_DATA_PAGE, wire.PAGE_DATA_PAGE_V2):
                encodings.add(fields.get("encoding"))
        return encodings, at


def presence(fields: Members, bits: Mapping[str, int]) -> int:
    return sum(bit for name, bit in bits.items() if name in fields)


def is_fully_dictionary_encoded(encodings: set[int], of_data_pages: Encodings | None) -> bool:
    """Decide by encoding_stats; if absent, by the encodings, which must leave only dictionaries for the data pages."""
    if of_data_pages is not None:
        return bool(of_data_pages) and of_data_pages <= {wire.ENCODING_PLAIN_DICTIONARY, wire.ENCODING_RLE_DICTIONARY}
    return encodings - {wire.ENCODING_RLE, wire.ENCODING_BIT_PACKED} == {wire.ENCODING_PLAIN_DICTIONARY}
