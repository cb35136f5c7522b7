/* Plans by sidecars of real files: by parts and by the whole, with every bit of the used bytes
 * flipped. */
#include "system.h"

#include "base/port.h"
#include "sidecar/sidecar.h"

#define COLUMNS 300
#define GROUPS 2
#define ASKED 2
#define PARQUET_BYTES 100

static const char schema[] = "stands for a schema, which a plan only compares";
static const char name[] = "a.parquet", beside[] = "_a.parquet.pm";
static char long_text[40] = "a minimum that stands out of line";

typedef struct sidecar {
    uint8_t *data;
    size_t size;
} sidecar;

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static void write_origin(uint8_t *note)
{
    pqx_file_facts facts;
    CHECK(pqx_get_facts_of_path(name, &facts) == 0);
    memset(note, 0, PQX_PM_ORIGIN_BYTES);
    pqx_store32(note + PQX_PM_ORIGIN_LAYOUT, PQX_PM_ORIGIN_KNOWN_LAYOUT);
    pqx_store32(note + PQX_PM_ORIGIN_FOOTER_LENGTH, 10);
    pqx_store64(note + PQX_PM_ORIGIN_MODIFIED, (uint64_t)facts.modified);
    pqx_store64(note + PQX_PM_ORIGIN_CHANGED, (uint64_t)facts.changed);
    pqx_store64(note + PQX_PM_ORIGIN_DEVICE, facts.device);
    pqx_store64(note + PQX_PM_ORIGIN_INODE, facts.inode);
}

/* The note for slices: without runs, which no plan looks at. */
static size_t write_slices(uint8_t *note)
{
    const uint32_t fixed[6] = {1, sizeof schema, 0, 0, COLUMNS, GROUPS};
    memcpy(note, fixed, sizeof fixed);
    memset(note + sizeof fixed, 0, 4 * COLUMNS);
    memcpy(note + sizeof fixed + 4 * COLUMNS, schema, sizeof schema);
    return sizeof fixed + 4 * COLUMNS + sizeof schema;
}

static sidecar sidecar_of(int with_sums)
{
    static pqx_pm_column columns[COLUMNS];
    static pqx_pm_chunk chunks[COLUMNS];
    static uint8_t slices[24 + 4 * COLUMNS + sizeof schema], origin[PQX_PM_ORIGIN_BYTES];
    pqx_pm_writer writer = {0};
    for (uint32_t i = 0; i < COLUMNS; i++)
        columns[i] = (pqx_pm_column){.name = {(const uint8_t *)"n", 1},
                                     .id = (int32_t)i,
                                     .type = 6,
                                     .physical_type = i == 1 ? 6 : 2};
    const pqx_pm_table table = {.columns = columns,
                                .column_count = COLUMNS,
                                .designated_timestamp = -1,
                                .squash_tracker = -1};
    CHECK(pqx_pm_write_header(&writer, &table, NULL) == PQX_OK);
    for (uint64_t group = 0; group < GROUPS; group++) {
        for (uint64_t i = 0; i < COLUMNS; i++)
            chunks[i] = (pqx_pm_chunk){.num_values = 10 + group,
                                       .null_count = i,
                                       .flags = PQX_PM_STAT_NULL_COUNT,
                                       .min = {(const uint8_t *)long_text, i == 1 ? 30 : 8}};
        CHECK(pqx_pm_write_row_group(&writer, (uint32_t)group, 10, chunks, NULL) == PQX_OK);
    }
    write_origin(origin);
    const pqx_pm_scratch notes[] = {{PQX_PM_SLICES_CODE, {slices, write_slices(slices)}},
                                    {PQX_PM_ORIGIN_CODE, {origin, sizeof origin}}};
    pqx_pm_end end = {.parquet_footer_offset = PARQUET_BYTES - 18,
                      .parquet_footer_length = 10,
                      .seq_txn = -1,
                      .scratchpad = notes,
                      .scratchpad_count = 2};
    if (with_sums) end.schema = (pqx_bytes){(const uint8_t *)schema, sizeof schema};
    CHECK(pqx_pm_write_footer(&writer, &end, NULL) == PQX_OK);
    sidecar made = {exact(writer.out.data, writer.out.size), writer.out.size};
    pqx_pm_writer_free(&writer);
    return made;
}

static void begin(pqx_plan *plan)
{
    static const uint32_t leaves[ASKED] = {1, COLUMNS - 1};
    *plan = (pqx_plan){.schema = {(const uint8_t *)schema, sizeof schema},
                       .column_count = ASKED,
                       .columns = calloc(ASKED, sizeof *plan->columns)};
    plan->schema_hash = pqx_xxh64(plan->schema.data, plan->schema.size, 0);
    for (uint32_t i = 0; i < ASKED; i++) {
        plan->columns[i].leaf = leaves[i];
        plan->columns[i].width = i ? 8 : 0;
        plan->columns[i].element = (pqx_element){
            .type = i ? 2 : 6, .sort_order = i ? PQX_ORDER_SIGNED : PQX_ORDER_UNSIGNED};
    }
}

/* Plan the file: return the status, and a checksum of the statistics. */
static int ask(const char *path, int verify, pqx_plan_sidecar *opened, uint32_t *facts)
{
    pqx_plan plan;
    begin(&plan);
    CHECK(pqx_plan_open(path, &plan, verify, opened, NULL) == PQX_OK);
    if (opened->status == PQX_PLANNED) CHECK(pqx_plan_gather(&plan, opened, NULL) == PQX_OK);
    *facts = (uint32_t)plan.row_group_count;
    for (uint32_t i = 0; i < ASKED; i++) {
        const pqx_plan_column *column = &plan.columns[i];
        const pqx_buffer *all[] = {&column->nulls,    &column->values,   &column->min.valid,
                                   &column->min.ends, &column->min.data, &column->max.valid};
        for (size_t j = 0; j < sizeof all / sizeof *all; j++)
            *facts = pqx_crc32(*facts, all[j]->data, all[j]->size);
    }
    pqx_plan_free(&plan);
    return opened->status;
}

static void by_parts_and_by_the_whole_it_says_the_same(void)
{
    uint32_t facts[2];
    for (int with_sums = 0; with_sums < 2; with_sums++) {
        sidecar made = sidecar_of(with_sums);
        pqx_plan_sidecar opened = {0};
        write_file(beside, made.data, made.size);
        CHECK(ask(name, 1, &opened, &facts[with_sums]) == PQX_PLANNED);
        CHECK(opened.is_partial == with_sums);
        pqx_plan_close(&opened);
        free(made.data);
    }
    CHECK(facts[0] == facts[1]);
}

static void mark(uint8_t *used, uint64_t at, uint64_t size) { memset(used + at, 1, size); }

/* Which bytes a plan uses. */
static uint8_t *bytes_used(const sidecar *made)
{
    uint8_t *used = calloc(1, made->size);
    pqx_pm pm;
    pqx_pm_footer footer;
    CHECK(pqx_pm_open(made->data, made->size, &pm, NULL) == PQX_OK
          && pqx_pm_get_footer(&pm, made->size, &footer, NULL) == PQX_OK);
    uint64_t tail = pqx_pm_sums_tail(COLUMNS);
    mark(used, 8, 24);
    mark(used, footer.offset, PQX_PM_FOOTER_BYTES + GROUPS * PQX_PM_ENTRY_BYTES);
    mark(used, made->size - tail, tail - 8);
    for (uint32_t leaf = 1; leaf < COLUMNS; leaf += COLUMNS - 2) {
        mark(used, 32 + 32 * (uint64_t)leaf, 32);
        for (uint32_t i = 0; i < GROUPS; i++)
            mark(used, pqx_pm_chunk_at(&pm, &footer, i, leaf), PQX_PM_CHUNK_BYTES);
    }
    for (uint32_t i = 0; i < GROUPS; i++)
        mark(used, pqx_pm_chunk_at(&pm, &footer, i, 0) + COLUMNS * PQX_PM_CHUNK_BYTES, 30);
    return used;
}

static void overwrite(FILE *file, size_t at, uint8_t byte)
{ CHECK(!fseek(file, (long)at, SEEK_SET) && fputc(byte, file) == byte && !fflush(file)); }

static void a_flipped_bit_is_found_where_it_counts(void)
{
    sidecar made = sidecar_of(1);
    uint8_t *used = bytes_used(&made);
    pqx_plan_sidecar opened = {0};
    uint32_t sound, facts;
    write_file(beside, made.data, made.size);
    CHECK(ask(name, 1, &opened, &sound) == PQX_PLANNED);
    FILE *file = fopen(beside, "r+b");
    CHECK(file);
    for (size_t at = 0; at < made.size; at += 1 + 30 * !used[at])
        for (int bit = 0; bit < 8; bit++) {
            uint8_t flipped = made.data[at] ^ (uint8_t)(1u << bit);
            overwrite(file, at, flipped);
            int status = ask(name, 1, &opened, &facts);
            CHECK(used[at] ? status == PQX_PLAN_UNUSED
                           : status == PQX_PLAN_UNUSED || facts == sound);
            if (at >= 32 && at + 8 < made.size && !used[at]) CHECK(status == PQX_PLANNED);
            overwrite(file, at, made.data[at]);
        }
    CHECK(ask(name, 1, &opened, &facts) == PQX_PLANNED && facts == sound);
    CHECK(fclose(file) == 0);
    pqx_plan_close(&opened);
    free(used);
    free(made.data);
}

static void a_file_that_is_cut_is_none(void)
{
    sidecar made = sidecar_of(1);
    pqx_plan_sidecar opened = {0};
    uint32_t facts;
    for (size_t size = 0; size < made.size; size += size < 64 || made.size - size < 64 ? 1 : 997) {
        write_file(beside, made.data, size);
        CHECK(ask(name, size % 2, &opened, &facts) == PQX_PLAN_UNUSED);
    }
    pqx_plan_close(&opened);
    free(made.data);
}

static void it_belongs_to_its_file_alone(void)
{
    sidecar made = sidecar_of(1);
    pqx_plan_sidecar opened = {0};
    uint32_t facts;
    write_file(beside, made.data, made.size);
    CHECK(ask("b.parquet", 1, &opened, &facts) == PQX_PLAN_NONE);
    name_too(beside, "_data.parquet.pm");
    name_too(name, "data.parquet");
    CHECK(ask("data.parquet", 1, &opened, &facts) == PQX_PLANNED);
    CHECK(rename("_data.parquet.pm", "_pm") == 0);
    CHECK(ask("./data.parquet", 1, &opened, &facts) == PQX_PLANNED && opened.is_partial);
    uint8_t bytes[PARQUET_BYTES] = {1};
    usleep(50000);
    write_file(name, bytes, sizeof bytes);
    CHECK(ask(name, 1, &opened, &facts) == PQX_PLAN_UNUSED);
    CHECK(ask("no folder/a.parquet", 1, &opened, &facts) == PQX_PLAN_UNUSED);
    pqx_plan_close(&opened);
    free(made.data);
}

int main(void)
{
    char folder[MAX_PATH];
    const char *all[] = {name, beside, "_pm", "data.parquet"};
    uint8_t bytes[PARQUET_BYTES] = {0};
    enter_new_folder(folder);
    write_file(name, bytes, sizeof bytes);
    RUN(by_parts_and_by_the_whole_it_says_the_same);
    RUN(a_flipped_bit_is_found_where_it_counts);
    RUN(a_file_that_is_cut_is_none);
    RUN(it_belongs_to_its_file_alone);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) remove(all[i]);
    remove_folder(folder);
    return 0;
}
