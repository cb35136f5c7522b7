/* parquetext: open the footer of a Parquet file in any form, slice it, decode column chunks, and
 * read extensions, without a Thrift or FlatBuffers library. The library does not decompress: pass
 * decompressed pages.
 *
 * All functions accept untrusted bytes. For any input, no function reads outside [data, data +
 * size), recurses deeper than 64 levels, or reserves memory in proportion to a size that the
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

#define PQX_VERSION "0.1.0"
#define PQX_ABI_VERSION 3

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
    PQX_COMPRESSED_TEXT = 34,
    PQX_TOO_REGULAR = 35,
    PQX_THRIFT_CHECKSUM = 40,
    PQX_TOO_MANY = 41,
    PQX_NO_THRIFT = 42,
    PQX_NOT_PARQUET = 43,
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
    PQX_PAGE_INDEX = 139,
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

typedef struct pqx_bytes {
    const uint8_t *data;
    size_t size;
} pqx_bytes;

/* Return PQX_VERSION of the library in use, a static string. */
PQX_API const char *pqx_version(void);
/* Return PQX_ABI_VERSION of the library in use. */
PQX_API int pqx_abi_version(void);
/* Write a sentence that describes `error` to text[0..capacity), truncated if necessary and
 * terminated by NUL. Return the length of the whole sentence. */
PQX_API size_t pqx_error_format(const pqx_error *error, char *text, size_t capacity);

/* ---- varint ---- */

/* Decode the ULEB128 at data[at], of at most 10 bytes. *next is the offset after it. */
PQX_API int pqx_varint_get64(const uint8_t *data, size_t size, size_t at, uint64_t *value,
                             size_t *next, pqx_error *error);

/* Write the shortest form to `out`, which has room for 10 bytes. Return its length. */
PQX_API size_t pqx_varint_put(uint8_t *out, uint64_t value);

/* ---- CRC-32 (IEEE 802.3, as zlib's) ---- */

/* Return the CRC after more data. `crc` is 0 for the first call and the previous result for later
 * calls. */
PQX_API uint32_t pqx_crc32(uint32_t crc, const uint8_t *data, size_t size);

/* Return the CRC of A || B, given crc(A), crc(B) and B's length in bytes. O(log length). */
PQX_API uint32_t pqx_crc32_combine(uint32_t crc_a, uint32_t crc_b, uint64_t length_b);

/* ---- Thrift compact protocol ---- */

/* Skip one value of compact type `type` that begins at data[at]. A boolean takes no byte in a field
 * and one in a list; here it takes none. Lists, sets, maps and structs may be nested 64 levels
 * deep. */
PQX_API int pqx_thrift_skip(const uint8_t *data, size_t size, size_t at, int type, size_t *end,
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

/* A payload and its trailer of 28 bytes. */
typedef struct pqx_block {
    uint8_t uuid[16];
    uint64_t payload, length; /* offset from `data`, bytes */
    uint32_t crc;
} pqx_block;

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

/* ---- memory that grows ---- */

/* A growable buffer that the functions below append to. Initialize it with zeros. `data` is
 * malloc'ed; the caller owns it and frees it with pqx_buffer_free. */
typedef struct pqx_buffer {
    uint8_t *data;
    size_t size, capacity;
} pqx_buffer;
PQX_API void pqx_buffer_free(pqx_buffer *buffer);

/* ---- the metadata of column chunks ---- */

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
 * ranges are relative to the buffer that the function documents. */
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

/* Return the offset of a chunk's first page, computed from the footer's offsets (-1: absent): the
 * dictionary page if it is after the magic and before the data pages or if it is the only offset,
 * else the first data page. The result is one of the two, not checked against the file: it may be
 * negative, and together with the chunk's size it may exceed 2^63. */
PQX_API int64_t pqx_chunk_begin(int64_t data_page_offset, int64_t dictionary_page_offset);

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

/* A part of a column chunk: the bytes data[at..size). `end` is the end of the chunk; it may be
 * after `size`, because the bodies of pages need not be in memory. */
typedef struct pqx_page_span {
    const uint8_t *data;
    size_t size;
    uint64_t at, end;
} pqx_page_span;
/* Read the page headers that begin in `span`, one after another, into pages[0..capacity). *count is
 * the number of headers read. *next is the offset of the next page, or `end` after the last page.
 * If *next is smaller and *count < capacity, the header at *next does not end before `size`: call
 * again with more bytes from *next on. After an error *count and *next are also valid, and the page
 * at *next is the wrong one. PQX_PAGE_SIZE: the page extends beyond `end`. O(headers). */
PQX_API int pqx_page_walk(const pqx_page_span *span, pqx_page *pages, size_t capacity,
                          size_t *count, uint64_t *next, pqx_error *error);

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
 * separate from the values, which may have been compressed; its `data` is NULL if they precede the
 * values in one buffer. The bytes must remain valid until pqx_decoder_done reports the page. They
 * are first read when decoding reaches them. PQX_PAGE_TYPE. */
PQX_API int pqx_decoder_page(pqx_decoder *decoder, const pqx_page *header, pqx_bytes levels,
                             pqx_bytes values, pqx_error *error);

/* Decode, or skip, the rest of the last row and the next `rows` rows. *begun is the number of rows
 * that were begun: fewer than `rows` if the supplied pages end or *state is PQX_DECODER_FULL.
 * Errors, besides those of the encodings and levels: PQX_CHUNK_ENTRIES: a page has more
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

/* ---- sources of bytes ---- */

/* A source of bytes for readers. `read` fills `into` with exactly `length` bytes from `offset` of
 * the file and returns 0, or an errno. It may be called from any thread that uses the reader. */
typedef struct pqx_source {
    int (*read)(void *context, uint64_t offset, size_t length, uint8_t *into);
    void *context;
    uint64_t size;
} pqx_source;

/* Return a source for a file descriptor, which the caller continues to own. */
PQX_API pqx_source pqx_source_fd(int fd, uint64_t size);

/* ---- locating the footer ---- */

/* PQX_FORM_NONE: the Thrift footer. */
enum pqx_form {
    PQX_FORM_NONE = 0,
    PQX_FORM_FLAT = 1,
    PQX_FORM_INDEX = 2,
    PQX_FORM_PAR3 = 3,
    PQX_FORM_PACKED = 4
};

/* The block from which a file is best opened. */
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

/* ---- the footer, in any form ---- */

/* An open footer. Use it from one thread at a time. */
typedef struct pqx_footer pqx_footer;

typedef struct pqx_footer_info {
    int form; /* pqx_form */
    int64_t num_rows;
    uint32_t leaf_count, row_group_count;
} pqx_footer_info;

/* Open the footer of a file: the block that pqx_locate finds, or the Thrift footer if there is none
 * or if `thrift_only` is set. Only the needed parts of a block are read, later and on request; the
 * Thrift footer is read and scanned as a whole, that of a PARX file after its flags and checksum
 * are checked. Damage of a block may appear in any later call, and PQX_COMPRESSED_TEXT for long
 * bounds and `ARROW:schema` of a packed footer, because this library opens no libzstd; open the
 * footer again with `thrift_only` then. PQX_NOT_PARQUET; PQX_ENCRYPTED; PQX_UNKNOWN_LAYOUT: a PARX
 * file has unknown flags; PQX_IRREGULAR: a row group does not have one chunk per leaf;
 * PQX_NO_THRIFT: a PAR3 file with `thrift_only`. Reserves memory, proportional to the bytes read,
 * until pqx_footer_close. *footer is NULL after an error. Offsets in errors count from the part of
 * the file that the form reads. */
PQX_API int pqx_footer_open(const pqx_source *source, int thrift_only, pqx_footer **footer,
                            pqx_error *error);
/* Free a footer, which may be NULL. */
PQX_API void pqx_footer_close(pqx_footer *footer);
PQX_API void pqx_footer_get_info(const pqx_footer *footer, pqx_footer_info *info);
/* Find the leaf with this path; '.' separates its parts. *count is the number of such leaves, at
 * most 2. *leaf is the first one, set if *count is not 0. */
PQX_API int pqx_footer_find_leaf(pqx_footer *footer, const char *path, uint32_t *leaf,
                                 size_t *count, pqx_error *error);
/* Describe a leaf for pqx_decoder_open. The members that select the output are 0. */
PQX_API int pqx_footer_get_leaf(pqx_footer *footer, uint32_t leaf, pqx_decoder_leaf *described,
                                pqx_error *error);
/* Read the number of rows of each row group. `num_rows` has room for all row groups. */
PQX_API int pqx_footer_get_rows(pqx_footer *footer, int64_t *num_rows, pqx_error *error);
/* Read the metadata of a column's chunks. `chunks` has room for all row groups. Bounds are appended
 * to `bounds`, and the ranges min_value and max_value are relative to its start; only bounds that
 * may be trusted are present. All other ranges are empty. */
PQX_API int pqx_footer_get_chunks(pqx_footer *footer, uint32_t leaf, pqx_chunk *chunks,
                                  pqx_buffer *bounds, pqx_error *error);

/* The columns and row groups of a slice. */
typedef struct pqx_slice_request {
    const uint32_t *leaves; /* ascending */
    const uint32_t *row_groups;
    uint32_t leaf_count, row_group_count;
    int arrow_schema; /* include ARROW:schema, projected to these leaves */
    int key_values;   /* include the other key-values */
} pqx_slice_request;
/* Append a Thrift FileMetaData for a projection to `out`. After a failure `out` is unchanged. */
PQX_API int pqx_footer_slice(pqx_footer *footer, const pqx_slice_request *request, pqx_buffer *out,
                             pqx_error *error);

#ifdef __cplusplus
}
#endif
#endif
