/* Sidecars written and read in C: exact-size copies, every cut, every flipped bit, snapshots on
 * snapshots. */
#include "harness.h"

#define GROUPS 3
#define COLUMNS 2

static const uint8_t bitset[32] = {1, 2, 3};

static void write_table(pqx_pm_writer *writer, uint32_t groups)
{
    static const uint32_t first = 0;
    const pqx_pm_column columns[COLUMNS] = {
        {.name = {(const uint8_t *)"ts", 2}, .type = 8, .physical_type = 2},
        {.name = {(const uint8_t *)"text", 4},
         .id = 1,
         .type = 26,
         .flags = 4,
         .physical_type = 6,
         .max_definition = 1},
    };
    const pqx_pm_table table = {columns, COLUMNS, &first, 1, &first, 1, 0, 0, 77};
    CHECK(pqx_pm_write_header(writer, &table, NULL) == PQX_OK);
    for (uint32_t i = 0; i < groups; i++) {
        const pqx_pm_chunk chunks[COLUMNS] = {
            {.num_values = 10,
             .byte_range_start = 4 + 100 * i,
             .min = {bitset, 8},
             .max = {bitset, 8},
             .bloom = {bitset, 32}},
            {.num_values = 10,
             .null_count = 3,
             .flags = PQX_PM_STAT_NULL_COUNT,
             .min = {bitset, 1},
             .max = {bitset, 30}},
        };
        CHECK(pqx_pm_write_row_group(writer, i, 10, chunks, NULL) == PQX_OK);
    }
}

static uint8_t *sidecar_of(uint32_t groups, size_t *size)
{
    pqx_pm_writer writer = {0};
    const pqx_pm_scratch note = {1, {bitset, 5}};
    const pqx_pm_end end = {1000, 0, 100, -1, &note, 1, {NULL, 0}};
    write_table(&writer, groups);
    CHECK(pqx_pm_write_footer(&writer, &end, NULL) == PQX_OK);
    uint8_t *copy = exact(writer.out.data, *size = writer.out.size);
    pqx_pm_writer_free(&writer);
    return copy;
}

/* Ask for everything; the sum keeps the compiler from leaving reads out. */
static uint64_t ask(const pqx_pm *pm, const pqx_pm_footer *footer)
{
    uint64_t sum = 0, min_at[GROUPS + 1], max_at[GROUPS + 1];
    uint32_t min_size[GROUPS + 1], max_size[GROUPS + 1], count = footer->row_group_count;
    uint8_t has[GROUPS + 1];
    if (count > GROUPS + 1) count = GROUPS + 1;
    for (uint32_t column = 0; column < pm->column_count; column++) {
        pqx_pm_column facts;
        CHECK(pqx_pm_get_column(pm, column, &facts, NULL) == PQX_OK);
        for (size_t i = 0; i < facts.name.size; i++) sum += facts.name.data[i];
        if (pqx_pm_get_bounds(pm, footer, column, 0, count, has, min_at, min_size, max_at, max_size,
                              NULL)
            != PQX_OK)
            continue;
        for (uint32_t i = 0; i < count; i++) {
            pqx_pm_bloom bloom;
            for (uint32_t j = 0; j < min_size[i]; j++) sum += pm->data[min_at[i] + j];
            for (uint32_t j = 0; j < max_size[i]; j++) sum += pm->data[max_at[i] + j];
            CHECK(pqx_pm_get_bloom(pm, footer, i, column, &bloom, NULL) == PQX_OK);
            for (uint64_t j = 0; bloom.kind == PQX_PM_BLOOM_INLINE && j < bloom.length; j++)
                sum += pm->data[bloom.offset + j];
        }
    }
    uint64_t at = footer->scratchpad;
    for (uint32_t i = 0; i < footer->scratchpad_count; i++) {
        pqx_bytes value;
        uint32_t code;
        pqx_pm_get_scratch(pm, at, &code, &value, &at);
        for (size_t j = 0; j < value.size; j++) sum += value.data[j];
    }
    return sum;
}

static void what_is_written_is_read(void)
{
    size_t size;
    uint8_t *data = sidecar_of(GROUPS, &size);
    pqx_pm pm;
    pqx_pm_footer footer;
    int64_t numbers[GROUPS];
    uint32_t column;
    CHECK(pqx_pm_open(data, size, &pm, NULL) == PQX_OK);
    CHECK(pqx_pm_committed_size(data) == size);
    CHECK(pqx_pm_get_footer(&pm, size, &footer, NULL) == PQX_OK);
    CHECK(pqx_pm_check(&pm, &footer, NULL) == PQX_OK);
    CHECK(footer.row_group_count == GROUPS && footer.scratchpad_count == 1 && footer.seq_txn == -1);
    CHECK(pm.squash_tracker == 77 && pm.sorting_count == 1);
    CHECK(pqx_pm_get_sorting_column(&pm, 0, &column, NULL) == PQX_OK && column == 0);
    CHECK(
        pqx_pm_get_numbers(&pm, &footer, 0, 0, GROUPS, PQX_PM_CHUNK_BYTE_RANGE_START, numbers, NULL)
        == PQX_OK);
    CHECK(numbers[0] == 4 && numbers[2] == 204);
    CHECK(pqx_pm_get_numbers(&pm, &footer, 1, 1, 1, PQX_PM_CHUNK_NULL_COUNT, numbers, NULL)
              == PQX_OK
          && numbers[0] == 3);
    CHECK(pqx_pm_get_numbers(&pm, &footer, 1, 1, 1, PQX_PM_CHUNK_MIN_STAT, numbers, NULL)
          == PQX_BAD_ARGUMENT);
    CHECK(pqx_pm_get_numbers(&pm, &footer, 2, 0, 1, PQX_PM_CHUNK_NULL_COUNT, numbers, NULL)
          == PQX_BAD_ARGUMENT);
    CHECK(pqx_pm_get_numbers(&pm, &footer, 0, 1, GROUPS, PQX_PM_CHUNK_NULL_COUNT, numbers, NULL)
          == PQX_BAD_ARGUMENT);
    int64_t all[5 * GROUPS];
    CHECK(pqx_pm_get_all_numbers(&pm, &footer, 1, 0, GROUPS, all, NULL) == PQX_OK
          && all[3 * GROUPS + 1] == 3);
    CHECK(pqx_pm_get_all_numbers(&pm, &footer, 2, 0, 1, all, NULL) == PQX_BAD_ARGUMENT);
    pqx_bytes note;
    CHECK(!pqx_pm_find_scratch(&pm, &footer, 0, &note));
    CHECK(!pqx_pm_is_of(&pm, &footer, &(pqx_pm_file){0}));
    CHECK(ask(&pm, &footer) > 0);
    free(data);
}

static void every_cut_is_found(void)
{
    size_t size;
    uint8_t *data = sidecar_of(GROUPS, &size);
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *part = exact(data, cut);
        pqx_pm pm;
        pqx_pm_footer footer;
        if (pqx_pm_open(part, cut, &pm, NULL) == PQX_OK) {
            CHECK(pqx_pm_get_footer(&pm, pqx_pm_committed_size(part), &footer, NULL)
                  == PQX_PM_SIZE_BEYOND);
            /* Whatever is taken for a footer then, nothing is read outside. */
            if (pqx_pm_get_footer(&pm, cut, &footer, NULL) == PQX_OK) (void)ask(&pm, &footer);
        }
        free(part);
    }
    free(data);
}

static void a_flipped_bit_is_found_or_does_no_harm(void)
{
    size_t size;
    uint8_t *data = sidecar_of(GROUPS, &size);
    pqx_pm sound;
    pqx_pm_footer last;
    CHECK(pqx_pm_open(data, size, &sound, NULL) == PQX_OK
          && pqx_pm_get_footer(&sound, size, &last, NULL) == PQX_OK);
    uint64_t whole = ask(&sound, &last);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        pqx_pm pm;
        pqx_pm_footer footer;
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (pqx_pm_open(data, size, &pm, NULL) == PQX_OK
            && pqx_pm_get_footer(&pm, size, &footer, NULL) == PQX_OK) {
            uint64_t sum = ask(&pm, &footer);
            int in_size = bit / 8 < 8;
            CHECK(pqx_pm_check(&pm, &footer, NULL) == (in_size ? PQX_OK : PQX_CHECKSUM));
            CHECK(!in_size || sum == whole);
        }
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free(data);
}

static void snapshots_follow_each_other(void)
{
    size_t size;
    uint8_t *data = sidecar_of(1, &size);
    const pqx_pm_chunk chunks[COLUMNS] = {{.num_values = 5, .bloom = {bitset, 32}},
                                          {.num_values = 5, .max = {bitset, 20}}};
    for (uint32_t commit = 1; commit <= 20; commit++) {
        pqx_pm pm;
        pqx_pm_footer footer;
        pqx_pm_writer writer = {0};
        const pqx_pm_end end = {1000 + commit, 0, 100, commit, NULL, 0, {NULL, 0}};
        CHECK(pqx_pm_open(data, size, &pm, NULL) == PQX_OK);
        CHECK(pqx_pm_get_footer(&pm, size, &footer, NULL) == PQX_OK);
        CHECK(pqx_pm_write_on(&writer, &pm, &footer, size, NULL) == PQX_OK);
        CHECK(pqx_pm_write_row_group(&writer, commit % 3 ? writer.row_group_count : 0, 5, chunks,
                                     NULL)
              == PQX_OK);
        CHECK(pqx_pm_write_footer(&writer, &end, NULL) == PQX_OK);
        uint8_t *longer = malloc(size + writer.out.size);
        memcpy(longer, data, size);
        memcpy(longer + size, writer.out.data, writer.out.size);
        size += writer.out.size;
        memcpy(longer, &(uint64_t){size}, 8);
        pqx_pm_writer_free(&writer);
        free(data);
        data = longer;
    }
    pqx_pm pm;
    pqx_pm_footer footer;
    CHECK(pqx_pm_open(data, size, &pm, NULL) == PQX_OK);
    for (uint32_t commit = 0; commit <= 20; commit++) {
        CHECK(pqx_pm_find_footer(&pm, size, 1108 + commit, &footer, NULL) == PQX_OK);
        CHECK(pqx_pm_check(&pm, &footer, NULL) == PQX_OK);
        CHECK(footer.row_group_count == 1 + commit - commit / 3);
    }
    CHECK(pqx_pm_find_footer(&pm, size, 1107, &footer, NULL) == PQX_PM_CHAIN);
    free(data);
}

/* An entry has 32 bits for an offset in units of 8: larger offsets are refused. */
static void nothing_is_written_beyond_what_an_entry_can_say(void)
{
    const uint64_t last = (uint64_t)UINT32_MAX << 3;
    static const uint32_t first = 0;
    const pqx_pm_column column = {.name = {(const uint8_t *)"a", 1}, .type = 6, .physical_type = 2};
    for (uint32_t filters = 0; filters < 2; filters++) {
        const pqx_pm_table table = {&column, 1, NULL, 0, &first, filters, -1, 0, -1};
        const pqx_pm_chunk chunk = {.bloom = {bitset, 32}};
        for (uint64_t start = last - 80; start <= last + 8; start += 8) {
            pqx_pm_writer writer = {0};
            pqx_error error = {0};
            CHECK(pqx_pm_write_header(&writer, &table, NULL) == PQX_OK);
            writer.base = start - writer.out.size - (-writer.out.size & 7);
            uint64_t reached =
                start + (filters ? 72 : 0); /* the block has 72 bytes, followed by its filter */
            int status = pqx_pm_write_row_group(&writer, 0, 1, &chunk, &error);
            CHECK(status == (reached > last ? PQX_PM_BLOCK_OFFSET : PQX_OK));
            if (status)
                CHECK(error.expected == last && error.found == (start > last ? start : reached));
            pqx_pm_writer_free(&writer);
        }
    }
}

int main(void)
{
    RUN(what_is_written_is_read);
    RUN(every_cut_is_found);
    RUN(a_flipped_bit_is_found_or_does_no_harm);
    RUN(snapshots_follow_each_other);
    RUN(nothing_is_written_beyond_what_an_entry_can_say);
    return 0;
}
