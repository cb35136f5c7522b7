/* Declarations shared by the parts of the footer scan. */
#ifndef PQX_SCAN_H
#define PQX_SCAN_H

#include "thrift/cursor.h"

/* The most recent bytes in chunks of the same type and encodings. `head`: the bytes of type and
 * encodings, with the headers of a field and of a list. `rest`: all bytes after the statistics,
 * which are field `rest_behind`, up to the stop byte of ColumnMetaData, if they contain only the
 * values in rest_present. */
typedef struct pqx_habit {
    uint64_t head, head_mask;
    uint32_t encodings;
    int32_t type;
    int32_t rest_behind;
    uint32_t rest_length, rest_present;
    uint64_t rest[4], rest_mask[4];
} pqx_habit;
#define PQX_NO_HEAD 1u /* no field header */
enum { PQX_HABITS = 32 };

/* The most recent logical type of an element, for those of up to 8 bytes with the same first field.
 */
typedef struct pqx_logical {
    uint64_t bytes, mask;
    size_t length;
} pqx_logical;

/* A scan in progress: the result, and the capacities of its growing arrays. */
typedef struct pqx_scanning {
    pqx_cursor cursor;
    pqx_scan *scan;
    size_t element_room, row_group_room, key_value_room;
    size_t chunk_room, places_room;
    uint32_t row_groups_claimed; /* from the list's header, to estimate the number of chunks */
    int plain;                   /* without the fast decoders */
    pqx_habit habits[PQX_HABITS];
    pqx_logical logicals[16];
} pqx_scanning;

/* Call before the first chunk. */
static inline void pqx_forget_habits(pqx_scanning *s)
{
    for (int i = 0; i < PQX_HABITS; i++) s->habits[i].head = PQX_NO_HEAD;
}

/* The number of structs and lists around a field of each struct. It is subtracted from the depth
 * limit for the field's contents. */
enum pqx_around {
    PQX_IN_FOOTER = 1,
    PQX_IN_COLUMN_ORDERS = 2,
    PQX_IN_ELEMENT = 3,
    PQX_IN_ROW_GROUP = 3,
    PQX_IN_KEY_VALUE = 3,
    PQX_IN_CHUNK = 5,
    PQX_IN_METADATA = 6,
    PQX_IN_STATISTICS = 7,
    PQX_IN_PAGE_ENCODING_STATS = 8
};

static inline int pqx_skip_field(pqx_cursor *c, int type, int around)
{ return pqx_skip(c, type, 0, PQX_MAX_DEPTH - around); }

/* Read a list header. A list with unexpected items is skipped and counts as an empty list. *right,
 * if not NULL, is 1 if the items have the expected type. */
static inline int pqx_read_list_of(pqx_cursor *c, int expected, int around, uint32_t *count,
                                   int *right)
{
    size_t start = c->at;
    int type = 0;
    PQX_TRY(pqx_read_list(c, count, &type));
    int fits = *count == 0 || type == expected;
    if (right) *right = fits;
    if (PQX_LIKELY(fits)) return PQX_OK;
    *count = 0;
    c->at = start;
    return pqx_skip_field(c, PQX_TYPE_LIST, around);
}

static inline pqx_range pqx_since(const pqx_cursor *c, size_t start)
{ return (pqx_range){(uint32_t)start, (uint32_t)(c->at - start)}; }

/* Return the claimed number of items, limited by the remaining bytes at a size that real items do
 * not fall below. */
static inline uint64_t pqx_expected(const pqx_cursor *c, uint64_t claimed, size_t smallest)
{ return claimed < pqx_left(c) / smallest ? claimed : pqx_left(c) / smallest; }

/* Make room for item `count` of the array whose pointer is at `items`: initially for the expected
 * number, then for half as many again. */
int pqx_scan_grow(void *items, uint64_t count, size_t *room, size_t size, uint64_t expected,
                  pqx_error *error);

/* The encodings that determine whether all data pages of a chunk are dictionary-encoded. */
#define PQX_LEVEL_ENCODINGS (1u << PQX_ENCODING_RLE | 1u << PQX_ENCODING_BIT_PACKED)

static inline int pqx_is_data_page(int32_t page_type)
{ return page_type == PQX_PAGE_DATA_PAGE || page_type == PQX_PAGE_DATA_PAGE_V2; }

static inline int pqx_is_dictionary_encoding(int32_t encoding)
{ return encoding == PQX_ENCODING_PLAIN_DICTIONARY || encoding == PQX_ENCODING_RLE_DICTIONARY; }

/* Record a contradiction in the footer's structure without stopping the scan; the first one counts.
 */
static inline void pqx_note(pqx_scanning *s, int code, uint64_t offset, uint64_t expected,
                            uint64_t found)
{
    if (s->scan->problem.code == PQX_OK)
        s->scan->problem = (pqx_error){code, offset, expected, found};
}

/* The values of a struct before its fields are read. */
#define PQX_EMPTY_ELEMENT                 \
    ((pqx_element){.type = -1,            \
                   .type_length = -1,     \
                   .repetition = -1,      \
                   .num_children = -1,    \
                   .converted_type = -1,  \
                   .field_id = INT32_MIN, \
                   .parent = -1})
#define PQX_EMPTY_ROW_GROUP                       \
    ((pqx_row_group){.num_rows = -1,              \
                     .total_byte_size = -1,       \
                     .file_offset = -1,           \
                     .total_compressed_size = -1, \
                     .ordinal = -1})

int pqx_scan_schema(pqx_scanning *s, int *right);
int pqx_read_column_order(pqx_cursor *c, uint8_t *order);
void pqx_scan_tree(pqx_scanning *s);
/* Each reads one struct at the cursor. */
int pqx_scan_element(pqx_cursor *c, pqx_element *e);
int pqx_sort_order(const uint8_t *data, const pqx_element *leaf);
int pqx_scan_key_value(pqx_cursor *c, pqx_key_value *pair);
/* Read a field of a RowGroup whose header has been read; a field of an unexpected type counts as an
 * unknown one. */
int pqx_scan_row_group_field(pqx_scanning *s, int32_t id, int type, pqx_row_group *group,
                             int *has_columns, int *has_num_rows);
int pqx_scan_chunk(pqx_scanning *s, pqx_chunk *chunk, pqx_places *places, int *placed);

/* open.c: return the scan of a footer that was opened by its Thrift form, and the scanned bytes.
 * Both are valid until pqx_footer_close. */
const pqx_scan *pqx_footer_get_scan(const pqx_footer *footer, const uint8_t **bytes);

#endif
