#include "page/nested.h"
#include "encoding/level_bits.h"

/* Fail at the first entry that continues a list but is not an element, or follows an entry that is
 * not; there is one. */
static int fail_at_contradiction(const pqx_levels *levels, const pqx_list *list, pqx_error *error)
{
    unsigned before = list->definition, defined;
    for (size_t i = 0;; i++, before = defined) {
        defined = levels->definition[i];
        if (levels->repetition[i] < list->repetition) continue;
        unsigned least = defined < before ? defined : before;
        if (least < list->definition)
            return pqx_fail(error, PQX_LEVELS_CONTRADICT, i, list->definition, least);
    }
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
    unsigned contradicts = 0, is_behind_none = 0;
    for (size_t i = 0; i < entries; i++) {
        unsigned defined = definition ? definition[i] : UINT16_MAX, repeated = repetition[i];
        unsigned begins = (repeated < repeats) & (defined >= around);
        offsets[count] = (int32_t)elements;
        count += begins;
        elements += (repeated <= repeats) & (defined >= inside);
        no_list += begins & (defined + 1 < inside);
        unsigned is_none = defined < inside;
        contradicts |= (repeated >= repeats) & (is_none | is_behind_none);
        is_behind_none = is_none;
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
    if (entries && repetition[0] >= list->repetition
        && (!definition || definition[0] >= list->definition))
        return pqx_fail(error, PQX_ROW_START, 0, 0, repetition[0]);
    return wrong ? fail_at_contradiction(levels, list, error) : PQX_OK;
}

/* Return which of `count` levels are `least` or higher; all if there are no levels. */
static inline uint64_t at_least(const uint16_t *levels, size_t at, size_t count, uint32_t least)
{ return levels ? pqx_bits_at_least(levels + at, count, least) : UINT64_MAX >> (64 - count); }

/* Select the entries that begin a node: below repetition level `repeats`, and at definition level
 * `around` or above. The result has one bit for each: set if its level is `there` or above. */
static pqx_bits bits_of_nodes(const pqx_levels *levels, uint32_t repeats, uint32_t around,
                              uint32_t there, uint8_t *valid)
{
    pqx_bits made = {.out = valid};
    for (size_t i = 0, some; i < levels->entries; i += some) {
        some = levels->entries - i < 64 ? levels->entries - i : 64;
        uint64_t begins = at_least(levels->definition, i, some, around);
        if (levels->repetition) begins &= ~pqx_bits_at_least(levels->repetition + i, some, repeats);
        pqx_bits_append(&made, at_least(levels->definition, i, some, there), begins);
    }
    pqx_bits_finish(&made);
    return made;
}

void pqx_list_valid(const pqx_levels *levels, const pqx_list *list, uint8_t *valid)
{
    uint32_t not_null = list->definition ? list->definition - 1u : 0;
    bits_of_nodes(levels, list->repetition, list->ancestor_definition, not_null, valid);
}

void pqx_struct_valid(const pqx_levels *levels, const pqx_struct *of, uint8_t *valid, size_t *count,
                      size_t *nulls)
{
    pqx_bits made = bits_of_nodes(levels, of->ancestor_repetition + 1u, of->ancestor_definition,
                                  of->definition, valid);
    *count = made.count;
    *nulls = made.count - made.ones;
}
