/* Small files: opened only with the schema of the first one, and read whole or not at all. */
#include "footer/small_rows.h"
#include "base/port.h"
#include "footer.h"
#include "harness.h"
#include "system.h"

/* A PLAIN data page of three values, header included; the footer's sizes are set to its own. */
static const uint8_t page[] = {
    0x15, 0x00, 0x15, 0x30, 0x15, 0x30, 0x2c, 0x15, 0x06, 0x15, 0x00, 0x15, 0x06, 0x15,
    0x06, 0x00, 0x00, 7,    0,    0,    0,    0,    0,    0,    0,    8,    0,    0,
    0,    0,    0,    0,    0,    9,    0,    0,    0,    0,    0,    0,    0,
};
enum {
    FOOTER = 4 + sizeof page,
    FILE_SIZE = FOOTER + sizeof small_footer + 8,
    SIZE_THERE = 0x60, /* in the footer, zigzag */
    MOST_BYTES = 1 << 16
};
static const char path[] = "small.parquet";

static void make(uint8_t *file)
{
    memcpy(file, "PAR1", 4);
    memcpy(file + 4, page, sizeof page);
    memcpy(file + FOOTER, small_footer, sizeof small_footer);
    for (size_t i = FOOTER; i < FOOTER + sizeof small_footer; i++)
        if (file[i] == SIZE_THERE) file[i] = 2 * sizeof page;
    uint8_t length[4] = {sizeof small_footer};
    memcpy(file + FILE_SIZE - 8, length, 4);
    memcpy(file + FILE_SIZE - 4, "PAR1", 4);
}

static void write_file(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
}

typedef struct first_file {
    uint8_t bytes[FILE_SIZE];
    pqx_scan scan;
    struct ArrowSchema field, *children[1], schema;
} first_file;

static void begin(first_file *first)
{
    pqx_error error;
    make(first->bytes);
    CHECK(!pqx_scan_footer(first->bytes + FOOTER, sizeof small_footer, &first->scan, &error));
    first->field = (struct ArrowSchema){.format = "l", .name = "a"};
    first->children[0] = &first->field;
    first->schema = (struct ArrowSchema){.n_children = 1, .children = first->children};
}

static int open_small(const first_file *first, const uint8_t *bytes, size_t size,
                      pqx_small_file *file)
{
    write_file(bytes, size);
    return pqx_small_file_open(path, MOST_BYTES, first->bytes + FOOTER, &first->scan, file);
}

static int read_rows(const first_file *first, const pqx_small_file *const *files, size_t count,
                     const pqx_small_filter *filter, uint64_t *rows, int *is_filtered,
                     struct ArrowArray *array)
{
    const uint32_t leaf = 0;
    *array = (struct ArrowArray){0};
    return pqx_small_rows(files, count, &first->schema, &leaf, 1, filter, rows, is_filtered, array);
}

static int read_small(const first_file *first, const pqx_small_file *file, struct ArrowArray *array)
{
    uint64_t rows;
    int is_filtered;
    int is_read = read_rows(first, &file, 1, NULL, &rows, &is_filtered, array);
    if (is_read) CHECK(!is_filtered && rows == (uint64_t)array->length);
    return is_read;
}

static void a_file_with_the_same_schema_is_read(void)
{
    first_file first;
    pqx_small_file file;
    struct ArrowArray array;
    begin(&first);
    CHECK(open_small(&first, first.bytes, FILE_SIZE, &file));
    CHECK(read_small(&first, &file, &array));
    const int64_t *values = array.buffers[1];
    CHECK(array.length == 3 && values[0] == 7 && values[1] == 8 && values[2] == 9);
    array.release(&array);
    pqx_small_file_close(&file);
    pqx_scan_free(&first.scan);
}

static void other_files_are_not_opened(void)
{
    first_file first;
    pqx_small_file file;
    begin(&first);
    CHECK(
        !pqx_small_file_open("none.parquet", MOST_BYTES, first.bytes + FOOTER, &first.scan, &file));
    write_file(first.bytes, FILE_SIZE);
    CHECK(!pqx_small_file_open(path, FILE_SIZE - 1, first.bytes + FOOTER, &first.scan, &file));
    CHECK(!pqx_small_file_open(".", MOST_BYTES, first.bytes + FOOTER, &first.scan, &file));
    for (size_t size = 0; size < FILE_SIZE; size++)
        CHECK(!open_small(&first, first.bytes, size, &file));
    uint8_t other[FILE_SIZE];
    memcpy(other, first.bytes, FILE_SIZE);
    for (size_t i = FOOTER; i < FOOTER + sizeof small_footer; i++)
        if (other[i] == 'a') {
            other[i] = 'b';
            break;
        }
    CHECK(!open_small(&first, other, FILE_SIZE, &file));
    pqx_scan_free(&first.scan);
}

static void any_flipped_bit_leaves_three_values_or_no_array(void)
{
    first_file first;
    pqx_small_file file;
    struct ArrowArray array;
    size_t opened = 0, read = 0;
    begin(&first);
    for (size_t bit = 0; bit < 8 * FILE_SIZE; bit++) {
        uint8_t bytes[FILE_SIZE];
        memcpy(bytes, first.bytes, FILE_SIZE);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (!open_small(&first, bytes, FILE_SIZE, &file)) continue;
        opened++;
        if (read_small(&first, &file, &array)) {
            CHECK(array.length == 3 && array.n_buffers == 2);
            array.release(&array);
            read++;
        } else {
            CHECK(!array.release);
        }
        pqx_small_file_close(&file);
    }
    CHECK(opened > read && read > 8 * 24); /* nothing protects the 24 bytes of values */
    pqx_scan_free(&first.scan);
}

static void a_file_that_is_cut_after_it_was_opened_is_not_read(void)
{
    first_file first;
    pqx_small_file file;
    struct ArrowArray array;
    begin(&first);
    CHECK(open_small(&first, first.bytes, FILE_SIZE, &file));
    write_file(first.bytes, 4 + sizeof page - 1);
    CHECK(!read_small(&first, &file, &array) && !array.release);
    pqx_small_file_close(&file);
    pqx_scan_free(&first.scan);
}

static void a_file_that_is_written_after_it_was_opened_is_not_read(void)
{
    first_file first;
    pqx_small_file file;
    struct ArrowArray array;
    pqx_file_facts facts;
    begin(&first);
    CHECK(open_small(&first, first.bytes, FILE_SIZE, &file));
    do {
        write_file(first.bytes, FILE_SIZE);
        CHECK(!pqx_get_facts(file.fd, &facts));
    } while (facts.modified == file.modified); /* the clock of a filesystem may be coarse */
    CHECK(!read_small(&first, &file, &array) && !array.release);
    pqx_small_file_close(&file);
    pqx_scan_free(&first.scan);
}

/* Read two files, which have the same values, with the filter. */
static void find(const pqx_small_filter *filter, int64_t *found, size_t count, int is_filtered)
{
    first_file first;
    pqx_small_file file;
    struct ArrowArray array;
    uint64_t rows[2];
    int done;
    begin(&first);
    CHECK(open_small(&first, first.bytes, FILE_SIZE, &file));
    const pqx_small_file *both[] = {&file, &file};
    CHECK(pqx_small_filter_is_valid(filter, 1));
    CHECK(read_rows(&first, both, 2, filter, rows, &done, &array) && done == is_filtered);
    CHECK(rows[0] == count && rows[1] == count && (size_t)array.length == 2 * count);
    const int64_t *values = array.buffers[1];
    for (size_t i = 0; i < 2 * count; i++) CHECK(values[i] == found[i % count]);
    array.release(&array);
    pqx_small_file_close(&file);
    pqx_scan_free(&first.scan);
}

static void rows_that_match_a_filter_are_read(void)
{
    const uint64_t half = UINT64_C(1) << 63, to_7[] = {0, half + 7},
                   from_9[] = {half + 9, half + 9};
    pqx_ranges low = {.type = PQX_PHYSICAL_INT64, .count = 1, .keys = to_7}, high = low;
    high.keys = from_9;
    const pqx_small_test tests[] = {{0, 0, &low}, {0, 0, &high}};
    const int32_t first[] = {0}, either[] = {0, 1, PQX_SMALL_OR}, both[] = {0, 1, PQX_SMALL_AND};
    int64_t values[] = {7, 8, 9};
    find(&(pqx_small_filter){tests, 2, first, 1}, values, 1, 1);
    find(&(pqx_small_filter){tests, 2, both, 3}, values, 0, 1);
    find(&(pqx_small_filter){tests, 2, either, 3}, values, 3, 0); /* too many turns */
}

static void filters_without_one_result_are_refused(void)
{
    pqx_ranges none = {.type = PQX_PHYSICAL_INT64};
    const pqx_small_test test = {0, 0, &none}, beyond = {1, 0, &none};
    const int32_t two[] = {0, 0}, empty[] = {PQX_SMALL_AND}, unknown[] = {1}, wrong[] = {0, 0, -3};
    CHECK(!pqx_small_filter_is_valid(&(pqx_small_filter){&test, 1, two, 2}, 1));
    CHECK(!pqx_small_filter_is_valid(&(pqx_small_filter){&test, 1, empty, 1}, 1));
    CHECK(!pqx_small_filter_is_valid(&(pqx_small_filter){&test, 1, unknown, 1}, 1));
    CHECK(!pqx_small_filter_is_valid(&(pqx_small_filter){&test, 1, wrong, 3}, 1));
    CHECK(!pqx_small_filter_is_valid(&(pqx_small_filter){&test, 1, two, 0}, 1));
    CHECK(!pqx_small_filter_is_valid(&(pqx_small_filter){&beyond, 1, two, 1}, 1));
}

int main(void)
{
    char folder[MAX_PATH];
    enter_new_folder(folder);
    RUN(a_file_with_the_same_schema_is_read);
    RUN(other_files_are_not_opened);
    RUN(any_flipped_bit_leaves_three_values_or_no_array);
    RUN(a_file_that_is_cut_after_it_was_opened_is_not_read);
    RUN(a_file_that_is_written_after_it_was_opened_is_not_read);
    RUN(rows_that_match_a_filter_are_read);
    RUN(filters_without_one_result_are_refused);
    CHECK(!remove(path));
    remove_folder(folder);
    return 0;
}
