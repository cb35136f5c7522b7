/* Plan many files by their sidecars: find the valid sidecars, and collect the bounds of some
 * columns, one file after another. */
#include <errno.h>
#include <stdlib.h>

#include "base/port.h"
#include "sidecar/plan.h"

enum { LEAST = 1 << 16 };

/* Read a whole file into `bytes`, replacing its contents. Return 0 or an errno. Most files fit into
 * the buffer of the previous one, and a single read detects that. */
static int read_file(int fd, pqx_buffer *bytes)
{
    int more = 1;
    for (bytes->size = 0; more;) {
        if (bytes->capacity - bytes->size < LEAST
            && pqx_buffer_reserve(bytes, bytes->size < LEAST ? LEAST : bytes->size, NULL) != PQX_OK)
            return ENOMEM;
        size_t room = bytes->capacity - bytes->size;
        int64_t got = pqx_read_at(fd, bytes->size, bytes->data + bytes->size, room);
        if (got < 0) return (int)-got;
        bytes->size += (size_t)got;
        if (bytes->size > UINT32_MAX) return EFBIG;
        more = (size_t)got == room;
    }
    return 0;
}

static const char *folder_path(const pqx_plan_sidecar *opened)
{ return (const char *)opened->folder_path.data; }

/* Return 1 if a file is the one that the sidecar was made from and has not changed. */
static int is_untouched(const char *path, const pqx_plan_sidecar *opened)
{
    pqx_file_facts facts = {0}; /* GCC does not know that errno is not 0 after a failure */
    const char *folder = folder_path(opened);
    if (pqx_get_facts_in_folder(opened->folder, folder, path, &facts)
        || facts.kind != PQX_IS_REGULAR)
        return 0;
    const pqx_pm_file file = {
        .size = facts.size,
        .modified = facts.modified,
        .changed = facts.changed,
        .device = facts.device,
        .inode = facts.inode,
    };
    return pqx_pm_is_of(&opened->pm, &opened->footer, &file);
}

static int open_whole(int fd, const char *path, int verify, pqx_plan_sidecar *opened)
{
    opened->is_partial = 0;
    if (read_file(fd, &opened->bytes) != 0) return PQX_PLAN_UNUSED;
    uint64_t size = opened->bytes.size, committed = size < PQX_PM_SMALLEST_BYTES
                                                        ? 0
                                                        : pqx_pm_committed_size(opened->bytes.data);
    if (committed < PQX_PM_SMALLEST_BYTES || committed > size) return PQX_PLAN_UNUSED;
    pqx_pm *pm = &opened->pm;
    pqx_bytes slices;
    if (pqx_pm_open(opened->bytes.data, (size_t)committed, pm, NULL) != PQX_OK
        || pqx_pm_get_footer(pm, committed, &opened->footer, NULL) != PQX_OK)
        return PQX_PLAN_UNUSED;
    if (!pqx_pm_find_scratch(pm, &opened->footer, PQX_PM_SLICES_CODE, &slices))
        return PQX_PLAN_UNUSED;
    if (pqx_pm_open_slices(slices.data, slices.size, &opened->slices, NULL) != PQX_OK)
        return PQX_PLAN_UNUSED;
    if (opened->slices.leaf_count != pm->column_count
        || opened->slices.row_group_count != opened->footer.row_group_count)
        return PQX_PLAN_UNUSED;
    if (!is_untouched(path, opened)) return PQX_PLAN_UNUSED;
    return verify && pqx_pm_check(pm, &opened->footer, NULL) != PQX_OK ? PQX_PLAN_UNUSED
                                                                       : PQX_PLANNED;
}

static int open_one(const char *path, const char *sidecar, const pqx_plan *plan, int verify,
                    pqx_plan_sidecar *opened)
{
    int fd = pqx_open_in_folder(opened->folder, folder_path(opened), sidecar);
    if (fd < 0) return fd == -ENOENT ? PQX_PLAN_NONE : PQX_PLAN_UNUSED;
    int status = plan ? pqx_plan_read_parts(plan, fd, opened) : PQX_PLAN_UNUSED;
    if (status == PQX_PLAN_UNUSED || !is_untouched(path, opened))
        status = open_whole(fd, path, verify, opened);
    pqx_close_file(fd);
    return status;
}

/* Open the folder of a path; the folder has `length` bytes with its separator. Opening files
 * relative to their folder is faster. */
static int enter(pqx_plan_sidecar *opened, const char *path, size_t length, pqx_error *error)
{
    pqx_buffer *last = &opened->folder_path;
    if (opened->is_entered && last->size == length + 1 && memcmp(last->data, path, length) == 0)
        return PQX_OK;
    if (opened->is_entered) pqx_close_folder(opened->folder);
    opened->is_entered = 0;
    last->size = 0;
    PQX_TRY(pqx_buffer_append(last, path, length, error));
    PQX_TRY(pqx_buffer_append(last, "", 1, error));
    opened->folder = pqx_open_folder(folder_path(opened));
    opened->is_entered = opened->folder >= 0;
    return PQX_OK;
}

int pqx_plan_open(const char *path, const pqx_plan *plan, int verify, pqx_plan_sidecar *opened,
                  pqx_error *error)
{
    const char *name = pqx_name_of_path(path);
    size_t length = strlen(name);
    PQX_TRY(enter(opened, path, (size_t)(name - path), error));
    opened->beside.size = 0;
    PQX_TRY(pqx_buffer_append(&opened->beside, "_", 1, error));
    PQX_TRY(pqx_buffer_append(&opened->beside, name, length, error));
    PQX_TRY(pqx_buffer_append(&opened->beside, ".pm", sizeof ".pm", error));
    opened->status = opened->is_entered
                         ? open_one(name, (const char *)opened->beside.data, plan, verify, opened)
                         : PQX_PLAN_UNUSED;
    if (opened->status == PQX_PLANNED || opened->status == PQX_PLAN_OTHER
        || strcmp(name, "data.parquet") != 0)
        return PQX_OK;
    int status = open_one(name, "_pm", plan, verify, opened);
    if (status != PQX_PLAN_NONE) opened->status = status;
    return PQX_OK;
}

void pqx_plan_close(pqx_plan_sidecar *opened)
{
    if (opened->is_entered) pqx_close_folder(opened->folder);
    opened->is_entered = 0;
    pqx_buffer *buffers[] = {&opened->bytes, &opened->folder_path, &opened->beside};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) pqx_buffer_free(buffers[i]);
}

/* A column's values in one file. */
typedef struct facts {
    int64_t *nulls, *values;
    uint64_t *offsets[2];
    uint32_t *lengths[2];
    uint8_t *has;
} facts;

static int read_column(const pqx_plan_sidecar *opened, uint32_t leaf, facts *f)
{
    const pqx_pm *pm = &opened->pm;
    const pqx_pm_footer *footer = &opened->footer;
    uint32_t count = footer->row_group_count;
    PQX_TRY(
        pqx_pm_get_numbers(pm, footer, leaf, 0, count, PQX_PM_CHUNK_NULL_COUNT, f->nulls, NULL));
    PQX_TRY(
        pqx_pm_get_numbers(pm, footer, leaf, 0, count, PQX_PM_CHUNK_NUM_VALUES, f->values, NULL));
    return pqx_pm_get_bounds(pm, footer, leaf, 0, count, f->has, f->offsets[0], f->lengths[0],
                             f->offsets[1], f->lengths[1], NULL);
}

static int push_bit(pqx_buffer *bits, uint64_t at, int bit, pqx_error *error)
{
    if (at % 8 == 0) PQX_TRY(pqx_buffer_append(bits, "", 1, error));
    bits->data[at / 8] |= (uint8_t)(bit << at % 8);
    return PQX_OK;
}

/* Append one side's bound; `range` is empty if there is none. */
static int push_bound(pqx_plan_side *side, uint64_t at, uint32_t width, int has,
                      const uint8_t *bytes, pqx_range range, pqx_error *error)
{
    static const uint8_t none[64] = {0};
    PQX_TRY(push_bit(&side->valid, at, has, error));
    if (has) PQX_TRY(pqx_buffer_append(&side->data, bytes + range.offset, range.length, error));
    for (uint32_t left = has ? 0 : width; left;) {
        uint32_t some = left < sizeof none ? left : sizeof none;
        PQX_TRY(pqx_buffer_append(&side->data, none, some, error));
        left -= some;
    }
    if (width) return PQX_OK;
    int64_t end = (int64_t)side->data.size, start = 0;
    if (at == 0) PQX_TRY(pqx_buffer_append(&side->ends, &start, sizeof start, error));
    return pqx_buffer_append(&side->ends, &end, sizeof end, error);
}

static int push_column(const pqx_plan_sidecar *opened, pqx_plan_column *column, uint64_t at,
                       const facts *f, pqx_error *error)
{
    const uint8_t *bytes = opened->pm.data;
    uint32_t count = opened->footer.row_group_count;
    PQX_TRY(pqx_buffer_append(&column->nulls, f->nulls, count * sizeof *f->nulls, error));
    PQX_TRY(pqx_buffer_append(&column->values, f->values, count * sizeof *f->values, error));
    for (uint32_t i = 0; i < count; i++) {
        pqx_range low, high;
        int has;
        pqx_chunk chunk = {
            .min_value = {(uint32_t)f->offsets[0][i], f->lengths[0][i]},
            .max_value = {(uint32_t)f->offsets[1][i], f->lengths[1][i]},
            .present = (f->has[i] & 1 ? PQX_PRESENT_MIN_VALUE : 0)
                       | (f->has[i] & 2 ? PQX_PRESENT_MAX_VALUE : 0),
        };
        pqx_usable_bounds(bytes, &chunk, &column->element, &low, &high, &has);
        PQX_TRY(push_bound(&column->min, at + i, column->width, has & 1, bytes, low, error));
        PQX_TRY(push_bound(&column->max, at + i, column->width, has >> 1 & 1, bytes, high, error));
    }
    return PQX_OK;
}

/* Reserve room for the values of every column of one file, so that nothing is appended if the file
 * turns out to be damaged. */
static int reserve(pqx_buffer *room, size_t columns, size_t count, facts *all, pqx_error *error)
{
    size_t each = count * (2 * sizeof(int64_t) + 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t) + 8);
    room->size = 0;
    PQX_TRY(
        pqx_buffer_reserve(room, columns * each + 1, error)); /* not NULL even without row groups */
    for (size_t i = 0; i < columns; i++) {
        uint8_t *at = room->data + i * each;
        all[i].nulls = (int64_t *)(void *)at;
        all[i].values = all[i].nulls + count;
        all[i].offsets[0] = (uint64_t *)(all[i].values + count);
        all[i].offsets[1] = all[i].offsets[0] + count;
        all[i].lengths[0] = (uint32_t *)(all[i].offsets[1] + count);
        all[i].lengths[1] = all[i].lengths[0] + count;
        all[i].has = (uint8_t *)(all[i].lengths[1] + count);
    }
    return PQX_OK;
}

static int has_schema(const pqx_plan *plan, const pqx_plan_sidecar *opened)
{
    const pqx_bytes *there = &opened->slices.schema;
    return opened->is_partial
           || (there->size == plan->schema.size
               && memcmp(there->data, plan->schema.data, there->size) == 0);
}

static int fits(const pqx_plan_sidecar *opened, const pqx_plan_column *column)
{
    const pqx_pm *pm = &opened->pm;
    return column->leaf < pm->column_count
           && pqx_pm_column_without_name(pm, column->leaf).physical_type == column->element.type;
}

int pqx_plan_gather(pqx_plan *plan, pqx_plan_sidecar *opened, pqx_error *error)
{
    if (!has_schema(plan, opened)) opened->status = PQX_PLAN_OTHER;
    if (opened->status != PQX_PLANNED) return PQX_OK;
    uint32_t count = opened->footer.row_group_count;
    facts few[4], *all = few;
    if (plan->column_count > 4) all = (facts *)malloc(plan->column_count * sizeof *all);
    int status = all ? reserve(&plan->room, plan->column_count, count, all, error)
                     : pqx_fail(error, PQX_NO_MEMORY, 0, plan->column_count, 0);
    for (uint32_t i = 0;
         status == PQX_OK && i < plan->column_count && opened->status == PQX_PLANNED; i++) {
        if (!fits(opened, &plan->columns[i])
            || read_column(opened, plan->columns[i].leaf, &all[i]) != PQX_OK)
            opened->status = PQX_PLAN_UNUSED;
    }
    for (uint32_t i = 0;
         status == PQX_OK && i < plan->column_count && opened->status == PQX_PLANNED; i++)
        status = push_column(opened, &plan->columns[i], plan->row_group_count, &all[i], error);
    if (status == PQX_OK && opened->status == PQX_PLANNED) plan->row_group_count += count;
    if (all != few) free(all);
    return status;
}

void pqx_plan_free(pqx_plan *plan)
{
    for (uint32_t i = 0; i < plan->column_count; i++) {
        pqx_plan_column *column = &plan->columns[i];
        pqx_buffer *buffers[] = {&column->nulls,    &column->values,   &column->min.valid,
                                 &column->min.ends, &column->min.data, &column->max.valid,
                                 &column->max.ends, &column->max.data};
        for (size_t j = 0; j < sizeof buffers / sizeof *buffers; j++) pqx_buffer_free(buffers[j]);
    }
    pqx_buffer_free(&plan->room);
    free(plan->columns);
    plan->columns = NULL;
    plan->column_count = 0;
}
