#include "page/nested.h"

/* The number of the first entry that cannot be, which there is. */
static size_t first_contradiction(const pqx_levels *levels, const pqx_list *list)
{
    size_t i = 0;
    while (levels->repetition[i] < list->repetition || levels->definition[i] >= list->definition)
        i++;
    return i;
}

/* `definition` may be NULL: compiled once for each. */
static inline size_t offsets_of(const uint16_t *definition, const uint16_t *repetition,
                                size_t entries, const pqx_list *list, int32_t *offsets,
                                size_t *nulls, unsigned *wrong)
{
    const unsigned around = list->ancestor_definition, inside = list->definition;
    const unsigned repeats = list->repetition;
    size_t count = 0, no_list = 0;
    uint32_t elements = 0;
    unsigned contradicts = 0;
    for (size_t i = 0; i < entries; i++) {
        unsigned defined = definition ? definition[i] : UINT16_MAX, repeated = repetition[i];
        unsigned begins = (repeated < repeats) & (defined >= around);
        offsets[count] = (int32_t)elements;
        count += begins;
        elements += (repeated <= repeats) & (defined >= inside);
        no_list += begins & (defined + 1 < inside);
        contradicts |= (repeated >= repeats) & (defined < inside);
    }
    offsets[count] = (int32_t)elements;
    *nulls = no_list;
    *wrong = contradicts;
    return count;
}

int pqx_list_offsets(const pqx_levels *levels, const pqx_list *list, int32_t *offsets,
                     size_t *count, size_t *nulls, pqx_error *error)
{
    const uint16_t *definition = levels->definition, *repetition = levels->repetition;
    size_t entries = levels->entries;
    unsigned wrong;
    *count = definition ? offsets_of(definition, repetition, entries, list, offsets, nulls, &wrong)
                        : offsets_of(NULL, repetition, entries, list, offsets, nulls, &wrong);
    if (wrong) {
        size_t entry = first_contradiction(levels, list);
        if (entry == 0 || repetition[0] < list->repetition)
            return pqx_fail(error, PQX_LEVELS_CONTRADICT, entry, list->definition,
                            definition[entry]);
    }
    if (entries && repetition[0] >= list->repetition)
        return pqx_fail(error, PQX_ROW_START, 0, 0, repetition[0]);
    return PQX_OK;
}

/* Bits one behind the other. */
typedef struct bits {
    uint8_t *out;
    size_t count;
    unsigned byte;
} bits;

static inline void add(bits *made, unsigned bit)
{
    made->byte |= bit << (made->count & 7);
    if ((++made->count & 7) == 0) {
        made->out[made->count / 8 - 1] = (uint8_t)made->byte;
        made->byte = 0;
    }
}

static void finish(bits *made)
{
    if (made->count & 7) made->out[made->count / 8] = (uint8_t)made->byte;
}

void pqx_list_valid(const pqx_levels *levels, const pqx_list *list, uint8_t *valid)
{
    bits made = {.out = valid};
    for (size_t i = 0; i < levels->entries; i++) {
        unsigned defined = levels->definition ? levels->definition[i] : UINT16_MAX;
        if (levels->repetition[i] < list->repetition && defined >= list->ancestor_definition)
            add(&made, defined + 1 >= list->definition);
    }
    finish(&made);
}

void pqx_struct_valid(const pqx_levels *levels, const pqx_struct *of, uint8_t *valid, size_t *count,
                      size_t *nulls)
{
    const uint16_t *definition = levels->definition, *repetition = levels->repetition;
    bits made = {.out = valid};
    size_t structs = 0, no_struct = 0;
    for (size_t i = 0; i < levels->entries; i++) {
        unsigned defined = definition ? definition[i] : UINT16_MAX;
        unsigned repeated = repetition ? repetition[i] : 0;
        unsigned is_one =
            (repeated <= of->ancestor_repetition) & (defined >= of->ancestor_definition);
        structs += is_one;
        no_struct += is_one & (defined < of->definition);
        if (valid && is_one) add(&made, defined >= of->definition);
    }
    if (valid) finish(&made);
    *count = structs;
    *nulls = no_struct;
}
