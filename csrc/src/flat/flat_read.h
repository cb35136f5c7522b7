/* The flat footer's reader (docs/formats.md, section 3): declarations shared by its files.
 *
 * Only bytes with a verified checksum are used: the tail block is checked when the reader is
 * opened, each cell when it is loaded. Positions count from the payload's start; errors give
 * positions in the file. */
#ifndef PQX_FLAT_READ_H
#define PQX_FLAT_READ_H

#include "flat/flat.h"
#include "footer/name_table.h"

/* A checked cell, and the buffer that it was read into if it was not in the tail. */
typedef struct pqx_cell {
    const uint8_t *data;
    uint32_t place, size; /* size 0: none loaded */
    uint8_t *buffer;
    size_t capacity;
} pqx_cell;

/* A vtable whose fields have been checked for the tables of one layout. */
typedef struct pqx_vtable {
    const uint8_t *fields;
    uint32_t place, size, slots; /* offset in the payload; of the table; size 0: none */
} pqx_vtable;

/* A table whose inline part and vtable have been checked. */
typedef struct pqx_view {
    const pqx_cell *cell;
    const uint8_t *data, *vtable;
    uint32_t at; /* within the cell */
    uint32_t slots;
} pqx_view;

/* The values of a leaf or node in its cell. */
typedef struct pqx_head {
    const pqx_cell *cell; /* NULL: none read */
    uint32_t id;          /* leaf, or PQX_FLAT_GROUP | node */
    uint32_t at, end;     /* its offsets in the cell */
    uint32_t element,
        last; /* cell offsets of its SchemaElement and of the last table that it lists */
    uint32_t index, parent;   /* in preorder; node, 0 for the root too */
    uint32_t position, arrow; /* among its siblings, below the top level; pool position of the Arrow
                                 field, 0 for none */
    uint32_t first_leaf, leaf_count;
    uint8_t column_order, max_definition, max_repetition, type;
    pqx_bytes prefix, suffix,
        above; /* the Thrift element before and after its name; the parent's path */
    pqx_bytes name;
    pqx_view view; /* of the SchemaElement */
} pqx_head;

struct pqx_flat {
    pqx_source source;
    uint64_t payload;      /* offset in the file */
    uint32_t length, tail; /* of the payload; offset of the tail block */
    uint32_t held;         /* the payload's bytes from this offset on are in memory */
    const uint8_t *bytes;  /* those bytes */
    uint8_t *owned;        /* set if they had to be read again */
    pqx_flat_facts facts;
    uint32_t flags, directory, place_count, row_group_cells, pool_pages, buckets, bucket_count,
        listed_count;
    uint32_t column_hint, pool_hint, vtables, vtable_bytes;
    uint32_t extensions_place;      /* of the list of extensions; 0: none */
    const uint8_t *groups, *listed; /* of the tail block */
    uint32_t group_count;           /* its number of row groups */
    pqx_cell column, node, part, row_groups, text, pool, directory_page, bucket, extensions,
        extension;        /* the most recent one of each */
    pqx_cell candidate;   /* a cell that is either a column or a node */
    pqx_head leaf, group; /* the most recent ones, of `column` and `node` */
    uint32_t chunks[PQX_FLAT_PART_ROW_GROUPS],
        part_chunks[PQX_FLAT_PART_ROW_GROUPS]; /* cell offsets: of `leaf`, of `part` */
    uint32_t part_list,
        part_end; /* the part whose list was read, 0 for none; the end of its list */
    uint32_t cell_leaves, column_cells; /* leaves of a COLUMN cell; such cells */
    uint8_t *names;                     /* all BUCKET cells, after many of them were needed */
    uint32_t bucket_loads;
    pqx_name_table all_names; /* used once lookups take too long */
    uint8_t *whole;           /* the whole payload, if it was read */
    int64_t *late_rows; /* num_rows of the row groups that do not fit in the tail block; INT64_MIN:
                           not read */
    uint8_t *unseen;    /* for checking a whole payload: a copy of it, with zeros for the cells that
                           were loaded */
    uint64_t reads, fetched, allowance;
    pqx_vtable good[PQX_FLAT_TABLES]; /* per layout, the most recent one */
    pqx_buffer scratch, joined;       /* the name of a lookup; an element's Thrift bytes and path */
    uint8_t first_bytes[];            /* the part of the file's tail that belongs to the payload */
};

/* Read [place, place + size) of the payload into separate memory. */
int pqx_flat_read_anew(pqx_flat *flat, uint32_t place, uint32_t size, uint8_t **bytes,
                       pqx_error *error);

static inline int pqx_flat_fail(const pqx_flat *flat, pqx_error *error, int code, uint64_t place,
                                uint64_t expected, uint64_t found)
{ return pqx_fail(error, code, flat->payload + place, expected, found); }

/* flat_open.c: also accepts a payload that only contains a Thrift footer; a whole payload in
 * memory. */
int pqx_flat_open_any(const pqx_source *source, uint64_t payload, uint64_t length,
                      const uint8_t *known, size_t known_size, uint64_t known_end,
                      pqx_flat **opened, pqx_error *error);
int pqx_flat_open_memory(const uint8_t *payload, size_t size, pqx_flat **opened, pqx_error *error);

/* flat_read.c */
/* Load the cell at `place` and check it: the first read has `hint` bytes; `part` is compared for
 * columns. */
int pqx_flat_load(pqx_flat *flat, pqx_cell *cell, uint32_t place, uint32_t hint, int kind,
                  uint32_t part, uint32_t number, pqx_error *error);
/* Return the first `size` bytes of the cell at `place`, or fewer if it is shorter, without a
 * checksum. They are valid until `cell` is loaded. */
int pqx_flat_peek(pqx_flat *flat, pqx_cell *cell, uint32_t place, uint32_t size, pqx_cell *head,
                  pqx_error *error);
/* Load the head that an entry of a name refers to. */
int pqx_flat_load_named(pqx_flat *flat, uint32_t word, const pqx_head **head, pqx_error *error);
/* Load a page of 256 bytes; *used is its number of entries, at most `most`. */
int pqx_flat_load_page(pqx_flat *flat, pqx_cell *cell, uint32_t first, uint32_t index, int kind,
                       uint32_t most, uint32_t *used, pqx_error *error);
/* Read entry `index` of the directory. */
int pqx_flat_place(pqx_flat *flat, uint32_t index, uint32_t *place, pqx_error *error);
/* Read words 16 and 20 of a list's cell, `first` and `count`, and check that `count` offsets fit.
 */
int pqx_flat_check_list(const pqx_flat *flat, pqx_cell *cell, uint32_t first, uint32_t count,
                        pqx_error *error);
/* Check the fixed part of a COLUMN's part above 0. */
int pqx_flat_check_part(const pqx_flat *flat, pqx_cell *cell, uint32_t part, pqx_error *error);
/* Load the head of a leaf or node, unless it is the most recent one. */
int pqx_flat_load_id(pqx_flat *flat, uint32_t id, const pqx_head **head, pqx_error *error);
/* Return the number of a leaf's COLUMN cell. */
static inline uint32_t pqx_flat_cell_of(const pqx_flat *flat, uint32_t leaf)
{ return flat->cell_leaves == 1 ? leaf : leaf / flat->cell_leaves; }
/* Check that [at, at + length) is in the cell; the words at `words` give the range. */
int pqx_flat_inside(const pqx_flat *flat, const pqx_cell *cell, uint32_t words, uint32_t at,
                    uint32_t length, pqx_error *error);
/* Set, at the beginning of a call, how much it may load at most. Overlapping cells must not
 * multiply its work. */
void pqx_flat_begin(pqx_flat *flat);
/* Subtract `size` bytes at `place` from the number that this call may load. */
int pqx_flat_spend(pqx_flat *flat, uint32_t place, uint32_t size, pqx_error *error);

/* flat_view.c: tables, checked in place */
/* Check the table at `at`: its vtable, all fields in the layout of `table`, and that it ends in the
 * cell. */
int pqx_flat_view_anew(pqx_flat *flat, const pqx_cell *cell, uint32_t at, int table, pqx_view *view,
                       pqx_error *error);
/* Check a table; fast if its vtable is that of the last such table. */
static inline int pqx_flat_view(pqx_flat *flat, const pqx_cell *cell, uint32_t at, int table,
                                pqx_view *view, pqx_error *error)
{
    const pqx_vtable *good = &flat->good[table];
    if (PQX_UNLIKELY(at % 4 || at > cell->size - 4
                     || cell->place + at - pqx_load32(cell->data + at) != good->place
                     || good->size - 1 >= cell->size - at))
        return pqx_flat_view_anew(flat, cell, at, table, view, error);
    *view = (pqx_view){cell, cell->data + at, good->fields, at, good->slots};
    return PQX_OK;
}
/* Find a field of a checked table; NULL if it is absent. */
static inline const uint8_t *pqx_flat_find(const pqx_view *view, uint32_t slot)
{
    uint32_t at = slot < view->slots ? pqx_load16(view->vtable + 2 * slot) : 0;
    return at ? view->data + at : NULL;
}
/* Follow an offset field; *target is 0 if it is absent. */
static inline int pqx_flat_follow(const pqx_flat *flat, const pqx_view *view, uint32_t slot,
                                  uint32_t *target, pqx_error *error)
{
    const uint8_t *value = pqx_flat_find(view, slot);
    *target = 0;
    if (!value) return PQX_OK;
    uint32_t field = (uint32_t)(value - view->cell->data), offset = pqx_load32(value);
    if (PQX_UNLIKELY(!offset || offset > view->cell->size - 4 - field))
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, (uint64_t)view->cell->place + field,
                             view->cell->size, (uint64_t)field + offset);
    *target = field + offset;
    return PQX_OK;
}
static inline int pqx_flat_child(pqx_flat *flat, const pqx_view *view, uint32_t slot, int table,
                                 pqx_view *child, int *present, pqx_error *error)
{
    uint32_t target;
    PQX_TRY(pqx_flat_follow(flat, view, slot, &target, error));
    *present = target != 0;
    return target ? pqx_flat_view(flat, view->cell, target, table, child, error) : PQX_OK;
}
/* Read a string or a vector of bytes; data is NULL if it is absent. */
int pqx_flat_blob(const pqx_flat *flat, const pqx_view *view, uint32_t slot, pqx_bytes *bytes,
                  pqx_error *error);
int pqx_flat_blob_at(const pqx_flat *flat, const pqx_cell *cell, uint32_t at, pqx_bytes *bytes,
                     pqx_error *error);

/* flat_lookup.c */
/* Return the word that the entry of a name has for this head. */
uint32_t pqx_flat_entry_word(const pqx_flat *flat, const pqx_head *head);

/* flat_slice_arrow.c: a page of the pool, an item in it, and both, by a pool position; `named` is
 * the error position for invalid values. */
int pqx_flat_pool_page(pqx_flat *flat, uint64_t named, uint32_t page,
                       pqx_error *error); /* into flat->pool */
int pqx_flat_item_of(const pqx_flat *flat, const pqx_cell *pool, uint64_t named, uint32_t at,
                     pqx_bytes *item, pqx_error *error);
int pqx_flat_pool_item(pqx_flat *flat, uint64_t named, uint32_t place, pqx_bytes *item,
                       pqx_error *error);

/* flat_chunks.c: the cell that contains a leaf's row group, and the offsets of its chunks; `head`
 * is the leaf's */
int pqx_flat_load_part(pqx_flat *flat, const pqx_head *head, uint32_t row_group,
                       const pqx_cell **cell, const uint32_t **chunks, pqx_error *error);

/* flat_rows.c */
int pqx_flat_num_rows(pqx_flat *flat, uint32_t row_group, int64_t *num_rows, pqx_error *error);
/* Like the public functions, but within a call that has begun and with checked arguments. */
int pqx_flat_read_row_group(pqx_flat *flat, uint32_t index, pqx_row_group *row_group,
                            pqx_error *error);
int pqx_flat_read_key_value(pqx_flat *flat, uint32_t index, pqx_bytes *key, pqx_bytes *value,
                            pqx_error *error);
/* Return 1 if the key of pair `index` is ARROW:schema, judged by the first bytes of its cell. In a
 * wide file this large cell is then not loaded only to be skipped. Damage may turn a 1 into a 0;
 * loading the cell detects it. */
int pqx_flat_is_arrow_schema(pqx_flat *flat, uint32_t index, int *answer, pqx_error *error);
/* Begin a call and load the ROOT cell into flat->text. */
int pqx_flat_load_root(pqx_flat *flat, pqx_error *error);
/* Read a row group from its table, although the tail block also contains it. */
int pqx_flat_read_group_table(pqx_flat *flat, uint32_t index, pqx_row_group *row_group,
                              pqx_error *error);
int pqx_flat_row_group_view(pqx_flat *flat, uint32_t row_group, pqx_view *view, pqx_error *error);

/* flat_extensions.c: the bytes of an extension; its cell is loaded into flat->extension. */
int pqx_flat_read_extension(pqx_flat *flat, uint32_t index, pqx_bytes *data, pqx_error *error);

#endif
