"""Read one ColumnChunk of a Thrift footer into the members of pqx_chunk and pqx_places."""

from __future__ import annotations

from collections.abc import Mapping

from .. import wire
from . import varint
from .thrift import Walk

__all__ = ["ChunkReader"]

LARGEST_IN_MASK = 31

# Field -> (compact type, member), and the presence bit of a member.
CHUNK_FIELDS = {
    wire.COLUMN_CHUNK_FILE_PATH: (wire.TYPE_BINARY, "file_path"),
    wire.COLUMN_CHUNK_FILE_OFFSET: (wire.TYPE_I64, "file_offset"),
    wire.COLUMN_CHUNK_OFFSET_INDEX_OFFSET: (wire.TYPE_I64, "offset_index_offset"),
    wire.COLUMN_CHUNK_OFFSET_INDEX_LENGTH: (wire.TYPE_I32, "offset_index_length"),
    wire.COLUMN_CHUNK_COLUMN_INDEX_OFFSET: (wire.TYPE_I64, "column_index_offset"),
    wire.COLUMN_CHUNK_COLUMN_INDEX_LENGTH: (wire.TYPE_I32, "column_index_length"),
    wire.COLUMN_CHUNK_CRYPTO_METADATA: (wire.TYPE_STRUCT, "crypto"),
    wire.COLUMN_CHUNK_ENCRYPTED_COLUMN_METADATA: (wire.TYPE_BINARY, "crypto"),
}
CHUNK_PRESENT = {
    "file_path_offset": wire.PRESENT_FILE_PATH,
    "file_offset": wire.PRESENT_FILE_OFFSET,
    "offset_index_offset": wire.PRESENT_OFFSET_INDEX,
    "column_index_offset": wire.PRESENT_COLUMN_INDEX,
    "crypto_offset": wire.PRESENT_CRYPTO,
}
METADATA_FIELDS = {
    wire.COLUMN_META_DATA_TYPE: (wire.TYPE_I32, "type"),
    wire.COLUMN_META_DATA_PATH_IN_SCHEMA: (wire.TYPE_LIST, "path_in_schema"),
    wire.COLUMN_META_DATA_CODEC: (wire.TYPE_I32, "codec"),
    wire.COLUMN_META_DATA_NUM_VALUES: (wire.TYPE_I64, "num_values"),
    wire.COLUMN_META_DATA_TOTAL_UNCOMPRESSED_SIZE: (wire.TYPE_I64, "total_uncompressed_size"),
    wire.COLUMN_META_DATA_TOTAL_COMPRESSED_SIZE: (wire.TYPE_I64, "total_compressed_size"),
    wire.COLUMN_META_DATA_KEY_VALUE_METADATA: (wire.TYPE_LIST, "key_values"),
    wire.COLUMN_META_DATA_DATA_PAGE_OFFSET: (wire.TYPE_I64, "data_page_offset"),
    wire.COLUMN_META_DATA_INDEX_PAGE_OFFSET: (wire.TYPE_I64, "index_page_offset"),
    wire.COLUMN_META_DATA_DICTIONARY_PAGE_OFFSET: (wire.TYPE_I64, "dictionary_page_offset"),
    wire.COLUMN_META_DATA_BLOOM_FILTER_OFFSET: (wire.TYPE_I64, "bloom_filter_offset"),
    wire.COLUMN_META_DATA_BLOOM_FILTER_LENGTH: (wire.TYPE_I32, "bloom_filter_length"),
}
METADATA_PRESENT = {
    "type": wire.PRESENT_TYPE,
    "path_in_schema_offset": wire.PRESENT_PATH_IN_SCHEMA,
    "codec": wire.PRESENT_CODEC,
    "num_values": wire.PRESENT_NUM_VALUES,
    "total_uncompressed_size": wire.PRESENT_TOTAL_UNCOMPRESSED_SIZE,
    "total_compressed_size": wire.PRESENT_TOTAL_COMPRESSED_SIZE,
    "key_values_offset": wire.PRESENT_KEY_VALUES,
    "data_page_offset": wire.PRESENT_DATA_PAGE_OFFSET,
    "index_page_offset": wire.PRESENT_INDEX_PAGE_OFFSET,
    "dictionary_page_offset": wire.PRESENT_DICTIONARY_PAGE_OFFSET,
    "bloom_filter_offset": wire.PRESENT_BLOOM_FILTER_OFFSET,
    "bloom_filter_length": wire.PRESENT_BLOOM_FILTER_LENGTH,
}
STATISTICS_FIELDS = {
    wire.STATISTICS_MAX: (wire.TYPE_BINARY, "max"),
    wire.STATISTICS_MIN: (wire.TYPE_BINARY, "min"),
    wire.STATISTICS_NULL_COUNT: (wire.TYPE_I64, "null_count"),
    wire.STATISTICS_DISTINCT_COUNT: (wire.TYPE_I64, "distinct_count"),
    wire.STATISTICS_MAX_VALUE: (wire.TYPE_BINARY, "max_value"),
    wire.STATISTICS_MIN_VALUE: (wire.TYPE_BINARY, "min_value"),
}
STATISTICS_PRESENT = {
    "max_offset": wire.PRESENT_MAX,
    "min_offset": wire.PRESENT_MIN,
    "null_count": wire.PRESENT_NULL_COUNT,
    "distinct_count": wire.PRESENT_DISTINCT_COUNT,
    "max_value_offset": wire.PRESENT_MAX_VALUE,
    "min_value_offset": wire.PRESENT_MIN_VALUE,
}
# Field -> (bit: it is present, bit: it is true).
BOOLEANS = (wire.TYPE_TRUE, wire.TYPE_FALSE)
EXACTNESS = {
    wire.STATISTICS_IS_MAX_VALUE_EXACT: (wire.PRESENT_MAX_EXACT_SET, wire.PRESENT_MAX_EXACT),
    wire.STATISTICS_IS_MIN_VALUE_EXACT: (wire.PRESENT_MIN_EXACT_SET, wire.PRESENT_MIN_EXACT),
}
ENCODING_STATS_FIELDS = {
    wire.PAGE_ENCODING_STATS_PAGE_TYPE: (wire.TYPE_I32, "page_type"),
    wire.PAGE_ENCODING_STATS_ENCODING: (wire.TYPE_I32, "encoding"),
}

# The nesting depth of a field of each struct, which reduces the depth allowed for its content.
IN_CHUNK, IN_METADATA, IN_STATISTICS, IN_PAGE_ENCODING_STATS = 5, 6, 7, 8

Fields = Mapping[int, tuple[int, str]]
Members = dict[str, int]


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
        """Store a field in `facts`; skip it if it is unknown, or if its type differs from the expected one."""
        expected, name = fields.get(id, (0, ""))
        if type != expected:
            return self.walk.skip(at, type, depth)
        if type in (wire.TYPE_I16, wire.TYPE_I32, wire.TYPE_I64):
            statistics[name], end = self.number(type, at)
        elif type == wire.TYPE_BINARY:
            statistics[f"{name}_offset"], statistics[f"{name}_length"], end = self.binary(at)
        else:
            end = self.walk.skip(at, type, depth)
            statistics[f"{name}_offset"], statistics[f"{name}_length"] = at, end - at
        return end

    def struct(self, start: int, fields: Fields, statistics: Members, depth: int) -> tuple[Members, int]:
        """Add the known fields of a struct and its range (``bytes``) to `facts`; return them and the end offset."""
        id, at = 0, start
        while True:
            id, type, at = self.walk.field_header(at, id)
            if type == 0:
                return statistics | {"bytes_offset": start, "bytes_length": at - start}, at
            at = self.field(id, type, at, fields, statistics, depth)

    # ---- a chunk

    def chunk(self, start: int) -> tuple[Members, int]:
        """Return the members of the ColumnChunk at `start`, and the offset after it."""
        fields, metadata = {}, {}
        id, at = 0, start
        while True:
            id, type, at = self.walk.field_header(at, id)
            if type == 0:
                break
            if (id, type) == (wire.COLUMN_CHUNK_META_DATA, wire.TYPE_STRUCT):
                metadata, at = self.metadata(at)
            else:
                at = self.field(id, type, at, CHUNK_FIELDS, fields, IN_CHUNK)
        present = metadata.get("present", 0) | presence(fields, CHUNK_PRESENT)
        return metadata | fields | {"present": present, "chunk_offset": start, "chunk_length": at - start}, at

    def metadata(self, start: int) -> tuple[Members, int]:
        fields, statistics, encodings, stats = {}, {}, set(), None
        id, at = 0, start
        while True:
            id, type, at = self.walk.field_header(at, id)
            if type == 0:
                break
            if (id, type) == (wire.COLUMN_META_DATA_STATISTICS, wire.TYPE_STRUCT):
                statistics, at = self.statistics(at)
            elif (id, type) == (wire.COLUMN_META_DATA_ENCODINGS, wire.TYPE_LIST):
                encodings, at = self.encodings(at, encodings)
            elif (id, type) == (wire.COLUMN_META_DATA_ENCODING_STATS, wire.TYPE_LIST):
                stats, at = self.data_page_encodings(at, stats)
            else:
                at = self.field(id, type, at, METADATA_FIELDS, fields, IN_METADATA)
        present = wire.PRESENT_METADATA | presence(fields, METADATA_PRESENT) | statistics.get("present", 0)
        if is_fully_dictionary_encoded(encodings, stats):
            present |= wire.PRESENT_FULLY_DICTIONARY_ENCODED
        fields["encodings"] = sum(1 << encoding for encoding in encodings if 0 <= encoding <= LARGEST_IN_MASK)
        return statistics | fields | {"present": present, "metadata_offset": start, "metadata_length": at - start}, at

    def statistics(self, start: int) -> tuple[Members, int]:
        fields, exactness = {}, {}
        id, at = 0, start
        while True:
            id, type, at = self.walk.field_header(at, id)
            if type == 0:
                break
            if id in EXACTNESS and type in BOOLEANS:
                said, exact = EXACTNESS[id]
                exactness[id] = said | (exact if type == wire.TYPE_TRUE else 0)
            else:
                at = self.field(id, type, at, STATISTICS_FIELDS, fields, IN_STATISTICS)
        present = wire.PRESENT_STATISTICS | presence(fields, STATISTICS_PRESENT) | sum(exactness.values())
        return fields | {"present": present, "statistics_offset": start, "statistics_length": at - start}, at

    def encodings(self, at: int, before: set[int]) -> tuple[set[int], int]:
        count, at = self.list_of(at, wire.TYPE_I32, IN_METADATA)
        if count is None:
            return before, at
        encodings = set()
        for _ in range(count):
            encoding, at = self.number(wire.TYPE_I32, at)
            encodings.add(encoding)
        return encodings, at

    def data_page_encodings(self, at: int, before: set[int] | None) -> tuple[set[int] | None, int]:
        """Return the encodings of the data pages in encoding_stats."""
        count, at = self.list_of(at, wire.TYPE_STRUCT, IN_METADATA)
        if count is None:
            return before, at
        encodings = set()
        for _ in range(count):
            fields, at = self.struct(at, ENCODING_STATS_FIELDS, {}, IN_PAGE_ENCODING_STATS)
            if fields.get("page_type") in (wire.PAGE_DATA_PAGE, wire.PAGE_DATA_PAGE_V2):
                encodings.add(fields.get("encoding"))
        return encodings, at


def presence(fields: Members, bits: Mapping[str, int]) -> int:
    return sum(bit for name, bit in bits.items() if name in fields)


def is_fully_dictionary_encoded(encodings: set[int], of_data_pages: set[int] | None) -> bool:
    """Decide by encoding_stats; if absent, by the encodings, which must leave only dictionaries for the data pages."""
    if of_data_pages is not None:
        return bool(of_data_pages) and of_data_pages <= {wire.ENCODING_PLAIN_DICTIONARY, wire.ENCODING_RLE_DICTIONARY}
    return encodings - {wire.ENCODING_RLE, wire.ENCODING_BIT_PACKED} == {wire.ENCODING_PLAIN_DICTIONARY}
