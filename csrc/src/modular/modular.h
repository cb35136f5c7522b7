/* The modular footer (docs/formats.md, section 16): its root, the chunks of a column, and the index
 * of its schema. All functions work on the bytes of one module in memory; offsets in errors count
 * from the module's first byte. */
#ifndef PQX_MODULAR_H
#define PQX_MODULAR_H

#include "base/internal.h"

#define PQX_MODULAR_ANY_COUNT UINT64_MAX
#define PQX_MODULAR_NOWHERE SIZE_MAX

/* An array whose sizes have been checked. */
typedef struct pqx_modular_array {
    const uint8_t *data;
    size_t at;                      /* of the struct in the module */
    uint64_t count;                 /* positions, those of absent values included */
    uint64_t slots;                 /* stored values */
    size_t values_at;               /* of the width; it is followed by the values, */
    size_t begin, end;              /* which are in [begin, end) */
    size_t bitmap;                  /* of presence, or PQX_MODULAR_NOWHERE */
    size_t positions;               /* of present values, or PQX_MODULAR_NOWHERE */
    size_t texts;                   /* of an array of texts: their first byte, */
    uint64_t text_bytes;            /* and their size, */
    uint64_t text_end;              /* and where the last text that was read ends */
    unsigned width, position_width; /* in bits */
} pqx_modular_array;

enum { PQX_MODULAR_KINDS = 7, PQX_PLACEMENT_ARRAYS = 10, PQX_STATISTICS_ARRAYS = 7 };

typedef struct pqx_modular_module {
    int is_there;
    uint64_t offset, length; /* as they are stored */
} pqx_modular_module;

typedef struct pqx_modular_root {
    int32_t version;
    uint32_t row_groups, columns;
    int64_t rows;
    pqx_modular_module modules[PQX_MODULAR_KINDS];
} pqx_modular_root;

typedef struct pqx_modular_placement {
    uint32_t leaves, row_groups;
    uint32_t has;                                       /* bit i: array i is there */
    pqx_modular_array arrays[PQX_PLACEMENT_ARRAYS + 1]; /* by field id */
} pqx_modular_placement;

typedef struct pqx_modular_names {
    pqx_modular_array table, offsets, leaf_elements, parents;
    int has_leaf_elements, has_parents, has_non_ascii_names, is_flat;
    unsigned discriminator_bits, ordinal_bits;
    uint32_t leaves;
} pqx_modular_names;

/* modular_array.c: the known fields of the struct at data[at], by id; types[id] is the compact type
 * that a field must have, 0 for unknown ones. */
typedef struct pqx_modular_fields {
    pqx_field found[16];
    uint32_t has; /* bit i: field i is there */
} pqx_modular_fields;
int pqx_modular_read_fields(const uint8_t *data, size_t size, size_t at, const uint8_t types[16],
                            pqx_modular_fields *fields, pqx_error *error);
/* Fail unless a field of the struct at `at` is there. */
int pqx_modular_require(const pqx_modular_fields *fields, int id, size_t at, pqx_error *error);
/* Read an integer that has been skipped before. */
int pqx_modular_integer(const uint8_t *data, size_t size, const pqx_field *field, int64_t *value,
                        pqx_error *error);

/* Read the array at data[at], which has `count` positions, and check that its values are there. */
int pqx_modular_read_array(const uint8_t *data, size_t size, size_t at, uint64_t count, int is_text,
                           pqx_modular_array *array, pqx_error *error);
/* As above, without a check of the values, which is pqx_modular_check_array. */
int pqx_modular_begin_array(const uint8_t *data, size_t size, size_t at, uint64_t count,
                            pqx_modular_array *array, pqx_error *error);
int pqx_modular_check_array(pqx_modular_array *array, int is_text, pqx_error *error);
/* Return value `number` of `width` bits; the first one begins at data[at], and all of it is before
 * data[end]. */
uint64_t pqx_modular_bits(const uint8_t *data, size_t at, size_t end, uint64_t number,
                          unsigned width);
/* Write `count` numbers of `width` bits to `out`, which has room for their bytes. PQX_BAD_ARGUMENT:
 * a number has more bits. */
int pqx_modular_pack(const uint64_t *numbers, size_t count, unsigned width, uint8_t *out,
                     pqx_error *error);
/* Read the number at a position: *is_there is 0 if it is absent. */
void pqx_modular_number(const pqx_modular_array *array, uint64_t position, uint64_t *number,
                        int *is_there);
/* Read the number at a position of an array without absent values. */
int pqx_modular_present(const pqx_modular_array *array, uint64_t position, uint64_t *number,
                        pqx_error *error);
/* Read the text at a position. Positions of successive calls ascend, and so do the offsets of their
 * texts: together, these are no longer than the bytes of the array. */
int pqx_modular_text(pqx_modular_array *array, uint64_t position, pqx_bytes *text, int *is_there,
                     pqx_error *error);

/* modular_root.c: read the root struct in `data`. Errors: PQX_FIELD_TYPE also for the list of
 * modules of an older generation; PQX_MISSING_FIELD, PQX_BAD_VALUE, those of pqx_thrift_next. */
int pqx_modular_read_root(const uint8_t *data, size_t size, pqx_modular_root *root,
                          pqx_error *error);

/* modular_chunks.c: read the module PLACEMENT; `data` must outlive the result. */
int pqx_modular_read_placement(const uint8_t *data, size_t size, uint32_t leaves,
                               uint32_t row_groups, pqx_modular_placement *placement,
                               pqx_error *error);
/* Write the number of rows, or of uncompressed bytes, of each row group to `out`. */
int pqx_modular_rows(const pqx_modular_placement *placement, int64_t *out, pqx_error *error);
int pqx_modular_row_group_bytes(const pqx_modular_placement *placement, int64_t *out,
                                pqx_error *error);

/* Options for writing chunks as structs. */
typedef struct pqx_modular_writing {
    pqx_bytes statistics; /* the column's; empty if it has none */
    pqx_bytes path;       /* the value of path_in_schema; empty if it is omitted */
    int deprecated;       /* bounds are in the deprecated fields */
    int in_row_groups;    /* each chunk is in a separate RowGroup struct */
} pqx_modular_writing;
/* Append the structs of a leaf in row groups [first, first + count) to `out`; their lengths are
 * written to `lengths`, which has room for `count`. O(count). */
int pqx_modular_chunks(const pqx_modular_placement *placement, uint32_t leaf, uint32_t first,
                       uint32_t count, const pqx_modular_writing *writing, pqx_buffer *out,
                       uint32_t *lengths, pqx_error *error);
/* Read where the statistics of a column are, from the module ROW_GROUP_STATISTICS. */
int pqx_modular_statistics(const uint8_t *data, size_t size, uint32_t leaf, uint32_t leaves,
                           uint64_t *begin, uint64_t *end, pqx_error *error);

/* modular_names.c: read the module SCHEMA_INDEX; `data` must outlive the result. */
int pqx_modular_read_names(const uint8_t *data, size_t size, uint32_t leaves,
                           pqx_modular_names *names, pqx_error *error);
uint64_t pqx_modular_hash(const uint8_t *path, size_t size);
/* Find the leaves that may have this path: write up to `capacity` of them to `found`; *count is
 * their number, which may be larger. It is 0 if few probes do not reach an empty slot. */
int pqx_modular_candidates(const pqx_modular_names *names, const uint8_t *path, size_t size,
                           uint32_t *found, size_t capacity, size_t *count, pqx_error *error);

/* modular_verify.c: check all of an array, or all arrays of a struct that fills `data`; bit i of
 * `texts` is set if field i is an array of texts. */
int pqx_modular_verify_array(const uint8_t *data, size_t size, size_t at, int is_text,
                             pqx_error *error);
int pqx_modular_verify_struct(const uint8_t *data, size_t size, uint32_t texts, pqx_error *error);

#endif
