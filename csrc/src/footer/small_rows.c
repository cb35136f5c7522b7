/* Read columns of many small files: load the chunks of all files, find the rows that match, and
 * decode only these. */
#include <stdlib.h>

#include "base/port.h"
#include "encoding/bitmap.h"
#include "footer/small_rows.h"

enum { ROWS_OF_TURN = 8 }; /* rows that are decoded and filtered in the time of one turn */

/* The files that are read, and the chunks of all of them. */
typedef struct reading {
    const pqx_small_file *const *files;
    size_t file_count;
    uint32_t leaf_count;
    pqx_arrow_leaf *planned;  /* the leaves that are read have a form; the same in all files */
    pqx_arrow_loaded *loaded; /* of each file */
    size_t chunk_count;       /* of a leaf, in all files */
    pqx_arrow_chunk *chunks;  /* of one leaf */
    uint64_t rows, bytes;     /* of all files */
    int64_t *counts;          /* rows to skip, to read, and so on, of all chunks */
    size_t *turns;            /* of each chunk; NULL: all rows are read */
    pqx_unpacked room;
} reading;

/* ---- filters ---- */

int pqx_small_filter_is_valid(const pqx_small_filter *filter, uint32_t leaf_count)
{
    size_t results = 0;
    for (size_t i = 0; i < filter->count; i++)
        if (filter->tests[i].leaf >= leaf_count) return 0;
    for (size_t i = 0; i < filter->step_count; i++) {
        int32_t step = filter->steps[i];
        if (step >= 0) {
            if ((size_t)step >= filter->count) return 0;
            results++;
        } else {
            if (step < PQX_SMALL_OR || results < 2) return 0;
            results--;
        }
    }
    return results == 1;
}

/* ---- loading ---- */

/* Plan the leaves that have a mark. Returns 0 if one of them cannot be read. */
static int plan_leaves(const pqx_small_file *file, const struct ArrowSchema *schema,
                       const uint8_t *marks, pqx_arrow_leaf *planned, uint64_t *sizes)
{
    const pqx_scan *scan = file->scan;
    if (!pqx_arrow_plan(scan, file->size, planned, sizes)) return 0;
    pqx_arrow_choose(scan, schema, planned);
    for (uint32_t leaf = 0; leaf < scan->leaf_count; leaf++) {
        if (marks[leaf] && !planned[leaf].form) return 0;
        if (!marks[leaf]) planned[leaf].form = PQX_ARROW_NONE;
    }
    return 1;
}

static int load_file(reading *r, size_t number, const struct ArrowSchema *schema,
                     const uint8_t *marks, uint64_t *sizes)
{
    const pqx_small_file *file = r->files[number];
    pqx_source source = pqx_source_fd(file->fd, file->size);
    if (!plan_leaves(file, schema, marks, r->planned, sizes)) return 0;
    if (!pqx_arrow_load(&source, file->scan, r->planned, 0, r->leaf_count, r->loaded + number))
        return 0;
    for (uint32_t group = 0; group < file->scan->row_group_count; group++)
        r->rows += (uint64_t)file->scan->row_groups[group].num_rows;
    r->chunk_count += file->scan->row_group_count;
    r->bytes += file->size;
    return pqx_small_file_is_unchanged(file);
}

static uint8_t *mark_leaves(uint32_t leaf_count, const uint32_t *leaves, size_t count,
                            const pqx_small_filter *filter)
{
    uint8_t *marks = (uint8_t *)calloc((size_t)leaf_count + 1, 1);
    if (!marks) return NULL;
    for (size_t i = 0; i < count; i++) marks[leaves[i]] = 1;
    for (size_t i = 0; filter && i < filter->count; i++) marks[filter->tests[i].leaf] = 1;
    return marks;
}

static int load_files(reading *r, const struct ArrowSchema *schema, const uint32_t *leaves,
                      size_t count, const pqx_small_filter *filter)
{
    size_t all = (size_t)r->leaf_count + 1, number = 0;
    uint8_t *marks = mark_leaves(r->leaf_count, leaves, count, filter);
    uint64_t *sizes = (uint64_t *)calloc(all, sizeof *sizes);
    r->planned = (pqx_arrow_leaf *)calloc(all, sizeof *r->planned);
    r->loaded = (pqx_arrow_loaded *)calloc(r->file_count, sizeof *r->loaded);
    if (marks && sizes && r->planned && r->loaded)
        while (number < r->file_count && load_file(r, number, schema, marks, sizes)) number++;
    free(marks);
    free(sizes);
    if (number < r->file_count) return 0;
    r->chunks = (pqx_arrow_chunk *)calloc(r->chunk_count + 1, sizeof *r->chunks);
    return r->chunks != NULL;
}

static void free_reading(reading *r)
{
    for (size_t i = 0; r->loaded && i < r->file_count; i++) pqx_arrow_loaded_free(r->loaded + i);
    free(r->loaded);
    free(r->planned);
    free(r->chunks);
    free(r->counts);
    free(r->turns);
    pqx_unpacked_free(&r->room);
}

/* Collect the chunks of a leaf that has a form. */
static void collect(reading *r, uint32_t leaf)
{
    pqx_arrow_chunk *to = r->chunks;
    size_t position = 0;
    while (r->loaded[0].leaves[position] != leaf) position++;
    for (size_t i = 0; i < r->file_count; i++) {
        size_t groups = r->files[i]->scan->row_group_count;
        memcpy(to, r->loaded[i].chunks + position * groups, groups * sizeof *to);
        to += groups;
    }
    const int64_t *counts = r->counts;
    for (size_t i = 0; r->turns && i < r->chunk_count; i++) {
        r->chunks[i].counts = counts;
        r->chunks[i].turns = r->turns[i];
        counts += r->turns[i];
    }
}

/* ---- matching rows ---- */

static void join(uint8_t *left, const uint8_t *right, size_t size, int32_t step)
{
    for (size_t i = 0; i < size; i++)
        left[i] = step == PQX_SMALL_AND ? left[i] & right[i] : left[i] | right[i];
}

/* Evaluate a filter with the stack `results`, which is NULL at first. */
static int evaluate(reading *r, const pqx_small_filter *filter, pqx_memory *results)
{
    size_t size = (size_t)(r->rows + 7) / 8, top = 0;
    for (size_t i = 0; i < filter->step_count; i++) {
        int32_t step = filter->steps[i];
        if (step < 0) {
            join(results[top - 2].data, results[top - 1].data, size, step);
            pqx_release(results[--top].data);
            results[top] = (pqx_memory){0};
            continue;
        }
        const pqx_small_test *test = filter->tests + step;
        collect(r, test->leaf);
        pqx_arrow_leaf *leaf = r->planned + test->leaf;
        if (!pqx_arrow_find(leaf, test->ranges, test->accepts_null, r->chunks, r->chunk_count,
                            &r->room, results + top++))
            return 0;
    }
    return 1;
}

/* Return the number of turns of `rows` rows whose bits begin at `bit`, and write them to `counts`
 * unless it is NULL. */
static size_t make_turns(const uint8_t *bits, size_t size, uint64_t bit, uint64_t rows,
                         int64_t *counts)
{
    size_t turns = 0;
    for (uint64_t at = 0; at < rows; turns++) {
        int is_set = bits[(bit + at) / 8] >> (bit + at) % 8 & 1;
        uint64_t alike = pqx_bitmap_alike(bits, size, bit + at, (size_t)(rows - at));
        if (is_set != (int)(turns % 2)) alike = 0; /* a turn that skips none */
        else if (!is_set && at + alike == rows) break;
        if (counts) counts[turns] = (int64_t)alike;
        at += alike;
    }
    return turns;
}

/* Make the turns of all chunks; return their number, at least 1. */
static size_t turns_of_all(const reading *r, const uint8_t *bits, int64_t *counts)
{
    size_t used = 0, chunk = 0;
    uint64_t bit = 0;
    for (size_t i = 0; i < r->file_count; i++) {
        const pqx_scan *scan = r->files[i]->scan;
        for (uint32_t group = 0; group < scan->row_group_count; group++, chunk++) {
            uint64_t rows = (uint64_t)scan->row_groups[group].num_rows;
            r->turns[chunk] = make_turns(bits, (size_t)(r->rows + 7) / 8, bit, rows,
                                         counts ? counts + used : NULL);
            used += r->turns[chunk];
            bit += rows;
        }
    }
    return used + 1;
}

/* Choose the rows whose bits are set. Returns 0 if there is no memory; r->turns is NULL if reading
 * all rows and filtering them takes less time. */
static int choose_rows(reading *r, const uint8_t *bits)
{
    r->turns = (size_t *)calloc(r->chunk_count + 1, sizeof *r->turns);
    if (!r->turns) return 0;
    size_t count = turns_of_all(r, bits, NULL);
    if (count > r->rows / ROWS_OF_TURN + 2 * r->chunk_count + 1) {
        free(r->turns);
        r->turns = NULL;
        return 1;
    }
    r->counts = (int64_t *)malloc(count * sizeof *r->counts);
    if (!r->counts) return 0;
    turns_of_all(r, bits, r->counts);
    return 1;
}

static int find_rows(reading *r, const pqx_small_filter *filter)
{
    pqx_memory *results = (pqx_memory *)calloc(filter->step_count, sizeof *results);
    int is_done = results && evaluate(r, filter, results) && choose_rows(r, results[0].data);
    for (size_t i = 0; results && i < filter->step_count; i++) pqx_release(results[i].data);
    free(results);
    return is_done;
}

/* ---- arrays ---- */

static int make_arrays(reading *r, const uint32_t *leaves, size_t count, struct ArrowArray *arrays)
{
    uint64_t most = PQX_ARROW_MOST_OF_BYTE * r->bytes, bytes;
    for (size_t i = 0; i < count; i++, most -= bytes) {
        collect(r, leaves[i]);
        if (pqx_arrow_array(r->planned + leaves[i], r->chunks, r->chunk_count, most, &r->room,
                            arrays + i, &bytes))
            continue;
        while (i--) arrays[i].release(arrays + i);
        return 0;
    }
    return 1;
}

/* Count the rows of each file that are read. */
static void count_rows(const reading *r, uint64_t *rows)
{
    const int64_t *counts = r->counts;
    size_t chunk = 0;
    for (size_t i = 0; i < r->file_count; i++) {
        const pqx_scan *scan = r->files[i]->scan;
        rows[i] = 0;
        for (uint32_t group = 0; group < scan->row_group_count; group++, chunk++) {
            if (!r->turns) {
                rows[i] += (uint64_t)scan->row_groups[group].num_rows;
                continue;
            }
            for (size_t turn = 1; turn < r->turns[chunk]; turn += 2)
                rows[i] += (uint64_t)counts[turn];
            counts += r->turns[chunk];
        }
    }
}

int pqx_small_rows(const pqx_small_file *const *files, size_t file_count,
                   const struct ArrowSchema *schema, const uint32_t *leaves, size_t count,
                   const pqx_small_filter *filter, uint64_t *rows, int *is_filtered,
                   struct ArrowArray *arrays)
{
    if (!file_count || !count) return 0;
    reading r = {
        .files = files, .file_count = file_count, .leaf_count = files[0]->scan->leaf_count};
    int is_done = load_files(&r, schema, leaves, count, filter)
                  && (!filter || find_rows(&r, filter)) && make_arrays(&r, leaves, count, arrays);
    *is_filtered = r.turns != NULL;
    if (is_done) count_rows(&r, rows);
    free_reading(&r);
    return is_done;
}
