/* Read the bounds of pages of numbers from a ColumnIndex about which nothing is unusual. */
#include "thrift/cursor.h"

/* The offsets of the first items of lists with one item per page; 0 if a list is absent, or is
 * another list. */
typedef struct page_lists {
    size_t null_pages, minima, maxima, null_counts;
    size_t nan_counts; /* ABSENT if absent: it is optional */
    int32_t order;     /* BoundaryOrder, -1 if absent */
} page_lists;

enum { ABSENT = 1 }; /* the offset of no list's first item, which is after the field's header */

/* Read a list. Set *first to the offset of its first item if it has one item of the type, or of
 * the other one, for each page, and to 0 if not. */
static int read_list(pqx_cursor *c, uint32_t pages, int expected, int other, size_t *first)
{
    size_t start = c->at;
    uint32_t items = 0;
    int type = 0;
    PQX_TRY(pqx_read_list(c, &items, &type));
    *first = items == pages && (type == expected || type == other) ? c->at : 0;
    c->at = start;
    return pqx_skip(c, PQX_TYPE_LIST, 0, PQX_MAX_DEPTH - 1);
}

/* Read a field. If a field is repeated, the last one counts, even if it has another type. */
static int read_field(pqx_cursor *c, int32_t id, int type, uint32_t pages, page_lists *found)
{
    size_t *list = NULL;
    int expected = PQX_TYPE_I64, other = PQX_TYPE_I64;
    switch (id) {
    case PQX_COLUMN_INDEX_NULL_PAGES:
        list = &found->null_pages;
        expected = PQX_TYPE_TRUE;
        other = PQX_TYPE_FALSE;
        break;
    case PQX_COLUMN_INDEX_MIN_VALUES:
    case PQX_COLUMN_INDEX_MAX_VALUES:
        list = id == PQX_COLUMN_INDEX_MIN_VALUES ? &found->minima : &found->maxima;
        expected = other = PQX_TYPE_BINARY;
        break;
    case PQX_COLUMN_INDEX_NULL_COUNTS: list = &found->null_counts; break;
    case PQX_COLUMN_INDEX_NAN_COUNTS: list = &found->nan_counts; break;
    case PQX_COLUMN_INDEX_BOUNDARY_ORDER:
        found->order = -1;
        if (type == PQX_TYPE_I32) return pqx_read_i32(c, &found->order);
        break;
    default: break;
    }
    if (list && type == PQX_TYPE_LIST) return read_list(c, pages, expected, other, list);
    if (list) *list = 0;
    return pqx_skip(c, type, 0, PQX_MAX_DEPTH - 1);
}

/* Find the lists of an index. Return 1 if there are all of them and an order, and if counts of NaN
 * are not of other pages. */
static int find_lists(const uint8_t *index, size_t size, uint32_t pages, page_lists *found)
{
    pqx_error error;
    pqx_cursor cursor = {index, size, 0, &error}, *c = &cursor;
    *found = (page_lists){.nan_counts = ABSENT, .order = -1};
    for (int32_t id = 0;;) {
        int type = 0;
        if (pqx_read_field(c, &id, &type)) return 0;
        if (type == 0) break;
        if (read_field(c, id, type, pages, found)) return 0;
    }
    return found->null_pages && found->minima && found->maxima && found->null_counts
           && found->nan_counts && found->order >= PQX_BOUNDARY_UNORDERED
           && found->order <= PQX_BOUNDARY_DESCENDING;
}

/* Return 1 if no page has nulls. */
static int has_no_nulls(const uint8_t *index, const page_lists *lists, uint32_t pages)
{
    for (uint32_t page = 0; page < pages; page++)
        if (index[lists->null_pages + page] == PQX_TYPE_TRUE || index[lists->null_counts + page])
            return 0;
    return 1;
}

/* Copy the values of a list without their lengths. Return 0 unless each has this width. */
static int copy_values(const uint8_t *item, const uint8_t *end, uint32_t pages, uint8_t width,
                       uint8_t *values)
{
    if ((uint64_t)pages * (width + 1u) > (uint64_t)(end - item)) return 0;
    for (uint32_t page = 0; page < pages; page++, item += width + 1, values += width) {
        if (*item != width) return 0;
        memcpy(values, item + 1, width);
    }
    return 1;
}

static int is_floating(const pqx_element *leaf)
{ return leaf->type == PQX_PHYSICAL_FLOAT || leaf->type == PQX_PHYSICAL_DOUBLE; }

/* Set *rank to a number that has the order of the values, as pqx_judge_bounds compares them.
 * Return 0 for NaN. */
static int rank_of(const pqx_element *leaf, const uint8_t *value, uint64_t *rank)
{
    const uint64_t top = 1ull << 63;
    int is_wide = pqx_page_numbers_width(leaf) == 8;
    uint64_t bits = is_wide ? pqx_load64(value) : (uint64_t)pqx_load32(value) << 32;
    if (!is_floating(leaf)) {
        *rank = leaf->sort_order == PQX_ORDER_UNSIGNED ? bits : bits ^ top;
        return 1;
    }
    uint64_t infinity = is_wide ? 0x7ff0000000000000u : 0x7f80000000000000u;
    if (bits == top && leaf->column_order != PQX_ORDER_IEEE_754_TOTAL_ORDER) bits = 0;
    *rank = bits & top ? ~bits : bits | top;
    return (bits & ~top) <= infinity;
}

/* Return 1 if one side of the bounds has the order. */
static int has_order(int32_t order, uint64_t before, uint64_t rank)
{
    return order == PQX_BOUNDARY_UNORDERED
           || (order == PQX_BOUNDARY_ASCENDING ? before <= rank : before >= rank);
}

/* Return 1 if the pages' bounds are numbers that have the order and agree with the chunk's bounds:
 * each page overlaps the chunk, and some page reaches each bound that is a value. */
static int agree(const pqx_page_numbers *given, uint32_t width, int32_t order,
                 const uint8_t *minima, const uint8_t *maxima)
{
    uint64_t minimum = 0, maximum = UINT64_MAX, lowest = UINT64_MAX, highest = 0, low = 0, high = 0;
    if (given->minimum && !rank_of(given->leaf, given->minimum, &minimum)) return 0;
    if (given->maximum && !rank_of(given->leaf, given->maximum, &maximum)) return 0;
    for (uint32_t page = 0; page < given->pages; page++, minima += width, maxima += width) {
        uint64_t low_before = low, high_before = high;
        if (!rank_of(given->leaf, minima, &low) || !rank_of(given->leaf, maxima, &high)) return 0;
        if (low > high || low > maximum || high < minimum) return 0;
        if (page && !(has_order(order, low_before, low) && has_order(order, high_before, high)))
            return 0;
        if (low < lowest) lowest = low;
        if (high > highest) highest = high;
    }
    return (!given->minimum || !given->has_minimum || lowest <= minimum)
           && (!given->maximum || !given->has_maximum || highest >= maximum);
}

/* Return 1 if the leaf's bounds have an order. */
static int is_ordered(const pqx_element *leaf)
{ return !(pqx_judge_bounds(leaf, (pqx_bytes){0}, (pqx_bytes){0}) & PQX_BOUND_UNORDERED); }

int pqx_page_numbers_read(const pqx_page_numbers *given, const uint8_t *index, size_t size,
                          uint8_t *minima, uint8_t *maxima)
{
    const uint8_t width = pqx_page_numbers_width(given->leaf);
    page_lists lists;
    if (!width || !given->pages || !is_ordered(given->leaf)) return 0;
    return find_lists(index, size, given->pages, &lists)
           && has_no_nulls(index, &lists, given->pages)
           && copy_values(index + lists.minima, index + size, given->pages, width, minima)
           && copy_values(index + lists.maxima, index + size, given->pages, width, maxima)
           && agree(given, width, lists.order, minima, maxima);
}
