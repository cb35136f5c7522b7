/* Count the Parquet entries of the leaves in lists of an Arrow array. */
#include "arrow/arrow_arrays.h"

enum { MOST_LISTS = 1 << 10 /* nesting of lists and structs */ };

/* Part of an array; it may be in lists, of which `without` have no elements. */
typedef struct part {
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    int64_t start, length; /* without the array's offset */
    uint64_t without;
    int is_in_list;
} part;

static uint64_t count_equal_32(const int32_t *offsets, int64_t count)
{
    uint64_t equal = 0;
    for (int64_t i = 0; i < count; i++) equal += offsets[i] == offsets[i + 1];
    return equal;
}

static uint64_t count_equal_64(const int64_t *offsets, int64_t count)
{
    uint64_t equal = 0;
    for (int64_t i = 0; i < count; i++) equal += offsets[i] == offsets[i + 1];
    return equal;
}

/* Return the elements of lists, whose offsets take 32 or 64 bits. */
static part elements_of(const part *lists, int is_large)
{
    const struct ArrowArray *array = lists->array;
    part elements = {lists->schema->children[0], array->children[0], 0, 0, lists->without, 1};
    if (!lists->length) return elements;
    int64_t at = array->offset + lists->start, end;
    if (is_large) {
        const int64_t *offsets = (const int64_t *)array->buffers[1] + at;
        elements.start = offsets[0], end = offsets[lists->length];
        elements.without += count_equal_64(offsets, lists->length);
    } else {
        const int32_t *offsets = (const int32_t *)array->buffers[1] + at;
        elements.start = offsets[0], end = offsets[lists->length];
        elements.without += count_equal_32(offsets, lists->length);
    }
    elements.length = end - elements.start;
    return elements;
}

static int count_part(const part *own, uint64_t *entries, int depth)
{
    const char *format = own->schema->format;
    if (depth == MOST_LISTS) return 0;
    if (format[0] != '+' || own->schema->dictionary) {
        if (own->is_in_list) *entries += (uint64_t)own->length + own->without;
        return 1;
    }
    if (format[1] == 'l' || format[1] == 'L' || format[1] == 'm') {
        part elements = elements_of(own, format[1] == 'L');
        return count_part(&elements, entries, depth + 1);
    }
    if (format[1] != 's') return 0;
    for (int64_t child = 0; child < own->schema->n_children; child++) {
        part field = {own->schema->children[child],
                      own->array->children[child],
                      own->array->offset + own->start,
                      own->length,
                      own->without,
                      own->is_in_list};
        if (!count_part(&field, entries, depth + 1)) return 0;
    }
    return 1;
}

int pqx_arrow_count_entries(const struct ArrowSchema *schema, const struct ArrowArray *array,
                            uint64_t *entries)
{
    part whole = {schema, array, 0, array->length, 0, 0};
    *entries = 0;
    return count_part(&whole, entries, 0);
}
