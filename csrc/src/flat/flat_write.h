/* The flat footer's writer (docs/formats.md, section 3): declarations shared by its files.
 *
 * The payload is written front to back. The vtables come last, so a table's first word contains its
 * offset minus the vtable's offset within the vtables' area until the offset of that area is known.
 * Cells get their checksums after that. */
#ifndef PQX_FLAT_WRITE_H
#define PQX_FLAT_WRITE_H

#include "flat/flat.h"
#include "flat/flat_write_residue.h"

/* The positions of a table's fields, for one combination of present fields. */
typedef struct pqx_shape {
    uint32_t vtable;                  /* offset within the vtables' area */
    uint16_t size;                    /* the inline part, padded */
    uint16_t align, lead;             /* it starts at `lead` modulo `align` */
    uint16_t at[PQX_FLAT_MAX_FIELDS]; /* by field, in slot order */
} pqx_shape;

/* A union's member and its Thrift struct, tag 0: none that is known; with a binary field beside it,
 * or NULL. */
typedef struct pqx_flat_union {
    uint8_t tag;
    size_t thrift;
} pqx_flat_union;
typedef struct pqx_flat_crypto {
    pqx_flat_union member;
    const uint8_t *bytes;
    size_t size;
} pqx_flat_crypto;

/* A table of numbers that schema elements share; all bytes are compared. */
typedef struct pqx_shared_table {
    uint32_t table, mask, values[2];
} pqx_shared_table;

typedef struct pqx_flat_writer {
    const uint8_t *footer;
    size_t footer_size;
    const pqx_scan *scan;
    pqx_error *error;
    pqx_buffer *out;
    size_t base;                          /* offset of the payload in `out` */
    uint64_t limit;                       /* of the payload */
    uint16_t *shape_of;                   /* table and presence mask -> shape + 1 */
    uint32_t first_mask[PQX_FLAT_TABLES]; /* offset of a table's masks in shape_of */
    pqx_buffer shapes, vtables;
    pqx_buffer tables, cells; /* u32 offsets of all tables and cells so far */
    pqx_buffer path;          /* of the current element, NUL between its parts */
    uint32_t *leaf_of;        /* element -> leaf, or PQX_FLAT_NONE */
    uint32_t *node_of;        /* element -> node, or PQX_FLAT_NONE */
    uint32_t *position;       /* element -> its index among its parent's children */
    uint32_t *node_element;   /* node -> element */
    uint32_t node_count;
    uint32_t *places; /* the directory's entries */
    uint32_t place_count;
    uint64_t *hashes;      /* of paths: leaves, then nodes */
    uint32_t *arrow;       /* element -> pool position of its Arrow field, 0 for none */
    pqx_buffer heads;      /* of the current cell */
    uint32_t listed_table; /* the last table that a head or a list refers to */
    pqx_shared_table shared[PQX_FLAT_SHARED_TABLES];
    uint32_t shared_count;
    pqx_buffer shared_links; /* u32 field, u32 number of the shared table that it refers to */
    pqx_buffer pool,
        pool_ends; /* the items of the pool pages, page after page; u32 ends of the pages */
    uint32_t *pool_slots, pool_mask,
        pool_items;           /* the items' positions by content, 0 for none; open addressing */
    pqx_residue residue;      /* of the current struct */
    pqx_buffer records;       /* of the current cell */
    uint32_t record_skeleton; /* pool position of the last record's skeleton, 0 for none */
    size_t record_literals, record_size; /* offset of the last record's literals in `records` */
    pqx_known_skeleton
        known[9];         /* the most recent one for a chunk of each physical type; 8: any other */
    pqx_buffer path_list; /* the leaf's path, in the format of path_in_schema */
    pqx_known_skeleton known_group; /* of the previous row group in its cell */
    pqx_range bound[2];             /* min and max of the last chunk, their significant bytes */
    int has_bounds, is_compact;
    uint8_t logical_tag;    /* of the most recent element */
    pqx_flat_crypto crypto; /* of the footer */
    uint32_t created_by_field, algorithm_field,
        key_field; /* the root table's offsets into the ROOT cell */
    uint32_t schema_vector, row_groups_vector,
        key_values_vector;              /* offsets of their first entries */
    uint32_t columns_vectors;           /* offset of the first row group's vector */
    uint32_t cell_leaves, column_cells; /* leaves of a COLUMN cell; such cells */
    uint32_t column_hint, pool_hint;
    const pqx_flat_extension *extensions; /* ascending by UUID */
    uint32_t extension_count;
    uint32_t extensions_vector,
        extensions_cell; /* offset of its first entry; of the list, 0 for none */
    uint32_t directory, buckets, bucket_count;
    pqx_buffer listed; /* u32 tag, u32 offset */
} pqx_flat_writer;

/* Return byte `place` of the payload; valid until something is appended. */
static inline uint8_t *pqx_flat_at(const pqx_flat_writer *w, uint32_t place)
{ return w->out->data + w->base + place; }

/* Return the offset of the payload's end. */
static inline uint32_t pqx_flat_end(const pqx_flat_writer *w)
{ return (uint32_t)(w->out->size - w->base); }

/* Set the offset at `field` to refer to `target`. */
static inline void pqx_flat_link(const pqx_flat_writer *w, uint32_t field, uint32_t target)
{ pqx_store32(pqx_flat_at(w, field), target - field); }

/* flat_table.c: tables, strings and vectors. All functions append to the payload and return the
 * offset of the new object. */
int pqx_flat_shapes_new(pqx_flat_writer *w);
int pqx_flat_room(pqx_flat_writer *w, size_t more);
int pqx_flat_zeros(pqx_flat_writer *w, size_t count, uint32_t *at);
int pqx_flat_pad(pqx_flat_writer *w, uint32_t multiple);
int pqx_flat_append(pqx_flat_writer *w, const uint8_t *bytes, size_t size, uint32_t *at);
/* `shape` is valid until the next table. */
int pqx_flat_table(pqx_flat_writer *w, int table, uint32_t mask, uint32_t *at,
                   const pqx_shape **shape);
/* Append a string, or a vector of bytes, for the offset at `field`. */
int pqx_flat_string(pqx_flat_writer *w, uint32_t field, const uint8_t *bytes, size_t size);
int pqx_flat_bytes(pqx_flat_writer *w, uint32_t field, const uint8_t *bytes, size_t size);
/* Append a vector of `count` offsets, to be set later; *entries is the offset of the first one. */
int pqx_flat_vector(pqx_flat_writer *w, uint32_t field, uint32_t count, uint32_t *entries);
void pqx_flat_place_vtables(pqx_flat_writer *w, uint32_t area);
int pqx_flat_key_value(pqx_flat_writer *w, const uint8_t *key, size_t key_size,
                       const uint8_t *value, size_t value_size, uint32_t *at);

/* flat_thrift.c: values that the scan does not extract, read from the Thrift footer. */
typedef struct pqx_flat_list {
    int type;
    uint32_t count;
    size_t first;
} pqx_flat_list;
int pqx_flat_open_list(pqx_flat_writer *w, size_t at, pqx_flat_list *list);
/* Find the bytes of a binary field of the struct at `at`; *bytes is NULL if there is none. */
int pqx_flat_find_binary(pqx_flat_writer *w, size_t at, int16_t id, const uint8_t **bytes,
                         size_t *size);
/* Find an integer or boolean field of the struct at `at`; *found is 0 if there is none of that
 * type. */
int pqx_flat_find_integer(pqx_flat_writer *w, size_t at, int16_t id, int type, int64_t *value,
                          int *found);

/* flat_write_rare.c */
int pqx_flat_find_geospatial(pqx_flat_writer *w, size_t metadata, size_t *thrift, int *found);
int pqx_flat_put_geospatial(pqx_flat_writer *w, size_t thrift, uint32_t *at);
/* Find the union and the bytes in these fields of the struct at `thrift`. */
int pqx_flat_find_crypto(pqx_flat_writer *w, size_t thrift, int16_t union_id, int16_t bytes_id,
                         pqx_flat_crypto *crypto);
/* Write the table of an EncryptionAlgorithm's, or of a ColumnCryptoMetaData's, member. */
int pqx_flat_put_algorithm(pqx_flat_writer *w, const pqx_flat_union *member, uint32_t *at);
int pqx_flat_put_key(pqx_flat_writer *w, const pqx_flat_union *member, uint32_t *at);

/* flat_write_cell.c */
int pqx_flat_cell_begin(pqx_flat_writer *w, int kind, uint32_t part, uint32_t number,
                        uint32_t *cell);
int pqx_flat_cell_end(pqx_flat_writer *w, uint32_t cell);
/* Append `count` empty cells of 256 bytes, numbered from 0. */
int pqx_flat_pages(pqx_flat_writer *w, int kind, uint32_t count, uint32_t *first);
void pqx_flat_sign_cells(pqx_flat_writer *w);
int pqx_flat_reserve_directory(pqx_flat_writer *w);
void pqx_flat_fill_directory(pqx_flat_writer *w);
int pqx_flat_write_tail(pqx_flat_writer *w, uint32_t flags);

/* flat_write_schema.c */
int pqx_flat_put_element(pqx_flat_writer *w, uint32_t element, uint32_t *at);
/* Write the path below the root into w->path, NUL between its parts. */
int pqx_flat_make_path(pqx_flat_writer *w, uint32_t element);

/* flat_write_head.c */
int pqx_flat_write_node(pqx_flat_writer *w, uint32_t node);
/* Drop the heads of the previous cell; tables follow at `tables`. */
void pqx_flat_heads_begin(pqx_flat_writer *w, uint32_t tables);
/* Write the element's table, and its head up to the chunks. */
int pqx_flat_head_begin(pqx_flat_writer *w, uint32_t element);
/* List the offset of the next table. */
int pqx_flat_list_table(pqx_flat_writer *w, uint32_t table);
/* Write the rest of the head; its path is w->path. */
int pqx_flat_head_end(pqx_flat_writer *w, uint32_t element);
/* Append the heads, or a part's list, to the cell, and store their offset in the word at `word`. */
int pqx_flat_put_heads(pqx_flat_writer *w, uint32_t cell, uint32_t word);

/* flat_write_shared.c */
/* Make the offset at `field` refer to such a table after all elements, unless there are too many
 * others. */
int pqx_flat_share(pqx_flat_writer *w, const pqx_shared_table *table, uint32_t field, int *shared);
int pqx_flat_put_shared_table(pqx_flat_writer *w, const pqx_shared_table *table, uint32_t *at);
int pqx_flat_write_shared(pqx_flat_writer *w);

/* flat_write_chunk.c: ColumnChunk, ColumnMetadata, Statistics and below. */
/* Return the size of a shorter valid bound of a long byte array, in at most 16 bytes; 0 if there is
 * none. */
uint32_t pqx_flat_shorten(const pqx_element *leaf, const uint8_t *bytes, uint32_t size, int is_max,
                          uint8_t out[16]);
int pqx_flat_put_chunk(pqx_flat_writer *w, const pqx_element *leaf, const pqx_row_group *row_group,
                       uint64_t chunk, uint32_t *at);

/* flat_write_pool.c: items that cells refer to by position; they are written after the cells. The
 * fields of ARROW:schema come first. */
int pqx_flat_make_pool(pqx_flat_writer *w);
int pqx_flat_pool_add(pqx_flat_writer *w, const uint8_t *bytes, size_t size, uint32_t *place);
/* Valid until an item is added. */
pqx_bytes pqx_flat_pool_get(const pqx_flat_writer *w, uint32_t place);
/* Add the pool's offsets to w->places after the first `before`. */
int pqx_flat_list_pool(pqx_flat_writer *w, uint32_t before);
int pqx_flat_write_pool(pqx_flat_writer *w);

/* flat_write_records.c: the parts of structs that are not in the tables, one record each */
void pqx_flat_records_begin(pqx_flat_writer *w);
int pqx_flat_add_group_record(pqx_flat_writer *w, uint32_t row_group);
int pqx_flat_add_chunk_record(pqx_flat_writer *w, const pqx_element *leaf, uint64_t chunk);
/* Append the records to the cell. */
int pqx_flat_put_records(pqx_flat_writer *w, uint32_t *at);
/* Make the skeleton and literals of the footer, whole if `verbatim` is set, in w->residue. */
int pqx_flat_make_root_residue(pqx_flat_writer *w, int verbatim);
/* flat_write_extensions.c */
int pqx_flat_check_extensions(pqx_flat_writer *w);
int pqx_flat_write_extensions(pqx_flat_writer *w);

/* flat_write_names.c: entries by hash; either buckets are written, or the tail block contains
 * `listed`. */
int pqx_flat_reserve_names(pqx_flat_writer *w);
int pqx_flat_fill_names(pqx_flat_writer *w);

#endif
