/* The tables of Arrow's Schema.fbs that a field consists of, described for a generic walk. */
#ifndef PQX_ARROW_SCHEMA_H
#define PQX_ARROW_SCHEMA_H

#include "thrift/cursor.h"

/* The contents of a slot. UNION's tag is the slot before it. */
enum pqx_arrow_kind {
    ARROW_BYTE = 1,
    ARROW_SHORT = 2,
    ARROW_INT = 4,
    ARROW_LONG = 8, /* scalars: the number is their size in bytes */
    ARROW_STRING = 16,
    ARROW_INTS,
    ARROW_UNION,
    ARROW_DICTIONARY,
    ARROW_INT_TYPE,
    ARROW_FIELDS,
    ARROW_KEY_VALUES
};

/* The number of a type is its tag in the union Type. */
enum pqx_arrow_table {
    ARROW_STRUCT_TYPE = 13,
    ARROW_LAST_TYPE = 26,
    ARROW_FIELD,
    ARROW_DICTIONARY_ENCODING,
    ARROW_KEY_VALUE,
    ARROW_TABLES
};

enum pqx_arrow_field_slot {
    FIELD_NAME,
    FIELD_NULLABLE,
    FIELD_TYPE_TAG,
    FIELD_TYPE,
    FIELD_DICTIONARY,
    FIELD_CHILDREN,
    FIELD_METADATA
};

#define PQX_ARROW_SLOTS 7
typedef struct pqx_arrow_layout {
    uint8_t count, kinds[PQX_ARROW_SLOTS];
} pqx_arrow_layout;

extern const pqx_arrow_layout pqx_arrow_layouts[ARROW_TABLES];

/* The bytes of a walk: a piece, or a schema that is decoded on access. */
typedef struct pqx_arrow_source {
    const uint8_t *data;
    size_t size;
    const pqx_arrow_schema *lazy; /* or NULL */
    pqx_error *error;
} pqx_arrow_source;

/* Check that [at, at + size) is within the source, and decode it. */
int pqx_arrow_need(const pqx_arrow_source *source, size_t at, size_t size);

/* A table: its bytes, and those of its vtable, are within the source. */
typedef struct pqx_arrow_place {
    size_t at, vtable;
    uint16_t size, vtable_size;
} pqx_arrow_place;

int pqx_arrow_open(const pqx_arrow_source *source, size_t at, pqx_arrow_place *table);
/* Find slot `slot`, of `bytes` bytes; the result is 0 if it is absent. */
int pqx_arrow_slot(const pqx_arrow_source *source, const pqx_arrow_place *table, unsigned slot,
                   size_t bytes, size_t *at);
/* Follow the offset at `at`; at least `need` bytes must be at the target. */
int pqx_arrow_follow(const pqx_arrow_source *source, size_t at, size_t need, size_t *target);
/* Read the string or vector at `at` and check that its items, of `width` bytes, are within the
 * source. */
int pqx_arrow_vector(const pqx_arrow_source *source, size_t at, size_t width, size_t *items,
                     uint32_t *count);
/* Find the Field table of field `index` of a schema (source->lazy). */
int pqx_arrow_field_table(const pqx_arrow_source *source, uint32_t index, size_t *table);

static inline int pqx_arrow_fail(const pqx_arrow_source *source, size_t at)
{ return pqx_fail(source->error, PQX_ARROW_SCHEMA, at, 0, 0); }

#endif
