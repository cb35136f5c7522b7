/* Flat leaves as arrays of the Arrow C data interface. */
#ifndef PQX_ARROW_ARRAYS_H
#define PQX_ARROW_ARRAYS_H

#include "page/stored.h"

/* As the interface says: https://arrow.apache.org/docs/format/CDataInterface.html */
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

/* How stored values become those of an array. */
enum pqx_arrow_form {
    PQX_ARROW_NONE,    /* not here */
    PQX_ARROW_AS_IS,   /* they are the array's */
    PQX_ARROW_BYTE,    /* integers of 4 bytes become their lowest byte */
    PQX_ARROW_SHORT,   /* the same of two bytes */
    PQX_ARROW_DECIMAL, /* big-endian integers become decimals of 16 bytes */
};
enum { PQX_ARROW_DECIMAL_BYTES = 16 };

typedef struct pqx_arrow_leaf {
    int32_t type, type_length; /* PQX_PHYSICAL_* */
    uint16_t max_definition;
    uint8_t form; /* PQX_ARROW_* */
} pqx_arrow_leaf;

/* How a leaf becomes an array of the field's type: PQX_ARROW_NONE where the type leaves a choice to
 * whoever reads it, or has others within it. */
uint8_t pqx_arrow_form_of(const pqx_arrow_leaf *leaf, const struct ArrowSchema *field);

/* A column chunk and its pages, which are all there. */
typedef struct pqx_arrow_chunk {
    const uint8_t *data;
    size_t size;
    uint64_t rows;
    int codec;
} pqx_arrow_chunk;

/* Make an array of a leaf's chunks, whose pages are decompressed into `room`. Of texts at most
 * `most_bytes` bytes; *bytes of them. 0 where it cannot be made, for whatever reason; nothing is to
 * be released then. */
int pqx_arrow_array(const pqx_arrow_leaf *leaf, const pqx_arrow_chunk *chunks, size_t count,
                    uint64_t most_bytes, pqx_unpacked *room, struct ArrowArray *array,
                    uint64_t *bytes);

/* Say of each leaf of a scan whether it can be read, PQX_ARROW_AS_IS, and the bytes that its chunks
 * take in the file. Nested leaves cannot, PQX_ARROW_NONE, nor where chunks are encrypted, in
 * another file, of a codec or encoding that is not read here, or contradict the schema or the
 * file's size. Returns how many can: none where chunks overlap, or few bytes claim to hold very
 * much. */
uint32_t pqx_arrow_plan(const pqx_scan *scan, uint64_t file_size, pqx_arrow_leaf *leaves,
                        uint64_t *sizes);
/* Give those leaves the form that the types of the schema's fields ask for. */
void pqx_arrow_choose(const pqx_scan *scan, const struct ArrowSchema *schema,
                      pqx_arrow_leaf *leaves);
/* Read the arrays of the leaves [first, end) that have a form, from one buffer of
 * all their chunks. Of an array that cannot be made `release` stays as it is. Of texts at most
 * `most_bytes` bytes, all arrays together; returns how many there are. */
uint64_t pqx_arrow_read(const pqx_source *source, const pqx_scan *scan,
                        const pqx_arrow_leaf *leaves, uint32_t first, uint32_t end,
                        uint64_t most_bytes, struct ArrowArray *arrays);

/* Count the entries that the leaves in lists of an array have in Parquet: their values, their
 * nulls, and lists without elements. Returns 0 if the array has lists of a fixed size, or another
 * type that is not counted here. */
int pqx_arrow_count_entries(const struct ArrowSchema *schema, const struct ArrowArray *array,
                            uint64_t *entries);

#endif
