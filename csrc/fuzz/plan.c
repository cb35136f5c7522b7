/* Plan by any bytes as the sidecar of a file, with its checksums corrected: a plan by parts
 * agrees with a plan by the whole. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"
#include "sidecar/sidecar.h"

#define LARGE (1 << 16)
#define MOST 3

static char folder[] = "/tmp/pqx-fuzz-plan-XXXXXX", parquet[64], beside[64];
static struct stat facts;
static int file;

static void end(void) { CLAIM(unlink(parquet) == 0 && unlink(beside) == 0 && rmdir(folder) == 0); }

/* A folder for this process, with a file of the size that seeds tell of. */
static void begin(void)
{
    CLAIM(mkdtemp(folder));
    snprintf(parquet, sizeof parquet, "%s/a.parquet", folder);
    snprintf(beside, sizeof beside, "%s/_a.parquet.pm", folder);
    int fd = open(parquet, O_WRONLY | O_CREAT, 0600);
    CLAIM(fd >= 0 && ftruncate(fd, 1108) == 0 && fstat(fd, &facts) == 0 && close(fd) == 0);
    file = open(beside, O_RDWR | O_CREAT, 0600);
    CLAIM(file >= 0 && atexit(end) == 0);
}

static uint64_t nanoseconds(struct timespec time)
{ return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec; }

/* A large sidecar of the small one: zeros before the footer, for of small ones all is read. */
static size_t enlarge(const uint8_t *input, size_t size, uint8_t *data)
{
    memset(data, 0, LARGE);
    uint64_t length = size < 8 ? size : (uint64_t)pqx_load32(input + size - 4) + 4;
    if (size > LARGE || length > size) length = size = size < LARGE ? size : LARGE;
    memcpy(data, input, size - length);
    memcpy(data + LARGE - length, input + size - length, length);
    pqx_store64(data, LARGE);
    return LARGE;
}

/* Write the note of the file and all checksums, if there is room for them. */
static void make_right(uint8_t *data, size_t size, int parts)
{
    pqx_pm pm = {
        .data = data, .size = size, .column_count = pqx_load32(data + PQX_PM_HEADER_COLUMN_COUNT)};
    uint64_t tail = pqx_pm_sums_tail(pm.column_count), length = pqx_load32(data + size - 4);
    if (tail + PQX_PM_FOOTER_BYTES < size - 64 && length < size - 64
        && length >= tail + PQX_PM_FOOTER_BYTES) {
        uint8_t *origin = data + size - tail + PQX_PM_SCRATCH_HEAD,
                *fixed = data + size - PQX_PM_SUMS_BEHIND - PQX_PM_SUMS_CRC;
        pqx_pm_footer footer = {.size = size,
                                .offset = size - 4 - length,
                                .entries = size - 4 - length + PQX_PM_FOOTER_BYTES};
        footer.row_group_count = pqx_load32(data + footer.offset + PQX_PM_FOOTER_ROW_GROUP_COUNT);
        pqx_store64(origin + PQX_PM_ORIGIN_MODIFIED, nanoseconds(facts.st_mtim));
        pqx_store64(origin + PQX_PM_ORIGIN_CHANGED, nanoseconds(facts.st_ctim));
        pqx_store64(origin + PQX_PM_ORIGIN_DEVICE, (uint64_t)facts.st_dev);
        pqx_store64(origin + PQX_PM_ORIGIN_INODE, (uint64_t)facts.st_ino);
        pm.end = PQX_PM_HEADER_BYTES + (size_t)pm.column_count * PQX_PM_COLUMN_BYTES;
        int sound = parts && footer.row_group_count <= length / 4 - 10
                    && pqx_pm_check_blocks(&pm, &footer, NULL) == PQX_OK;
        for (uint32_t i = 0; sound && i < pm.column_count; i++) {
            uint32_t sum;
            if (pqx_pm_sum_column(&pm, &footer, i, &sum, NULL) == PQX_OK)
                pqx_store32(fixed - 4 * (size_t)(pm.column_count - i), sum);
        }
        if (sound) pqx_store32(fixed + PQX_PM_SUMS_CRC, pqx_pm_sum_lead(&pm, &footer));
    }
    pqx_store32(data + size - 8, pqx_crc32(0, data + 8, size - 16));
}

/* Plan the first columns, most often with their types: return the status, and the statistics as
 * one checksum. `hash` is 0 to read the whole sidecar. */
static int ask(const uint8_t *data, pqx_bytes schema, uint64_t hash, uint32_t kind, int verify,
               int *by_parts, uint32_t *sum)
{
    static const uint8_t widths[8] = {1, 4, 8, 12, 4, 8, 0, 0};
    pqx_plan plan = {.schema = schema, .schema_hash = hash, .column_count = 1 + kind % MOST};
    pqx_plan_sidecar opened = {0};
    plan.columns = calloc(plan.column_count, sizeof *plan.columns);
    if (!plan.columns) abort();
    for (uint32_t i = 0; i < plan.column_count; i++) {
        uint8_t type = (kind & 128 ? kind >> 4
                                   : data[PQX_PM_HEADER_BYTES + i * PQX_PM_COLUMN_BYTES
                                          + PQX_PM_COLUMN_PHYSICAL_TYPE])
                       & 7;
        plan.columns[i].leaf = i;
        plan.columns[i].width = widths[type];
        plan.columns[i].element =
            (pqx_element){.type = type, .sort_order = PQX_ORDER_SIGNED, .type_length = 3};
    }
    CLAIM(pqx_plan_open(parquet, hash ? &plan : NULL, verify, &opened, NULL) == PQX_OK);
    *by_parts = opened.is_partial;
    if (opened.status == PQX_PLANNED) CLAIM(pqx_plan_gather(&plan, &opened, NULL) == PQX_OK);
    *sum = (uint32_t)plan.row_group_count;
    for (uint32_t i = 0; i < plan.column_count; i++) {
        const pqx_plan_column *column = &plan.columns[i];
        const pqx_buffer *all[] = {&column->nulls,    &column->values,   &column->min.valid,
                                   &column->min.ends, &column->min.data, &column->max.valid,
                                   &column->max.ends, &column->max.data};
        for (size_t j = 0; j < sizeof all / sizeof *all; j++)
            *sum = pqx_crc32(*sum, all[j]->data, all[j]->size);
    }
    int status = opened.status;
    pqx_plan_close(&opened);
    pqx_plan_free(&plan);
    return status;
}

/* Return the schema in the sidecar's note; an empty one if it has none. */
static pqx_bytes schema_of(const uint8_t *data, size_t size)
{
    pqx_pm pm;
    pqx_pm_footer footer;
    pqx_bytes note;
    pqx_pm_slices slices;
    if (pqx_pm_open(data, size, &pm, NULL) != PQX_OK
        || pqx_pm_get_footer(&pm, size, &footer, NULL) != PQX_OK)
        return (pqx_bytes){data, 0};
    if (!pqx_pm_find_scratch(&pm, &footer, PQX_PM_SLICES_CODE, &note)
        || pqx_pm_open_slices(note.data, note.size, &slices, NULL) != PQX_OK)
        return (pqx_bytes){data, 0};
    return slices.schema;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    static uint8_t data[LARGE];
    uint64_t steering = take_steering(input, &size);
    int by_parts, never;
    uint32_t parts, whole;
    if (!file) begin();
    size_t large = enlarge(input, size, data);
    make_right(data, large, steering & 1);
    CLAIM(pwrite(file, data, large, 0) == (ssize_t)large);
    pqx_bytes schema = schema_of(data, large);
    uint64_t hash = pqx_xxh64(schema.data, schema.size, 0);
    uint32_t kind = (uint32_t)(steering >> 8);
    int status = ask(data, schema, hash ? hash : 1, kind, 1, &by_parts, &parts),
        other = ask(data, schema, 0, kind, 0, &never, &whole);
    CLAIM(!never);
    if (status == PQX_PLANNED && other == PQX_PLANNED) CLAIM(parts == whole);
    if (!by_parts) CLAIM(status != PQX_PLANNED || other == PQX_PLANNED);
    return 0;
}
