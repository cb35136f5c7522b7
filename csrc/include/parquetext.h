/* parquetext: read and write Parquet's extensions, footers and their checksums, page headers, and
 * the encodings of values and levels, without a Thrift or FlatBuffers library. The library does not
 * decompress: pass decompressed pages.
 *
 * All functions accept untrusted bytes. For any input, no function reads outside [data, data +
 * size), recurses deeper than PQX_MAX_DEPTH, or reserves memory in proportion to a size that the
 * input claims; memory is proportional to the bytes that are present. Functions are thread-safe:
 * the only global state is the choice of a CRC routine, one idempotent atomic. Every function that
 * can fail returns a status, PQX_OK or one of the codes below, and fills `error` if it is not NULL.
 * Results are valid only after PQX_OK unless the function's text says otherwise. Offsets in errors
 * and results count from `data`. A function reserves memory only if its text says so. */
#ifndef PARQUETEXT_H
#define PARQUETEXT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(PQX_SHARED) && defined(__GNUC__)
#define PQX_API __attribute__((visibility("default")))
#else
#define PQX_API
#endif

#define PQX_ABI_VERSION 2

enum pqx_status {
    PQX_OK = 0,
    /* generated: error codes */
    PQX_TRUNCATED = 1,
    PQX_VARINT_TOO_LONG = 2,
    PQX_VARINT_OVERFLOW = 3,
    PQX_BAD_TYPE = 4,
    PQX_TOO_DEEP = 5,
    PQX_COUNT_TOO_LARGE = 6,
    PQX_FIELD_TYPE = 7,
    PQX_FIELD_ID = 8,
    PQX_NON_MINIMAL = 9,
    PQX_TWO_EXTENSIONS = 10,
    PQX_HAS_EXTENSION = 11,
    PQX_FREE_FORM = 12,
    PQX_STRAY_BYTES = 13,
    PQX_CHECKSUM = 14,
    PQX_BAD_OFFSET = 15,
    PQX_BAD_CELL = 16,
    PQX_UNKNOWN_LAYOUT = 17,
    PQX_IRREGULAR = 18,
    PQX_MISSING_FIELD = 19,
    PQX_SCHEMA = 20,
    PQX_TOO_LARGE = 21,
    PQX_NO_MEMORY = 22,
    PQX_IO = 23,
    PQX_ARROW_SCHEMA = 24,
    PQX_NOT_A_STRUCT = 25,
    PQX_ENCRYPTED = 26,
    PQX_BAD_ARGUMENT = 27,
    PQX_NO_METADATA = 28,
    PQX_MISMATCH = 29,
    PQX_UNSUPPORTED_VALUE = 30,
    PQX_BAD_VALUE = 31,
    PQX_VERBATIM = 32,
    PQX_OUT_OF_PROPORTION = 33,
    PQX_THRIFT_CHECKSUM = 40,
    PQX_TOO_MANY = 41,
    PQX_NO_THRIFT = 42,
    PQX_PM_TRUNCATED = 64,
    PQX_PM_REQUIRED_FEATURES = 65,
    PQX_PM_EXTERNAL_BLOOMS = 66,
    PQX_PM_SORTED_BY_NOTHING = 67,
    PQX_PM_TIMESTAMP = 68,
    PQX_PM_NAME = 69,
    PQX_PM_BLOOM_COUNT = 70,
    PQX_PM_BLOOM_COLUMN = 71,
    PQX_PM_BLOOM_ORDER = 72,
    PQX_PM_SIZE_BEYOND = 73,
    PQX_PM_SIZE_SMALL = 74,
    PQX_PM_FOOTER_LENGTH = 75,
    PQX_PM_FOOTER_SHORT = 76,
    PQX_PM_FOOTER_PLACE = 77,
    PQX_PM_FOOTER_SPARE = 78,
    PQX_PM_BLOCK = 79,
    PQX_PM_STATISTIC = 80,
    PQX_PM_SCRATCHPAD_EMPTY = 81,
    PQX_PM_SCRATCHPAD_SIZE = 82,
    PQX_PM_CHAIN = 83,
    PQX_PM_ROWS = 84,
    PQX_PM_CODEC = 85,
    PQX_PM_REPETITION = 86,
    PQX_PM_SORTING_COLUMN = 87,
    PQX_PM_BLOCK_OFFSET = 88,
    PQX_PM_STATISTIC_LENGTH = 89,
    PQX_PM_FILE_PATH = 90,
    PQX_PM_PREVIOUS = 91,
    PQX_PM_SLICES = 92,
    PQX_REFERENCE = 100,
    PQX_ENCODING = 110,
    PQX_LEVEL = 111,
    PQX_DICTIONARY_INDEX = 112,
    PQX_BIT_WIDTH = 113,
    PQX_RUN_LENGTH = 114,
    PQX_NO_DICTIONARY = 115,
    PQX_DELTA_HEADER = 116,
    PQX_DELTA_COUNT = 117,
    PQX_BYTE_ARRAY_LENGTH = 118,
    PQX_PREFIX_LENGTH = 119,
    PQX_LEVEL_ENCODING = 120,
    PQX_BOOLEAN = 121,
    PQX_STREAM_SIZE = 122,
    PQX_VALUE_LENGTH = 125,
    PQX_PAGE_NUMBER = 130,
    PQX_PAGE_HEADER_SIZE = 131,
    PQX_PAGE_SIZE = 132,
    PQX_PAGE_LEVELS = 133,
    PQX_TOO_WIDE = 160,
    PQX_CHUNK_ENTRIES = 140,
    PQX_CHUNK_ROWS = 141,
    PQX_ROW_START = 144,
    PQX_LEVELS_CONTRADICT = 145,
    PQX_SECOND_DICTIONARY = 146,
    PQX_PAGE_TYPE = 147,
    PQX_ROW_TOO_LARGE = 148,
    PQX_ALP_MODE = 161,
    PQX_ALP_COUNT = 162,
    PQX_ALP_OFFSET = 163,
    PQX_ALP_NUMBER = 164,
    PQX_LZ4_BLOCK = 134,
    PQX_UNWRITTEN_ENCODING = 150,
    PQX_VALUE_OFFSET = 151,
    PQX_VALUES_SIZE = 152,
    PQX_VECTOR_PACKING = 165,
    PQX_VECTOR_SIZE = 166,
    PQX_VECTOR_COUNT = 167,
    PQX_VECTOR_OFFSET = 168,
    PQX_EXCEPTION_COUNT = 169,
    PQX_EXCEPTION_POSITION = 170,
    PQX_CODE_BITS = 171,
    PQX_SYMBOL_LENGTH = 172,
    PQX_SYMBOL_CODE = 173,
    /* end of generated */
};

typedef struct pqx_error {
    int32_t code;    /* a pqx_status */
    uint64_t offset; /* offset of the first byte of the wrong value */
    uint64_t
        expected; /* the expected and the found value; the code's message defines their meaning */
    uint64_t found;
} pqx_error;

/* A range of bytes, relative to the start of the buffer that contains it. If length is 0, the range
 * is absent or empty. */
typedef struct pqx_range {
    uint32_t offset, length;
} pqx_range;

/* Return the version as "1.2.3", a static string. */
PQX_API const char *pqx_version(void);
PQX_API int pqx_abi_version(void);
/* Return the message of a status, a static string that contains {expected} and {found}; "" for
 * PQX_OK. */
PQX_API const char *pqx_status_message(int status);

/* ---- varint ---- */

/* Decode the ULEB128 at data[at], of at most 5 (32) or 10 (64) bytes. *next is the offset after it.
 */
PQX_API int pqx_varint_get32(const uint8_t *data, size_t size, size_t at, uint32_t *value,
                             size_t *next, pqx_error *error);
PQX_API int pqx_varint_get64(const uint8_t *data, size_t size, size_t at, uint64_t *value,
                             size_t *next, pqx_error *error);
/* Write the shortest form to `out`, which has room for 10 bytes. Return its length. */
PQX_API size_t pqx_varint_put(uint8_t *out, uint64_t value);
/* Return the length of the shortest form in bytes, 1 to 10. */
PQX_API size_t pqx_varint_size(uint64_t value);
/* Decode `count` varints, starting at data[at], into `values`. */
PQX_API int pqx_varint_get_many64(const uint8_t *data, size_t size, size_t at, int zigzag,
                                  uint64_t *values, size_t count, size_t *next, pqx_error *error);
PQX_API int pqx_varint_get_many32(const uint8_t *data, size_t size, size_t at, int zigzag,
                                  uint32_t *values, size_t count, size_t *next, pqx_error *error);
/* Encode `count` values; `out` has room for 10 bytes each. Return the number of bytes written. */
PQX_API size_t pqx_varint_put_many(const uint64_t *values, size_t count, int zigzag, uint8_t *out);

/* ---- CRC-32 (IEEE 802.3, as zlib's), XXH64 ---- */

/* Return the CRC after more data. `crc` is 0 for the first call and the previous result for later
 * calls. */
PQX_API uint32_t pqx_crc32(uint32_t crc, const uint8_t *data, size_t size);
/* Return the CRC of A || B, given crc(A), crc(B) and B's length in bytes. O(log length). */
PQX_API uint32_t pqx_crc32_combine(uint32_t crc_a, uint32_t crc_b, uint64_t length_b);
/* Return the name of an implementation that this CPU can run, best first: "vpclmul", "pclmul",
 * "pmull", "armv8", "slice16"; NULL if `index` is after the last one. */
PQX_API const char *pqx_crc32_implementation(size_t index);
/* Compute the CRC with the implementation `index`, or with the portable one if there is no such
 * implementation. For tests and benchmarks. */
PQX_API uint32_t pqx_crc32_with(size_t index, uint32_t crc, const uint8_t *data, size_t size);
PQX_API uint64_t pqx_xxh64(const uint8_t *data, size_t size, uint64_t seed);

/* ---- Bloom filters ---- */

/* Test `count` values, given by their hashes, against a split-block Bloom filter (parquet-format's
 * BloomFilter.md). A hash is the XXH64, with seed 0, of the plain bytes of the value without a
 * length. out[i] is 1 if the filter may contain the value and 0 if it certainly does not. `bitset`
 * contains the filter's blocks. PQX_BAD_ARGUMENT: not a whole number of blocks of 32 bytes, no
 * block, or 2^32 blocks or more. O(count). */
PQX_API int pqx_bloom_might_contain(const uint8_t *bitset, size_t size, const uint64_t *hashes,
                                    size_t count, uint8_t *out, pqx_error *error);

/* ---- Thrift compact protocol ---- */

typedef struct pqx_field {
    int16_t id;
    uint8_t type;      /* PQX_TYPE_*; the type of a boolean field contains its value */
    size_t header;     /* offset of the field's header */
    size_t value, end; /* the value's bytes: [value, end) */
} pqx_field;

/* Skip one value of compact type `type` that begins at data[at]. A boolean takes no byte in a field
 * and one in a list; here it takes none. `max_depth` limits the nesting of lists, sets, maps and
 * structs, this value included: 0 to PQX_MAX_DEPTH. */
PQX_API int pqx_thrift_skip(const uint8_t *data, size_t size, size_t at, int type, int max_depth,
                            size_t *end, pqx_error *error);
/* Check the struct at data[0] and all nested structs: no binary value may have more than
 * `most_bytes` (PQX_TOO_LARGE), and no list, set or map more than `most_items` (PQX_TOO_MANY). The
 * error's offset is that of the length. At most 64 levels, this one included. */
PQX_API int pqx_thrift_check_sizes(const uint8_t *data, size_t size, uint32_t most_bytes,
                                   uint32_t most_items, pqx_error *error);
/* Read the field header at data[at] and skip its value. At the stop byte *more is 0, and field->end
 * is the offset after it. `previous` is the id of the last field, 0 at first. `max_depth` applies
 * to the value. */
PQX_API int pqx_thrift_next(const uint8_t *data, size_t size, size_t at, int16_t previous,
                            int max_depth, pqx_field *field, int *more, pqx_error *error);
/* Find field `id` of the struct at data[at]; *found is 0 if there is none. The struct is read to
 * its stop byte. If the field is repeated, its last occurrence counts. */
PQX_API int pqx_thrift_find(const uint8_t *data, size_t size, size_t at, int16_t id, int max_depth,
                            pqx_field *field, int *found, pqx_error *error);
/* Follow a path from the struct at data[at]. A step is a field id in a struct, an index in a list
 * or set, and in a map 2 × n for the n-th key or 2 × n + 1 for its value. */
PQX_API int pqx_thrift_path(const uint8_t *data, size_t size, size_t at, const int32_t *steps,
                            size_t count, int max_depth, pqx_field *value, int *found,
                            pqx_error *error);

/* ---- extensions ---- */

enum pqx_marker { PQX_MARKER_NONE = 0, PQX_MARKER_SPEC = 1, PQX_MARKER_THRIFT = 2 };
enum pqx_placement { PQX_IN_STRUCT = 0, PQX_AFTER_STOP = 1 };

typedef struct pqx_extension {
    int marker; /* PQX_MARKER_NONE: no extension */
    int placement;
    size_t struct_end;      /* offset after the (last) stop byte of the struct */
    size_t header;          /* offset of the marker */
    size_t payload, length; /* the extension's bytes */
    size_t length_bytes;    /* length of the extension's ULEB128 in bytes */
} pqx_extension;

/* Find the extension of the struct at data[0], in one forward pass. If `file_metadata` is set, an
 * extension after the stop byte also counts, provided that only it and a 00 follow. If the struct
 * has no extension, the result is PQX_OK with PQX_MARKER_NONE. A second extension is
 * PQX_TWO_EXTENSIONS at its marker; `expected` is the marker of the first. Only the exact four
 * bytes of a marker are a marker. */
PQX_API int pqx_extension_find(const uint8_t *data, size_t size, int file_metadata, int max_depth,
                               pqx_extension *found, pqx_error *error);

typedef struct pqx_block {
    uint8_t uuid[16];
    uint64_t payload, length; /* offset from `data`, bytes */
    uint32_t crc;
} pqx_block;

/* Read the trailer that ends at data[end] without its payload; the payload's offset is set to 0.
 * Return 1 if the checksum of the length matches, else 0. Needs 28 bytes only. */
PQX_API int pqx_block_read_trailer(const uint8_t *data, size_t end, pqx_block *block);
/* Read the block whose trailer ends at data[end]. Its length is checked against its checksum and
 * against the available bytes; the payload's checksum is checked only if `check_payload` is set.
 * *found is 0 if no whole block ends there. */
PQX_API int pqx_block_before(const uint8_t *data, size_t end, int check_payload, pqx_block *block,
                             int *found);
/* Write the 28 bytes of a trailer. */
PQX_API void pqx_block_trailer(const uint8_t *payload, size_t length, const uint8_t uuid[16],
                               uint8_t out[28]);

/* ---- Parquet's enums ---- */

/* generated: enums */
#define PQX_PHYSICAL_BOOLEAN 0
#define PQX_PHYSICAL_INT32 1
#define PQX_PHYSICAL_INT64 2
#define PQX_PHYSICAL_INT96 3
#define PQX_PHYSICAL_FLOAT 4
#define PQX_PHYSICAL_DOUBLE 5
#define PQX_PHYSICAL_BYTE_ARRAY 6
#define PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY 7

#define PQX_ENCODING_PLAIN 0
#define PQX_ENCODING_PLAIN_DICTIONARY 2
#define PQX_ENCODING_RLE 3
#define PQX_ENCODING_BIT_PACKED 4
#define PQX_ENCODING_DELTA_BINARY_PACKED 5
#define PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY 6
#define PQX_ENCODING_DELTA_BYTE_ARRAY 7
#define PQX_ENCODING_RLE_DICTIONARY 8
#define PQX_ENCODING_BYTE_STREAM_SPLIT 9
#define PQX_ENCODING_ALP 10

#define PQX_CODEC_UNCOMPRESSED 0
#define PQX_CODEC_SNAPPY 1
#define PQX_CODEC_GZIP 2
#define PQX_CODEC_LZO 3
#define PQX_CODEC_BROTLI 4
#define PQX_CODEC_LZ4 5
#define PQX_CODEC_ZSTD 6
#define PQX_CODEC_LZ4_RAW 7

#define PQX_PAGE_DATA_PAGE 0
#define PQX_PAGE_INDEX_PAGE 1
#define PQX_PAGE_DICTIONARY_PAGE 2
#define PQX_PAGE_DATA_PAGE_V2 3
/* end of generated */

/* ---- encodings: writing ---- */

/* Values without nulls. BOOLEAN: bits, least significant first. BYTE_ARRAY: value i is
 * data[offsets[i]..offsets[i + 1]); the first offset need not be 0. Other types: little-endian
 * values of the type's width, or of `type_length` bytes each (FIXED_LEN_BYTE_ARRAY), back to back.
 * The caller owns all memory. */
typedef struct pqx_value_array {
    const uint8_t *data;
    size_t size;            /* bytes at `data`; bytes after the last value are ignored */
    const int32_t *offsets; /* BYTE_ARRAY: count + 1 offsets; else unused */
    uint64_t count;         /* at most 2^31 - 1, the limit of a page */
} pqx_value_array;

/* Return the capacity in bytes that pqx_encode needs for `count` values: the largest possible
 * result plus working space. For BYTE_ARRAY, `bytes` is the total size of the values; a larger
 * number is allowed. Return 0 if the encoding does not support the type or there are no values, and
 * SIZE_MAX if the size exceeds the address space. O(1). */
PQX_API size_t pqx_encode_bound(int encoding, int type, int32_t type_length, uint64_t count,
                                size_t bytes);
/* Encode values in the format of a page (parquet-format, Encodings.md): PLAIN of every type; RLE of
 * BOOLEAN, with its length; DELTA_BINARY_PACKED of INT32 and INT64, in blocks of 128;
 * DELTA_LENGTH_BYTE_ARRAY of BYTE_ARRAY; DELTA_BYTE_ARRAY of BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY;
 * BYTE_STREAM_SPLIT of FLOAT, DOUBLE, INT32, INT64 and FIXED_LEN_BYTE_ARRAY; ALP of FLOAT and
 * DOUBLE, at most 2^28 values, in vectors of 1,024. `out` has `capacity` bytes, at least
 * pqx_encode_bound. The first *size bytes are the result; the others are undefined.
 * PQX_UNWRITTEN_ENCODING; PQX_TOO_MANY; PQX_VALUES_SIZE: too few bytes; PQX_VALUE_OFFSET: `offsets`
 * descend or leave the bytes (the error's offset is that of the number in `offsets`, in bytes);
 * PQX_BAD_ARGUMENT: `type_length` below 1, or too little capacity. O(bytes). */
PQX_API int pqx_encode(int encoding, int type, int32_t type_length, const pqx_value_array *values,
                       uint8_t *out, size_t capacity, size_t *size, pqx_error *error);

/* Encode with ALP in vectors of 2^vector_bits values; vector_bits is 3 to 15. For each vector, a
 * sample determines the powers of ten that need the fewest bytes. A value that would not decode bit
 * for bit is stored unchanged. The bound is 0 if the type is not supported or if `vector_bits` is
 * out of range. */
PQX_API size_t pqx_encode_alp_bound(int type, uint64_t count, uint32_t vector_bits);
PQX_API int pqx_encode_alp(int type, const pqx_value_array *values, uint32_t vector_bits,
                           uint8_t *out, size_t capacity, size_t *size, pqx_error *error);

/* Encode levels of 0 to max_level, as RLE without its length or as BIT_PACKED. PQX_LEVEL: a level
 * is above max_level (offset: of the level, in bytes). Otherwise like pqx_encode. */
PQX_API size_t pqx_encode_levels_bound(uint32_t max_level, uint64_t count);
PQX_API int pqx_encode_levels(int encoding, const uint16_t *levels, uint64_t count,
                              uint32_t max_level, uint8_t *out, size_t capacity, size_t *size,
                              pqx_error *error);
/* Encode indices into a dictionary of `dictionary_count` values, preceded by the byte with the bit
 * width. PQX_DICTIONARY_INDEX: an index is not below dictionary_count (offset: of the index, in
 * bytes). Otherwise like pqx_encode. */
PQX_API size_t pqx_encode_indices_bound(uint32_t dictionary_count, uint64_t count);
PQX_API int pqx_encode_indices(const uint32_t *indices, uint64_t count, uint32_t dictionary_count,
                               uint8_t *out, size_t capacity, size_t *size, pqx_error *error);

/* A dictionary of values in order of first appearance. The caller owns the memory. */
typedef struct pqx_dictionary_room {
    uint32_t *indices; /* room for one index per value */
    uint8_t *values;   /* room for most_bytes, or for the bytes of all values if that is less */
    int32_t *offsets;  /* BYTE_ARRAY: room for most_values + 1, or count + 1 if that is less */
    uint32_t count;    /* set: distinct values */
    size_t size;       /* set: bytes of `values` that are in use */
} pqx_dictionary_room;
/* Find the distinct values and the dictionary index of each value. Values are equal if their bytes
 * are equal. If there are more than `most_values` distinct values, or if their PLAIN page exceeds
 * `most_bytes`, *fits is 0 and the room's contents are undefined. Any type except BOOLEAN; errors
 * as in pqx_encode. Reserves a hash table of at most 32 bytes per distinct value (and at least 16
 * KiB), and frees it. O(bytes). */
PQX_API int pqx_dictionary_of(int type, int32_t type_length, const pqx_value_array *values,
                              uint32_t most_values, size_t most_bytes, pqx_dictionary_room *room,
                              int *fits, pqx_error *error);

/* ---- memory that grows ---- */

/* A growable buffer that the functions below append to. Initialize it with zeros. `data` is
 * malloc'ed; the caller owns it and frees it with pqx_buffer_free. */
typedef struct pqx_buffer {
    uint8_t *data;
    size_t size, capacity;
} pqx_buffer;
PQX_API void pqx_buffer_free(pqx_buffer *buffer);

/* ---- encodings: reading ---- */

/* Decode the first `count` values of a decompressed page. The encoded values are data[at..size)
 * (after the levels). All types except BYTE_ARRAY: PLAIN of every type; RLE of BOOLEAN;
 * RLE_DICTIONARY and PLAIN_DICTIONARY; BYTE_STREAM_SPLIT of FLOAT, DOUBLE, INT32, INT64 and
 * FIXED_LEN_BYTE_ARRAY; DELTA_BINARY_PACKED of INT32 and INT64, DELTA_BYTE_ARRAY of
 * FIXED_LEN_BYTE_ARRAY and ALP of FLOAT and DOUBLE, for which `count` must be the number of values
 * of the page without nulls.
 * `out` has room for `count` values of the type's width, or of `type_length` bytes
 * (FIXED_LEN_BYTE_ARRAY), little-endian as stored. BOOLEAN: (count + 7) / 8 bytes, bits, least
 * significant first, the spare bits 0. `dictionary` contains the values that the indices refer to,
 * as this function decodes them from a dictionary page; NULL if there is none. *end is the offset
 * after the encoded values, or for runs the offset after the last run that was needed; it may be
 * NULL.
 * PQX_ENCODING; PQX_NO_DICTIONARY; PQX_DICTIONARY_INDEX; PQX_BIT_WIDTH; PQX_RUN_LENGTH;
 * PQX_BOOLEAN; PQX_STREAM_SIZE; PQX_ALP_MODE, _COUNT, _OFFSET, _NUMBER; PQX_TRUNCATED; the errors
 * of varints and deltas. After an error, `out` is undefined. Reads nothing outside [data, data +
 * size) and the dictionary; reserves no memory. O(count + bytes). */
PQX_API int pqx_decode(int encoding, int type, int32_t type_length, const uint8_t *data,
                       size_t size, size_t at, size_t count, const pqx_value_array *dictionary,
                       uint8_t *out, size_t *end, pqx_error *error);
/* Decode BYTE_ARRAY values: PLAIN, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY, RLE_DICTIONARY and
 * PLAIN_DICTIONARY. Otherwise like pqx_decode. Both buffers are emptied first. Value i is
 * bytes->data[offsets[i]..offsets[i + 1]), where `offsets` are the count + 1 numbers of type
 * int32_t at offsets->data; the first is 0. The dictionary also has offsets. Memory grows with the
 * decoded values: at most 64 bytes per input byte, or 256 KiB, are reserved in advance.
 * PQX_BYTE_ARRAY_LENGTH; PQX_PREFIX_LENGTH; PQX_TOO_LARGE: more than 2^31 - 1 bytes;
 * PQX_VALUE_OFFSET: the dictionary's offsets descend or leave its bytes; PQX_NO_MEMORY. */
PQX_API int pqx_decode_binary(int encoding, const uint8_t *data, size_t size, size_t at,
                              size_t count, const pqx_value_array *dictionary, pqx_buffer *offsets,
                              pqx_buffer *bytes, size_t *end, pqx_error *error);
/* Decode levels of 0 to max_level (at most 65535) from data[at..size), RLE without its length or
 * BIT_PACKED. `out` has room for `count` levels. PQX_LEVEL: a level is above max_level;
 * PQX_LEVEL_ENCODING. Otherwise like pqx_decode. */
PQX_API int pqx_decode_levels(int encoding, uint32_t max_level, const uint8_t *data, size_t size,
                              size_t at, size_t count, uint16_t *out, size_t *end,
                              pqx_error *error);
/* Decode indices into a dictionary of `dictionary_count` values, preceded by the byte with the bit
 * width. All indices are checked to be below dictionary_count. `out` has room for `count` indices.
 * Otherwise like pqx_decode. */
PQX_API int pqx_decode_indices(const uint8_t *data, size_t size, size_t at, size_t count,
                               uint32_t dictionary_count, uint32_t *out, size_t *end,
                               pqx_error *error);

/* ---- the model: facts of chunks, schema elements, row groups ---- */

/* generated: presence bits */
#define PQX_PRESENT_METADATA 0x1u
#define PQX_PRESENT_NUM_VALUES 0x2u
#define PQX_PRESENT_TOTAL_UNCOMPRESSED_SIZE 0x4u
#define PQX_PRESENT_TOTAL_COMPRESSED_SIZE 0x8u
#define PQX_PRESENT_DATA_PAGE_OFFSET 0x10u
#define PQX_PRESENT_INDEX_PAGE_OFFSET 0x20u
#define PQX_PRESENT_DICTIONARY_PAGE_OFFSET 0x40u
#define PQX_PRESENT_STATISTICS 0x80u
#define PQX_PRESENT_NULL_COUNT 0x100u
#define PQX_PRESENT_DISTINCT_COUNT 0x200u
#define PQX_PRESENT_MIN_VALUE 0x400u
#define PQX_PRESENT_MAX_VALUE 0x800u
#define PQX_PRESENT_MIN 0x1000u
#define PQX_PRESENT_MAX 0x2000u
#define PQX_PRESENT_MIN_EXACT_SET 0x4000u
#define PQX_PRESENT_MIN_EXACT 0x8000u
#define PQX_PRESENT_MAX_EXACT_SET 0x10000u
#define PQX_PRESENT_MAX_EXACT 0x20000u
#define PQX_PRESENT_BLOOM_FILTER_OFFSET 0x40000u
#define PQX_PRESENT_BLOOM_FILTER_LENGTH 0x80000u
#define PQX_PRESENT_OFFSET_INDEX 0x100000u
#define PQX_PRESENT_COLUMN_INDEX 0x200000u
#define PQX_PRESENT_FULLY_DICTIONARY_ENCODED 0x400000u
#define PQX_PRESENT_FILE_PATH 0x800000u
#define PQX_PRESENT_KEY_VALUES 0x1000000u
#define PQX_PRESENT_CRYPTO 0x2000000u
#define PQX_PRESENT_CODEC 0x4000000u
#define PQX_PRESENT_TYPE 0x8000000u
#define PQX_PRESENT_FILE_OFFSET 0x10000000u
#define PQX_PRESENT_PATH_IN_SCHEMA 0x20000000u
/* end of generated */

/* The metadata of one column chunk, from any footer form. `present` has a bit (PQX_PRESENT_*) for
 * each optional value. An absent value is -1 (counts, offsets, codec, type) or an empty range. The
 * ranges of bounds are relative to the buffer that the form documents: the footer for Thrift, the
 * arena for flat. */
typedef struct pqx_chunk {
    int64_t num_values, total_uncompressed_size, total_compressed_size;
    int64_t data_page_offset, dictionary_page_offset;
    int64_t null_count, distinct_count;
    pqx_range chunk, metadata, statistics;    /* Thrift bytes; of the Thrift form only */
    pqx_range min_value, max_value, min, max; /* min, max: the deprecated pair */
    int32_t type, codec;
    uint32_t present;
    uint32_t encodings; /* bit e: encoding e (below 32) is listed */
} pqx_chunk;            /* 128 bytes */

/* Offsets and lengths of page indexes and Bloom filters, which few writers write. */
typedef struct pqx_places {
    int64_t index_page_offset, bloom_filter_offset, offset_index_offset, column_index_offset;
    int32_t bloom_filter_length, offset_index_length, column_index_length;
    uint32_t reserved;
} pqx_places; /* 48 bytes */

/* FLOAT16: signed, compared as half floats. LITTLE_ENDIAN: signed, for TIMESTAMP in 12 bytes. */
enum pqx_sort_order {
    PQX_ORDER_UNDEFINED = 0,
    PQX_ORDER_SIGNED = 1,
    PQX_ORDER_UNSIGNED = 2,
    PQX_ORDER_FLOAT16 = 3,
    PQX_ORDER_LITTLE_ENDIAN = 4
};

typedef struct pqx_element {
    pqx_range bytes, name, logical_type; /* Thrift bytes; logical_type: of the union struct */
    int32_t type, type_length, repetition, num_children, converted_type,
        field_id;                   /* -1: absent (field_id: INT32_MIN) */
    int32_t parent;                 /* an element's index, -1 for the root */
    int32_t first_leaf, leaf_count; /* the leaves below; for a leaf: itself, 1 */
    uint8_t max_definition, max_repetition;
    uint8_t column_order; /* leaves: field id of the ColumnOrder union, 0 absent */
    uint8_t sort_order;   /* leaves: pqx_sort_order, derived from type and annotations */
} pqx_element;

typedef struct pqx_row_group {
    pqx_range bytes, columns, sorting_columns; /* columns, sorting_columns: the list values */
    int64_t num_rows, total_byte_size, file_offset,
        total_compressed_size; /* the last two: -1 absent */
    int32_t ordinal;           /* -1: absent */
    uint32_t chunk_count;
} pqx_row_group;

typedef struct pqx_key_value {
    pqx_range bytes, key, value;
    uint8_t has_value;
} pqx_key_value;

/* ---- pages ---- */

/* One page header. Absent values are -1 (numbers) or an empty range. Every range is relative to the
 * first byte of the header. */
typedef struct pqx_page {
    uint64_t offset;                            /* of the header, from `data` */
    int64_t null_count;                         /* of the statistics */
    uint32_t header_size;                       /* the body follows */
    int32_t type;                               /* PQX_PAGE_*, or an unknown number */
    int32_t compressed_size, uncompressed_size; /* of the body; levels included */
    int32_t num_values;                         /* of data and dictionary pages */
    int32_t num_nulls, num_rows;                /* of V2 */
    int32_t encoding, definition_encoding, repetition_encoding;
    int32_t definition_size, repetition_size; /* of V2: bytes of levels */
    uint32_t crc;                             /* of the body as stored, if has_crc is set */
    uint32_t present; /* contents of the statistics: PQX_PRESENT_STATISTICS, _NULL_COUNT, _MIN … */
    pqx_range statistics;                     /* the struct */
    pqx_range min_value, max_value, min, max; /* min, max: the deprecated pair */
    uint8_t has_crc, is_compressed, is_sorted, reserved;
    uint32_t spare;
} pqx_page; /* 120 bytes */

/* Read the page header at data[at], of at most 16 MiB. A field whose type differs from
 * parquet.thrift is skipped like an unknown field. If a field is repeated, its last occurrence
 * counts. PQX_MISSING_FIELD (expected: its id; offset: of the struct): the type, a size, the struct
 * that the page type requires, or a required field of that struct is missing. PQX_PAGE_NUMBER: a
 * negative size or count of values. PQX_PAGE_LEVELS: the levels of a V2 page are larger than the
 * page. PQX_PAGE_HEADER_SIZE: no end within 16 MiB. O(header). */
PQX_API int pqx_page_header(const uint8_t *data, size_t size, size_t at, pqx_page *page,
                            pqx_error *error);
/* Read the page headers of a column chunk that begin in data[at..size), one after another, into
 * pages[0..capacity). `end` is the end of the chunk; it may be after `size`, because bodies need
 * not be in memory. *count is the number of headers read. *next is the offset of the next page, or
 * `end` after the last page. If *next is smaller and *count < capacity, the header at *next does
 * not end before `size`: call again with more bytes from *next on. After an error *count and *next
 * are also valid, and the page at *next is the wrong one. PQX_PAGE_SIZE: the page extends beyond
 * `end`. O(headers). */
PQX_API int pqx_page_walk(const uint8_t *data, size_t size, uint64_t at, uint64_t end,
                          pqx_page *pages, size_t capacity, size_t *count, uint64_t *next,
                          pqx_error *error);

/* The parts of a page's body: offsets from its start. */
typedef struct pqx_page_parts {
    size_t repetition, repetition_end; /* the encoded levels alone, without their length */
    size_t definition, definition_end;
    size_t values;
} pqx_page_parts;

/* Find the parts of a page's body of `size` bytes. The body of a V1 page must be decompressed. The
 * body of a V2 page, whose levels are never compressed, may be as stored or decompressed. The
 * maximum levels are those of the column, at most 65535. Levels that the column does not have are
 * empty; so are all parts of an empty body without values. PQX_LEVEL_ENCODING: neither RLE nor
 * BIT_PACKED. PQX_PAGE_LEVELS: the levels extend beyond the body. Offsets in errors count from
 * `body`. O(1). */
PQX_API int pqx_page_levels(const pqx_page *page, const uint8_t *body, size_t size,
                            uint32_t max_definition, uint32_t max_repetition, pqx_page_parts *parts,
                            pqx_error *error);
/* Count the rows that begin in a data page (the entries at repetition level 0) and its values (the
 * entries at the maximum definition level) from its levels. The arguments are those of
 * pqx_page_levels; of a V2 page, the levels are sufficient. PQX_LEVEL, PQX_TRUNCATED,
 * PQX_RUN_LENGTH: the levels cannot be decoded. O(bytes of levels); reserves no memory. */
PQX_API int pqx_page_counts(const pqx_page *page, const uint8_t *body, size_t size,
                            uint32_t max_definition, uint32_t max_repetition, uint64_t *rows,
                            uint64_t *values, pqx_error *error);

/* ---- columns: pages in, arrays out ---- */

/* A leaf of a schema and the requested output. */
typedef struct pqx_decoder_leaf {
    int32_t type, type_length; /* PQX_PHYSICAL_*; bytes of a FIXED_LEN_BYTE_ARRAY */
    uint16_t max_definition, max_repetition;
    uint16_t repeated_definition; /* definition level of the innermost repeated field around it (0:
                                     none): an entry with a lower level has no slot in the array */
    uint8_t keeps_definition; /* keep definition levels, for the structs around the leaf; the levels
                                 of lists are always kept */
    uint8_t forgets; /* check the values without keeping them: pqx_decoder_take returns no values */
    uint32_t most_bytes; /* limit for the byte arrays of one pqx_decoded, at most 2^31 - 1; 0: that
                            maximum */
    uint32_t reserved;   /* 0 */
    uint64_t rows;       /* expected number of rows before the next take, if known: room for them is
                            reserved at once, at most 64 bytes per input byte */
} pqx_decoder_leaf;

/* The decoded entries as the buffers of an Arrow array, aligned to 64. The caller owns the memory,
 * independently of the decoder, and frees it with pqx_decoded_free. */
typedef struct pqx_decoded {
    uint64_t entries; /* pairs of levels; without repetition equal to rows */
    uint64_t rows;    /* rows that begin in it */
    uint64_t slots;   /* entries that have a slot in the array: all except null and empty lists */
    uint64_t nulls;   /* slots without a value */
    uint64_t size;    /* bytes of `values` */
    uint8_t *values;  /* of the type's width, zeros for nulls; BOOLEAN: bits; BYTE_ARRAY: bytes. May
                         be NULL if `size` is 0 */
    uint8_t *valid;   /* bits, least significant first, over slots; NULL without nulls */
    int32_t *offsets; /* BYTE_ARRAY: slots + 1, the first one 0; else NULL */
    uint16_t *definition; /* per entry, if kept; NULL if all levels are the maximum */
    uint16_t *repetition; /* per entry; NULL without repetition or entries */
} pqx_decoded;
/* Free the buffers and set all members to zero. A zeroed struct stays unchanged. */
PQX_API void pqx_decoded_free(pqx_decoded *decoded);

/* Decodes a leaf: the caller supplies pages one after another and reads any number of rows. Use it
 * from one thread at a time. */
typedef struct pqx_decoder pqx_decoder;

/* The input that a decoder needs next. */
enum pqx_decoder_state {
    PQX_DECODER_READY = 0, /* none: the rows were read, or all supplied pages are used up */
    PQX_DECODER_OPEN =
        1, /* the last row may continue in the next page: supply it and read on (with 0 rows if no
              more are requested); if there is no other page, the row is complete */
    PQX_DECODER_FULL = 2 /* the output is full: take it, then read on */
};
enum pqx_decoder_part {
    PQX_DECODER_PAGE = 0, /* the values in its header */
    PQX_DECODER_LEVELS = 1,
    PQX_DECODER_VALUES = 2,
    PQX_DECODER_DICTIONARY = 3
};

/* Create a decoder; free it with pqx_decoder_close. Memory grows with the decoded values.
 * PQX_BAD_ARGUMENT: no such type, length or level, or `reserved` is not 0; PQX_NO_MEMORY. *decoder
 * is NULL after an error. */
PQX_API int pqx_decoder_open(const pqx_decoder_leaf *leaf, pqx_decoder **decoder, pqx_error *error);
/* Free a decoder, which may be NULL. Buffers that were taken remain valid. */
PQX_API void pqx_decoder_close(pqx_decoder *decoder);
/* Begin the next column chunk, of at most the given numbers of entries and rows (UINT64_MAX:
 * unknown). Unread pages and the dictionary are dropped; decoded entries are kept. */
PQX_API int pqx_decoder_begin(pqx_decoder *decoder, uint64_t entries, uint64_t rows,
                              pqx_error *error);
/* Supply the decompressed body of the chunk's dictionary page: `count` PLAIN values. The bytes must
 * remain valid until the chunk ends. PQX_SECOND_DICTIONARY; the errors of PLAIN values. */
PQX_API int pqx_decoder_dictionary(pqx_decoder *decoder, const uint8_t *data, size_t size,
                                   uint64_t count, pqx_error *error);
/* Supply the next data page, decompressed. `levels` are the levels of a V2 page if they are
 * separate from the values, which may have been compressed; NULL if they precede the values in one
 * buffer. The bytes must remain valid until pqx_decoder_done reports the page. They are first read
 * when decoding reaches them. PQX_PAGE_TYPE. */
PQX_API int pqx_decoder_page(pqx_decoder *decoder, const pqx_page *header, const uint8_t *levels,
                             size_t levels_size, const uint8_t *values, size_t values_size,
                             pqx_error *error);
/* Decode, or skip, the rest of the last row and the next `rows` rows. *begun is the number of rows
 * that were begun: fewer than `rows` if the supplied pages end or *state is PQX_DECODER_FULL.
 * Errors, besides those of pqx_decode and pqx_page_levels: PQX_CHUNK_ENTRIES: a page has more
 * entries than remain in the chunk; PQX_ROW_START: a page begins within a row, and there is no row
 * before it; PQX_ROW_TOO_LARGE. Pages may have more rows than the chunk. Rows and nulls are counted
 * from the levels: num_rows and num_nulls of a V2 page header are not used. Offsets count from the
 * start of the part. After an error of any function, only pqx_decoder_failure and pqx_decoder_close
 * may be called; all other functions return PQX_BAD_ARGUMENT. O(bytes + decoded values). */
PQX_API int pqx_decoder_read(pqx_decoder *decoder, uint64_t rows, uint64_t *begun, int *state,
                             pqx_error *error);
PQX_API int pqx_decoder_skip(pqx_decoder *decoder, uint64_t rows, uint64_t *begun, int *state,
                             pqx_error *error);
/* Take the entries decoded since the last call: whole rows if the decoder is full, else all
 * entries. */
PQX_API int pqx_decoder_take(pqx_decoder *decoder, pqx_decoded *decoded, pqx_error *error);
/* Return how many of the chunk's first data pages are no longer needed. */
PQX_API uint64_t pqx_decoder_done(const pqx_decoder *decoder);
/* Return the data page of the chunk, counted from 0, and the part of it in which the error
 * occurred. */
PQX_API void pqx_decoder_failure(const pqx_decoder *decoder, uint64_t *page, int *part);

/* ---- page locations ---- */

/* The location of a data page (PageLocation); absent values are -1. */
typedef struct pqx_page_location {
    int64_t offset, first_row;
    int32_t size; /* as stored, with its header */
    uint32_t reserved;
} pqx_page_location;
/* Read the locations in an OffsetIndex: *count is their number, of which the first `capacity` are
 * stored. Every location takes at least one byte, so *count is at most `size`. A field of an
 * unexpected type is skipped like an unknown field. O(size); reserves no memory. */
PQX_API int pqx_page_locations(const uint8_t *data, size_t size, pqx_page_location *locations,
                               size_t capacity, size_t *count, pqx_error *error);

/* Compute the decompressed size of an LZ4 block (lz4's doc/lz4_Block_format.md) without
 * decompressing it: at most 255 times `size`. PQX_TRUNCATED, PQX_LZ4_BLOCK: not a block, or a match
 * begins before the start of the block. O(size). */
PQX_API int pqx_lz4_size(const uint8_t *data, size_t size, uint64_t *decompressed,
                         pqx_error *error);

/* ---- scan: a whole Thrift footer into arrays ---- */

typedef struct pqx_scan {
    int32_t version;
    int64_t num_rows;
    size_t end; /* offset after the struct's stop byte, extension included */
    uint32_t element_count, leaf_count, row_group_count, key_value_count;
    uint8_t regular; /* every row group has one chunk per leaf */
    uint8_t has_key_values, has_created_by, has_column_orders;
    uint8_t encrypted;     /* crypto fields: footer (1), chunks (2) */
    uint8_t has_extension; /* 1 if a field header is an extension's marker or if a marker follows
                              the stop byte */
    pqx_range created_by, schema, row_groups_list, key_values_list, column_orders;
    pqx_element *elements;
    uint32_t *leaves; /* leaf -> element */
    pqx_row_group *row_groups;
    uint64_t *first_chunk; /* row group -> its first chunk in `chunks` */
    pqx_chunk *chunks;     /* row-group major */
    pqx_places *places;    /* one per chunk, or NULL if no chunk has any */
    uint64_t chunk_count;
    pqx_key_value *key_values;
    pqx_error problem; /* see pqx_scan_loosely; code PQX_OK: none */
} pqx_scan;

/* Scan the FileMetaData at data[0], which must be smaller than 4 GiB. A field whose type differs
 * from parquet.thrift is skipped like an unknown field. If a field is repeated, its last occurrence
 * counts, as in Thrift libraries. Numbers are not checked. PQX_MISSING_FIELD: no schema, num_rows
 * or row_groups; a row group without columns or num_rows. PQX_SCHEMA: the elements do not form a
 * tree. Levels above 255 are reported as 255.
 * Reserves the arrays: at most 128 + 48 bytes per ColumnChunk present in the input (and half as
 * much again while they grow; initially for as many chunks of 32 bytes as fit in the remaining
 * input), 64 per element, 72 per row group, 28 per key-value; an array of 1 MiB or more is rounded
 * up to 2 MiB. The caller owns all arrays and frees them with pqx_scan_free. Up to four large
 * arrays, of 64 MiB at most, then stay mapped for the next scan; the system may reclaim the memory
 * after their first 2 MiB. After a failure no memory stays reserved. O(size). */
PQX_API int pqx_scan_footer(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error);
/* Scan like pqx_scan_footer, but report structural errors (PQX_MISSING_FIELD, PQX_SCHEMA) without
 * failing: scan->problem is the first one. Elements after the end of the tree then have no parent
 * and are not leaves, a group may have fewer children than it claims, and num_rows may be -1.
 * Writing a slice or a flat footer from such a scan fails with its problem. */
PQX_API int pqx_scan_loosely(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error);
/* Scan like pqx_scan_loosely, but only with the decoder for any order of fields: the reference for
 * tests and benchmarks of the fast decoder. */
PQX_API int pqx_scan_plainly(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error);
PQX_API void pqx_scan_free(pqx_scan *scan);
/* Find the leaves and the groups below the root whose path equals a name; '.' and NUL are
 * equivalent. Fills up to `capacity` ids, leaves first (a leaf's ordinal, or PQX_FLAT_GROUP | the
 * ordinal among the elements that are not leaves), and returns their number. `data` is the scanned
 * buffer. One pass over the elements, most of which are rejected by a byte or two; O(elements ×
 * size) in the worst case. */
PQX_API size_t pqx_scan_find_name(const uint8_t *data, const pqx_scan *scan, const uint8_t *name,
                                  size_t size, uint32_t *ids, size_t capacity);

/* Return the offset of a chunk's first page, computed from the footer's offsets (-1: absent): the
 * dictionary page if it is after the magic and before the data pages or if it is the only offset,
 * else the first data page. The result is one of the two, not checked against the file: it may be
 * negative, and together with the chunk's size it may exceed 2^63. */
PQX_API int64_t pqx_chunk_begin(int64_t data_page_offset, int64_t dictionary_page_offset);

typedef struct pqx_bytes {
    const uint8_t *data;
    size_t size;
} pqx_bytes;

/* Read a leaf's whole SchemaElement, for pqx_judge_bounds; the caller supplies the column order.
 * PQX_TRUNCATED, _BAD_TYPE and so on: not a Thrift struct. */
PQX_API int pqx_read_leaf(const uint8_t *thrift, size_t size, uint8_t column_order,
                          pqx_element *leaf, pqx_error *error);

/* generated: bounds */
#define PQX_BOUND_MIN 0x1u
#define PQX_BOUND_MAX 0x2u
#define PQX_BOUND_UNORDERED 0x4u
#define PQX_BOUND_NO_VALUE 0x8u
#define PQX_BOUND_NAN 0x10u
#define PQX_BOUND_INVERTED 0x20u
/* end of generated */

/* Check a pair of bounds by the leaf's type and order; returns bits PQX_BOUND_*. Every user of
 * bounds applies this rule: a bound is not trusted if it is a NaN or not a value of the type;
 * neither bound is trusted if they are inverted or if the order is undefined. `data` is NULL for an
 * absent bound. */
PQX_API uint32_t pqx_judge_bounds(const pqx_element *leaf, pqx_bytes min, pqx_bytes max);

/* Choose the trusted bounds of a chunk: min_value/max_value under a defined order, else the
 * deprecated pair for signed orders, each checked with pqx_judge_bounds. `bytes` is the buffer of
 * the chunk's ranges. *has: bit 0 min, bit 1 max. */
PQX_API void pqx_usable_bounds(const uint8_t *bytes, const pqx_chunk *chunk,
                               const pqx_element *leaf, pqx_range *min, pqx_range *max, int *has);

/* ---- required fields ---- */

/* The first struct that lacks a field that readers' parsers require; without it they reject the
 * whole footer. Nested structs come before the structs that contain them. A field of an unexpected
 * type counts as missing. */
typedef struct pqx_missing {
    uint64_t offset;       /* offset of the struct */
    uint32_t structure;    /* its number among the rules of csrc/tables/wire.toml */
    uint32_t field;        /* the field's id; 0: nothing is missing */
    uint64_t without_path; /* number of ColumnMetaData without path_in_schema, which can be derived
                              from the schema */
} pqx_missing;
/* Find the first missing field in the FileMetaData at the start of `data`. PQX_TRUNCATED, _BAD_TYPE
 * and so on: not a Thrift struct. O(size). */
PQX_API int pqx_find_missing(const uint8_t *data, size_t size, pqx_missing *missing,
                             pqx_error *error);

/* ---- catalog: the bounds of all chunks as columns ---- */

/* The interpretation of a leaf's bounds: the kind of value (0: bytes only) and the unit that it
 * counts since 1970 (0: none). */
/* generated: readings */
#define PQX_READING_SIGNED 0x1u
#define PQX_READING_UNSIGNED 0x2u
#define PQX_READING_BOOLEAN 0x3u
#define PQX_READING_FLOAT 0x4u
#define PQX_READING_TEXT 0x5u
#define PQX_READING_DECIMAL 0x6u
#define PQX_READING_INT96 0x7u
#define PQX_READING_VALUE 0xfu
#define PQX_READING_DAYS 0x10u
#define PQX_READING_MILLISECONDS 0x20u
#define PQX_READING_MICROSECONDS 0x30u
#define PQX_READING_NANOSECONDS 0x40u
#define PQX_READING_UNIT 0xf0u
/* end of generated */

/* Arrow buffers for the minima or the maxima, one entry per chunk. `valid` consists of
 * PQX_BOUND_BITMAPS bitmaps of (chunk_count + 7) / 8 bytes each, back to back. A bit is set if the
 * entry has bytes; is an integer; a double; valid UTF-8 text; a timestamp. An invalid entry is 0,
 * or has length 0. */
enum { PQX_BOUND_BITMAPS = 5 };
typedef struct pqx_bound_column {
    int64_t *numbers; /* chunk_count: an integer, or the bits of a double */
    int64_t *moments; /* chunk_count: microseconds since 1970, rounded down for minima and up for
                         maxima */
    int32_t *offsets; /* chunk_count + 1, into `bytes` */
    uint8_t *bytes, *valid;
} pqx_bound_column;

/* Compute the total bytes of the usable minima and maxima of all chunks. PQX_IRREGULAR: a row group
 * does not have one chunk per leaf. PQX_TOO_LARGE: more than offsets of 32 bits can represent.
 * `data` is the scanned buffer. O(chunks). */
PQX_API int pqx_bound_bytes(const uint8_t *data, const pqx_scan *scan, uint64_t *minima,
                            uint64_t *maxima, pqx_error *error);
/* Fill the buffers of minima and maxima, after pqx_bound_bytes has succeeded. `readings` has one
 * element per leaf: a PQX_READING_* of a value, combined (or) with one of a unit. A bound that is
 * not a value of that kind is reported as bytes only. O(chunks + bytes). */
PQX_API void pqx_bound_columns(const uint8_t *data, const pqx_scan *scan, const uint8_t *readings,
                               pqx_bound_column *minima, pqx_bound_column *maxima);

/* ---- Arrow's values: one leaf's bounds of a footer as the buffers of an array ---- */

/* The conversion of stored bytes to values of an Arrow type. `reading` is PQX_READING_* of a value:
 * - BOOLEAN: 1 byte to 1 bit, true if the byte is not 0. INT96: 12 bytes to an int64, nanoseconds
 * since 1970.
 * - DECIMAL, or SIGNED with a precision: a number of up to 10^precision - 1, of 38 digits in 16
 * bytes, of 76 in 32.
 * - SIGNED, UNSIGNED: an integer of 4 or 8 bytes, as signed, to an integer of `width` bytes that
 * can represent it; copied if the widths are equal. FLOAT, 0: `stored` bytes, copied.
 * - TEXT, 0 with stored 0: bytes of any length; TEXT must be valid UTF-8. `width` is 0.
 * A value of another length than `stored` (0: any), or that is not a value of the type, becomes
 * null. */
typedef struct pqx_arrow_type {
    uint32_t reading, stored, width, precision;
} pqx_arrow_type;
typedef struct pqx_arrow_values {
    uint8_t *valid;   /* (count + 7) / 8 bytes */
    uint8_t *values;  /* pqx_arrow_values_size bytes */
    int32_t *offsets; /* count + 1, if type->width is 0 and the type is not BOOLEAN; else unused */
    uint64_t nulls;   /* out */
    uint64_t size;    /* set: bytes of `values` in use */
} pqx_arrow_values;
/* Compute the size in bytes of `count` values; `stored[i].data` is NULL for a null.
 * PQX_BAD_ARGUMENT: no such type. PQX_TOO_LARGE: more than INT32_MAX. */
PQX_API int pqx_arrow_values_size(const pqx_arrow_type *type, const pqx_bytes *stored,
                                  uint64_t count, uint64_t *size, pqx_error *error);
/* Fill the buffers after pqx_arrow_values_size has succeeded. The caller reserves and clears them.
 * O(count + bytes). */
PQX_API void pqx_arrow_values_fill(const pqx_arrow_type *type, const pqx_bytes *stored,
                                   uint64_t count, pqx_arrow_values *out);

/* Convert big-endian integers of `stored` bytes each, or of any length given by count + 1 offsets
 * (decimals of BYTE_ARRAY), to little-endian integers of `width` bytes, 1 to 32, in out[0..count *
 * width). The result is 0 for nulls in `valid`, a bitmap or NULL. PQX_TOO_WIDE (offset: the value's
 * number, expected: width, found: its bytes): a value does not fit or has no bytes; PQX_TRUNCATED:
 * `values` is too short. */
PQX_API int pqx_wide_integers(const uint8_t *values, size_t size, const int32_t *offsets,
                              uint64_t count, uint32_t stored, const uint8_t *valid, uint32_t width,
                              uint8_t *out, pqx_error *error);
/* Convert INT96 timestamps (nanoseconds of a Julian day, the day) to counts since 1970 of `unit`
 * nanoseconds, a divisor of a day. As in other readers, results beyond 64 bits wrap around, and
 * Julian day 0 gives 0, because writers fill nulls with zeros. */
PQX_API int pqx_wide_instants(const uint8_t *values, size_t size, uint64_t count, uint64_t unit,
                              int64_t *out, pqx_error *error);
/* Convert timestamps of FIXED_LEN_BYTE_ARRAY(12), which are little-endian integers, to 64-bit
 * integers. PQX_TOO_WIDE (offset: the value's number): a value does not fit. */
PQX_API int pqx_wide_timestamps(const uint8_t *values, size_t size, uint64_t count, int64_t *out,
                                pqx_error *error);

/* ---- slice: a small Thrift footer for a projection ---- */

/* The input of a slice, from any footer form. Elements are in preorder, the root first; their
 * Thrift bytes are copied with a new num_children (0 for leaves). Chunks are in row-group major
 * order. If `thrift.data` is set, the whole Thrift struct is copied; otherwise the struct is
 * written from `facts` (and `places`, or NULL), limited to the values in `present`, without
 * statistics. `facts` are set in both cases. A Thrift struct with metadata and without
 * PQX_PRESENT_PATH_IN_SCHEMA takes path_in_schema from `paths`, which may be NULL if no chunk needs
 * it. */
typedef struct pqx_slice_element {
    pqx_bytes thrift;
    int32_t num_children;
    uint8_t column_order;
} pqx_slice_element;
typedef struct pqx_slice_chunk {
    pqx_bytes thrift;
    const pqx_chunk *facts;
    const pqx_places *places;
} pqx_slice_chunk;
typedef struct pqx_slice_row_group {
    int64_t num_rows, file_offset;
    int32_t ordinal;
} pqx_slice_row_group;
typedef struct pqx_slice_parts {
    int32_t version;
    const pqx_slice_element *elements;
    uint32_t element_count;
    const pqx_slice_row_group *row_groups;
    uint32_t row_group_count;
    const pqx_slice_chunk *chunks;
    uint32_t leaf_count;    /* row_group_count × leaf_count */
    const pqx_bytes *paths; /* per leaf: its path, NUL between the parts */
    const pqx_bytes *key_values;
    uint32_t key_value_count; /* Thrift KeyValue structs, verbatim */
    pqx_bytes arrow_schema;   /* the base64 text, or size 0 */
    pqx_bytes created_by;
    uint8_t has_created_by, has_column_orders;
} pqx_slice_parts;

/* Append the slice's FileMetaData to `out`. total_byte_size and total_compressed_size of a row
 * group are the sums over the chunks in the slice; num_rows of the file is the sum over the row
 * groups. parquet-java assigns a row group to a split by the begin of its first chunk + half of
 * total_compressed_size. If that position would be after the chunks, total_compressed_size is that
 * of the first chunk only; a file_offset with the same problem is recomputed. ARROW:schema follows
 * the other key-values. After a failure `out` is unchanged. Offsets in errors count from the
 * element's bytes. */
PQX_API int pqx_slice_write(const pqx_slice_parts *parts, pqx_buffer *out, pqx_error *error);

/* Append the slice of a scanned footer. `leaves` ascend; `row_groups` are in the requested order.
 * The groups above the leaves are included. With `arrow_schema`, ARROW:schema is projected to these
 * leaves (if the footer has a valid one). With `key_values`, the other key-values are included. */
PQX_API int pqx_slice_footer(const uint8_t *data, size_t size, const pqx_scan *scan,
                             const uint32_t *leaves, uint32_t leaf_count,
                             const uint32_t *row_groups, uint32_t row_group_count, int arrow_schema,
                             int key_values, pqx_buffer *out, pqx_error *error);

/* ---- ARROW:schema ---- */

/* The Arrow schema of a key-value, decoded on access: fields can be extracted one by one and
 * assembled again. The caller owns `text`, which must remain valid. */
typedef struct pqx_arrow_schema {
    const uint8_t *text; /* the base64 value, without its padding */
    size_t text_size;
    uint8_t *data;    /* room for the IPC message, malloc'ed; blocks are decoded on first use */
    uint8_t *decoded; /* per block: 1 if it is decoded */
    size_t size;      /* bytes of the message, prefix included */
    size_t *budget;   /* remaining bytes for all pieces together */
    uint32_t field_count;
    uint32_t fields, schema; /* offsets in `data`: the fields vector, the Schema table */
} pqx_arrow_schema;
/* Open a schema; `text` is the base64 value. Reserves size × 3 / 4 bytes and touches few of them;
 * free them with pqx_arrow_schema_free. Use a schema from one thread at a time. Offsets in errors
 * count from the decoded message. */
PQX_API int pqx_arrow_schema_parse(const uint8_t *text, size_t size, pqx_arrow_schema *schema,
                                   pqx_error *error);
PQX_API void pqx_arrow_schema_free(pqx_arrow_schema *schema);
/* Return the name of field `index`, valid until the schema is freed; "" if it has none. */
PQX_API int pqx_arrow_field_name(const pqx_arrow_schema *schema, uint32_t index, pqx_bytes *name,
                                 pqx_error *error);
/* Append field `index`, without its name, as one self-contained piece: a FlatBuffers Field table at
 * offset 0 whose offsets, vtables included, all point forward within the piece, and whose name
 * offset is the end of the piece. Its length is a multiple of 8. All pieces of one schema together
 * are at most 4 × its size + 1024 bytes, which limits the duplication of shared tables. A type or a
 * slot that is not in Schema.fbs of Arrow 24 is an error. */
PQX_API int pqx_arrow_field_piece(const pqx_arrow_schema *schema, uint32_t index, pqx_buffer *out,
                                  pqx_error *error);
/* Assemble pieces and names into an ARROW:schema value (base64), appended to `out`. If keep[i].data
 * is NULL, field i is kept whole. Otherwise keep[i] selects the children of a struct: one byte per
 * child (0: removed), then, in order, the same for each kept child that is itself a struct (below
 * lists, maps and dictionaries everything is kept); all bytes must be consumed. `keep` may be NULL.
 * The schema's metadata is omitted because it repeats the file's key-values. Pieces are untrusted:
 * they are checked on the way, and no field takes more than 4 × its piece + 1024 bytes. Offsets in
 * errors count from the piece. */
PQX_API int pqx_arrow_schema_build(const pqx_bytes *pieces, const pqx_bytes *names,
                                   const pqx_bytes *keep, uint32_t count, pqx_buffer *out,
                                   pqx_error *error);

/* ---- the flat footer ---- */

/* The contents of an extension slot of a flat footer. */
typedef struct pqx_flat_extension {
    uint8_t uuid[16];
    pqx_bytes data;
} pqx_flat_extension;

/* Append the flat footer's payload (docs/formats.md, without the 28-byte trailer) for a scanned
 * footer. `flags` may contain PQX_FLAT_WRITE_COMPACT: bounds of more than 16 bytes are shortened if
 * that is valid; PQX_FLAT_WRITE_VERBATIM: a footer that the tables cannot represent (PQX_ENCRYPTED,
 * _IRREGULAR, _MISMATCH, _MISSING_FIELD, _UNSUPPORTED_VALUE, _FIELD_TYPE, _SCHEMA) is stored
 * unchanged, without extensions, and can only be read by pqx_flat_to_thrift. Extensions, if any,
 * ascend by UUID. PQX_TOO_LARGE: 2 GiB, or a footer of more than 16 times its payload.
 * PQX_OUT_OF_PROPORTION: the payload exceeds 16 times the footer and its extensions, and 4 MiB; for
 * paths this is detected before anything is built. Temporarily reserves 4 bytes per table, 8 per
 * cell and 32 per schema element. After a failure `out` is unchanged. */
#define PQX_FLAT_WRITE_COMPACT 1
#define PQX_FLAT_WRITE_VERBATIM 2
PQX_API int pqx_flat_write(const uint8_t *footer, size_t size, const pqx_scan *scan, int flags,
                           const pqx_flat_extension *extensions, uint32_t extension_count,
                           pqx_buffer *out, pqx_error *error);
/* Append the Thrift FileMetaData, without an extension, that a whole payload in memory was written
 * from: byte for byte, or, for a compact payload, with its shortened bounds. The output, and
 * separately the memory reserved, is at most 64 times the payload (PQX_TOO_LARGE). O(size of both).
 * After a failure `out` is unchanged. */
PQX_API int pqx_flat_to_thrift(const uint8_t *payload, size_t size, pqx_buffer *out,
                               pqx_error *error);

/* A source of bytes for readers. `read` fills `into` with exactly `length` bytes from `offset` of
 * the file and returns 0, or an errno. It may be called from any thread that uses the reader. */
typedef struct pqx_source {
    int (*read)(void *context, uint64_t offset, size_t length, uint8_t *into);
    void *context;
    uint64_t size;
} pqx_source;
/* Return a source for a file descriptor, which the caller continues to own. */
PQX_API pqx_source pqx_source_fd(int fd, uint64_t size);

typedef struct pqx_flat pqx_flat;

/* Open the flat footer whose payload is [payload, payload + length) of the source. `known` are
 * `known_size` bytes of the source that end at `known_end` and have already been read; there may be
 * none. Checks the tail block and nothing else. Reserves the reader and a copy of the known bytes
 * of the payload; free them with pqx_flat_close. Use a reader from one thread at a time. */
PQX_API int pqx_flat_open(const pqx_source *source, uint64_t payload, uint64_t length,
                          const uint8_t *known, size_t known_size, uint64_t known_end,
                          pqx_flat **flat, pqx_error *error);
PQX_API void pqx_flat_close(pqx_flat *flat);

typedef struct pqx_flat_facts {
    int32_t version;
    int64_t num_rows;
    uint32_t leaf_count, node_count, row_group_count, key_value_count;
    uint8_t
        is_lossless; /* bounds are not shortened: pqx_flat_to_thrift returns the original bytes */
} pqx_flat_facts;
PQX_API void pqx_flat_get_facts(const pqx_flat *flat, pqx_flat_facts *facts);

/* Find the leaves and groups whose path equals a name; '.' and NUL are equivalent. Fills up to
 * `capacity` ids (a leaf's ordinal, or PQX_FLAT_GROUP | node) and returns their number. If lookups
 * encounter deliberately colliding names, the reader reads the whole payload, and puts all names
 * into a table under a random key, of 24 to 40 bytes for each name. */
#define PQX_FLAT_GROUP 0x80000000u
PQX_API int pqx_flat_find_name(pqx_flat *flat, const uint8_t *name, size_t size, uint32_t *ids,
                               size_t capacity, size_t *count, pqx_error *error);
PQX_API int pqx_flat_find_field_id(pqx_flat *flat, int32_t field_id, uint32_t *ids, size_t capacity,
                                   size_t *count, pqx_error *error);

/* The position of a leaf or group in the schema. Pointers are valid until the next call on this
 * reader. */
typedef struct pqx_flat_node {
    pqx_bytes thrift, path; /* SchemaElement; path with NUL between its parts, "" for the root */
    uint32_t parent;        /* node, PQX_FLAT_NONE for the root */
    uint32_t schema_index;  /* in preorder */
    uint32_t first_leaf, leaf_count;
    uint8_t column_order, max_definition, max_repetition;
} pqx_flat_node;
PQX_API int pqx_flat_get_node(pqx_flat *flat, uint32_t id, pqx_flat_node *node, pqx_error *error);

/* Read a leaf's chunks in the row groups [first, first + count). `chunks` has room for `count`;
 * `places` has too, or is NULL. Bounds are appended to `arena`, and the chunks' ranges are relative
 * to its start. Only the values that the flat form stores are set. */
PQX_API int pqx_flat_get_chunks(pqx_flat *flat, uint32_t leaf, uint32_t first, uint32_t count,
                                pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                                pqx_error *error);
/* Append to `out` the ColumnChunk structs of a leaf in the row groups [first, first + count), as
 * pqx_flat_to_thrift writes them, with one range of `out` for each. Errors and the size limit are
 * those of pqx_flat_to_thrift; after an error `out` may contain some of the structs. */
PQX_API int pqx_flat_get_chunk_structs(pqx_flat *flat, uint32_t leaf, uint32_t first,
                                       uint32_t count, pqx_buffer *out, pqx_range *ranges,
                                       pqx_error *error);
PQX_API int pqx_flat_get_row_groups(pqx_flat *flat, uint32_t first, uint32_t count,
                                    pqx_row_group *row_groups, pqx_error *error);
typedef struct pqx_sorting_column {
    int32_t column;
    uint8_t descending, nulls_first;
} pqx_sorting_column;
/* Read the sorting columns of a row group. Fills up to `capacity` and returns their number. */
PQX_API int pqx_flat_get_sorting_columns(pqx_flat *flat, uint32_t row_group,
                                         pqx_sorting_column *columns, size_t capacity,
                                         size_t *count, pqx_error *error);
/* Read key and value of pair `index`; value->data is NULL if there is no value. Valid until the
 * next call. */
PQX_API int pqx_flat_get_key_value(pqx_flat *flat, uint32_t index, pqx_bytes *key, pqx_bytes *value,
                                   pqx_error *error);
PQX_API int pqx_flat_get_created_by(pqx_flat *flat, pqx_bytes *created_by, int *present,
                                    pqx_error *error);
/* Read the extension slots: their number; UUID and length of one; its bytes, valid until the next
 * call. The number requires the list of all slots, the bytes only the cell of that slot. */
PQX_API int pqx_flat_get_extension_count(pqx_flat *flat, uint32_t *count, pqx_error *error);
PQX_API int pqx_flat_get_extension_name(pqx_flat *flat, uint32_t index, uint8_t uuid[16],
                                        uint32_t *size, pqx_error *error);
PQX_API int pqx_flat_get_extension(pqx_flat *flat, uint32_t index, pqx_bytes *data,
                                   pqx_error *error);
/* The slice for a projection, as pqx_slice_footer makes it. */
PQX_API int pqx_flat_slice(pqx_flat *flat, const uint32_t *leaves, uint32_t leaf_count,
                           const uint32_t *row_groups, uint32_t row_group_count, int arrow_schema,
                           int key_values, pqx_buffer *out, pqx_error *error);
/* Read the whole payload into memory, once, which is faster if many columns are used. Bytes are
 * still checked on use. */
PQX_API int pqx_flat_hold(pqx_flat *flat, pqx_error *error);
/* Return the number of reads and of bytes fetched so far. */
PQX_API void pqx_flat_io(const pqx_flat *flat, uint64_t *reads, uint64_t *bytes);

/* Check a whole payload in memory: every cell, that the vectors that other readers use refer to the
 * same tables, and that it converts to a Thrift footer. */
PQX_API int pqx_flat_verify(const uint8_t *payload, size_t size, pqx_error *error);

/* ---- the footer index ---- */

/* Append the footer index's payload (docs/formats.md, section 7, without the 28-byte trailer) for a
 * scanned footer. PQX_OUT_OF_PROPORTION: the paths, or the payload, exceed 16 times the footer and
 * 4 MiB; detected before anything is built. Temporarily reserves 32 bytes per schema element. After
 * a failure `out` is unchanged. */
PQX_API int pqx_index_write(const uint8_t *footer, size_t size, const pqx_scan *scan,
                            pqx_buffer *out, pqx_error *error);

/* Reads the Thrift footer through its index. The functions match those of pqx_flat above, with
 * these differences. Thrift bytes with a wrong checksum are PQX_THRIFT_CHECKSUM, which no other
 * form can repair; every other error is damage of the index. */
typedef struct pqx_index pqx_index;

/* Open the index whose payload is [payload, payload + length) of the source, of the Thrift footer
 * that begins at `footer`. The pieces that the index refers to are in the first `thrift_length`
 * bytes of the footer (see pqx_location). `known` is the same as for pqx_flat_open. Checks the tail
 * block and nothing else. Reserves the reader and a copy of `known`. */
PQX_API int pqx_index_open(const pqx_source *source, uint64_t footer, uint64_t thrift_length,
                           uint64_t payload, uint64_t length, const uint8_t *known,
                           size_t known_size, uint64_t known_end, pqx_index **index,
                           pqx_error *error);
PQX_API void pqx_index_close(pqx_index *index);
/* Read the Thrift footer and the index into memory, once, which is faster if most columns are used.
 */
PQX_API int pqx_index_hold(pqx_index *index, pqx_error *error);
PQX_API void pqx_index_get_facts(const pqx_index *index, pqx_flat_facts *facts);
PQX_API int pqx_index_find_name(pqx_index *index, const uint8_t *name, size_t size, uint32_t *ids,
                                size_t capacity, size_t *count, pqx_error *error);
PQX_API int pqx_index_find_field_id(pqx_index *index, int32_t field_id, uint32_t *ids,
                                    size_t capacity, size_t *count, pqx_error *error);
PQX_API int pqx_index_get_node(pqx_index *index, uint32_t id, pqx_flat_node *node,
                               pqx_error *error);
/* Append the chunks' Thrift bytes to `arena`; all ranges are relative to its start. All values of
 * the Thrift footer are set. Bounds are those of the footer, to be checked by pqx_usable_bounds
 * with *element, which is filled in if it is not NULL (its ranges are undefined). */
PQX_API int pqx_index_get_chunks(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                                 pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                                 pqx_element *element, pqx_error *error);
PQX_API int pqx_index_get_row_groups(pqx_index *index, uint32_t first, uint32_t count,
                                     pqx_row_group *row_groups, pqx_error *error);
PQX_API int pqx_index_get_sorting_columns(pqx_index *index, uint32_t row_group,
                                          pqx_sorting_column *columns, size_t capacity,
                                          size_t *count, pqx_error *error);
PQX_API int pqx_index_get_key_value(pqx_index *index, uint32_t number, pqx_bytes *key,
                                    pqx_bytes *value, pqx_error *error);
PQX_API int pqx_index_get_created_by(pqx_index *index, pqx_bytes *created_by, int *present,
                                     pqx_error *error);
PQX_API int pqx_index_slice(pqx_index *index, const uint32_t *leaves, uint32_t leaf_count,
                            const uint32_t *row_groups, uint32_t row_group_count, int arrow_schema,
                            int key_values, pqx_buffer *out, pqx_error *error);
/* Check a whole index in memory: in `data` the Thrift footer, extension included, is [footer,
 * size), and the payload is [payload, payload + length). Checks every cell, every checksum over
 * Thrift bytes, and that the payload is byte for byte the index of this footer: PQX_BAD_VALUE at
 * the first byte that differs. Offsets count from `data`. O(size). Reserves as much as
 * pqx_scan_footer and pqx_index_write, and a copy of `data`. */
PQX_API int pqx_index_verify(const uint8_t *data, size_t size, size_t footer, size_t thrift_length,
                             size_t payload, size_t length, pqx_error *error);
PQX_API void pqx_index_io(const pqx_index *index, uint64_t *reads, uint64_t *bytes);

/* ---- where the footer is ---- */

/* One of our blocks that is stored aside: in the data section of the file, directly before the
 * Thrift footer. */
typedef struct pqx_aside_block {
    uint8_t uuid[16];
    uint64_t payload;             /* offset in the file; its 28-byte trailer follows it */
    uint32_t length, trailer_crc; /* of the payload; the CRC-32 of the trailer */
} pqx_aside_block;

/* A reference to such blocks, as stored in an extension of FileMetaData. Its ranges are in the
 * payload that it was parsed from, which the caller owns. */
typedef struct pqx_reference {
    uint64_t start; /* offset of the Thrift footer before the blocks were added */
    uint32_t struct_length,
        struct_crc; /* the Thrift struct without extension, stop byte included; its CRC-32 */
    uint32_t block_count;
    const uint8_t *blocks;
    pqx_bytes tail_block; /* a copy of the end of the last payload; size 0: none */
} pqx_reference;

/* Parse the payload of a reference block of a file whose Thrift footer begins at `footer`, and
 * check that its blocks follow each other from `start` to the footer. The caller must check the
 * payload's checksum and that the struct ends at the recorded position. PQX_UNKNOWN_LAYOUT: an
 * unknown version; PQX_REFERENCE: any other inconsistency. Offsets of errors count from `payload`.
 */
PQX_API int pqx_reference_parse(const uint8_t *payload, size_t size, uint64_t footer,
                                pqx_reference *reference, pqx_error *error);
/* Return block `index` of reference->block_count, from front to back. */
PQX_API void pqx_reference_get_block(const pqx_reference *reference, uint32_t index,
                                     pqx_aside_block *block);

enum pqx_form { PQX_FORM_NONE = 0, PQX_FORM_FLAT = 1, PQX_FORM_INDEX = 2, PQX_FORM_PAR3 = 3 };

/* The best block to open a file by, with the arguments of pqx_flat_open and pqx_index_open. */
typedef struct pqx_location {
    int form;               /* if PQX_FORM_NONE, the other members are undefined */
    uint64_t footer;        /* offset of the Thrift footer; in a PAR3 file, of the payload */
    uint64_t thrift_length; /* the bytes of it that an index may refer to */
    uint64_t payload;
    uint32_t length;
    const uint8_t
        *known; /* bytes of the file that end at known_end; they are in `tail` or in `reference` */
    size_t known_size;
    uint64_t known_end;
    uint8_t reference[4096]; /* memory for a reference that is stored there as text */
} pqx_location;

/* Find our last block in a file of `file_size` bytes that ends in `tail`: in the extension of the
 * Thrift footer, aside from it through a reference in the extension, or alone (PAR3). A tail of 4
 * KiB nearly always suffices. Other software's blocks on top are skipped by their trailers.
 * PQX_FORM_NONE: the tail shows none; use the Thrift footer. The payload is not read. Do not move
 * `found` while its members are in use. */
PQX_API void pqx_locate(const uint8_t *tail, size_t tail_size, uint64_t file_size,
                        pqx_location *found);

/* ---- the metadata sidecar, `_pm` ---- */

/* generated: sidecar constants */
#define PQX_PM_CHUNK_BYTES 64
#define PQX_PM_CHUNK_CODEC 0
#define PQX_PM_CHUNK_ENCODINGS 1
#define PQX_PM_CHUNK_STAT_FLAGS 2
#define PQX_PM_CHUNK_STAT_SIZES 3
#define PQX_PM_CHUNK_NUM_VALUES 8
#define PQX_PM_CHUNK_BYTE_RANGE_START 16
#define PQX_PM_CHUNK_TOTAL_COMPRESSED 24
#define PQX_PM_CHUNK_NULL_COUNT 32
#define PQX_PM_CHUNK_DISTINCT_COUNT 40
#define PQX_PM_CHUNK_MIN_STAT 48
#define PQX_PM_CHUNK_MAX_STAT 56
#define PQX_PM_FEATURE_BLOOM_FILTERS 1
#define PQX_PM_FEATURE_BLOOM_FILTERS_EXTERNAL 2
#define PQX_PM_FEATURE_SORTED_BY_TIMESTAMP 4
#define PQX_PM_FEATURE_SQUASH_TRACKER 8
#define PQX_PM_FOOTER_FEATURE_SEQ_TXN 1
#define PQX_PM_FOOTER_FEATURE_SCRATCHPAD 2
#define PQX_PM_COLUMN_FLAG_LOCAL_KEY_IS_GLOBAL 1
#define PQX_PM_COLUMN_FLAG_IS_ASCII 2
#define PQX_PM_COLUMN_FLAG_DESCENDING 16
#define PQX_PM_STAT_MIN_PRESENT 1
#define PQX_PM_STAT_MIN_INLINED 2
#define PQX_PM_STAT_MIN_EXACT 4
#define PQX_PM_STAT_MAX_PRESENT 8
#define PQX_PM_STAT_MAX_INLINED 16
#define PQX_PM_STAT_MAX_EXACT 32
#define PQX_PM_STAT_DISTINCT_COUNT 64
#define PQX_PM_STAT_NULL_COUNT 128
/* end of generated */

/* The header of a sidecar, read and checked; it applies to all of its footers. The functions below
 * read directly from `data`, which the caller owns and must not change. `columns` are at offset 32,
 * 32 bytes each. */
typedef struct pqx_pm {
    const uint8_t *data;
    size_t size;
    uint64_t features; /* PQX_PM_FEATURE_*; readers ignore unknown bits of the lower half */
    int32_t designated_timestamp; /* column, -1: none */
    uint32_t column_count;
    uint32_t sorting_count;        /* the implicit sorting column included */
    uint32_t bloom_count;          /* columns with Bloom filters */
    size_t sorting, bloom_columns; /* offsets of uint32s */
    size_t end;                    /* offset after the header's last known section */
    int64_t squash_tracker;        /* -1: none */
} pqx_pm;

/* One snapshot: a footer and the positions of its parts. */
typedef struct pqx_pm_footer {
    uint64_t size; /* of the sidecar when this footer was committed */
    uint64_t offset;
    uint32_t length; /* up to and including the checksum */
    uint32_t parquet_footer_length, row_group_count;
    uint64_t parquet_footer_offset, unused_bytes;
    uint64_t previous;         /* committed size of the previous snapshot, 0: none */
    uint64_t features;         /* PQX_PM_FOOTER_FEATURE_* */
    uint64_t entries, blooms;  /* offsets: of block entries; of the Bloom filters' matrix */
    uint64_t scratchpad;       /* offset of its first entry */
    uint32_t scratchpad_count; /* 0: none */
    uint32_t checksum;         /* as stored */
    int64_t seq_txn;           /* -1: none */
} pqx_pm_footer;

/* Read the header of the sidecar in `data`. Checks flags, the designated timestamp, the position of
 * every name, and the sections. O(columns). */
PQX_API int pqx_pm_open(const uint8_t *data, size_t size, pqx_pm *pm, pqx_error *error);
/* Return the size at offset 0, written by the last commit. `size` is at least 8. */
PQX_API uint64_t pqx_pm_committed_size(const uint8_t *data);
/* Read the footer that ends at `committed`. Checks its position and flags, that its sections fill
 * it if all its features are known, and that every row group's block is between header and footer.
 * O(row groups). */
PQX_API int pqx_pm_get_footer(const pqx_pm *pm, uint64_t committed, pqx_pm_footer *footer,
                              pqx_error *error);
/* Find the newest footer that belongs to a Parquet file of `parquet_size` bytes, from the one at
 * `committed` backwards. PQX_PM_CHAIN: there is none. */
PQX_API int pqx_pm_find_footer(const pqx_pm *pm, uint64_t committed, uint64_t parquet_size,
                               pqx_pm_footer *footer, pqx_error *error);
/* Return the size in bytes of the Parquet file that a footer belongs to; *known is 0 if it exceeds
 * 64 bits. */
PQX_API uint64_t pqx_pm_parquet_size(const pqx_pm_footer *footer, int *known);
/* Compute the checksum of everything before a footer's checksum, and in the same pass that of the
 * previous snapshot. PQX_CHECKSUM: one of them differs. O(size). */
PQX_API int pqx_pm_check(const pqx_pm *pm, const pqx_pm_footer *footer, pqx_error *error);

typedef struct pqx_pm_column {
    pqx_bytes name;
    int32_t id, type, flags, fixed_byte_len;
    uint8_t physical_type, max_repetition, max_definition;
} pqx_pm_column;
PQX_API int pqx_pm_get_column(const pqx_pm *pm, uint32_t index, pqx_pm_column *column,
                              pqx_error *error);
/* Find the columns with this name. Fills up to `capacity` and returns their number. Leaves below
 * the same field have the same name. */
PQX_API void pqx_pm_find_name(const pqx_pm *pm, const uint8_t *name, size_t size, uint32_t *columns,
                              size_t capacity, size_t *count);
/* Read sorting column `index` of pm->sorting_count. */
PQX_API int pqx_pm_get_sorting_column(const pqx_pm *pm, uint32_t index, uint32_t *column,
                                      pqx_error *error);

/* Read the row counts of the row groups [first, first + count). PQX_PM_ROWS: one of them, or their
 * sum, exceeds 2^63 - 1. */
PQX_API int pqx_pm_get_rows(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t first,
                            uint32_t count, int64_t *rows, pqx_error *error);
/* Read one member of a column's chunks in the row groups [first, first + count); `member` is its
 * offset in the record, PQX_PM_CHUNK_*. Bytes: codec (above 7: PQX_PM_CODEC), encodings,
 * stat_flags, stat_sizes. Numbers: the others except the two statistics; -1 if the value is absent
 * or exceeds 2^63 - 1. */
PQX_API int pqx_pm_get_bytes(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                             uint32_t first, uint32_t count, int member, uint8_t *values,
                             pqx_error *error);
PQX_API int pqx_pm_get_numbers(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                               uint32_t first, uint32_t count, int member, int64_t *values,
                               pqx_error *error);
/* Read all numbers of these chunks in one pass: `count` of each member, in the order of the members
 * in the record. */
PQX_API int pqx_pm_get_all_numbers(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                                   uint32_t first, uint32_t count, int64_t *values,
                                   pqx_error *error);
/* Find the statistics of a column's chunks; offsets are into `data`. has[i]: bit 0 a minimum, bit 1
 * a maximum. */
PQX_API int pqx_pm_get_bounds(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                              uint32_t first, uint32_t count, uint8_t *has, uint64_t *min_offsets,
                              uint32_t *min_lengths, uint64_t *max_offsets, uint32_t *max_lengths,
                              pqx_error *error);

/* UNUSABLE: the filter has an impossible length or offset. */
enum pqx_pm_bloom_kind {
    PQX_PM_BLOOM_NONE = 0,
    PQX_PM_BLOOM_INLINE = 1,
    PQX_PM_BLOOM_EXTERNAL = 2,
    PQX_PM_BLOOM_UNUSABLE = 3
};
typedef struct pqx_pm_bloom {
    int kind;
    uint64_t offset,
        length; /* inline: of the bitset, in `data`; external: in the Parquet file, at its header */
} pqx_pm_bloom;
PQX_API int pqx_pm_get_bloom(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t row_group,
                             uint32_t column, pqx_pm_bloom *bloom, pqx_error *error);
/* Read the scratchpad entry at `at` (initially footer->scratchpad); *next is the offset of the next
 * entry. */
PQX_API void pqx_pm_get_scratch(const pqx_pm *pm, uint64_t at, uint32_t *code, pqx_bytes *value,
                                uint64_t *next);
/* Find the first entry with this code. Return 1, or 0 if there is none. */
PQX_API int pqx_pm_find_scratch(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t code,
                                pqx_bytes *value);
/* The current state of a local file; times in ns. */
typedef struct pqx_pm_file {
    uint64_t size;
    int64_t modified, changed;
    uint64_t device, inode;
} pqx_pm_file;
/* Return 1 if our note in the scratchpad (docs/sidecar.md) shows that the snapshot was made from
 * this file and that the file has not changed since, else 0. */
PQX_API int pqx_pm_is_of(const pqx_pm *pm, const pqx_pm_footer *footer, const pqx_pm_file *file);

/* The input for writing a column chunk. `flags`: PQX_PM_STAT_*, of which the writer sets PRESENT
 * and INLINED. */
typedef struct pqx_pm_chunk {
    uint64_t num_values, byte_range_start, total_compressed_size, null_count, distinct_count;
    pqx_bytes min, max;                  /* size 0: none */
    pqx_bytes bloom;                     /* inline filters: the bitset, size 0: none */
    uint64_t bloom_offset, bloom_length; /* external filters: in the Parquet file, both 0: none */
    uint8_t codec, encodings, flags;
} pqx_pm_chunk;
/* Convert a chunk's metadata from any footer form. `bytes` is the buffer of its ranges, `column`
 * its descriptor. A statistic is omitted if its width differs from the type's or if it has more
 * than 65535 bytes. Statistics of integers that the file compares as `unsigned_order` are omitted
 * if readers that compare as signed would see another order, except for IPv4 addresses, which have
 * no sign. A required leaf has no nulls. Of the Bloom filter in `places` (or NULL), only the
 * location is used. */
PQX_API int pqx_pm_chunk_of(const uint8_t *bytes, const pqx_chunk *facts, const pqx_places *places,
                            const pqx_pm_column *column, int unsigned_order, pqx_pm_chunk *chunk,
                            pqx_error *error);

/* The input for writing a header. A single sorting column that is the designated timestamp and
 * ascends stays implicit. */
typedef struct pqx_pm_table {
    const pqx_pm_column *columns;
    uint32_t column_count;
    const uint32_t *sorting;
    uint32_t sorting_count;
    const uint32_t *bloom_columns;
    uint32_t bloom_count;         /* ascending, each once */
    int32_t designated_timestamp; /* -1: none */
    uint8_t external_blooms;
    int64_t squash_tracker; /* -1: none */
} pqx_pm_table;
/* The input for writing a footer. */
typedef struct pqx_pm_scratch {
    uint32_t code;
    pqx_bytes value;
} pqx_pm_scratch;
typedef struct pqx_pm_end {
    uint64_t parquet_footer_offset, unused_bytes;
    uint32_t parquet_footer_length;
    int64_t seq_txn; /* -1: none */
    const pqx_pm_scratch *scratchpad;
    uint32_t scratchpad_count;
    pqx_bytes schema; /* in the format of pqx_pm_slices: a note with checksums of parts follows,
                         which lets plans read less. Only for a new sidecar whose last given note is
                         that of its file (PQTX), without a tag; empty: none */
} pqx_pm_end;

/* A new sidecar, or an addition to one, that is being written. Initialize it with zeros; free it
 * with pqx_pm_writer_free. */
typedef struct pqx_pm_writer {
    pqx_buffer out; /* the bytes to write at offset `base` */
    uint64_t base;
    uint64_t previous; /* committed size of the previous snapshot; 0 in a new sidecar */
    uint32_t crc;      /* of the bytes before `base` */
    uint32_t column_count, bloom_count;
    uint8_t external_blooms;
    uint32_t row_group_count;
    pqx_buffer bloom_columns, entries, blooms;
} pqx_pm_writer;
/* Begin a new sidecar and write its header. */
PQX_API int pqx_pm_write_header(pqx_pm_writer *writer, const pqx_pm_table *table, pqx_error *error);
/* Begin to append to a sidecar at `base`, which is at least footer->size and at most pm->size.
 * Bytes between the footer and `base` belong to no snapshot, but the checksum covers them. Row
 * groups and their filters are those of `footer`, in their existing blocks. */
PQX_API int pqx_pm_write_on(pqx_pm_writer *writer, const pqx_pm *pm, const pqx_pm_footer *footer,
                            uint64_t base, pqx_error *error);
/* Write a row group's block: one chunk per column. It replaces row group `at`, or adds one if `at`
 * is writer->row_group_count. A filter of a column that the header does not name is omitted. */
PQX_API int pqx_pm_write_row_group(pqx_pm_writer *writer, uint32_t at, uint64_t num_rows,
                                   const pqx_pm_chunk *chunks, pqx_error *error);
/* Write footer and trailer. The sidecar's new size is writer->base + writer->out.size. A new
 * sidecar already contains it at offset 0; for an existing sidecar the caller writes it last. */
PQX_API int pqx_pm_write_footer(pqx_pm_writer *writer, const pqx_pm_end *end, pqx_error *error);
PQX_API void pqx_pm_writer_free(pqx_pm_writer *writer);

/* The data that our sidecars store in addition to `_pm`, for slices of the Parquet footer
 * (docs/sidecar.md): schema, key-values, and the metadata of each chunk that `_pm` lacks. Read
 * directly from the note, which the caller owns. */
typedef struct pqx_pm_slices {
    pqx_bytes schema; /* a FileMetaData without row groups; ARROW:schema is its only key-value */
    pqx_bytes key_values; /* the others, Thrift structs back to back */
    uint32_t key_value_count, leaf_count, row_group_count;
    const uint8_t *ends; /* uint32s: the offset in `runs` after each leaf's run */
    pqx_bytes runs;
} pqx_pm_slices;
/* Read the note in `data`. PQX_PM_SLICES: its parts do not fill it, or its layout is unknown.
 * O(leaves). */
PQX_API int pqx_pm_open_slices(const uint8_t *data, size_t size, pqx_pm_slices *slices,
                               pqx_error *error);
/* Append the runs for the chunks of a scanned footer to `out`, and the end of each leaf's run to
 * `ends`, as uint32s relative to the first run. If a run cannot represent a chunk, *whole is 0 and
 * nothing is appended: the chunk is in another file, is encrypted, or lacks a field that readers
 * need. */
PQX_API int pqx_pm_write_runs(const pqx_scan *scan, pqx_buffer *ends, pqx_buffer *out, int *whole,
                              pqx_error *error);
/* Read the chunks of a leaf in the row groups [first, first + count) like those of a Thrift footer.
 * `element` is the leaf's element in the scanned schema. Ranges are relative to the sidecar's
 * start. PQX_PM_SLICES: note and sidecar do not match. O(row groups). */
PQX_API int pqx_pm_get_chunks(const pqx_pm *pm, const pqx_pm_footer *footer,
                              const pqx_pm_slices *slices, const pqx_element *element,
                              uint32_t leaf, uint32_t first, uint32_t count, pqx_chunk *chunks,
                              pqx_places *places, pqx_error *error);
/* Append the slice for a projection, like pqx_slice_footer. `data` and `schema` are the scanned
 * schema. */
PQX_API int pqx_pm_slice(const pqx_pm *pm, const pqx_pm_footer *footer, const pqx_pm_slices *slices,
                         const uint8_t *data, size_t size, const pqx_scan *schema,
                         const uint32_t *leaves, uint32_t leaf_count, const uint32_t *row_groups,
                         uint32_t row_group_count, int arrow_schema, int key_values,
                         pqx_buffer *out, pqx_error *error);

/* ---- planning many files at once ---- */

/* The usable minima or maxima of a column, one row group after another, as Arrow buffers: validity
 * bits, ends (int64, the first one 0; only if the width varies), bytes. */
typedef struct pqx_plan_side {
    pqx_buffer valid, ends, data;
} pqx_plan_side;
typedef struct pqx_plan_column {
    pqx_element element;      /* used to check the bounds */
    uint32_t leaf, width;     /* bytes of a bound, 0: it varies */
    pqx_buffer nulls, values; /* int64, -1 if unknown */
    pqx_plan_side min, max;
} pqx_plan_column;
/* Columns of files with the same schema. `columns` is malloc'ed; free it with pqx_plan_free. */
typedef struct pqx_plan {
    pqx_bytes schema;     /* from the first file's sidecar */
    uint64_t schema_hash; /* its pqx_xxh64, seed 0 */
    pqx_plan_column *columns;
    uint32_t column_count;
    uint64_t row_group_count; /* of all files added so far */
    pqx_buffer room;
} pqx_plan;

/* A local file's sidecar that stores the data for slices. Initialize it with zeros; it can be
 * reused for any number of files. */
enum pqx_plan_status {
    PQX_PLANNED = 0,     /* it matches the file's size and times */
    PQX_PLAN_NONE = 1,   /* there is no sidecar */
    PQX_PLAN_UNUSED = 2, /* it is stale, damaged or incomplete: read the file's footer instead */
    PQX_PLAN_OTHER = 3   /* its schema differs from the plan's */
};
typedef struct pqx_plan_sidecar {
    int status; /* pqx_plan_status; the members below are valid if it is PQX_PLANNED */
    pqx_pm pm;
    pqx_pm_footer footer;
    pqx_pm_slices slices;
    pqx_buffer bytes; /* the sidecar's bytes, which the members above point into */
    int is_partial;   /* read by parts: `bytes` contains the parts that the plan needs, at their
                         offsets; no `slices` */
    int folder,
        is_entered; /* the open folder of the last path, and other state kept from file to file */
    pqx_buffer folder_path, beside;
} pqx_plan_sidecar;
/* Read the sidecar of the file at `path`, replacing the previous one, and check that it belongs to
 * the file. With `verify`, its checksum must match. If a `plan` is given and the sidecar has
 * checksums of parts, only the parts that the plan needs are read; otherwise all of it is read. The
 * call fails only if memory runs out. */
PQX_API int pqx_plan_open(const char *path, const pqx_plan *plan, int verify,
                          pqx_plan_sidecar *opened, pqx_error *error);
PQX_API void pqx_plan_close(pqx_plan_sidecar *opened);
/* Append the values of the plan's columns from an opened sidecar. If its schema differs or the
 * values are damaged, its status becomes PQX_PLAN_OTHER or PQX_PLAN_UNUSED, and nothing is
 * appended. O(row groups). */
PQX_API int pqx_plan_gather(pqx_plan *plan, pqx_plan_sidecar *opened, pqx_error *error);
PQX_API void pqx_plan_free(pqx_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
