/* Open small files whose schema equals that of a first file, so that types are determined once. */
#include "base/port.h"
#include "footer/scan.h"
#include "footer/slice.h"
#include "footer/small_files.h"

static int is_equal(const uint8_t *a, pqx_range in_a, const uint8_t *b, pqx_range in_b)
{
    return in_a.length == in_b.length
           && (!in_a.length || !memcmp(a + in_a.offset, b + in_b.offset, in_a.length));
}

/* Find the value of the key ARROW:schema, empty if there is none. Returns 0 if there are several.
 */
static int find_arrow_schema(const uint8_t *footer, const pqx_scan *scan, pqx_range *value)
{
    int count = 0;
    *value = (pqx_range){0, 0};
    for (uint32_t i = 0; i < scan->key_value_count; i++) {
        const pqx_key_value *pair = scan->key_values + i;
        if (!pqx_is_arrow_schema(footer, pair)) continue;
        if (pair->has_value) *value = pair->value;
        count++;
    }
    return count < 2;
}

/* Return 1 if types, names and orders of all columns are the same. */
static int has_schema(const uint8_t *a, const pqx_scan *in_a, const uint8_t *b,
                      const pqx_scan *in_b)
{
    pqx_range arrow_a, arrow_b;
    return is_equal(a, in_a->schema, b, in_b->schema)
           && in_a->has_column_orders == in_b->has_column_orders
           && is_equal(a, in_a->column_orders, b, in_b->column_orders)
           && find_arrow_schema(a, in_a, &arrow_a) && find_arrow_schema(b, in_b, &arrow_b)
           && is_equal(a, arrow_a, b, arrow_b);
}

static int has_usual_rows(const pqx_scan *scan)
{
    int64_t left = scan->num_rows;
    for (uint32_t group = 0; group < scan->row_group_count; group++) {
        int64_t rows = scan->row_groups[group].num_rows;
        if (rows < 0 || rows > left) return 0;
        left -= rows;
    }
    return !left;
}

static int is_as_first(const pqx_small_file *file, const uint8_t *first_footer,
                       const pqx_scan *first)
{
    const pqx_scan *scan = file->scan;
    return scan->regular && !scan->encrypted && !scan->has_extension && has_usual_rows(scan)
           && has_schema(first_footer, first, file->footer, scan);
}

int pqx_small_file_open(const char *path, uint64_t most_bytes, const uint8_t *first_footer,
                        const pqx_scan *first, pqx_small_file *file)
{
    pqx_file_facts facts = {0};
    pqx_error error;
    *file = (pqx_small_file){.fd = pqx_open_file(path)};
    if (file->fd < 0) return 0;
    if (!pqx_get_facts(file->fd, &facts) && facts.kind == PQX_IS_REGULAR
        && facts.size <= most_bytes) {
        pqx_source source = pqx_source_fd(file->fd, facts.size);
        file->size = facts.size;
        file->modified = facts.modified;
        if (!pqx_footer_open(&source, 1, &file->opened, &error)) {
            file->scan = pqx_footer_get_scan(file->opened, &file->footer);
            if (is_as_first(file, first_footer, first)) return 1;
        }
    }
    pqx_small_file_close(file);
    return 0;
}

void pqx_small_file_close(pqx_small_file *file)
{
    pqx_footer_close(file->opened);
    pqx_close_file(file->fd);
}

int pqx_small_file_is_unchanged(const pqx_small_file *file)
{
    pqx_file_facts facts = {0};
    return !pqx_get_facts(file->fd, &facts) && facts.size == file->size
           && facts.modified == file->modified;
}
