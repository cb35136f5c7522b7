/* Generated from csrc/tables/wire.toml by csrc/tables/generate.py. Do not edit. */
#ifndef PQX_WIRE_H
#define PQX_WIRE_H

#include <stdint.h>

#define PQX_TYPE_TRUE 1
#define PQX_TYPE_FALSE 2
#define PQX_TYPE_BYTE 3
#define PQX_TYPE_I16 4
#define PQX_TYPE_I32 5
#define PQX_TYPE_I64 6
#define PQX_TYPE_DOUBLE 7
#define PQX_TYPE_BINARY 8
#define PQX_TYPE_LIST 9
#define PQX_TYPE_SET 10
#define PQX_TYPE_MAP 11
#define PQX_TYPE_STRUCT 12
#define PQX_TYPE_UUID 13
#define PQX_FLAT_LAYOUT_VERSION 1
#define PQX_FLAT_WRITTEN_LIMIT 16
#define PQX_FLAT_REBUILT_LIMIT 64
#define PQX_FLAT_MOST_TIMES 16
#define PQX_FLAT_MOST_BESIDE 0x400000u
#define PQX_FLAT_CELL_HEADER_BYTES 16
#define PQX_FLAT_RECORD_BYTES 32
#define PQX_FLAT_TAIL_BYTES 72
#define PQX_FLAT_TAIL_GROUP_BYTES 34
#define PQX_FLAT_PART_ROW_GROUPS 64
#define PQX_FLAT_CELL_LEAVES 8
#define PQX_FLAT_SHARED_TABLES 64
#define PQX_FLAT_PAGE_BYTES 256
#define PQX_FLAT_BUCKET_ENTRIES 30
#define PQX_FLAT_BUCKET_FILL 20
#define PQX_FLAT_LIST_ENTRIES 31
#define PQX_FLAT_DIRECTORY_ENTRIES 60
#define PQX_FLAT_POOL_PAGE_BYTES 4096
#define PQX_FLAT_NONE 0xffffffffu
#define PQX_FLAT_LOGICAL_STRING 1
#define PQX_FLAT_LOGICAL_MAP 2
#define PQX_FLAT_LOGICAL_LIST 3
#define PQX_FLAT_LOGICAL_ENUM 4
#define PQX_FLAT_LOGICAL_DECIMAL 5
#define PQX_FLAT_LOGICAL_DATE 6
#define PQX_FLAT_LOGICAL_TIME 7
#define PQX_FLAT_LOGICAL_TIMESTAMP 8
#define PQX_FLAT_LOGICAL_INTEGER 9
#define PQX_FLAT_LOGICAL_UNKNOWN 10
#define PQX_FLAT_LOGICAL_JSON 11
#define PQX_FLAT_LOGICAL_BSON 12
#define PQX_FLAT_LOGICAL_UUID 13
#define PQX_FLAT_LOGICAL_FLOAT16 14
#define PQX_FLAT_LOGICAL_VARIANT 15
#define PQX_FLAT_LOGICAL_GEOMETRY 16
#define PQX_FLAT_LOGICAL_GEOGRAPHY 17
#define PQX_KIND_ROOT 1
#define PQX_KIND_NODE 2
#define PQX_KIND_COLUMN 3
#define PQX_KIND_ROW_GROUPS 4
#define PQX_KIND_KEY_VALUE 5
#define PQX_KIND_POOL 6
#define PQX_KIND_DIRECTORY 7
#define PQX_KIND_BUCKET 8
#define PQX_KIND_EXTENSIONS 9
#define PQX_KIND_EXTENSION 10
#define PQX_OP_VARINT 128
#define PQX_OP_DOUBLE 129
#define PQX_OP_BINARY 130
#define PQX_OP_UUID 131
#define PQX_OP_TYPE 132
#define PQX_OP_PATH 133
#define PQX_OP_CODEC 134
#define PQX_OP_NUM_VALUES 135
#define PQX_OP_TOTAL_UNCOMPRESSED_SIZE 136
#define PQX_OP_TOTAL_COMPRESSED_SIZE 137
#define PQX_OP_DATA_PAGE_OFFSET 138
#define PQX_OP_INDEX_PAGE_OFFSET 139
#define PQX_OP_DICTIONARY_PAGE_OFFSET 140
#define PQX_OP_FIRST_PAGE 141
#define PQX_OP_CHUNK_END 142
#define PQX_OP_NULL_COUNT 143
#define PQX_OP_NON_NULL 144
#define PQX_OP_DISTINCT_COUNT 145
#define PQX_OP_MIN 146
#define PQX_OP_MAX 147
#define PQX_OP_BLOOM_FILTER_OFFSET 148
#define PQX_OP_BLOOM_FILTER_LENGTH 149
#define PQX_OP_OFFSET_INDEX_OFFSET 150
#define PQX_OP_OFFSET_INDEX_LENGTH 151
#define PQX_OP_COLUMN_INDEX_OFFSET 152
#define PQX_OP_COLUMN_INDEX_LENGTH 153
#define PQX_OP_NUM_ROWS 154
#define PQX_OP_TOTAL_BYTE_SIZE 155
#define PQX_OP_FILE_OFFSET 156
#define PQX_OP_GROUP_COMPRESSED_SIZE 157
#define PQX_OP_ORDINAL 158
#define PQX_OP_CHUNKS 159
#define PQX_OP_VERSION 160
#define PQX_OP_ALL_ROWS 161
#define PQX_OP_ELEMENTS 162
#define PQX_OP_ROW_GROUPS 163
#define PQX_OP_KEY 164
#define PQX_OP_VALUE 165
#define PQX_OP_CREATED_BY 166
#define PQX_OP_COLUMN_ORDERS 167
#define PQX_BLOCK_TRAILER_BYTES 28
#define PQX_INDEX_LAYOUT_VERSION 1
#define PQX_INDEX_TAIL_BYTES 52
#define PQX_INDEX_RECORD_BYTES 12
#define PQX_REFERENCE_VERSION 1
#define PQX_REFERENCE_HEAD_BYTES 24
#define PQX_REFERENCE_BLOCK_BYTES 32
#define PQX_REFERENCE_TEXT_LIMIT 4080
#define PQX_PAGE_INDEX_MOST_BYTES 0x4000000u
#define PQX_BOUNDARY_UNORDERED 0
#define PQX_BOUNDARY_ASCENDING 1
#define PQX_BOUNDARY_DESCENDING 2
#define PQX_PARX_CHECKED_BYTES 9
#define PQX_PARX_TAIL_BYTES 17
#define PQX_PARX_ENCRYPTED 1
#define PQX_PARX_PATHS_OMITTED 2
#define PQX_PARX_PREVIEW 4
#define PQX_PACKED_LAYOUT_VERSION 1
#define PQX_PACKED_TAIL_BYTES 52
#define PQX_PACKED_AREA_BYTES 16
#define PQX_PACKED_RECORD_BYTES 12
#define PQX_PACKED_CRC_BYTES 4
#define PQX_PACKED_ELEMENTS_PER_CELL 64
#define PQX_PACKED_ROW_GROUPS_PER_CELL 1024
#define PQX_PACKED_TILE_CHUNKS 1024
#define PQX_PACKED_TILE_COLUMNS 64
#define PQX_PACKED_LEAST_ROW_GROUP 5
#define PQX_PACKED_LEAST_CHUNK 1
#define PQX_PACKED_LIMIT_TIMES 64
#define PQX_PACKED_LIMIT_BESIDE 0x10000u
#define PQX_PACKED_NO_ROLE 255
#define PQX_CELLS_BOOKS 1
#define PQX_CELLS_LEAVES 2
#define PQX_CELLS_NODES 3
#define PQX_CELLS_ROW_GROUPS 4
#define PQX_CELLS_PLACED 5
#define PQX_CELLS_BOUNDS 6
#define PQX_CELLS_TEXTS 7
#define PQX_CELLS_LONG_TEXTS 8
#define PQX_CELLS_PAIRS 9
#define PQX_CELLS_NAMES 10
#define PQX_CELLS_FRAME 11
#define PQX_CELLS_SLOTS 12
#define PQX_STEP_LITERAL 0
#define PQX_STEP_INTEGER 1
#define PQX_STEP_PATH 2
#define PQX_STEP_COLUMNS 3
#define PQX_STEP_TEXT 4
#define PQX_STEP_RAW 5
#define PQX_STEP_LITTLE 6
#define PQX_STEP_BIG 7
#define PQX_STEP_FLOAT 8
#define PQX_STEP_DOUBLE 9
#define PQX_ROLE_PLACED 0
#define PQX_ROLE_BOUND 1
#define PQX_ROLE_WORDS 2
#define PQX_PREDICTOR_ALONE 0
#define PQX_PREDICTOR_SAME 1
#define PQX_PREDICTOR_DIFFERENCE 2
#define PQX_PREDICTOR_CHAINED 3
#define PQX_TABLE_ZERO 0
#define PQX_TABLE_MOST_BITS 64
#define PQX_TABLE_CONSTANT 65
#define PQX_TABLE_COLUMNS 66
#define PQX_TABLE_SHARED 67
#define PQX_TABLE_MARK 128
#define PQX_TABLE_DELTA 128
#define PQX_WORDS_RAW 0
#define PQX_WORDS_ALPHABET 1
#define PQX_WORDS_ZSTD 2
#define PQX_WORDS_LONG 32
#define PQX_WORDS_HOT 16
#define PQX_TEMPLATES_ONE 0
#define PQX_TEMPLATES_BY_COLUMN 1
#define PQX_TEMPLATES_BY_STRUCT 2
#define PQX_MAX_DEPTH 64
#define PQX_MAX_PAGE_HEADER 0x1000000u
#define PQX_MAX_EXTENSION_BYTES 0x4000000u
#define PQX_ENCODING_PFOR 11
#define PQX_ENCODING_FSST 0x46535354u
#define PQX_PM_HEADER_BYTES 32
#define PQX_PM_COLUMN_BYTES 32
#define PQX_PM_SORTING_BYTES 4
#define PQX_PM_BLOCK_BYTES 8
#define PQX_PM_FOOTER_BYTES 40
#define PQX_PM_ENTRY_BYTES 4
#define PQX_PM_CHECKSUM_BYTES 4
#define PQX_PM_TRAILER_BYTES 4
#define PQX_PM_SMALLEST_BYTES 36
#define PQX_PM_BLOOM_BYTES 4
#define PQX_PM_EXTERNAL_BLOOM_BYTES 16
#define PQX_PM_SMALLEST_BLOOM_BYTES 32
#define PQX_PM_ALIGNMENT 8
#define PQX_PM_ALIGNMENT_SHIFT 3
#define PQX_PM_INLINE_BYTES 8
#define PQX_PM_STATISTIC_BYTES 65535
#define PQX_PM_SCRATCHPAD_BYTES 0x100000u
#define PQX_PM_PARQUET_TRAILER_BYTES 8
#define PQX_PM_LAST_CODEC 7
#define PQX_PM_REQUIRED_MASK UINT64_C(0xffffffff00000000)
#define PQX_PM_KNOWN_FEATURES 15
#define PQX_PM_KNOWN_FOOTER_FEATURES 3
#define PQX_PM_TAG_IPV4 25
#define PQX_PM_HEADER_FILE_SIZE 0
#define PQX_PM_HEADER_FEATURES 8
#define PQX_PM_HEADER_TIMESTAMP 16
#define PQX_PM_HEADER_SORTING_COUNT 20
#define PQX_PM_HEADER_COLUMN_COUNT 24
#define PQX_PM_COLUMN_NAME_OFFSET 0
#define PQX_PM_COLUMN_ID 8
#define PQX_PM_COLUMN_TYPE 12
#define PQX_PM_COLUMN_FLAGS 16
#define PQX_PM_COLUMN_FIXED_BYTE_LEN 20
#define PQX_PM_COLUMN_NAME_LENGTH 24
#define PQX_PM_COLUMN_PHYSICAL_TYPE 28
#define PQX_PM_COLUMN_MAX_REPETITION 29
#define PQX_PM_COLUMN_MAX_DEFINITION 30
#define PQX_PM_FOOTER_PARQUET_FOOTER_OFFSET 0
#define PQX_PM_FOOTER_PARQUET_FOOTER_LENGTH 8
#define PQX_PM_FOOTER_ROW_GROUP_COUNT 12
#define PQX_PM_FOOTER_UNUSED_BYTES 16
#define PQX_PM_FOOTER_PREVIOUS_SIZE 24
#define PQX_PM_FOOTER_FEATURES 32
#define PQX_PM_ORIGIN_CODE 0x58545150u
#define PQX_PM_ORIGIN_FIRST_LAYOUT 1
#define PQX_PM_ORIGIN_KNOWN_LAYOUT 2
#define PQX_PM_ORIGIN_BYTES 52
#define PQX_PM_ORIGIN_LAYOUT 0
#define PQX_PM_ORIGIN_FLAGS 4
#define PQX_PM_ORIGIN_FOOTER_CRC 8
#define PQX_PM_ORIGIN_FOOTER_LENGTH 12
#define PQX_PM_ORIGIN_MODIFIED 16
#define PQX_PM_ORIGIN_CHANGED 24
#define PQX_PM_ORIGIN_DEVICE 32
#define PQX_PM_ORIGIN_INODE 40
#define PQX_PM_ORIGIN_TAG_LENGTH 48
#define PQX_PM_SLICES_CODE 0x53545150u
#define PQX_PM_SLICES_KNOWN_LAYOUT 1
#define PQX_PM_SUMS_CODE 0x43545150u
#define PQX_PM_SUMS_KNOWN_LAYOUT 1
#define PQX_PM_SUMS_BYTES 28
#define PQX_PM_SUMS_SCHEMA_HASH 0
#define PQX_PM_SUMS_SCHEMA_LENGTH 8
#define PQX_PM_SUMS_COLUMN_COUNT 12
#define PQX_PM_SUMS_ROW_GROUP_COUNT 16
#define PQX_PM_SUMS_LAYOUT 20
#define PQX_PM_SUMS_CRC 24
#define PQX_REPETITION_REQUIRED 0
#define PQX_REPETITION_OPTIONAL 1
#define PQX_REPETITION_REPEATED 2
#define PQX_CONVERTED_UTF8 0
#define PQX_CONVERTED_MAP 1
#define PQX_CONVERTED_MAP_KEY_VALUE 2
#define PQX_CONVERTED_LIST 3
#define PQX_CONVERTED_ENUM 4
#define PQX_CONVERTED_DECIMAL 5
#define PQX_CONVERTED_DATE 6
#define PQX_CONVERTED_TIME_MILLIS 7
#define PQX_CONVERTED_TIME_MICROS 8
#define PQX_CONVERTED_TIMESTAMP_MILLIS 9
#define PQX_CONVERTED_TIMESTAMP_MICROS 10
#define PQX_CONVERTED_UINT_8 11
#define PQX_CONVERTED_UINT_16 12
#define PQX_CONVERTED_UINT_32 13
#define PQX_CONVERTED_UINT_64 14
#define PQX_CONVERTED_INT_8 15
#define PQX_CONVERTED_INT_16 16
#define PQX_CONVERTED_INT_32 17
#define PQX_CONVERTED_INT_64 18
#define PQX_CONVERTED_JSON 19
#define PQX_CONVERTED_BSON 20
#define PQX_CONVERTED_INTERVAL 21
#define PQX_LOGICAL_STRING 1
#define PQX_LOGICAL_MAP 2
#define PQX_LOGICAL_LIST 3
#define PQX_LOGICAL_ENUM 4
#define PQX_LOGICAL_DECIMAL 5
#define PQX_LOGICAL_DATE 6
#define PQX_LOGICAL_TIME 7
#define PQX_LOGICAL_TIMESTAMP 8
#define PQX_LOGICAL_INTEGER 10
#define PQX_LOGICAL_UNKNOWN 11
#define PQX_LOGICAL_JSON 12
#define PQX_LOGICAL_BSON 13
#define PQX_LOGICAL_UUID 14
#define PQX_LOGICAL_FLOAT16 15
#define PQX_LOGICAL_VARIANT 16
#define PQX_LOGICAL_GEOMETRY 17
#define PQX_LOGICAL_GEOGRAPHY 18
#define PQX_LOGICAL_FILE 19
#define PQX_ORDER_TYPE_ORDER 1
#define PQX_ORDER_IEEE_754_TOTAL_ORDER 2
#define PQX_ORDER_INT96_TIMESTAMP_ORDER 3
#define PQX_FILE_META_DATA_VERSION 1
#define PQX_FILE_META_DATA_SCHEMA 2
#define PQX_FILE_META_DATA_NUM_ROWS 3
#define PQX_FILE_META_DATA_ROW_GROUPS 4
#define PQX_FILE_META_DATA_KEY_VALUE_METADATA 5
#define PQX_FILE_META_DATA_CREATED_BY 6
#define PQX_FILE_META_DATA_COLUMN_ORDERS 7
#define PQX_FILE_META_DATA_ENCRYPTION_ALGORITHM 8
#define PQX_FILE_META_DATA_FOOTER_SIGNING_KEY_METADATA 9
#define PQX_SCHEMA_ELEMENT_TYPE 1
#define PQX_SCHEMA_ELEMENT_TYPE_LENGTH 2
#define PQX_SCHEMA_ELEMENT_REPETITION_TYPE 3
#define PQX_SCHEMA_ELEMENT_NAME 4
#define PQX_SCHEMA_ELEMENT_NUM_CHILDREN 5
#define PQX_SCHEMA_ELEMENT_CONVERTED_TYPE 6
#define PQX_SCHEMA_ELEMENT_SCALE 7
#define PQX_SCHEMA_ELEMENT_PRECISION 8
#define PQX_SCHEMA_ELEMENT_FIELD_ID 9
#define PQX_SCHEMA_ELEMENT_LOGICAL_TYPE 10
#define PQX_ROW_GROUP_COLUMNS 1
#define PQX_ROW_GROUP_TOTAL_BYTE_SIZE 2
#define PQX_ROW_GROUP_NUM_ROWS 3
#define PQX_ROW_GROUP_SORTING_COLUMNS 4
#define PQX_ROW_GROUP_FILE_OFFSET 5
#define PQX_ROW_GROUP_TOTAL_COMPRESSED_SIZE 6
#define PQX_ROW_GROUP_ORDINAL 7
#define PQX_SORTING_COLUMN_COLUMN_IDX 1
#define PQX_SORTING_COLUMN_DESCENDING 2
#define PQX_SORTING_COLUMN_NULLS_FIRST 3
#define PQX_COLUMN_CHUNK_FILE_PATH 1
#define PQX_COLUMN_CHUNK_FILE_OFFSET 2
#define PQX_COLUMN_CHUNK_META_DATA 3
#define PQX_COLUMN_CHUNK_OFFSET_INDEX_OFFSET 4
#define PQX_COLUMN_CHUNK_OFFSET_INDEX_LENGTH 5
#define PQX_COLUMN_CHUNK_COLUMN_INDEX_OFFSET 6
#define PQX_COLUMN_CHUNK_COLUMN_INDEX_LENGTH 7
#define PQX_COLUMN_CHUNK_CRYPTO_METADATA 8
#define PQX_COLUMN_CHUNK_ENCRYPTED_COLUMN_METADATA 9
#define PQX_COLUMN_META_DATA_TYPE 1
#define PQX_COLUMN_META_DATA_ENCODINGS 2
#define PQX_COLUMN_META_DATA_PATH_IN_SCHEMA 3
#define PQX_COLUMN_META_DATA_CODEC 4
#define PQX_COLUMN_META_DATA_NUM_VALUES 5
#define PQX_COLUMN_META_DATA_TOTAL_UNCOMPRESSED_SIZE 6
#define PQX_COLUMN_META_DATA_TOTAL_COMPRESSED_SIZE 7
#define PQX_COLUMN_META_DATA_KEY_VALUE_METADATA 8
#define PQX_COLUMN_META_DATA_DATA_PAGE_OFFSET 9
#define PQX_COLUMN_META_DATA_INDEX_PAGE_OFFSET 10
#define PQX_COLUMN_META_DATA_DICTIONARY_PAGE_OFFSET 11
#define PQX_COLUMN_META_DATA_STATISTICS 12
#define PQX_COLUMN_META_DATA_ENCODING_STATS 13
#define PQX_COLUMN_META_DATA_BLOOM_FILTER_OFFSET 14
#define PQX_COLUMN_META_DATA_BLOOM_FILTER_LENGTH 15
#define PQX_COLUMN_META_DATA_SIZE_STATISTICS 16
#define PQX_COLUMN_META_DATA_GEOSPATIAL_STATISTICS 17
#define PQX_STATISTICS_MAX 1
#define PQX_STATISTICS_MIN 2
#define PQX_STATISTICS_NULL_COUNT 3
#define PQX_STATISTICS_DISTINCT_COUNT 4
#define PQX_STATISTICS_MAX_VALUE 5
#define PQX_STATISTICS_MIN_VALUE 6
#define PQX_STATISTICS_IS_MAX_VALUE_EXACT 7
#define PQX_STATISTICS_IS_MIN_VALUE_EXACT 8
#define PQX_STATISTICS_NAN_COUNT 9
#define PQX_SIZE_STATISTICS_UNENCODED_BYTE_ARRAY_DATA_BYTES 1
#define PQX_SIZE_STATISTICS_REPETITION_LEVEL_HISTOGRAM 2
#define PQX_SIZE_STATISTICS_DEFINITION_LEVEL_HISTOGRAM 3
#define PQX_PAGE_HEADER_TYPE 1
#define PQX_PAGE_HEADER_UNCOMPRESSED_PAGE_SIZE 2
#define PQX_PAGE_HEADER_COMPRESSED_PAGE_SIZE 3
#define PQX_PAGE_HEADER_CRC 4
#define PQX_PAGE_HEADER_DATA_PAGE_HEADER 5
#define PQX_PAGE_HEADER_INDEX_PAGE_HEADER 6
#define PQX_PAGE_HEADER_DICTIONARY_PAGE_HEADER 7
#define PQX_PAGE_HEADER_DATA_PAGE_HEADER_V2 8
#define PQX_DATA_PAGE_HEADER_NUM_VALUES 1
#define PQX_DATA_PAGE_HEADER_ENCODING 2
#define PQX_DATA_PAGE_HEADER_DEFINITION_LEVEL_ENCODING 3
#define PQX_DATA_PAGE_HEADER_REPETITION_LEVEL_ENCODING 4
#define PQX_DATA_PAGE_HEADER_STATISTICS 5
#define PQX_DICTIONARY_PAGE_HEADER_NUM_VALUES 1
#define PQX_DICTIONARY_PAGE_HEADER_ENCODING 2
#define PQX_DICTIONARY_PAGE_HEADER_IS_SORTED 3
#define PQX_DATA_PAGE_HEADER_V2_NUM_VALUES 1
#define PQX_DATA_PAGE_HEADER_V2_NUM_NULLS 2
#define PQX_DATA_PAGE_HEADER_V2_NUM_ROWS 3
#define PQX_DATA_PAGE_HEADER_V2_ENCODING 4
#define PQX_DATA_PAGE_HEADER_V2_DEFINITION_LEVELS_BYTE_LENGTH 5
#define PQX_DATA_PAGE_HEADER_V2_REPETITION_LEVELS_BYTE_LENGTH 6
#define PQX_DATA_PAGE_HEADER_V2_IS_COMPRESSED 7
#define PQX_DATA_PAGE_HEADER_V2_STATISTICS 8
#define PQX_PAGE_LOCATION_OFFSET 1
#define PQX_PAGE_LOCATION_COMPRESSED_PAGE_SIZE 2
#define PQX_PAGE_LOCATION_FIRST_ROW_INDEX 3
#define PQX_OFFSET_INDEX_PAGE_LOCATIONS 1
#define PQX_OFFSET_INDEX_UNENCODED_BYTE_ARRAY_DATA_BYTES 2
#define PQX_COLUMN_INDEX_NULL_PAGES 1
#define PQX_COLUMN_INDEX_MIN_VALUES 2
#define PQX_COLUMN_INDEX_MAX_VALUES 3
#define PQX_COLUMN_INDEX_BOUNDARY_ORDER 4
#define PQX_COLUMN_INDEX_NULL_COUNTS 5
#define PQX_COLUMN_INDEX_REPETITION_LEVEL_HISTOGRAMS 6
#define PQX_COLUMN_INDEX_DEFINITION_LEVEL_HISTOGRAMS 7
#define PQX_COLUMN_INDEX_NAN_COUNTS 8
#define PQX_KEY_VALUE_KEY 1
#define PQX_KEY_VALUE_VALUE 2
#define PQX_PAGE_ENCODING_STATS_PAGE_TYPE 1
#define PQX_PAGE_ENCODING_STATS_ENCODING 2
#define PQX_PAGE_ENCODING_STATS_COUNT 3

#define PQX_UUID_FLAT_FOOTER {0xd6, 0xab, 0xea, 0xd5, 0x87, 0xc4, 0x43, 0x7c, 0x87, 0x6c, 0x66, 0xae, 0x74, 0x7e, 0x16, 0x7f}
#define PQX_UUID_PACKED_FOOTER {0x0e, 0x2f, 0x3b, 0xd4, 0x9a, 0x67, 0x4c, 0x1e, 0x8d, 0x5b, 0x6f, 0x0a, 0x71, 0xc3, 0xe9, 0x42}
#define PQX_UUID_MODULAR_FOOTER {0x7b, 0x1d, 0x6c, 0x52, 0x0f, 0x8e, 0x4a, 0x39, 0xb7, 0xc4, 0x92, 0xe5, 0xd3, 0xa8, 0xf0, 0x16}
#define PQX_UUID_FOOTER_INDEX {0x54, 0x85, 0x28, 0x5f, 0xd6, 0x07, 0x43, 0xb1, 0x95, 0x00, 0x00, 0xd1, 0x14, 0xb3, 0x96, 0x6c}
#define PQX_UUID_COLUMN_ENCODING {0xac, 0x06, 0x43, 0x32, 0x32, 0x5f, 0x41, 0x1a, 0xad, 0x55, 0x7d, 0x5b, 0x2e, 0xe3, 0x66, 0x7a}
#define PQX_UUID_WRAPPED {0x52, 0x77, 0x76, 0x4b, 0x37, 0x71, 0x47, 0xa4, 0x99, 0xc3, 0x15, 0xf6, 0x22, 0xac, 0x2b, 0x4e}
#define PQX_UUID_THRIFT_EXTENSION {0xe2, 0xf7, 0xa0, 0x14, 0xe5, 0x77, 0x4e, 0x85, 0x92, 0xd3, 0x6d, 0x5c, 0x61, 0xa8, 0xd4, 0xb1}
#define PQX_UUID_FOOTER_REFERENCE {0x14, 0xa4, 0x44, 0x22, 0x9a, 0xcd, 0x41, 0x5b, 0x92, 0x1a, 0xd3, 0x9d, 0x7b, 0x06, 0x64, 0xf2}
#define PQX_UUID_ORIGINAL {0x5f, 0x95, 0x9a, 0x99, 0x65, 0xe8, 0x4b, 0x7b, 0xab, 0xcf, 0xc9, 0xaf, 0x30, 0x48, 0xfb, 0xf1}
#define PQX_UUID_ORIGINAL_FOOTER {0xa3, 0xd0, 0xc1, 0xf7, 0x6c, 0x0e, 0x4c, 0x27, 0x9b, 0x52, 0x1e, 0x0f, 0xd9, 0x4d, 0x7b, 0x36}
#define PQX_UUID_COPY_TABLE {0x0c, 0x37, 0x09, 0x8d, 0xe4, 0x27, 0x45, 0x33, 0xa8, 0xae, 0x19, 0x3f, 0x5f, 0xd1, 0x98, 0xc2}
#define PQX_UUID_ARROW_DIALECT {0xde, 0xad, 0xbe, 0xef, 0xde, 0xad, 0xbe, 0xef, 0xde, 0xad, 0xbe, 0xef, 0xde, 0xad, 0xbe, 0xef}

/* A flat table's fields: slot and bytes, in slot order. */
typedef struct pqx_flat_field { uint8_t slot, bytes; } pqx_flat_field;

enum pqx_flat_table {
    PQX_FLAT_FILE_META_DATA,
    PQX_FLAT_SCHEMA_ELEMENT,
    PQX_FLAT_ROW_GROUP,
    PQX_FLAT_SORTING_COLUMN,
    PQX_FLAT_COLUMN_CHUNK,
    PQX_FLAT_OWN_CHUNK,
    PQX_FLAT_COLUMN_METADATA,
    PQX_FLAT_BLOOM_FILTER_INFO,
    PQX_FLAT_STATISTICS,
    PQX_FLAT_BOUNDING_BOX,
    PQX_FLAT_GEOSPATIAL_STATISTICS,
    PQX_FLAT_AES_GCM,
    PQX_FLAT_ENCRYPTION_WITH_COLUMN_KEY,
    PQX_FLAT_KEY_VALUE,
    PQX_FLAT_EXTENSION,
    PQX_FLAT_EMPTY,
    PQX_FLAT_DECIMAL_OPTIONS,
    PQX_FLAT_TIME_OPTIONS,
    PQX_FLAT_INT_OPTIONS,
    PQX_FLAT_VARIANT_TYPE,
    PQX_FLAT_GEOMETRY_TYPE,
    PQX_FLAT_GEOGRAPHY_TYPE,
    PQX_FLAT_TABLES
};

/* Bits of a flat table's presence mask. */
#define PQX_FILE_META_DATA__VERSION 0
#define PQX_FILE_META_DATA__SCHEMA 1
#define PQX_FILE_META_DATA__NUM_ROWS 2
#define PQX_FILE_META_DATA__ROW_GROUPS 3
#define PQX_FILE_META_DATA__KV 4
#define PQX_FILE_META_DATA__CREATED_BY 5
#define PQX_FILE_META_DATA__ENCRYPTION_ALGORITHM_TYPE 6
#define PQX_FILE_META_DATA__ENCRYPTION_ALGORITHM 7
#define PQX_FILE_META_DATA__FOOTER_SIGNING_KEY_METADATA 8
#define PQX_FILE_META_DATA__EXTENSIONS 9
#define PQX_SCHEMA_ELEMENT__TYPE 0
#define PQX_SCHEMA_ELEMENT__TYPE_LENGTH 1
#define PQX_SCHEMA_ELEMENT__REPETITION_TYPE 2
#define PQX_SCHEMA_ELEMENT__NAME 3
#define PQX_SCHEMA_ELEMENT__NUM_CHILDREN 4
#define PQX_SCHEMA_ELEMENT__FIELD_ID 5
#define PQX_SCHEMA_ELEMENT__LOGICAL_TYPE_TYPE 6
#define PQX_SCHEMA_ELEMENT__LOGICAL_TYPE 7
#define PQX_SCHEMA_ELEMENT__COLUMN_ORDER_TYPE 8
#define PQX_SCHEMA_ELEMENT__COLUMN_ORDER 9
#define PQX_ROW_GROUP__COLUMNS 0
#define PQX_ROW_GROUP__TOTAL_BYTE_SIZE 1
#define PQX_ROW_GROUP__NUM_ROWS 2
#define PQX_ROW_GROUP__SORTING_COLUMNS 3
#define PQX_ROW_GROUP__FILE_OFFSET 4
#define PQX_ROW_GROUP__TOTAL_COMPRESSED_SIZE 5
#define PQX_ROW_GROUP__ORDINAL 6
#define PQX_SORTING_COLUMN__COLUMN_IDX 0
#define PQX_SORTING_COLUMN__DESCENDING 1
#define PQX_SORTING_COLUMN__NULLS_FIRST 2
#define PQX_COLUMN_CHUNK__METADATA 0
#define PQX_COLUMN_CHUNK__CRYPTO_METADATA_TYPE 1
#define PQX_COLUMN_CHUNK__CRYPTO_METADATA 2
#define PQX_COLUMN_CHUNK__ENCRYPTED_COLUMN_METADATA 3
#define PQX_COLUMN_CHUNK__OWN 4
#define PQX_OWN_CHUNK__COLUMN_INDEX_OFFSET 0
#define PQX_OWN_CHUNK__OFFSET_INDEX_OFFSET 1
#define PQX_OWN_CHUNK__COLUMN_INDEX_LENGTH 2
#define PQX_OWN_CHUNK__OFFSET_INDEX_LENGTH 3
#define PQX_OWN_CHUNK__FILE_PATH 4
#define PQX_COLUMN_METADATA__CODEC 0
#define PQX_COLUMN_METADATA__NUM_VALUES 1
#define PQX_COLUMN_METADATA__TOTAL_UNCOMPRESSED_SIZE 2
#define PQX_COLUMN_METADATA__TOTAL_COMPRESSED_SIZE 3
#define PQX_COLUMN_METADATA__KEY_VALUE_METADATA 4
#define PQX_COLUMN_METADATA__DATA_PAGE_OFFSET 5
#define PQX_COLUMN_METADATA__INDEX_PAGE_OFFSET 6
#define PQX_COLUMN_METADATA__DICTIONARY_PAGE_OFFSET 7
#define PQX_COLUMN_METADATA__STATISTICS 8
#define PQX_COLUMN_METADATA__IS_FULLY_DICT_ENCODED 9
#define PQX_COLUMN_METADATA__BLOOM_FILTER 10
#define PQX_COLUMN_METADATA__GEOSPATIAL_STATISTICS 11
#define PQX_COLUMN_METADATA__ENCODINGS 12
#define PQX_COLUMN_METADATA__MORE_ENCODINGS 13
#define PQX_BLOOM_FILTER_INFO__OFFSET 0
#define PQX_BLOOM_FILTER_INFO__LENGTH 1
#define PQX_STATISTICS__NULL_COUNT 0
#define PQX_STATISTICS__DISTINCT_COUNT 1
#define PQX_STATISTICS__MIN_LO4 2
#define PQX_STATISTICS__MIN_LO8 3
#define PQX_STATISTICS__MIN_HI8 4
#define PQX_STATISTICS__MIN_LEN 5
#define PQX_STATISTICS__MAX_LO4 6
#define PQX_STATISTICS__MAX_LO8 7
#define PQX_STATISTICS__MAX_HI8 8
#define PQX_STATISTICS__MAX_LEN 9
#define PQX_STATISTICS__EXACTNESS 10
#define PQX_STATISTICS__MIN_VALUE 11
#define PQX_STATISTICS__MAX_VALUE 12
#define PQX_BOUNDING_BOX__XMIN 0
#define PQX_BOUNDING_BOX__XMAX 1
#define PQX_BOUNDING_BOX__YMIN 2
#define PQX_BOUNDING_BOX__YMAX 3
#define PQX_BOUNDING_BOX__ZMIN 4
#define PQX_BOUNDING_BOX__ZMAX 5
#define PQX_BOUNDING_BOX__MMIN 6
#define PQX_BOUNDING_BOX__MMAX 7
#define PQX_GEOSPATIAL_STATISTICS__BBOX 0
#define PQX_GEOSPATIAL_STATISTICS__GEOSPATIAL_TYPES 1
#define PQX_AES_GCM__AAD_PREFIX 0
#define PQX_AES_GCM__AAD_FILE_UNIQUE 1
#define PQX_AES_GCM__SUPPLY_AAD_PREFIX 2
#define PQX_ENCRYPTION_WITH_COLUMN_KEY__PATH_IN_SCHEMA 0
#define PQX_ENCRYPTION_WITH_COLUMN_KEY__KEY_METADATA 1
#define PQX_KEY_VALUE__KEY 0
#define PQX_KEY_VALUE__VAL 1
#define PQX_EXTENSION__UUID 0
#define PQX_EXTENSION__DATA 1
#define PQX_DECIMAL_OPTIONS__SCALE 0
#define PQX_DECIMAL_OPTIONS__PRECISION 1
#define PQX_TIME_OPTIONS__IS_ADJUSTED_TO_UTC 0
#define PQX_TIME_OPTIONS__UNIT 1
#define PQX_INT_OPTIONS__BIT_WIDTH 0
#define PQX_INT_OPTIONS__IS_SIGNED 1
#define PQX_VARIANT_TYPE__SPECIFICATION_VERSION 0
#define PQX_GEOMETRY_TYPE__CRS 0
#define PQX_GEOGRAPHY_TYPE__CRS 0
#define PQX_GEOGRAPHY_TYPE__ALGORITHM 1

#define PQX_FLAT_MAX_FIELDS 14
typedef struct pqx_flat_layout { uint8_t count; pqx_flat_field fields[PQX_FLAT_MAX_FIELDS]; } pqx_flat_layout;

#define PQX_FLAT_LAYOUTS { \
    {10, {{0, 4}, {1, 4}, {2, 8}, {3, 4}, {4, 4}, {5, 4}, {6, 1}, {7, 4}, {8, 4}, {24, 4}}}, \
    {10, {{0, 1}, {1, 4}, {2, 1}, {3, 4}, {4, 4}, {5, 4}, {6, 1}, {7, 4}, {8, 1}, {9, 4}}}, \
    {7, {{0, 4}, {1, 8}, {2, 8}, {3, 4}, {4, 8}, {5, 8}, {6, 2}}}, \
    {3, {{0, 4}, {1, 1}, {2, 1}}}, \
    {5, {{0, 4}, {1, 1}, {2, 4}, {3, 4}, {19, 4}}}, \
    {5, {{0, 8}, {1, 8}, {2, 4}, {3, 4}, {4, 4}}}, \
    {14, {{0, 1}, {1, 8}, {2, 8}, {3, 8}, {4, 4}, {5, 8}, {6, 8}, {7, 8}, {8, 4}, {9, 1}, {10, 4}, {11, 4}, {27, 2}, {28, 2}}}, \
    {2, {{0, 8}, {1, 4}}}, \
    {13, {{0, 8}, {1, 8}, {2, 4}, {3, 8}, {4, 8}, {5, 1}, {6, 4}, {7, 8}, {8, 8}, {9, 1}, {26, 1}, {27, 4}, {28, 4}}}, \
    {8, {{0, 8}, {1, 8}, {2, 8}, {3, 8}, {4, 8}, {5, 8}, {6, 8}, {7, 8}}}, \
    {2, {{0, 4}, {1, 4}}}, \
    {3, {{0, 4}, {1, 4}, {2, 1}}}, \
    {2, {{0, 4}, {1, 4}}}, \
    {2, {{0, 4}, {1, 4}}}, \
    {2, {{0, 4}, {1, 4}}}, \
    {0, {{0, 0}}}, \
    {2, {{0, 4}, {1, 4}}}, \
    {2, {{0, 1}, {1, 1}}}, \
    {2, {{0, 1}, {1, 1}}}, \
    {1, {{0, 1}}}, \
    {1, {{0, 4}}}, \
    {2, {{0, 4}, {1, 1}}}, \
}

/* Bytes of one value by its physical type. */
#define PQX_WIDTHS_OF_TYPE {1, 4, 8, 12, 4, 8}

/* Fields that readers require, by struct and field id: its type (0: no rule), that of a list's items, the
 * struct inside (0: none), 1 if it is required. Struct 0 is the footer. */
enum { PQX_RULED_STRUCTS = 16, PQX_RULED_FIELDS = 18 };
typedef struct pqx_rule { uint8_t type, item, inner, required; } pqx_rule;
#define PQX_RULES_OF_FILE_META_DATA 0
#define PQX_RULES_OF_SCHEMA_ELEMENT 1
#define PQX_RULES_OF_LOGICAL_TYPE 2
#define PQX_RULES_OF_DECIMAL_TYPE 3
#define PQX_RULES_OF_TIME_TYPE 4
#define PQX_RULES_OF_INT_TYPE 5
#define PQX_RULES_OF_ROW_GROUP 6
#define PQX_RULES_OF_SORTING_COLUMN 7
#define PQX_RULES_OF_KEY_VALUE 8
#define PQX_RULES_OF_COLUMN_CHUNK 9
#define PQX_RULES_OF_COLUMN_META_DATA 10
#define PQX_RULES_OF_PAGE_ENCODING_STATS 11
#define PQX_RULES_OF_GEOSPATIAL_STATISTICS 12
#define PQX_RULES_OF_BOUNDING_BOX 13
#define PQX_RULES_OF_COLUMN_CRYPTO_META_DATA 14
#define PQX_RULES_OF_ENCRYPTION_WITH_COLUMN_KEY 15
#define PQX_RULES { \
    {{0, 0, 0, 0}, {5, 0, 0, 1}, {9, 12, 1, 1}, {6, 0, 0, 1}, {9, 12, 6, 1}, {9, 12, 8, 0}}, /* FileMetaData */ \
    {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {8, 0, 0, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {12, 0, 2, 0}}, /* SchemaElement */ \
    {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {12, 0, 3, 0}, {0, 0, 0, 0}, {12, 0, 4, 0}, {12, 0, 4, 0}, {0, 0, 0, 0}, {12, 0, 5, 0}}, /* LogicalType */ \
    {{0, 0, 0, 0}, {5, 0, 0, 1}, {5, 0, 0, 1}}, /* DecimalType */ \
    {{0, 0, 0, 0}, {1, 0, 0, 1}, {12, 0, 0, 1}}, /* TimeType */ \
    {{0, 0, 0, 0}, {3, 0, 0, 1}, {1, 0, 0, 1}}, /* IntType */ \
    {{0, 0, 0, 0}, {9, 12, 9, 1}, {6, 0, 0, 1}, {6, 0, 0, 1}, {9, 12, 7, 0}}, /* RowGroup */ \
    {{0, 0, 0, 0}, {5, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}}, /* SortingColumn */ \
    {{0, 0, 0, 0}, {8, 0, 0, 1}}, /* KeyValue */ \
    {{0, 0, 0, 0}, {0, 0, 0, 0}, {6, 0, 0, 1}, {12, 0, 10, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {12, 0, 14, 0}}, /* ColumnChunk */ \
    {{0, 0, 0, 0}, {5, 0, 0, 1}, {9, 5, 0, 1}, {9, 8, 0, 0}, {5, 0, 0, 1}, {6, 0, 0, 1}, {6, 0, 0, 1}, {6, 0, 0, 1}, {9, 12, 8, 0}, {6, 0, 0, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {9, 12, 11, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {12, 0, 12, 0}}, /* ColumnMetaData */ \
    {{0, 0, 0, 0}, {5, 0, 0, 1}, {5, 0, 0, 1}, {5, 0, 0, 1}}, /* PageEncodingStats */ \
    {{0, 0, 0, 0}, {12, 0, 13, 0}}, /* GeospatialStatistics */ \
    {{0, 0, 0, 0}, {7, 0, 0, 1}, {7, 0, 0, 1}, {7, 0, 0, 1}, {7, 0, 0, 1}}, /* BoundingBox */ \
    {{0, 0, 0, 0}, {0, 0, 0, 0}, {12, 0, 15, 0}}, /* ColumnCryptoMetaData */ \
    {{0, 0, 0, 0}, {9, 8, 0, 1}}, /* EncryptionWithColumnKey */ \
}

#define PQX_ERROR_MESSAGES \
    case PQX_TRUNCATED: return "the input ends inside a value: needs {expected} bytes, {found} left"; \
    case PQX_VARINT_TOO_LONG: return "a varint runs on past {expected} bytes"; \
    case PQX_VARINT_OVERFLOW: return "a varint does not fit in {expected} bits"; \
    case PQX_BAD_TYPE: return "unknown Thrift compact type {found}"; \
    case PQX_TOO_DEEP: return "nested deeper than {expected} levels"; \
    case PQX_COUNT_TOO_LARGE: return "a count claims {expected} items, the {found} bytes left cannot hold them"; \
    case PQX_FIELD_TYPE: return "a field has Thrift type {found}, expected {expected}"; \
    case PQX_FIELD_ID: return "a field id leaves the 16-bit range"; \
    case PQX_NON_MINIMAL: return "an extension's length is not minimally encoded: {found} bytes where {expected} are enough"; \
    case PQX_TWO_EXTENSIONS: return "a second extension; the first one is at {expected}"; \
    case PQX_HAS_EXTENSION: return "the struct has an extension already"; \
    case PQX_FREE_FORM: return "free-form extension bytes without a block trailer"; \
    case PQX_STRAY_BYTES: return "{found} stray bytes after the struct"; \
    case PQX_CHECKSUM: return "checksum {found:#010x}, expected {expected:#010x}"; \
    case PQX_BAD_OFFSET: return "an offset of {found} is outside of the {expected} bytes that may contain it"; \
    case PQX_BAD_CELL: return "a cell is not the one asked for: found {found}, expected {expected}"; \
    case PQX_UNKNOWN_LAYOUT: return "a footer form of unknown layout (version {found}, expected {expected})"; \
    case PQX_IRREGULAR: return "a row group has {found} column chunks, the schema {expected} leaves"; \
    case PQX_MISSING_FIELD: return "required field {expected} is absent"; \
    case PQX_SCHEMA: return "the schema tree does not add up: {found} elements, expected {expected}"; \
    case PQX_TOO_LARGE: return "{found} bytes, the limit is {expected}"; \
    case PQX_NO_MEMORY: return "out of memory: {expected} bytes"; \
    case PQX_IO: return "reading {expected} bytes failed (errno {found})"; \
    case PQX_ARROW_SCHEMA: return "ARROW:schema is not a valid Arrow schema"; \
    case PQX_NOT_A_STRUCT: return "not a whole Thrift struct"; \
    case PQX_ENCRYPTED: return "the footer is encrypted or signed"; \
    case PQX_BAD_ARGUMENT: return "argument out of range: {found}, limit {expected}"; \
    case PQX_NO_METADATA: return "a column chunk has no metadata"; \
    case PQX_MISMATCH: return "does not match the schema: {found}, expected {expected}"; \
    case PQX_UNSUPPORTED_VALUE: return "a value that this form cannot carry: {found}, the limit is {expected}"; \
    case PQX_BAD_VALUE: return "a value that its place does not allow: {found}, expected {expected}"; \
    case PQX_VERBATIM: return "a flat footer that only carries a Thrift footer: its structure is none that the tables can say"; \
    case PQX_OUT_OF_PROPORTION: return "its names and tables would take {found} bytes or more; for a footer of this size the limit is {expected}"; \
    case PQX_COMPRESSED_TEXT: return "{found} bytes that should be decompressed to {expected}: libzstd is not installed, or they are damaged"; \
    case PQX_TOO_REGULAR: return "a Thrift footer of {found} bytes, which is too regular: readers of its packed footer accept at most {expected}"; \
    case PQX_THRIFT_CHECKSUM: return "Thrift bytes with checksum {found:#010x}, the footer's index says {expected:#010x}"; \
    case PQX_TOO_MANY: return "{found} items, the limit is {expected}"; \
    case PQX_NO_THRIFT: return "a PAR3 file has no Thrift footer; parquetext.restore brings it back"; \
    case PQX_NOT_PARQUET: return "not a Parquet file: neither PAR1 nor PAR3 and a footer are at its end"; \
    case PQX_PM_TRUNCATED: return "the sidecar's header needs {expected} bytes, but there are only {found}"; \
    case PQX_PM_REQUIRED_FEATURES: return "the sidecar requires unknown features: flags {found:#x}"; \
    case PQX_PM_EXTERNAL_BLOOMS: return "external Bloom filters without Bloom filters: feature flags {found:#x}"; \
    case PQX_PM_SORTED_BY_NOTHING: return "sorted by a designated timestamp, but there is none: feature flags {found:#x}"; \
    case PQX_PM_TIMESTAMP: return "the designated timestamp is column {found} of {expected}"; \
    case PQX_PM_NAME: return "a column's name reaches {found}, beyond its limit at {expected}"; \
    case PQX_PM_BLOOM_COUNT: return "{found} columns with Bloom filters, of {expected} columns"; \
    case PQX_PM_BLOOM_COLUMN: return "a Bloom filter of column {found}, of {expected} columns"; \
    case PQX_PM_BLOOM_ORDER: return "columns with Bloom filters do not ascend: {found} after {expected}"; \
    case PQX_PM_SIZE_BEYOND: return "the committed size is {found}, but the file has {expected} bytes"; \
    case PQX_PM_SIZE_SMALL: return "the committed size is {found}, the least is {expected}"; \
    case PQX_PM_FOOTER_LENGTH: return "a footer of {found} bytes does not fit in {expected}"; \
    case PQX_PM_FOOTER_SHORT: return "a footer of {found} bytes, its parts need {expected}"; \
    case PQX_PM_FOOTER_PLACE: return "the footer begins at {found}, the header ends at {expected}"; \
    case PQX_PM_FOOTER_SPARE: return "a footer of {found} bytes; its counts require {expected}"; \
    case PQX_PM_BLOCK: return "a row group's block reaches {found}, beyond its limit at {expected}"; \
    case PQX_PM_STATISTIC: return "a statistic reaches {found}, its region ends at {expected}"; \
    case PQX_PM_SCRATCHPAD_EMPTY: return "a scratchpad without entries"; \
    case PQX_PM_SCRATCHPAD_SIZE: return "a scratchpad of {found} bytes, the limit is {expected}"; \
    case PQX_PM_CHAIN: return "no footer for a Parquet file of {expected} bytes"; \
    case PQX_PM_ROWS: return "the row groups have more than {expected} rows"; \
    case PQX_PM_CODEC: return "codec {found}, the last known one is {expected}"; \
    case PQX_PM_REPETITION: return "a field repetition of {found}, the last known one is {expected}"; \
    case PQX_PM_SORTING_COLUMN: return "sorted by column {found} of {expected}"; \
    case PQX_PM_BLOCK_OFFSET: return "a row group's block at {found}, the limit is {expected}"; \
    case PQX_PM_STATISTIC_LENGTH: return "a statistic of {found} bytes, the limit is {expected}"; \
    case PQX_PM_FILE_PATH: return "a column chunk lies in another file"; \
    case PQX_PM_PREVIOUS: return "the committed size before {expected} is {found}"; \
    case PQX_PM_SLICES: return "the sidecar's note for slices: {found}, expected {expected}"; \
    case PQX_REFERENCE: return "the reference to blocks aside contains {found}, expected {expected}"; \
    case PQX_ENCODING: return "encoding {found} of values of type {expected} is not read"; \
    case PQX_LEVEL: return "a level of {found}, the highest one is {expected}"; \
    case PQX_DICTIONARY_INDEX: return "index {found} into a dictionary of {expected} values"; \
    case PQX_BIT_WIDTH: return "values of {found} bits, the most is {expected}"; \
    case PQX_RUN_LENGTH: return "a run of {found} values, the limit is {expected}"; \
    case PQX_NO_DICTIONARY: return "dictionary indices without a dictionary page before them"; \
    case PQX_DELTA_HEADER: return "a delta header that says {found}: a block is a multiple of 128 values, a miniblock of 32"; \
    case PQX_DELTA_COUNT: return "{found} deltas, the page has {expected} values"; \
    case PQX_BYTE_ARRAY_LENGTH: return "a byte array of {found} bytes, {expected} are left"; \
    case PQX_PREFIX_LENGTH: return "a prefix of {found} bytes of a value that has {expected}"; \
    case PQX_LEVEL_ENCODING: return "levels in encoding {found} are not read"; \
    case PQX_BOOLEAN: return "a run of a boolean of {found}, the highest one is {expected}"; \
    case PQX_STREAM_SIZE: return "streams of {found} bytes in all, no multiple of a value's {expected}"; \
    case PQX_VALUE_LENGTH: return "a value of {found} bytes, the type has {expected}"; \
    case PQX_PAGE_NUMBER: return "a page header says -{found}, a number below {expected}"; \
    case PQX_PAGE_HEADER_SIZE: return "a page header does not end within {expected} bytes"; \
    case PQX_PAGE_SIZE: return "a page of {found} bytes, {expected} are left of its column chunk"; \
    case PQX_PAGE_LEVELS: return "levels of {found} bytes, the page has {expected}"; \
    case PQX_TOO_WIDE: return "a number of {found} bytes does not fit in {expected}"; \
    case PQX_CHUNK_ENTRIES: return "a page of {found} entries, the column chunk has {expected} left"; \
    case PQX_CHUNK_ROWS: return "a page of {found} rows, the row group has {expected} left"; \
    case PQX_ROW_START: return "a page that begins within a row, at repetition level {found}"; \
    case PQX_LEVELS_CONTRADICT: return "a definition level of {found} within a list, the least is {expected}"; \
    case PQX_SECOND_DICTIONARY: return "a second dictionary page in one column chunk"; \
    case PQX_PAGE_INDEX: return "a list of pages whose page {found} does not begin where the one before it ends, or has no rows"; \
    case PQX_PAGE_TYPE: return "a page of type {found} among data pages"; \
    case PQX_ROW_TOO_LARGE: return "a row whose byte arrays take more than {expected} bytes"; \
    case PQX_ALP_MODE: return "ALP values of kind {found} are not read"; \
    case PQX_ALP_COUNT: return "{found} ALP values, the page has {expected}"; \
    case PQX_ALP_OFFSET: return "an ALP vector at {found}, it must be at {expected}"; \
    case PQX_ALP_NUMBER: return "an ALP page says {found}, the limit is {expected}"; \
    case PQX_LZ4_BLOCK: return "an LZ4 block refers to {found} earlier bytes, but there are {expected}"; \
    case PQX_UNWRITTEN_ENCODING: return "encoding {found} of values of type {expected} is not written"; \
    case PQX_VALUE_OFFSET: return "a value ends at {found}: before its start, or after the {expected} bytes of all values"; \
    case PQX_VALUES_SIZE: return "values of {found} bytes, {expected} are needed"; \
    case PQX_VECTOR_PACKING: return "vectors packed in mode {found}, only mode {expected} is read"; \
    case PQX_VECTOR_SIZE: return "vectors of 2^{found} values, they have 2^3 to 2^{expected}"; \
    case PQX_VECTOR_COUNT: return "vectors of {found} values in all, the page has {expected}"; \
    case PQX_VECTOR_OFFSET: return "a vector at {found} overlaps data that end at {expected}"; \
    case PQX_EXCEPTION_COUNT: return "{found} exceptions in a vector of {expected} values"; \
    case PQX_EXCEPTION_POSITION: return "an exception at position {found} of a vector of {expected} values"; \
    case PQX_CODE_BITS: return "codes of {found} bits, only those of {expected} are read"; \
    case PQX_SYMBOL_LENGTH: return "a symbol of {found} bytes, it has 1 to {expected}"; \
    case PQX_SYMBOL_CODE: return "code {found}, there are {expected} symbols"; \

#endif
