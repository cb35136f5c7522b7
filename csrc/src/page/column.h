/* The pages of column chunks, one after another, decoded into the buffers of an Arrow array.
 *
 * A page is checked when reading reaches it, starting with all of its levels. Output grows with the
 * decoded entries, in batches of at most 2^16 entries; memory reserved in advance is at most 64
 * times the bytes of the supplied pages, or of the file. After an error a column can only be freed.
 */
#ifndef PQX_COLUMN_H
#define PQX_COLUMN_H

#include "base/pages.h"
#include "encoding/ranges.h"
#include "encoding/values.h"

/* The leaf of a column. */
typedef struct pqx_column_leaf {
    int type;
    int32_t type_length;
    uint16_t max_definition, max_repetition;
    uint16_t repeated_definition; /* entries below it have no slot: 0 without repetition */
    uint8_t keeps_definition; /* used if max_repetition is 0; otherwise levels are always kept */
    uint8_t forgets;          /* decode the values to check them, without keeping them */
    uint8_t
        is_strict; /* also check parts that no value needs: runs, index widths, numbers of rows */
    uint32_t most_bytes; /* limit for byte arrays before they are taken: at most 2^31 - 1 */
    uint64_t rows;       /* expected number of rows before the next take, if known */
    uint64_t stored;     /* bytes of them in the file, if known */
    /* The definition levels of the repeated fields around the leaf, max_repetition of them, the
     * outermost first. Levels that contradict them are rejected, and `list_items` counts the
     * elements of each of these lists. Owned by the caller; NULL: levels are not compared. */
    const uint16_t *list_levels;
    uint64_t *list_items;
    /* If it is not NULL, the output has a boolean instead of each value: 1 if a range contains it.
     * Only without repetition. Owned by the caller. */
    const pqx_ranges *ranges;
} pqx_column_leaf;

/* A data page, decompressed. Its bytes must remain valid until it has been read. */
typedef struct pqx_column_page {
    pqx_page header;
    const uint8_t *levels; /* NULL: before the values */
    const uint8_t *values;
    size_t levels_size, values_size;
    uint64_t base; /* added to offsets in errors */
} pqx_column_page;

/* The decoded entries. The caller that takes them frees the memory. */
typedef struct pqx_column_output {
    uint64_t entries, rows; /* rows that begin in it */
    uint64_t slots, nulls;
    uint64_t below;         /* entries below the maximum definition level */
    size_t bytes;           /* of byte arrays */
    uint8_t has_valid;      /* `valid` covers all slots */
    uint8_t has_definition; /* `definition` covers all entries */
    pqx_memory valid, values, offsets, definition, repetition;
} pqx_column_output;

enum pqx_column_part { PQX_PART_PAGE, PQX_PART_LEVELS, PQX_PART_VALUES, PQX_PART_DICTIONARY };

/* The page that is being read. */
typedef struct pqx_open_page {
    pqx_column_page given;
    uint64_t number;
    uint64_t entries, at; /* `at` is the next entry */
    uint64_t rows, count; /* rows that begin in it; its values */
    uint64_t skipped;     /* values to skip before the next one is taken */
    pqx_runs definition, repetition;
    pqx_values values;
    size_t values_start;
    uint8_t has_begun; /* set after `values` has been started */
    uint8_t keeps;     /* the definition levels in column->levels: PQX_KEEPS_ */
} pqx_open_page;

enum pqx_keeps {
    PQX_KEEPS_NOTHING,
    PQX_KEEPS_BITS, /* a bit per entry: set for the maximum level */
    PQX_KEEPS_LEVELS
};

/* The row that the next entries may belong to. */
enum pqx_goes_on {
    PQX_NOTHING_GOES_ON,
    PQX_READ_GOES_ON,   /* the last row that was read */
    PQX_SKIPPED_GOES_ON /* the last row that was skipped */
};

typedef struct pqx_column {
    pqx_column_leaf leaf;
    uint32_t width; /* of a value; 0: booleans and byte arrays */
    pqx_column_output output;
    uint8_t is_full;
    uint8_t goes_on;
    uint8_t has_dictionary;
    uint8_t
        has_flags; /* `flags` has a byte for each value of the dictionary: if a range contains it */
    /* supplied pages that have not been opened: waiting[next_page..page_count) */
    pqx_memory waiting;
    size_t page_count, next_page;
    uint64_t given; /* pages since the beginning of the chunk */
    uint64_t entries_waiting, bytes_waiting;
    uint64_t entries_left, rows_left; /* of the chunk; UINT64_MAX: any number */
    uint16_t last_definition;         /* of the previous page, if lists are compared */
    uint64_t expected, there;         /* entries that will be decoded, and available bytes */
    pqx_open_page page;
    pqx_dictionary dictionary;
    pqx_memory dictionary_bytes, dictionary_offsets, flags;
    pqx_buffer previous; /* of DELTA_BYTE_ARRAY */
    pqx_memory levels;   /* of the open page, after they have been checked */
    pqx_memory scratch;
    /* of the error, if there was one */
    uint64_t failed_page;
    enum pqx_column_part failed_part;
} pqx_column;

/* Begin a column. `column` is the caller's memory; free its contents with pqx_column_free.
 * PQX_BAD_ARGUMENT: no such type, length or level. */
int pqx_column_begin(pqx_column *column, const pqx_column_leaf *leaf, pqx_error *error);
void pqx_column_free(pqx_column *column);
/* Begin the next column chunk, of at most the given numbers of entries and rows (UINT64_MAX:
 * unknown). Unread pages and the dictionary are dropped. */
void pqx_column_begin_chunk(pqx_column *column, uint64_t entries, uint64_t rows);
/* Set the chunk's dictionary: `count` PLAIN values. The bytes must remain valid until the end of
 * the chunk. */
int pqx_column_set_dictionary(pqx_column *column, const uint8_t *data, size_t size, uint64_t count,
                              uint64_t base, pqx_error *error);
/* Supply the next page, which must be a data page. */
int pqx_column_give(pqx_column *column, const pqx_column_page *page, pqx_error *error);
/* Decode, or skip, the rest of the last row and the next `rows` rows. *begun is the number of rows
 * that were begun: fewer if the supplied pages end, or if column->is_full. */
int pqx_column_read(pqx_column *column, uint64_t rows, uint64_t *begun, pqx_error *error);
int pqx_column_skip(pqx_column *column, uint64_t rows, uint64_t *begun, pqx_error *error);
/* Skip and read rows in turns, from turn *turn on, of which *done rows are done, as far as the
 * supplied pages reach; odd turns are read, and no count is negative. Returns 0 after an error, or
 * if the column is full; *left is the rest of turn *turn. */
int pqx_column_take_turns(pqx_column *column, const int64_t *counts, size_t turns, size_t *turn,
                          uint64_t *done, uint64_t *left);
/* Drop the rest of the supplied pages, which ends their last row, and pass over `rows` rows of
 * pages that are not supplied. */
int pqx_column_jump(pqx_column *column, uint64_t rows, pqx_error *error);
/* Return 1 if the supplied pages are used up and the last row may continue in the next one. */
int pqx_column_is_open(const pqx_column *column);
/* Take the decoded entries, whole rows if column->is_full. The caller owns the memory. */
int pqx_column_take(pqx_column *column, pqx_column_output *taken, pqx_error *error);

/* ---- shared by the files of the column ---- */

/* Record the position of `status`, and make its offset relative to the supplied bytes. */
int pqx_column_fail(pqx_column *column, enum pqx_column_part part, int status, pqx_error *error);
/* Open the next page and check its levels. A page that has at most `rows` rows according to its
 * header is skipped instead; *passed is the number of its rows. */
int pqx_column_open_page(pqx_column *column, uint64_t rows, uint64_t *passed, pqx_error *error);
/* Start the values of the open page, or continue after skipped ones. */
int pqx_column_begin_values(pqx_column *column, pqx_error *error);
/* Make room for `size` bytes in memory, of which `used` are in use; `more` are expected to follow.
 */
int pqx_column_room(pqx_memory *memory, size_t used, size_t size, size_t more, pqx_error *error);
/* Return the expected size of the entries that will be decoded, at `each` bytes per entry. */
size_t pqx_column_expected(const pqx_column *column, size_t each);
/* Return how many bytes may be reserved for `size` available bytes. */
static inline uint64_t pqx_column_most(uint64_t size)
{
    enum { BYTES_OF_A_BYTE = 64 };
    return size > SIZE_MAX / 2 / BYTES_OF_A_BYTE ? SIZE_MAX / 2 : size * BYTES_OF_A_BYTE;
}
/* Decode the open page's next `count` entries, at most 2^16, whose repetition levels are already in
 * the output. *appended is less if byte arrays do not fit. */
int pqx_column_append(pqx_column *column, size_t count, size_t *appended, pqx_error *error);
/* Append booleans for the open page's next `slots` slots, of which `values` have a value: 1 if the
 * leaf's ranges contain it. The validity of the slots is already in the output. */
int pqx_column_append_found(pqx_column *column, size_t slots, size_t values, pqx_error *error);
/* Return 1 if the output has a bit per slot. */
static inline int pqx_column_has_bits(const pqx_column *column)
{ return column->leaf.type == PQX_PHYSICAL_BOOLEAN || column->leaf.ranges; }
/* Skip the definition levels of `count` entries, at most 2^16; *values is the number of entries
 * with a value. */
int pqx_column_pass(pqx_column *column, size_t count, size_t *values, pqx_error *error);

#endif
