/* Read flat leaves as arrays of the Arrow C data interface. */
#ifndef PQX_ARROW_ARRAYS_H
#define PQX_ARROW_ARRAYS_H

#include "page/stored.h"

/* From the specification: https://arrow.apache.org/docs/format/CDataInterface.html */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif

/* The conversion of stored values to those of an array. */
enum pqx_arrow_form {
    PQX_ARROW_NONE,    /* not supported here */
    PQX_ARROW_AS_IS,   /* no conversion */
    PQX_ARROW_BYTE,    /* the lowest byte of integers of 4 bytes */
    PQX_ARROW_SHORT,   /* the lowest two bytes of integers of 4 bytes */
    PQX_ARROW_DECIMAL, /* big-endian integers to decimals of 16 bytes */
};
enum {
    PQX_ARROW_DECIMAL_BYTES = 16,
    PQX_ARROW_MOST_OF_BYTE = 64 /* accepted bytes in memory per stored byte */
};

typedef struct pqx_arrow_leaf {
    int32_t type, type_length; /* PQX_PHYSICAL_* */
    uint16_t max_definition;
    uint8_t form; /* PQX_ARROW_* */
} pqx_arrow_leaf;

/* Return the conversion of a leaf to an array of the field's type: PQX_ARROW_NONE if the type is
 * ambiguous or nested. */
uint8_t pqx_arrow_form_of(const pqx_arrow_leaf *leaf, const struct ArrowSchema *field);

/* A column chunk and its pages, all in memory. */
typedef struct pqx_arrow_chunk {
    const uint8_t *data;
    size_t size;
    uint64_t rows;
    int codec;
    /* Rows to skip, to read, to skip, and so on; NULL: all rows are read. */
    const int64_t *counts;
    size_t turns;
} pqx_arrow_chunk;

/* Build an array from the rows that are read of a leaf's chunks, whose pages are decompressed into
 * `room`. Texts have at most `most_bytes` bytes; *bytes is their size. Return 0 if the array cannot
 * be built for any reason; then there is nothing to release. */
int pqx_arrow_array(const pqx_arrow_leaf *leaf, const pqx_arrow_chunk *chunks, size_t count,
                    uint64_t most_bytes, pqx_unpacked *room, struct ArrowArray *array,
                    uint64_t *bytes);

/* Compare the values of a leaf's chunks with ranges: *bits gets a bit per row, 1 if a range
 * contains the value, or for null if `accepts_null`. The caller releases it. Return 0 if this is
 * not possible for any reason. */
int pqx_arrow_find(const pqx_arrow_leaf *leaf, const pqx_ranges *ranges, int accepts_null,
                   const pqx_arrow_chunk *chunks, size_t count, pqx_unpacked *room,
                   pqx_memory *bits);

/* For each leaf of a scan, decide whether it can be read (PQX_ARROW_AS_IS), and compute the size of
 * its chunks in the file. PQX_ARROW_NONE: the leaf is nested, or its chunks are encrypted, in
 * another file, of an unsupported codec or encoding, or inconsistent with the schema or the file's
 * size. Returns the number of readable leaves: none if chunks overlap, or if few bytes claim very
 * many values. */
uint32_t pqx_arrow_plan(const pqx_scan *scan, uint64_t file_size, pqx_arrow_leaf *leaves,
                        uint64_t *sizes);
/* Set the form of these leaves according to the types of the schema's fields. */
void pqx_arrow_choose(const pqx_scan *scan, const struct ArrowSchema *schema,
                      pqx_arrow_leaf *leaves);
/* The chunks of some leaves, in memory. */
typedef struct pqx_arrow_loaded {
    uint32_t *leaves; /* `count` of them, ascending */
    size_t count;
    pqx_arrow_chunk *chunks; /* of the first leaf in each row group, then of the second one */
    pqx_memory stored;
} pqx_arrow_loaded;

/* Read the chunks of the leaves [first, end) that have a form, with few reads. Return 0 if this is
 * not possible. Free `loaded` in any case. */
int pqx_arrow_load(const pqx_source *source, const pqx_scan *scan, const pqx_arrow_leaf *leaves,
                   uint32_t first, uint32_t end, pqx_arrow_loaded *loaded);
void pqx_arrow_loaded_free(pqx_arrow_loaded *loaded);
/* Read the arrays of the leaves [first, end) that have a form, from one buffer with all their
 * chunks. If an array cannot be built, its `release` is unchanged. All arrays together have at most
 * `most_bytes` bytes of text; returns their number of bytes. */
uint64_t pqx_arrow_read(const pqx_source *source, const pqx_scan *scan,
                        const pqx_arrow_leaf *leaves, uint32_t first, uint32_t end,
                        uint64_t most_bytes, struct ArrowArray *arrays);

/* Count the Parquet entries of the leaves in an array's lists: their values, their nulls, and lists
 * without elements. Returns 0 if the array has lists of a fixed size, or another unsupported type.
 */
int pqx_arrow_count_entries(const struct ArrowSchema *schema, const struct ArrowArray *array,
                            uint64_t *entries);

#endif
