/* Find out which facts the values of a template's roles are. A chunk is written with sample values,
 * and divided again: if this gives the template, each role is one value of one field, whatever it
 * is. */
#include <stddef.h>
#include <stdlib.h>

#include "packed/codes.h"
#include "packed/facts.h"
#include "footer/scan_fast.h"

#define CHUNK(member) offsetof(pqx_placed_chunk, chunk.member), sizeof(((pqx_chunk *)NULL)->member)
#define PLACE(member) \
    offsetof(pqx_placed_chunk, places.member), sizeof(((pqx_places *)NULL)->member)

/* An integer of 8 or 4 bytes, or a range. */
typedef struct member {
    uint64_t code;
    uint16_t at;
    uint8_t size;
    int is_range;
    uint16_t like; /* the member before, if that has the same meaning */
} member;

static const member members[PQX_MOST_FACTS] = {
    {PQX_CODE_META(NUM_VALUES), CHUNK(num_values), 0, 0},
    {PQX_CODE_META(TOTAL_UNCOMPRESSED_SIZE), CHUNK(total_uncompressed_size), 0, 0},
    {PQX_CODE_META(TOTAL_COMPRESSED_SIZE), CHUNK(total_compressed_size), 0, 0},
    {PQX_CODE_META(DATA_PAGE_OFFSET), CHUNK(data_page_offset), 0, 0},
    {PQX_CODE_META(DICTIONARY_PAGE_OFFSET), CHUNK(dictionary_page_offset), 0, 0},
    {PQX_CODE_STATISTIC(NULL_COUNT), CHUNK(null_count), 0, 0},
    {PQX_CODE_STATISTIC(DISTINCT_COUNT), CHUNK(distinct_count), 0, 0},
    {PQX_CODE_META(INDEX_PAGE_OFFSET), PLACE(index_page_offset), 0, 0},
    {PQX_CODE_META(BLOOM_FILTER_OFFSET), PLACE(bloom_filter_offset), 0, 0},
    {PQX_CODE(OFFSET_INDEX_OFFSET), PLACE(offset_index_offset), 0, 0},
    {PQX_CODE(COLUMN_INDEX_OFFSET), PLACE(column_index_offset), 0, 0},
    {PQX_CODE_META(BLOOM_FILTER_LENGTH), PLACE(bloom_filter_length), 0, 0},
    {PQX_CODE(OFFSET_INDEX_LENGTH), PLACE(offset_index_length), 0, 0},
    {PQX_CODE(COLUMN_INDEX_LENGTH), PLACE(column_index_length), 0, 0},
    {PQX_CODE_STATISTIC(MIN_VALUE), CHUNK(min_value), 1, 0},
    {PQX_CODE_STATISTIC(MIN), CHUNK(min), 1, offsetof(pqx_placed_chunk, chunk.min_value)},
    {PQX_CODE_STATISTIC(MAX_VALUE), CHUNK(max_value), 1, 0},
    {PQX_CODE_STATISTIC(MAX), CHUNK(max), 1, offsetof(pqx_placed_chunk, chunk.max_value)},
};

/* A chunk of a template with sample values. Two samples have different integers, so that a field
 * with the value of a role in both samples depends on that role. */
typedef struct sample {
    pqx_buffer thrift;
    uint32_t contents[PQX_MOST_STEPS]; /* where each step's value begins */
    uint64_t first;                    /* the value of the first integer */
} sample;

static const uint8_t path_list[] = {1 << 4 | PQX_TYPE_BINARY, 1, 'p'};
static const uint8_t zeros[8] = {0}; /* the widest fixed value */

static int64_t value_in(const sample *s, uint32_t step) { return (int64_t)(s->first + step); }

static int put_sample(sample *s, const pqx_packed_step *step, uint32_t number, pqx_error *error)
{
    pqx_buffer *out = &s->thrift;
    int is_binary = step->kind == PQX_STEP_TEXT || pqx_step_is_fixed(step->kind);
    if (is_binary) PQX_TRY(pqx_buffer_append(out, &step->size, 1, error));
    s->contents[number] = (uint32_t)out->size;
    if (step->kind == PQX_STEP_LITERAL)
        return pqx_buffer_append(out, step->literal, step->length, error);
    if (step->kind == PQX_STEP_PATH)
        return pqx_buffer_append(out, path_list, sizeof path_list, error);
    if (step->kind == PQX_STEP_INTEGER)
        return pqx_buffer_append_varint(out, pqx_zigzag(value_in(s, number)), error);
    return pqx_buffer_append(out, zeros, step->size, error);
}

static int make_sample(sample *s, const pqx_packed_template *used, pqx_error *error)
{
    s->thrift.size = 0;
    for (uint32_t i = 0; i < used->count; i++) PQX_TRY(put_sample(s, &used->steps[i], i, error));
    PQX_TRY(pqx_buffer_reserve(&s->thrift, PQX_SLACK, error));
    memset(s->thrift.data + s->thrift.size, 0, PQX_SLACK);
    return PQX_OK;
}

/* Return 1 if a step of the divided sample equals the template's; the sample's bounds are texts. */
static int is_same_step(const sample *s, const pqx_packed_step *step, const pqx_coded_step *found)
{
    if (step->kind == PQX_STEP_TEXT || pqx_step_is_fixed(step->kind))
        return found->kind == PQX_STEP_TEXT;
    if (step->kind != found->kind) return 0;
    return step->kind != PQX_STEP_LITERAL
           || (step->length == found->length
               && !memcmp(step->literal, s->thrift.data + found->begin, step->length));
}

/* Divide the sample; return 1 if this gives the steps of the template. */
static int divide(const sample *s, const pqx_packed_template *used, pqx_coded_step *steps,
                  int64_t *values)
{
    const pqx_packed_struct_facts facts = {
        .path_list = path_list, .path_list_size = sizeof path_list, .physical_type = -1};
    uint32_t count = 0;
    if (pqx_packed_parse(s->thrift.data, s->thrift.size, 0, &facts, steps, &count, values, NULL)
            != PQX_OK
        || count != used->count)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        if (!is_same_step(s, &used->steps[i], &steps[i])) return 0;
    return 1;
}

/* Return 1 if a member of the sample is the value of a step. */
static int is_value_of(const sample *s, const pqx_placed_chunk *facts, const member *known,
                       const pqx_packed_step *step, uint32_t number)
{
    const uint8_t *found = (const uint8_t *)facts + known->at;
    if (known->is_range) {
        pqx_range range;
        memcpy(&range, found, sizeof range);
        return step->kind != PQX_STEP_INTEGER && range.offset == s->contents[number]
               && range.length == step->size;
    }
    int64_t value = value_in(s, number);
    int32_t narrow = (int32_t)value;
    return step->kind == PQX_STEP_INTEGER
           && !memcmp(found,
                      known->size == sizeof narrow ? (const void *)&narrow : (const void *)&value,
                      known->size);
}

/* Find the step that writes each member; PQX_MOST_STEPS: none. */
static void match(const pqx_coded_step *steps, uint32_t count, uint8_t step_of[PQX_MOST_FACTS])
{
    for (size_t m = 0; m < PQX_MOST_FACTS; m++) {
        uint32_t i = 0;
        while (i < count && steps[i].code != members[m].code) i++;
        step_of[m] = (uint8_t)(i < count ? i : PQX_MOST_STEPS);
    }
}

/* Return 1 if a member is a bound that the sample has. */
static int is_bound_in(const pqx_placed_chunk *facts, const member *known)
{
    pqx_range range;
    if (!known->is_range) return 0;
    memcpy(&range, (const uint8_t *)facts + known->at, sizeof range);
    return range.offset || range.length;
}

/* Scan a sample; return 1 if all known roles are found where they belong, and every bound is the
 * value of a role: the range of another one, in a literal, is none of the arena. */
static int check_sample(pqx_index *index, const sample *s, const pqx_packed_template *used,
                        const uint8_t step_of[PQX_MOST_FACTS], pqx_placed_chunk *facts)
{
    if (pqx_index_decode_chunk(index, &s->thrift, 0, (pqx_range){0, (uint32_t)s->thrift.size},
                               &facts->chunk, &facts->places, NULL)
        != PQX_OK)
        return 0;
    for (size_t m = 0; m < PQX_MOST_FACTS; m++) {
        uint32_t number = step_of[m];
        if (number < used->count ? !is_value_of(s, facts, &members[m], &used->steps[number], number)
                                 : is_bound_in(facts, &members[m]))
            return 0;
    }
    return 1;
}

/* Note which roles must be decoded. */
static void add_step(pqx_packed_plan *plan, const pqx_packed_step *step,
                     const pqx_coded_step *coded)
{
    if (step->kind == PQX_STEP_TEXT) plan->texts[plan->text_count++] = step->role;
    if (step->kind != PQX_STEP_INTEGER || coded->size == PQX_TYPE_I64) return;
    pqx_add_role(&plan->narrow, step->role);
    pqx_add_role(&plan->roles, step->role);
}

/* Add the fact of a member, which a step writes. */
static void add_fact(pqx_packed_plan *plan, const member *known, const pqx_packed_step *step)
{
    int is_alike =
        known->like && plan->fact_count && plan->facts[plan->fact_count - 1].at == known->like;
    plan->facts[plan->fact_count++] =
        (pqx_packed_fact){step, known->at, known->size, (uint8_t)is_alike};
    plan->integer_count += !known->is_range;
    pqx_add_role(&plan->roles, step->role);
}

static void finish(const pqx_packed_template *used, const pqx_coded_step *steps,
                   const uint8_t step_of[PQX_MOST_FACTS], pqx_packed_plan *plan)
{
    for (uint32_t i = 0; i < used->count; i++) add_step(plan, &used->steps[i], &steps[i]);
    for (size_t m = 0; m < PQX_MOST_FACTS; m++)
        if (step_of[m] < used->count) add_fact(plan, &members[m], &used->steps[step_of[m]]);
    plan->sample.chunk.chunk = plan->sample.chunk.metadata = plan->sample.chunk.statistics =
        (pqx_range){0, 0};
    plan->most = used->most;
    plan->is_usable = 1;
}

int pqx_packed_make_plan(pqx_index *index, const pqx_packed_template *used, pqx_packed_plan *plan,
                         pqx_error *error)
{
    sample s = {.first = 1};
    pqx_placed_chunk other;
    pqx_coded_step steps[PQX_MOST_STEPS];
    int64_t values[PQX_MOST_STEPS];
    uint8_t step_of[PQX_MOST_FACTS];
    *plan = (pqx_packed_plan){0};
    int status = make_sample(&s, used, error);
    int is_usable = status == PQX_OK && divide(&s, used, steps, values);
    if (is_usable) {
        match(steps, used->count, step_of);
        is_usable = check_sample(index, &s, used, step_of, &plan->sample);
    }
    s.first += PQX_MOST_STEPS;
    if (is_usable) status = make_sample(&s, used, error);
    if (is_usable && status == PQX_OK && check_sample(index, &s, used, step_of, &other))
        finish(used, steps, step_of, plan);
    pqx_buffer_free(&s.thrift);
    return status;
}
