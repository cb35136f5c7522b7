/* The footer index's reader: declarations shared by its files.
 *
 * Only bytes with a verified checksum are used: the tail block is checked when the reader is
 * opened, each cell and each piece of the Thrift footer when it is read. Positions in cells count
 * from the payload's start, offsets of Thrift bytes from the footer's start; errors give positions
 * in the file. */
#ifndef PQX_INDEX_READ_H
#define PQX_INDEX_READ_H

#include "index/index.h"
#include "footer/name_table.h"
#include "footer/scan.h"

#define PQX_INDEX_NOTHING UINT64_MAX

/* A leaf's or node's cell, checked, and its schema element. */
typedef struct pqx_index_entry {
    uint64_t id;    /* PQX_INDEX_NOTHING: none loaded */
    uint64_t place; /* of its index in preorder; an offset in the file */
    pqx_buffer cell, thrift, path;
    pqx_element element; /* ranges are relative to `thrift` */
    uint32_t parent, index, position, first_leaf, leaf_count;
    int has_path;
} pqx_index_entry;

/* A form of footer whose parts this reader puts together: how its tail block is laid out, and
 * functions that fetch and check single parts, within a call that has begun. */
typedef struct pqx_index_form {
    uint32_t smallest_tail, layout_version;
    int (*read_tail)(pqx_index *index, uint32_t tail, pqx_error *error);
    int (*load_entry)(pqx_index *index, pqx_index_entry *entry, uint32_t id, pqx_error *error);
    /* Load a bucket of names into index->bucket; *place is that of its first byte. */
    int (*load_bucket)(pqx_index *index, uint32_t bucket, uint64_t *place, pqx_error *error);
    /* See pqx_index_read_chunks. */
    int (*read_chunks)(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                       pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena, pqx_error *error);
    /* Read chunks with their Thrift bytes, which are appended to `arena`. */
    int (*read_structs)(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                        pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena, pqx_error *error);
    int (*read_row_groups)(pqx_index *index, uint32_t first, uint32_t count, pqx_row_group *groups,
                           pqx_error *error);
    /* Read the pair's Thrift bytes into index->pair_thrift. */
    int (*load_pair)(pqx_index *index, uint32_t number, pqx_error *error);
    int (*read_created_by)(pqx_index *index, pqx_bytes *text, pqx_error *error);
    void (*close)(void *state);
} pqx_index_form;

struct pqx_index {
    const pqx_index_form *form;
    void *state; /* the form's */
    pqx_source source;
    uint64_t footer, payload, limit; /* in the file; Thrift bytes are in [0, limit) of the footer */
    uint32_t length;
    pqx_index_shape shape;
    pqx_index_areas areas;
    pqx_flat_facts facts;
    uint32_t flags, arrow_schema; /* 1 + its index among the key-values; 0: none */
    pqx_range created_by;
    uint32_t created_by_crc;
    uint8_t *held; /* the file's bytes [held_begin, held_end) */
    uint64_t held_begin, held_end;
    const uint8_t *listed;               /* the names in the tail block, */
    uint64_t listed_place;               /* and their place */
    pqx_index_entry column, node, above; /* the most recent one of each; a group above that node */
    uint32_t group; /* the group whose path is known: the parent of the last node; 0: none */
    pqx_buffer group_path;
    uint32_t pair_begin; /* of the pair's bytes in the footer, for errors */
    uint64_t part_of, part_number, pair,
        row_group_part; /* the contents of the buffers below; PQX_INDEX_NOTHING: nothing */
    pqx_buffer part, part_thrift, pair_thrift, row_groups, own, text, created_by_text, bucket,
        scratch, names, lengths, span;
    uint64_t reads, fetched, allowance;
    pqx_name_table all_names; /* used once lookups take too long */
    pqx_scan scan;            /* a scan for the chunk decoder's use */
    pqx_scanning scanning;
};

static inline int pqx_index_fail(const pqx_index *index, pqx_error *error, int code, uint64_t place,
                                 uint64_t expected, uint64_t found)
{ return pqx_fail(error, code, index->payload + place, expected, found); }

/* index_open.c: open a payload of a form, whose `state` then belongs to the reader, even if opening
 * fails. */
int pqx_index_open_as(const pqx_index_form *form, void *state, const pqx_source *source,
                      uint64_t footer, uint64_t thrift_length, uint64_t payload, uint64_t length,
                      const uint8_t *known, size_t known_size, uint64_t known_end,
                      pqx_index **opened, pqx_error *error);
/* Make the file's bytes from `begin` to the payload's end available. */
int pqx_index_hold_from(pqx_index *index, uint64_t begin, pqx_error *error);
/* index_read.c */
/* Set, at the beginning of a call, how many bytes of the Thrift footer it may read at most.
 * Overlapping ranges must not multiply its work. */
void pqx_index_begin(pqx_index *index);
/* Read and check the cell of `size` bytes at `place`. */
int pqx_index_load(pqx_index *index, uint64_t place, size_t size, pqx_buffer *cell,
                   pqx_error *error);
/* Append the bytes of ascending ranges of the Thrift footer to `out`; `place` is the position in
 * the index that names them. */
int pqx_index_gather(pqx_index *index, uint64_t place, const pqx_range *ranges, uint32_t count,
                     pqx_buffer *out, pqx_error *error);
/* Check the checksum of Thrift bytes at `offset` of the footer. A mismatch is not damage of the
 * index. */
int pqx_index_check_thrift(const pqx_index *index, uint32_t stored, const uint8_t *bytes,
                           size_t size, uint32_t offset, pqx_error *error);
/* Report Thrift bytes that do not match the index: `size` bytes at `offset` of the footer. */
int pqx_index_not_whole(const pqx_index *index, uint32_t offset, size_t size, pqx_error *error);
/* Read a range of the footer and verify its checksum; the bytes replace the contents of `out`. */
int pqx_index_read_thrift(pqx_index *index, uint64_t place, pqx_range range, uint32_t stored,
                          pqx_buffer *out, pqx_error *error);

/* Read bytes of the file from memory or from the source. */
int pqx_index_fetch(pqx_index *index, uint64_t at, size_t size, uint8_t *into, pqx_error *error);

/* index_schema.c: load the entry of a leaf or node, unless it is already loaded */
int pqx_index_load_id(pqx_index *index, uint32_t id, const pqx_index_entry **entry,
                      pqx_error *error);
/* Load an entry with its path, which may need the groups above it. */
int pqx_index_load_path(pqx_index *index, uint32_t id, const pqx_index_entry **entry,
                        pqx_error *error);

/* index_chunks.c */
/* Decode the chunk at `at` of the arena, which is followed by PQX_SLACK zeros; `range` is its
 * position in the footer, for errors. */
int pqx_index_decode_chunk(pqx_index *index, const pqx_buffer *arena, size_t at, pqx_range range,
                           pqx_chunk *chunk, pqx_places *places, pqx_error *error);
/* Some part of a leaf with this cell cannot be read: tell a source that collects missing ranges
 * which ones the leaf's chunks need. */
void pqx_index_want_chunks(pqx_index *index, uint32_t leaf, const uint8_t *cell);
/* Read a leaf's chunks in [first, first + count), within a call that has begun. Their bounds, and
 * perhaps other bytes, are appended to `arena`; all ranges are relative to its start. */
int pqx_index_read_chunks(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                          pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                          pqx_error *error);
/* index_rows.c: decode the fields around a row group's columns: `own`, of which `before` bytes
 * precede the list's value. */
int pqx_index_decode_row_group(pqx_scanning *scanning, const uint8_t *own, size_t size,
                               size_t before, pqx_row_group *group);
/* Within a call that has begun, */
int pqx_index_read_row_groups(pqx_index *index, uint32_t first, uint32_t count,
                              pqx_row_group *groups, pqx_error *error);
/* Find a pair's key and value in its Thrift bytes, index->pair_thrift. */
int pqx_index_read_pair(pqx_index *index, uint32_t number, pqx_key_value *pair, pqx_error *error);
int pqx_index_read_created_by(pqx_index *index, pqx_bytes *text, pqx_error *error);

/* The functions of the index form itself; see pqx_index_form. */
int pqx_index_load_entry(pqx_index *index, pqx_index_entry *entry, uint32_t id, pqx_error *error);
int pqx_index_load_bucket(pqx_index *index, uint32_t bucket, uint64_t *place, pqx_error *error);
int pqx_index_load_chunks(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                          pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                          pqx_error *error);
int pqx_index_load_row_groups(pqx_index *index, uint32_t first, uint32_t count,
                              pqx_row_group *groups, pqx_error *error);
int pqx_index_load_pair(pqx_index *index, uint32_t number, pqx_error *error);
int pqx_index_load_created_by(pqx_index *index, pqx_bytes *text, pqx_error *error);

#endif
