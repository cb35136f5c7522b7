/* The flat footer's writer (docs/formats.md, section 3): what its files share.
 *
 * The payload is written front to back. Vtables lie behind everything, so a table's first word
 * holds its place less its vtable's place within their area until the area's own place is known;
 * cells are signed after that.
 */
#ifndef PQX_FLAT_WRITE_H
#define PQX_FLAT_WRITE_H

#include "flat/flat.h"
#include "flat/flat_write_residue.h"

/* Where a table's fields lie, for one combination of present fields. */
typedef struct pqx_shape {
    uint32_t vtable;                  /* place within the vtables' area */
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

/* A table of numbers that schema elements share; all bytes count when two are compared. */
typedef struct pqx_shared_table {
    uint32_t table, mask, values[2];
} pqx_shared_table;

typedef struct pqx_flat_writer {
    const uint8_t *footer;
    size_t footer_size;
    const pqx_scan *scan;
    pqx_error *error;
    pqx_buffer *out;
    size_t base;                          /* where the payload begins in `out` */
    uint64_t limit;                       /* of the payload */
    uint16_t *shape_of;                   /* table and presence mask -> shape + 1 */
    uint32_t first_mask[PQX_FLAT_TABLES]; /* where a table's masks begin there */
    pqx_buffer shapes, vtables;
    pqx_buffer tables, cells; /* u32 places of all tables and cells so far */
    pqx_buffer path;          /* of the element at hand, NUL between its parts */
    uint32_t *leaf_of;        /* element -> leaf, or PQX_FLAT_NONE */
    uint32_t *node_of;        /* element -> node, or PQX_FLAT_NONE */
    uint32_t *position;       /* element -> its number among its parent's children */
    uint32_t *node_element;   /* node -> element */
    uint32_t node_count;
    uint32_t *places; /* what the directory lists */
    uint32_t place_count;
    uint64_t *hashes;      /* of paths: leaves, then nodes */
    uint32_t *arrow;       /* element -> pool place of its Arrow field, 0 for none */
    pqx_buffer heads;      /* of the cell at hand */
    uint32_t listed_table; /* the last table whose place a head or a list says */
    pqx_shared_table shared[PQX_FLAT_SHARED_TABLES];
    uint32_t shared_count;
    pqx_buffer shared_links; /* u32 field, u32 number of the shared table that it leads to */
    pqx_buffer pool,
        pool_ends; /* the pool pages' items, one page behind the other; u32 ends of the pages */
    uint32_t *pool_slots, pool_mask,
        pool_items;           /* the items' places by content, 0 for none; open addressing */
    pqx_residue residue;      /* of the struct at hand */
    pqx_buffer records;       /* of the cell at hand */
    uint32_t record_skeleton; /* pool place of the last record's skeleton, 0 for none */
    size_t record_literals, record_size; /* where the last record's literals are in `records` */
    pqx_known_skeleton known[9]; /* the last one for a chunk of each physical type; 8: any other */
    pqx_buffer path_list;        /* the leaf's, as in path_in_schema */
    pqx_known_skeleton known_group; /* of the row group before, in its cell */
    pqx_range bound[2];             /* min and max of the last chunk, as far as they count */
    int has_bounds, is_compact;
    uint8_t logical_tag;    /* of the element written last */
    pqx_flat_crypto crypto; /* of the footer */
    uint32_t created_by_field, algorithm_field,
        key_field; /* the root table's offsets into the ROOT cell */
    uint32_t schema_vector, row_groups_vector,
        key_values_vector;              /* places of their first entries */
    uint32_t columns_vectors;           /* place of the first row group's vector */
    uint32_t cell_leaves, column_cells; /* leaves of a COLUMN cell; such cells */
    uint32_t column_hint, pool_hint;
    const pqx_flat_extension *extensions; /* ascending by UUID */
    uint32_t extension_count;
    uint32_t extensions_vector,
        extensions_cell; /* place of its first entry; of the list, 0 for none */
    uint32_t directory, buckets, bucket_count;
    pqx_buffer listed; /* u32 tag, u32 place */
} pqx_flat_writer;

/* Byte `place` of the payload; good until something is appended. */
static inline uint8_t *pqx_flat_at(const pqx_flat_writer *w, uint32_t place)
{ return w->out->data + w->base + place; }

/* The place of the payload's end. */
static inline uint32_t pqx_flat_end(const pqx_flat_writer *w)
{ return (uint32_t)(w->out->size - w->base); }

/* Let the offset at `field` lead to `target`. */
static inline void pqx_flat_link(const pqx_flat_writer *w, uint32_t field, uint32_t target)
{ pqx_store32(pqx_flat_at(w, field), target - field); }

/* flat_table.c: tables, strings and vectors. All append to the payload and give the place of what
 * they appended. */
int pqx_flat_shapes_new(pqx_flat_writer *w);
int pqx_flat_room(pqx_flat_writer *w, size_t more);
int pqx_flat_zeros(pqx_flat_writer *w, size_t count, uint32_t *at);
int pqx_flat_pad(pqx_flat_writer *w, uint32_t multiple);
int pqx_flat_append(pqx_flat_writer *w, const uint8_t *bytes, size_t size, uint32_t *at);
/* `shape` is good until the next table. */
int pqx_flat_table(pqx_flat_writer *w, int table, uint32_t mask, uint32_t *at,
                   const pqx_shape **shape);
/* A string, or a vector of bytes, that the offset at `field` leads to. */
int pqx_flat_string(pqx_flat_writer *w, uint32_t field, const uint8_t *bytes, size_t size);
int pqx_flat_bytes(pqx_flat_writer *w, uint32_t field, const uint8_t *bytes, size_t size);
/* A vector of `count` offsets, to be set later; *entries is the place of the first one. */
int pqx_flat_vector(pqx_flat_writer *w, uint32_t field, uint32_t count, uint32_t *entries);
void pqx_flat_place_vtables(pqx_flat_writer *w, uint32_t area);
int pqx_flat_key_value(pqx_flat_writer *w, const uint8_t *key, size_t key_size,
                       const uint8_t *value, size_t value_size, uint32_t *at);

/* flat_thrift.c: what the scan leaves in Thrift, read from the footer. */
typedef struct pqx_flat_list {
    int type;
    uint32_t count;
    size_t first;
} pqx_flat_list;
int pqx_flat_open_list(pqx_flat_writer *w, size_t at, pqx_flat_list *list);
/* The bytes of a binary field of the struct at `at`; *bytes is NULL where there is none. */
int pqx_flat_find_binary(pqx_flat_writer *w, size_t at, int16_t id, const uint8_t **bytes,
                         size_t *size);
/* An integer or boolean field of the struct at `at`; *found is 0 where there is none of that type.
 */
int pqx_flat_find_integer(pqx_flat_writer *w, size_t at, int16_t id, int type, int64_t *value,
                          int *found);

/* flat_write_rare.c */
int pqx_flat_find_geospatial(pqx_flat_writer *w, size_t metadata, size_t *thrift, int *found);
int pqx_flat_put_geospatial(pqx_flat_writer *w, size_t thrift, uint32_t *at);
/* The union and the bytes in these fields of the struct at `thrift`. */
int pqx_flat_find_crypto(pqx_flat_writer *w, size_t thrift, int16_t union_id, int16_t bytes_id,
                         pqx_flat_crypto *crypto);
/* The table of an EncryptionAlgorithm's, of a ColumnCryptoMetaData's member. */
int pqx_flat_put_algorithm(pqx_flat_writer *w, const pqx_flat_union *member, uint32_t *at);
int pqx_flat_put_key(pqx_flat_writer *w, const pqx_flat_union *member, uint32_t *at);

/* flat_write_cell.c */
int pqx_flat_cell_begin(pqx_flat_writer *w, int kind, uint32_t part, uint32_t number,
                        uint32_t *cell);
int pqx_flat_cell_end(pqx_flat_writer *w, uint32_t cell);
/* `count` empty cells of 256 bytes, numbered from 0. */
int pqx_flat_pages(pqx_flat_writer *w, int kind, uint32_t count, uint32_t *first);
void pqx_flat_sign_cells(pqx_flat_writer *w);
int pqx_flat_reserve_directory(pqx_flat_writer *w);
void pqx_flat_fill_directory(pqx_flat_writer *w);
int pqx_flat_write_tail(pqx_flat_writer *w, uint32_t flags);

/* flat_write_schema.c */
int pqx_flat_put_element(pqx_flat_writer *w, uint32_t element, uint32_t *at);
/* The path below the root into w->path, NUL between its parts. */
int pqx_flat_make_path(pqx_flat_writer *w, uint32_t element);

/* flat_write_head.c */
int pqx_flat_write_node(pqx_flat_writer *w, uint32_t node);
/* Forget the heads of the cell before; tables follow at `tables`. */
void pqx_flat_heads_begin(pqx_flat_writer *w, uint32_t tables);
/* The element's table, and its head up to the chunks. */
int pqx_flat_head_begin(pqx_flat_writer *w, uint32_t element);
/* Say where the next table is. */
int pqx_flat_list_table(pqx_flat_writer *w, uint32_t table);
/* The rest of the head, whose path is w->path. */
int pqx_flat_head_end(pqx_flat_writer *w, uint32_t element);
/* Append the heads, or a part's list, to the cell whose word at `word` says where. */
int pqx_flat_put_heads(pqx_flat_writer *w, uint32_t cell, uint32_t word);

/* flat_write_shared.c */
/* Let the offset at `field` lead to such a table behind all elements, unless there are too many
 * others. */
int pqx_flat_share(pqx_flat_writer *w, const pqx_shared_table *table, uint32_t field, int *shared);
int pqx_flat_put_shared_table(pqx_flat_writer *w, const pqx_shared_table *table, uint32_t *at);
int pqx_flat_write_shared(pqx_flat_writer *w);

/* flat_write_chunk.c: ColumnChunk, ColumnMetadata, Statistics and below. */
/* A shorter valid bound of a long byte array in at most 16 bytes; 0 where there is none. */
uint32_t pqx_flat_shorten(const pqx_element *leaf, const uint8_t *bytes, uint32_t size, int is_max,
                          uint8_t out[16]);
int pqx_flat_put_chunk(pqx_flat_writer *w, const pqx_element *leaf, const pqx_row_group *row_group,
                       uint64_t chunk, uint32_t *at);

/* flat_write_pool.c: items that cells name by their place, written behind these. At first
 * ARROW:schema's fields. */
int pqx_flat_make_pool(pqx_flat_writer *w);
int pqx_flat_pool_add(pqx_flat_writer *w, const uint8_t *bytes, size_t size, uint32_t *place);
/* Good until an item is added. */
pqx_bytes pqx_flat_pool_get(const pqx_flat_writer *w, uint32_t place);
/* Room in w->places behind the first `before`. */
int pqx_flat_list_pool(pqx_flat_writer *w, uint32_t before);
int pqx_flat_write_pool(pqx_flat_writer *w);

/* flat_write_records.c: what the tables do not say, record by record */
void pqx_flat_records_begin(pqx_flat_writer *w);
int pqx_flat_add_group_record(pqx_flat_writer *w, uint32_t row_group);
int pqx_flat_add_chunk_record(pqx_flat_writer *w, const pqx_element *leaf, uint64_t chunk);
/* Append the records to the cell. */
int pqx_flat_put_records(pqx_flat_writer *w, uint32_t *at);
/* Skeleton and literals of the footer, whole where `verbatim`, into w->residue. */
int pqx_flat_make_root_residue(pqx_flat_writer *w, int verbatim);
/* flat_write_extensions.c */
int pqx_flat_check_extensions(pqx_flat_writer *w);
int pqx_flat_write_extensions(pqx_flat_writer *w);

/* flat_write_names.c: entries by hash; either buckets are written, or `listed` is what the tail
 * block lists. */
int pqx_flat_reserve_names(pqx_flat_writer *w);
int pqx_flat_fill_names(pqx_flat_writer *w);

#endif
