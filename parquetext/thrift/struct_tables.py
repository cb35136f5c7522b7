"""parquet.thrift's structs and unions as tables: field id, name and type."""

from __future__ import annotations

# name: {id: (name, type)}; a type is a Thrift base type, "list<...>" of one, or another struct's name. Enums are i32.
_TEXT = """
FileMetaData: 1 version i32, 2 schema list<SchemaElement>, 3 num_rows i64, 4 row_groups list<RowGroup>,
    5 key_value_metadata list<KeyValue>, 6 created_by string, 7 column_orders list<ColumnOrder>,
    8 encryption_algorithm EncryptionAlgorithm, 9 footer_signing_key_metadata binary
SchemaElement: 1 type i32, 2 type_length i32, 3 repetition_type i32, 4 name string, 5 num_children i32,
    6 converted_type i32, 7 scale i32, 8 precision i32, 9 field_id i32, 10 logicalType LogicalType
RowGroup: 1 columns list<ColumnChunk>, 2 total_byte_size i64, 3 num_rows i64, 4 sorting_columns list<SortingColumn>,
    5 file_offset i64, 6 total_compressed_size i64, 7 ordinal i16
SortingColumn: 1 column_idx i32, 2 descending bool, 3 nulls_first bool
KeyValue: 1 key string, 2 value string
ColumnChunk: 1 file_path string, 2 file_offset i64, 3 meta_data ColumnMetaData, 4 offset_index_offset i64,
    5 offset_index_length i32, 6 column_index_offset i64, 7 column_index_length i32,
    8 crypto_metadata ColumnCryptoMetaData, 9 encrypted_column_metadata binary
ColumnMetaData: 1 type i32, 2 encodings list<i32>, 3 path_in_schema list<string>, 4 codec i32, 5 num_values i64,
    6 total_uncompressed_size i64, 7 total_compressed_size i64, 8 key_value_metadata list<KeyValue>,
    9 data_page_offset i64, 10 index_page_offset i64, 11 dictionary_page_offset i64, 12 statistics Statistics,
    13 encoding_stats list<PageEncodingStats>, 14 bloom_filter_offset i64, 15 bloom_filter_length i32,
    16 size_statistics SizeStatistics, 17 geospatial_statistics GeospatialStatistics
Statistics: 1 max binary, 2 min binary, 3 null_count i64, 4 distinct_count i64, 5 max_value binary, 6 min_value binary,
    7 is_max_value_exact bool, 8 is_min_value_exact bool, 9 nan_count i64
PageEncodingStats: 1 page_type i32, 2 encoding i32, 3 count i32
SizeStatistics: 1 unencoded_byte_array_data_bytes i64, 2 repetition_level_histogram list<i64>,
    3 definition_level_histogram list<i64>
GeospatialStatistics: 1 bbox BoundingBox, 2 geospatial_types list<i32>
BoundingBox: 1 xmin double, 2 xmax double, 3 ymin double, 4 ymax double, 5 zmin double, 6 zmax double, 7 mmin double,
    8 mmax double
ColumnOrder: 1 TYPE_ORDER Empty, 2 IEEE_754_TOTAL_ORDER Empty, 3 INT96_TIMESTAMP_ORDER Empty
LogicalType: 1 STRING Empty, 2 MAP Empty, 3 LIST Empty, 4 ENUM Empty, 5 DECIMAL DecimalType, 6 DATE Empty,
    7 TIME TimeType, 8 TIMESTAMP TimestampType, 10 INTEGER IntType, 11 UNKNOWN Empty, 12 JSON Empty, 13 BSON Empty,
    14 UUID Empty, 15 FLOAT16 Empty, 16 VARIANT VariantType, 17 GEOMETRY GeometryType, 18 GEOGRAPHY GeographyType,
    19 FILE Empty
DecimalType: 1 scale i32, 2 precision i32
TimeType: 1 isAdjustedToUTC bool, 2 unit TimeUnit
TimestampType: 1 isAdjustedToUTC bool, 2 unit TimeUnit
TimeUnit: 1 MILLIS Empty, 2 MICROS Empty, 3 NANOS Empty
IntType: 1 bitWidth i8, 2 isSigned bool
VariantType: 1 specification_version i8
GeometryType: 1 crs string
GeographyType: 1 crs string, 2 algorithm i32
Empty:
PageHeader: 1 type i32, 2 uncompressed_page_size i32, 3 compressed_page_size i32, 4 crc i32,
    5 data_page_header DataPageHeader, 6 index_page_header Empty, 7 dictionary_page_header DictionaryPageHeader,
    8 data_page_header_v2 DataPageHeaderV2
DataPageHeader: 1 num_values i32, 2 encoding i32, 3 definition_level_encoding i32, 4 repetition_level_encoding i32,
    5 statistics Statistics
DictionaryPageHeader: 1 num_values i32, 2 encoding i32, 3 is_sorted bool
DataPageHeaderV2: 1 num_values i32, 2 num_nulls i32, 3 num_rows i32, 4 encoding i32,
    5 definition_levels_byte_length i32, 6 repetition_levels_byte_length i32, 7 is_compressed bool,
    8 statistics Statistics
PageLocation: 1 offset i64, 2 compressed_page_size i32, 3 first_row_index i64
OffsetIndex: 1 page_locations list<PageLocation>, 2 unencoded_byte_array_data_bytes list<i64>
ColumnIndex: 1 null_pages list<bool>, 2 min_values list<binary>, 3 max_values list<binary>, 4 boundary_order i32,
    5 null_counts list<i64>, 6 repetition_level_histograms list<i64>, 7 definition_level_histograms list<i64>,
    8 nan_counts list<i64>
BloomFilterHeader: 1 numBytes i32, 2 algorithm BloomFilterAlgorithm, 3 hash BloomFilterHash,
    4 compression BloomFilterCompression
BloomFilterAlgorithm: 1 BLOCK Empty
BloomFilterHash: 1 XXHASH Empty
BloomFilterCompression: 1 UNCOMPRESSED Empty
EncryptionAlgorithm: 1 AES_GCM_V1 AesGcmV1, 2 AES_GCM_CTR_V1 AesGcmCtrV1
AesGcmV1: 1 aad_prefix binary, 2 aad_file_unique binary, 3 supply_aad_prefix bool
AesGcmCtrV1: 1 aad_prefix binary, 2 aad_file_unique binary, 3 supply_aad_prefix bool
ColumnCryptoMetaData: 1 ENCRYPTION_WITH_FOOTER_KEY Empty, 2 ENCRYPTION_WITH_COLUMN_KEY EncryptionWithColumnKey
EncryptionWithColumnKey: 1 path_in_schema list<string>, 2 key_metadata binary
FileCryptoMetaData: 1 encryption_algorithm EncryptionAlgorithm, 2 key_metadata binary
"""


def _parse(text: str) -> dict[str, dict[int, tuple[str, str]]]:
    structs = {}
    for line in text.replace("\n    ", " ").strip().splitlines():
        name, _, body = line.partition(":")
        fields = (field.split() for field in body.split(",") if field.strip())
        structs[name] = {int(id): (field, type) for id, field, type in fields}
    return structs


STRUCTS = _parse(_TEXT)
