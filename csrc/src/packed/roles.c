/* Assign predictors to the roles of fields in parquet.thrift, in a fixed order of the roles. */
#include <stdlib.h>

#include "packed/codes.h"

#define LEVEL(name, from_end)                                                                    \
    ((PQX_CODE_META(SIZE_STATISTICS) << 16 | PQX_SIZE_STATISTICS_##name##_LEVEL_HISTOGRAM) << 16 \
     | (from_end))

typedef struct known_role {
    uint64_t code;
    int predictor;
    uint64_t first, second; /* codes of the predicting roles; SAME uses the first one that exists */
} known_role;

static const known_role chunk_roles[] = {
    {PQX_CODE_META(TOTAL_COMPRESSED_SIZE), PQX_PREDICTOR_ALONE, 0, 0},
    {PQX_CODE_META(TOTAL_UNCOMPRESSED_SIZE), PQX_PREDICTOR_SAME,
     PQX_CODE_META(TOTAL_COMPRESSED_SIZE), 0},
    {PQX_CODE_META(DICTIONARY_PAGE_OFFSET), PQX_PREDICTOR_CHAINED, 0, 0},
    {PQX_CODE_META(DATA_PAGE_OFFSET), PQX_PREDICTOR_CHAINED, 0, 0},
    {PQX_CODE_META(NUM_VALUES), PQX_PREDICTOR_ALONE, 0, 0},
    {PQX_CODE_STATISTIC(NULL_COUNT), PQX_PREDICTOR_ALONE, 0, 0},
    {LEVEL(DEFINITION, 0), PQX_PREDICTOR_DIFFERENCE, PQX_CODE_META(NUM_VALUES),
     PQX_CODE_STATISTIC(NULL_COUNT)},
    {LEVEL(DEFINITION, 1), PQX_PREDICTOR_SAME, PQX_CODE_STATISTIC(NULL_COUNT), 0},
    {LEVEL(REPETITION, 1), PQX_PREDICTOR_ALONE, 0, 0},
    {LEVEL(REPETITION, 0), PQX_PREDICTOR_DIFFERENCE, PQX_CODE_META(NUM_VALUES),
     LEVEL(REPETITION, 1)},
    {PQX_CODE(FILE_OFFSET), PQX_PREDICTOR_SAME, PQX_CODE_META(DATA_PAGE_OFFSET), 0},
    {PQX_CODE(COLUMN_INDEX_LENGTH), PQX_PREDICTOR_ALONE, 0, 0},
    {PQX_CODE(COLUMN_INDEX_OFFSET), PQX_PREDICTOR_CHAINED, 1, 0},
    {PQX_CODE(OFFSET_INDEX_LENGTH), PQX_PREDICTOR_ALONE, 0, 0},
    {PQX_CODE(OFFSET_INDEX_OFFSET), PQX_PREDICTOR_CHAINED, 2, 0},
    {PQX_CODE_META(BLOOM_FILTER_LENGTH), PQX_PREDICTOR_ALONE, 0, 0},
    {PQX_CODE_META(BLOOM_FILTER_OFFSET), PQX_PREDICTOR_CHAINED, 3, 0},
    {PQX_CODE_STATISTIC(MIN_VALUE), PQX_PREDICTOR_ALONE, 0, 0},
    {PQX_CODE_STATISTIC(MAX_VALUE), PQX_PREDICTOR_SAME, PQX_CODE_STATISTIC(MIN_VALUE), 0},
    {PQX_CODE_STATISTIC(MIN), PQX_PREDICTOR_SAME, PQX_CODE_STATISTIC(MIN_VALUE), 0},
    {PQX_CODE_STATISTIC(MAX), PQX_PREDICTOR_SAME, PQX_CODE_STATISTIC(MAX_VALUE),
     PQX_CODE_STATISTIC(MIN)},
};
static const known_role row_group_roles[] = {
    {PQX_ROW_GROUP_TOTAL_COMPRESSED_SIZE, PQX_PREDICTOR_ALONE, 0, 0},
    {PQX_ROW_GROUP_TOTAL_BYTE_SIZE, PQX_PREDICTOR_SAME, PQX_ROW_GROUP_TOTAL_COMPRESSED_SIZE, 0},
    {PQX_ROW_GROUP_FILE_OFFSET, PQX_PREDICTOR_ALONE, 0, 0},
};
static const struct {
    uint64_t length, first, second;
} chunk_chains[] = {
    {PQX_CODE_META(TOTAL_COMPRESSED_SIZE), PQX_CODE_META(DICTIONARY_PAGE_OFFSET),
     PQX_CODE_META(DATA_PAGE_OFFSET)},
    {PQX_CODE(COLUMN_INDEX_LENGTH), PQX_CODE(COLUMN_INDEX_OFFSET), 0},
    {PQX_CODE(OFFSET_INDEX_LENGTH), PQX_CODE(OFFSET_INDEX_OFFSET), 0},
    {PQX_CODE_META(BLOOM_FILTER_LENGTH), PQX_CODE_META(BLOOM_FILTER_OFFSET), 0},
};
enum { CHAINS = sizeof chunk_chains / sizeof *chunk_chains };

/* Return the known roles of a kind of struct. */
static const known_role *known_of(int kind, uint32_t *count)
{
    *count = kind == PQX_BOOK_CHUNKS       ? sizeof chunk_roles / sizeof *chunk_roles
             : kind == PQX_BOOK_ROW_GROUPS ? sizeof row_group_roles / sizeof *row_group_roles
                                           : 0;
    return kind == PQX_BOOK_CHUNKS ? chunk_roles : row_group_roles;
}

static uint32_t rank_of(const known_role *known, uint32_t count, uint64_t code)
{
    uint32_t rank = 0;
    while (rank < count && known[rank].code != code) rank++;
    return rank;
}

static int is_before(const known_role *known, uint32_t count, pqx_coded_role one,
                     pqx_coded_role other)
{
    if (one.area != other.area) return one.area < other.area;
    uint32_t a = rank_of(known, count, one.code), b = rank_of(known, count, other.code);
    return a != b ? a < b : one.code < other.code;
}

static void sort_roles(pqx_packed_structs *s, const known_role *known, uint32_t count)
{
    for (uint32_t i = 1; i < s->role_count; i++) {
        pqx_coded_role role = s->coded[i];
        uint32_t at = i;
        for (; at && is_before(known, count, role, s->coded[at - 1]); at--)
            s->coded[at] = s->coded[at - 1];
        s->coded[at] = role;
    }
}

/* Return the number of a role, or PQX_PACKED_NO_ROLE. */
static uint8_t number_of(const pqx_packed_structs *s, uint64_t code, int area)
{
    for (uint32_t i = 0; code && i < s->role_count; i++)
        if (s->coded[i].code == code && s->coded[i].area == area) return (uint8_t)i;
    return PQX_PACKED_NO_ROLE;
}

/* Add the chains whose roles exist, and set chain_of[] to their numbers; -1 for a missing chain. */
static void add_chains(pqx_packed_structs *s, int chain_of[CHAINS])
{
    for (int i = 0; i < CHAINS; i++) {
        uint8_t length = number_of(s, chunk_chains[i].length, PQX_ROLE_PLACED),
                first = number_of(s, chunk_chains[i].first, PQX_ROLE_PLACED),
                second = number_of(s, chunk_chains[i].second, PQX_ROLE_PLACED);
        chain_of[i] = -1;
        if (s->kind != PQX_BOOK_CHUNKS || length == PQX_PACKED_NO_ROLE) continue;
        if (first == PQX_PACKED_NO_ROLE) {
            first = second;
            second = PQX_PACKED_NO_ROLE;
        }
        if (first == PQX_PACKED_NO_ROLE) continue;
        chain_of[i] = (int)s->chain_count;
        s->chains[s->chain_count++] = (pqx_packed_chain){length, first, second};
    }
}

static pqx_packed_role role_of(const pqx_packed_structs *s, const known_role *known, uint8_t area,
                               const int chain_of[CHAINS])
{
    pqx_packed_role alone = {area, PQX_PREDICTOR_ALONE, 0, 0};
    if (known->predictor == PQX_PREDICTOR_CHAINED) {
        int chain = chain_of[known->first];
        return area != PQX_ROLE_PLACED || chain < 0
                   ? alone
                   : (pqx_packed_role){area, PQX_PREDICTOR_CHAINED, (uint8_t)chain, 0};
    }
    uint8_t first = number_of(s, known->first, area), second = number_of(s, known->second, area);
    if (known->predictor == PQX_PREDICTOR_SAME && first == PQX_PACKED_NO_ROLE) first = second;
    if (known->predictor == PQX_PREDICTOR_ALONE || first == PQX_PACKED_NO_ROLE) return alone;
    if (known->predictor == PQX_PREDICTOR_SAME)
        return (pqx_packed_role){area, PQX_PREDICTOR_SAME, first, 0};
    return second == PQX_PACKED_NO_ROLE || area == PQX_ROLE_WORDS
               ? alone
               : (pqx_packed_role){area, PQX_PREDICTOR_DIFFERENCE, first, second};
}

void pqx_packed_predict(pqx_packed_structs *s)
{
    uint32_t count;
    const known_role *known = known_of(s->kind, &count);
    int chain_of[CHAINS];
    sort_roles(s, known, count);
    add_chains(s, chain_of);
    for (uint32_t i = 0; i < s->role_count; i++) {
        uint8_t area = s->coded[i].area;
        uint32_t rank = rank_of(known, count, s->coded[i].code);
        s->roles[i] = rank < count ? role_of(s, &known[rank], area, chain_of)
                                   : (pqx_packed_role){area, PQX_PREDICTOR_ALONE, 0, 0};
    }
}
