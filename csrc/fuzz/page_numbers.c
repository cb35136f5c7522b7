/* Read the bounds of pages of numbers from a ColumnIndex of any values, with one damaged byte, and
 * from any bytes. pqx_judge_bounds accepts all bounds that are read. */
#include "base/wire.h"
#include "input.h"

enum { MOST = 14, FIELDS = 5, WIDEST = 8 };

typedef struct given {
    pqx_element leaf;
    uint8_t width, order; /* of a value, and of the pages */
    uint32_t pages;
    const uint8_t *minimum, *maximum;
    int has_minimum, has_maximum;
} given;

static int is_pair(const given *g, const uint8_t *low, const uint8_t *high)
{
    return pqx_judge_bounds(&g->leaf, (pqx_bytes){low, g->width}, (pqx_bytes){high, g->width})
           == (PQX_BOUND_MIN | PQX_BOUND_MAX);
}

/* Write a list of values of the leaf's width, or of single bytes, with its field header. */
static size_t put_list(uint8_t *to, const given *g, int item, const uint8_t *values, int zero)
{
    size_t at = 0;
    to[at++] = 1 << 4 | PQX_TYPE_LIST;
    to[at++] = (uint8_t)(g->pages << 4 | (uint32_t)item);
    for (uint32_t page = 0; page < g->pages; page++) {
        to[at++] = values ? g->width : (uint8_t)zero;
        if (!values) continue;
        memcpy(to + at, values + page * g->width, g->width);
        at += g->width;
    }
    return at;
}

static size_t write_index(uint8_t *to, const given *g, const uint8_t *minima, const uint8_t *maxima)
{
    size_t at = put_list(to, g, PQX_TYPE_TRUE, NULL, PQX_TYPE_FALSE);
    at += put_list(to + at, g, PQX_TYPE_BINARY, minima, 0);
    at += put_list(to + at, g, PQX_TYPE_BINARY, maxima, 0);
    to[at++] = 1 << 4 | PQX_TYPE_I32;
    to[at++] = (uint8_t)(g->order << 1);
    at += put_list(to + at, g, PQX_TYPE_I64, NULL, 0);
    to[at++] = 0;
    return at;
}

/* Return 1 if the bounds of the pages agree with each other, with the order, if it is known, and
 * with the chunk. */
static int is_sound(const given *g, const uint8_t *minima, const uint8_t *maxima, int has_order)
{
    int reaches_minimum = !g->minimum || !g->has_minimum,
        reaches_maximum = !g->maximum || !g->has_maximum;
    for (uint32_t page = 0; page < g->pages; page++) {
        const uint8_t *low = minima + page * g->width, *high = maxima + page * g->width;
        if (!is_pair(g, low, high)) return 0;
        if (g->maximum && !is_pair(g, low, g->maximum)) return 0;
        if (g->minimum && !is_pair(g, g->minimum, high)) return 0;
        if (g->minimum && is_pair(g, low, g->minimum)) reaches_minimum = 1;
        if (g->maximum && is_pair(g, g->maximum, high)) reaches_maximum = 1;
        if (!page || !has_order || !g->order) continue;
        const uint8_t *before[] = {low - g->width, high - g->width}, *after[] = {low, high};
        for (int side = 0; side < 2; side++)
            if (!(g->order == PQX_BOUNDARY_ASCENDING ? is_pair(g, before[side], after[side])
                                                     : is_pair(g, after[side], before[side])))
                return 0;
    }
    return reaches_minimum && reaches_maximum;
}

/* Read an index in memory of exactly its size, and return 1 if it is accepted. */
static int read(const given *g, const uint8_t *index, size_t size, uint8_t *low, uint8_t *high)
{
    const pqx_page_numbers numbers = {&g->leaf,   g->pages,       g->minimum,
                                      g->maximum, g->has_minimum, g->has_maximum};
    uint8_t *whole = exact(index, size);
    int is_read = pqx_page_numbers_read(&numbers, whole, size, low, high);
    free(whole);
    return is_read;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    static const int32_t TYPES[] = {PQX_PHYSICAL_INT32, PQX_PHYSICAL_INT64, PQX_PHYSICAL_FLOAT,
                                    PQX_PHYSICAL_DOUBLE};
    uint64_t steering = take_steering(input, &size);
    given g = {.leaf = {.type = TYPES[steering & 3],
                        .sort_order = steering & 4 ? PQX_ORDER_UNSIGNED : PQX_ORDER_SIGNED,
                        .column_order = (uint8_t)(steering >> 3 & 3),
                        .converted_type = -1},
               .order = (uint8_t)(steering >> 5 & 3),
               .has_minimum = steering >> 7 & 1,
               .has_maximum = steering >> 8 & 1};
    g.width = pqx_page_numbers_width(&g.leaf);
    g.pages = (uint32_t)(size / g.width / 2);
    if (g.pages > MOST) g.pages = MOST;
    const uint8_t *minima = input, *maxima = input + g.pages * g.width;
    const uint8_t *left = maxima + g.pages * g.width;
    if (left + g.width <= input + size && steering >> 9 & 1) g.minimum = left;
    if (left + g.width <= input + size && steering >> 10 & 1) g.maximum = left;
    uint8_t index[FIELDS * (2 + MOST * (1 + WIDEST)) + 3], low[MOST * WIDEST], high[MOST * WIDEST];
    size_t written = write_index(index, &g, minima, maxima);
    int is_read = read(&g, index, written, low, high);
    CLAIM(is_read
          == (g.pages && g.order <= PQX_BOUNDARY_DESCENDING && is_sound(&g, minima, maxima, 1)));
    if (is_read) CLAIM(!memcmp(low, minima, g.pages * g.width));
    if (is_read) CLAIM(!memcmp(high, maxima, g.pages * g.width));
    index[(steering >> 16 & 0xffff) % written] ^= (uint8_t)(steering >> 32);
    if (read(&g, index, written, low, high)) CLAIM(is_sound(&g, low, high, 0));
    if (read(&g, input, size, low, high)) CLAIM(is_sound(&g, low, high, 0));
    return 0;
}
