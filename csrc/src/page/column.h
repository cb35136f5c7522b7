/* The pages of column chunks, one after another, decoded into the buffers of an Arrow array.
 *
 * A page is checked when reading reaches it, its levels as a whole first. Output grows with what
 * has been decoded, in batches of at most 2^16 entries; what is reserved before is at most 64 times
 * the bytes that the given pages have, or that the file has. After an error a column is only freed.
 */
#ifndef PQX_COLUMN_H
#define PQX_COLUMN_H

#include "base/pages.h"
#include "encoding/values.h"

/* What a column is of. */
typedef struct pqx_column_leaf {
    int type;
    int32_t type_length;
    uint16_t max_definition, max_repetition;
    uint16_t repeated_definition; /* entries below it have no slot: 0 without repetition */
    uint8_t keeps_definition;     /* where max_repetition is 0; else levels are always kept */
    uint8_t forgets;              /* what is read is decoded, so that it is checked, and not kept */
    uint8_t is_strict; /* what no value needs must be right: runs, index widths, numbers of rows */
    uint32_t most_bytes; /* of byte arrays, before they are taken: 2^31 - 1 at most */
    uint64_t rows;       /* that will be read before they are taken, as far as is known */
    uint64_t stored;     /* bytes that the file has of them, as far as is known */
    /* The definition levels of the repeated fields around the leaf, max_repetition of them, the
     * outermost first: levels that contradict them are refused, and the elements of each of these
     * lists counted in `list_items`. The caller's; NULL: levels are not compared. */
    const uint16_t *list_levels;
    uint64_t *list_items;
} pqx_column_leaf;

/* A data page, decompressed. Its bytes must outlive the reading of it. */
typedef struct pqx_column_page {
    pqx_page header;
    const uint8_t *levels; /* NULL: in front of the values */
    const uint8_t *values;
    size_t levels_size, values_size;
    uint64_t base; /* added to offsets in errors */
} pqx_column_page;

/* What was decoded. Whoever takes it releases its memory. */
typedef struct pqx_column_output {
    uint64_t entries, rows; /* rows that begin in it */
    uint64_t slots, nulls;
    uint64_t below;         /* entries below the highest definition level */
    size_t bytes;           /* of byte arrays */
    uint8_t has_valid;      /* `valid` holds all slots */
    uint8_t has_definition; /* `definition` holds all entries */
    pqx_memory valid, values, offsets, definition, repetition;
} pqx_column_output;

enum pqx_column_part { PQX_PART_PAGE, PQX_PART_LEVELS, PQX_PART_VALUES, PQX_PART_DICTIONARY };

/* The page that is being read. */
typedef struct pqx_open_page {
    pqx_column_page given;
    uint64_t number;
    uint64_t entries, at; /* `at` comes next */
    uint64_t rows, count; /* rows that begin in it; its values */
    uint64_t skipped;     /* values to pass over before the next one is taken */
    pqx_runs definition, repetition;
    pqx_values values;
    size_t values_start;
    uint8_t has_begun; /* `values` */
    uint8_t keeps;     /* what column->levels holds of its definition levels: PQX_KEEPS_ */
} pqx_open_page;

enum pqx_keeps {
    PQX_KEEPS_NOTHING,
    PQX_KEEPS_BITS, /* whether each is the highest one */
    PQX_KEEPS_LEVELS
};

/* What the entries that come next may be. */
enum pqx_goes_on {
    PQX_NOTHING_GOES_ON,
    PQX_READ_GOES_ON,   /* of the last row that was read */
    PQX_SKIPPED_GOES_ON /* of the last row that was skipped */
};

typedef struct pqx_column {
    pqx_column_leaf leaf;
    uint32_t width; /* of a value; 0: booleans and byte arrays */
    pqx_column_output output;
    uint8_t is_full;
    uint8_t goes_on;
    uint8_t has_dictionary;
    /* pages that were given and not opened: waiting[next_page..page_count) */
    pqx_memory waiting;
    size_t page_count, next_page;
    uint64_t given; /* pages since the chunk began */
    uint64_t entries_waiting, bytes_waiting;
    uint64_t entries_left, rows_left; /* of the chunk; UINT64_MAX: any number */
    uint16_t last_definition;         /* of the page before, where lists are compared */
    uint64_t expected, there; /* entries that are going to be decoded, and bytes that are there */
    pqx_open_page page;
    pqx_dictionary dictionary;
    pqx_memory dictionary_bytes, dictionary_offsets;
    pqx_buffer previous; /* of DELTA_BYTE_ARRAY */
    pqx_memory levels;   /* of the open page, from when they were checked */
    pqx_memory scratch;
    /* of the error, where there was one */
    uint64_t failed_page;
    enum pqx_column_part failed_part;
} pqx_column;

/* Begin a column: `column` is the caller's memory, and freed with pqx_column_free.
 * PQX_BAD_ARGUMENT: there is no such type, length or level. */
int pqx_column_begin(pqx_column *column, const pqx_column_leaf *leaf, pqx_error *error);
void pqx_column_free(pqx_column *column);
/* Begin the next column chunk, of at most so many entries and rows (UINT64_MAX: not known): pages
 * that were not read are forgotten, and so is the dictionary. */
void pqx_column_begin_chunk(pqx_column *column, uint64_t entries, uint64_t rows);
/* The chunk's dictionary: `count` PLAIN values. The bytes must outlive the chunk. */
int pqx_column_set_dictionary(pqx_column *column, const uint8_t *data, size_t size, uint64_t count,
                              uint64_t base, pqx_error *error);
/* The next page. Its type must be that of a data page. */
int pqx_column_give(pqx_column *column, const pqx_column_page *page, pqx_error *error);
/* Decode, or pass over, what goes on of the last row, and the next `rows` rows. *begun counts rows
 * that were begun: fewer where the given pages end, or where column->is_full. */
int pqx_column_read(pqx_column *column, uint64_t rows, uint64_t *begun, pqx_error *error);
int pqx_column_skip(pqx_column *column, uint64_t rows, uint64_t *begun, pqx_error *error);
/* Whether the given pages are used up, and the last row may go on in the next one. */
int pqx_column_is_open(const pqx_column *column);
/* Take what was decoded, whole rows where column->is_full: its memory is the caller's. */
int pqx_column_take(pqx_column *column, pqx_column_output *taken, pqx_error *error);

/* ---- what the files of the column share ---- */

/* Say where `status` happened, and count its offset from what was given. */
int pqx_column_fail(pqx_column *column, enum pqx_column_part part, int status, pqx_error *error);
/* Open the next page; its levels are checked. A page that its header alone says to have at most
 * `rows` rows is passed over instead: *passed of them. */
int pqx_column_open_page(pqx_column *column, uint64_t rows, uint64_t *passed, pqx_error *error);
/* Begin with the values of the open page, or go on behind those that were skipped. */
int pqx_column_begin_values(pqx_column *column, pqx_error *error);
/* Room for `size` bytes in memory of which `used` are used; `more` are expected to follow these. */
int pqx_column_room(pqx_memory *memory, size_t used, size_t size, size_t more, pqx_error *error);
/* How many bytes the entries will take that are going to be decoded, at `each` for an entry. */
size_t pqx_column_expected(const pqx_column *column, size_t each);
/* How many bytes may be reserved for `size` bytes that are there. */
static inline uint64_t pqx_column_most(uint64_t size)
{
    enum { BYTES_OF_A_BYTE = 64 };
    return size > SIZE_MAX / 2 / BYTES_OF_A_BYTE ? SIZE_MAX / 2 : size * BYTES_OF_A_BYTE;
}
/* Decode the open page's next `count` entries, at most 2^16, whose repetition levels stand in the
 * output already. *appended is less where byte arrays do not fit. */
int pqx_column_append(pqx_column *column, size_t count, size_t *appended, pqx_error *error);
/* Pass over the definition levels of `count` entries, at most 2^16: *values of them have a value.
 */
int pqx_column_pass(pqx_column *column, size_t count, size_t *values, pqx_error *error);

#endif
