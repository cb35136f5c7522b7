"""Numbers of the wire formats, shared with the C library.

Generated from csrc/tables/wire.toml by csrc/tables/generate.py. Do not edit.
"""

from uuid import UUID

TYPE_TRUE = 1
TYPE_FALSE = 2
TYPE_BYTE = 3
TYPE_I16 = 4
TYPE_I32 = 5
TYPE_I64 = 6
TYPE_DOUBLE = 7
TYPE_BINARY = 8
TYPE_LIST = 9
TYPE_SET = 10
TYPE_MAP = 11
TYPE_STRUCT = 12
TYPE_UUID = 13
FLAT_LAYOUT_VERSION = 1
FLAT_WRITTEN_LIMIT = 16
FLAT_REBUILT_LIMIT = 64
FLAT_MOST_TIMES = 16
FLAT_MOST_BESIDE = 0x400000
FLAT_CELL_HEADER_BYTES = 16
FLAT_RECORD_BYTES = 32
FLAT_TAIL_BYTES = 72
FLAT_TAIL_GROUP_BYTES = 34
FLAT_PART_ROW_GROUPS = 64
FLAT_CELL_LEAVES = 8
FLAT_SHARED_TABLES = 64
FLAT_PAGE_BYTES = 256
FLAT_BUCKET_ENTRIES = 30
FLAT_BUCKET_FILL = 20
FLAT_LIST_ENTRIES = 31
FLAT_DIRECTORY_ENTRIES = 60
FLAT_POOL_PAGE_BYTES = 4096
FLAT_NONE = 0xffffffff
FLAT_LOGICAL_STRING = 1
FLAT_LOGICAL_MAP = 2
FLAT_LOGICAL_LIST = 3
FLAT_LOGICAL_ENUM = 4
FLAT_LOGICAL_DECIMAL = 5
FLAT_LOGICAL_DATE = 6
FLAT_LOGICAL_TIME = 7
FLAT_LOGICAL_TIMESTAMP = 8
FLAT_LOGICAL_INTEGER = 9
FLAT_LOGICAL_UNKNOWN = 10
FLAT_LOGICAL_JSON = 11
FLAT_LOGICAL_BSON = 12
FLAT_LOGICAL_UUID = 13
FLAT_LOGICAL_FLOAT16 = 14
FLAT_LOGICAL_VARIANT = 15
FLAT_LOGICAL_GEOMETRY = 16
FLAT_LOGICAL_GEOGRAPHY = 17
KIND_ROOT = 1
KIND_NODE = 2
KIND_COLUMN = 3
KIND_ROW_GROUPS = 4
KIND_KEY_VALUE = 5
KIND_POOL = 6
KIND_DIRECTORY = 7
KIND_BUCKET = 8
KIND_EXTENSIONS = 9
KIND_EXTENSION = 10
OP_VARINT = 128
OP_DOUBLE = 129
OP_BINARY = 130
OP_UUID = 131
OP_TYPE = 132
OP_PATH = 133
OP_CODEC = 134
OP_NUM_VALUES = 135
OP_TOTAL_UNCOMPRESSED_SIZE = 136
OP_TOTAL_COMPRESSED_SIZE = 137
OP_DATA_PAGE_OFFSET = 138
OP_INDEX_PAGE_OFFSET = 139
OP_DICTIONARY_PAGE_OFFSET = 140
OP_FIRST_PAGE = 141
OP_CHUNK_END = 142
OP_NULL_COUNT = 143
OP_NON_NULL = 144
OP_DISTINCT_COUNT = 145
OP_MIN = 146
OP_MAX = 147
OP_BLOOM_FILTER_OFFSET = 148
OP_BLOOM_FILTER_LENGTH = 149
OP_OFFSET_INDEX_OFFSET = 150
OP_OFFSET_INDEX_LENGTH = 151
OP_COLUMN_INDEX_OFFSET = 152
OP_COLUMN_INDEX_LENGTH = 153
OP_NUM_ROWS = 154
OP_TOTAL_BYTE_SIZE = 155
OP_FILE_OFFSET = 156
OP_GROUP_COMPRESSED_SIZE = 157
OP_ORDINAL = 158
OP_CHUNKS = 159
OP_VERSION = 160
OP_ALL_ROWS = 161
OP_ELEMENTS = 162
OP_ROW_GROUPS = 163
OP_KEY = 164
OP_VALUE = 165
OP_CREATED_BY = 166
OP_COLUMN_ORDERS = 167
BLOCK_TRAILER_BYTES = 28
INDEX_LAYOUT_VERSION = 1
INDEX_TAIL_BYTES = 52
INDEX_RECORD_BYTES = 12
REFERENCE_VERSION = 1
REFERENCE_HEAD_BYTES = 24
REFERENCE_BLOCK_BYTES = 32
REFERENCE_TEXT_LIMIT = 4080
PACKED_LAYOUT_VERSION = 1
PACKED_TAIL_BYTES = 52
PACKED_AREA_BYTES = 16
PACKED_RECORD_BYTES = 12
PACKED_CRC_BYTES = 4
PACKED_ELEMENTS_PER_CELL = 64
PACKED_ROW_GROUPS_PER_CELL = 1024
PACKED_TILE_CHUNKS = 1024
PACKED_TILE_COLUMNS = 64
PACKED_LEAST_ROW_GROUP = 5
PACKED_LEAST_CHUNK = 1
PACKED_LIMIT_TIMES = 64
PACKED_LIMIT_BESIDE = 0x10000
PACKED_NO_ROLE = 255
CELLS_BOOKS = 1
CELLS_LEAVES = 2
CELLS_NODES = 3
CELLS_ROW_GROUPS = 4
CELLS_PLACED = 5
CELLS_BOUNDS = 6
CELLS_TEXTS = 7
CELLS_LONG_TEXTS = 8
CELLS_PAIRS = 9
CELLS_NAMES = 10
CELLS_FRAME = 11
CELLS_SLOTS = 12
STEP_LITERAL = 0
STEP_INTEGER = 1
STEP_PATH = 2
STEP_COLUMNS = 3
STEP_TEXT = 4
STEP_RAW = 5
STEP_LITTLE = 6
STEP_BIG = 7
STEP_FLOAT = 8
STEP_DOUBLE = 9
ROLE_PLACED = 0
ROLE_BOUND = 1
ROLE_WORDS = 2
PREDICTOR_ALONE = 0
PREDICTOR_SAME = 1
PREDICTOR_DIFFERENCE = 2
PREDICTOR_CHAINED = 3
TABLE_ZERO = 0
TABLE_MOST_BITS = 64
TABLE_CONSTANT = 65
TABLE_COLUMNS = 66
TABLE_SHARED = 67
TABLE_MARK = 128
TABLE_DELTA = 128
WORDS_RAW = 0
WORDS_ALPHABET = 1
WORDS_ZSTD = 2
WORDS_LONG = 32
WORDS_HOT = 16
TEMPLATES_ONE = 0
TEMPLATES_BY_COLUMN = 1
TEMPLATES_BY_STRUCT = 2
MAX_DEPTH = 64
MAX_PAGE_HEADER = 0x1000000
MAX_EXTENSION_BYTES = 0x4000000
ENCODING_PFOR = 11
ENCODING_FSST = 0x46535354
READING_SIGNED = 1
READING_UNSIGNED = 2
READING_BOOLEAN = 3
READING_FLOAT = 4
READING_TEXT = 5
READING_DECIMAL = 6
READING_INT96 = 7
READING_VALUE = 15
READING_DAYS = 16
READING_MILLISECONDS = 32
READING_MICROSECONDS = 48
READING_NANOSECONDS = 64
READING_UNIT = 240
BOUND_MIN = 1
BOUND_MAX = 2
BOUND_UNORDERED = 4
BOUND_NO_VALUE = 8
BOUND_NAN = 16
BOUND_INVERTED = 32
PM_HEADER_BYTES = 32
PM_COLUMN_BYTES = 32
PM_SORTING_BYTES = 4
PM_CHUNK_BYTES = 64
PM_BLOCK_BYTES = 8
PM_FOOTER_BYTES = 40
PM_ENTRY_BYTES = 4
PM_CHECKSUM_BYTES = 4
PM_TRAILER_BYTES = 4
PM_SMALLEST_BYTES = 36
PM_BLOOM_BYTES = 4
PM_EXTERNAL_BLOOM_BYTES = 16
PM_SMALLEST_BLOOM_BYTES = 32
PM_ALIGNMENT = 8
PM_ALIGNMENT_SHIFT = 3
PM_INLINE_BYTES = 8
PM_STATISTIC_BYTES = 65535
PM_SCRATCHPAD_BYTES = 0x100000
PM_PARQUET_TRAILER_BYTES = 8
PM_LAST_CODEC = 7
PM_REQUIRED_MASK = 0xffffffff00000000
PM_KNOWN_FEATURES = 15
PM_KNOWN_FOOTER_FEATURES = 3
PM_TAG_IPV4 = 25
PM_HEADER_FILE_SIZE = 0
PM_HEADER_FEATURES = 8
PM_HEADER_TIMESTAMP = 16
PM_HEADER_SORTING_COUNT = 20
PM_HEADER_COLUMN_COUNT = 24
PM_COLUMN_NAME_OFFSET = 0
PM_COLUMN_ID = 8
PM_COLUMN_TYPE = 12
PM_COLUMN_FLAGS = 16
PM_COLUMN_FIXED_BYTE_LEN = 20
PM_COLUMN_NAME_LENGTH = 24
PM_COLUMN_PHYSICAL_TYPE = 28
PM_COLUMN_MAX_REPETITION = 29
PM_COLUMN_MAX_DEFINITION = 30
PM_CHUNK_CODEC = 0
PM_CHUNK_ENCODINGS = 1
PM_CHUNK_STAT_FLAGS = 2
PM_CHUNK_STAT_SIZES = 3
PM_CHUNK_NUM_VALUES = 8
PM_CHUNK_BYTE_RANGE_START = 16
PM_CHUNK_TOTAL_COMPRESSED = 24
PM_CHUNK_NULL_COUNT = 32
PM_CHUNK_DISTINCT_COUNT = 40
PM_CHUNK_MIN_STAT = 48
PM_CHUNK_MAX_STAT = 56
PM_FOOTER_PARQUET_FOOTER_OFFSET = 0
PM_FOOTER_PARQUET_FOOTER_LENGTH = 8
PM_FOOTER_ROW_GROUP_COUNT = 12
PM_FOOTER_UNUSED_BYTES = 16
PM_FOOTER_PREVIOUS_SIZE = 24
PM_FOOTER_FEATURES = 32
PM_ORIGIN_CODE = 0x58545150
PM_ORIGIN_FIRST_LAYOUT = 1
PM_ORIGIN_KNOWN_LAYOUT = 2
PM_ORIGIN_BYTES = 52
PM_ORIGIN_LAYOUT = 0
PM_ORIGIN_FLAGS = 4
PM_ORIGIN_FOOTER_CRC = 8
PM_ORIGIN_FOOTER_LENGTH = 12
PM_ORIGIN_MODIFIED = 16
PM_ORIGIN_CHANGED = 24
PM_ORIGIN_DEVICE = 32
PM_ORIGIN_INODE = 40
PM_ORIGIN_TAG_LENGTH = 48
PM_SLICES_CODE = 0x53545150
PM_SLICES_KNOWN_LAYOUT = 1
PM_SUMS_CODE = 0x43545150
PM_SUMS_KNOWN_LAYOUT = 1
PM_SUMS_BYTES = 28
PM_SUMS_SCHEMA_HASH = 0
PM_SUMS_SCHEMA_LENGTH = 8
PM_SUMS_COLUMN_COUNT = 12
PM_SUMS_ROW_GROUP_COUNT = 16
PM_SUMS_LAYOUT = 20
PM_SUMS_CRC = 24
PM_FEATURE_BLOOM_FILTERS = 1
PM_FEATURE_BLOOM_FILTERS_EXTERNAL = 2
PM_FEATURE_SORTED_BY_TIMESTAMP = 4
PM_FEATURE_SQUASH_TRACKER = 8
PM_FOOTER_FEATURE_SEQ_TXN = 1
PM_FOOTER_FEATURE_SCRATCHPAD = 2
PM_COLUMN_FLAG_LOCAL_KEY_IS_GLOBAL = 1
PM_COLUMN_FLAG_IS_ASCII = 2
PM_COLUMN_FLAG_DESCENDING = 16
PM_STAT_MIN_PRESENT = 1
PM_STAT_MIN_INLINED = 2
PM_STAT_MIN_EXACT = 4
PM_STAT_MAX_PRESENT = 8
PM_STAT_MAX_INLINED = 16
PM_STAT_MAX_EXACT = 32
PM_STAT_DISTINCT_COUNT = 64
PM_STAT_NULL_COUNT = 128
PHYSICAL_BOOLEAN = 0
PHYSICAL_INT32 = 1
PHYSICAL_INT64 = 2
PHYSICAL_INT96 = 3
PHYSICAL_FLOAT = 4
PHYSICAL_DOUBLE = 5
PHYSICAL_BYTE_ARRAY = 6
PHYSICAL_FIXED_LEN_BYTE_ARRAY = 7
ENCODING_PLAIN = 0
ENCODING_PLAIN_DICTIONARY = 2
ENCODING_RLE = 3
ENCODING_BIT_PACKED = 4
ENCODING_DELTA_BINARY_PACKED = 5
ENCODING_DELTA_LENGTH_BYTE_ARRAY = 6
ENCODING_DELTA_BYTE_ARRAY = 7
ENCODING_RLE_DICTIONARY = 8
ENCODING_BYTE_STREAM_SPLIT = 9
ENCODING_ALP = 10
CODEC_UNCOMPRESSED = 0
CODEC_SNAPPY = 1
CODEC_GZIP = 2
CODEC_LZO = 3
CODEC_BROTLI = 4
CODEC_LZ4 = 5
CODEC_ZSTD = 6
CODEC_LZ4_RAW = 7
PAGE_DATA_PAGE = 0
PAGE_INDEX_PAGE = 1
PAGE_DICTIONARY_PAGE = 2
PAGE_DATA_PAGE_V2 = 3
REPETITION_REQUIRED = 0
REPETITION_OPTIONAL = 1
REPETITION_REPEATED = 2
CONVERTED_UTF8 = 0
CONVERTED_MAP = 1
CONVERTED_MAP_KEY_VALUE = 2
CONVERTED_LIST = 3
CONVERTED_ENUM = 4
CONVERTED_DECIMAL = 5
CONVERTED_DATE = 6
CONVERTED_TIME_MILLIS = 7
CONVERTED_TIME_MICROS = 8
CONVERTED_TIMESTAMP_MILLIS = 9
CONVERTED_TIMESTAMP_MICROS = 10
CONVERTED_UINT_8 = 11
CONVERTED_UINT_16 = 12
CONVERTED_UINT_32 = 13
CONVERTED_UINT_64 = 14
CONVERTED_INT_8 = 15
CONVERTED_INT_16 = 16
CONVERTED_INT_32 = 17
CONVERTED_INT_64 = 18
CONVERTED_JSON = 19
CONVERTED_BSON = 20
CONVERTED_INTERVAL = 21
LOGICAL_STRING = 1
LOGICAL_MAP = 2
LOGICAL_LIST = 3
LOGICAL_ENUM = 4
LOGICAL_DECIMAL = 5
LOGICAL_DATE = 6
LOGICAL_TIME = 7
LOGICAL_TIMESTAMP = 8
LOGICAL_INTEGER = 10
LOGICAL_UNKNOWN = 11
LOGICAL_JSON = 12
LOGICAL_BSON = 13
LOGICAL_UUID = 14
LOGICAL_FLOAT16 = 15
LOGICAL_VARIANT = 16
LOGICAL_GEOMETRY = 17
LOGICAL_GEOGRAPHY = 18
LOGICAL_FILE = 19
ORDER_TYPE_ORDER = 1
ORDER_IEEE_754_TOTAL_ORDER = 2
ORDER_INT96_TIMESTAMP_ORDER = 3
PRESENT_METADATA = 1
PRESENT_NUM_VALUES = 2
PRESENT_TOTAL_UNCOMPRESSED_SIZE = 4
PRESENT_TOTAL_COMPRESSED_SIZE = 8
PRESENT_DATA_PAGE_OFFSET = 16
PRESENT_INDEX_PAGE_OFFSET = 32
PRESENT_DICTIONARY_PAGE_OFFSET = 64
PRESENT_STATISTICS = 128
PRESENT_NULL_COUNT = 256
PRESENT_DISTINCT_COUNT = 512
PRESENT_MIN_VALUE = 1024
PRESENT_MAX_VALUE = 2048
PRESENT_MIN = 4096
PRESENT_MAX = 8192
PRESENT_MIN_EXACT_SET = 16384
PRESENT_MIN_EXACT = 32768
PRESENT_MAX_EXACT_SET = 0x10000
PRESENT_MAX_EXACT = 0x20000
PRESENT_BLOOM_FILTER_OFFSET = 0x40000
PRESENT_BLOOM_FILTER_LENGTH = 0x80000
PRESENT_OFFSET_INDEX = 0x100000
PRESENT_COLUMN_INDEX = 0x200000
PRESENT_FULLY_DICTIONARY_ENCODED = 0x400000
PRESENT_FILE_PATH = 0x800000
PRESENT_KEY_VALUES = 0x1000000
PRESENT_CRYPTO = 0x2000000
PRESENT_CODEC = 0x4000000
PRESENT_TYPE = 0x8000000
PRESENT_FILE_OFFSET = 0x10000000
PRESENT_PATH_IN_SCHEMA = 0x20000000
FILE_META_DATA_VERSION = 1
FILE_META_DATA_SCHEMA = 2
FILE_META_DATA_NUM_ROWS = 3
FILE_META_DATA_ROW_GROUPS = 4
FILE_META_DATA_KEY_VALUE_METADATA = 5
FILE_META_DATA_CREATED_BY = 6
FILE_META_DATA_COLUMN_ORDERS = 7
FILE_META_DATA_ENCRYPTION_ALGORITHM = 8
FILE_META_DATA_FOOTER_SIGNING_KEY_METADATA = 9
SCHEMA_ELEMENT_TYPE = 1
SCHEMA_ELEMENT_TYPE_LENGTH = 2
SCHEMA_ELEMENT_REPETITION_TYPE = 3
SCHEMA_ELEMENT_NAME = 4
SCHEMA_ELEMENT_NUM_CHILDREN = 5
SCHEMA_ELEMENT_CONVERTED_TYPE = 6
SCHEMA_ELEMENT_SCALE = 7
SCHEMA_ELEMENT_PRECISION = 8
SCHEMA_ELEMENT_FIELD_ID = 9
SCHEMA_ELEMENT_LOGICAL_TYPE = 10
ROW_GROUP_COLUMNS = 1
ROW_GROUP_TOTAL_BYTE_SIZE = 2
ROW_GROUP_NUM_ROWS = 3
ROW_GROUP_SORTING_COLUMNS = 4
ROW_GROUP_FILE_OFFSET = 5
ROW_GROUP_TOTAL_COMPRESSED_SIZE = 6
ROW_GROUP_ORDINAL = 7
SORTING_COLUMN_COLUMN_IDX = 1
SORTING_COLUMN_DESCENDING = 2
SORTING_COLUMN_NULLS_FIRST = 3
COLUMN_CHUNK_FILE_PATH = 1
COLUMN_CHUNK_FILE_OFFSET = 2
COLUMN_CHUNK_META_DATA = 3
COLUMN_CHUNK_OFFSET_INDEX_OFFSET = 4
COLUMN_CHUNK_OFFSET_INDEX_LENGTH = 5
COLUMN_CHUNK_COLUMN_INDEX_OFFSET = 6
COLUMN_CHUNK_COLUMN_INDEX_LENGTH = 7
COLUMN_CHUNK_CRYPTO_METADATA = 8
COLUMN_CHUNK_ENCRYPTED_COLUMN_METADATA = 9
COLUMN_META_DATA_TYPE = 1
COLUMN_META_DATA_ENCODINGS = 2
COLUMN_META_DATA_PATH_IN_SCHEMA = 3
COLUMN_META_DATA_CODEC = 4
COLUMN_META_DATA_NUM_VALUES = 5
COLUMN_META_DATA_TOTAL_UNCOMPRESSED_SIZE = 6
COLUMN_META_DATA_TOTAL_COMPRESSED_SIZE = 7
COLUMN_META_DATA_KEY_VALUE_METADATA = 8
COLUMN_META_DATA_DATA_PAGE_OFFSET = 9
COLUMN_META_DATA_INDEX_PAGE_OFFSET = 10
COLUMN_META_DATA_DICTIONARY_PAGE_OFFSET = 11
COLUMN_META_DATA_STATISTICS = 12
COLUMN_META_DATA_ENCODING_STATS = 13
COLUMN_META_DATA_BLOOM_FILTER_OFFSET = 14
COLUMN_META_DATA_BLOOM_FILTER_LENGTH = 15
COLUMN_META_DATA_SIZE_STATISTICS = 16
COLUMN_META_DATA_GEOSPATIAL_STATISTICS = 17
STATISTICS_MAX = 1
STATISTICS_MIN = 2
STATISTICS_NULL_COUNT = 3
STATISTICS_DISTINCT_COUNT = 4
STATISTICS_MAX_VALUE = 5
STATISTICS_MIN_VALUE = 6
STATISTICS_IS_MAX_VALUE_EXACT = 7
STATISTICS_IS_MIN_VALUE_EXACT = 8
STATISTICS_NAN_COUNT = 9
SIZE_STATISTICS_UNENCODED_BYTE_ARRAY_DATA_BYTES = 1
SIZE_STATISTICS_REPETITION_LEVEL_HISTOGRAM = 2
SIZE_STATISTICS_DEFINITION_LEVEL_HISTOGRAM = 3
PAGE_HEADER_TYPE = 1
PAGE_HEADER_UNCOMPRESSED_PAGE_SIZE = 2
PAGE_HEADER_COMPRESSED_PAGE_SIZE = 3
PAGE_HEADER_CRC = 4
PAGE_HEADER_DATA_PAGE_HEADER = 5
PAGE_HEADER_INDEX_PAGE_HEADER = 6
PAGE_HEADER_DICTIONARY_PAGE_HEADER = 7
PAGE_HEADER_DATA_PAGE_HEADER_V2 = 8
DATA_PAGE_HEADER_NUM_VALUES = 1
DATA_PAGE_HEADER_ENCODING = 2
DATA_PAGE_HEADER_DEFINITION_LEVEL_ENCODING = 3
DATA_PAGE_HEADER_REPETITION_LEVEL_ENCODING = 4
DATA_PAGE_HEADER_STATISTICS = 5
DICTIONARY_PAGE_HEADER_NUM_VALUES = 1
DICTIONARY_PAGE_HEADER_ENCODING = 2
DICTIONARY_PAGE_HEADER_IS_SORTED = 3
DATA_PAGE_HEADER_V2_NUM_VALUES = 1
DATA_PAGE_HEADER_V2_NUM_NULLS = 2
DATA_PAGE_HEADER_V2_NUM_ROWS = 3
DATA_PAGE_HEADER_V2_ENCODING = 4
DATA_PAGE_HEADER_V2_DEFINITION_LEVELS_BYTE_LENGTH = 5
DATA_PAGE_HEADER_V2_REPETITION_LEVELS_BYTE_LENGTH = 6
DATA_PAGE_HEADER_V2_IS_COMPRESSED = 7
DATA_PAGE_HEADER_V2_STATISTICS = 8
PAGE_LOCATION_OFFSET = 1
PAGE_LOCATION_COMPRESSED_PAGE_SIZE = 2
PAGE_LOCATION_FIRST_ROW_INDEX = 3
OFFSET_INDEX_PAGE_LOCATIONS = 1
OFFSET_INDEX_UNENCODED_BYTE_ARRAY_DATA_BYTES = 2
COLUMN_INDEX_NULL_PAGES = 1
COLUMN_INDEX_MIN_VALUES = 2
COLUMN_INDEX_MAX_VALUES = 3
COLUMN_INDEX_BOUNDARY_ORDER = 4
COLUMN_INDEX_NULL_COUNTS = 5
COLUMN_INDEX_REPETITION_LEVEL_HISTOGRAMS = 6
COLUMN_INDEX_DEFINITION_LEVEL_HISTOGRAMS = 7
COLUMN_INDEX_NAN_COUNTS = 8
KEY_VALUE_KEY = 1
KEY_VALUE_VALUE = 2
PAGE_ENCODING_STATS_PAGE_TYPE = 1
PAGE_ENCODING_STATS_ENCODING = 2
PAGE_ENCODING_STATS_COUNT = 3

UUID_FLAT_FOOTER = UUID("d6abead5-87c4-437c-876c-66ae747e167f")
UUID_PACKED_FOOTER = UUID("0e2f3bd4-9a67-4c1e-8d5b-6f0a71c3e942")
UUID_MODULAR_FOOTER = UUID("7b1d6c52-0f8e-4a39-b7c4-92e5d3a8f016")
UUID_FOOTER_INDEX = UUID("5485285f-d607-43b1-9500-00d114b3966c")
UUID_COLUMN_ENCODING = UUID("ac064332-325f-411a-ad55-7d5b2ee3667a")
UUID_WRAPPED = UUID("5277764b-3771-47a4-99c3-15f622ac2b4e")
UUID_THRIFT_EXTENSION = UUID("e2f7a014-e577-4e85-92d3-6d5c61a8d4b1")
UUID_FOOTER_REFERENCE = UUID("14a44422-9acd-415b-921a-d39d7b0664f2")
UUID_ORIGINAL = UUID("5f959a99-65e8-4b7b-abcf-c9af3048fbf1")
UUID_ORIGINAL_FOOTER = UUID("a3d0c1f7-6c0e-4c27-9b52-1e0fd94d7b36")
UUID_COPY_TABLE = UUID("0c37098d-e427-4533-a8ae-193f5fd198c2")
UUID_ARROW_DIALECT = UUID("deadbeef-dead-beef-dead-beefdeadbeef")

# code: (name, class of the error, message)
ERRORS = {
    1: ("TRUNCATED", "Malformed", "the input ends inside a value: needs {expected} bytes, {found} left"),
    2: ("VARINT_TOO_LONG", "Malformed", "a varint runs on past {expected} bytes"),
    3: ("VARINT_OVERFLOW", "Malformed", "a varint does not fit in {expected} bits"),
    4: ("BAD_TYPE", "Malformed", "unknown Thrift compact type {found}"),
    5: ("TOO_DEEP", "Malformed", "nested deeper than {expected} levels"),
    6: ("COUNT_TOO_LARGE", "Malformed", "a count claims {expected} items, the {found} bytes left cannot hold them"),
    7: ("FIELD_TYPE", "Malformed", "a field has Thrift type {found}, expected {expected}"),
    8: ("FIELD_ID", "Malformed", "a field id leaves the 16-bit range"),
    9: ("NON_MINIMAL", "Malformed", "an extension's length is not minimally encoded: {found} bytes where {expected} are enough"),
    10: ("TWO_EXTENSIONS", "Malformed", "a second extension; the first one is at {expected}"),
    11: ("HAS_EXTENSION", "Refused", "the struct has an extension already"),
    12: ("FREE_FORM", "Refused", "free-form extension bytes without a block trailer"),
    13: ("STRAY_BYTES", "Malformed", "{found} stray bytes behind the struct"),
    14: ("CHECKSUM", "Damaged", "checksum {found:#010x}, expected {expected:#010x}"),
    15: ("BAD_OFFSET", "Damaged", "an offset leads to {found}, outside of what may hold it ({expected} bytes)"),
    16: ("BAD_CELL", "Damaged", "a cell is not the one asked for: found {found}, expected {expected}"),
    17: ("UNKNOWN_LAYOUT", "Unsupported", "a footer form of unknown layout (version {found}, expected {expected})"),
    18: ("IRREGULAR", "Unsupported", "a row group has {found} column chunks, the schema {expected} leaves"),
    19: ("MISSING_FIELD", "Malformed", "required field {expected} is absent"),
    20: ("SCHEMA", "Malformed", "the schema tree does not add up: {found} elements, expected {expected}"),
    21: ("TOO_LARGE", "Unsupported", "{found} bytes, the limit is {expected}"),
    22: ("NO_MEMORY", "MemoryError", "out of memory: {expected} bytes"),
    23: ("IO", "OSError", "reading {expected} bytes failed (errno {found})"),
    24: ("ARROW_SCHEMA", "Malformed", "ARROW:schema is not a valid Arrow schema"),
    25: ("NOT_A_STRUCT", "Malformed", "not a whole Thrift struct"),
    26: ("ENCRYPTED", "Refused", "the footer is encrypted or signed"),
    27: ("BAD_ARGUMENT", "ParquetextError", "argument out of range: {found}, limit {expected}"),
    28: ("NO_METADATA", "Unsupported", "a column chunk has no metadata"),
    29: ("MISMATCH", "Unsupported", "does not match the schema: {found}, expected {expected}"),
    30: ("UNSUPPORTED_VALUE", "Unsupported", "a value that this form cannot carry: {found}, the limit is {expected}"),
    31: ("BAD_VALUE", "Damaged", "a value that its place does not allow: {found}, expected {expected}"),
    32: ("VERBATIM", "Unsupported", "a flat footer that only carries a Thrift footer: its structure is none that the tables can say"),
    33: ("OUT_OF_PROPORTION", "Unsupported", "its names and tables would take {found} bytes or more; for a footer of this size the limit is {expected}"),
    34: ("COMPRESSED_TEXT", "Unsupported", "{found} bytes that should be decompressed to {expected}: libzstd is not installed, or they are damaged"),
    35: ("TOO_REGULAR", "Unsupported", "a footer of {found} bytes, of which the packed form has so few that it would not be read: the limit is {expected}"),
    40: ("THRIFT_CHECKSUM", "Malformed", "Thrift bytes with checksum {found:#010x}, the footer's index says {expected:#010x}"),
    41: ("TOO_MANY", "Unsupported", "{found} items, the limit is {expected}"),
    42: ("NO_THRIFT", "Refused", "a PAR3 file has no Thrift footer; parquetext.restore brings it back"),
    43: ("NOT_PARQUET", "Malformed", "not a Parquet file: neither PAR1 nor PAR3 and a footer are at its end"),
    64: ("PM_TRUNCATED", "Damaged", "the sidecar's header needs {expected} bytes, {found} are there"),
    65: ("PM_REQUIRED_FEATURES", "Unsupported", "the sidecar requires unknown features: flags {found:#x}"),
    66: ("PM_EXTERNAL_BLOOMS", "Damaged", "external Bloom filters without Bloom filters: feature flags {found:#x}"),
    67: ("PM_SORTED_BY_NOTHING", "Damaged", "sorted by a designated timestamp that is not there: feature flags {found:#x}"),
    68: ("PM_TIMESTAMP", "Damaged", "the designated timestamp is column {found} of {expected}"),
    69: ("PM_NAME", "Damaged", "a column's name reaches {found}, beyond its limit at {expected}"),
    70: ("PM_BLOOM_COUNT", "Damaged", "{found} columns with Bloom filters, of {expected} columns"),
    71: ("PM_BLOOM_COLUMN", "Damaged", "a Bloom filter of column {found}, of {expected} columns"),
    72: ("PM_BLOOM_ORDER", "Damaged", "columns with Bloom filters do not ascend: {found} behind {expected}"),
    73: ("PM_SIZE_BEYOND", "Damaged", "the committed size is {found}, {expected} bytes are there"),
    74: ("PM_SIZE_SMALL", "Damaged", "the committed size is {found}, the least is {expected}"),
    75: ("PM_FOOTER_LENGTH", "Damaged", "a footer of {found} bytes does not fit in {expected}"),
    76: ("PM_FOOTER_SHORT", "Damaged", "a footer of {found} bytes, its parts need {expected}"),
    77: ("PM_FOOTER_PLACE", "Damaged", "the footer begins at {found}, the header ends at {expected}"),
    78: ("PM_FOOTER_SPARE", "Damaged", "a footer of {found} bytes, {expected} of them for what it says it has"),
    79: ("PM_BLOCK", "Damaged", "a row group's block reaches {found}, beyond its limit at {expected}"),
    80: ("PM_STATISTIC", "Damaged", "a statistic reaches {found}, its region ends at {expected}"),
    81: ("PM_SCRATCHPAD_EMPTY", "Damaged", "a scratchpad without entries"),
    82: ("PM_SCRATCHPAD_SIZE", "Damaged", "a scratchpad of {found} bytes, the limit is {expected}"),
    83: ("PM_CHAIN", "Damaged", "no footer for a Parquet file of {expected} bytes"),
    84: ("PM_ROWS", "Damaged", "the row groups have more than {expected} rows"),
    85: ("PM_CODEC", "Damaged", "codec {found}, the last known one is {expected}"),
    86: ("PM_REPETITION", "Damaged", "a field repetition of {found}, the last known one is {expected}"),
    87: ("PM_SORTING_COLUMN", "Damaged", "sorted by column {found} of {expected}"),
    88: ("PM_BLOCK_OFFSET", "Unsupported", "a row group's block at {found}, the limit is {expected}"),
    89: ("PM_STATISTIC_LENGTH", "ParquetextError", "a statistic of {found} bytes, the limit is {expected}"),
    90: ("PM_FILE_PATH", "Unsupported", "a column chunk lies in another file"),
    91: ("PM_PREVIOUS", "Damaged", "the committed size before {expected} is {found}"),
    92: ("PM_SLICES", "Damaged", "the sidecar's note for slices: {found}, expected {expected}"),
    100: ("REFERENCE", "Damaged", "the reference to blocks that stand aside says {found}, expected {expected}"),
    110: ("ENCODING", "Unsupported", "encoding {found} of values of type {expected} is not read"),
    111: ("LEVEL", "Malformed", "a level of {found}, the highest one is {expected}"),
    112: ("DICTIONARY_INDEX", "Malformed", "index {found} into a dictionary of {expected} values"),
    113: ("BIT_WIDTH", "Malformed", "values of {found} bits, the most is {expected}"),
    114: ("RUN_LENGTH", "Malformed", "a run of {found} values, the limit is {expected}"),
    115: ("NO_DICTIONARY", "Malformed", "dictionary indices without a dictionary page before them"),
    116: ("DELTA_HEADER", "Malformed", "a delta header that says {found}: a block is a multiple of 128 values, a miniblock of 32"),
    117: ("DELTA_COUNT", "Malformed", "{found} deltas, the page has {expected} values"),
    118: ("BYTE_ARRAY_LENGTH", "Malformed", "a byte array of {found} bytes, {expected} are left"),
    119: ("PREFIX_LENGTH", "Malformed", "a prefix of {found} bytes of a value that has {expected}"),
    120: ("LEVEL_ENCODING", "Unsupported", "levels in encoding {found} are not read"),
    121: ("BOOLEAN", "Malformed", "a run of a boolean of {found}, the highest one is {expected}"),
    122: ("STREAM_SIZE", "Malformed", "streams of {found} bytes in all, no multiple of a value's {expected}"),
    125: ("VALUE_LENGTH", "Malformed", "a value of {found} bytes, the type has {expected}"),
    130: ("PAGE_NUMBER", "Malformed", "a page header says -{found}, a number below {expected}"),
    131: ("PAGE_HEADER_SIZE", "Malformed", "a page header does not end within {expected} bytes"),
    132: ("PAGE_SIZE", "Malformed", "a page of {found} bytes, {expected} are left of its column chunk"),
    133: ("PAGE_LEVELS", "Malformed", "levels of {found} bytes, the page has {expected}"),
    160: ("TOO_WIDE", "Malformed", "a number of {found} bytes does not fit in {expected}"),
    140: ("CHUNK_ENTRIES", "Malformed", "a page of {found} entries, the column chunk has {expected} left"),
    141: ("CHUNK_ROWS", "Malformed", "a page of {found} rows, the row group has {expected} left"),
    144: ("ROW_START", "Malformed", "a page that begins within a row, at repetition level {found}"),
    145: ("LEVELS_CONTRADICT", "Malformed", "a definition level of {found} within a list, the least is {expected}"),
    146: ("SECOND_DICTIONARY", "Malformed", "a second dictionary page in one column chunk"),
    139: ("PAGE_INDEX", "Malformed", "a list of pages whose page {found} does not begin where the one before it ends, or has no rows"),
    147: ("PAGE_TYPE", "Malformed", "a page of type {found} among data pages"),
    148: ("ROW_TOO_LARGE", "Unsupported", "a row whose byte arrays take more than {expected} bytes"),
    161: ("ALP_MODE", "Unsupported", "ALP values of kind {found} are not read"),
    162: ("ALP_COUNT", "Malformed", "{found} ALP values, the page has {expected}"),
    163: ("ALP_OFFSET", "Malformed", "an ALP vector at {found}, it must be at {expected}"),
    164: ("ALP_NUMBER", "Malformed", "an ALP page says {found}, the limit is {expected}"),
    134: ("LZ4_BLOCK", "Malformed", "an LZ4 block leads to {found} bytes, {expected} are there"),
    150: ("UNWRITTEN_ENCODING", "Unsupported", "encoding {found} of values of type {expected} is not written"),
    151: ("VALUE_OFFSET", "Malformed", "a value ends at {found}: before its start, or behind the {expected} bytes of all values"),
    152: ("VALUES_SIZE", "Malformed", "values of {found} bytes, {expected} are needed"),
    165: ("VECTOR_PACKING", "Unsupported", "vectors packed in mode {found}, only mode {expected} is read"),
    166: ("VECTOR_SIZE", "Malformed", "vectors of 2^{found} values, they have 2^3 to 2^{expected}"),
    167: ("VECTOR_COUNT", "Malformed", "vectors of {found} values in all, the page has {expected}"),
    168: ("VECTOR_OFFSET", "Malformed", "a vector at {found}, what is before it ends at {expected}"),
    169: ("EXCEPTION_COUNT", "Malformed", "{found} exceptions in a vector of {expected} values"),
    170: ("EXCEPTION_POSITION", "Malformed", "an exception at position {found} of a vector of {expected} values"),
    171: ("CODE_BITS", "Unsupported", "codes of {found} bits, only those of {expected} are read"),
    172: ("SYMBOL_LENGTH", "Malformed", "a symbol of {found} bytes, it has 1 to {expected}"),
    173: ("SYMBOL_CODE", "Malformed", "code {found}, there are {expected} symbols"),
}
TRUNCATED = 1
VARINT_TOO_LONG = 2
VARINT_OVERFLOW = 3
BAD_TYPE = 4
TOO_DEEP = 5
COUNT_TOO_LARGE = 6
FIELD_TYPE = 7
FIELD_ID = 8
NON_MINIMAL = 9
TWO_EXTENSIONS = 10
HAS_EXTENSION = 11
FREE_FORM = 12
STRAY_BYTES = 13
CHECKSUM = 14
BAD_OFFSET = 15
BAD_CELL = 16
UNKNOWN_LAYOUT = 17
IRREGULAR = 18
MISSING_FIELD = 19
SCHEMA = 20
TOO_LARGE = 21
NO_MEMORY = 22
IO = 23
ARROW_SCHEMA = 24
NOT_A_STRUCT = 25
ENCRYPTED = 26
BAD_ARGUMENT = 27
NO_METADATA = 28
MISMATCH = 29
UNSUPPORTED_VALUE = 30
BAD_VALUE = 31
VERBATIM = 32
OUT_OF_PROPORTION = 33
COMPRESSED_TEXT = 34
TOO_REGULAR = 35
THRIFT_CHECKSUM = 40
TOO_MANY = 41
NO_THRIFT = 42
NOT_PARQUET = 43
PM_TRUNCATED = 64
PM_REQUIRED_FEATURES = 65
PM_EXTERNAL_BLOOMS = 66
PM_SORTED_BY_NOTHING = 67
PM_TIMESTAMP = 68
PM_NAME = 69
PM_BLOOM_COUNT = 70
PM_BLOOM_COLUMN = 71
PM_BLOOM_ORDER = 72
PM_SIZE_BEYOND = 73
PM_SIZE_SMALL = 74
PM_FOOTER_LENGTH = 75
PM_FOOTER_SHORT = 76
PM_FOOTER_PLACE = 77
PM_FOOTER_SPARE = 78
PM_BLOCK = 79
PM_STATISTIC = 80
PM_SCRATCHPAD_EMPTY = 81
PM_SCRATCHPAD_SIZE = 82
PM_CHAIN = 83
PM_ROWS = 84
PM_CODEC = 85
PM_REPETITION = 86
PM_SORTING_COLUMN = 87
PM_BLOCK_OFFSET = 88
PM_STATISTIC_LENGTH = 89
PM_FILE_PATH = 90
PM_PREVIOUS = 91
PM_SLICES = 92
REFERENCE = 100
ENCODING = 110
LEVEL = 111
DICTIONARY_INDEX = 112
BIT_WIDTH = 113
RUN_LENGTH = 114
NO_DICTIONARY = 115
DELTA_HEADER = 116
DELTA_COUNT = 117
BYTE_ARRAY_LENGTH = 118
PREFIX_LENGTH = 119
LEVEL_ENCODING = 120
BOOLEAN = 121
STREAM_SIZE = 122
VALUE_LENGTH = 125
PAGE_NUMBER = 130
PAGE_HEADER_SIZE = 131
PAGE_SIZE = 132
PAGE_LEVELS = 133
TOO_WIDE = 160
CHUNK_ENTRIES = 140
CHUNK_ROWS = 141
ROW_START = 144
LEVELS_CONTRADICT = 145
SECOND_DICTIONARY = 146
PAGE_INDEX = 139
PAGE_TYPE = 147
ROW_TOO_LARGE = 148
ALP_MODE = 161
ALP_COUNT = 162
ALP_OFFSET = 163
ALP_NUMBER = 164
LZ4_BLOCK = 134
UNWRITTEN_ENCODING = 150
VALUE_OFFSET = 151
VALUES_SIZE = 152
VECTOR_PACKING = 165
VECTOR_SIZE = 166
VECTOR_COUNT = 167
VECTOR_OFFSET = 168
EXCEPTION_COUNT = 169
EXCEPTION_POSITION = 170
CODE_BITS = 171
SYMBOL_LENGTH = 172
SYMBOL_CODE = 173

# Parquet's enums and unions: their members' names by number.
NAMES_OF_TYPE = {0: "BOOLEAN", 1: "INT32", 2: "INT64", 3: "INT96", 4: "FLOAT", 5: "DOUBLE", 6: "BYTE_ARRAY", 7: "FIXED_LEN_BYTE_ARRAY"}
NAMES_OF_ENCODING = {0: "PLAIN", 2: "PLAIN_DICTIONARY", 3: "RLE", 4: "BIT_PACKED", 5: "DELTA_BINARY_PACKED", 6: "DELTA_LENGTH_BYTE_ARRAY", 7: "DELTA_BYTE_ARRAY", 8: "RLE_DICTIONARY", 9: "BYTE_STREAM_SPLIT", 10: "ALP"}
NAMES_OF_COMPRESSION_CODEC = {0: "UNCOMPRESSED", 1: "SNAPPY", 2: "GZIP", 3: "LZO", 4: "BROTLI", 5: "LZ4", 6: "ZSTD", 7: "LZ4_RAW"}
NAMES_OF_PAGE_TYPE = {0: "DATA_PAGE", 1: "INDEX_PAGE", 2: "DICTIONARY_PAGE", 3: "DATA_PAGE_V2"}
NAMES_OF_FIELD_REPETITION_TYPE = {0: "REQUIRED", 1: "OPTIONAL", 2: "REPEATED"}
NAMES_OF_CONVERTED_TYPE = {0: "UTF8", 1: "MAP", 2: "MAP_KEY_VALUE", 3: "LIST", 4: "ENUM", 5: "DECIMAL", 6: "DATE", 7: "TIME_MILLIS", 8: "TIME_MICROS", 9: "TIMESTAMP_MILLIS", 10: "TIMESTAMP_MICROS", 11: "UINT_8", 12: "UINT_16", 13: "UINT_32", 14: "UINT_64", 15: "INT_8", 16: "INT_16", 17: "INT_32", 18: "INT_64", 19: "JSON", 20: "BSON", 21: "INTERVAL"}
NAMES_OF_LOGICAL_TYPE = {1: "STRING", 2: "MAP", 3: "LIST", 4: "ENUM", 5: "DECIMAL", 6: "DATE", 7: "TIME", 8: "TIMESTAMP", 10: "INTEGER", 11: "UNKNOWN", 12: "JSON", 13: "BSON", 14: "UUID", 15: "FLOAT16", 16: "VARIANT", 17: "GEOMETRY", 18: "GEOGRAPHY", 19: "FILE"}
NAMES_OF_COLUMN_ORDER = {1: "TYPE_ORDER", 2: "IEEE_754_TOTAL_ORDER", 3: "INT96_TIMESTAMP_ORDER"}

# Bytes of one value by its physical type; within pages a BOOLEAN is a bit.
WIDTH_OF_TYPE = {PHYSICAL_BOOLEAN: 1, PHYSICAL_INT32: 4, PHYSICAL_INT64: 8, PHYSICAL_INT96: 12, PHYSICAL_FLOAT: 4, PHYSICAL_DOUBLE: 8}
WIDTH_IN_PAGES = {PHYSICAL_INT32: 4, PHYSICAL_INT64: 8, PHYSICAL_INT96: 12, PHYSICAL_FLOAT: 4, PHYSICAL_DOUBLE: 8}

# A flat table's fields: name: (slot, bytes), in slot order.
FLAT_TABLES = {
    "FileMetaData": {"version": (0, 4), "schema": (1, 4), "num_rows": (2, 8), "row_groups": (3, 4), "kv": (4, 4), "created_by": (5, 4), "encryption_algorithm_type": (6, 1), "encryption_algorithm": (7, 4), "footer_signing_key_metadata": (8, 4), "extensions": (24, 4)},
    "SchemaElement": {"type": (0, 1), "type_length": (1, 4), "repetition_type": (2, 1), "name": (3, 4), "num_children": (4, 4), "field_id": (5, 4), "logical_type_type": (6, 1), "logical_type": (7, 4), "column_order_type": (8, 1), "column_order": (9, 4)},
    "RowGroup": {"columns": (0, 4), "total_byte_size": (1, 8), "num_rows": (2, 8), "sorting_columns": (3, 4), "file_offset": (4, 8), "total_compressed_size": (5, 8), "ordinal": (6, 2)},
    "SortingColumn": {"column_idx": (0, 4), "descending": (1, 1), "nulls_first": (2, 1)},
    "ColumnChunk": {"metadata": (0, 4), "crypto_metadata_type": (1, 1), "crypto_metadata": (2, 4), "encrypted_column_metadata": (3, 4), "own": (19, 4)},
    "OwnChunk": {"column_index_offset": (0, 8), "offset_index_offset": (1, 8), "column_index_length": (2, 4), "offset_index_length": (3, 4), "file_path": (4, 4)},
    "ColumnMetadata": {"codec": (0, 1), "num_values": (1, 8), "total_uncompressed_size": (2, 8), "total_compressed_size": (3, 8), "key_value_metadata": (4, 4), "data_page_offset": (5, 8), "index_page_offset": (6, 8), "dictionary_page_offset": (7, 8), "statistics": (8, 4), "is_fully_dict_encoded": (9, 1), "bloom_filter": (10, 4), "geospatial_statistics": (11, 4), "encodings": (27, 2), "more_encodings": (28, 2)},
    "BloomFilterInfo": {"offset": (0, 8), "length": (1, 4)},
    "Statistics": {"null_count": (0, 8), "distinct_count": (1, 8), "min_lo4": (2, 4), "min_lo8": (3, 8), "min_hi8": (4, 8), "min_len": (5, 1), "max_lo4": (6, 4), "max_lo8": (7, 8), "max_hi8": (8, 8), "max_len": (9, 1), "exactness": (26, 1), "min_value": (27, 4), "max_value": (28, 4)},
    "BoundingBox": {"xmin": (0, 8), "xmax": (1, 8), "ymin": (2, 8), "ymax": (3, 8), "zmin": (4, 8), "zmax": (5, 8), "mmin": (6, 8), "mmax": (7, 8)},
    "GeospatialStatistics": {"bbox": (0, 4), "geospatial_types": (1, 4)},
    "AesGcm": {"aad_prefix": (0, 4), "aad_file_unique": (1, 4), "supply_aad_prefix": (2, 1)},
    "EncryptionWithColumnKey": {"path_in_schema": (0, 4), "key_metadata": (1, 4)},
    "KeyValue": {"key": (0, 4), "val": (1, 4)},
    "Extension": {"uuid": (0, 4), "data": (1, 4)},
    "Empty": {},
    "DecimalOptions": {"scale": (0, 4), "precision": (1, 4)},
    "TimeOptions": {"is_adjusted_to_utc": (0, 1), "unit": (1, 1)},
    "IntOptions": {"bit_width": (0, 1), "is_signed": (1, 1)},
    "VariantType": {"specification_version": (0, 1)},
    "GeometryType": {"crs": (0, 4)},
    "GeographyType": {"crs": (0, 4), "algorithm": (1, 1)},
}

# Fields that readers require, by struct: its name, and by field id (name, type, type of a list's items,
# number of the struct inside (0: none), True if it is required). The first struct is the footer.
RULES = [
    ("FileMetaData", {1: ("version", 5, 0, 0, True), 2: ("schema", 9, 12, 1, True), 3: ("num_rows", 6, 0, 0, True), 4: ("row_groups", 9, 12, 6, True), 5: ("key_value_metadata", 9, 12, 8, False)}),
    ("SchemaElement", {4: ("name", 8, 0, 0, True), 10: ("logicalType", 12, 0, 2, False)}),
    ("LogicalType", {5: ("DECIMAL", 12, 0, 3, False), 7: ("TIME", 12, 0, 4, False), 8: ("TIMESTAMP", 12, 0, 4, False), 10: ("INTEGER", 12, 0, 5, False)}),
    ("DecimalType", {1: ("scale", 5, 0, 0, True), 2: ("precision", 5, 0, 0, True)}),
    ("TimeType", {1: ("isAdjustedToUTC", 1, 0, 0, True), 2: ("unit", 12, 0, 0, True)}),
    ("IntType", {1: ("bitWidth", 3, 0, 0, True), 2: ("isSigned", 1, 0, 0, True)}),
    ("RowGroup", {1: ("columns", 9, 12, 9, True), 2: ("total_byte_size", 6, 0, 0, True), 3: ("num_rows", 6, 0, 0, True), 4: ("sorting_columns", 9, 12, 7, False)}),
    ("SortingColumn", {1: ("column_idx", 5, 0, 0, True), 2: ("descending", 1, 0, 0, True), 3: ("nulls_first", 1, 0, 0, True)}),
    ("KeyValue", {1: ("key", 8, 0, 0, True)}),
    ("ColumnChunk", {2: ("file_offset", 6, 0, 0, True), 3: ("meta_data", 12, 0, 10, False), 8: ("crypto_metadata", 12, 0, 14, False)}),
    ("ColumnMetaData", {1: ("type", 5, 0, 0, True), 2: ("encodings", 9, 5, 0, True), 3: ("path_in_schema", 9, 8, 0, False), 4: ("codec", 5, 0, 0, True), 5: ("num_values", 6, 0, 0, True), 6: ("total_uncompressed_size", 6, 0, 0, True), 7: ("total_compressed_size", 6, 0, 0, True), 8: ("key_value_metadata", 9, 12, 8, False), 9: ("data_page_offset", 6, 0, 0, True), 13: ("encoding_stats", 9, 12, 11, False), 17: ("geospatial_statistics", 12, 0, 12, False)}),
    ("PageEncodingStats", {1: ("page_type", 5, 0, 0, True), 2: ("encoding", 5, 0, 0, True), 3: ("count", 5, 0, 0, True)}),
    ("GeospatialStatistics", {1: ("bbox", 12, 0, 13, False)}),
    ("BoundingBox", {1: ("xmin", 7, 0, 0, True), 2: ("xmax", 7, 0, 0, True), 3: ("ymin", 7, 0, 0, True), 4: ("ymax", 7, 0, 0, True)}),
    ("ColumnCryptoMetaData", {2: ("ENCRYPTION_WITH_COLUMN_KEY", 12, 0, 15, False)}),
    ("EncryptionWithColumnKey", {1: ("path_in_schema", 9, 8, 0, True)}),
]
