/* parquetext: Parquet's extensions, footers and their checksums, page headers, and the encodings of
 * values and levels, without a Thrift or FlatBuffers library. It decompresses nothing: pages are
 * given decompressed.
 *
 * Everything here takes bytes that nobody has checked. Whatever they hold, no function reads
 * outside of [data, data + size), recurses deeper than PQX_MAX_DEPTH, or reserves memory by what
 * the bytes claim rather than by how many there are. Functions are thread-safe: the only global
 * state is the choice of a CRC routine, one idempotent atomic. Every function that can fail returns
 * a status, PQX_OK or one of the codes below, and fills `error` where that is not NULL; results are
 * valid only after PQX_OK unless a function says otherwise. Offsets in errors and results count
 * from `data`. Memory is reserved only by functions whose text says so.
 */
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
    int32_t code;      /* a pqx_status */
    uint64_t offset;   /* where: the first byte of the value that is wrong */
    uint64_t expected; /* what was expected and found; their meaning is in the code's message */
    uint64_t found;
} pqx_error;

/* A range of bytes, counted from the start of the buffer that it is a part of. length 0: absent or
 * empty. */
typedef struct pqx_range {
    uint32_t offset, length;
} pqx_range;

/* "1.2.3", static. */
PQX_API const char *pqx_version(void);
PQX_API int pqx_abi_version(void);
/* The message of a status with {expected} and {found} in it, static; "" for PQX_OK. */
PQX_API const char *pqx_status_message(int status);

/* ---- varint ---- */

/* Decode the ULEB128 at data[at]. *next is the offset behind it. At most 5 (32) or 10 (64) bytes.
 */
PQX_API int pqx_varint_get32(const uint8_t *data, size_t size, size_t at, uint32_t *value,
                             size_t *next, pqx_error *error);
PQX_API int pqx_varint_get64(const uint8_t *data, size_t size, size_t at, uint64_t *value,
                             size_t *next, pqx_error *error);
/* Write the shortest form to out, which has room for 10 bytes; returns its length. */
PQX_API size_t pqx_varint_put(uint8_t *out, uint64_t value);
/* Bytes of the shortest form, 1 to 10. */
PQX_API size_t pqx_varint_size(uint64_t value);
/* Decode `count` varints from data[at] on into `values`. */
PQX_API int pqx_varint_get_many64(const uint8_t *data, size_t size, size_t at, int zigzag,
                                  uint64_t *values, size_t count, size_t *next, pqx_error *error);
PQX_API int pqx_varint_get_many32(const uint8_t *data, size_t size, size_t at, int zigzag,
                                  uint32_t *values, size_t count, size_t *next, pqx_error *error);
/* Encode `count` values; `out` has room for 10 bytes each. Returns the bytes written. */
PQX_API size_t pqx_varint_put_many(const uint64_t *values, size_t count, int zigzag, uint8_t *out);

/* ---- CRC-32 (IEEE 802.3, as zlib's), XXH64 ---- */

/* `crc` is 0 at first, then the result so far. */
PQX_API uint32_t pqx_crc32(uint32_t crc, const uint8_t *data, size_t size);
/* The CRC of A || B from crc(A), crc(B) and B's length in bytes. O(log length). */
PQX_API uint32_t pqx_crc32_combine(uint32_t crc_a, uint32_t crc_b, uint64_t length_b);
/* The implementations that this CPU can run, best first: "vpclmul", "pclmul", "pmull", "armv8",
 * "slice16"; NULL behind the last one. */
PQX_API const char *pqx_crc32_implementation(size_t index);
/* With one of them by its index, beyond them the portable one; for tests and benchmarks. */
PQX_API uint32_t pqx_crc32_with(size_t index, uint32_t crc, const uint8_t *data, size_t size);
PQX_API uint64_t pqx_xxh64(const uint8_t *data, size_t size, uint64_t seed);

/* ---- Bloom filters ---- */

/* Ask a split-block Bloom filter (parquet-format's BloomFilter.md) for `count` values by their
 * hashes, XXH64 with seed 0 of their plain bytes without a length: out[i] is 1 where it may hold
 * the value, 0 where it surely does not. `bitset` are its blocks; PQX_BAD_ARGUMENT where they are
 * not whole ones of 32 bytes, at least one and less than 2^32. O(count). */
PQX_API int pqx_bloom_might_contain(const uint8_t *bitset, size_t size, const uint64_t *hashes,
                                    size_t count, uint8_t *out, pqx_error *error);

/* ---- Thrift compact protocol ---- */

typedef struct pqx_field {
    int16_t id;
    uint8_t type;      /* PQX_TYPE_*; booleans in fields carry their value in it */
    size_t header;     /* offset of the field's header */
    size_t value, end; /* the value's bytes: [value, end) */
} pqx_field;

/* Skip one value of compact type `type` that begins at data[at]: a boolean takes no byte in a field
 * and one in a list; here, none. `max_depth` is the levels of lists, sets, maps and structs that
 * the value may have, this one included: 0 to PQX_MAX_DEPTH. */
PQX_API int pqx_thrift_skip(const uint8_t *data, size_t size, size_t at, int type, int max_depth,
                            size_t *end, pqx_error *error);
/* Check that no binary value of the struct at data[0], nor of those in it, has more than
 * `most_bytes`, and no list, set or map more than `most_items`: PQX_TOO_LARGE, PQX_TOO_MANY, with
 * the offset of its length. Up to 64 levels, this one included. */
PQX_API int pqx_thrift_check_sizes(const uint8_t *data, size_t size, uint32_t most_bytes,
                                   uint32_t most_items, pqx_error *error);
/* Read the field header at data[at] and skip its value. *more is 0 at the stop byte, and field->end
 * is then the offset behind it. `previous` is the last field's id, 0 at first. `max_depth` is for
 * the value. */
PQX_API int pqx_thrift_next(const uint8_t *data, size_t size, size_t at, int16_t previous,
                            int max_depth, pqx_field *field, int *more, pqx_error *error);
/* Find field `id` of the struct at data[at]; *found is 0 if there is none. The struct is read to
 * its stop, and the last field of that id counts. */
PQX_API int pqx_thrift_find(const uint8_t *data, size_t size, size_t at, int16_t id, int max_depth,
                            pqx_field *field, int *found, pqx_error *error);
/* Follow a path from the struct at data[at]: at a struct the step is a field id, at a list or set
 * an index, at a map 2 × n for the n-th key and 2 × n + 1 for its value. */
PQX_API int pqx_thrift_path(const uint8_t *data, size_t size, size_t at, const int32_t *steps,
                            size_t count, int max_depth, pqx_field *value, int *found,
                            pqx_error *error);

/* ---- extensions ---- */

enum pqx_marker { PQX_MARKER_NONE = 0, PQX_MARKER_SPEC = 1, PQX_MARKER_THRIFT = 2 };
enum pqx_placement { PQX_IN_STRUCT = 0, PQX_AFTER_STOP = 1 };

typedef struct pqx_extension {
    int marker; /* PQX_MARKER_NONE: the struct has no extension */
    int placement;
    size_t struct_end;      /* behind the struct's (last) stop byte */
    size_t header;          /* offset of the marker */
    size_t payload, length; /* the extension's bytes */
    size_t length_bytes;    /* bytes of its ULEB128 */
} pqx_extension;

/* Walk the struct at data[0] forward and find its extension. With `file_metadata`, an extension
 * behind the stop counts too if it and a 00 are all that follows. A struct without one is PQX_OK
 * with PQX_MARKER_NONE. A second one is PQX_TWO_EXTENSIONS at its marker, `expected` being the
 * first one's. Only the markers' own four bytes are a marker. */
PQX_API int pqx_extension_find(const uint8_t *data, size_t size, int file_metadata, int max_depth,
                               pqx_extension *found, pqx_error *error);

typedef struct pqx_block {
    uint8_t uuid[16];
    uint64_t payload, length; /* offset from `data`, bytes */
    uint32_t crc;
} pqx_block;

/* The trailer that ends at data[end], without its payload, whose place is left 0: returns whether
 * the length's checksum holds. Needs 28 bytes only. */
PQX_API int pqx_block_read_trailer(const uint8_t *data, size_t end, pqx_block *block);
/* The block whose trailer ends at data[end]: its length is checked against its checksum and against
 * what is there, the payload's checksum only if `check_payload`. *found is 0 where no whole block
 * ends. */
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
 * data[offsets[i]..offsets[i + 1]); the first offset need not be 0. Everything else: values of the
 * type's width, or `type_length` bytes each (FIXED_LEN_BYTE_ARRAY), little-endian, back to back.
 * All of it stays the caller's. */
typedef struct pqx_value_array {
    const uint8_t *data;
    size_t size;            /* bytes at `data`; what lies behind the last value is ignored */
    const int32_t *offsets; /* BYTE_ARRAY: count + 1 of them; else not looked at */
    uint64_t count;         /* at most 2^31 - 1, as many as a page can have */
} pqx_value_array;

/* Bytes of room that pqx_encode wants for `count` values (BYTE_ARRAY: of `bytes` bytes in all, more
 * than there are does no harm): the most that they can become, and what it uses behind it to work.
 * 0 where the encoding does not serve the type (or there are no values), SIZE_MAX where no memory
 * is that large. O(1). */
PQX_API size_t pqx_encode_bound(int encoding, int type, int32_t type_length, uint64_t count,
                                size_t bytes);
/* Encode values as a page has them (parquet-format, Encodings.md): PLAIN of every type; RLE of
 * BOOLEAN, with its length; DELTA_BINARY_PACKED of INT32 and INT64, in blocks of 128;
 * DELTA_LENGTH_BYTE_ARRAY of BYTE_ARRAY; DELTA_BYTE_ARRAY of BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY;
 * BYTE_STREAM_SPLIT of FLOAT, DOUBLE, INT32, INT64 and FIXED_LEN_BYTE_ARRAY; ALP of FLOAT and
 * DOUBLE, at most 2^28 values, in vectors of 1,024. `out` has `capacity`
 * bytes, at least pqx_encode_bound; *size of them are the page's, the others mean nothing.
 * PQX_UNWRITTEN_ENCODING; PQX_TOO_MANY; PQX_VALUES_SIZE where there are too few bytes;
 * PQX_VALUE_OFFSET (offset: of the number in `offsets`, in bytes) where offsets descend or leave
 * the bytes; PQX_BAD_ARGUMENT: `type_length` below 1, or too little capacity. O(bytes). */
PQX_API int pqx_encode(int encoding, int type, int32_t type_length, const pqx_value_array *values,
                       uint8_t *out, size_t capacity, size_t *size, pqx_error *error);

/* ALP in vectors of 2^vector_bits values, 3 to 15. The powers of ten of each vector are those by
 * which a sample of it takes the fewest bytes; whatever would not come back bit for bit is stored
 * as it is. The bound is 0 where the type is not served, or no vector has such a size. */
PQX_API size_t pqx_encode_alp_bound(int type, uint64_t count, uint32_t vector_bits);
PQX_API int pqx_encode_alp(int type, const pqx_value_array *values, uint32_t vector_bits,
                           uint8_t *out, size_t capacity, size_t *size, pqx_error *error);

/* The same for levels of 0 to max_level: RLE without its length, or BIT_PACKED. PQX_LEVEL (offset:
 * of the level, in bytes) where one is above. */
PQX_API size_t pqx_encode_levels_bound(uint32_t max_level, uint64_t count);
PQX_API int pqx_encode_levels(int encoding, const uint16_t *levels, uint64_t count,
                              uint32_t max_level, uint8_t *out, size_t capacity, size_t *size,
                              pqx_error *error);
/* The same for indices into a dictionary of `dictionary_count` values, the width byte first.
 * PQX_DICTIONARY_INDEX (offset: of the index, in bytes) where one is no value's. */
PQX_API size_t pqx_encode_indices_bound(uint32_t dictionary_count, uint64_t count);
PQX_API int pqx_encode_indices(const uint32_t *indices, uint64_t count, uint32_t dictionary_count,
                               uint8_t *out, size_t capacity, size_t *size, pqx_error *error);

/* A dictionary of values in order of their first appearance, in the caller's memory. */
typedef struct pqx_dictionary_room {
    uint32_t *indices; /* room for one per value */
    uint8_t *values;   /* room for most_bytes, or for the bytes of all values if these are fewer */
    int32_t *offsets;  /* BYTE_ARRAY: room for most_values + 1, or count + 1 if that is less */
    uint32_t count;    /* set: distinct values */
    size_t size;       /* set: bytes of `values` that are in use */
} pqx_dictionary_room;
/* Find the distinct values, equal ones by their bytes, and which one each value is. *fits is 0, and
 * the room means nothing, where there are more than `most_values`, or where their PLAIN page has
 * more than `most_bytes`. Any type but BOOLEAN; errors as of pqx_encode. Reserves a hash table of
 * at most 32 bytes per distinct value (and at least 16 KiB), and gives it back. O(bytes). */
PQX_API int pqx_dictionary_of(int type, int32_t type_length, const pqx_value_array *values,
                              uint32_t most_values, size_t most_bytes, pqx_dictionary_room *room,
                              int *fits, pqx_error *error);

/* ---- memory that grows ---- */

/* A growable buffer that functions below append to. `data` is malloc'ed, the caller's, to be given
 * back with pqx_buffer_free; start with zeros. */
typedef struct pqx_buffer {
    uint8_t *data;
    size_t size, capacity;
} pqx_buffer;
PQX_API void pqx_buffer_free(pqx_buffer *buffer);

/* ---- encodings: reading ---- */

/* Decode the first `count` values of a page, decompressed, that stand in data[at..size) (after the
 * levels). PLAIN of every type; RLE of BOOLEAN; RLE_DICTIONARY and PLAIN_DICTIONARY;
 * BYTE_STREAM_SPLIT of FLOAT, DOUBLE, INT32, INT64 and FIXED_LEN_BYTE_ARRAY; DELTA_BINARY_PACKED of
 * INT32 and INT64, DELTA_BYTE_ARRAY of FIXED_LEN_BYTE_ARRAY, ALP of FLOAT and DOUBLE, where `count`
 * is the page's values without nulls. Of every type but BYTE_ARRAY.
 * `out` has room for `count` values of the type's width, or of `type_length` bytes
 * (FIXED_LEN_BYTE_ARRAY), little-endian as stored; BOOLEAN: for (count + 7) / 8 bytes, bits, least
 * significant first, the spare ones 0. `dictionary` are the values that indices lead to, as this
 * function decodes them from a dictionary page; NULL where there is none. *end is where the encoded
 * values end, of runs behind the last one that was needed; it may be NULL.
 * PQX_ENCODING; PQX_NO_DICTIONARY; PQX_DICTIONARY_INDEX; PQX_BIT_WIDTH; PQX_RUN_LENGTH;
 * PQX_BOOLEAN; PQX_STREAM_SIZE; PQX_ALP_MODE, _COUNT, _OFFSET, _NUMBER; PQX_TRUNCATED; those of
 * varints and deltas. `out` means nothing then. Reads nothing outside of [data, data + size) and
 * the dictionary, reserves nothing. O(count + bytes). */
PQX_API int pqx_decode(int encoding, int type, int32_t type_length, const uint8_t *data,
                       size_t size, size_t at, size_t count, const pqx_value_array *dictionary,
                       uint8_t *out, size_t *end, pqx_error *error);
/* The same for BYTE_ARRAY: PLAIN, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY, RLE_DICTIONARY and
 * PLAIN_DICTIONARY. Both buffers are emptied first: value i is
 * bytes->data[offsets[i]..offsets[i + 1]), where `offsets` are the count + 1 numbers of type
 * int32_t at offsets->data, the first one 0. The dictionary has offsets, too. Memory grows with
 * what has been decoded: at most 64 bytes for one that is there, or 256 KiB, are reserved before.
 * PQX_BYTE_ARRAY_LENGTH; PQX_PREFIX_LENGTH; PQX_TOO_LARGE: more than 2^31 - 1 bytes;
 * PQX_VALUE_OFFSET: the dictionary's offsets descend or leave its bytes; PQX_NO_MEMORY. */
PQX_API int pqx_decode_binary(int encoding, const uint8_t *data, size_t size, size_t at,
                              size_t count, const pqx_value_array *dictionary, pqx_buffer *offsets,
                              pqx_buffer *bytes, size_t *end, pqx_error *error);
/* The same for levels of 0 to max_level (at most 65535) in data[at..size): RLE without its length,
 * or BIT_PACKED. `out` has room for `count` levels. PQX_LEVEL where one is above;
 * PQX_LEVEL_ENCODING. */
PQX_API int pqx_decode_levels(int encoding, uint32_t max_level, const uint8_t *data, size_t size,
                              size_t at, size_t count, uint16_t *out, size_t *end,
                              pqx_error *error);
/* The same for indices into a dictionary of `dictionary_count` values, the width byte first; all of
 * them are below it. `out` has room for `count` indices. */
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

/* What a footer says of one column chunk, whatever its form. `present` has a bit (PQX_PRESENT_*)
 * for each optional fact; what is absent is -1 (counts, offsets, codec, type) or an empty range.
 * Ranges of bounds count from the buffer that the form documents: the footer for Thrift, the arena
 * for flat. */
typedef struct pqx_chunk {
    int64_t num_values, total_uncompressed_size, total_compressed_size;
    int64_t data_page_offset, dictionary_page_offset;
    int64_t null_count, distinct_count;
    pqx_range chunk, metadata, statistics;    /* Thrift bytes, of the Thrift form only */
    pqx_range min_value, max_value, min, max; /* min, max: the deprecated pair */
    int32_t type, codec;
    uint32_t present;
    uint32_t encodings; /* bit e: encoding e (below 32) is listed */
} pqx_chunk;            /* 128 bytes */

/* What few writers write: places of indexes and filters. */
typedef struct pqx_places {
    int64_t index_page_offset, bloom_filter_offset, offset_index_offset, column_index_offset;
    int32_t bloom_filter_length, offset_index_length, column_index_length;
    uint32_t reserved;
} pqx_places; /* 48 bytes */

/* FLOAT16: signed, and compared as half floats. LITTLE_ENDIAN: signed, of TIMESTAMP in 12 bytes. */
enum pqx_sort_order {
    PQX_ORDER_UNDEFINED = 0,
    PQX_ORDER_SIGNED = 1,
    PQX_ORDER_UNSIGNED = 2,
    PQX_ORDER_FLOAT16 = 3,
    PQX_ORDER_LITTLE_ENDIAN = 4
};

typedef struct pqx_element {
    pqx_range bytes, name, logical_type; /* of Thrift bytes; logical_type: the union struct's */
    int32_t type, type_length, repetition, num_children, converted_type,
        field_id;                   /* -1: absent (field_id: INT32_MIN) */
    int32_t parent;                 /* element, -1 for the root */
    int32_t first_leaf, leaf_count; /* leaves below; a leaf: itself, 1 */
    uint8_t max_definition, max_repetition;
    uint8_t column_order; /* leaves: field id of the ColumnOrder union, 0 absent */
    uint8_t sort_order;   /* leaves: pqx_sort_order, of type and annotations */
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

/* One page header. What is absent is -1 (numbers) or an empty range. Every range counts from the
 * header's first byte. */
typedef struct pqx_page {
    uint64_t offset;                            /* of the header, from `data` */
    int64_t null_count;                         /* of the statistics */
    uint32_t header_size;                       /* the body follows */
    int32_t type;                               /* PQX_PAGE_*, or a number that none of them is */
    int32_t compressed_size, uncompressed_size; /* of the body; levels included */
    int32_t num_values;                         /* of data and dictionary pages */
    int32_t num_nulls, num_rows;                /* of V2 */
    int32_t encoding, definition_encoding, repetition_encoding;
    int32_t definition_size, repetition_size; /* of V2: bytes of levels */
    uint32_t crc;                             /* of the body as stored, where has_crc */
    uint32_t present; /* what the statistics hold: PQX_PRESENT_STATISTICS, _NULL_COUNT, _MIN … */
    pqx_range statistics;                     /* the struct */
    pqx_range min_value, max_value, min, max; /* min, max: the deprecated pair */
    uint8_t has_crc, is_compressed, is_sorted, reserved;
    uint32_t spare;
} pqx_page; /* 120 bytes */

/* Read the page header at data[at], of at most 16 MiB. A field of another type than parquet.thrift
 * says counts as an unknown one, which is passed over, and of a repeated field the last one counts.
 * PQX_MISSING_FIELD (expected: its id), at the struct that lacks it: the type or a size, and in the
 * header that the type asks for, or of that header, whatever is required. PQX_PAGE_NUMBER: a
 * negative size or count of values. PQX_PAGE_LEVELS: levels of V2 larger than their page.
 * PQX_PAGE_HEADER_SIZE: no end within 16 MiB. O(header). */
PQX_API int pqx_page_header(const uint8_t *data, size_t size, size_t at, pqx_page *page,
                            pqx_error *error);
/* Read the headers of the pages of a column chunk, one after another, into pages[0..capacity):
 * those that begin in data[at..size). `end` is where the chunk ends, which may lie behind `size`,
 * as bodies may. *count is how many were read; *next is where the next page begins: `end` where all
 * have been read. Where *next is smaller and *count < capacity, the header there does not end
 * before `size`: give more bytes from *next on, and walk on. After an error both are valid, too,
 * and the page at *next is the one that is wrong; PQX_PAGE_SIZE: it runs over `end`. O(headers). */
PQX_API int pqx_page_walk(const uint8_t *data, size_t size, uint64_t at, uint64_t end,
                          pqx_page *pages, size_t capacity, size_t *count, uint64_t *next,
                          pqx_error *error);

/* The parts of a page's body: offsets from its start. */
typedef struct pqx_page_parts {
    size_t repetition, repetition_end; /* the encoded levels alone, without their length */
    size_t definition, definition_end;
    size_t values;
} pqx_page_parts;

/* Find the parts of a page's body of `size` bytes: decompressed for a V1 page; for a V2 page, whose
 * levels are never compressed, as stored or decompressed. The highest levels are those of the
 * column, at most 65535. Levels that the column does not have are empty, and so are all parts of an
 * empty body without values. PQX_LEVEL_ENCODING: neither RLE nor BIT_PACKED. PQX_PAGE_LEVELS:
 * levels that reach over the body's end. Offsets in errors count from `body`. O(1). */
PQX_API int pqx_page_levels(const pqx_page *page, const uint8_t *body, size_t size,
                            uint32_t max_definition, uint32_t max_repetition, pqx_page_parts *parts,
                            pqx_error *error);
/* Count the rows that begin in a data page (the entries at repetition level 0) and its values (the
 * entries at the highest definition level) from its levels. The arguments are those of
 * pqx_page_levels; of a V2 page the levels alone are enough. PQX_LEVEL, PQX_TRUNCATED,
 * PQX_RUN_LENGTH: levels that cannot be decoded. O(bytes of levels), without memory. */
PQX_API int pqx_page_counts(const pqx_page *page, const uint8_t *body, size_t size,
                            uint32_t max_definition, uint32_t max_repetition, uint64_t *rows,
                            uint64_t *values, pqx_error *error);

/* ---- columns: pages in, arrays out ---- */

/* A leaf of a schema, and what is wanted of it. */
typedef struct pqx_decoder_leaf {
    int32_t type, type_length; /* PQX_PHYSICAL_*; bytes of a FIXED_LEN_BYTE_ARRAY */
    uint16_t max_definition, max_repetition;
    uint16_t repeated_definition; /* definition level of the innermost repeated field around it (0:
                                     none): an entry below has no slot in the array */
    uint8_t keeps_definition; /* structs around it need its levels; those of lists always come */
    uint8_t forgets;     /* what is read is checked and not kept: pqx_decoder_take gives nothing */
    uint32_t most_bytes; /* of the byte arrays of one pqx_decoded, up to 2^31 - 1; 0: that */
    uint32_t reserved;   /* 0 */
    uint64_t rows; /* how many will be read before they are taken, as far as is known: room for them
                      is reserved at once, at most 64 bytes for one that is there */
} pqx_decoder_leaf;

/* What was decoded, as the buffers of an Arrow array, aligned to 64. The memory is the caller's,
 * whatever becomes of the decoder, and is given back with pqx_decoded_free. */
typedef struct pqx_decoded {
    uint64_t entries; /* pairs of levels; without repetition as many as rows */
    uint64_t rows;    /* that begin in it */
    uint64_t slots;   /* entries that have a slot in the array: all but null and empty lists */
    uint64_t nulls;   /* slots without a value */
    uint64_t size;    /* bytes of `values` */
    uint8_t *values; /* of the type's width, zeros where null; BOOLEAN: bits; BYTE_ARRAY: bytes. May
                        be NULL where `size` is 0 */
    uint8_t *valid;  /* bits, least significant first, over slots; NULL without nulls */
    int32_t *offsets;     /* BYTE_ARRAY: slots + 1, the first one 0; else NULL */
    uint16_t *definition; /* of entries, where kept; NULL where every one is the highest */
    uint16_t *repetition; /* of entries; NULL without repetition or entries */
} pqx_decoded;
/* Give the buffers back and set all to zeros; what is zeros already is left as it is. */
PQX_API void pqx_decoded_free(pqx_decoded *decoded);

/* Decodes a leaf: pages go in, one after another, and rows come out, as many as are asked for. One
 * thread at a time. */
typedef struct pqx_decoder pqx_decoder;

/* What a decoder wants next. */
enum pqx_decoder_state {
    PQX_DECODER_READY = 0, /* nothing: the rows were read, or the given pages are used up */
    PQX_DECODER_OPEN = 1, /* the last row may go on in the next page: give that, and read on (0 rows
                             if no more are wanted); it ends where there is no other page */
    PQX_DECODER_FULL = 2  /* no more fits: take, then read on */
};
enum pqx_decoder_part {
    PQX_DECODER_PAGE = 0, /* what its header says */
    PQX_DECODER_LEVELS = 1,
    PQX_DECODER_VALUES = 2,
    PQX_DECODER_DICTIONARY = 3
};

/* Make a decoder, to be given back with pqx_decoder_close. Memory grows with what has been decoded.
 * PQX_BAD_ARGUMENT: there is no such type, length or level, or `reserved` is not 0; PQX_NO_MEMORY.
 * *decoder is NULL after an error. */
PQX_API int pqx_decoder_open(const pqx_decoder_leaf *leaf, pqx_decoder **decoder, pqx_error *error);
/* Give back all of a decoder, which may be NULL, but what was taken. */
PQX_API void pqx_decoder_close(pqx_decoder *decoder);
/* Begin the next column chunk, of at most so many entries and rows (UINT64_MAX: not known). Pages
 * that were not read and the dictionary are forgotten; what was decoded stays. */
PQX_API int pqx_decoder_begin(pqx_decoder *decoder, uint64_t entries, uint64_t rows,
                              pqx_error *error);
/* Give the body of the chunk's dictionary page, decompressed: `count` PLAIN values. The bytes must
 * stay until the chunk ends. PQX_SECOND_DICTIONARY; what PLAIN values may be. */
PQX_API int pqx_decoder_dictionary(pqx_decoder *decoder, const uint8_t *data, size_t size,
                                   uint64_t count, pqx_error *error);
/* Give the next data page, decompressed. `levels` are those of a V2 page where they stand apart
 * from the values, which may have been compressed; NULL where they stand in front of them. The
 * bytes must stay until pqx_decoder_done says so. They are looked at when reading reaches them.
 * PQX_PAGE_TYPE. */
PQX_API int pqx_decoder_page(pqx_decoder *decoder, const pqx_page *header, const uint8_t *levels,
                             size_t levels_size, const uint8_t *values, size_t values_size,
                             pqx_error *error);
/* Decode, or pass over, what goes on of the last row, and the next `rows` rows. *begun counts rows
 * that were begun: fewer than `rows` where the given pages end or *state is PQX_DECODER_FULL.
 * Besides the errors of pqx_decode and pqx_page_levels: PQX_CHUNK_ENTRIES: a page of more entries
 * than the chunk has left; PQX_ROW_START: a page that begins within a row, and no row before it;
 * PQX_ROW_TOO_LARGE. Pages may have more rows than the chunk. Rows and nulls are counted from the
 * levels: num_rows and num_nulls of a V2 page's header are not used. Offsets count from the part's
 * bytes. After an error of any function a decoder is only asked pqx_decoder_failure, and closed:
 * everything else is PQX_BAD_ARGUMENT. O(bytes + what is decoded). */
PQX_API int pqx_decoder_read(pqx_decoder *decoder, uint64_t rows, uint64_t *begun, int *state,
                             pqx_error *error);
PQX_API int pqx_decoder_skip(pqx_decoder *decoder, uint64_t rows, uint64_t *begun, int *state,
                             pqx_error *error);
/* Take what was decoded since the last time: of a full decoder whole rows, else everything. */
PQX_API int pqx_decoder_take(pqx_decoder *decoder, pqx_decoded *decoded, pqx_error *error);
/* How many of the chunk's data pages, from the first one on, are not needed any more. */
PQX_API uint64_t pqx_decoder_done(const pqx_decoder *decoder);
/* In which data page of the chunk, counted from 0, and in which part of it the error was. */
PQX_API void pqx_decoder_failure(const pqx_decoder *decoder, uint64_t *page, int *part);

/* ---- page locations ---- */

/* Where a data page is (PageLocation): -1 where the location does not say. */
typedef struct pqx_page_location {
    int64_t offset, first_row;
    int32_t size; /* as stored, with its header */
    uint32_t reserved;
} pqx_page_location;
/* The locations in an OffsetIndex: the first `capacity` of *count. Every location takes at least a
 * byte, so *count is at most `size`. A field of another type than the format's counts as unknown.
 * O(size), reserves nothing. */
PQX_API int pqx_page_locations(const uint8_t *data, size_t size, pqx_page_location *locations,
                               size_t capacity, size_t *count, pqx_error *error);

/* Walk over an LZ4 block (lz4's doc/lz4_Block_format.md) without its values: *decompressed is how
 * many bytes it stands for, at most 255 times its own. PQX_TRUNCATED, PQX_LZ4_BLOCK: it is none, or
 * a match begins before the block does. O(size). */
PQX_API int pqx_lz4_size(const uint8_t *data, size_t size, uint64_t *decompressed,
                         pqx_error *error);

/* ---- scan: a whole Thrift footer into arrays ---- */

typedef struct pqx_scan {
    int32_t version;
    int64_t num_rows;
    size_t end; /* behind the struct's stop, extension and all */
    uint32_t element_count, leaf_count, row_group_count, key_value_count;
    uint8_t regular; /* every row group has one chunk per leaf */
    uint8_t has_key_values, has_created_by, has_column_orders;
    uint8_t encrypted;     /* crypto fields: footer (1), chunks (2) */
    uint8_t has_extension; /* a field is headed by an extension's marker, or one stands behind the
                              stop */
    pqx_range created_by, schema, row_groups_list, key_values_list, column_orders;
    pqx_element *elements;
    uint32_t *leaves; /* leaf -> element */
    pqx_row_group *row_groups;
    uint64_t *first_chunk; /* row group -> its first chunk in `chunks` */
    pqx_chunk *chunks;     /* row-group major */
    pqx_places *places;    /* one per chunk, or NULL where no chunk has any */
    uint64_t chunk_count;
    pqx_key_value *key_values;
    pqx_error problem; /* see pqx_scan_loosely; code PQX_OK: none */
} pqx_scan;

/* Scan the FileMetaData at data[0], smaller than 4 GiB. A field of another type than parquet.thrift
 * says counts as an unknown one, and of a repeated field the last one counts, as in Thrift
 * libraries; numbers are taken as they are. PQX_MISSING_FIELD: no schema, num_rows or row_groups; a
 * row group without columns or num_rows. PQX_SCHEMA: the elements are no tree. Levels above 255 are
 * given as 255. Reserves the arrays, at most 128 + 48 bytes per ColumnChunk that is really there
 * (and half as much again while they grow; at first for as many chunks of 32 bytes as fit in what
 * is left), 64 per element, 72 per row group, 28 per key-value, an array of 1 MiB or more rounded
 * up to 2 MiB. All are the caller's, to be given back with pqx_scan_free; up to four large arrays,
 * of 64 MiB at most, then stay mapped for the next scan, where the system may take what is behind
 * their first 2 MiB. On failure nothing stays reserved. O(size). */
PQX_API int pqx_scan_footer(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error);
/* The same, but what contradicts the structure (PQX_MISSING_FIELD, PQX_SCHEMA) is no failure:
 * scan->problem tells the first one. Elements behind the tree's end then have no parent and are no
 * leaves; a group may have less children than it claims; num_rows may be -1. What is made from such
 * a scan (a slice, a flat footer) fails with its problem. */
PQX_API int pqx_scan_loosely(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error);
/* What pqx_scan_loosely gives, by the decoder for any order of fields alone: what the other one is
 * tested and measured against. */
PQX_API int pqx_scan_plainly(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error);
PQX_API void pqx_scan_free(pqx_scan *scan);
/* Look a name up, '.' and NUL being one and the same: every leaf, then every group below the root,
 * whose path reads like this. Fills up to `capacity` ids (a leaf's ordinal, or PQX_FLAT_GROUP | the
 * ordinal among the elements that are no leaves) and returns how many there are. `data` is what was
 * scanned. One pass over the elements, most of which a byte or two tell; at worst O(elements ×
 * size). */
PQX_API size_t pqx_scan_find_name(const uint8_t *data, const pqx_scan *scan, const uint8_t *name,
                                  size_t size, uint32_t *ids, size_t capacity);

/* Where a chunk's first page begins, by the offsets that the footer gives (-1 where it gives none):
 * at the dictionary page, where that lies behind the magic and in front of the data pages or is the
 * only place there is, else at the data pages. What is returned is one of both, unchecked against
 * the file: it may be negative, and with the chunk's size beyond 2^63. */
PQX_API int64_t pqx_chunk_begin(int64_t data_page_offset, int64_t dictionary_page_offset);

typedef struct pqx_bytes {
    const uint8_t *data;
    size_t size;
} pqx_bytes;

/* Read a leaf's SchemaElement, whole, as pqx_judge_bounds needs it; the caller knows the column
 * order. PQX_TRUNCATED, _BAD_TYPE and so on: no Thrift struct. */
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

/* Judge a pair of bounds by the leaf's type and order: bits PQX_BOUND_*. Every user of bounds
 * applies this rule: a bound that is no value of the type or a NaN is not trusted, nor are both if
 * they are inverted, nor any without a defined order. `data` is NULL for an absent bound. */
PQX_API uint32_t pqx_judge_bounds(const pqx_element *leaf, pqx_bytes min, pqx_bytes max);

/* Choose the bounds of a chunk that can be trusted: min_value/max_value under a defined order, else
 * the deprecated pair for signed orders; pqx_judge_bounds decides about each. `bytes` is what the
 * chunk's ranges count from. *has: bit 0 min, bit 1 max. */
PQX_API void pqx_usable_bounds(const uint8_t *bytes, const pqx_chunk *chunk,
                               const pqx_element *leaf, pqx_range *min, pqx_range *max, int *has);

/* ---- required fields ---- */

/* The first struct that lacks what readers' parsers require, without which they refuse the whole
 * footer: structs inside of others come first. A field of another type than expected is not there.
 */
typedef struct pqx_missing {
    uint64_t offset;    /* where the struct begins */
    uint32_t structure; /* its number among the rules of csrc/tables/wire.toml */
    uint32_t field;     /* the field's id; 0: nothing is missing */
    uint64_t
        without_path; /* how many ColumnMetaData have no path_in_schema: what the schema tells */
} pqx_missing;
/* Walk the FileMetaData at the start of `data`. PQX_TRUNCATED, _BAD_TYPE and so on: no Thrift
 * struct. O(size). */
PQX_API int pqx_find_missing(const uint8_t *data, size_t size, pqx_missing *missing,
                             pqx_error *error);

/* ---- catalog: the bounds of all chunks as columns ---- */

/* How a leaf's bounds are read: what the value is (0: as bytes only), and what it counts since 1970
 * (0: nothing). */
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

/* Arrow's buffers of one end of the bounds, one entry per chunk. `valid` has PQX_BOUND_BITMAPS
 * bitmaps, one behind the other, each of (chunk_count + 7) / 8 bytes: where there are bytes, an
 * integer, a double, valid UTF-8 text, a moment. What is not valid is 0, or of no length. */
enum { PQX_BOUND_BITMAPS = 5 };
typedef struct pqx_bound_column {
    int64_t *numbers; /* chunk_count: an integer, or the bits of a double */
    int64_t *moments; /* chunk_count: microseconds since 1970; of minima never above the bound, of
                         maxima never below */
    int32_t *offsets; /* chunk_count + 1, into `bytes` */
    uint8_t *bytes, *valid;
} pqx_bound_column;

/* How many bytes the usable minima and maxima of all chunks have together. PQX_IRREGULAR: a row
 * group does not have one chunk per leaf. PQX_TOO_LARGE: more than offsets of 32 bits can say.
 * `data` is what was scanned. O(chunks). */
PQX_API int pqx_bound_bytes(const uint8_t *data, const pqx_scan *scan, uint64_t *minima,
                            uint64_t *maxima, pqx_error *error);
/* Fill both ends' buffers, after pqx_bound_bytes succeeded. `readings` has one PQX_READING_* of a
 * value, with one of a unit or'd in, for each leaf; a bound that is none such is bytes only.
 * O(chunks + bytes). */
PQX_API void pqx_bound_columns(const uint8_t *data, const pqx_scan *scan, const uint8_t *readings,
                               pqx_bound_column *minima, pqx_bound_column *maxima);

/* ---- Arrow's values: one leaf's bounds of a footer as the buffers of an array ---- */

/* How stored bytes become values of an Arrow type. `reading` is PQX_READING_* of a value:
 *   - BOOLEAN: 1 byte to 1 bit, true where it is not 0. INT96: 12 bytes to an int64, nanoseconds
 * since 1970.
 *   - DECIMAL, or SIGNED with a precision: a number of up to 10^precision - 1, of 38 digits in 16
 * bytes, of 76 in 32.
 *   - SIGNED, UNSIGNED: an integer of 4 or 8 bytes, as signed, to one of `width` bytes that holds
 * it; copied where the widths are the same. FLOAT, 0: `stored` bytes, copied.
 *   - TEXT, 0 with stored 0: bytes of any length; TEXT is valid UTF-8. `width` is 0.
 * What has another length than `stored` (0: any), or is no such value, is null. */
typedef struct pqx_arrow_type {
    uint32_t reading, stored, width, precision;
} pqx_arrow_type;
typedef struct pqx_arrow_values {
    uint8_t *valid;   /* (count + 7) / 8 bytes */
    uint8_t *values;  /* as many bytes as pqx_arrow_values_size says */
    int32_t *offsets; /* count + 1, where type->width is 0 and it is no BOOLEAN; else not used */
    uint64_t nulls;   /* out */
    uint64_t size;    /* out: bytes of `values` that are used */
} pqx_arrow_values;
/* How many bytes `count` values need; `stored[i].data` is NULL for a null. PQX_BAD_ARGUMENT: no
 * such type. PQX_TOO_LARGE: more than INT32_MAX. */
PQX_API int pqx_arrow_values_size(const pqx_arrow_type *type, const pqx_bytes *stored,
                                  uint64_t count, uint64_t *size, pqx_error *error);
/* Fill the buffers, which the caller reserves and clears, after pqx_arrow_values_size succeeded.
 * O(count + bytes). */
PQX_API void pqx_arrow_values_fill(const pqx_arrow_type *type, const pqx_bytes *stored,
                                   uint64_t count, pqx_arrow_values *out);

/* Big-endian integers of `stored` bytes each, or of any length by count + 1 offsets (decimals of
 * BYTE_ARRAY), as little-endian ones of `width` bytes, 1 to 32, into out[0..count * width); 0 where
 * `valid`, a bitmap or NULL, says null. PQX_TOO_WIDE (offset: the value's number, expected: width,
 * found: its bytes) where one does not fit, or has no bytes; PQX_TRUNCATED where `values` ends. */
PQX_API int pqx_wide_integers(const uint8_t *values, size_t size, const int32_t *offsets,
                              uint64_t count, uint32_t stored, const uint8_t *valid, uint32_t width,
                              uint8_t *out, pqx_error *error);
/* INT96 timestamps (nanoseconds of a Julian day, the day) as counts since 1970 of `unit`
 * nanoseconds, a divisor of a day. As in other readers what leaves 64 bits wraps around, and Julian
 * day 0 gives 0: writers fill nulls with zeros. */
PQX_API int pqx_wide_instants(const uint8_t *values, size_t size, uint64_t count, uint64_t unit,
                              int64_t *out, pqx_error *error);
/* Timestamps of FIXED_LEN_BYTE_ARRAY(12), which are little-endian integers, as integers of 64 bits.
 * PQX_TOO_WIDE (offset: the value's number) where one does not fit. */
PQX_API int pqx_wide_timestamps(const uint8_t *values, size_t size, uint64_t count, int64_t *out,
                                pqx_error *error);

/* ---- slice: a small Thrift footer for a projection ---- */

/* What a slice is made of, whichever form it comes from. Elements in preorder, the root first;
 * their Thrift bytes are copied with num_children renewed (0 for leaves). Chunks row-group major:
 * whole Thrift structs where `thrift.data` is set, otherwise made from `facts` (and `places`, or
 * NULL), without statistics: what `present` has. `facts` are there in both cases; a Thrift struct
 * with metadata and without PQX_PRESENT_PATH_IN_SCHEMA takes path_in_schema from `paths`, which may
 * be NULL where no chunk asks for it. */
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
 * group are the sums over its chunks here, num_rows of the file the sum over the row groups. Where
 * the first chunk's begin + half of total_compressed_size, by which parquet-java finds the split
 * that reads the row group, would lie behind the chunks, total_compressed_size is the first chunk's
 * alone; a file_offset of which the same holds is renewed. ARROW:schema stands behind the other
 * key-values. Nothing stays appended on failure. Offsets in errors count from the element's bytes.
 */
PQX_API int pqx_slice_write(const pqx_slice_parts *parts, pqx_buffer *out, pqx_error *error);

/* From a scanned footer: `leaves` ascending, `row_groups` in the order wanted; the groups above the
 * leaves come along. With `arrow_schema`, ARROW:schema is projected to these leaves (where the
 * footer has a valid one); with `key_values`, the other key-values come along. */
PQX_API int pqx_slice_footer(const uint8_t *data, size_t size, const pqx_scan *scan,
                             const uint32_t *leaves, uint32_t leaf_count,
                             const uint32_t *row_groups, uint32_t row_group_count, int arrow_schema,
                             int key_values, pqx_buffer *out, pqx_error *error);

/* ---- ARROW:schema ---- */

/* The Arrow schema of a key-value, decoded where it is looked at: fields can be taken out one by
 * one and put together again. `text` stays the caller's and must stay there. */
typedef struct pqx_arrow_schema {
    const uint8_t *text; /* the base64 value, without its padding */
    size_t text_size;
    uint8_t *data;    /* room for the IPC message, malloc'ed; decoded by blocks when first used */
    uint8_t *decoded; /* per block: whether it is */
    size_t size;      /* bytes of the message, prefix and all */
    size_t *budget;   /* bytes that pieces may still take, all together */
    uint32_t field_count;
    uint32_t fields, schema; /* offsets in `data`: the fields vector, the Schema table */
} pqx_arrow_schema;
/* `text` is the base64 value. Reserves size × 3 / 4 bytes and touches few of them; give them back
 * with pqx_arrow_schema_free. A schema serves one thread at a time. Offsets in errors count from
 * the decoded message. */
PQX_API int pqx_arrow_schema_parse(const uint8_t *text, size_t size, pqx_arrow_schema *schema,
                                   pqx_error *error);
PQX_API void pqx_arrow_schema_free(pqx_arrow_schema *schema);
/* The name of field `index`, good until the schema is freed; "" where it has none. */
PQX_API int pqx_arrow_field_name(const pqx_arrow_schema *schema, uint32_t index, pqx_bytes *name,
                                 pqx_error *error);
/* Append field `index`, without its name, as one self-contained piece: a FlatBuffers Field table at
 * offset 0 whose offsets all lead forward within the piece, vtables included, and whose name offset
 * leads to the piece's end. Its length is a multiple of 8. All pieces taken from one schema
 * together are at most 4 × its size + 1024 bytes: tables that are shared cannot blow them up. A
 * type or a slot that Schema.fbs of Arrow 24 does not know is an error. */
PQX_API int pqx_arrow_field_piece(const pqx_arrow_schema *schema, uint32_t index, pqx_buffer *out,
                                  pqx_error *error);
/* Put pieces and names together into an ARROW:schema value (base64), appended to `out`.
 * keep[i].data is NULL to keep field i whole, or says what stays of a struct: one byte per child
 * (0: cut), then, in order, the same for each child that stays and is a struct itself (below lists,
 * maps and dictionaries all stays); all bytes are to be consumed. `keep` itself may be NULL. The
 * schema's own metadata is left out: it repeats the file's key-values. Pieces are untrusted: they
 * are walked, and no field takes more than 4 × its piece + 1024 bytes. Offsets in errors count from
 * the piece. */
PQX_API int pqx_arrow_schema_build(const pqx_bytes *pieces, const pqx_bytes *names,
                                   const pqx_bytes *keep, uint32_t count, pqx_buffer *out,
                                   pqx_error *error);

/* ---- the flat footer ---- */

/* What somebody has put into a slot of a flat footer. */
typedef struct pqx_flat_extension {
    uint8_t uuid[16];
    pqx_bytes data;
} pqx_flat_extension;

/* Append the flat footer's payload (docs/formats.md, without the 28-byte trailer) for a scanned
 * footer. `flags` may be PQX_FLAT_WRITE_COMPACT: bounds of more than 16 bytes are shortened where
 * that is valid; PQX_FLAT_WRITE_VERBATIM: a footer that the tables cannot say (PQX_ENCRYPTED,
 * _IRREGULAR, _MISMATCH, _MISSING_FIELD, _UNSUPPORTED_VALUE, _FIELD_TYPE, _SCHEMA) is carried as it
 * is, for pqx_flat_to_thrift alone, and without extensions. Extensions, or none, ascend by UUID.
 * PQX_TOO_LARGE: 2 GiB, or a footer of more than 16 times its payload. PQX_OUT_OF_PROPORTION: more
 * than 16 times the footer and its extensions, and 4 MiB; known of paths before anything is built.
 * Reserves 4 bytes per table, 8 per cell and 32 per schema element meanwhile. On failure nothing is
 * appended. */
#define PQX_FLAT_WRITE_COMPACT 1
#define PQX_FLAT_WRITE_VERBATIM 2
PQX_API int pqx_flat_write(const uint8_t *footer, size_t size, const pqx_scan *scan, int flags,
                           const pqx_flat_extension *extensions, uint32_t extension_count,
                           pqx_buffer *out, pqx_error *error);
/* Append the Thrift FileMetaData, without an extension, that a whole payload in memory was written
 * from: byte for byte, or, from a compact one, with the bounds that it has. What comes out is at
 * most 64 times the payload (PQX_TOO_LARGE), and so is what is reserved beside it. O(size of both).
 * On failure nothing is appended. */
PQX_API int pqx_flat_to_thrift(const uint8_t *payload, size_t size, pqx_buffer *out,
                               pqx_error *error);

/* Where a reader gets bytes. `read` fills `into` with exactly `length` bytes from `offset` of the
 * file and returns 0, or an errno. It may be called from any thread that uses the reader. */
typedef struct pqx_source {
    int (*read)(void *context, uint64_t offset, size_t length, uint8_t *into);
    void *context;
    uint64_t size;
} pqx_source;
/* A source over a file descriptor, which stays the caller's. */
PQX_API pqx_source pqx_source_fd(int fd, uint64_t size);

typedef struct pqx_flat pqx_flat;

/* Open the flat footer whose payload is [payload, payload + length) of the source. `known` are the
 * `known_size` bytes of the source that end at `known_end`, already read; there need not be any.
 * Checks the tail block and nothing else. Reserves the reader and a copy of what is known of the
 * payload; give them back with pqx_flat_close. A reader serves one thread at a time. */
PQX_API int pqx_flat_open(const pqx_source *source, uint64_t payload, uint64_t length,
                          const uint8_t *known, size_t known_size, uint64_t known_end,
                          pqx_flat **flat, pqx_error *error);
PQX_API void pqx_flat_close(pqx_flat *flat);

typedef struct pqx_flat_facts {
    int32_t version;
    int64_t num_rows;
    uint32_t leaf_count, node_count, row_group_count, key_value_count;
    uint8_t
        is_lossless; /* bounds are not shortened: pqx_flat_to_thrift gives back what was there */
} pqx_flat_facts;
PQX_API void pqx_flat_get_facts(const pqx_flat *flat, pqx_flat_facts *facts);

/* Look a name up, '.' and NUL being one and the same: every leaf and group whose path reads like
 * this. Fills up to `capacity` ids (a leaf's ordinal, or PQX_FLAT_GROUP | node) and says how many
 * there are. Where lookups come past names that were made to collide, the reader reads the payload
 * whole, and all of its names once, into a table under a random key of 24 to 40 bytes for each
 * name. */
#define PQX_FLAT_GROUP 0x80000000u
PQX_API int pqx_flat_find_name(pqx_flat *flat, const uint8_t *name, size_t size, uint32_t *ids,
                               size_t capacity, size_t *count, pqx_error *error);
PQX_API int pqx_flat_find_field_id(pqx_flat *flat, int32_t field_id, uint32_t *ids, size_t capacity,
                                   size_t *count, pqx_error *error);

/* A leaf's or group's place in the schema. Pointers are good until the next call on this reader. */
typedef struct pqx_flat_node {
    pqx_bytes thrift, path; /* SchemaElement; path with NUL between its parts, "" for the root */
    uint32_t parent;        /* node, PQX_FLAT_NONE for the root */
    uint32_t schema_index;  /* in preorder */
    uint32_t first_leaf, leaf_count;
    uint8_t column_order, max_definition, max_repetition;
} pqx_flat_node;
PQX_API int pqx_flat_get_node(pqx_flat *flat, uint32_t id, pqx_flat_node *node, pqx_error *error);

/* A leaf's chunks in the row groups [first, first + count). `chunks` has room for count, `places`
 * too or is NULL; bounds are appended to `arena`, and the chunks' ranges count from its start.
 * Facts: what the flat form carries. */
PQX_API int pqx_flat_get_chunks(pqx_flat *flat, uint32_t leaf, uint32_t first, uint32_t count,
                                pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                                pqx_error *error);
/* The ColumnChunk structs of a leaf in the row groups [first, first + count), as pqx_flat_to_thrift
 * gives them back: appended to `out`, one range of it for each. Errors, and what may come out, as
 * there; `out` may hold some of the structs after an error. */
PQX_API int pqx_flat_get_chunk_structs(pqx_flat *flat, uint32_t leaf, uint32_t first,
                                       uint32_t count, pqx_buffer *out, pqx_range *ranges,
                                       pqx_error *error);
PQX_API int pqx_flat_get_row_groups(pqx_flat *flat, uint32_t first, uint32_t count,
                                    pqx_row_group *row_groups, pqx_error *error);
typedef struct pqx_sorting_column {
    int32_t column;
    uint8_t descending, nulls_first;
} pqx_sorting_column;
/* The sorting columns of a row group: fills up to `capacity`, and says how many there are. */
PQX_API int pqx_flat_get_sorting_columns(pqx_flat *flat, uint32_t row_group,
                                         pqx_sorting_column *columns, size_t capacity,
                                         size_t *count, pqx_error *error);
/* Key and value of pair `index`; value->data is NULL where there is none. Good until the next call.
 */
PQX_API int pqx_flat_get_key_value(pqx_flat *flat, uint32_t index, pqx_bytes *key, pqx_bytes *value,
                                   pqx_error *error);
PQX_API int pqx_flat_get_created_by(pqx_flat *flat, pqx_bytes *created_by, int *present,
                                    pqx_error *error);
/* The extension slots: how many there are; UUID and length of one; its bytes, good until the next
 * call. Asking how many loads the list of all, asking for bytes the cell of that one. */
PQX_API int pqx_flat_get_extension_count(pqx_flat *flat, uint32_t *count, pqx_error *error);
PQX_API int pqx_flat_get_extension_name(pqx_flat *flat, uint32_t index, uint8_t uuid[16],
                                        uint32_t *size, pqx_error *error);
PQX_API int pqx_flat_get_extension(pqx_flat *flat, uint32_t index, pqx_bytes *data,
                                   pqx_error *error);
/* The slice for a projection, as pqx_slice_footer makes it. */
PQX_API int pqx_flat_slice(pqx_flat *flat, const uint32_t *leaves, uint32_t leaf_count,
                           const uint32_t *row_groups, uint32_t row_group_count, int arrow_schema,
                           int key_values, pqx_buffer *out, pqx_error *error);
/* Read the whole payload into memory, once: worth it for many of the columns. What is used is still
 * checked when it is. */
PQX_API int pqx_flat_hold(pqx_flat *flat, pqx_error *error);
/* Reads made and bytes fetched so far. */
PQX_API void pqx_flat_io(const pqx_flat *flat, uint64_t *reads, uint64_t *bytes);

/* Check a whole payload in memory: every cell, that the vectors other readers use lead to the same
 * tables, and that a Thrift footer comes out of it. */
PQX_API int pqx_flat_verify(const uint8_t *payload, size_t size, pqx_error *error);

/* ---- the footer index ---- */

/* Append the footer index's payload (docs/formats.md, section 7, without the 28-byte trailer) for a
 * scanned footer. PQX_OUT_OF_PROPORTION: paths, or a payload, of more than 16 times the footer and
 * 4 MiB; known before anything is built. Reserves 32 bytes per schema element meanwhile. On failure
 * nothing is appended. */
PQX_API int pqx_index_write(const uint8_t *footer, size_t size, const pqx_scan *scan,
                            pqx_buffer *out, pqx_error *error);

/* A reader of the Thrift footer by its index. Functions are those of pqx_flat above, with these
 * differences. Thrift bytes whose checksum is wrong are PQX_THRIFT_CHECKSUM, which no other form
 * can make good; everything else that is wrong is damage of the index. */
typedef struct pqx_index pqx_index;

/* Open the index whose payload is [payload, payload + length) of the source, of the Thrift footer
 * that begins at `footer`; the pieces that it leads to lie in the footer's first `thrift_length`
 * bytes (pqx_location has it). `known` as pqx_flat_open takes it. Checks the tail block and nothing
 * else. Reserves the reader and a copy of `known`. */
PQX_API int pqx_index_open(const pqx_source *source, uint64_t footer, uint64_t thrift_length,
                           uint64_t payload, uint64_t length, const uint8_t *known,
                           size_t known_size, uint64_t known_end, pqx_index **index,
                           pqx_error *error);
PQX_API void pqx_index_close(pqx_index *index);
/* Read the Thrift footer and the index into memory, once: worth it for most of the columns. */
PQX_API int pqx_index_hold(pqx_index *index, pqx_error *error);
PQX_API void pqx_index_get_facts(const pqx_index *index, pqx_flat_facts *facts);
PQX_API int pqx_index_find_name(pqx_index *index, const uint8_t *name, size_t size, uint32_t *ids,
                                size_t capacity, size_t *count, pqx_error *error);
PQX_API int pqx_index_find_field_id(pqx_index *index, int32_t field_id, uint32_t *ids,
                                    size_t capacity, size_t *count, pqx_error *error);
PQX_API int pqx_index_get_node(pqx_index *index, uint32_t id, pqx_flat_node *node,
                               pqx_error *error);
/* The chunks' Thrift bytes are appended to `arena`, and all ranges count from its start; all facts
 * of the Thrift footer. Bounds are those of the footer, to be judged by pqx_usable_bounds with
 * *element, which is filled in where it is not NULL (its ranges mean nothing). */
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
/* Check a whole index in memory: in `data` the Thrift footer, extension and all, is [footer, size),
 * and the payload is [payload, payload + length). Every cell, every checksum over Thrift bytes, and
 * that it is byte for byte the index that this footer has: PQX_BAD_VALUE at the first byte that
 * differs. Offsets count from `data`. O(size). Reserves what pqx_scan_footer and pqx_index_write
 * do, and a copy of `data`. */
PQX_API int pqx_index_verify(const uint8_t *data, size_t size, size_t footer, size_t thrift_length,
                             size_t payload, size_t length, pqx_error *error);
PQX_API void pqx_index_io(const pqx_index *index, uint64_t *reads, uint64_t *bytes);

/* ---- where the footer is ---- */

/* A block of ours that stands aside: in the file's data part, right in front of the Thrift footer.
 */
typedef struct pqx_aside_block {
    uint8_t uuid[16];
    uint64_t payload;             /* in the file; its 28-byte trailer follows it */
    uint32_t length, trailer_crc; /* of the payload; the CRC-32 of the trailer */
} pqx_aside_block;

/* A reference to such blocks, as an extension of FileMetaData holds it. Its ranges lie in the
 * payload that it was parsed from, which stays the caller's. */
typedef struct pqx_reference {
    uint64_t start; /* where the Thrift footer stood before they came */
    uint32_t struct_length,
        struct_crc; /* the Thrift struct without extension, its stop included; its CRC-32 */
    uint32_t block_count;
    const uint8_t *blocks;
    pqx_bytes tail_block; /* a copy of the end of the last payload; size 0: there is none */
} pqx_reference;

/* Parse the payload of a reference block of a file whose Thrift footer begins at `footer`, and
 * check that its blocks follow each other from `start` to there. The payload's checksum, and
 * whether the struct ends where the reference says, are the caller's to check. PQX_UNKNOWN_LAYOUT:
 * a version that is not known; PQX_REFERENCE: anything else that does not fit. Offsets of errors
 * count from `payload`. */
PQX_API int pqx_reference_parse(const uint8_t *payload, size_t size, uint64_t footer,
                                pqx_reference *reference, pqx_error *error);
/* Block `index` of reference->block_count, front to back. */
PQX_API void pqx_reference_get_block(const pqx_reference *reference, uint32_t index,
                                     pqx_aside_block *block);

enum pqx_form { PQX_FORM_NONE = 0, PQX_FORM_FLAT = 1, PQX_FORM_INDEX = 2, PQX_FORM_PAR3 = 3 };

/* The block that a file is best opened by, as pqx_flat_open and pqx_index_open take it. */
typedef struct pqx_location {
    int form;               /* PQX_FORM_NONE: the other members mean nothing */
    uint64_t footer;        /* where the Thrift footer begins; in a PAR3 file the payload */
    uint64_t thrift_length; /* the bytes of it that an index may lead to */
    uint64_t payload;
    uint32_t length;
    const uint8_t
        *known; /* bytes of the file that end at known_end: in `tail`, or in `reference` */
    size_t known_size;
    uint64_t known_end;
    uint8_t reference[4096]; /* memory for a reference that stands there as text */
} pqx_location;

/* Find the last block of ours from the back of a file of `file_size` bytes that ends in `tail`: in
 * the extension of the Thrift footer, aside from it by a reference there, or alone (PAR3). 4 KiB
 * nearly always suffice. Blocks of others on top are stepped over by their trailers. PQX_FORM_NONE:
 * the tail shows none; the Thrift footer counts. Of a payload nothing is looked at. `found` must
 * stay where it is as long as its members are used. */
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

/* A sidecar's header, read and checked: what holds for all its footers. Everything below reads
 * straight from `data`, which stays the caller's and must stay as it is. `columns` stand at offset
 * 32, 32 bytes each. */
typedef struct pqx_pm {
    const uint8_t *data;
    size_t size;
    uint64_t
        features; /* PQX_PM_FEATURE_*; unknown bits of the lower half mean nothing to a reader */
    int32_t designated_timestamp; /* column, -1: none */
    uint32_t column_count;
    uint32_t sorting_count;        /* the implicit sorting column included */
    uint32_t bloom_count;          /* columns with Bloom filters */
    size_t sorting, bloom_columns; /* offsets of uint32s */
    size_t end;                    /* behind the header's last known section */
    int64_t squash_tracker;        /* -1: none */
} pqx_pm;

/* One snapshot: a footer with what it leads to. */
typedef struct pqx_pm_footer {
    uint64_t size; /* of the sidecar, as it was committed with this footer */
    uint64_t offset;
    uint32_t length; /* through the checksum */
    uint32_t parquet_footer_length, row_group_count;
    uint64_t parquet_footer_offset, unused_bytes;
    uint64_t previous;         /* committed size of the snapshot before, 0: none */
    uint64_t features;         /* PQX_PM_FOOTER_FEATURE_* */
    uint64_t entries, blooms;  /* offsets: of block entries; of the Bloom filters' matrix */
    uint64_t scratchpad;       /* offset of its first entry */
    uint32_t scratchpad_count; /* 0: none */
    uint32_t checksum;         /* as stored */
    int64_t seq_txn;           /* -1: none */
} pqx_pm_footer;

/* Read the header of the sidecar in `data`. Checks flags, the designated timestamp, every name's
 * place, the sections. O(columns). */
PQX_API int pqx_pm_open(const uint8_t *data, size_t size, pqx_pm *pm, pqx_error *error);
/* The size at offset 0: what the last commit says. `size` is at least 8. */
PQX_API uint64_t pqx_pm_committed_size(const uint8_t *data);
/* Read the footer that ends at `committed`. Checks its place, its flags, that its sections fill it
 * where all its features are known, and the place of every row group's block: between header and
 * footer. O(row groups). */
PQX_API int pqx_pm_get_footer(const pqx_pm *pm, uint64_t committed, pqx_pm_footer *footer,
                              pqx_error *error);
/* The newest footer, from the one at `committed` back, that belongs to a Parquet file of
 * `parquet_size` bytes: PQX_PM_CHAIN where there is none. */
PQX_API int pqx_pm_find_footer(const pqx_pm *pm, uint64_t committed, uint64_t parquet_size,
                               pqx_pm_footer *footer, pqx_error *error);
/* Bytes of the Parquet file that a footer belongs to: *known is 0 where they do not fit in 64 bits.
 */
PQX_API uint64_t pqx_pm_parquet_size(const pqx_pm_footer *footer, int *known);
/* Compute the checksum of everything up to a footer's own, and on the way that of the snapshot
 * before: PQX_CHECKSUM where it is another one. O(size). */
PQX_API int pqx_pm_check(const pqx_pm *pm, const pqx_pm_footer *footer, pqx_error *error);

typedef struct pqx_pm_column {
    pqx_bytes name;
    int32_t id, type, flags, fixed_byte_len;
    uint8_t physical_type, max_repetition, max_definition;
} pqx_pm_column;
PQX_API int pqx_pm_get_column(const pqx_pm *pm, uint32_t index, pqx_pm_column *column,
                              pqx_error *error);
/* The columns of this name: fills up to `capacity` and says how many there are. Leaves below one
 * field share its name. */
PQX_API void pqx_pm_find_name(const pqx_pm *pm, const uint8_t *name, size_t size, uint32_t *columns,
                              size_t capacity, size_t *count);
/* Sorting column `index` of pm->sorting_count. */
PQX_API int pqx_pm_get_sorting_column(const pqx_pm *pm, uint32_t index, uint32_t *column,
                                      pqx_error *error);

/* Rows of the row groups [first, first + count). PQX_PM_ROWS where one, or all of these together,
 * exceed 2^63 - 1. */
PQX_API int pqx_pm_get_rows(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t first,
                            uint32_t count, int64_t *rows, pqx_error *error);
/* One member of a column's chunks in the row groups [first, first + count); `member` is its offset
 * in the record, PQX_PM_CHUNK_*. Bytes: codec (above 7: PQX_PM_CODEC), encodings, stat_flags,
 * stat_sizes. Numbers: the others but the two statistics; -1 where the chunk does not say, or says
 * more than 2^63 - 1. */
PQX_API int pqx_pm_get_bytes(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                             uint32_t first, uint32_t count, int member, uint8_t *values,
                             pqx_error *error);
PQX_API int pqx_pm_get_numbers(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                               uint32_t first, uint32_t count, int member, int64_t *values,
                               pqx_error *error);
/* All numbers of these chunks in one pass, `count` of each, one kind after the other in the order
 * of the record. */
PQX_API int pqx_pm_get_all_numbers(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                                   uint32_t first, uint32_t count, int64_t *values,
                                   pqx_error *error);
/* Where the statistics of a column's chunks are in `data`: has[i] bit 0: a minimum, bit 1: a
 * maximum. */
PQX_API int pqx_pm_get_bounds(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                              uint32_t first, uint32_t count, uint8_t *has, uint64_t *min_offsets,
                              uint32_t *min_lengths, uint64_t *max_offsets, uint32_t *max_lengths,
                              pqx_error *error);

/* UNUSABLE: there is one, of a length or at a place that no filter has. */
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
/* The scratchpad's entry at `at`, footer->scratchpad at first; *next is where the next one begins.
 */
PQX_API void pqx_pm_get_scratch(const pqx_pm *pm, uint64_t at, uint32_t *code, pqx_bytes *value,
                                uint64_t *next);
/* The first entry of this code: 1, or 0 where there is none. */
PQX_API int pqx_pm_find_scratch(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t code,
                                pqx_bytes *value);
/* A local file as it is now; times in ns. */
typedef struct pqx_pm_file {
    uint64_t size;
    int64_t modified, changed;
    uint64_t device, inode;
} pqx_pm_file;
/* Whether our note in the scratchpad (docs/sidecar.md) says that the snapshot was made from this
 * file, untouched since. */
PQX_API int pqx_pm_is_of(const pqx_pm *pm, const pqx_pm_footer *footer, const pqx_pm_file *file);

/* What a column chunk is written from. `flags`: PQX_PM_STAT_*, of which PRESENT and INLINED are the
 * writer's own. */
typedef struct pqx_pm_chunk {
    uint64_t num_values, byte_range_start, total_compressed_size, null_count, distinct_count;
    pqx_bytes min, max;                  /* size 0: none */
    pqx_bytes bloom;                     /* inline filters: the bitset, size 0: none */
    uint64_t bloom_offset, bloom_length; /* external filters: in the Parquet file, both 0: none */
    uint8_t codec, encodings, flags;
} pqx_pm_chunk;
/* A chunk's facts from any footer's form. `bytes` is what its ranges count from, `column` its
 * descriptor: a statistic of another width than the type's, or of more than 65535 bytes, is left
 * out, and so are those of integers that the file compares as `unsigned_order` where signed readers
 * would see another order, but for IPv4 addresses, which have no sign. A required leaf has no
 * nulls. Of the Bloom filter, which `places` (or NULL) has, only the place is taken. */
PQX_API int pqx_pm_chunk_of(const uint8_t *bytes, const pqx_chunk *facts, const pqx_places *places,
                            const pqx_pm_column *column, int unsigned_order, pqx_pm_chunk *chunk,
                            pqx_error *error);

/* What a header is written from. One sorting column that is the designated timestamp and ascends is
 * left implicit. */
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
/* What a footer is written from. */
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
    pqx_bytes schema; /* as pqx_pm_slices has it: a note with checksums of parts follows, by which
                       * plans read little. Of a new sidecar whose last given note is the one of its
                       * file (PQTX), without a tag; empty: none */
} pqx_pm_end;

/* A sidecar that is being written, or what is appended to one. Start with zeros; give it back with
 * pqx_pm_writer_free. */
typedef struct pqx_pm_writer {
    pqx_buffer out; /* what to write at offset `base` */
    uint64_t base;
    uint64_t previous; /* committed size of the snapshot before; 0 in a new sidecar */
    uint32_t crc;      /* of what stands before `base` */
    uint32_t column_count, bloom_count;
    uint8_t external_blooms;
    uint32_t row_group_count;
    pqx_buffer bloom_columns, entries, blooms;
} pqx_pm_writer;
/* Begin a new sidecar: writes its header. */
PQX_API int pqx_pm_write_header(pqx_pm_writer *writer, const pqx_pm_table *table, pqx_error *error);
/* Begin to append to a sidecar at `base`, which is at least footer->size and at most pm->size: what
 * stands between belongs to no snapshot, the checksum goes on over it. Row groups and their filters
 * are those of `footer`, in their blocks. */
PQX_API int pqx_pm_write_on(pqx_pm_writer *writer, const pqx_pm *pm, const pqx_pm_footer *footer,
                            uint64_t base, pqx_error *error);
/* Write a row group's block: one chunk per column. It becomes row group `at`, in place of one that
 * is there, or a new one where `at` is writer->row_group_count. A filter of a column that the
 * header does not name is left out. */
PQX_API int pqx_pm_write_row_group(pqx_pm_writer *writer, uint32_t at, uint64_t num_rows,
                                   const pqx_pm_chunk *chunks, pqx_error *error);
/* Write footer and trailer. The sidecar's new size is writer->base + writer->out.size: a new
 * sidecar has it at its offset 0 already, to another one it is written last. */
PQX_API int pqx_pm_write_footer(pqx_pm_writer *writer, const pqx_pm_end *end, pqx_error *error);
PQX_API void pqx_pm_writer_free(pqx_pm_writer *writer);

/* What a sidecar of ours carries beside `_pm` for the slices of a Parquet file's footer
 * (docs/sidecar.md): schema, key-values, and of each chunk what `_pm` does not say. Reads straight
 * from the note, which stays the caller's. */
typedef struct pqx_pm_slices {
    pqx_bytes schema; /* a FileMetaData without row groups; ARROW:schema is its only key-value */
    pqx_bytes key_values; /* the others, Thrift structs back to back */
    uint32_t key_value_count, leaf_count, row_group_count;
    const uint8_t *ends; /* uint32s: where in `runs` that of each leaf ends */
    pqx_bytes runs;
} pqx_pm_slices;
/* Read the note in `data`. PQX_PM_SLICES where its parts do not fill it, or it is of another
 * layout. O(leaves). */
PQX_API int pqx_pm_open_slices(const uint8_t *data, size_t size, pqx_pm_slices *slices,
                               pqx_error *error);
/* Append the runs for the chunks of a scanned footer to `out`, and where each leaf's ends to
 * `ends`, uint32s that count from the first. *whole is 0, and nothing is appended, where a chunk is
 * not told by a run: it lies in another file, is encrypted, or lacks what a reader needs. */
PQX_API int pqx_pm_write_runs(const pqx_scan *scan, pqx_buffer *ends, pqx_buffer *out, int *whole,
                              pqx_error *error);
/* The chunks of a leaf in the row groups [first, first + count) as of a Thrift footer. `element` is
 * its own in the scanned schema; ranges count from the sidecar's start. PQX_PM_SLICES where note
 * and sidecar do not fit together. O(row groups). */
PQX_API int pqx_pm_get_chunks(const pqx_pm *pm, const pqx_pm_footer *footer,
                              const pqx_pm_slices *slices, const pqx_element *element,
                              uint32_t leaf, uint32_t first, uint32_t count, pqx_chunk *chunks,
                              pqx_places *places, pqx_error *error);
/* The slice for a projection, as pqx_slice_footer makes it. `data` and `schema` are the scanned
 * schema. */
PQX_API int pqx_pm_slice(const pqx_pm *pm, const pqx_pm_footer *footer, const pqx_pm_slices *slices,
                         const uint8_t *data, size_t size, const pqx_scan *schema,
                         const uint32_t *leaves, uint32_t leaf_count, const uint32_t *row_groups,
                         uint32_t row_group_count, int arrow_schema, int key_values,
                         pqx_buffer *out, pqx_error *error);

/* ---- planning many files at once ---- */

/* The usable minima or maxima of a column, row group behind row group, as Arrow has arrays: bits,
 * ends (int64, the first one 0; only where the width varies), bytes. */
typedef struct pqx_plan_side {
    pqx_buffer valid, ends, data;
} pqx_plan_side;
typedef struct pqx_plan_column {
    pqx_element element;      /* judges the bounds */
    uint32_t leaf, width;     /* bytes of a bound, 0: it varies */
    pqx_buffer nulls, values; /* int64, -1 where unknown */
    pqx_plan_side min, max;
} pqx_plan_column;
/* Columns of files that have one schema. `columns` is malloc'ed; to be given back with
 * pqx_plan_free. */
typedef struct pqx_plan {
    pqx_bytes schema;     /* as the first file's sidecar has it */
    uint64_t schema_hash; /* its pqx_xxh64, seed 0 */
    pqx_plan_column *columns;
    uint32_t column_count;
    uint64_t row_group_count; /* of all files so far */
    pqx_buffer room;
} pqx_plan;

/* A sidecar that carries what slices need, of a local file. Start with zeros; one serves any number
 * of files. */
enum pqx_plan_status {
    PQX_PLANNED = 0,   /* it belongs to the file by size and times */
    PQX_PLAN_NONE = 1, /* there is no sidecar */
    PQX_PLAN_UNUSED =
        2, /* there is one, and it is stale, damaged, or says too little: ask the file's footer */
    PQX_PLAN_OTHER = 3 /* it has another schema than the plan */
};
typedef struct pqx_plan_sidecar {
    int status; /* pqx_plan_status; what follows is there where it is PQX_PLANNED */
    pqx_pm pm;
    pqx_pm_footer footer;
    pqx_pm_slices slices;
    pqx_buffer bytes; /* the sidecar's, which all of this reads from */
    int is_partial;   /* read by parts: what the plan asks for is in `bytes`, at its place; no
                         `slices` */
    int folder,
        is_entered; /* the open folder of the last path, and what else is kept from file to file */
    pqx_buffer folder_path, beside;
} pqx_plan_sidecar;
/* Read the sidecar of the file at `path`, in place of the one before, and see whether it belongs to
 * it. With `verify`, its checksum has to hold. For a `plan`, of a sidecar with checksums of parts
 * only these parts are read; without, all of it. Only want of memory is a failure. */
PQX_API int pqx_plan_open(const char *path, const pqx_plan *plan, int verify,
                          pqx_plan_sidecar *opened, pqx_error *error);
PQX_API void pqx_plan_close(pqx_plan_sidecar *opened);
/* Append an opened sidecar's facts of the plan's columns. Its status becomes PQX_PLAN_OTHER or
 * PQX_PLAN_UNUSED, and nothing is appended, where its schema is another one, or the facts are
 * damaged. O(row groups). */
PQX_API int pqx_plan_gather(pqx_plan *plan, pqx_plan_sidecar *opened, pqx_error *error);
PQX_API void pqx_plan_free(pqx_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
